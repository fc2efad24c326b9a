"""Colours of a mission's phases, and the strip of them above its figures."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

import numpy as np

from proxops.applications.mission.report.mission_run import MissionRun
from proxops.core.vocabulary import MissionPhase
from proxops.ground.figures import WIDTH
from proxops.ground.plot_style import Piece, band, new_figure
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


def sheet(run: MissionRun, height: float, rows: int, columns: int = 1, **grid: Any) -> tuple[Any, list[list[Any]]]:
    """A figure with the strip of phases above each column of panels that share its time axis."""
    figure = new_figure(WIDTH, height)
    outer = figure.add_gridspec(
        2, columns, height_ratios=[STRIP, height - 1.0], left=LEFT, right=grid.pop("right", 0.985),
        top=1.0 - 0.12 / height, bottom=0.5 / height, hspace=0.25 / height, wspace=grid.pop("wspace", 0.24),
    )  # fmt: skip
    panels: list[list[Any]] = [[] for _ in range(rows)]
    for column in range(columns):
        strip = figure.add_subplot(outer[0, column])
        strip.set_xlim(*span_of(run))
        band(strip, phase_pieces(run), span_of(run))
        cells = outer[1, column].subgridspec(rows, 1, **{"hspace": 0.16, **grid})
        for row in range(rows):
            panel = figure.add_subplot(cells[row], sharex=strip)
            panel.tick_params(labelbottom=row == rows - 1)
            panels[row].append(panel)
        panels[-1][column].set_xlabel(T_LABEL)
    return figure, panels


def line_up(panels: list[list[Any]], offset: float = -0.052) -> None:
    """Labels of a column one below the other."""
    for row in panels:
        for panel in row:
            panel.yaxis.set_label_coords(offset * len(row), 0.5)


def phase_of_truth(run: MissionRun) -> Floats:
    """Phase at each row of truth."""
    return run.of("phase", run.truth)


def coloured_path(axes: Any, run: MissionRun, keep: Any, *coordinates: Floats, lw: float = 2.0) -> None:
    """A path in the colours of the phases. ``keep`` chooses the rows of truth that are drawn."""
    told = phase_of_truth(run)[keep]
    columns = [values[keep] for values in coordinates]
    edges = [0, *(np.flatnonzero(np.diff(told)) + 1).tolist(), told.size]
    for a, b in pairwise(edges):
        colour = PHASE_COLOURS[MissionPhase(int(told[a]))]
        axes.plot(*(values[a : b + 1] for values in columns), color=colour, lw=lw, solid_capstyle="round")


def phase_key(figure: Any, run: MissionRun, **place: Any) -> None:
    """What the colours mean; only phases that were there for a while."""
    from matplotlib.patches import Patch

    total = span_of(run)[1]
    seen = dict.fromkeys(s.phase for s in run.phases if s.end - s.begin > 1e-3 * total)
    patches = [Patch(color=PHASE_COLOURS[phase], lw=0, label=phase_name(phase)) for phase in seen]
    figure.legend(
        handles=patches, ncol=len(patches), borderaxespad=0.0, handlelength=1.0, handleheight=0.8, columnspacing=1.4,
        borderpad=0.0, **place,
    )  # fmt: skip


def evenly(count: int, points: int) -> Any:
    """At most ``points`` of ``count`` rows, the first and the last among them."""
    return np.unique(np.linspace(0, count - 1, min(points, count)).astype(int)) if count else np.empty(0, int)
