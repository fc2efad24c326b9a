"""The law of the clutch behind its estimate, on commands with closed forms: steps, ramps, sines and a tumbling target, clean
and noisy, packets every 4 to 20 ms. Everything is measured on the poses that come out, against the truth that went in."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from pursuer import NEAR_M, NEAR_RAD, PURSUER_DTYPE, advance, seated_pursuer

from proxops.bridge import estimate
from proxops.bridge.estimate import ESTIMATE_DTYPE
from proxops.bridge.pursuit import OMEGA, curve
from proxops.core.messages import PERIOD_S as DT

Array = NDArray[np.float64]
DEG = math.radians(1.0)
SLOW = np.array([0.5, 0.25, 20 * DEG, 20 * DEG])
FAST = np.array([1.2, 0.5, 20 * DEG, 20 * DEG])  # 10 deg/s at 5 m are 0.87 m/s
AXIS = np.array([1.0, 2.0, 2.0]) / 3.0
ONE = np.array([1.0, 0.0, 0.0, 0.0])
HOME = np.array([0.0, 0.0, 0.0, *ONE])
NOISE_M, NOISE_RAD = 2e-4, 0.01 * DEG
SETTLED = 25  # ticks in a row within the bounds


# --- quaternions of whole runs, (n, 4), independent of the kernels ---


def product(a: Array, b: Array) -> Array:
    w = a[..., :1] * b[..., :1] - np.sum(a[..., 1:] * b[..., 1:], axis=-1, keepdims=True)
    return np.concatenate([w, a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])], -1)


def inverse(q: Array) -> Array:
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def exponential(way: Array) -> Array:
    half = 0.5 * np.linalg.norm(way, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * way], -1)


def logarithm(q: Array) -> Array:
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    return q[..., 1:] * 2.0 * np.arctan2(sine, q[..., :1]) / np.where(sine > 0.0, sine, 1.0)


# --- commands ---


class Command(NamedTuple):
    p: Array  # (n, 3)
    q: Array  # (n, 4)
    start: Array  # packed pose of the clutch
    limits: Array


def times(seconds: float) -> Array:
    return np.arange(round(seconds / DT) + 1) * DT


def step() -> Command:
    n = len(times(10.0))
    return Command(np.tile(2.0 * AXIS, (n, 1)), np.tile(exponential(60 * DEG * AXIS), (n, 1)), HOME, SLOW)


def ramp() -> Command:
    t = times(10.0)
    p = np.array([1.0, 0.0, 0.0]) + np.outer(t, [0.1, 0.05, 0.0])
    return Command(p, exponential(np.outer(3 * DEG * t + 0.5, AXIS)), HOME, SLOW)


def sine() -> Command:
    wave = np.sin(2 * math.pi * 0.05 * times(24.0))
    return Command(np.outer(0.5 * wave + 0.3, AXIS), exponential(np.outer(30 * DEG * wave + 0.2, AXIS)), HOME, SLOW)


def tumble() -> Command:
    """The target precesses at 10 deg/s with a nutation of 10 deg; the chaser hovers 5 m beside it, attitude fixed in space."""
    t = times(20.0)
    z, tilt = np.array([0.0, 0.0, 1.0]), exponential(np.array([10 * DEG, 0.0, 0.0]))
    target = product(product(exponential(np.outer(10 * DEG * t, z)), tilt), exponential(np.outer(-6 * DEG * t, z)))
    place = np.broadcast_to([0.0, 4.0, 3.0, 0.0], target.shape)  # m in space, as a quaternion without scalar
    p = product(product(inverse(target), place), target)[:, 1:]
    return Command(p, inverse(target), np.array([*p[0] + [0.3, -0.2, 0.1], *ONE]), FAST)


COMMANDS: dict[str, Callable[[], Command]] = {"step": step, "ramp": ramp, "sine": sine, "tumble": tumble}
PACKETS = {
    "4 ms": (1, 1, False),
    "20 ms": (5, 5, False),
    "irregular": (1, 5, False),
    "20 ms with velocities": (5, 5, True),
}


class Run(NamedTuple):
    p: Array
    q: Array
    reached: Array  # near for some time, and not far since
    left_s: Array
    off_p: Array  # truth minus shown, m
    off_q: Array  # the same as rotation vectors


def follow(command: Command, packets: tuple[int, int, bool] = (1, 1, False), noise: float = 0.0, seed: int = 0) -> Run:
    rng, n = np.random.default_rng(seed), len(command.p)
    v = np.gradient(command.p, DT, axis=0, edge_order=2)
    w = logarithm(product(command.q[1:], inverse(command.q[:-1]))) / DT
    w = np.vstack([w[:1], 0.5 * (w[1:] + w[:-1]), w[-1:]])
    rates = np.hstack([v, w])
    q = product(exponential(noise * NOISE_RAD * rng.standard_normal((n, 3))), command.q)
    sent = np.hstack([command.p + noise * NOISE_M * rng.standard_normal((n, 3)), q])
    est, shown = np.zeros(1, ESTIMATE_DTYPE), seated_pursuer(command.start)
    record = np.zeros(n, PURSUER_DTYPE)
    due = 0
    for k in range(n):
        estimate.predict(est)
        if k == due:
            estimate.observe(est, sent[k], rates[k], packets[2])
            due += int(rng.integers(packets[0], packets[1] + 1))
        advance(shown, est, command.limits)
        record[k] = shown[0]
    off_q = logarithm(product(command.q, inverse(record["q"])))
    bound = 1.0 + 3.0 * noise  # a noisy command is never that still
    near = (record["left_m"] < bound * NEAR_M) & (record["left_rad"] < bound * NEAR_RAD)
    far = (record["left_m"] > 1e-3) | (record["left_rad"] > 0.05 * DEG)
    row = np.convolve(near, np.ones(SETTLED))[:n] >= SETTLED  # so many in a row
    reached = np.logical_or.accumulate(row) & ~far
    return Run(record["p"], record["q"], reached, record["left_s"], command.p - record["p"], off_q)


def check_limits(run: Run, command: Command) -> None:
    """Every tick, from poses alone; rounding is that of differences of poses."""
    p, q = np.vstack([command.start[:3], run.p]), np.vstack([command.start[3:], run.q])
    v, w = np.diff(p, axis=0) / DT, logarithm(product(q[1:], inverse(q[:-1]))) / DT
    for rate, speed, acceleration in ((v, *command.limits[:2]), (w, *command.limits[2:])):
        assert np.linalg.norm(rate, axis=1).max() <= speed * (1 + 1e-9)
        change = np.linalg.norm(np.diff(np.vstack([np.zeros(3), rate]), axis=0), axis=1)
        assert change.max() <= acceleration * DT * (1 + 1e-9) + 1e-12


def first(run: Run) -> int:
    assert run.reached.any()
    k = int(np.argmax(run.reached))
    assert run.reached[k:].all()
    return k


# --- what is required of the clutch ---


@pytest.mark.parametrize("packets", PACKETS)
@pytest.mark.parametrize("name", COMMANDS)
def test_clean(name: str, packets: str) -> None:
    command = COMMANDS[name]()
    run = follow(command, PACKETS[packets])
    check_limits(run, command)
    k = first(run)
    assert k < 7.0 / DT
    assert np.linalg.norm(run.off_p[k:], axis=1).max() < 1e-4
    assert np.linalg.norm(run.off_q[k:], axis=1).max() < 0.005 * DEG
    if name == "ramp":  # on it to rounding, not only close
        assert np.abs(run.off_p[-250:]).max() < 1e-12
        assert np.abs(run.off_q[-250:]).max() < 1e-12


@pytest.mark.parametrize("packets", PACKETS)
@pytest.mark.parametrize("name", COMMANDS)
def test_noisy(name: str, packets: str) -> None:
    command = COMMANDS[name]()
    run = follow(command, PACKETS[packets], noise=1.0, seed=7)
    check_limits(run, command)
    k = first(run)
    assert k < 7.0 / DT
    assert np.abs(run.off_p[k:]).max() < 3 * NOISE_M
    assert np.abs(run.off_q[k:]).max() < 3 * NOISE_RAD
    assert np.sqrt(np.mean(run.off_p[k:] ** 2)) < NOISE_M
    assert np.sqrt(np.mean(run.off_q[k:] ** 2)) < NOISE_RAD


@pytest.mark.parametrize("limits", [SLOW, FAST, [0.05, 0.02, 2 * DEG, DEG], [2.0, 3.0, 90 * DEG, 200 * DEG]], ids=str)
@pytest.mark.parametrize("packets", [(1, 1, False), (1, 5, False)], ids=str)
def test_steps_do_not_overshoot(limits: list[float], packets: tuple[int, int, bool]) -> None:
    full = step()
    command = full._replace(limits=np.array(limits), p=np.repeat(full.p, 5, 0), q=np.repeat(full.q, 5, 0))
    run = follow(command, packets)
    check_limits(run, command)
    assert (run.off_p @ AXIS).min() > -1e-6 and (run.off_q @ AXIS).min() > -1e-6
    assert np.abs(run.off_p[-1]).max() < 1e-15 and np.abs(run.off_q[-1]).max() < 1e-15
    assert np.abs(np.cross(run.off_p, AXIS)).max() < 1e-9  # and straight


def test_noisy_steps_overshoot_by_less_than_three_sigma() -> None:
    for seed in range(5):
        run = follow(step(), (1, 5, False), noise=1.0, seed=seed)
        assert (run.off_p @ AXIS).min() > -3 * NOISE_M and (run.off_q @ AXIS).min() > -3 * NOISE_RAD


# --- how it moves ---


def test_a_step_takes_hardly_longer_than_the_limits_force_it_to() -> None:
    """2 m at 0.5 m/s: speed up with 0.25 m/s², brake with 0.8 of it; and it is foretold."""
    run = follow(step())
    shortest = 0.5 / 0.25 + 0.5 / 0.2 + (2.0 - 0.5 * 0.5 * (0.5 / 0.25 + 0.5 / 0.2)) / 0.5
    k = first(run)
    assert shortest <= k * DT < shortest + SETTLED * DT + 0.1
    for part in (0.0, 0.3, 0.6, 0.9):
        j = int(part * k)
        assert run.left_s[j] == pytest.approx((k - j) * DT, abs=0.2)
    assert (run.left_s[k:] == 0.0).all()


@pytest.mark.parametrize(("left", "d"), [(2.0, 0.2), (0.01, 0.2), (1e-5, 0.2), (3.0, 0.01), (0.5, 50.0)])
def test_the_curve_stops_on_the_spot_in_whole_ticks(left: float, d: float) -> None:
    theta = math.exp(-30.0 * DT)
    speed = curve(left, d, theta)[0]
    for _ in range(20_000):
        _, after = curve(left, d, theta)
        assert -1e-12 <= speed - after <= d * DT * (1 + 1e-6)
        left, speed = left - after * DT, after
        assert left >= 0.0
    assert left < 1e-12


def test_near_by_it_is_the_critically_damped_plant() -> None:
    """Both poles at θ: from rest, e = e₀ (1 + n (1 − θ)) θⁿ after n ticks."""
    start = 1e-5
    est, shown = np.zeros(1, ESTIMATE_DTYPE), seated_pursuer(np.array([start, 0.0, 0.0, *ONE]))
    estimate.seat(est, HOME, np.zeros(6), False)
    theta = math.exp(-OMEGA * DT)
    for n in range(1, 40):
        advance(shown, est, SLOW)
        assert shown[0]["p"][0] == pytest.approx(start * (1 + n * (1 - theta)) * theta**n, rel=1e-9)


def test_noise_is_not_answered_with_all_the_acceleration() -> None:
    run = follow(step(), noise=1.0)
    acceleration = np.linalg.norm(np.diff(run.p[first(run) :], 2, axis=0), axis=1) / DT**2
    assert np.sqrt(np.mean(acceleration**2)) < 0.3 * SLOW[1]


def test_a_command_too_fast_is_followed_behind_and_caught_up() -> None:
    """0.8 m/s for 5 s with 0.5 m/s allowed; then the command waits at 4 m."""
    t = times(15.0)
    p = np.outer(np.minimum(0.8 * t, 4.0), [1.0, 0.0, 0.0])
    command = Command(p, np.tile(ONE, (len(t), 1)), HOME, SLOW)
    run = follow(command)
    check_limits(run, command)
    speed = np.diff(run.p[:, 0]) / DT
    assert speed[600:1500] == pytest.approx(0.5)  # at the limit, all the time
    assert run.p[:, 0].max() <= 4.0 + 1e-6
    assert first(run) * DT < 4.0 / 0.5 + 0.5 / 0.25 / 2 + 0.5 / 0.2 / 2 + 0.5


def test_half_a_turn_is_turned_one_way_in_spite_of_noise() -> None:
    n = len(times(14.0))
    for seed in range(5):
        command = Command(np.zeros((n, 3)), np.tile(exponential(math.pi * AXIS), (n, 1)), HOME, SLOW)
        run = follow(command, (1, 5, False), noise=1.0, seed=seed)
        check_limits(run, command)
        steps = logarithm(product(run.q[1:], inverse(run.q[:-1]))) @ AXIS
        assert abs(abs(steps.sum()) - math.pi) < 0.1 * DEG
        assert np.abs(steps).sum() < math.pi + DEG
        assert first(run) * DT < 12.0


def test_a_way_begun_beyond_half_a_turn_is_kept_but_not_a_much_longer_one() -> None:
    """While it turns towards 170 deg, the command moves on to 185 deg (kept) or to 230 deg (the other way is shorter)."""
    for angle, total in ((185 * DEG, 185 * DEG), (230 * DEG, -130 * DEG)):
        n = len(times(16.0))
        ways = np.full(n, angle)
        ways[:50] = 170 * DEG
        run = follow(Command(np.zeros((n, 3)), exponential(np.outer(ways, AXIS)), HOME, SLOW))
        turned = (logarithm(product(run.q[1:], inverse(run.q[:-1]))) @ AXIS).sum() + logarithm(run.q[0]) @ AXIS
        assert turned == pytest.approx(total, abs=1e-9)


def test_a_large_step_after_convergence_takes_the_short_way() -> None:
    n = len(times(20.0))
    ways = np.full(n, 0.5)
    ways[n // 3 :] = 0.5 - 165 * DEG
    run = follow(Command(np.zeros((n, 3)), exponential(np.outer(ways, AXIS)), HOME, SLOW))
    turned = (logarithm(product(run.q[1:], inverse(run.q[:-1]))) @ AXIS)[n // 3 - 1 :].sum()
    assert turned == pytest.approx(-165 * DEG, abs=1e-9)
