"""Images out of the log of a run, with the truth that it has beside each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from proxops.applications.pose.beside import read_beside
from proxops.applications.pose.labels import ImageLabel, read_labels
from proxops.applications.pose.recorded_sight import KnownLighting, RecordedSight, with_amplitude
from proxops.applications.pose.sensor import lens_of, named_sensors, with_lens
from proxops.applications.pose.wanted import PoseOptions
from proxops.core.errors import BadInput
from proxops.core.images import CameraImage, DepthImage
from proxops.core.imaging_table import ImagingSensor
from proxops.core.mission import parse_mission
from proxops.core.mounted_table import Lensed
from proxops.core.scenery_table import ORBIT_SUFFIX
from proxops.ground.log import Log
from proxops.ground.recorded_image import RecordedImage, demand_sensor, recorded_images

UNTOLD: Final = "a log does not tell what shines (pose.toml does): taken as a Sun behind the camera"


class LoggedImages:
    """``RecordedImages``; a start without a file's name is the first image's, others go by the image's number."""

    timed = True

    def __init__(self, path: Path, options: PoseOptions) -> None:
        self._path, self.complaints, self.notes, self.unread = path, list[str](), list[str](), 0
        log = Log.open(path)
        if not log.sensors:
            raise BadInput("the log has no images", where=str(path))
        if not options.sensor and len(log.sensors) > 1:
            raise BadInput(
                "has several sensors", where=str(path), bound=", ".join(log.sensors), way_out="--sensor NAME"
            )
        self._name = options.sensor or log.sensors[0]
        demand_sensor(self._name, log.sensors, path)
        first = next(recorded_images(path, self._name), None)
        if first is None:
            raise BadInput("no images", where=str(path), value=self._name)
        self.sensor = _sensor(log, self._name, first, options)
        self.count = sum(1 for _ in recorded_images(path, self._name))
        self._starts = {one.number: one for one in read_labels(options.start)} if options.start else {}
        if options.start:
            self.notes.append(f"searches begin at the poses of {options.start.name}: errors are what is left of these")
        beside = read_beside(path.parent)
        self.range_m = beside.range_m
        self._surroundings = KnownLighting(self.sensor, beside, {})

    def __iter__(self) -> Iterator[RecordedSight]:
        size = self.sensor.size if isinstance(self.sensor, Lensed) else None
        for place, recorded in enumerate(recorded_images(self._path, self._name)):
            try:
                image, _ = with_amplitude(recorded.image)
            except BadInput as reason:
                self.unread += 1
                self.complaints.append(str(reason))
                continue
            _demand_size(image, size, str(self._path))
            lights, earth = self._surroundings.lights(ImageLabel(""))
            if self._surroundings.assumed and UNTOLD not in self.notes:
                self.notes.append(UNTOLD)
            start = self._starts.get(image.number) or (self._starts.get(None) if place == 0 else None)
            yield RecordedSight(
                f"{self._name} {image.number}", replace(image, sensor=self.sensor.name), recorded.T_sensor_target,
                start.as_start if start else None, lights, earth,
            )  # fmt: skip


def _sensor(log: Log, name: str, first: RecordedImage, options: PoseOptions) -> ImagingSensor:
    """As --camera says, or the scenario in the log; with the lens that was recorded."""
    known = named_sensors(options.camera) if options.camera else ()
    if not known and "scenario_file" in log.metadata and log.metadata.get("mission") == "true":
        known = parse_mission(log.metadata["scenario_file"], log.path).file.imaging
    lens = lens_of(first.lens, log.path) if first.lens else None
    for sensor in known:
        if sensor.name in (name, name.removesuffix(ORBIT_SUFFIX)):
            return sensor.looking_through(lens) if lens and isinstance(sensor, Lensed) else sensor
    if len(known) == 1:
        return known[0]
    image = first.image
    kind = "camera" if isinstance(image, CameraImage) else "tof" if isinstance(image, DepthImage) else "lidar"
    if lens is None and kind != "lidar":
        raise BadInput(
            "the log does not tell the lens", where=str(log.path), way_out="--camera FILE with a [[sensor]] table"
        )
    return with_lens(kind, name, lens)


def _demand_size(image: object, size: tuple[int, int] | None, where: str) -> None:
    pixels = (
        image.pixels if isinstance(image, CameraImage) else image.range_m if isinstance(image, DepthImage) else None
    )
    if pixels is not None and size and pixels.shape != (size[1], size[0]):
        raise BadInput(
            "does not fit the lens", where=where, value=f"{pixels.shape[1]} x {pixels.shape[0]}", bound=f"{size[0]} x {size[1]}"
        )  # fmt: skip
