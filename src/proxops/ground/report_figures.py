"""Pictures and drawings of the report, in the order of its page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from proxops.core.offscreen import PictureUnavailable
from proxops.core.vocabulary import System
from proxops.ground.axis_figures import range_figure, speed_figure
from proxops.ground.figures import POINTS, approach_figure, error_figure, timing_figure
from proxops.ground.following import follow
from proxops.ground.log import Log
from proxops.ground.motion import motion_of
from proxops.ground.picture import VIEWS, HallPicture
from proxops.ground.plots import system_figure
from proxops.ground.recorded import Recorded, distance, ports_of_axes
from proxops.ground.report_page import drawing, picture
from proxops.lab.cell import Cell

WIDTH: Final = 960
HEIGHT: Final = 540


def pictures(data: Recorded, cell: Cell, moments: dict[str, int]) -> Iterator[str]:
    """The hall at some rows of the log."""
    if not moments:
        return
    try:
        with HallPicture(cell, width=WIDTH, height=HEIGHT) as hall:
            parts = [
                picture(hall.render(data.actual[row], view=view), _caption(data, cell, name, row))
                for view in VIEWS
                for name, row in moments.items()
            ]
        yield f'<div class="pictures">{"".join(parts)}</div>'
    except PictureUnavailable as reason:
        yield f'<p class="soft">No pictures: {escape(str(reason))}</p>'


def run_moments(data: Recorded) -> dict[str, int]:
    """Start, middle and end of the run, or the end of a log in which nothing ran."""
    if not data.ran:
        return {"end of the log": data.t.size - 1} if data.t.size else {}
    first, last = data.run.start, data.run.stop - 1
    return {"start": first, "middle": (first + last) // 2, "end": last}


def _caption(data: Recorded, cell: Cell, name: str, row: int) -> str:
    apart = float(distance(*ports_of_axes(cell.hall, data.actual[row : row + 1]))[0])
    return f"{name}: {data.t[row]:.1f} s, ports {apart:.3f} m apart"


def run_drawings(data: Recorded, cell: Cell) -> Iterator[str]:
    """The run as seen by the ports."""
    if not data.ran:
        return
    yield "<h2>Approach</h2>"
    yield drawing(approach_figure(data, cell), "The run: commanded dashed, actual in colour.")
    yield "<h2>Errors</h2>"
    yield drawing(
        error_figure(data, follow(data, cell.hall)),
        "Distance and angle between commanded and actual port, the greatest of each stretch; logarithmic.",
    )


def log_drawings(log: Log, data: Recorded, cell: Cell) -> Iterator[str]:
    """The whole log in lab coordinates."""
    if data.t.size < 2:
        return
    yield "<h2>Commanded and actual, GLC</h2>"
    yield drawing(
        system_figure(log, cell, System.GLC, points=POINTS, titled=False),
        "The whole log under the band of modes. A, B, C: KUKA's angles about z, y, x, through full turns.",
    )


def axis_drawings(log: Log, data: Recorded, cell: Cell) -> Iterator[str]:
    """The run as seen by the axes."""
    if not data.ran:
        return
    yield "<h2>Axes and speeds</h2>"
    yield drawing(range_figure(data, cell), "What each axis used of its range.")
    speeds = speed_figure(data, motion_of(log, data, cell), cell)
    yield drawing(speeds, "Set-points in the run against what the guard allows.")


def timing_drawings(log: Log, data: Recorded) -> Iterator[str]:
    """How the live loop kept its time."""
    yield "<h2>Timing</h2>"
    yield drawing(timing_figure(log, data), "Wake-up of the live loop after its deadline.")
