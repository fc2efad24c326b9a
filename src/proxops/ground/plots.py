"""Commanded and actual motion of a log in one picture: columns for the robots, one for rail and errors."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.vocabulary import System
from proxops.ground.curves import COLUMNS, Curves, curves_of
from proxops.ground.hall_run import HallRun
from proxops.ground.log import Log
from proxops.ground.mode_strip import mode_strip
from proxops.ground.panels.boxes import Box
from proxops.ground.panels.items import COMMANDED, LineStyle, Words
from proxops.ground.panels.panel import Panel, stack
from proxops.ground.panels.saving import save_sheet
from proxops.ground.panels.sheet import Key, KeyEntry, Sheet
from proxops.ground.plot_style import POINTS, RAIL, ROBOT1, ROBOT2, checked_suffix, thin
from proxops.ground.pose_rows import Floats, distance, distance_and_angle
from proxops.lab.cell import Cell

TIME_LABEL: Final = "time since the start of the log [s]"
ROBOT_COLOURS: Final = {1: ROBOT1, 2: ROBOT2}
DEG: Final = 180.0 / np.pi
WIDTH: Final = 14.0
LEFT: Final = 0.062
RIGHT: Final = 0.985
# Cycles that a report converts for each point that it draws: in between, axes move less than a line is wide.
LOOKS: Final = 20


def plot_log(log: Log, cell: Cell, system: System, out: Path) -> None:
    """Write the picture of ``system`` as .png, .svg or .pdf."""
    checked_suffix(out)
    save_sheet(system_figure(HallRun(log, cell), system), out)


def system_figure(run: HallRun, system: System, *, points: int = POINTS, brief: bool = False) -> Sheet:
    """Small panels, one for each component, commanded dashed over actual; modes along the top. ``brief``: for a report, without
    a title, and not of every cycle."""
    log, data = run.log, run.data
    if data.t.size < 2:
        raise BadInput("fewer than two records: nothing to plot", where=str(log.path), value=int(data.t.size))
    every = max(1, data.t.size // (LOOKS * points)) if brief else 1
    curves = curves_of(log, data, run.cell, system, every)
    return _SystemSheet(run, curves, every, points).draw("" if brief else f"{log.path.name}   {system.name}")


class _SystemSheet:
    """One figure under construction."""

    def __init__(self, run: HallRun, curves: Curves, every: int, points: int) -> None:
        self._run, self._data, self._curves, self._points = run, run.data, curves, points
        self._t = run.data.t[::every]  # of the curves
        self._columns = COLUMNS[curves.system]
        self._rows = len(self._columns.names)
        self._span = (0.0, float(run.data.phases[-1].end))
        self._sheet = Sheet(WIDTH, 1.35 * self._rows + 1.6)

    def draw(self, title: str) -> Sheet:
        height = self._sheet.height
        room = Box.inside(LEFT, RIGHT, 0.55 / height, 1.0 - (0.85 if title else 0.62) / height)
        self._boxes = [column.rows(2, 0.05, (0.16, self._rows)) for column in room.columns(3, 0.2)]
        if title:
            self._sheet.words.append(Words((LEFT, 1.0 - 0.18 / height), title, 13.0, up="top", bold=True))
        for robot in (1, 2):
            self._robot(robot)
        self._third()
        self._sheet.keys.append(Key(self._samples(), RIGHT, 1.0 - 0.16 / height))
        return self._sheet

    def _column(self, index: int, title: str, count: int) -> list[Panel]:
        """Panels of one column under its band of modes, sharing the time axis."""
        above, below = self._boxes[index]
        mode_strip(self._sheet, above, self._data.phases, self._span).title = title
        panels = self._sheet.column(below, count, 0.2)
        stack(panels, TIME_LABEL, self._span)
        return panels

    def _robot(self, number: int) -> None:
        commanded, actual = self._curves.robot(number)
        panels = self._column(number - 1, f"Robot {number}: {self._columns.what}", self._rows)
        for i, (panel, name, unit) in enumerate(zip(panels, self._columns.names, self._columns.units, strict=True)):
            self._pair(panel, self._t, (commanded[:, i], actual[:, i]), ROBOT_COLOURS[number])
            panel.y.label = f"{name} [{unit}]" if unit else name

    def _pair(self, panel: Panel, t: Floats, pair: tuple[Floats, Floats], colour: str) -> None:
        """Commanded and actual."""
        panel.curve(*thin(t, pair[1], self._points), LineStyle(colour, 2.2))
        panel.curve(*thin(t, pair[0], self._points), COMMANDED)
        _at_least(panel)

    def _third(self) -> None:
        """Rail or data lin, distance of the ports, errors of the ports."""
        data, (name, unit) = self._data, self._columns.lin
        wished, actual = self._run.wished_ports, self._run.actual_ports
        pairs: dict[str, tuple[Floats, tuple[Floats, Floats]]] = {
            f"{name} [{unit}]": (self._t, self._curves.lin()),
            "rail [m]": (data.t, (data.wish[:, 0], data.actual[:, 0])),
            "port distance [m]": (data.t, (distance(*wished), distance(*actual))),
        }
        if name == "rail":
            del pairs["rail [m]"]
        panels = self._column(2, "Rail, distance, errors", len(pairs) + 2)
        for panel, (label, (t, pair)) in zip(panels, pairs.items(), strict=False):
            self._pair(panel, t, pair, RAIL)
            panel.y.label = label
        for robot in (1, 2):
            errors = distance_and_angle(wished[robot - 1], actual[robot - 1])
            for panel, values, scale in zip(panels[-2:], errors, (1e3, DEG), strict=True):
                panel.curve(*thin(data.t, values * scale, self._points), LineStyle(ROBOT_COLOURS[robot], 1.0))
        for panel, label in zip(panels[-2:], ("position error [mm]", "attitude error [deg]"), strict=True):
            panel.y.label = label
            panel.y.reach(low=0.0)

    def _samples(self) -> list[KeyEntry]:
        commanded = "commanded (A and C not drawn where B = ±90°)" if self._columns.angles else "commanded"
        actual = {"robot 1": ROBOT1, "robot 2": ROBOT2, "rail and distance": RAIL}
        return [
            KeyEntry(commanded, COMMANDED),
            *(KeyEntry(f"actual, {what}", LineStyle(colour, 1.8)) for what, colour in actual.items()),
        ]


def _at_least(panel: Panel, share: float = 1e-3) -> None:
    """Keep a constant value from being stretched until its last digits look like motion."""
    low, high = panel.y.range
    least = share * max(1.0, *(abs(limit) for limit in panel.y.known if np.isfinite(limit)))
    if high - low < least:
        middle = 0.5 * (low + high)
        panel.y.limits = middle - 0.5 * least, middle + 0.5 * least
