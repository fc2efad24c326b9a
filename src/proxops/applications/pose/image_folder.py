"""A folder of recorded images: a data set or an export of ours, or pictures by their names, with labels or without."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from os.path import isfile
from pathlib import Path
from typing import Final

from proxops.applications.pose.beside import read_beside
from proxops.applications.pose.image_list import LABELS, SUFFIXES, image_files_in, listed_as, white_of
from proxops.applications.pose.labels import ImageLabel, read_labels
from proxops.applications.pose.recorded_sight import KnownLighting, RecordedSight, with_amplitude
from proxops.applications.pose.sensor import ABOUT, calibrated, named_sensors, read_about, sensors_beside
from proxops.applications.pose.wanted import PoseOptions
from proxops.core.errors import BadInput
from proxops.core.image_listing import ListedImage
from proxops.core.images import CameraImage, DepthImage
from proxops.core.imaging_table import ImagingSensor, LidarSensor
from proxops.core.vision import PosePrediction
from proxops.sensors.listed_image import read_listed

MOST_TOLD: Final = 50


class FolderOfImages:
    """``RecordedImages``. Files are read when they are asked for."""

    def __init__(self, folder: Path, options: PoseOptions) -> None:
        if not folder.is_dir():
            raise BadInput("no such folder", where=str(folder))
        self._folder, self.complaints, self.notes, self.unread = folder, list[str](), list[str](), 0
        self._beside = read_beside(folder)
        self.range_m = self._beside.range_m
        labels = self._labels(options.labels)
        self.sensor, self._listed = self._sensor_and_list(labels, options)
        self.count, first = len(self._listed), self._listed[0]
        self.timed = first.t is not None or not (folder / ABOUT).is_file()
        if self.timed and first.t is None:
            self.notes.append(f"images have no times: taken as {self._rate_hz:g} a second (pose.toml: rate_hz)")
        if not self.timed:
            self.notes.append("images of a data set do not follow one another: each is searched alone")
        self._starts = {Path(one.file).name: one for one in read_labels(options.start)} if options.start else {}
        if options.start:
            self.notes.append(f"searches begin at the poses of {options.start.name}: errors are what is left of these")
        self._surroundings = KnownLighting(self.sensor, self._beside, _lamps(folder))

    def __iter__(self) -> Iterator[RecordedSight]:
        size = None if isinstance(self.sensor, LidarSensor) else self.sensor.size
        for place, label in enumerate(self._listed):
            listed = self._complete(label, place)
            try:
                image, assumed = with_amplitude(read_listed(self._folder, listed, size))
            except BadInput as reason:
                self.unread += 1
                self._tell(str(reason))
                continue
            if assumed:
                self._note("depth images have no amplitude: taken as that of white surfaces")
            lights, earth = self._surroundings.lights(label)
            if self._surroundings.assumed:
                self._note("what shines is not told of every image: taken as a Sun behind the camera")
            yield RecordedSight(
                readable(label.file), image, label.truth, self._expected(label, place), lights, earth, label.light
            )  # fmt: skip

    @property
    def _rate_hz(self) -> float:
        return self._beside.rate_hz or self.sensor.rate_hz

    def _labels(self, given: Path | None) -> list[ImageLabel]:
        path = given or next((self._folder / name for name in LABELS if (self._folder / name).is_file()), None)
        if path is None:
            return []
        found = read_labels(path)
        there = [one for one in (self._placed(label, path.parent) for label in found) if one is not None]
        if not there:
            raise BadInput(
                "labels without a match: no file that they name is there", where=str(path), value=found[0].file,
                way_out=f"files are named as seen from {self._folder}",
            )  # fmt: skip
        if len(there) < len(found):
            self.unread += len(found) - len(there)
            self._tell(f"{path.name}: {len(found) - len(there)} of {len(found)} images that it names are not there")
        return there

    def _placed(self, label: ImageLabel, beside: Path) -> ImageLabel | None:
        """With its file as seen from the folder."""
        for path in (self._folder / label.file, beside / label.file, self._folder / "images" / label.file):
            if label.file and isfile(path):  # also of a name that no file can have
                return replace(
                    label,
                    file=str(path.relative_to(self._folder) if path.is_relative_to(self._folder) else path.resolve()),
                )
        return None

    def _sensor_and_list(
        self, labels: list[ImageLabel], options: PoseOptions
    ) -> tuple[ImagingSensor, list[ImageLabel]]:
        kinds = {one.sensor: one.kind for one in labels if one.kind}
        known = named_sensors(options.camera) if options.camera else sensors_beside(self._folder, kinds)
        names = list(dict.fromkeys(one.sensor for one in labels if one.sensor))
        wanted = options.sensor or (known[0].name if len(known) == 1 and known[0].name in names else "")
        if len(names) > 1 and not wanted:
            raise BadInput(
                "has several sensors", where=str(self._folder), bound=", ".join(names), way_out="--sensor NAME"
            )
        if names and wanted and wanted not in names and options.sensor:
            raise BadInput("--sensor: no images of it", value=wanted, bound=", ".join(names))
        mine = [one for one in labels if not names or not wanted or one.sensor == wanted]
        sensor = _chosen(known, wanted or (names[0] if names else ""), options)
        kind = sensor.gives if sensor else options.gives or (kinds.get(mine[0].sensor) if mine else "") or self._guess()
        listed = self._joined(mine, kind)
        if sensor is None:
            sensor = self._by_calibration(listed, kind, options)
        return sensor, listed

    def _joined(self, labels: list[ImageLabel], kind: str) -> list[ImageLabel]:
        """Images of the labels; without any those of the folder."""
        if labels:
            return labels
        files = image_files_in(self._folder, kind)
        if not files:
            raise BadInput(
                "no images", where=str(self._folder), bound=f"files that end in {', '.join(SUFFIXES[kind])}",
            )  # fmt: skip
        return [ImageLabel(name) for name in files]

    def _guess(self) -> str:
        return next((kind for kind in ("camera", "tof", "lidar") if image_files_in(self._folder, kind)), "camera")

    def _by_calibration(self, listed: list[ImageLabel], kind: str, options: PoseOptions) -> ImagingSensor:
        if options.camera is None:
            if kind == "lidar":
                self.notes.append("nothing is told of the LiDAR: noise of 20 mm and 0.01 deg")
                return LidarSensor(kind="lidar", name="lidar")
            raise BadInput("nothing tells of the lens", where=str(self._folder), way_out="--camera FILE")
        for place, label in enumerate(listed):
            try:
                image = read_listed(self._folder, listed_as(label, kind, place, self._beside), None)
            except BadInput:
                continue
            assert isinstance(image, CameraImage | DepthImage)
            height, width = (image.pixels if isinstance(image, CameraImage) else image.range_m).shape
            return calibrated(options.camera, kind, (width, height))
        raise BadInput("no image can be read", where=str(self._folder), value=f"{len(listed)} files")

    def _complete(self, label: ImageLabel, place: int) -> ListedImage:
        listed = listed_as(label, self.sensor.gives, place, self._beside)
        t = label.t if label.t is not None else place / self._rate_hz
        white = listed.white or white_of(self.sensor, label.file)
        return replace(listed, sensor=self.sensor.name, t=t, white=white)

    def _expected(self, label: ImageLabel, place: int) -> PosePrediction | None:
        start = self._starts.get(Path(label.file).name) or (self._starts.get("") if place == 0 else None)
        if start is None:
            return label.prediction
        return start.as_start

    def _tell(self, text: str) -> None:
        if len(self.complaints) < MOST_TOLD:
            self.complaints.append(readable(text))

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def readable(name: str) -> str:
    """A file's name may hold bytes that are no text: they are written out."""
    return name.encode(errors="backslashreplace").decode()


def _chosen(known: tuple[ImagingSensor, ...], name: str, options: PoseOptions) -> ImagingSensor | None:
    if not known:
        return None
    named = [one for one in known if one.name == name] or (
        list(known) if len(known) == 1 and (options.camera or not name) else []
    )
    if not named:
        raise BadInput(
            "several sensors, or none of that name", where=str(options.camera or ""), value=name or None,
            bound=", ".join(one.name for one in known), way_out="--sensor NAME",
        )  # fmt: skip
    return named[0]


def _lamps(folder: Path) -> dict[str, float]:
    """Of a data set's lights, W/sr."""
    if not (folder / ABOUT).is_file():
        return {}
    used = read_about(folder / ABOUT).get("lights_used", {})
    try:
        return {name: float(light["lamp_w_sr"]) for name, light in used.items() if light.get("lamp_w_sr")}
    except (AttributeError, TypeError, ValueError):
        raise BadInput("lights_used makes no sense", where=str(folder / ABOUT)) from None
