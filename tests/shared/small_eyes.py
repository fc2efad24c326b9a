"""Small sensors that look at two craft, and what there is to be seen."""

from __future__ import annotations

import numpy as np

from proxops.core.imaging_table import CameraSensor, ImagingSensor, LidarSensor, TofSensor
from proxops.sensors.moment import HallMoment, Moment, OrbitMoment, PictureOrder, fixed_exposure_s

AXES = np.array([9.0, *[0.0, -np.pi / 2, np.pi / 2, 0.0, 0.5, 0.0] * 2])
SUN = np.array([0.8, 0.36, 0.48])
FLIGHT = """
kind = "mission"
like = "approach"
name = "short"
about = "some seconds"
duration_s = 3.0
plan = [{ kind = "hold", duration_s = 60.0 }]
[start]
position_m = [-6.0, 0.0, 0.0]
"""
EYES = """
[[sensor]]
kind = "camera"
name = "eye"
width = 96
height = 72
pixel_um = 49.5
focal_mm = 7.5
rate_hz = 4.0
log_hz = 4.0
delay_ms = 150.0
[[sensor]]
kind = "lidar"
name = "scan"
lines = 10
points = 10
rate_hz = 1.0
log_hz = 1.0
[scenery]
see = "orbit"
"""


def small_sensors() -> tuple[ImagingSensor, ...]:
    small = {
        "width": 96,
        "height": 72,
        "pixel_um": 49.5,
        "focal_mm": 7.5,
        "blur_px": 0.0,
        "exposure_ms": 0.3,
        "dead_share": 0.0,
    }
    return (
        CameraSensor.model_validate({"kind": "camera", "name": "eye", "rate_hz": 5.0, **small}),
        TofSensor(kind="tof", name="depth", width=24, height=24),
        LidarSensor(kind="lidar", name="scan", lines=12, points=12, rate_hz=5.0),
    )


def moment(t: float = 0.0, range_m: float = 4.0, turn_rad: float = 0.0) -> Moment:
    """The chaser on the docking axis of a target that has turned about its x axis."""
    T_target_chaser = np.array([range_m, 0.1, -0.05, np.cos(0.5 * turn_rad), np.sin(0.5 * turn_rad), 0.0, 0.0])
    q = np.array([1.0, 0.0, 0.0, 0.0])
    orbit = OrbitMoment(T_target_chaser, q, np.array([0.0, -6.9e6, 0.0]), SUN, 1.0, 0.3)
    return Moment(t, orbit, HallMoment(T_target_chaser, AXES))


def order(index: int, number: int = 0, *moments: Moment) -> PictureOrder:
    spec = small_sensors()[index]
    return PictureOrder(index, number, 0.0, fixed_exposure_s(spec) or 3e-5, 0.0, moments or (moment(),))


def image_bytes(image: object) -> bytes:
    """All arrays of an image."""
    return b"".join(value.tobytes() for value in vars(image).values() if isinstance(value, np.ndarray))
