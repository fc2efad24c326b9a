"""What was found in the images of a mission, for the page: pictures, errors against what was claimed, answers over time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from proxops.applications.mission.report.eyes_section import eyes_sections
from proxops.applications.mission.report.mission_run import MissionRun
from proxops.applications.mission.report.vision_designations import DESIGNATION_HEAD, designation_rows
from proxops.applications.mission.report.vision_model import model_of
from proxops.applications.mission.report.vision_pictures import pictures_of
from proxops.applications.mission.report.vision_record import VisionRecord, pairs_of, same_instants
from proxops.applications.mission.report.vision_sheets import hall_figure, range_figure
from proxops.applications.mission.report.vision_strips import strips_figure
from proxops.applications.mission.report.vision_words import (
    HALL_HEAD,
    HALL_NOTE,
    RANGE_HEAD,
    RANGE_NOTE,
    SENSOR_HEAD,
    SENSOR_NOTE,
    brief_words,
    hall_rows,
    range_rows,
    sensor_rows,
)
from proxops.core.fault_table import ImageFault
from proxops.ground.chapter import Figures
from proxops.ground.section import Drawing, Part, Section, SideBySide, Table, Text
from proxops.lab.cell import Cell

ACROSS: Final = 3  # pictures in a row of the page

PICTURE_NOTE: Final = (
    "Cut out of recorded images, round the client as it was found. Camera: green edges fit the pose, red ones do not. Depth: "
    "near is bright, each colour is a plane. Scan: red is near, blue is far. Blue lines: the model at the pose that was found."
)
SPOILED_NOTE: Final = " An image that a fault of the mission spoiled is shown as the sensor gave it."
RANGE_FIGURE_NOTE: Final = (
    "Error of each image by the truth. Black: standard deviation that was claimed (medians of stretches); dashed: three times as "
    "much."
)
STRIP_NOTE: Final = (
    "States of each sensor's image processing; below, what became of its images and why they were refused."
)
HALL_FIGURE_NOTE: Final = "The same instants in the hall and in orbit; grey lines join what belongs together."


def image_sections(run: MissionRun, cell: Cell, m: Figures) -> Iterator[Section]:
    """What was found in images, if anybody looked, and what the sensors saw. ``m``: figures of the mission."""
    yield from vision_sections(run, cell, m)
    yield from eyes_sections(run.eyes, m)


def vision_sections(run: MissionRun, cell: Cell, m: Figures) -> Iterator[Section]:
    """Nothing where nobody looks for the client in images."""
    if m.get("vision"):
        yield Section("Images", _parts(run, cell, m["vision"]))


def _parts(run: MissionRun, cell: Cell, v: Figures) -> Iterator[Part]:
    used = [record for record in run.vision if record.used]
    yield Text([f"{brief_words(v)}."])
    yield Table(SENSOR_HEAD, sensor_rows(v["sensors"]), SENSOR_NOTE, wraps=True)
    spoiled = any(isinstance(fault, ImageFault) for fault in run.file.fault)
    yield Text([PICTURE_NOTE + (SPOILED_NOTE if spoiled else "")])
    for record in used:
        yield from _pictures(run, cell, record)
    if any(record.accepted.any() for record in used):
        yield Drawing(range_figure([record for record in used if record.accepted.any()]), RANGE_FIGURE_NOTE)
    yield Table(RANGE_HEAD, list(range_rows(v["sensors"])), RANGE_NOTE)
    yield Drawing(strips_figure(run, used), STRIP_NOTE)
    if said := designation_rows(run):
        yield Table(DESIGNATION_HEAD, said, wraps=True)
    if v["hall_against_orbit"]:
        yield from _hall(run, v)


def _pictures(run: MissionRun, cell: Cell, record: VisionRecord) -> Iterator[Part]:
    recorded = {int(number) for eye in run.eyes if eye.spec.name == record.spec.name for number in eye.number}
    found = list(pictures_of(run.log, record, model_of(run.file, record, cell), recorded))
    for begin in range(0, len(found), ACROSS):
        yield SideBySide(found[begin : begin + ACROSS])


def _hall(run: MissionRun, v: Figures) -> Iterator[Part]:
    drawn = []
    for hall, orbit in pairs_of(run.vision):
        ours, theirs = same_instants(hall, orbit)
        if (hall.accepted[ours] & orbit.accepted[theirs]).any():
            drawn.append((hall, orbit))
    if drawn:
        yield Drawing(hall_figure(drawn), HALL_FIGURE_NOTE)
    yield Table(HALL_HEAD, hall_rows(v["hall_against_orbit"]), HALL_NOTE)
