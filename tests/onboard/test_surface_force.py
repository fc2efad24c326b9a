"""Air and sunlight on the client as known on board: near enough to the truth that its rate is predicted without a bias."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from approach_truth import Approach, Flight

from proxops.core.flight import Floats, onboard_data
from proxops.core.mission import MissionFile, load_mission
from proxops.core.orbit_table import TleOrbit
from proxops.onboard import surface_force
from proxops.onboard.navigation_build import navigation_of
from proxops.onboard.relative_dynamics import propagate
from proxops.onboard.relative_model import N_ERROR, N_SCALE, N_STATE, Q, W
from proxops.onboard.surface_force import begin_of, in_shadow, sun_direction, surface_force_of
from proxops.space.atmosphere import KINDS, density
from proxops.space.pair import SpacecraftPair
from proxops.space.sky import sun_position, tt_from_utc

CYCLES_PER_STEP = 25  # of 4 ms: a cycle of the flight software
SECONDS = 400


def nominal() -> MissionFile:
    """The flagship, with nothing but what is known of it."""
    return load_mission("approach").file.as_known_on_board(uses_hall=True)


def predicted_rate(known: bool) -> tuple[Floats, Floats]:
    """The client's rate after a coast, as it is and as the filter predicts it from where it began."""
    file = nominal()
    nav, pair = navigation_of(file, onboard_data(file)), SpacecraftPair(file, np.random.default_rng(0))
    model, x, P = nav._record, np.zeros(N_STATE), np.zeros((N_ERROR, N_ERROR))
    x[0:3], x[Q : Q + 4], x[W : W + 3] = pair.y[6:9], pair.y[12:16], pair.y[16:19]
    for k in range(SECONDS * 10):
        p, v = pair.y[0:3] + pair.y[6:9], pair.y[3:6] + pair.y[9:12]
        if known and k % 100 == 0:
            assert nav._surface is not None
            model["force"][0] = nav._surface.at(p, v)
        x[0:6] = pair.y[6:12]
        propagate(x, P, np.zeros((3, 3)), np.zeros((3, N_SCALE)), p, 0.1, model[0])
        for _ in range(CYCLES_PER_STEP):
            pair.advance()
    return pair.y[16:19].copy(), x[W : W + 3]


def test_the_rate_of_a_client_in_air_and_sunlight_is_predicted() -> None:
    """Without them it is off by 1e-5 rad/s in 400 s, which is five standard deviations of a filter in flight."""
    true, known = predicted_rate(known=True)
    unknown = predicted_rate(known=False)[1]
    assert float(np.linalg.norm(unknown - true)) > 5e-6
    assert float(np.linalg.norm(known - true)) < 5e-7


def test_navigation_takes_it_along() -> None:
    file = nominal()
    nav, flight = navigation_of(file, onboard_data(file)), Flight(Approach(1))
    nav.step(flight.measure(0), np.zeros(3))
    assert float(np.linalg.norm(nav._record["force"][0])) > 1e-6  # N
    still = file.model_copy(update={"target": file.target.model_copy(update={"pressure_centre_m": None})})
    assert surface_force_of(still) is None


def test_what_is_predicted_depends_on_nobodys_having_asked_before() -> None:
    """A prediction goes on from the last one; but not from one that was made with another force."""
    file, told = nominal(), []
    for asked in (range(103), range(102, 103)):
        nav, flight = navigation_of(file, onboard_data(file)), Flight(Approach(1))
        for k in range(103):
            flight.sensor.blind = k > 97  # the next force is looked at after 10 s
            nav.step(flight.measure(k), flight.acceleration(k))
            if k in asked and nav.ready:
                found = nav.estimate
        told.append(np.concatenate([found.position, found.velocity, found.q_eci_target, found.w_eci_target]))
    assert np.array_equal(*told)


@pytest.mark.parametrize("air", ["harris_priester", "exponential"])
def test_density_against_the_full_tables(air: str) -> None:
    """Rows of 100 km for rows of 20 km, and a short formula of the Earth's shape."""
    rng, sun = np.random.default_rng(3), sun_direction(datetime(2026, 3, 1, tzinfo=UTC))
    for altitude in (350.0, 420.0, 550.0, 640.0, 780.0):
        way = rng.standard_normal(3)
        p = (6.371e6 + 1e3 * altitude) * way / np.linalg.norm(way)
        expected = density(KINDS[air], p, 1.496e11 * sun)  # type: ignore[index]
        assert surface_force.density(surface_force.AIR[air], p, sun) == pytest.approx(expected, rel=0.1)


def test_the_sun_stands_where_it_does() -> None:
    for day in ("1960-02-03T04:00:00+00:00", "2026-11-16T12:00:00+00:00", "2050-07-01T00:00:00+00:00"):
        expected = np.empty(3)
        sun_position(tt_from_utc(day), expected)
        found = sun_direction(datetime.fromisoformat(day))
        assert found @ expected / np.linalg.norm(expected) > np.cos(np.radians(0.03))


def test_shadow_is_behind_the_earth() -> None:
    sun = np.array([1.0, 0.0, 0.0])
    assert in_shadow(np.array([-7e6, 1e6, 0.0]), sun)
    assert not in_shadow(np.array([7e6, 1e6, 0.0]), sun)
    assert not in_shadow(np.array([-2e6, 7e6, 0.0]), sun)


def test_a_two_line_sets_own_epoch() -> None:
    line1 = "1 25544U 98067A   20061.50000000  .00000000  00000-0  00000-0 0  9990"
    orbit = TleOrbit(kind="tle", line1=line1, line2="")
    assert begin_of(orbit) == datetime(2020, 3, 1, 12, tzinfo=UTC)
