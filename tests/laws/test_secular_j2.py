"""J2's secular rates against a numerical integration with J2: drifts of the mean of the osculating elements over days."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.core.earth import J2, MU_M3_S2, RADIUS_M
from proxops.space.ephemeris import COLUMNS
from proxops.space.free_drift import integrate_orbit
from proxops.space.kepler import elements_from_state, mean_from_true, state_from_elements
from proxops.space.secular_j2 import drifting_state, kepler_rates, secular_rates

Array = NDArray[np.float64]
SAMPLES = 200  # per revolution


def averaged(a: float, e: float, i: float, revolutions: int) -> tuple[Array, Array]:
    """Times, and elements of an integrated orbit with J2, averaged over each (nodal) revolution: the last column is the mean
    anomaly; all angles unwrapped."""
    p, v = np.empty(3), np.empty(3)
    state_from_elements(a, e, i, 0.4, 1.0, 0.2, MU_M3_S2, p, v)
    rates = np.empty(3)
    secular_rates(a, e, i, rates)
    period = 2.0 * math.pi / (rates[1] + rates[2])
    table = np.zeros((SAMPLES * revolutions, COLUMNS))
    table[:, 0] = np.arange(table.shape[0]) * period / SAMPLES
    integrate_orbit(p, v, 2, table)
    found = np.empty((table.shape[0], 6))
    for k, row in enumerate(table):
        elements_from_state(row[1:4], row[4:7], MU_M3_S2, found[k])
        found[k, 5] = mean_from_true(found[k, 5], found[k, 1])
    found[:, 3:] = np.unwrap(found[:, 3:], axis=0)
    window = found.reshape(revolutions, SAMPLES, 6).mean(axis=1)
    times = table[:, 0].reshape(revolutions, SAMPLES).mean(axis=1)
    return times, window


@pytest.mark.parametrize(
    ("a", "e", "i_deg"), [(7.1e6, 0.03, 51.6), (7.0e6, 0.02, 97.8), (8.0e6, 0.1, 28.5), (2.0e7, 0.6, 75.0)]
)
def test_drifts_are_those_of_an_integration(a: float, e: float, i_deg: float) -> None:
    """The rates belong to mean elements: they are formed with the averages that the integration itself shows. What is left
    is of the second order, some J2 (re/p)^2 of the drift: 0.9e-3 to 1.9e-3 of the node's was seen, 3.5e-3 of the perigee's."""
    i = math.radians(i_deg)
    t, mean = averaged(a, e, i, 16 if a < 1e7 else 4)
    drift = np.polyfit(t, mean[:, 3:], 1)[0]
    rates = np.empty(3)
    average = mean.mean(axis=0)
    secular_rates(average[0], average[1], average[2], rates)
    assert drift[0] == pytest.approx(rates[0], rel=3e-3)
    size = 1.5 * J2 * (RADIUS_M / (a * (1 - e * e))) ** 2 * rates[2]  # the perigee's drift has a zero at 63.4 degrees
    assert drift[1] == pytest.approx(rates[1], abs=5e-3 * size)


@pytest.mark.parametrize("i_deg", [0.5, 30.0, 51.6, 75.0, 97.8])
def test_the_anomalys_drift_is_that_of_an_integration(i_deg: float) -> None:
    """Perigee and anomaly together, seen from the node, are sharper than each. J2's own share of this rate is 1e-3 to 4e-3; what
    is left (1.5e-5 at most, seen at the equator) is of the second order, so a wrong sign or factor would show."""
    a, e, i = 7.1e6, 0.02, math.radians(i_deg)
    t, mean = averaged(a, e, i, 16)
    drift = np.polyfit(t, mean[:, 4] + mean[:, 5], 1)[0]
    average_a = float(mean[:, 0].mean())
    rates, round_earth = np.empty(3), np.empty(3)
    secular_rates(average_a, e, i, rates)
    kepler_rates(average_a, round_earth)
    share = abs(rates[1] + rates[2] - round_earth[2]) / round_earth[2]
    assert abs(drift - rates[1] - rates[2]) / drift < 2e-5
    assert i_deg > 40.0 or share > 1e-3


def test_a_sun_synchronous_orbit_goes_round_once_a_year() -> None:
    rates = np.empty(3)
    secular_rates(RADIUS_M + 800e3, 0.0, math.radians(98.6), rates)  # the textbook's pair
    assert math.degrees(rates[0]) * 86400.0 == pytest.approx(360.0 / 365.2422, rel=3e-3)
    secular_rates(2.66e7, 0.74, math.radians(63.4349488), rates)  # Molniya: the perigee stands
    assert abs(math.degrees(rates[1]) * 86400.0) < 1e-6


def test_velocity_and_acceleration_are_derivatives() -> None:
    elements = np.array([7.2e6, 0.15, 1.2, 0.5, 2.0, 1.0])
    rates = np.empty(3)
    secular_rates(7.2e6, 0.15, 1.2, rates)
    rates[:2] *= 50.0  # so that every term counts
    h, t = 1.0, 4321.0
    states = np.empty((5, 9))
    for k in range(5):
        row = states[k]
        drifting_state(elements, rates, t + (k - 2) * h, row[0:3], row[3:6], row[6:9])
    slope = (8.0 * (states[3] - states[1]) - (states[4] - states[0])) / (12.0 * h)
    # Fourth-order differences: r n (n h)^4 / 30 is 3e-10 m/s; rounding of 7,000 km over a second is 2e-9 m/s.
    np.testing.assert_allclose(slope[0:3], states[2, 3:6], rtol=0.0, atol=2e-8)
    np.testing.assert_allclose(slope[3:6], states[2, 6:9], rtol=0.0, atol=2e-11)
