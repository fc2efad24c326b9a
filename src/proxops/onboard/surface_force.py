"""Air and sunlight on the client, as far as they are known on board: nominal areas and a short model of the air and the Sun.

They push at the client's centre of pressure and so turn it, for the whole approach to nearly the same side: what a filter does
not know of is a bias of its rate. Truth has models of its own (``space``): here the air is a table of 100 km steps and the Sun
stands where the Astronomical Almanac's short formula puts it (0.01 deg). Both are within some percent of the truth's, which
counts for less than the mass centre: 5 mm off in a lever of 0.1 m.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np

from proxops.core.earth import EQUATOR_M, FLATTENING, SUNLIGHT_N_M2, TURN_RATE
from proxops.core.flight import Floats
from proxops.core.mission import MissionFile
from proxops.core.orbit_table import Orbit

# Altitude km, density kg/m^3 at night and in the middle of the day's bulge. Harris & Priester: Montenbruck & Gill, Satellite
# Orbits, table 3.5, every 100 km. Exponential: Vallado, Fundamentals of Astrodynamics and Applications, table 8-4.
AIR: Final[Mapping[str, Floats]] = {
    "harris_priester": np.array([
        (100, 4.974e-7, 4.974e-7), (200, 2.557e-10, 3.162e-10), (300, 1.708e-11, 3.526e-11), (400, 2.249e-12, 7.492e-12),
        (500, 3.916e-13, 2.042e-12), (600, 8.070e-14, 6.390e-13), (700, 2.043e-14, 2.185e-13), (800, 7.069e-15, 8.059e-14),
        (1000, 1.150e-15, 1.810e-14),
    ]),
    "exponential": np.array([
        (100, 5.297e-7, 5.297e-7), (200, 2.789e-10, 2.789e-10), (300, 2.418e-11, 2.418e-11), (400, 3.725e-12, 3.725e-12),
        (500, 6.967e-13, 6.967e-13), (600, 1.454e-13, 1.454e-13), (700, 3.614e-14, 3.614e-14), (800, 1.170e-14, 1.170e-14),
        (1000, 3.019e-15, 3.019e-15),
    ]),
}  # fmt: skip
BULGE_LAG: Final = math.radians(30.0)  # the bulge follows the Sun
J2000: Final = datetime(2000, 1, 1, 12, tzinfo=UTC)


@dataclass(frozen=True)
class SurfaceForce:
    """It attacks at ``place``; ``at`` tells how strong it is."""

    drag_m2: float  # area times coefficient
    sunlit_m2: float  # area times reflectivity
    air: Floats | None  # rows of ``AIR``; None: there is none
    sun: Floats  # (3) its direction in eci: over a mission it stands still
    place: Floats  # (3) m: centre of pressure in the client's frame

    def at(self, p: Floats, v: Floats) -> Floats:
        """(3) N in eci axes on a craft at ``p`` with ``v`` (eci)."""
        force = np.zeros(3)
        if self.air is not None:
            wind = v - TURN_RATE * np.array([-p[1], p[0], 0.0])
            force -= 0.5 * density(self.air, p, self.sun) * self.drag_m2 * float(np.linalg.norm(wind)) * wind
        if not in_shadow(p, self.sun):
            force -= SUNLIGHT_N_M2 * self.sunlit_m2 * self.sun
        return force


def density(air: Floats, p: Floats, sun: Floats) -> float:
    """kg/m^3 at ``p`` (m, eci): exponential between the rows, and beyond them."""
    radius = float(np.linalg.norm(p))
    km = 1e-3 * (radius - EQUATOR_M * (1.0 - FLATTENING * (p[2] / radius) ** 2))
    k = int(np.clip(np.searchsorted(air[:, 0], km) - 1, 0, len(air) - 2))
    share = (km - air[k, 0]) / (air[k + 1, 0] - air[k, 0])
    night, day = np.exp((1.0 - share) * np.log(air[k, 1:]) + share * np.log(air[k + 1, 1:])).tolist()
    c, s = math.cos(BULGE_LAG), math.sin(BULGE_LAG)
    apex = np.array([c * sun[0] - s * sun[1], s * sun[0] + c * sun[1], sun[2]])
    bulge = 0.5 * (1.0 + float(apex @ p) / radius)
    return float(night + (day - night) * bulge * bulge)


def in_shadow(p: Floats, sun: Floats) -> bool:
    """Behind the Earth, in a cylinder of its width."""
    along = float(p @ sun)
    return along < 0.0 and float(p @ p) - along * along < EQUATOR_M**2


def sun_direction(moment: datetime) -> Floats:
    """(3) in the equator of date; Astronomical Almanac, section C, low precision."""
    days = (moment - J2000) / timedelta(days=1)
    anomaly, obliquity = math.radians(357.528 + 0.9856003 * days), math.radians(23.439 - 4e-7 * days)
    longitude = math.radians(280.460 + 0.9856474 * days + 1.915 * math.sin(anomaly) + 0.020 * math.sin(2.0 * anomaly))
    x, y = math.cos(longitude), math.sin(longitude)
    return np.array([x, math.cos(obliquity) * y, math.sin(obliquity) * y])


def begin_of(orbit: Orbit) -> datetime:
    """When the mission begins; of a two-line set without a time of its own: its epoch."""
    if orbit.kind == "tle" and orbit.epoch is None:
        year, day = int(orbit.line1[18:20]), float(orbit.line1[20:32])
        return datetime(year + (1900 if year >= 57 else 2000), 1, 1, tzinfo=UTC) + timedelta(days=day - 1.0)
    return datetime.fromisoformat(str(orbit.epoch))


def surface_force_of(file: MissionFile) -> SurfaceForce | None:
    """Of a mission's client, nominal; None where it does not turn it."""
    body, environment = file.target, file.environment
    if body.pressure_centre_m is None:
        return None
    sunlit_m2 = body.sunlit_area_m2 * body.reflectivity if environment.radiation_pressure else 0.0
    return SurfaceForce(
        body.drag_area_m2 * body.drag_coefficient, sunlit_m2, AIR.get(environment.atmosphere),
        sun_direction(begin_of(file.orbit)), np.array(body.pressure_centre_m),
    )  # fmt: skip
