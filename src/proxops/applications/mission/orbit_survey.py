"""The reference orbit of a mission and a chaser's free drift beside it, linear against exact: numbers and curves.

Shadow: a cylinder of the equator's radius. Sidereal time: Earth rotation angle and precession (IERS Conventions 2010,
eq. 5.15 and 5.32), UT1 taken as UTC.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np

from proxops.applications.mission.orbit_figures import OrbitCurves
from proxops.core.earth import EQUATOR_M, MU_M3_S2
from proxops.core.errors import BadInput
from proxops.core.mission import Mission
from proxops.core.orbit_table import Elements, KeplerOrbit
from proxops.maths.rotation import Array
from proxops.space.clohessy_wiltshire import clohessy_wiltshire_transition
from proxops.space.elliptic_motion import elliptic_transition
from proxops.space.ephemeris import COLUMNS, ephemeris_at
from proxops.space.free_drift import integrate_drift, integrate_orbit
from proxops.space.kepler import elements_from_state, mean_motion
from proxops.space.reference_orbit import InitialState, elements_of, reference_orbit
from proxops.space.secular_j2 import kepler_rates, secular_rates
from proxops.space.sky import sun_position

REVOLUTIONS: Final = (0.25, 0.5, 1.0)
POINTS: Final = 1201  # of a curve
NODE_S: Final = 5.0


@dataclass(frozen=True)
class OrbitSurvey:
    """``about``: for terminal and JSON; ``curves``: for the picture."""

    about: dict[str, Any]
    curves: OrbitCurves


@dataclass(frozen=True)
class _Orbit:
    """The target's path and the ellipse that stands for it."""

    table: Array
    end_s: float
    elements: Array  # (6)
    meaning: str  # of the elements
    rates: Array  # (3) rad/s of node, perigee, mean anomaly
    degree: int  # of gravity's zonal terms, 1: none
    utc: datetime
    tt: float

    @property
    def period_s(self) -> float:
        return 2.0 * math.pi / mean_motion(float(self.elements[0]), MU_M3_S2)

    def states(self, t: Array) -> tuple[Array, Array]:
        p, v = np.empty((t.size, 3)), np.empty((t.size, 3))
        for k, moment in enumerate(t.tolist()):
            ephemeris_at(self.table, moment, p[k], v[k])
        return p, v


def survey_orbit(mission: Mission, hours: float | None) -> OrbitSurvey:
    """Over ``hours``, two revolutions unless given; a path of the user's own over what it covers."""
    try:
        orbit = _orbit(mission, None if hours is None else 3600.0 * hours)
    except BadInput as bad:
        where = str(mission.source)
        raise BadInput(bad.what, where=where, value=bad.value, bound=bad.bound, way_out=bad.way_out) from None
    start = mission.file.start
    x0 = np.array([*start.position_m, *start.velocity_m_s])
    t = np.linspace(0.0, orbit.end_s, POINTS)
    exact, cw, elliptic = _drift(orbit, x0, t)
    marks = np.array([share * orbit.period_s for share in REVOLUTIONS if share * orbit.period_s <= orbit.end_s])
    p, v = orbit.states(t)
    sun = np.empty(3)
    sun_position(orbit.tt, sun)
    sun /= np.linalg.norm(sun)
    curves = _curves(mission, orbit, t, p, v, sun, (exact, cw, elliptic))
    about = {
        "name": mission.name, "kind": mission.file.orbit.kind, "epoch_utc": orbit.utc.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "hours": orbit.end_s / 3600.0, **_figures(orbit, curves, p, v, sun),
        "start": {"position_m": list(start.position_m), "velocity_m_s": list(start.velocity_m_s)},
        "gravity": f"point mass and zonal terms to J{orbit.degree}" if orbit.degree > 1 else "point mass",
        "drift": _rows(orbit, x0, marks),
    }  # fmt: skip
    return OrbitSurvey(about, curves)


def _orbit(mission: Mission, span_s: float | None) -> _Orbit:
    file = mission.file
    asked = file.orbit
    degree = 1 if isinstance(asked, KeplerOrbit) and not asked.j2 else file.environment.gravity_degree
    elements, begin = np.empty(6), reference_orbit(asked, 0.0)
    if isinstance(begin, InitialState):
        p, v = begin.p, begin.v
    else:
        p, v = np.empty(3), np.empty(3)
        ephemeris_at(begin.table, 0.0, p, v)
    elements_from_state(p, v, MU_M3_S2, elements)
    if not (elements[0] > 0.0 and elements[1] < 1.0):
        raise BadInput("orbit: no ellipse at the start", value=f"e = {elements[1]:.4f}")
    if isinstance(asked, Elements):
        elements = elements_of(asked)
    meaning = "mean" if isinstance(asked, KeplerOrbit) and degree > 1 else "osculating at the start"
    rates = np.empty(3)
    if degree > 1:
        secular_rates(elements[0], elements[1], elements[2], rates)
    else:
        kepler_rates(elements[0], rates)
    end_s = 4.0 * math.pi / mean_motion(float(elements[0]), MU_M3_S2) if span_s is None else span_s
    end_s = min(end_s, asked.known_s)
    path = reference_orbit(asked, end_s)
    if isinstance(path, InitialState):
        table = np.zeros((math.ceil(end_s / NODE_S) + 2, COLUMNS))
        table[:, 0] = NODE_S * np.arange(table.shape[0])
        integrate_orbit(p, v, degree, table)
    else:
        table = path.table
    return _Orbit(
        table, end_s, elements, meaning, rates, degree, datetime.fromisoformat(begin.epoch_utc), begin.epoch_tt
    )


def _drift(orbit: _Orbit, x0: Array, t: Array) -> tuple[Array, Array, Array]:
    """Places (n, 3) in lvlh at times ``t``, the first being 0: exact, Clohessy-Wiltshire, elliptic."""
    exact, cw, elliptic = np.empty((t.size, 6)), np.empty((t.size, 6)), np.empty((t.size, 6))
    integrate_drift(orbit.table, orbit.degree, x0[:3], x0[3:], t, exact)
    a, e, anomaly = (float(orbit.elements[k]) for k in (0, 1, 5))
    phi, n = np.empty((6, 6)), mean_motion(a, MU_M3_S2)
    for k, moment in enumerate(t.tolist()):
        clohessy_wiltshire_transition(n, moment, phi)
        cw[k] = phi @ x0
        elliptic_transition(a, e, anomaly, moment, MU_M3_S2, phi)
        elliptic[k] = phi @ x0
    return exact[:, :3], cw[:, :3], elliptic[:, :3]


def _rows(orbit: _Orbit, x0: Array, marks: Array) -> list[dict[str, Any]]:
    exact, cw, elliptic = _drift(orbit, x0, np.concatenate([[0.0], marks]))
    return [
        {
            "revolutions": share, "t_s": float(moment), "position_m": at.tolist(), "distance_m": float(np.linalg.norm(at)),
            "cw_error_m": float(np.linalg.norm(first - at)), "elliptic_error_m": float(np.linalg.norm(second - at)),
        }
        for share, moment, at, first, second in zip(REVOLUTIONS, marks, exact[1:], cw[1:], elliptic[1:], strict=False)
    ]  # fmt: skip


def _figures(orbit: _Orbit, curves: OrbitCurves, p: Array, v: Array, sun: Array) -> dict[str, Any]:
    """The orbit in the units people use."""
    degrees = np.degrees(orbit.elements[2:]) % 360.0
    names = ("inclination_deg", "node_deg", "perigee_deg", "anomaly_deg")
    normal = np.cross(p[0], v[0])
    altitude_km = 1e-3 * (np.linalg.norm(p, axis=1) - EQUATOR_M)
    once = curves.t_s <= orbit.period_s
    return {
        "elements": {
            "meaning": orbit.meaning, "semi_major_axis_km": 1e-3 * float(orbit.elements[0]),
            "eccentricity": float(orbit.elements[1]), **dict(zip(names, degrees.tolist(), strict=True)),
        },
        "period_s": orbit.period_s,
        "altitude_km": [float(altitude_km.min()), float(altitude_km.max())],
        "node_drift_deg_day": math.degrees(orbit.rates[0]) * 86400.0,
        "perigee_drift_deg_day": math.degrees(orbit.rates[1]) * 86400.0,
        "beta_deg": math.degrees(math.asin(float(normal @ sun / np.linalg.norm(normal)))),
        "eclipse_share": float(curves.eclipsed[once].mean()),
    }  # fmt: skip


def _curves(
    mission: Mission, orbit: _Orbit, t: Array, p: Array, v: Array, sun: Array, drift: tuple[Array, Array, Array]
) -> OrbitCurves:
    outwards = p[0] / np.linalg.norm(p[0])
    normal = np.cross(p[0], v[0])
    plane = np.stack([outwards, np.cross(normal / np.linalg.norm(normal), outwards)])
    towards = p @ sun
    beside = np.linalg.norm(p - towards[:, None] * sun, axis=1)
    seconds = (orbit.utc - datetime(2000, 1, 1, 12, tzinfo=UTC)).total_seconds()
    turned = np.array([_sidereal_angle((seconds + moment) / 86400.0) for moment in t.tolist()])
    longitude = np.degrees(np.arctan2(p[:, 1], p[:, 0]) - turned)
    return OrbitCurves(
        title=f"{mission.name}: {mission.file.orbit.kind} orbit", t_s=t, plane_km=1e-3 * p @ plane.T,
        longitude_deg=(longitude + 180.0) % 360.0 - 180.0,
        latitude_deg=np.degrees(np.arcsin(p[:, 2] / np.linalg.norm(p, axis=1))),
        eclipsed=(towards < 0.0) & (beside < EQUATOR_M), sun_plane=plane @ sun, earth_radius_km=1e-3 * EQUATOR_M,
        period_s=orbit.period_s, drift_s=t, exact_m=drift[0], cw_m=drift[1], elliptic_m=drift[2],
    )  # fmt: skip


def _sidereal_angle(days: float) -> float:
    """Greenwich mean sidereal time (rad) at ``days`` of UT1 since 2000-01-01T12:00."""
    rotation = 2.0 * math.pi * (0.7790572732640 + 0.00273781191135448 * days + days % 1.0)
    return rotation + math.radians((0.014506 + 4612.156534 * days / 36525.0) / 3600.0)
