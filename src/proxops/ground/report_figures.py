"""Pictures and drawings of the report, in the order of its page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from proxops.core.offscreen import PictureUnavailable
from proxops.core.vocabulary import System
from proxops.ground.axis_figures import range_figure, speed_figure
from proxops.ground.figures import POINTS, approach_figure, error_figure, timing_figure
from proxops.ground.hall_run import HallRun
from proxops.ground.log import Log
from proxops.ground.picture import VIEWS, HallPicture
from proxops.ground.plots import system_figure
from proxops.ground.pose_rows import distance
from proxops.ground.recorded import Recorded, ports_of_axes
from proxops.ground.section import Drawing, Part, Picture, Section, SideBySide, Text
from proxops.lab.cell import Cell

WIDTH: Final = 720  # twice what the page has room for: for screens with fine pixels
HEIGHT: Final = 405


def pictures(data: Recorded, cell: Cell, moments: dict[str, int]) -> Iterator[Section]:
    """The hall at some rows of the log."""
    if not moments:
        return
    try:
        with HallPicture(cell, width=WIDTH, height=HEIGHT) as hall:
            shown = [
                Picture(hall.render(data.actual[row], view=view), _caption(data, cell, name, row))
                for view in VIEWS
                for name, row in moments.items()
            ]
        yield Section("", [SideBySide(shown)])
    except PictureUnavailable as reason:
        yield Section("", [Text([f"No pictures: {reason}"])])


def run_moments(data: Recorded) -> dict[str, int]:
    """Start, middle and end of the run, or the end of a log in which nothing ran."""
    if not data.ran:
        return {"end of the log": data.t.size - 1} if data.t.size else {}
    first, last = data.run.start, data.run.stop - 1
    return {"start": first, "middle": (first + last) // 2, "end": last}


def _caption(data: Recorded, cell: Cell, name: str, row: int) -> str:
    apart = float(distance(*ports_of_axes(cell.hall, data.actual[row : row + 1]))[0])
    return f"{name}: {data.t[row]:.1f} s, ports {apart:.3f} m apart"


def run_sections(run: HallRun) -> Iterator[Section]:
    """The run as seen by the ports."""
    if not run.data.ran:
        return
    yield Section("Approach", [Drawing(approach_figure(run), "The run: commanded dashed, actual in colour.")])
    note = "Distance and angle between commanded and actual port, the greatest of each stretch; logarithmic."
    yield Section("Errors", [Drawing(error_figure(run.data, run.following), note)])


def log_sections(run: HallRun) -> Iterator[Section]:
    """The whole log in lab coordinates."""
    if run.data.t.size < 2:
        return
    sheet = system_figure(run, System.GLC, points=POINTS, brief=True)
    note = "The whole log under the band of modes. A, B, C: KUKA's angles about z, y, x, through full turns."
    yield Section("Commanded and actual, GLC", [Drawing(sheet, note)])


def axis_drawings(run: HallRun) -> Iterator[Part]:
    """The run as seen by the axes."""
    yield Drawing(range_figure(run.data, run.cell), "What each axis used of its range.")
    speeds = speed_figure(run.data, run.motion, run.cell)
    yield Drawing(speeds, "Set-points in the run against what the guard allows.")


def timing_drawings(log: Log, data: Recorded) -> Iterator[Part]:
    """How the live loop kept its time."""
    yield Drawing(timing_figure(log, data), "Wake-up of the live loop after its deadline.")
