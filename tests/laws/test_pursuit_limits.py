"""Laws of the pursuit: whatever is commanded and however the limits change, no tick exceeds them; what can be reached is reached
and kept; nothing depends on the directions of the axes.

Measured on the poses that come out: first differences are the speed, second differences the acceleration of a tick."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from pursuer import PURSUER_DTYPE, advance, seated_pursuer

from proxops.bridge import estimate
from proxops.bridge.estimate import ESTIMATE_DTYPE
from proxops.bridge.pursuit import OMEGA, SHARE, pursue
from proxops.core.messages import PERIOD_S as DT
from proxops.maths.quaternion import turn, way_between

Array = NDArray[np.float64]
Record = NDArray[np.void]
QUIET = settings(max_examples=60, deadline=None, derandomize=True)
DEG = math.radians(1.0)
ONE = np.array([1.0, 0.0, 0.0, 0.0])
LIMITS = np.array([0.5, 0.25, 20 * DEG, 20 * DEG])
vectors = st.tuples(*[st.floats(-1.0, 1.0)] * 3).map(np.array)


def seated(p: Array, q: Array) -> tuple[Record, Record]:
    """Estimate and pursuer, both at rest at one pose."""
    est, shown = np.zeros(1, ESTIMATE_DTYPE), seated_pursuer(np.concatenate([p, q]))
    estimate.seat(est, np.concatenate([p, q]), np.zeros(6), False)
    return est, shown


def turned(q: Array, way: Array) -> Array:
    q = q.copy()
    turn(q, way)
    return q


class Meter:
    """Differences of the shown poses, held against the limits of each tick."""

    def __init__(self, shown: Record) -> None:
        self.p, self.q = shown[0]["p"].copy(), shown[0]["q"].copy()
        self.rates = [shown[0]["v"].copy(), shown[0]["w"].copy()]

    def check(self, shown: Record, limits: Array) -> None:
        p, q, way = shown[0]["p"].copy(), shown[0]["q"].copy(), np.empty(3)
        way_between(self.q, q, way)
        for i, rate in enumerate(((p - self.p) / DT, way / DT)):
            speed, step = limits[2 * i], limits[2 * i + 1] * DT
            rounding = 1e-12 + 4e-16 * float(np.abs(p).max()) / DT
            before = float(np.linalg.norm(self.rates[i]))
            # A limit that has shrunk below the speed is kept as soon as braking allows.
            assert np.linalg.norm(rate) <= max(speed, before - step) * (1 + 1e-9) + rounding
            assert np.linalg.norm(rate - self.rates[i]) <= step * (1 + 1e-9) + 2 * rounding
            self.rates[i] = rate
        self.p, self.q = p, q


def random_pose(rng: np.random.Generator, size: float) -> tuple[Array, Array]:
    axis = rng.standard_normal(3)
    angle = rng.choice([math.pi, math.pi - 1e-9, rng.uniform(0, math.pi), 1e-3])
    return size * rng.standard_normal(3), turned(ONE, angle * axis / np.linalg.norm(axis))


def test_a_tick_that_has_to_brake_for_a_shrunken_limit_lands_within_what_is_left() -> None:
    """All but on the command, whose own acceleration takes most of the limit, at a speed that has just become too high."""
    rng, speed, acceleration = np.random.default_rng(1), 0.1, 0.5
    step, landed = acceleration * DT, 0
    for _ in range(3000):
        A = rng.standard_normal(3)
        A *= rng.uniform(0.0, acceleration) / np.linalg.norm(A)
        v = rng.standard_normal(3)
        v *= (speed + rng.uniform(0.0, step)) / np.linalg.norm(v)
        before, kept = v.copy(), v * speed / np.linalg.norm(v)
        u = kept + A * DT - 0.01 * step * rng.standard_normal(3)
        landed += pursue(1e-4 * step * DT * rng.standard_normal(3), u, A, v, speed, acceleration, 1e-5)
        assert np.linalg.norm(v - before) <= step * (1 + 1e-9)
    assert landed > 100


@pytest.mark.parametrize("seed", range(60))
def test_limits_hold_on_random_walks(seed: int) -> None:
    """Teleports, half turns, wild velocities, noise, packets that are none, lost packets; limits that change and shrink."""
    rng = np.random.default_rng(seed)
    est, shown = seated(*random_pose(rng, 1.0))
    meter, limits = Meter(shown), LIMITS.copy()
    p, q = random_pose(rng, 1.0)
    v, w = np.zeros(3), np.zeros(3)
    noise = rng.choice([0.0, 1e-4, 1e-2])
    for _ in range(1500):
        if rng.random() < 0.01:
            p, q = random_pose(rng, rng.choice([0.01, 1.0, 20.0]))
        if rng.random() < 0.01:
            v, w = rng.choice([0.0, 0.1, 3.0]) * rng.standard_normal((2, 3))
        if rng.random() < 0.02:
            limits = LIMITS * 10.0 ** rng.uniform(-2.0, 1.0, 4)
        if rng.random() < 0.2:
            limits = limits * rng.uniform(0.97, 1.0, 4)
        p, q = p + v * DT, turned(q, w * DT)
        estimate.predict(est)
        if rng.random() < 0.5:
            sent = np.concatenate([p + noise * rng.standard_normal(3), turned(q, noise * rng.standard_normal(3))])
            if rng.random() < 0.01:
                sent[rng.integers(7)] = math.nan
            estimate.observe(est, sent, np.concatenate([v, w]), bool(seed % 2))
        advance(shown, est, limits)
        meter.check(shown, limits)


@pytest.mark.parametrize("limits", [[0.0, 0.0, 0.0, 0.0], [0.5, 0.0, 0.3, 0.0], [0.0, 0.25, 0.0, 0.3]], ids=str)
def test_limits_of_zero_are_limits(limits: list[float]) -> None:
    est, shown = seated(np.ones(3), ONE)
    estimate.seat(est, np.array([3.0, 2.0, 1.0, 0.0, 1.0, 0.0, 0.0]), np.ones(6), True)
    meter = Meter(shown)
    for _ in range(100):
        estimate.predict(est)
        advance(shown, est, np.array(limits))
        meter.check(shown, np.array(limits))
        assert not math.isnan(shown[0]["left_s"])
    np.testing.assert_array_equal(shown[0]["p"], 1.0)


@given(vectors, vectors, vectors, vectors, st.sampled_from([0.25, 1.0, 3.0]))
@settings(QUIET, max_examples=30)
def test_what_moves_within_the_limits_is_reached_and_kept(
    e: Array, v0: Array, u: Array, a: Array, scale: float
) -> None:
    """From any pose and velocity to a command with constant acceleration: in the end the poses are the same."""
    limits = np.array([1.0, scale, 1.0, scale])
    est, shown = seated(e, turned(ONE, e * 1.8))
    shown[0]["v"][:] = shown[0]["w"][:] = 0.5 * v0
    estimate.seat(est, np.array([0, 0, 0, *ONE]), np.concatenate([0.2 * u, 0.2 * u]), True)
    ticks = int((4.0 + 4.0 / scale) / DT)
    est[0]["a"][:] = est[0]["alpha"][:] = 0.2 * a / (ticks * DT)
    for k in range(ticks):
        estimate.predict(est)
        advance(shown, est, limits)
        if k > ticks - 50:
            np.testing.assert_allclose(shown[0]["p"], est[0]["p"], rtol=0.0, atol=1e-14)
            assert shown[0]["left_rad"] < 1e-14


@given(st.floats(0.0, 1.0), st.floats(1.0, 20.0), st.floats(0.0, 0.3))
@settings(QUIET, max_examples=40)
def test_no_overshoot_while_there_is_room_to_brake(part: float, room: float, more: float) -> None:
    """A step while moving, with at least the way that the share of the acceleration needs, and the last bit of landing."""
    for speed, acceleration, name in ((*LIMITS[:2], "v"), (*LIMITS[2:], "w")):
        rate, d = part * speed, SHARE * acceleration
        way = min(room * rate**2 / (2 * d) + rate * DT + d / OMEGA**2 + more, 3.0)  # less than half a turn
        goal = np.array([way, 0.0, 0.0])
        est, shown = seated(np.zeros(3), ONE)
        shown[0][name][0] = rate
        estimate.seat(est, np.concatenate([goal, turned(ONE, goal)]), np.zeros(6), False)
        for _ in range(int((way / (0.5 * speed) + 5.0) / DT)):
            advance(shown, est, LIMITS)
            done = shown[0]["p"][0] if name == "v" else 2 * math.atan2(shown[0]["q"][1], shown[0]["q"][0])
            assert done <= way + 1e-6
        assert done == pytest.approx(way, abs=1e-12)


def rotated(x: Array, q: Array) -> Array:
    """Rows of ``x`` turned by a unit quaternion."""
    return x + 2.0 * np.cross(q[1:], np.cross(q[1:], x) + q[0] * x)


def motion(p: Array, goal: Array, way: Array, rates: Array) -> tuple[Array, Array]:
    """v and w of 600 ticks from rest at ``p`` towards a moving goal."""
    est, shown = seated(p, ONE)
    estimate.seat(est, np.concatenate([goal, turned(ONE, way)]), np.concatenate(list(rates)), True)
    rows = np.zeros(600, PURSUER_DTYPE)
    for k in range(600):
        estimate.predict(est)
        advance(shown, est, LIMITS)
        rows[k] = shown[0]
    return rows["v"], rows["w"]


@given(vectors, vectors, vectors, vectors)
@QUIET
def test_directions_do_not_matter(way: Array, e: Array, v: Array, w: Array) -> None:
    """The same task elsewhere and in a turned frame gives the same motion, turned."""
    Q, place = turned(ONE, way), np.array([3.0, -2.0, 1.0])
    rates = np.stack([0.3 * v, 0.2 * e])
    plain = motion(np.zeros(3), e, 1.5 * w, rates)
    other = motion(place, place + rotated(e, Q), rotated(1.5 * w, Q), rotated(rates, Q))
    for one, two in zip(plain, other, strict=True):
        np.testing.assert_allclose(rotated(one, Q), two, atol=1e-9)
