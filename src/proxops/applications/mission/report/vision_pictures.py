"""A few images of each sensor with what was found in them: the first pose, far, middle, near, the worst, a refused one."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

import numpy as np

from proxops.applications.mission.report.model_edges import ModelEdges
from proxops.applications.mission.report.vision_cutout import (
    cutout,
    draw_marks,
    draw_model,
    scan_lens,
    shown,
)
from proxops.applications.mission.report.vision_record import ACROSS, ALONG, ATTITUDE, VisionRecord
from proxops.applications.mission.report.vision_words import answer_words
from proxops.core.images import PointScan
from proxops.core.wrong_pose import WRONG
from proxops.ground.log import Log
from proxops.ground.recorded_image import RecordedImage
from proxops.ground.recorded_vision import recorded_marks
from proxops.ground.section import Picture

MOST: Final = 6
Chosen = dict[int, str]
"""Rows of the answers, and why they are shown."""


def pictures_of(
    log: Log, record: VisionRecord, model: ModelEdges | None, recorded: Collection[int]
) -> Iterator[Picture]:
    """In the order of time. ``recorded``: numbers of the images that the log has."""
    name, chosen = record.spec.name, choice(record, recorded)
    if not chosen:
        return
    wanted = {record.answers[row].number for row in chosen}
    stamps = {record.answers[row].exposed_ns for row in chosen}
    images = {one.encoded.number: one for one in log.recorded_images(name) if one.encoded.number in wanted}
    marks = {at: message for at, message in recorded_marks(log.path, name) if at in stamps}
    for row, why in sorted(chosen.items()):
        one = record.answers[row]
        if one.number in images:
            yield _picture(record, row, why, images[one.number], marks.get(one.exposed_ns), model)


def choice(record: VisionRecord, recorded: Collection[int]) -> Chosen:
    """Of the answers whose images the log has."""
    known = np.array([one.number in recorded for one in record.answers], bool)
    accepted, refused = np.flatnonzero(known & record.accepted), np.flatnonzero(known & ~record.accepted)
    named: list[tuple[str, int]] = []
    if accepted.size:
        distance = record.distance_m[accepted]
        middle = np.sqrt(np.nanmin(distance) * np.nanmax(distance))
        named += [("first pose", accepted[0]), ("far", accepted[np.nanargmax(distance)])]
        named += [("middle", accepted[np.nanargmin(np.abs(distance - middle))])]
        named += [("near", accepted[np.nanargmin(distance)])]
        off = _share_of_wrong(record)[accepted]
        if np.isfinite(off).any():
            named += [("worst", accepted[np.nanargmax(off)])]
    if refused.size:
        fitted = [row for row in refused.tolist() if record.answers[row].T_sensor_target is not None]
        rest = fitted or refused.tolist()
        named += [("", row) for row in ([rest[0]] if accepted.size else [rest[0], rest[len(rest) // 2], rest[-1]])]
    found: Chosen = {}
    for why, row in named:
        found[int(row)] = ", ".join(filter(None, (found.get(int(row), ""), why)))
    return found


def _share_of_wrong(record: VisionRecord) -> Any:
    """1: so far off that it counts as wrong."""
    place = np.hypot(record.error[:, ACROSS], record.error[:, ALONG]) / (WRONG[0] * record.distance_m)
    return np.maximum(place, record.error[:, ATTITUDE] / WRONG[1])


def _picture(
    record: VisionRecord, row: int, why: str, recorded: RecordedImage, marks: Any, model: ModelEdges | None
) -> Picture:
    one, image, lens = record.answers[row], recorded.image, record.spec.lens
    T = one.T_sensor_target
    if isinstance(image, PointScan) or lens is None:
        seen_by, cut = scan_lens(model, T), None
    else:
        cut = cutout(lens, model, T)
        seen_by = cut.lens(lens)
    rgb = shown(image, seen_by, cut)
    lines = draw_marks(rgb, marks, cut) if marks is not None and cut is not None else False
    if model is not None and T is not None and not lines:
        draw_model(rgb, model.drawn(seen_by, T))
    return Picture(rgb, answer_words(record, row, f"{record.spec.name}, {why}" if why else record.spec.name))
