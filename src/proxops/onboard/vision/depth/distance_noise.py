"""What is known on board of a sensor's errors: from its table, or for one that a user brings, assumed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from proxops.core.imaging_table import ImagingSensor, LidarSensor, TofSensor

INTENSITY_OF_WHITE: Final = 10_000.0  # of a depth image: a white wall at 1 m
LIGHT_M_S: Final = 299_792_458.0
OWN_MODULATION_MHZ: Final = 15.0  # of a camera that a user brings: ASSUMED, as the rest of its figures


@dataclass(frozen=True)
class DistanceNoise:
    """One standard deviation, m and rad. ``per_amplitude_m``: of a range at the amplitude of white at 1 m, and as one over it
    elsewhere; ``wave_m``: amplitude of what the light's harmonics leave; ``wrap_m``: where ranges begin anew, inf: nowhere."""

    floor_m: float
    angle_rad: float
    per_amplitude_m: float = 0.0
    wave_m: float = 0.0
    wrap_m: float = math.inf
    stray_share: float = 0.0  # of the picture's mean light that is in every pixel
    spot_rad: float = 0.0  # half of what a pixel sees
    least_signal: float = 0.0  # of white at 1 m, that is measured at all
    least_m: float = 0.0  # nearer, nothing is measured


def noise_of(sensor: ImagingSensor) -> DistanceNoise:
    if isinstance(sensor, LidarSensor):
        angle = math.radians(sensor.angle_noise_deg)
        return DistanceNoise(
            max(sensor.noise_m, 1e-4), angle, least_signal=1.0 / sensor.range_m**2, least_m=sensor.least_range_m
        )
    if isinstance(sensor, TofSensor):
        wrap = math.inf if sensor.unwrapped else wrap_of(sensor.modulation_mhz)
        return DistanceNoise(
            max(sensor.floor_m, 1e-4), 0.0, sensor.noise_m, sensor.wiggle_m, wrap, sensor.multipath_share,
            0.5 / sensor.lens.fx, sensor.least_intensity,
        )  # fmt: skip
    if sensor.gives == "tof":
        wrap, spot = wrap_of(OWN_MODULATION_MHZ), 0.5 / sensor.lens.fx
        return DistanceNoise(0.002, 0.0, 0.001, 0.01, wrap, 0.0, spot, 0.003)
    return DistanceNoise(0.02, math.radians(0.01), least_signal=1.0 / 300.0**2)


def wrap_of(modulation_mhz: float) -> float:
    return LIGHT_M_S / (2e6 * modulation_mhz)
