"""Commanded and actual motion of a log in one picture: columns for the robots, one for rail and errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.vocabulary import System
from proxops.ground.curves import COLUMNS, Curves, curves_of
from proxops.ground.hall_run import HallRun
from proxops.ground.log import Log
from proxops.ground.plot_style import (
    COMMANDED,
    POINTS,
    RAIL,
    ROBOT1,
    ROBOT2,
    checked_suffix,
    mode_band,
    new_figure,
    save,
    styled,
    thin,
)  # fmt: skip
from proxops.ground.pose_rows import distance, distance_and_angle
from proxops.ground.recorded import Floats
from proxops.lab.cell import Cell

TIME_LABEL: Final = "time since the start of the log [s]"
ROBOT_COLOURS: Final = {1: ROBOT1, 2: ROBOT2}
DEG: Final = 180.0 / np.pi


def plot_log(log: Log, cell: Cell, system: System, out: Path) -> None:
    """Write the picture of ``system`` as .png, .svg or .pdf."""
    checked_suffix(out)
    save(system_figure(HallRun(log, cell), system), out)


def system_figure(run: HallRun, system: System, *, points: int = POINTS, titled: bool = True) -> Any:
    """Small panels, one for each component, commanded dashed over actual; modes along the top."""
    log, data = run.log, run.data
    if data.t.size < 2:
        raise BadInput("fewer than two records: nothing to plot", where=str(log.path), value=int(data.t.size))
    curves = curves_of(log, data, run.cell, system)
    with styled():
        return _Sheet(run, curves, points).draw(f"{log.path.name}   {system.name}" if titled else "")


class _Sheet:
    """One figure under construction."""

    def __init__(self, run: HallRun, curves: Curves, points: int) -> None:
        self._run, self._data, self._curves, self._points = run, run.data, curves, points
        self._columns = COLUMNS[curves.system]
        self._rows = len(self._columns.names)
        self._span = (0.0, float(run.data.phases[-1].end))

    def draw(self, title: str) -> Any:
        self._figure = new_figure(14.0, 1.35 * self._rows + 1.6)
        top = 1.0 - (0.85 if title else 0.62) / self._figure.get_figheight()
        self._grid = self._figure.add_gridspec(
            2, 3, height_ratios=[0.16, self._rows], hspace=0.05,
            left=0.062, right=0.985, top=top, bottom=0.55 / self._figure.get_figheight(), wspace=0.2,
        )  # fmt: skip
        if title:
            self._figure.suptitle(
                title,
                x=0.062,
                y=1.0 - 0.18 / self._figure.get_figheight(),
                ha="left",
                va="top",
                fontsize=13,
                weight="bold",
            )
        for robot in (1, 2):
            self._robot(robot)
        self._third()
        self._legend()
        return self._figure

    def _column(self, index: int, title: str, count: int) -> list[Any]:
        """Panels of one column under its band of modes, sharing the time axis."""
        band = self._figure.add_subplot(self._grid[0, index])
        band.set_xlim(*self._span)
        mode_band(band, self._data.phases, self._span)
        band.set_title(title, pad=5)
        cells = self._grid[1, index].subgridspec(count, 1, hspace=0.2)
        panels = [self._figure.add_subplot(cells[i], sharex=band) for i in range(count)]
        for panel in panels:
            panel.yaxis.set_label_coords(-0.125, 0.5)
            panel.tick_params(labelbottom=panel is panels[-1])
        panels[-1].set_xlabel(TIME_LABEL)
        return panels

    def _robot(self, number: int) -> None:
        commanded, actual = self._curves.robot(number)
        panels = self._column(number - 1, f"Robot {number}: {self._columns.what}", self._rows)
        for i, (panel, name, unit) in enumerate(zip(panels, self._columns.names, self._columns.units, strict=True)):
            self._pair(panel, commanded[:, i], actual[:, i], ROBOT_COLOURS[number])
            panel.set_ylabel(f"{name} [{unit}]" if unit else name)

    def _pair(self, panel: Any, commanded: Floats, actual: Floats, colour: str) -> None:
        panel.plot(*thin(self._data.t, actual, self._points), color=colour, lw=2.2)
        panel.plot(*thin(self._data.t, commanded, self._points), **COMMANDED)
        _at_least(panel, commanded)

    def _third(self) -> None:
        """Rail or data lin, distance of the ports, errors of the ports."""
        data, (name, unit) = self._data, self._columns.lin
        wished, actual = self._run.wished_ports, self._run.actual_ports
        pairs: dict[str, tuple[Floats, Floats]] = {
            f"{name} [{unit}]": self._curves.lin(),
            "rail [m]": (data.wish[:, 0], data.actual[:, 0]),
            "port distance [m]": (distance(*wished), distance(*actual)),
        }
        if name == "rail":
            del pairs["rail [m]"]
        panels = self._column(2, "Rail, distance, errors", len(pairs) + 2)
        for panel, (label, pair) in zip(panels, pairs.items(), strict=False):
            self._pair(panel, *pair, RAIL)
            panel.set_ylabel(label)
        for robot in (1, 2):
            errors = distance_and_angle(wished[robot - 1], actual[robot - 1])
            for panel, values, scale in zip(panels[-2:], errors, (1e3, DEG), strict=True):
                panel.plot(*thin(data.t, values * scale, self._points), color=ROBOT_COLOURS[robot], lw=1.0)
        for panel, label in zip(panels[-2:], ("position error [mm]", "attitude error [deg]"), strict=True):
            panel.set_ylabel(label)
            panel.set_ylim(bottom=0.0)

    def _legend(self) -> None:
        from matplotlib.lines import Line2D

        lines = [Line2D([], [], **COMMANDED)] + [Line2D([], [], color=c, lw=1.8) for c in (ROBOT1, ROBOT2, RAIL)]
        names = [
            "commanded (A and C not drawn where B = ±90°)" if self._columns.angles else "commanded",
            "actual, robot 1",
            "actual, robot 2",
            "actual, rail and distance",
        ]
        height = self._figure.get_figheight()
        self._figure.legend(lines, names, loc="upper right", bbox_to_anchor=(0.985, 1.0 - 0.05 / height), ncol=4)


def _at_least(panel: Any, values: Floats, share: float = 1e-3) -> None:
    """Keep a constant value from being stretched until its last digits look like motion."""
    low, high = panel.get_ylim()
    least = share * max(1.0, float(np.abs(values).max(initial=0.0, where=np.isfinite(values))))
    if high - low < least:
        middle = 0.5 * (low + high)
        panel.set_ylim(middle - 0.5 * least, middle + 0.5 * least)
