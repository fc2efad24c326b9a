"""What light falls on a scene, as one array for kernels. Band: 400 to 1000 nm, what a silicon camera without a filter sees.

Every light is a disc of some size, so shadows have soft edges. Units: W/m² and W/sr in the band; the frame is the scene's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

SUN_BAND_W_M2: Final = 950.0  # of the 1361 W/m² at 1 au, those between 400 and 1000 nm (70 %: ASTM E490)
LUMENS_PER_WATT: Final = 140.0  # of daylight in the band: 133 klx at 1 au without air
SUN_RADIUS_RAD: Final = 4.65e-3
DISTANT, NEAR, AROUND = range(3)
COLUMNS: Final = 10


@dataclass(frozen=True)
class DistantLight:
    """The Sun: ``direction`` towards it, irradiance across its rays, angular radius of its disc."""

    direction: tuple[float, float, float]
    irradiance: float  # W/m²
    radius_rad: float = SUN_RADIUS_RAD


@dataclass(frozen=True)
class NearLight:
    """A lamp at ``place`` with its beam along ``direction``: ``intensity`` on the axis (W/sr), falling off as
    exp(-ln 2 (angle / half_angle)²), so that at ``half_angle`` half of it is left; a disc of ``radius_m``."""

    place: tuple[float, float, float]
    direction: tuple[float, float, float]
    intensity: float  # W/sr
    half_angle_rad: float = math.pi
    radius_m: float = 0.0


@dataclass(frozen=True)
class SurroundingLight:
    """From a half space, without shadows: a surface whose normal has the angle a to ``direction`` gets
    ``irradiance`` (1 + cos a) / 2. The Earth's light, or a hall's stray light."""

    direction: tuple[float, float, float]
    irradiance: float  # W/m²


Light = DistantLight | NearLight | SurroundingLight


def light_rows(lights: tuple[Light, ...]) -> NDArray[np.float64]:
    """(L, COLUMNS): kind; place; direction (of length one); strength; half angle of the beam; radius (rad or m)."""
    rows = np.zeros((len(lights), COLUMNS))
    for row, light in zip(rows, lights, strict=True):
        direction = np.array(light.direction) / np.linalg.norm(light.direction)
        row[4:7] = direction
        if isinstance(light, DistantLight):
            row[0], row[7], row[9] = DISTANT, light.irradiance, light.radius_rad
        elif isinstance(light, NearLight):
            row[0], row[1:4], row[7:10] = NEAR, light.place, (light.intensity, light.half_angle_rad, light.radius_m)
        else:
            row[0], row[7] = AROUND, light.irradiance
    return rows
