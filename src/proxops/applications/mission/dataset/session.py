"""``proxops dataset``: images with labels, for training and testing. The same seed gives the same files, bit for bit."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from proxops.applications.mission.dataset.exposing import take
from proxops.applications.mission.dataset.flight import moments_of
from proxops.applications.mission.dataset.labels import COLUMNS, about_set, label
from proxops.applications.mission.dataset.lights import CATALOGUE, LightCondition, conditions
from proxops.applications.mission.dataset.poses import drawn, flown, narrowest
from proxops.applications.mission.dataset.wanted import DatasetOptions, demand
from proxops.core.errors import BadInput
from proxops.core.imaging_table import RenderedSensor, rendered
from proxops.core.mission import Mission
from proxops.core.scenery_table import Scenery
from proxops.facility.loop import Progress, no_progress
from proxops.ground.image_export import image_files
from proxops.sensors.image_generator import ImageGenerator


def dataset_session(
    mission: Mission, folder: Path, options: DatasetOptions, progress: Progress = no_progress
) -> dict[str, Any]:
    """Write the data set of a mission's imaging sensors into an empty folder; what was written."""
    sensors = tuple(one for one in rendered(mission.file.imaging) if one.on == "chaser")
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
    about = about_set(mission, sensors, options, len(rows))
    (folder / "dataset.json").write_text(json.dumps(about, indent=2) + "\n")
    return about


def _rows(
    mission: Mission, sensors: tuple[RenderedSensor, ...], folder: Path, options: DatasetOptions, progress: Progress
) -> Iterator[list[object]]:  # fmt: skip
    """One for each image, once its file is written."""
    lights = conditions(options.lights)
    flight = flown(moments_of(mission, options.seed), options.count) if options.poses == "flown" else []
    if flight and len(flight) < options.count:
        raise BadInput("the flight is too short for so many", value=options.count, bound=f"{len(flight)}, one a second")
    count, names = (len(flight) or options.count), list(lights)
    generators = {
        light.lamp_w_sr: _generator(mission, sensors, light, options.seed)
        for light in (*lights.values(), CATALOGUE["usual"])
    }
    for number in range(count):
        progress("dataset", number, count)
        rng = np.random.default_rng((options.seed, number))
        split, name = _split(options, rng), names[number % len(names)]
        light = CATALOGUE["usual"] if flight else lights[name]
        sample = flight[number] if flight else drawn(narrowest(sensors), name, light, options.between_m, rng)
        for index, spec in enumerate(sensors):
            image, T_sensor_target = take(generators[light.lamp_w_sr], spec, index, number, sample, light.exposures)
            files = list(image_files(image, f"{spec.name}_{number:06d}"))
            (folder / split).mkdir(exist_ok=True)
            for file, data in files:
                (folder / split / file).write_bytes(data)
            yield label(spec, sample, split, f"{split}/{files[0][0]}", number, T_sensor_target, image)
    progress("dataset", count, count)


def _generator(
    mission: Mission, sensors: tuple[RenderedSensor, ...], light: LightCondition, seed: int
) -> ImageGenerator:
    """Into orbit, with the chaser's lamp as this light has it."""
    scenery: Scenery = mission.file.scenery
    if light.lamp_w_sr:
        scenery = scenery.model_copy(
            update={"illuminator": scenery.illuminator.model_copy(update={"intensity_w_sr": light.lamp_w_sr})}
        )
    return ImageGenerator(sensors, (False,) * len(sensors), scenery, seed, None)


def _split(options: DatasetOptions, rng: np.random.Generator) -> str:
    shares = np.cumsum([share for _, share in options.splits])
    return options.splits[min(int(np.searchsorted(shares, rng.random() * shares[-1])), len(shares) - 1)][0]
