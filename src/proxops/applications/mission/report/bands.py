"""Colours of a mission's phases, and the strip of them above its figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, Literal

import numpy as np

from proxops.applications.mission.report.mission_run import MissionRun
from proxops.core.vocabulary import MissionPhase
from proxops.ground.figures import WIDTH
from proxops.ground.panels.boxes import Box
from proxops.ground.panels.items import LineStyle
from proxops.ground.panels.panel import Panel, stack
from proxops.ground.panels.sheet import Key, KeyEntry, Sheet
from proxops.ground.panels.strip import Piece, add_strip
from proxops.ground.recorded import Floats

PHASE_COLOURS: Final = {
    MissionPhase.NONE: "#dde2e6",
    MissionPhase.ACQUISITION: "#b3bdc6",
    MissionPhase.HOLD: "#d9b44a",
    MissionPhase.APPROACH: "#4d94d8",
    MissionPhase.FLY_AROUND: "#9a7fd1",
    MissionPhase.FINAL: "#3fa76b",
    MissionPhase.MATED: "#1d6b3f",
    MissionPhase.RETREAT: "#d9463f",
    MissionPhase.DRIFT: "#e58f5b",
    MissionPhase.REACQUISITION: "#8a6d3b",
}
T_LABEL: Final = "time since the mission began [s]"
LEFT: Final = 0.075
STRIP: Final = 0.2  # inches


def phase_name(phase: MissionPhase) -> str:
    """As people write it."""
    return phase.name.replace("_", " ").lower()


def phase_pieces(run: MissionRun) -> Iterator[Piece]:
    """The phases, one after the other."""
    for stretch in run.phases:
        yield Piece(stretch.begin, stretch.end, PHASE_COLOURS[stretch.phase], (phase_name(stretch.phase),))


def span_of(run: MissionRun) -> tuple[float, float]:
    """Time axis of the mission's figures."""
    return 0.0, max(run.phases[-1].end, 1e-3)


def sheet(
    run: MissionRun, height: float, rows: int, columns: int = 1, *, gap: float = 0.16, shares: Sequence[float] = (),
    column_gap: float = 0.24, right: float = 0.985,
) -> tuple[Sheet, list[list[Panel]]]:  # fmt: skip
    """A figure with the strip of phases above each column of panels that share its time axis: the columns."""
    out, found = Sheet(WIDTH, height), []
    room = Box.inside(LEFT, right, 0.5 / height, 1.0 - 0.12 / height)
    for column in room.columns(columns, column_gap):
        strip, below = column.rows(2, 0.25 / height, (STRIP, height - 1.0))
        add_strip(out, strip, phase_pieces(run), span_of(run))
        panels = out.column(below, rows, gap, shares)
        stack(panels, T_LABEL, span_of(run))
        found.append(panels)
    return out, found


def phase_of_truth(run: MissionRun) -> Floats:
    """Phase at each row of truth."""
    return run.of("phase", run.truth)


def coloured_path(run: MissionRun, keep: Any, path: Floats) -> Iterator[tuple[str, Floats]]:
    """Pieces of a ``path`` (truth, coordinates) with the colours of their phases. ``keep`` chooses the rows that are drawn."""
    told, kept = phase_of_truth(run)[keep], path[keep]
    edges = [0, *(np.flatnonzero(np.diff(told)) + 1).tolist(), told.size]
    for a, b in pairwise(edges):
        yield PHASE_COLOURS[MissionPhase(int(told[a]))], kept[a : b + 1]


def phase_key(run: MissionRun, x: float, y: float, side: Literal["left", "right"] = "right") -> Key:
    """What the colours mean; only phases that were there for a while."""
    total = span_of(run)[1]
    seen = dict.fromkeys(s.phase for s in run.phases if s.end - s.begin > 1e-3 * total)
    return Key([KeyEntry(phase_name(phase), LineStyle(PHASE_COLOURS[phase]), patch=True) for phase in seen], x, y, side)


def evenly(count: int, points: int) -> Any:
    """At most ``points`` of ``count`` rows, the first and the last among them."""
    return np.unique(np.linspace(0, count - 1, min(points, count)).astype(int)) if count else np.empty(0, int)
