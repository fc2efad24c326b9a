"""Figures of the report beside the commanded and actual curves: approach, errors, axis ranges, speeds, timing."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from proxops.core.messages import AXES
from proxops.ground.criteria import ATTITUDE_RMS_RAD, POSITION_RMS_M
from proxops.ground.following import Errors, Following
from proxops.ground.log import Log
from proxops.ground.motion import Motion
from proxops.ground.plot_style import (
    BAD, COMMANDED, GREY, INK, RAIL, ROBOT1, ROBOT2, mode_band, new_figure, styled, thin,
)  # fmt: skip
from proxops.ground.plots import DEG, TIME_LABEL
from proxops.ground.recorded import Floats, Recorded, ports_of_axes
from proxops.lab.cell import Cell

POINTS: Final = 900  # of a curve in the report
WIDTH: Final = 11.0
AXIS_COLOURS: Final = (RAIL, *(ROBOT1,) * 6, *(ROBOT2,) * 6)
AXIS_NAMES: Final = ("rail", *(f"robot {r} A{i}" for r in (1, 2) for i in range(1, 7)))
UNIT_COLOURS: Final = {"rail": RAIL, "robot 1": ROBOT1, "robot 2": ROBOT2}
UNIT_AXES: Final = {"rail": slice(0, 1), "robot 1": slice(1, 7), "robot 2": slice(7, 13)}


def approach_figure(data: Recorded, cell: Cell) -> Any:
    """Port 1 against time in the lab, the distance to port 2 and how fast it shrinks; the paths from the side and above."""
    t = data.t[data.run]
    wished, actual = (ports_of_axes(cell.hall, q[data.run]) for q in (data.wish, data.actual))
    with styled():
        figure = new_figure(WIDTH, 6.0)
        grid = figure.add_gridspec(3, 2, left=0.065, right=0.985, top=0.95, bottom=0.085, wspace=0.16, hspace=0.42)
        panels = [figure.add_subplot(grid[i, 0]) for i in range(3)]
        _distance(panels[0], t, wished, actual)
        _chaser(panels[1], t, wished[0], actual[0])
        _closing(panels[2], t, wished)
        panels[2].set_xlabel(TIME_LABEL)
        views = grid[:, 1].subgridspec(2, 1, hspace=0.3)
        for i, (axis, name) in enumerate(((2, "side: x and z"), (1, "from above: x and y"))):
            _path(figure.add_subplot(views[i]), actual, axis, name)
        return figure


def _distance(panel: Any, t: Floats, wished: tuple[Floats, Floats], actual: tuple[Floats, Floats]) -> None:
    between = [np.linalg.norm(a[:, :3] - b[:, :3], axis=1) for a, b in (wished, actual)]
    panel.plot(*thin(t, between[1], POINTS), color=RAIL, lw=2.2, label="actual")
    panel.plot(*thin(t, between[0], POINTS), **COMMANDED, label="commanded")
    panel.set_ylabel("[m]")
    panel.set_title("Distance of the ports")
    panel.set_ylim(bottom=0.0)
    panel.legend(ncol=2, loc="upper right")


def _chaser(panel: Any, t: Floats, wished: Floats, actual: Floats) -> None:
    for i, (name, colour) in enumerate(zip("xyz", (ROBOT1, "#7a5cc4", "#1fa3a3"), strict=True)):
        panel.plot(*thin(t, actual[:, i], POINTS), color=colour, lw=2.2, label=name)
        panel.plot(*thin(t, wished[:, i], POINTS), **COMMANDED)
    panel.set_ylabel("[m]")
    panel.set_title("Port 1 (chaser) in the lab")
    panel.legend(ncol=3, loc="upper right")


def _closing(panel: Any, t: Floats, wished: tuple[Floats, Floats]) -> None:
    """From the command: differences of the actual values would show their noise only."""
    distance = np.linalg.norm(wished[0][:, :3] - wished[1][:, :3], axis=1)
    speed = -np.gradient(distance, t) * 1e3 if t.size > 1 else np.zeros(t.size)
    panel.plot(*thin(t, speed, POINTS), color=RAIL)
    panel.set_ylabel("[mm/s]")
    panel.set_title("Closing speed, commanded")


def _path(panel: Any, actual: tuple[Floats, Floats], axis: int, name: str) -> None:
    for pose, colour, label in zip(actual, (ROBOT1, ROBOT2), ("port 1", "port 2"), strict=True):
        keep = np.unique(np.linspace(0, len(pose) - 1, POINTS).astype(int))
        panel.plot(pose[keep, 0], pose[keep, axis], color=colour, lw=1.6)
        panel.plot(pose[0, 0], pose[0, axis], "o", ms=5, mfc="none", mec=colour, label=f"{label}, start")
        panel.plot(pose[-1, 0], pose[-1, axis], "o", ms=6, color=colour, label=f"{label}, end")
    centre, half = 0.5 * sum(panel.get_ylim()), 0.5 * float(np.ptp(panel.get_ylim()))
    panel.set_ylim(centre - max(half, 0.5), centre + max(half, 0.5))
    panel.set_title(f"Paths in the lab, {name}")
    panel.set_xlabel("x [m]")
    panel.set_ylabel(f"{'xyz'[axis]} [m]")
    panel.legend(ncol=2, loc="upper left")


def error_figure(data: Recorded, following: Following) -> Any:
    """Distance and angle between commanded and actual port, as they are and with the delay of the drives taken off."""
    with styled():
        figure = new_figure(WIDTH, 5.0)
        grid = figure.add_gridspec(2, 2, left=0.075, right=0.985, top=0.93, bottom=0.1, wspace=0.16, hspace=0.16)
        for robot, colour in enumerate((ROBOT1, ROBOT2)):
            panels = [figure.add_subplot(grid[row, robot]) for row in range(2)]
            _errors(panels, data.t[data.run], following.direct, robot, colour, "as it is", 0.4)
            _errors(panels, data.t[data.run], following.delay_removed, robot, colour, "delay taken off", 1.0)
            for panel, label, bound in zip(panels, ("position error [mm]", "attitude error [deg]"), (POSITION_RMS_M * 1e3, ATTITUDE_RMS_RAD * DEG), strict=True):
                panel.axhline(bound, color=BAD, lw=0.9, ls=":", label="bound of the rms")
                panel.set_yscale("log")
                panel.set_ylabel(label)
                panel.legend(ncol=3, loc="lower left", bbox_to_anchor=(0.0, -0.01))
            panels[0].set_title(f"Robot {robot + 1}")
            panels[0].tick_params(labelbottom=False)
            panels[1].set_xlabel(TIME_LABEL)
        return figure


def _errors(panels: list[Any], t: Floats, errors: Errors, robot: int, colour: str, label: str, alpha: float) -> None:
    for panel, values, scale in zip(panels, (errors.position, errors.attitude), (1e3, DEG), strict=True):
        size = np.maximum(values[:, robot] * scale, 1e-4)
        panel.plot(*thin(t, size, POINTS), color=colour, alpha=alpha, lw=1.0 if alpha == 1.0 else 2.0, label=label)


def range_figure(data: Recorded, cell: Cell) -> Any:
    """What each axis used of its range in the run: bar from lowest to highest, ring at the start, dot at the end."""
    with styled():
        figure = new_figure(WIDTH, 4.6)
        panel = figure.add_axes((0.1, 0.09, 0.885, 0.83))
        q, lower, upper = data.actual[data.run], cell.axes.lower, cell.axes.upper
        for i in range(len(AXES)):
            _axis_bar(panel, i, q[:, i], float(lower[i]), float(upper[i]))
        panel.set_yticks(range(len(AXES)), AXIS_NAMES)
        panel.set_ylim(len(AXES) - 0.4, -0.6)
        panel.set_xlim(-1.0, 1.62)
        panel.set_xticks([-1.0, -0.5, 0.0, 0.5, 1.0], ["lower limit", "", "middle", "", "upper limit"])
        panel.grid(axis="y", visible=False)
        panel.set_title("Axes in their ranges")
        return figure


def _axis_bar(panel: Any, row: int, q: Floats, lower: float, upper: float) -> None:
    scale, unit = (1.0, "m") if row == 0 else (DEG, "deg")
    low, high = float(q.min()) * scale, float(q.max()) * scale
    used = f"{low:.4g} … {high:.4g} {unit}"
    if np.isfinite(lower) and np.isfinite(upper):
        shares = (2.0 * (value - lower) / (upper - lower) - 1.0 for value in (q.min(), q.max(), q[0], q[-1]))
        used += f"   of {lower * scale:.4g} … {upper * scale:.4g}"
    else:
        shares = (np.clip(value / np.pi, -1.0, 1.0) if abs(q).max() < np.pi else s for value, s in zip((q.min(), q.max(), q[0], q[-1]), (-1.0, 1.0, 0.0, 0.0), strict=True))
        used += f"   endless, {(q[-1] - q[0]) / (2 * np.pi):+.2f} turns"
    begin, end, first, last = (float(share) for share in shares)
    colour = AXIS_COLOURS[row]
    panel.barh(row, 2.0, left=-1.0, height=0.62, color=GREY, alpha=0.16, lw=0)
    panel.barh(row, max(end - begin, 0.006), left=begin, height=0.62, color=colour, alpha=0.55, lw=0)
    panel.plot(first, row, "o", ms=6, mfc="none", mec=INK, mew=0.9)
    panel.plot(last, row, "o", ms=4, color=INK)
    panel.text(1.03, row, used, va="center", fontsize=7.5)


def speed_figure(data: Recorded, motion: Motion, cell: Cell) -> Any:
    """Set-points against what the guard allows: the worst axis of each unit over time, and every axis at its greatest."""
    with styled():
        figure = new_figure(WIDTH, 4.4)
        grid = figure.add_gridspec(2, 2, width_ratios=[1.25, 1.0], left=0.065, right=0.985, top=0.93, bottom=0.105, wspace=0.24, hspace=0.32)
        left, below, right = (figure.add_subplot(place) for place in (grid[0, 0], grid[1, 0], grid[:, 1]))
        t = data.t[data.run]
        for unit, columns in UNIT_AXES.items():
            share = 100.0 * np.abs(motion.speed_share[:, columns]).max(axis=1)
            left.plot(*thin(t, share, POINTS), color=UNIT_COLOURS[unit], label=unit)
        left.set_title("Speed of the fastest axis, % of its limit")
        for i, (unit, colour) in enumerate((("port 1", ROBOT1), ("port 2", ROBOT2))):
            below.plot(*thin(t[-len(motion.port_speed) :], motion.port_speed[:, i] * 1e3, POINTS), color=colour, label=f"{unit}, speed [mm/s]")
            below.plot(*thin(t[-len(motion.port_rate) :], motion.port_rate[:, i] * DEG, POINTS), color=colour, ls="--", lw=1.0, label=f"{unit}, rate [deg/s]")
        below.set_title("Ports")
        below.set_xlabel(TIME_LABEL)
        for panel in (left, below):
            panel.legend(ncol=2, loc="upper right")
            panel.set_ylim(bottom=0.0)
            panel.margins(y=0.3)
        _share_bars(right, motion)
        return figure


def _share_bars(panel: Any, motion: Motion) -> None:
    """Greatest speed (solid) and acceleration (pale) of every axis."""
    rows = np.arange(len(AXES))
    for offset, values, alpha, label in ((-0.19, motion.speed_share, 0.95, "speed"), (0.19, motion.acceleration_share, 0.4, "acceleration")):
        if len(values):
            panel.barh(rows + offset, 100.0 * np.abs(values).max(axis=0), height=0.36, color=AXIS_COLOURS, alpha=alpha, lw=0, label=label)
    panel.axvline(100.0, color=BAD, lw=0.9, ls=":")
    panel.set_yticks(rows, AXIS_NAMES)
    panel.set_ylim(len(AXES) - 0.4, -0.6)
    panel.set_xlim(0.0, 105.0)
    panel.grid(axis="y", visible=False)
    panel.set_title("Greatest speed (full) and acceleration (pale), % of limit")


def timing_figure(log: Log, data: Recorded) -> Any:
    """How late the live loop woke up: how often, and when."""
    late = log.values("timing.lateness") * 1e6
    with styled():
        figure = new_figure(WIDTH, 3.0)
        grid = figure.add_gridspec(2, 2, height_ratios=[0.07, 1.0], left=0.065, right=0.985, top=0.9, bottom=0.17, wspace=0.16, hspace=0.06)
        left, band, right = figure.add_subplot(grid[:, 0]), figure.add_subplot(grid[0, 1]), figure.add_subplot(grid[1, 1])
        left.hist(late, bins=np.geomspace(1.0, max(float(late.max()), 2e3), 80), color=ROBOT1, lw=0)
        left.set(xscale="log", yscale="log", xlabel="lateness [µs]", ylabel="cycles")
        left.axvline(float(np.percentile(late, 99)), color=BAD, lw=1.0, ls="--", label="99 % of the cycles")
        left.legend(loc="upper right")
        left.set_title("Lateness of the live loop")
        span = (0.0, data.phases[-1].end)
        mode_band(band, data.phases, span)
        for panel in (band, right):
            panel.set_xlim(*span)
        right.plot(*thin(data.t, np.maximum(late, 1.0), POINTS), color=ROBOT1, lw=0.9)
        right.set(yscale="log", xlabel=TIME_LABEL, ylabel="[µs]")
        return figure
