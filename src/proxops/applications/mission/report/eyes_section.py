"""What the imaging sensors saw, for the page: strips of pictures over the flight, and what the hall adds to those of an orbit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from proxops.applications.mission.report.eyes_figures import ranges
from proxops.applications.mission.report.eyes_pictures import picture_of
from proxops.applications.mission.report.eyes_record import EyeRecord
from proxops.applications.mission.report.eyes_words import (
    CAMERA_HALL_HEAD,
    CAMERA_HALL_NOTE,
    RANGE_HALL_HEAD,
    RANGE_HALL_NOTE,
    SENSOR_HEAD,
    SENSOR_NOTE,
    camera_hall_rows,
    caption,
    range_hall_rows,
    sensor_rows,
)
from proxops.applications.mission.report.hall_against_orbit import sensors_of_both
from proxops.core.imaging_table import GreyCamera
from proxops.ground.chapter import Figures
from proxops.ground.recorded_image import RecordedImage
from proxops.ground.section import Part, Picture, Section, SideBySide, Table, Text

ACROSS: Final = 3  # pictures in a row of the page
INSTANTS: Final = 6  # of a sensor that sees one world only; of both: ACROSS
PIXELS: Final = 1_600_000  # of all pictures together: below 1.5 MB on the page, however noisy they are
WIDEST: Final = 360
PERCENT: Final = (2.0, 98.0)  # of ranges, between which the colours lie

LEGEND: Final = (
    "Pictures of the flight from first to last; where a sensor looks at hall and orbit, both at the same instants. Grey levels "
    "are drawn with gamma 2.2. Ranges: red is near, blue is far, as said below each strip; dark: nothing came back."
)


def eyes_sections(eyes: Sequence[EyeRecord], m: Figures) -> Iterator[Section]:
    """Nothing where there are no imaging sensors. ``m``: figures of the mission."""
    if not m.get("sensors"):
        return
    yield Section("What the sensors saw", _parts(eyes, m))


def _parts(eyes: Sequence[EyeRecord], m: Figures) -> Iterator[Part]:
    yield Table(SENSOR_HEAD, sensor_rows(m["sensors"]), SENSOR_NOTE)
    compared = m["hall_against_orbit"]
    if rows := camera_hall_rows(compared):
        yield Table(CAMERA_HALL_HEAD, rows, CAMERA_HALL_NOTE)
    if rows := range_hall_rows(compared):
        yield Table(RANGE_HALL_HEAD, rows, RANGE_HALL_NOTE)
    yield Text([LEGEND])
    strips = list(strips_of(eyes))
    width = _width(strips)
    for strip in strips:
        yield from _strip(strip, width)


Strip = list[tuple[EyeRecord, RecordedImage]]


def strips_of(eyes: Sequence[EyeRecord]) -> Iterator[Strip]:
    """The images of each sensor that are shown."""
    by_name = {eye.spec.name: eye for eye in eyes}
    paired = {both.spec.name: both for both in sensors_of_both(eyes) if both.pairs}
    shown = {other for name in paired for other in (name, f"{name}_orbit")}
    for name, eye in by_name.items():
        if name in paired:
            chosen = evenly(paired[name].pairs, ACROSS)
            yield [(eye, hall) for hall, _ in chosen] + [(by_name[f"{name}_orbit"], orbit) for _, orbit in chosen]
        elif name not in shown:
            yield [(eye, image) for image in evenly(eye.kept, INSTANTS)]


def evenly(found: Sequence[Any], count: int) -> list[Any]:
    """At most so many, the first and the last among them."""
    places = np.linspace(0, len(found) - 1, min(count, len(found))).round().astype(int)
    return [found[place] for place in np.unique(places).tolist()]


def _strip(strip: Strip, width: int) -> Iterator[Part]:
    images = [image.image for _, image in strip]
    seen = np.concatenate([ranges(image) for image in images]) if images else np.empty(0)
    near, far = np.percentile(seen, PERCENT).tolist() if seen.size else (0.0, 1.0)
    pictures = [
        Picture(picture_of(eye.spec, image, near, far, width), caption(eye, recorded))
        for (eye, recorded), image in zip(strip, images, strict=True)
    ]
    for begin in range(0, len(pictures), ACROSS):
        yield SideBySide(pictures[begin : begin + ACROSS])
    if strip and not isinstance(strip[0][0].spec, GreyCamera):
        yield Text([f"{strip[0][0].spec.name}: colours from {near:.2f} m (red) to {far:.2f} m (blue)."])


def _width(strips: Sequence[Strip]) -> int:
    """Of every picture: as wide as all of them together may be."""
    count = sum(len(strip) for strip in strips)
    return min(WIDEST, int(math.sqrt(PIXELS / max(count, 1))))
