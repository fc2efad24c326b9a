"""Figures of the report about axes: what they used of their ranges, how near they came to their limits."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.core.messages import AXES
from proxops.ground.figures import POINTS, WIDTH
from proxops.ground.motion import MotionFigures, greatest_sizes
from proxops.ground.panels.boxes import Box
from proxops.ground.panels.items import DASHED, DOTTED, LineStyle, Mark, Words
from proxops.ground.panels.panel import Legend, Panel
from proxops.ground.panels.sheet import Sheet
from proxops.ground.plot_style import BAD, GREY, INK, RAIL, ROBOT1, ROBOT2, thin
from proxops.ground.plots import DEG, TIME_LABEL
from proxops.ground.recorded import Floats, Recorded
from proxops.lab.cell import Cell

AXIS_COLOURS: Final = (RAIL, *(ROBOT1,) * 6, *(ROBOT2,) * 6)
AXIS_NAMES: Final = ("rail", *(f"robot {r} A{i}" for r in (1, 2) for i in range(1, 7)))
UNITS: Final = {
    "rail": (slice(0, 1), RAIL),
    "robot 1": (slice(1, 7), ROBOT1),
    "robot 2": (slice(7, 13), ROBOT2),
}


def range_figure(data: Recorded, cell: Cell) -> Sheet:
    """What each axis used of its range in the run, with its start and its end."""
    sheet = Sheet(WIDTH, 4.6)
    panel = sheet.panel(Box(0.1, 0.07, 0.885, 0.86))
    q = data.actual[data.run]
    marks = np.stack([q.min(axis=0), q.max(axis=0), q[0], q[-1]])
    for i in range(len(AXES)):
        _axis_bar(panel, i, marks[:, i], float(cell.axes.lower[i]), float(cell.axes.upper[i]))
    _rows(panel)
    panel.x.limits = -1.0, 1.62
    panel.x.places = (-1.0, -0.5, 0.0, 0.5, 1.0)
    panel.x.words = ("lower limit", "", "middle", "", "upper limit")
    panel.title = "Bar: used in the run.  Ring: start.  Dot: end."
    return sheet


def _axis_bar(panel: Panel, row: int, marks: Floats, lower: float, upper: float) -> None:
    """``marks``: least, greatest, first and last place."""
    scale, unit, colour = 1.0 if row == 0 else DEG, "m" if row == 0 else "deg", AXIS_COLOURS[row]
    used = f"{marks[0] * scale:.4g} … {marks[1] * scale:.4g} {unit}"
    if np.isfinite(lower) and np.isfinite(upper):
        used += f"   of {lower * scale:.4g} … {upper * scale:.4g}"
    else:
        used += f"   endless, {(marks[3] - marks[2]) / (2.0 * np.pi):+.2f} turns"
        middle = np.pi * np.floor(np.mean(marks[:2]) / np.pi + 0.5)
        half = max(np.pi, float(np.abs(marks - middle).max()))  # a turn, or as many as were made
        lower, upper = middle - half, middle + half
    begin, end, first, last = (2.0 * (marks - lower) / (upper - lower) - 1.0).tolist()
    panel.bar(row, -1.0, 1.0, 0.62, GREY, 0.16)
    panel.bar(row, begin, begin + max(end - begin, 0.006), 0.62, colour, 0.55)
    panel.mark(Mark((first, row), "circle", INK, 6.0, "none", 0.9))
    panel.mark(Mark((last, row), "circle", INK, 4.0))
    panel.words(Words((1.03, row), used.replace("-", "−"), 7.5, up="middle"))


def _rows(panel: Panel) -> None:
    panel.y.places, panel.y.words, panel.y.grid = range(len(AXES)), AXIS_NAMES, False
    panel.y.limits = len(AXES) - 0.4, -0.6


def speed_figure(data: Recorded, motion: MotionFigures, cell: Cell) -> Sheet:
    """Set-points against what the guard allows: over time, and every axis at its greatest."""
    sheet = Sheet(WIDTH, 4.4)
    left, right = Box.inside(0.05, 0.985, 0.105, 0.93).columns(2, 0.24, (1.25, 1.0))
    above, below = panels = sheet.column(left, 2, 0.34)
    _axis_shares(above, data.t[data.run], motion)
    _port_shares(below, data.t[data.run], motion, cell)
    _share_bars(sheet.panel(right), motion)
    for panel in panels:
        panel.y.limits = 0.0, 1.4 * panel.y.range[1]
        panel.legend = Legend(columns=4)
    return sheet


def _axis_shares(panel: Panel, t: Floats, motion: MotionFigures) -> None:
    for unit, (columns, colour) in UNITS.items():
        share = 100.0 * np.abs(motion.speed_share[:, columns]).max(axis=1)
        panel.curve(*thin(t, share, POINTS), LineStyle(colour), unit)
    panel.title = "Speed of the fastest axis, % of its limit"


def _port_shares(panel: Panel, t: Floats, motion: MotionFigures, cell: Cell) -> None:
    limits, t = cell.file.limits, t[t.size - len(motion.port_speed) :]
    for i, colour in enumerate((ROBOT1, ROBOT2)):
        speed = motion.port_speed[:, i] / limits.port_speed_m_s
        rate = motion.port_rate[:, i] * DEG / limits.port_rate_deg_s
        panel.curve(*thin(t, 100.0 * speed, POINTS), LineStyle(colour), f"port {i + 1} speed")
        panel.curve(*thin(t, 100.0 * rate, POINTS), LineStyle(colour, 1.2, DASHED), f"port {i + 1} rate")
    allowed = f"{limits.port_speed_m_s:g} m/s and {limits.port_rate_deg_s:g} deg/s"
    panel.title = f"Ports, % of Table 3's {allowed}"
    panel.x.label = TIME_LABEL


def _share_bars(panel: Panel, motion: MotionFigures) -> None:
    """Greatest speed (solid) and acceleration (pale) of every axis."""
    for offset, values, alpha in ((-0.19, motion.speed_share, 0.95), (0.19, motion.acceleration_share, 0.4)):
        if len(values):
            greatest = (100.0 * greatest_sizes(values)).tolist()
            for row, (share, colour) in enumerate(zip(greatest, AXIS_COLOURS, strict=True)):
                panel.bar(row + offset, 0.0, share, 0.36, colour, alpha)
    panel.curve([100.0, 100.0], [-np.inf, np.inf], LineStyle(BAD, 0.9, DOTTED))
    _rows(panel)
    panel.x.limits = 0.0, 105.0
    panel.title = "Greatest speed (full) and acceleration (pale), % of limit"
