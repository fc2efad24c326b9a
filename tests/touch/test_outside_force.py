"""Limits are judged on the force itself: a lean is not forgotten, a drift is, and no zero is taken under a hand."""

from __future__ import annotations

import numpy as np
import pytest

from proxops.touch.force_limits import ForceLimits, Overload
from proxops.touch.outside_force import CALM_S, DRIFT_MARGIN, OutsideForce

OFFSET, DRIFT = np.repeat([5.0, 0.3], 3), np.repeat([0.2, 0.01], 3)
NOISE = np.repeat([1.0, 0.05], 3)
BIAS = np.array([3.0, -4.0, 1.0, 0.1, -0.2, 0.0])
Y = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])


def settled(stop_n: float = 60.0, stop_nm: float = 10.0, seed: int = 1) -> tuple[OutsideForce, np.random.Generator]:
    rng, outside = (
        np.random.default_rng(seed),
        OutsideForce(ForceLimits(stop_n, stop_n, stop_nm, stop_nm), OFFSET, DRIFT, NOISE),
    )
    for _ in range(250):
        assert outside.step(BIAS + NOISE * rng.standard_normal(6), True).level is Overload.NONE
    assert outside.settle() == ""
    return outside, rng


@pytest.mark.parametrize("rate", [0.5, 1.0, 3.0, 30.0])
def test_a_slow_lean_is_stopped_at_the_limit(rate: float) -> None:
    """Although nobody calls it a push. What is followed before it is plain that it is no drift: 5 sigma and a little."""
    outside, rng = settled()
    for k in range(200 * 250):
        force = rate * k * 0.004
        if outside.step(BIAS + force * Y + NOISE * rng.standard_normal(6), True).level is not Overload.NONE:
            break
    # Until 8 sigma away, where no reading is on the zero.
    followed = DRIFT_MARGIN * 0.2 * 8.0 / (rate - DRIFT_MARGIN * 0.2)
    assert 60.0 - 5.0 < force < 60.0 + followed + 1.0


def test_a_drift_of_the_sensor_is_followed_and_stops_nothing() -> None:
    outside, rng = settled()
    for k in range(600 * 250):  # 120 N in the end: twice the limit
        drifted = BIAS + 0.004 * k * DRIFT + NOISE * rng.standard_normal(6)
        assert outside.step(drifted, True).level is Overload.NONE
    np.testing.assert_allclose(outside.zero, BIAS + 600.0 * DRIFT, atol=0.5)


def test_pushes_and_the_moment_after_them_freeze_it() -> None:
    outside, _ = settled()
    before = outside.zero.copy()
    for k in range(round(CALM_S / 0.004) + 100):
        outside.step(BIAS + 2.0 * Y, k >= 100)
    np.testing.assert_array_equal(outside.zero, before)
    outside.step(BIAS + 2.0 * Y, True)
    assert outside.zero[1] > before[1]


def test_what_has_drifted_in_a_long_push_is_found_again() -> None:
    outside, rng = settled(500.0, 50.0)
    for k in range(100 * 250):
        outside.step(BIAS + 100.0 * Y + 0.004 * k * DRIFT, False)
    now = BIAS + 100.0 * DRIFT  # 20 N off by now, and no more drift
    for _ in range(150 * 250):
        outside.step(now + NOISE * rng.standard_normal(6), True)
    np.testing.assert_allclose(outside.zero, now, atol=0.5)


def test_torque_has_its_own_limit() -> None:
    outside, _ = settled()
    assert "torque limit" in str(outside.step(BIAS + np.array([0.0, 0.0, 0.0, 0.0, 0.0, 11.0]), False))


def test_before_the_zero_is_known_the_offset_is_no_force_but_the_rest_is() -> None:
    outside = OutsideForce(ForceLimits(3.0, 3.0, 1.0, 1.0), OFFSET, DRIFT, NOISE)
    assert outside.step(OFFSET, True).level is Overload.NONE
    assert outside.step(OFFSET + 3.5 * Y, True).level is Overload.STOP


def test_a_zero_is_not_taken_under_a_hand() -> None:
    outside = OutsideForce(ForceLimits(60.0, 60.0, 10.0, 10.0), OFFSET, DRIFT, NOISE)
    for _ in range(250):
        outside.step(BIAS + 30.0 * Y, True)
    assert "Fy is 26 N" in outside.settle()
    assert not outside.known
    outside.step(BIAS, False)
    assert "touched" in outside.settle()


def test_what_is_no_number_stops() -> None:
    outside, _ = settled()
    assert outside.step(np.full(6, np.nan), True).level is Overload.STOP
