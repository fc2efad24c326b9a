"""The arm's guard: good set-points pass unchanged; every rule trips, is named, and ends in braking within the
accelerations."""

import math

import numpy as np
import pytest

from proxops.maths.rotation import Array
from proxops.safety.arm_guard import ArmGuard
from proxops.safety.limits import ASTRAY_RAD
from proxops.safety.rules import Rule, Stop

NAMES = ("A1", "A2", "E1", "A3", "A4", "A5", "A6")
LIMIT = np.full(7, 2.0)
SPEED, ACCELERATION = np.linspace(1.0, 2.0, 7), np.linspace(8.0, 14.0, 7)
DT = 0.004
RATES = np.array([0.5, -0.4, 0.3, 0.2, -0.6, 0.7, 0.1])


def swing(k: int) -> Array:
    """From rest, at RATES after a quarter of a second."""
    t = k * DT
    return RATES * (2.0 * t * t if t < 0.25 else t - 0.125)


def moving(cycles: int = 100) -> ArmGuard:
    guard = ArmGuard(NAMES, -LIMIT, LIMIT, SPEED, ACCELERATION, np.zeros(7))
    for k in range(1, cycles + 1):
        sent = guard.judge(swing(k))
        assert guard.stop is None
        assert (sent == swing(k)).all()
    return guard


def braked(guard: ArmGuard, wish: Array) -> str:
    """Send ``wish`` and go on as if nothing had happened."""
    before, pace = guard.joints.copy(), guard.rates.copy()
    sent = guard.judge(wish)
    for k in range(102, 402):
        rates = (sent - before) / DT
        assert (np.abs(rates - pace) <= ACCELERATION * DT * (1.0 + 1e-9)).all()
        assert (np.abs(sent) <= LIMIT).all()
        before, pace = sent, rates
        sent = guard.judge(swing(k))
    assert guard.at_rest
    assert guard.stop is not None
    return str(guard.stop)


def wrong(joint: int, value: float) -> Array:
    out = swing(101)
    out[joint] = value
    return out


def test_each_rule_trips_and_says_joint_value_and_bound() -> None:
    assert braked(moving(), wrong(1, math.nan)).startswith("NOT_FINITE: command is not a finite number (A2)")
    said = braked(moving(), wrong(6, 0.5))
    assert said.startswith("JUMP: command jumps between two cycles (A6); got 27.0723 deg")
    assert "bound 1.83346 deg" in said
    said = braked(moving(), swing(100) + np.array([1.01 * DT, 0, 0, 0, 0, 0, 0]))
    assert said.startswith(
        "AXIS_SPEED: axis commanded faster than its limit (A1); got 57.8687 deg/s, bound 57.2958 deg/s"
    )
    kick = wrong(2, swing(101)[2] + 1.01 * ACCELERATION[2] * DT * DT)
    assert braked(moving(), kick).startswith(
        "AXIS_ACCELERATION: command runs away from what the axis may accelerate (E1)"
    )
    assert braked(moving(), np.zeros(6)) == "BAD_COMMAND: command cannot be understood (6 angles for 7 joints)"


def test_acceleration_right_at_its_limit_passes() -> None:
    guard = moving()
    guard.judge(swing(101) + 0.999 * ACCELERATION * DT * DT * np.sign(RATES))
    assert guard.stop is None


def test_a_range_is_never_left_because_braking_begins_early_enough() -> None:
    guard = ArmGuard(NAMES, -LIMIT, LIMIT, SPEED, ACCELERATION, np.zeros(7))
    k, sent = 0, np.zeros(7)
    while not (guard.stop is not None and guard.at_rest):
        k += 1
        t = k * DT
        sent = guard.judge(np.array([0, 0, 1.3 * t * t if t < 0.5 else 1.3 * (t - 0.25), 0, 0, 0, 0.2 * t * t]))
        assert (np.abs(sent) <= LIMIT).all()
        assert k < 2000
    assert guard.stop.rule == Rule.AXIS_RANGE
    assert guard.stop.detail == "E1"
    assert 2.0 - 1.3 * DT < sent[2] <= 2.0  # the last good cycle was the last possible one


def test_the_first_cause_stays_until_reset() -> None:
    guard = moving()
    guard.judge(wrong(1, math.nan))
    guard.judge(wrong(6, 0.5))
    assert guard.stop is not None and guard.stop.rule == Rule.NOT_FINITE
    place = guard.joints.copy()
    guard.reset(place)
    assert guard.stop is None
    assert (guard.judge(place) == place).all()
    assert guard.stop is None


def test_an_arm_that_is_elsewhere_is_stopped() -> None:
    guard = ArmGuard(NAMES, -LIMIT, LIMIT, SPEED, ACCELERATION, np.zeros(7), trailing_s=0.01)
    bound = ASTRAY_RAD + (0.01 + DT) * SPEED[4]
    guard.notice(np.where(np.arange(7) == 4, 0.99 * bound, 0.0))
    assert guard.stop is None
    guard.notice(np.where(np.arange(7) == 4, 1.01 * bound, 0.0))
    assert guard.stop is not None and guard.stop.rule is Rule.FOLLOWING and guard.stop.detail == NAMES[4]


def test_an_angle_that_is_no_number_is_not_where_the_arm_should_be() -> None:
    guard = ArmGuard(NAMES, -LIMIT, LIMIT, SPEED, ACCELERATION, np.zeros(7))
    guard.notice(np.where(np.arange(7) == 2, np.nan, 0.0))
    assert guard.stop is not None and guard.stop.detail == NAMES[2]


def test_rates_pass_unchanged_and_lead_where_they_lead() -> None:
    """Lost cycles too: an arm holds the last rates."""
    guard = ArmGuard(NAMES, -LIMIT, LIMIT, SPEED, ACCELERATION, np.zeros(7))
    x, rate = np.zeros(7), np.zeros(7)
    for cycles in (1, 1, 3, 1, 7, 1):
        x = x + rate * DT * cycles
        rate = rate + ACCELERATION * DT * 0.5
        assert (guard.judge_rates(rate, x, cycles) == rate).all()
    assert guard.stop is None
    assert guard.joints == pytest.approx(x + rate * DT, abs=1e-12)


def test_a_creeping_arm_and_a_stuck_joint_are_noticed() -> None:
    """However slowly: nothing is forgiven at rest, and of a way only its share."""
    creeping = ArmGuard(NAMES, -LIMIT, LIMIT, SPEED, ACCELERATION, np.zeros(7))
    x, cycles = np.zeros(7), 0
    while creeping.stop is None and cycles < 5000:
        x[3] += 0.01 * DT
        cycles += 1
        creeping.judge_rates(np.zeros(7), x)
    assert creeping.stop is not None and creeping.stop.rule is Rule.FOLLOWING
    assert x[3] < 0.05
    stuck, rate, cycles = ArmGuard(NAMES, -LIMIT, LIMIT, SPEED, ACCELERATION, np.zeros(7)), np.zeros(7), 0
    while stuck.stop is None and cycles < 5000:
        rate[2] = min(0.05, rate[2] + 0.01)
        cycles += 1
        stuck.judge_rates(rate, np.zeros(7))
    assert stuck.stop is not None and stuck.stop.rule is Rule.FOLLOWING and cycles * DT < 2.0


def test_the_range_is_that_of_the_encoders_too() -> None:
    guard = ArmGuard(NAMES, -LIMIT, LIMIT, SPEED, ACCELERATION, np.full(7, 1.962))
    ahead = np.full(7, 1.962) + 0.034  # less than what FOLLOWING allows
    for k in range(40):
        rates = guard.judge_rates(np.full(7, min(0.2, 0.02 * k)), ahead)
    assert guard.stop is not None and guard.stop.rule is Rule.AXIS_RANGE
    assert np.abs(rates).max() < 0.2


def test_a_brake_takes_no_longer_when_cycles_are_lost() -> None:
    """Rates of the way from then on; at rest by the same time."""
    whole, holed = (ArmGuard(NAMES, -LIMIT, LIMIT, SPEED, ACCELERATION, np.zeros(7)) for _ in range(2))
    for guard in (whole, holed):
        for k in range(1, 80):
            guard.judge(swing(k))
        guard.brake(Stop(Rule.OPERATOR))
    for _ in range(12):
        whole.judge(whole.joints)
    for cycles in (1, 5, 1, 4, 1):
        holed.judge(holed.joints, cycles)
    assert holed.joints == pytest.approx(whole.joints, abs=1e-12)
    assert holed.rates == pytest.approx(whole.rates, abs=1e-9)
