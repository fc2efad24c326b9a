"""What is told of each image of a data set, and of the set."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any, Final

import numpy as np

import proxops
from proxops.applications.mission.dataset.lights import conditions
from proxops.applications.mission.dataset.poses import PosedView
from proxops.applications.mission.dataset.wanted import DatasetOptions
from proxops.core.imaging_table import LidarSensor, RenderedSensor
from proxops.core.mission import Mission
from proxops.maths.rotation import matrix_from_quat
from proxops.sensors.mount import T_craft_sensor

POSE: Final = ("x", "y", "z", "qw", "qx", "qy", "qz")
COLUMNS: Final = (
    "file", "sensor", "number", "split", "light", "range_m", "exposure_s", "gain_db",
    *(f"sensor_target_{c}" for c in POSE), *(f"to_sun_{c}" for c in "xyz"), "sunlit", *(f"to_earth_{c}" for c in "xyz"),
)  # fmt: skip


def label(
    spec: RenderedSensor, sample: PosedView, split: str, file: str, number: int, T: Any, image: Any
) -> list[object]:
    """A row of ``labels.csv``; ``T``: T_sensor_target (7)."""
    orbit = sample.moment.orbit
    assert orbit is not None
    R_eci_chaser = matrix_from_quat(orbit.q_eci_target) @ matrix_from_quat(orbit.T_target_chaser[3:])
    R_sensor_eci = (R_eci_chaser @ T_craft_sensor(spec)[:3, :3]).T
    sun, down = R_sensor_eci @ orbit.to_sun, R_sensor_eci @ -orbit.p_eci_target / np.linalg.norm(orbit.p_eci_target)
    numbers = [float(np.linalg.norm(T[:3])), getattr(image, "exposure_s", ""), getattr(image, "gain_db", "")]
    return [
        file, spec.name, number, split, sample.light, *numbers, *T.tolist(), *sun.tolist(), orbit.sunlit, *down.tolist()
    ]  # fmt: skip


def about_set(
    mission: Mission, sensors: tuple[RenderedSensor, ...], options: DatasetOptions, images: int
) -> dict[str, Any]:
    """What ``dataset.json`` says."""
    used = conditions(options.lights) if options.poses == "drawn" else {}
    about: dict[str, Any] = {
        "proxops_version": proxops.__version__, "scenario": mission.name, "images": images, **asdict(options),
        "lights_used": {name: asdict(light) for name, light in used.items()},
        "sensors": [
            {
                **sensor.model_dump(mode="json"),
                "lens": None if isinstance(sensor, LidarSensor) else asdict(sensor.lens),
                "T_chaser_sensor": T_craft_sensor(sensor).tolist(),
            }
            for sensor in sensors
        ],
    }  # fmt: skip
    return dict(json.loads(json.dumps(about)))  # as the file has it
