"""Figures of the report about axes: what they used of their ranges, how near they came to their limits."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from proxops.core.messages import AXES
from proxops.ground.figures import POINTS, WIDTH
from proxops.ground.motion import MotionFigures
from proxops.ground.plot_style import BAD, GREY, INK, RAIL, ROBOT1, ROBOT2, new_figure, styled, thin
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


def range_figure(data: Recorded, cell: Cell) -> Any:
    """What each axis used of its range in the run, with its start and its end."""
    with styled():
        figure = new_figure(WIDTH, 4.6)
        panel = figure.add_axes((0.1, 0.07, 0.885, 0.86))
        for i in range(len(AXES)):
            limits = float(cell.axes.lower[i]), float(cell.axes.upper[i])
            _axis_bar(panel, i, data.actual[data.run, i], *limits)
        _rows(panel)
        panel.set_xlim(-1.0, 1.62)
        panel.set_xticks([-1.0, -0.5, 0.0, 0.5, 1.0], ["lower limit", "", "middle", "", "upper limit"])
        panel.set_title("Bar: used in the run.  Ring: start.  Dot: end.")
        return figure


def _axis_bar(panel: Any, row: int, q: Floats, lower: float, upper: float) -> None:
    scale, unit, colour = 1.0 if row == 0 else DEG, "m" if row == 0 else "deg", AXIS_COLOURS[row]
    used = f"{q.min() * scale:.4g} … {q.max() * scale:.4g} {unit}"
    marks = np.array([q.min(), q.max(), q[0], q[-1]])
    if np.isfinite(lower) and np.isfinite(upper):
        used += f"   of {lower * scale:.4g} … {upper * scale:.4g}"
    else:
        used += f"   endless, {(q[-1] - q[0]) / (2.0 * np.pi):+.2f} turns"
        middle = np.pi * np.floor(np.mean(marks[:2]) / np.pi + 0.5)
        half = max(np.pi, float(np.abs(marks - middle).max()))  # a turn, or as many as were made
        lower, upper = middle - half, middle + half
    begin, end, first, last = (2.0 * (marks - lower) / (upper - lower) - 1.0).tolist()
    panel.barh(row, 2.0, left=-1.0, height=0.62, color=GREY, alpha=0.16, lw=0)
    panel.barh(row, max(end - begin, 0.006), left=begin, height=0.62, color=colour, alpha=0.55, lw=0)
    panel.plot(first, row, "o", ms=6, mfc="none", mec=INK, mew=0.9, clip_on=False)
    panel.plot(last, row, "o", ms=4, color=INK, clip_on=False)
    panel.text(1.03, row, used.replace("-", "−"), va="center", fontsize=7.5)


def _rows(panel: Any) -> None:
    panel.set_yticks(range(len(AXES)), AXIS_NAMES)
    panel.set_ylim(len(AXES) - 0.4, -0.6)
    panel.grid(axis="y", visible=False)


def speed_figure(data: Recorded, motion: MotionFigures, cell: Cell) -> Any:
    """Set-points against what the guard allows: over time, and every axis at its greatest."""
    with styled():
        figure = new_figure(WIDTH, 4.4)
        grid = figure.add_gridspec(
            2,
            2,
            width_ratios=[1.25, 1.0],
            left=0.05,
            right=0.985,
            top=0.93,
            bottom=0.105,
            wspace=0.24,
            hspace=0.34,
        )
        above, below, right = (figure.add_subplot(place) for place in (grid[0, 0], grid[1, 0], grid[:, 1]))
        _axis_shares(above, data.t[data.run], motion)
        _port_shares(below, data.t[data.run], motion, cell)
        _share_bars(right, motion)
        for panel in (above, below):
            panel.set_ylim(0.0, 1.4 * panel.get_ylim()[1])
            panel.legend(ncol=4, loc="upper right")
        return figure


def _axis_shares(panel: Any, t: Floats, motion: MotionFigures) -> None:
    for unit, (columns, colour) in UNITS.items():
        share = 100.0 * np.abs(motion.speed_share[:, columns]).max(axis=1)
        panel.plot(*thin(t, share, POINTS), color=colour, label=unit)
    panel.set_title("Speed of the fastest axis, % of its limit")


def _port_shares(panel: Any, t: Floats, motion: MotionFigures, cell: Cell) -> None:
    limits, t = cell.file.limits, t[t.size - len(motion.port_speed) :]
    for i, colour in enumerate((ROBOT1, ROBOT2)):
        speed = motion.port_speed[:, i] / limits.port_speed_m_s
        rate = motion.port_rate[:, i] * DEG / limits.port_rate_deg_s
        panel.plot(*thin(t, 100.0 * speed, POINTS), color=colour, label=f"port {i + 1} speed")
        panel.plot(*thin(t, 100.0 * rate, POINTS), color=colour, ls="--", lw=1.2, label=f"port {i + 1} rate")
    allowed = f"{limits.port_speed_m_s:g} m/s and {limits.port_rate_deg_s:g} deg/s"
    panel.set_title(f"Ports, % of Table 3's {allowed}")
    panel.set_xlabel(TIME_LABEL)


def _share_bars(panel: Any, motion: MotionFigures) -> None:
    """Greatest speed (solid) and acceleration (pale) of every axis."""
    rows = np.arange(len(AXES))
    for offset, values, alpha in ((-0.19, motion.speed_share, 0.95), (0.19, motion.acceleration_share, 0.4)):
        if len(values):
            greatest = 100.0 * np.abs(values).max(axis=0)
            panel.barh(rows + offset, greatest, height=0.36, color=AXIS_COLOURS, alpha=alpha, lw=0)
    panel.axvline(100.0, color=BAD, lw=0.9, ls=":")
    _rows(panel)
    panel.set_xlim(0.0, 105.0)
    panel.set_title("Greatest speed (full) and acceleration (pale), % of limit")
