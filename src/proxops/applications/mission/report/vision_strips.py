"""Over time: in which state the image processing of each sensor was, which images it accepted, and why it refused the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from proxops.applications.mission.report.bands import T_LABEL, phase_pieces, span_of
from proxops.applications.mission.report.mission_run import MissionRun
from proxops.applications.mission.report.vision_record import VisionRecord
from proxops.applications.mission.report.vision_words import reason
from proxops.core.fault_table import ImageFault
from proxops.core.vocabulary import Doubt, VisionState
from proxops.ground.figures import WIDTH
from proxops.ground.panels.boxes import Box
from proxops.ground.panels.items import Words
from proxops.ground.panels.sheet import Sheet
from proxops.ground.panels.strip import Piece, add_strip
from proxops.ground.plot_style import BAD, RAIL

STATE_COLOURS: Final = {VisionState.SEARCH: "#e3b04b", VisionState.TRACK: "#6cc08b", VisionState.LOST: "#e5734d"}
REFUSED: Final = "#8a6fb8"
LEFT, STRIP, LANE, GAP = 0.125, 0.2, 0.17, 0.34  # share; inches
TOP, ROOM = 1.05, 0.8  # lanes: above the middle of the first; beside what they need
INF: Final = float("inf")
ACCEPTED, WRONG = "accepted", "wrong"


def strips_figure(run: MissionRun, records: Sequence[VisionRecord]) -> Sheet:
    """The mission's phases, and below them for each sensor its states and a lane for every reason."""
    lanes = [_lanes(record) for record in records]
    heights = [STRIP + LANE * (len(one) + ROOM) + GAP for one in lanes]
    height = STRIP + 0.15 + sum(heights) + 0.35
    out, span = Sheet(WIDTH, height), span_of(run)
    at = 1.0 - (0.05 + STRIP) / height
    add_strip(out, Box(LEFT, at, 0.985 - LEFT, STRIP / height), phase_pieces(run), span)
    for record, names in zip(records, lanes, strict=True):
        at -= (GAP + STRIP - 0.02) / height
        add_strip(out, Box(LEFT, at, 0.985 - LEFT, STRIP / height), _states(record, span[1]), span)
        tall = LANE * (len(names) + ROOM) / height
        at -= tall + 0.02 / height
        panel = out.panel(Box(LEFT, at, 0.985 - LEFT, tall))
        panel.x.limits, panel.x.worded, panel.y.limits = span, record is records[-1], (len(names) - 0.25, -TOP)
        panel.y.places, panel.y.words, panel.y.grid = list(range(len(names))), names, False
        panel.x.label = T_LABEL if record is records[-1] else ""
        for fault in run.file.fault:
            if isinstance(fault, ImageFault) and fault.sensor in ("", record.spec.name):
                end = min(fault.at_s + fault.duration_s, span[1])
                panel.region([fault.at_s, end, end, fault.at_s], [-INF, -INF, INF, INF], BAD, 0.14)
                panel.words(Words((fault.at_s, -TOP), f"fault: {fault.what}", 7.0, BAD, up="top", shift=(3.0, 0.0)))
        for row, name in enumerate(names):
            colour = {ACCEPTED: RAIL, WRONG: BAD}.get(name, REFUSED)
            for begin, end in _stretches(record, name):
                panel.bar(row, begin, end, 0.7, colour, 1.0)
    return out


def _lanes(record: VisionRecord) -> list[str]:
    """What became of its images; the most frequent reason of a refusal first."""
    told = [_what(record, row) for row in range(len(record.answers))]
    others = sorted(set(told) - {ACCEPTED, WRONG}, key=lambda name: (-told.count(name), name))
    return [ACCEPTED, *([WRONG] if WRONG in told else []), *others]


def _what(record: VisionRecord, row: int) -> str:
    if record.wrong[row]:
        return WRONG
    return ACCEPTED if record.accepted[row] else reason(record.answers[row].doubt)


def _stretches(record: VisionRecord, name: str) -> Iterator[tuple[float, float]]:
    """Times in which one image after the other was judged so; each lasts for a period of the sensor."""
    period = 1.0 / record.spec.rate_hz
    t = np.sort(record.t[[_what(record, row) == name for row in range(len(record.answers))]])
    if not t.size:
        return
    breaks = np.flatnonzero(np.diff(t) > 1.5 * period) + 1
    for part in np.split(t, breaks):
        yield float(part[0]), float(part[-1]) + period


def _states(record: VisionRecord, end: float) -> Iterator[Piece]:
    """From image to image."""
    told: list[tuple[float, VisionState]] = [(0.0, VisionState.SEARCH)]
    told += [(one.t, one.state) for one in record.answers if one.doubt is not Doubt.STALE]
    changes = [told[0], *(b for a, b in pairwise(told) if a[1] is not b[1])]
    for (begin, state), (until, _) in pairwise([*changes, (end, VisionState.LOST)]):
        name = state.name.lower()
        yield Piece(begin, until, STATE_COLOURS[state], (f"{record.spec.name}: {name}", name))
