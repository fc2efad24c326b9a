"""The light catalogue: conditions by name, each a range of places for Sun and Earth about the line of sight."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from proxops.core.earth import EQUATOR_M
from proxops.core.errors import BadInput
from proxops.optics.scene.light import SUN_RADIUS_RAD
from proxops.space.sunlight import visible_share

Floats = NDArray[np.float64]
ORBIT_M: Final = 6.928e6  # of the Earth's centre: 550 km up
EARTH_RAD: Final = math.asin(EQUATOR_M / ORBIT_M)  # radius of its disc
LIGHT_BY: Final = 0.02  # to which the share of the Sun in view is as asked


@dataclass(frozen=True)
class LightCondition:
    """``phase_deg``: from the target, between the ways to the Sun and to the sensor; 0 is full light, 180 back light. ``earth``:
    where it stands as seen by the sensor, if the Sun is in full view; else it stands before the Sun. ``exposures``: times the
    one that a fixed or automatic exposure would take."""

    phase_deg: tuple[float, float]
    sunlit: float = 1.0
    earth: Literal["aside", "behind", "front"] = "aside"  # behind the target, or behind the sensor
    exposures: float = 1.0
    lamp_w_sr: float = 0.0  # of the chaser's lamp


CATALOGUE: Final[dict[str, LightCondition]] = {
    "front": LightCondition((0.0, 15.0)),
    "usual": LightCondition((15.0, 70.0)),
    "grazing": LightCondition((70.0, 110.0)),
    "back": LightCondition((110.0, 160.0)),
    "earth_behind": LightCondition((15.0, 70.0), earth="behind"),
    "earthshine": LightCondition((130.0, 170.0), earth="front"),
    "penumbra": LightCondition((15.0, 70.0), sunlit=0.05),
    "over_exposed": LightCondition((15.0, 70.0), exposures=8.0),
    "eclipse": LightCondition((15.0, 70.0), sunlit=0.0),
    "lamp": LightCondition((15.0, 70.0), sunlit=0.0, lamp_w_sr=100.0),
}


def conditions(names: str) -> dict[str, LightCondition]:
    """Of a list with commas; all unless something is said."""
    wanted = [name.strip() for name in names.split(",") if name.strip()] or list(CATALOGUE)
    unknown = [name for name in wanted if name not in CATALOGUE]
    if unknown:
        raise BadInput("no such light", value=unknown[0], bound=", ".join(CATALOGUE))
    return {name: CATALOGUE[name] for name in wanted}


def sun_and_earth(light: LightCondition, to_sensor: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Unit vectors from the target to the Sun and to the Earth's centre, in the axes of ``to_sensor``."""
    low, high = np.cos(np.radians(light.phase_deg))
    while True:
        sun = about(to_sensor, math.acos(rng.uniform(high, low)), rng)
        earth = _earth(light, to_sensor, sun, rng)
        apart = math.acos(min(max(float(sun @ earth), -1.0), 1.0))
        if abs(visible_share(SUN_RADIUS_RAD, EARTH_RAD, apart) - light.sunlit) < LIGHT_BY:
            return sun, earth


def _earth(light: LightCondition, to_sensor: Floats, sun: Floats, rng: np.random.Generator) -> Floats:
    if light.sunlit <= 0.0:
        return about(sun, (EARTH_RAD - SUN_RADIUS_RAD) * math.sqrt(rng.random()), rng)
    if light.sunlit < 1.0:
        return about(sun, EARTH_RAD + SUN_RADIUS_RAD * rng.uniform(-1.0, 1.0), rng)
    if light.earth == "behind":
        return about(-to_sensor, math.radians(40.0) * rng.random(), rng)
    if light.earth == "front":
        return about(to_sensor, math.radians(40.0) * rng.random(), rng)
    return about(to_sensor, math.radians(rng.uniform(80.0, 100.0)), rng)


def about(axis: Floats, angle: float, rng: np.random.Generator) -> Floats:
    """A unit vector so far from ``axis``, anywhere round it."""
    across = np.cross(axis, [1.0, 0.0, 0.0] if abs(axis[0]) < 0.7 else [0.0, 1.0, 0.0])
    across /= np.linalg.norm(across)
    phi = 2.0 * math.pi * rng.random()
    side = math.cos(phi) * across + math.sin(phi) * np.cross(axis, across)
    return np.asarray(math.cos(angle) * axis + math.sin(angle) * side)
