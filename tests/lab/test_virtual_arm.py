"""The virtual arm behind a position interface: how it follows, and that whatever is wrong ends in a smooth halt with
its cause."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from proxops.lab.virtual_arm import ArmTraits, VirtualArm

JOINTS = ("A1", "A2", "E1", "A3", "A4", "A5", "A6")
LIMIT = np.full(7, 2.0)
TRAITS = ArmTraits(
    JOINTS, -LIMIT, LIMIT, np.linspace(1.0, 2.0, 7), np.linspace(8.0, 14.0, 7), lag_s=5e-3, dead_cycles=2, encoder_step=0.0,
    encoder_noise=0.0,
)  # fmt: skip
RATES = np.array([0.5, -0.4, 0.3, 0.2, -0.6, 0.7, 0.1])
DT = 0.004


class Time:
    def __init__(self) -> None:
        self.t = 0.0

    def __call__(self) -> float:
        return self.t


def made(traits: ArmTraits = TRAITS, angles: np.ndarray | None = None) -> tuple[VirtualArm, Time]:
    clock = Time()
    return VirtualArm(traits, np.zeros(7) if angles is None else angles, clock, np.random.default_rng(1)), clock


def ramp(k: int) -> np.ndarray:
    """From rest to RATES in a quarter of a second, then on: the set-point for cycle ``k``."""
    t = k * DT
    return RATES * (2.0 * t * t if t < 0.25 else t - 0.125)


def driven(course: Callable[[int], np.ndarray], cycles: int, traits: ArmTraits = TRAITS) -> tuple[VirtualArm, Time]:
    arm, clock = made(traits)
    for k in range(1, cycles + 1):
        arm.command(course(k), arm.read().t)
        clock.t = k * DT
    arm.read()
    return arm, clock


@pytest.mark.parametrize(("lag", "dead"), [(5e-3, 2), (4e-3, 0), (0.0, 1)])
def test_in_steady_motion_it_is_behind_by_its_stated_delay(lag: float, dead: int) -> None:
    traits = replace(TRAITS, lag_s=lag, dead_cycles=dead)
    arm, _ = driven(ramp, 125, traits)
    assert traits.delay_s == pytest.approx(dead * DT + 2.0 * lag)
    assert arm.angles == pytest.approx(ramp(125) - RATES * traits.delay_s, abs=1e-9)
    assert arm.rates == pytest.approx(RATES, abs=1e-9)
    assert arm.read().halted == ""


def test_its_lag_is_that_of_the_differential_equation() -> None:
    """x'' + 2 x' / T + x / T^2 = r / T^2 behind a reference that is straight between set-points; integrated by
    SciPy."""
    arm, _ = driven(ramp, 30)
    points = np.array([ramp(max(k - 2, 0))[0] for k in range(31)])
    times = np.arange(31) * DT

    def slope(t: float, x: np.ndarray) -> list[float]:
        return [x[1], (np.interp(t, times, points) - x[0]) / 25e-6 - 2.0 * x[1] / 5e-3]

    end = solve_ivp(slope, (0.0, 30 * DT), [0.0, 0.0], rtol=1e-11, atol=1e-14, max_step=DT / 4)
    assert arm.angles[0] == pytest.approx(end.y[0, -1], abs=1e-9)
    assert arm.rates[0] == pytest.approx(end.y[1, -1], abs=1e-7)
    assert arm.accelerations[0] == pytest.approx(slope(30 * DT, end.y[:, -1])[1], abs=1e-4)


def test_measures_in_encoder_steps_with_noise() -> None:
    arm, clock = made(replace(TRAITS, encoder_step=1e-3, encoder_noise=3e-3), np.full(7, 0.1234))
    seen = []
    for k in range(1, 1001):
        clock.t = k * DT
        seen.append(arm.read().angles)
    steps = np.array(seen) / 1e-3
    assert np.abs(steps - np.round(steps)).max() < 1e-9
    assert np.std(seen) == pytest.approx(3e-3, rel=0.05)  # 7000 samples: 0.9 % standard error; rounding adds 0.5 %


def test_a_reading_goes_through_all_cycles_that_have_passed() -> None:
    one, at_once = driven(ramp, 100), driven(ramp, 100)
    for k in range(101, 104):
        one[1].t = k * DT
        one[0].read()
    at_once[1].t = 103 * DT
    assert at_once[0].read().t == pytest.approx(103 * DT)
    assert (one[0].angles == at_once[0].angles).all()


def halted(arm: VirtualArm, clock: Time, bad: np.ndarray | None, answers: float | None = None) -> str:
    """Send ``bad`` once, then go on as if nothing had happened: the arm comes smoothly to rest. Returns the cause."""
    start = round(clock.t / DT)
    if bad is not None:
        arm.command(bad, arm.read().t if answers is None else answers)
    before = arm.rates.copy()
    for k in range(start + 1, start + 201):
        clock.t = k * DT
        t = arm.read().t
        assert (np.abs(arm.rates - before) <= arm.traits.acceleration * DT * (1.0 + 1e-9)).all(), "a jump"
        before = arm.rates.copy()
        if bad is not None:
            arm.command(ramp(k), t)
    assert arm.at_rest
    return arm.read().halted


def wrong(joint: int, value: float) -> np.ndarray:
    out = ramp(101)
    out[joint] = value
    return out


@pytest.mark.parametrize(
    ("bad", "cause"),
    [
        (wrong(1, math.nan), "A2: set-point is no number"),
        (wrong(3, math.inf), "A3: set-point is no number"),
        (wrong(2, 2.1), "E1: set-point 120.3 deg beyond its range -115 … 115 deg"),
        (wrong(6, 0.5), "A6: set-point jumps by 27.1 deg, allowed 0.458 in a cycle"),
        (wrong(0, ramp(100)[0] + 1.01 * DT), "A1: set-point asks for 1.01 rad/s, allowed 1"),
        (np.zeros(6), "set-point of 6 angles for 7 joints"),
    ],
)
def test_a_bad_set_point_ends_in_a_smooth_halt_with_its_cause(bad: np.ndarray, cause: str) -> None:
    arm, clock = driven(ramp, 100)
    assert halted(arm, clock, bad) == f"{cause} (at 0.400 s)"


def test_times_of_set_points_are_watched() -> None:
    arm, clock = driven(ramp, 100)
    assert "300 ms old" in halted(arm, clock, ramp(101), answers=0.1)
    arm, clock = driven(ramp, 100)
    assert "has not been made" in halted(arm, clock, ramp(101), answers=math.nan)
    arm, clock = driven(ramp, 100)
    assert halted(arm, clock, None) == "no command for 20 ms (at 0.420 s)"


def test_a_short_gap_is_bridged_at_the_rate_before() -> None:
    arm, clock = driven(ramp, 100)
    clock.t = 104 * DT
    arm.read()
    arm.command(ramp(105), arm.t)
    clock.t = 107 * DT
    assert arm.read().halted == ""
    assert arm.rates == pytest.approx(RATES, abs=1e-9)


def test_it_stops_before_the_end_of_a_range_and_never_beyond() -> None:
    def rush(k: int) -> np.ndarray:
        out = ramp(k) * 0.2
        out[2] = min(1.3 * (k * DT) ** 2 if k < 125 else 1.3 * (k * DT - 0.25), 1.999)
        return out

    arm, clock = driven(rush, 460)
    cause = arm.read().halted
    assert cause.startswith("E1: stops just before the end of its range")
    clock.t += 0.5
    arm.read()
    assert arm.at_rest
    assert 2.0 - math.radians(1.0) < arm.angles[2] <= 2.0
