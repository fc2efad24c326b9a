"""The virtual iiwa: how it follows, what it measures, and that every wrong command ends in a smooth halt with its cause."""

import math
from dataclasses import replace

import numpy as np
import pytest

from proxops.lab.virtual_iiwa import IiwaTraits, VirtualIiwa

JOINTS = tuple(f"A{i}" for i in range(1, 8))
LIMIT = np.full(7, 2.0)
TRAITS = IiwaTraits(
    JOINTS, -LIMIT, LIMIT, np.linspace(1.0, 2.0, 7), np.linspace(8.0, 14.0, 7), lag_s=5e-3, dead_cycles=2, encoder_step=0.0,
    encoder_noise=0.0, torque_noise=0.0, torque_offset=0.0,
)  # fmt: skip
RATES = np.array([0.5, -0.4, 0.3, 0.2, -0.6, 0.7, 0.1])


class Time:
    """A clock for tests."""

    def __init__(self) -> None:
        self.t = 0.0

    def __call__(self) -> float:
        return self.t


def made(traits: IiwaTraits = TRAITS, angles: np.ndarray | None = None) -> tuple[VirtualIiwa, Time]:
    clock = Time()
    start = np.zeros(7) if angles is None else angles
    return VirtualIiwa(traits, start, lambda q, v, a: 10.0 * q + a, clock, np.random.default_rng(1)), clock


def moving(seconds: float = 0.5) -> tuple[VirtualIiwa, Time]:
    """At steady rates."""
    arm, clock = made()
    for k in range(1, round(seconds * 1000) + 1):
        arm.command(RATES, arm.read().t)
        clock.t = k * 1e-3
    arm.read()
    return arm, clock


def test_follows_with_dead_time_and_lag() -> None:
    fast, clock = made(replace(TRAITS, acceleration=np.full(7, 1e9)))
    seen = []
    for k in range(1, 61):
        fast.command(RATES, fast.read().t)
        clock.t = k * 1e-3
        fast.read()
        seen.append(fast.rates[0])
    assert seen[1] == 0.0  # two cycles of dead time
    acts = np.arange(1, 59) * 1e-3
    assert np.array(seen[2:]) == pytest.approx(RATES[0] * (1.0 - np.exp(-acts / 5e-3)), abs=1e-12)
    assert fast.angles[0] == pytest.approx(RATES[0] * (0.058 - 5e-3 * (1.0 - math.exp(-0.058 / 5e-3))), abs=1e-12)


def test_measures_in_encoder_steps_and_with_its_sensors_errors() -> None:
    traits = replace(TRAITS, encoder_step=1e-3, encoder_noise=1e-4, torque_noise=0.05, torque_offset=0.2)
    arm, clock = made(traits, np.full(7, 0.1234))
    angles, torques = [], []
    for k in range(1, 2001):
        clock.t = k * 1e-3
        measured = arm.read()
        angles.append(measured.angles.copy())
        torques.append(measured.torques.copy())
    steps = np.array(angles) / 1e-3
    assert np.abs(steps - np.round(steps)).max() < 1e-9
    off = np.array(torques) - 1.234
    assert off.std(axis=0) == pytest.approx(np.full(7, 0.05), rel=0.1)  # 2000 samples: 1.6 % standard error
    assert 0.05 < np.abs(off.mean(axis=0)).max() < 0.8


def test_a_reading_goes_through_all_cycles_that_have_passed() -> None:
    one, at_once = moving(0.2), moving(0.2)
    for k in range(1, 11):
        one[1].t = 0.2 + k * 1e-3
        one[0].read()
    at_once[1].t = 0.21
    assert at_once[0].read().t == pytest.approx(0.21)
    assert (one[0].angles == at_once[0].angles).all()


def halted(arm: VirtualIiwa, clock: Time, bad: np.ndarray | None, answers: float | None = None) -> str:
    """Send ``bad`` once, then go on as if nothing had happened: the arm comes smoothly to rest. Returns the cause."""
    if bad is not None:
        arm.command(bad, arm.read().t if answers is None else answers)
    before, start = arm.rates.copy(), clock.t
    for k in range(1, 601):
        clock.t = start + k * 1e-3
        t = arm.read().t
        change = np.abs(arm.rates - before)
        assert (change <= TRAITS.acceleration * 1e-3 * (1.0 + 1e-9)).all(), "a jump"
        before = arm.rates.copy()
        if bad is not None:
            arm.command(RATES, t)
    assert arm.at_rest
    return arm.read().halted


@pytest.mark.parametrize(
    ("bad", "cause"),
    [
        (np.array([0.5, math.nan, 0, 0, 0, 0, 0]), "A2: commanded rate is no number"),
        (np.array([0.5, 0, 0, math.inf, 0, 0, 0]), "A4: commanded rate is no number"),
        (np.array([0.5, 0, 0, 0, 0, 0, 1e6]), "A7: commanded 1e+06 rad/s, allowed 2"),
        (np.array([1.01, 0, 0, 0, 0, 0, 0.0]), "A1: commanded 1.01 rad/s, allowed 1"),
        (np.zeros(6), "command of 6 rates for 7 joints"),
    ],
)
def test_a_bad_command_ends_in_a_smooth_halt_with_its_cause(bad: np.ndarray, cause: str) -> None:
    arm, clock = moving()
    assert halted(arm, clock, bad) == f"{cause} (at 0.500 s)"


def test_a_stale_command_ends_in_a_smooth_halt() -> None:
    arm, clock = moving()
    assert halted(arm, clock, RATES, answers=0.4) == "command answers a measurement 100 ms old, allowed 50 (at 0.500 s)"
    arm, clock = moving()
    assert "nan" in halted(arm, clock, RATES, answers=math.nan)


@pytest.mark.parametrize("answers", [0.502, 1e9, math.inf, math.nan])
def test_an_answer_to_what_was_never_measured_ends_in_a_smooth_halt(answers: float) -> None:
    """It would keep the watch over silence quiet for good."""
    arm, clock = moving()
    cause = halted(arm, clock, RATES, answers=answers)
    assert cause == f"command answers a measurement of {answers:g} s, which has not been made (at 0.500 s)"


def test_a_command_that_a_newer_one_has_overtaken_is_left_aside_and_counted() -> None:
    arm, clock = moving()
    arm.command(RATES, arm.read().t)
    for late in (0.499, 0.47):
        arm.command(-RATES, late)
    assert arm.overtaken == 2
    for k in range(1, 41):
        clock.t = 0.5 + k * 1e-3
        assert arm.read().halted == ""
        assert arm.rates == pytest.approx(RATES, abs=1e-9)  # none of -RATES has come through


def test_overtaken_commands_do_not_break_the_silence() -> None:
    arm, clock = moving()
    arm.command(RATES, arm.read().t)
    for k in range(1, 61):
        clock.t = 0.5 + k * 1e-3
        now = arm.read().t
        if k < 49:
            arm.command(RATES, min(now, 0.499))
    assert arm.read().halted == "no command for 50 ms (at 0.551 s)"
    assert arm.overtaken == 48


def test_silence_ends_in_a_smooth_halt() -> None:
    arm, clock = moving()
    cause = halted(arm, clock, None)
    assert cause == "no command for 50 ms (at 0.550 s)"


def test_a_stall_within_the_patience_is_ridden_out() -> None:
    arm, clock = moving()
    clock.t += 0.045
    arm.command(RATES, arm.read().t)
    clock.t += 0.045
    assert arm.read().halted == ""
    assert arm.rates == pytest.approx(RATES, abs=1e-9)


def test_it_stops_before_the_end_of_a_range_and_never_beyond() -> None:
    arm, clock = made()
    rates = np.array([0, 0, 1.3, 0, 0, 0.2, 0])
    for k in range(1, 4001):
        arm.command(rates, arm.read().t)
        clock.t = k * 1e-3
    measured = arm.read()
    assert measured.halted.startswith("A3: stops just before the end of its range")
    assert arm.at_rest
    assert 2.0 - math.radians(1.5) < arm.angles[2] < 2.0


def test_it_waits_for_its_first_command_without_halting() -> None:
    arm, clock = made()
    clock.t = 10.0
    assert arm.read().halted == ""
    arm.command(RATES, 10.0)
    clock.t = 10.02
    assert arm.read().halted == ""
    assert arm.rates[0] > 0.0
