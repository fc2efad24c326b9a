"""The target's orbit, whatever the scenario prescribes: one table for kepler, tle and path; the first state for numerical.

Where the orbit is prescribed, velocity and acceleration are those of the position that is given out, exactly. SGP4's own
velocities are not: they leave out part of J2's drifts and differ from the derivative of its positions by centimetres (low
circular orbits) to a metre per second (eccentric ones); a chaser placed with such an error would drift away at that speed.
So for a tle only SGP4's positions are taken, and both derivatives are formed from them by differences of the eighth order.
Between nodes this follows SGP4 to some 1e-8 m, except where SGP4's own solution of Kepler's equation stops early: its
tolerance of 1e-12 rad lets single positions jump by up to 1e-12 of the radius over 1 - e (5e-6 m in low orbits).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, assert_never

import numpy as np

from proxops.core.earth import MU_M3_S2
from proxops.core.errors import BadInput
from proxops.core.orbit_table import Elements, KeplerOrbit, NumericalOrbit, Orbit, PathOrbit, TleOrbit
from proxops.maths.rotation import Array
from proxops.space.ephemeris import COLUMNS
from proxops.space.kepler import state_from_elements
from proxops.space.secular_j2 import drifting_state, kepler_rates, secular_rates
from proxops.space.sky import tt_from_utc
from proxops.space.tle import TwoLine, read_tle, tle_states
from proxops.space.way_points import way_point_table

STEP_S: Final = 5.0
TLE_STEP_S: Final = 10.0  # longer: differences divide SGP4's noise by it
MARGIN_S: Final = 60.0  # at both ends, beyond what was asked for
# Central differences of the eighth order, for 1 … 4 steps to either side.
FIRST: Final = np.array([4 / 5, -1 / 5, 4 / 105, -1 / 280])
SECOND: Final = np.array([8 / 5, -1 / 5, 8 / 315, -1 / 560])
SECOND_MIDDLE: Final = -205 / 72


@dataclass(frozen=True)
class Ephemeris:
    """A prescribed path. ``table``: ``space/ephemeris.py`` reads it, from t = -60 s (a user's path: 0) to the end."""

    table: Array
    epoch_utc: str
    epoch_tt: float  # s since J2000 (TT), of t = 0


@dataclass(frozen=True)
class InitialState:
    """Where a numerical orbit begins, in ECI."""

    p: Array  # m
    v: Array  # m/s
    epoch_utc: str
    epoch_tt: float  # s since J2000 (TT), of t = 0


def reference_orbit(orbit: Orbit, duration_s: float) -> Ephemeris | InitialState:
    """The target's path from t = 0 to ``duration_s`` and a margin; a path of the user's own ends with its last point."""
    match orbit:
        case KeplerOrbit():
            return Ephemeris(_kepler_table(orbit, duration_s), orbit.epoch, tt_from_utc(orbit.epoch))
        case NumericalOrbit():
            p, v = np.empty(3), np.empty(3)
            a, e, i, node, perigee, anomaly = elements_of(orbit).tolist()
            state_from_elements(a, e, i, node, perigee, anomaly, MU_M3_S2, p, v)
            return InitialState(p, v, orbit.epoch, tt_from_utc(orbit.epoch))
        case TleOrbit():
            tle = read_tle(orbit.line1, orbit.line2, orbit.epoch, orbit.max_age_days)
            start = tle.start.isoformat()
            return Ephemeris(_tle_table(tle, duration_s), start, tt_from_utc(start))
        case PathOrbit():
            return Ephemeris(_path_table(orbit, duration_s), orbit.epoch, tt_from_utc(orbit.epoch))
        case _:
            assert_never(orbit)


def elements_of(orbit: Elements) -> Array:
    """The scenario's elements (6) in m and rad, as ``space/kepler.py`` has them."""
    angles = np.radians([orbit.inclination_deg, orbit.node_deg, orbit.perigee_deg, orbit.anomaly_deg])
    return np.concatenate([[1e3 * orbit.semi_major_axis_km, orbit.eccentricity], angles])


def _nodes(duration_s: float, step_s: float) -> Array:
    """Times from before the start to after the end."""
    first = -math.ceil(MARGIN_S / step_s)
    return step_s * np.arange(first, math.ceil((duration_s + MARGIN_S) / step_s) + 1, dtype=np.float64)


def _kepler_table(orbit: KeplerOrbit, duration_s: float) -> Array:
    elements, rates = elements_of(orbit), np.empty(3)
    if orbit.j2:
        secular_rates(elements[0], elements[1], elements[2], rates)
    else:
        kepler_rates(float(elements[0]), rates)
    table = np.empty((_nodes(duration_s, STEP_S).size, COLUMNS))
    table[:, 0] = _nodes(duration_s, STEP_S)
    for row in table:
        drifting_state(elements, rates, row[0], row[1:4], row[4:7], row[7:10])
    return table


def _tle_table(tle: TwoLine, duration_s: float) -> Array:
    """Positions of SGP4 with their own derivatives."""
    t, reach = _nodes(duration_s, TLE_STEP_S), FIRST.size
    wider = np.concatenate([t[0] + TLE_STEP_S * np.arange(-reach, 0), t, t[-1] + TLE_STEP_S * np.arange(1, reach + 1)])
    p = tle_states(tle, wider)[0]
    middle = p[reach:-reach]
    first, second = np.zeros_like(middle), SECOND_MIDDLE * middle
    for k in range(1, reach + 1):
        ahead, behind = p[reach + k : p.shape[0] - reach + k], p[reach - k : p.shape[0] - reach - k]
        first += FIRST[k - 1] * (ahead - behind)
        second += SECOND[k - 1] * (ahead + behind)
    return np.column_stack([t, middle, first / TLE_STEP_S, second / TLE_STEP_S**2])


def _path_table(orbit: PathOrbit, duration_s: float) -> Array:
    table = way_point_table(orbit)
    if table[0, 0] > 0.0:
        raise BadInput("orbit.point 1: the path begins after the mission", value=f"{table[0, 0]:g} s", bound="0")
    if table[-1, 0] < duration_s:
        raise BadInput(
            "orbit.point: the path ends before the mission",
            value=f"{table[-1, 0]:g} s",
            bound=f"{duration_s:g} s or more",
        )
    return table
