"""The sensor's zero follows bias and drift in free flight, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from proxops.core.errors import BadInput, Refused
from proxops.core.messages import PERIOD_S
from proxops.touch.zeroing import Zeroing

BIAS = np.array([3.0, -2.0, 1.0, 0.1, 0.2, -0.1])
PUSH = np.array([20.0, 0.0, 0.0, 0.0, 1.0, 0.0])


def test_a_step_of_the_bias_is_followed_as_a_critically_damped_pair_follows_it() -> None:
    """Closed form: the error of a step is (1 - k (1 - p)) p^k with the double pole p."""
    zero = Zeroing(np.zeros(6), period_s=0.004, time_constant_s=0.5)
    pole = np.exp(-0.004 / 0.5)
    for k in range(1, 1000):
        left = zero.step(BIAS, True)
        expected = (1.0 - k * (1.0 - pole)) * pole**k
        assert left == pytest.approx(BIAS * expected, abs=1e-9)


def test_a_steady_drift_leaves_no_lag() -> None:
    zero = Zeroing(BIAS)
    drift = np.array([1.0, -0.5, 0.2, 0.01, 0.0, 0.02])
    for k in range(20_000):  # 80 s, forty time constants
        left = zero.step(BIAS + drift * k * 0.004, True)
    np.testing.assert_allclose(left, 0.0, atol=1e-9)
    np.testing.assert_allclose(zero.rate, drift, atol=1e-9)


def test_noise_is_averaged() -> None:
    """White noise comes out with the root of the summed squares of the answer to one pulse."""
    rng, n = np.random.default_rng(1), 100_000
    zero = Zeroing(np.zeros(6), time_constant_s=0.2)
    got = np.empty((n, 6))
    for k, noise in enumerate(rng.standard_normal((n, 6))):
        zero.step(noise, True)
        got[k] = zero.bias
    pulse = Zeroing(np.zeros(6), time_constant_s=0.2)
    answer = []
    for k in range(3000):
        pulse.step(np.full(6, float(k == 0)), True)
        answer.append(pulse.bias[0])
    # n / 50 independent values of six.
    assert got[1000:].std() == pytest.approx(np.sqrt(np.sum(np.square(answer))), rel=0.05)
    assert got[1000:].std() < 0.25


def test_a_contact_is_not_followed_but_the_drift_goes_on() -> None:
    zero = Zeroing(BIAS, drift_goes_on=True)
    for _ in range(100):
        zero.step(BIAS + 0.01, True)
    before, rate = zero.bias.copy(), zero.rate.copy()
    for _ in range(5000):
        external = zero.step(BIAS + PUSH, False)
    np.testing.assert_allclose(zero.bias, before + 5000 * PERIOD_S * rate, rtol=1e-9)
    np.testing.assert_array_equal(zero.rate, rate)
    np.testing.assert_allclose(external, BIAS + PUSH - zero.bias, atol=1e-15)


def test_rezero_takes_the_mean_of_free_flight_only() -> None:
    rng = np.random.default_rng(2)
    zero = Zeroing(np.zeros(6), time_constant_s=1000.0, window_s=0.2)
    with pytest.raises(Refused, match="rule free flight; 0 ms"):
        zero.rezero()
    zero.step(PUSH, True)
    for _ in range(40):
        zero.step(BIAS + PUSH, False)
    with pytest.raises(Refused, match="free flight"):
        zero.rezero()
    rows = BIAS + rng.standard_normal((49, 6))
    for row in rows:
        zero.step(row, True)
    with pytest.raises(Refused, match="196 ms of free flight so far, asked for 200 ms"):
        zero.rezero()
    zero.step(BIAS, True)
    assert zero.ready
    zero.rezero()
    np.testing.assert_allclose(zero.bias, np.vstack([rows, BIAS]).mean(axis=0), atol=1e-12)
    zero.step(BIAS, False)
    with pytest.raises(Refused):
        zero.rezero()


def test_what_is_no_number_is_a_fault_and_never_zero() -> None:
    zero = Zeroing(BIAS)
    bad = BIAS.copy()
    bad[4] = np.nan
    zero.step(bad, False)
    assert "Ty is no number" in zero.fault
    assert np.isnan(zero.step(BIAS, True)).all()
    with pytest.raises(Refused, match="Ty"):
        zero.rezero()


@pytest.mark.parametrize("wrong", [{"period_s": 0.0}, {"time_constant_s": 0.004}, {"window_s": float("nan")}])
def test_absurd_settings_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(BadInput, match="zeroing"):
        Zeroing(BIAS, **wrong)


def test_what_grows_faster_than_the_sensor_can_drift_is_not_followed_away() -> None:
    """A lean of 3 N/s with 0.3 N/s allowed: the bias has exactly that slope at most, and 90 % of the lean stays."""
    zero = Zeroing(np.zeros(6), most_rate=np.repeat([0.3, 0.01], 3))
    for k in range(5000):
        lean = np.array([0.0, 3.0 * k * 0.004, 0.0, 0.0, 0.0, 0.0])
        left = zero.step(lean, True)
    assert zero.bias[1] <= 0.3 * 5000 * 0.004 + 1e-9
    assert left[1] >= 0.9 * lean[1] - 1e-9
    with pytest.raises(BadInput, match="most_rate"):
        Zeroing(BIAS, most_rate=np.full(6, np.nan))
