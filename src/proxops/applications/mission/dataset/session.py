"""``proxops dataset``: images with labels, for training and testing. The same seed gives the same files, bit for bit."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

import proxops
from proxops.applications.mission.dataset.exposing import take
from proxops.applications.mission.dataset.flight import moments_of
from proxops.applications.mission.dataset.lights import CATALOGUE, LightCondition, conditions
from proxops.applications.mission.dataset.poses import Sample, drawn, flown
from proxops.applications.mission.dataset.wanted import DatasetOptions, demand
from proxops.core.errors import BadInput
from proxops.core.imaging_table import ImagingSensor, LidarSensor
from proxops.core.mission import Mission
from proxops.core.scenery_table import Scenery
from proxops.facility.loop import Progress, no_progress
from proxops.ground.image_export import image_files
from proxops.maths.rotation import matrix_from_quat
from proxops.sensors.image_generator import ImageGenerator
from proxops.sensors.mount import T_craft_sensor

POSE: Final = ("x", "y", "z", "qw", "qx", "qy", "qz")
COLUMNS: Final = (
    "file", "sensor", "number", "split", "light", "range_m", "exposure_s", "gain_db",
    *(f"sensor_target_{c}" for c in POSE), *(f"to_sun_{c}" for c in "xyz"), "sunlit", *(f"to_earth_{c}" for c in "xyz"),
)  # fmt: skip


def dataset_session(
    mission: Mission, folder: Path, options: DatasetOptions, progress: Progress = no_progress
) -> dict[str, Any]:
    """Write the data set of a mission's imaging sensors into an empty folder; what was written."""
    sensors = tuple(one for one in mission.file.imaging if one.on == "chaser")
    if not sensors:
        raise BadInput(
            "no sensor that takes pictures", where=str(mission.source),
            way_out='add a [[sensor]] with kind = "camera" on the chaser',
        )  # fmt: skip
    demand(options, folder)
    folder.mkdir(parents=True, exist_ok=True)
    rows = list(_rows(mission, sensors, folder, options, progress))
    with (folder / "labels.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    about = _about(mission, sensors, options, len(rows))
    (folder / "dataset.json").write_text(json.dumps(about, indent=2) + "\n")
    return about


def _rows(
    mission: Mission, sensors: tuple[ImagingSensor, ...], folder: Path, options: DatasetOptions, progress: Progress
) -> Iterator[list[object]]:  # fmt: skip
    """One for each image, once its file is written."""
    lights = conditions(options.lights)
    flight = flown(moments_of(mission, options.seed), options.count) if options.poses == "flown" else []
    count, names = (len(flight) or options.count), list(lights)
    generators = {
        light.lamp_w_sr: _generator(mission, sensors, light, options.seed)
        for light in (*lights.values(), CATALOGUE["usual"])
    }
    for number in range(count):
        progress("dataset", number, count)
        rng = np.random.default_rng((options.seed, number))
        split, name = _split(options, rng), names[number % len(names)]
        for index, spec in enumerate(sensors):
            light = CATALOGUE["usual"] if flight else lights[name]
            sample = flight[number] if flight else drawn(spec, name, light, options.between_m, rng)
            image, T_sensor_target = take(generators[light.lamp_w_sr], spec, index, number, sample, light.exposures)
            files = list(image_files(image, f"{spec.name}_{number:06d}"))
            (folder / split).mkdir(exist_ok=True)
            for file, data in files:
                (folder / split / file).write_bytes(data)
            yield _row(spec, sample, split, f"{split}/{files[0][0]}", number, T_sensor_target, image)
    progress("dataset", count, count)


def _generator(
    mission: Mission, sensors: tuple[ImagingSensor, ...], light: LightCondition, seed: int
) -> ImageGenerator:
    """Into orbit, with the chaser's lamp as this light has it."""
    scenery: Scenery = mission.file.scenery
    if light.lamp_w_sr:
        scenery = scenery.model_copy(
            update={"illuminator": scenery.illuminator.model_copy(update={"intensity_w_sr": light.lamp_w_sr})}
        )
    return ImageGenerator(sensors, (False,) * len(sensors), scenery, seed, None)


def _row(spec: ImagingSensor, sample: Sample, split: str, file: str, number: int, T: Any, image: Any) -> list[object]:
    orbit = sample.moment.orbit
    assert orbit is not None
    R_eci_chaser = matrix_from_quat(orbit.q_eci_target) @ matrix_from_quat(orbit.T_target_chaser[3:])
    R_sensor_eci = (R_eci_chaser @ T_craft_sensor(spec)[:3, :3]).T
    sun, down = R_sensor_eci @ orbit.to_sun, R_sensor_eci @ -orbit.p_eci_target / np.linalg.norm(orbit.p_eci_target)
    numbers = [float(np.linalg.norm(T[:3])), getattr(image, "exposure_s", ""), getattr(image, "gain_db", "")]
    return [
        file, spec.name, number, split, sample.light, *numbers, *T.tolist(), *sun.tolist(), orbit.sunlit, *down.tolist()
    ]  # fmt: skip


def _split(options: DatasetOptions, rng: np.random.Generator) -> str:
    shares = np.cumsum([share for _, share in options.splits])
    return options.splits[min(int(np.searchsorted(shares, rng.random() * shares[-1])), len(shares) - 1)][0]


def _about(
    mission: Mission, sensors: tuple[ImagingSensor, ...], options: DatasetOptions, images: int
) -> dict[str, Any]:
    about: dict[str, Any] = {
        "proxops_version": proxops.__version__, "scenario": mission.name, "images": images, **asdict(options),
        "lights_used": {name: asdict(light) for name, light in conditions(options.lights).items()},
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
