"""Figures of the report about ports and time: approach, errors of following, lateness of a live loop."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from proxops.ground.criteria import ATTITUDE_RMS_RAD, POSITION_RMS_M
from proxops.ground.following import Errors, Following
from proxops.ground.hall_run import HallRun
from proxops.ground.log import Log
from proxops.ground.plot_style import (
    BAD,
    COMMANDED,
    RAIL,
    ROBOT1,
    ROBOT2,
    crest,
    mode_band,
    new_figure,
    styled,
    thin,
)
from proxops.ground.plots import DEG, TIME_LABEL
from proxops.ground.pose_rows import distance
from proxops.ground.recorded import Floats, Recorded

POINTS: Final = 900  # of a curve in the report
WIDTH: Final = 11.0
SIDEWAYS: Final = (("y", "#7a5cc4"), ("z", "#1fa3a3"))
ERROR_LABELS: Final = (
    ("position error [mm]", POSITION_RMS_M * 1e3),
    ("attitude error [deg]", ATTITUDE_RMS_RAD * DEG),
)


def approach_figure(run: HallRun) -> Any:
    """Port 1 in the lab and its distance to port 2 against time; the paths from the side and from above."""
    rows = run.data.run
    t = run.data.t[rows]
    wished, actual = ((a[rows], b[rows]) for a, b in (run.wished_ports, run.actual_ports))
    with styled():
        figure = new_figure(WIDTH, 6.0)
        grid = figure.add_gridspec(3, 2, left=0.065, right=0.985, top=0.95, bottom=0.085, wspace=0.16, hspace=0.42)
        panels = [figure.add_subplot(grid[i, 0]) for i in range(3)]
        _distance(panels[0], t, wished, actual)
        _sideways(panels[1], t, wished[0], actual[0])
        _closing(panels[2], t, wished)
        panels[2].set_xlabel(TIME_LABEL)
        views = grid[:, 1].subgridspec(2, 1, hspace=0.3)
        for i, (axis, name) in enumerate(((2, "side: x and z"), (1, "from above: x and y"))):
            _path(figure.add_subplot(views[i]), actual, axis, name)
        return figure


def _distance(panel: Any, t: Floats, wished: tuple[Floats, Floats], actual: tuple[Floats, Floats]) -> None:
    between = distance(*wished), distance(*actual)
    panel.plot(*thin(t, actual[0][:, 0], POINTS), color=ROBOT1, lw=2.2, label="x of port 1 in the lab")
    panel.plot(*thin(t, between[1], POINTS), color=RAIL, lw=2.2, label="distance")
    panel.plot(*thin(t, wished[0][:, 0], POINTS), **COMMANDED)
    panel.plot(*thin(t, between[0], POINTS), **COMMANDED, label="commanded")
    panel.set_ylabel("[m]")
    panel.set_title("Distance of the ports")
    panel.set_ylim(0.0, 1.3 * panel.get_ylim()[1])
    panel.legend(ncol=3, loc="upper right")


def _sideways(panel: Any, t: Floats, wished: Floats, actual: Floats) -> None:
    for i, (name, colour) in enumerate(SIDEWAYS, 1):
        panel.plot(*thin(t, actual[:, i], POINTS), color=colour, lw=2.2, label=name)
        panel.plot(*thin(t, wished[:, i], POINTS), **COMMANDED)
    panel.set_ylabel("[m]")
    panel.set_title("Port 1 in the lab, across the approach")
    low, high = panel.get_ylim()
    panel.set_ylim(low, high + 0.35 * (high - low))
    panel.legend(ncol=3, loc="upper right")


def _closing(panel: Any, t: Floats, wished: tuple[Floats, Floats]) -> None:
    """From the command: differences of the actual values would show their noise only."""
    speed = -np.gradient(distance(*wished), t) * 1e3 if t.size > 1 else np.zeros(t.size)
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
    """Distance and angle between commanded and actual port, as they are and with the delay taken off."""
    t = data.t[data.run]
    with styled():
        figure = new_figure(WIDTH, 5.0)
        grid = figure.add_gridspec(2, 2, left=0.07, right=0.985, top=0.93, bottom=0.1, wspace=0.16, hspace=0.14)
        for robot, colour in enumerate((ROBOT1, ROBOT2)):
            panels = [figure.add_subplot(grid[row, robot]) for row in range(2)]
            _errors(panels, t, following.direct, robot, color=colour, alpha=0.4, lw=2.2, label="as it is")
            _errors(panels, t, following.delay_removed, robot, color=colour, lw=1.1, label="delay taken off")
            for panel, (label, bound) in zip(panels, ERROR_LABELS, strict=True):
                panel.axhline(bound, color=BAD, lw=0.9, ls=":", label="bound of the rms")
                panel.set(yscale="log", ylabel=label)
                panel.yaxis.set_major_formatter("{x:g}")
            panels[0].set_title(f"Robot {robot + 1}")
            panels[0].legend(ncol=3, loc="lower right", bbox_to_anchor=(1.0, 0.97))
            panels[0].tick_params(labelbottom=False)
            panels[1].set_xlabel(TIME_LABEL)
        return figure


def _errors(panels: list[Any], t: Floats, errors: Errors, robot: int, **look: Any) -> None:
    for panel, values, scale in zip(panels, (errors.position, errors.attitude), (1e3, DEG), strict=True):
        panel.plot(*crest(t, values[:, robot] * scale, POINTS // 2), **look)


def timing_figure(log: Log, data: Recorded) -> Any:
    """How late the live loop woke up: how often, and when."""
    late = log.values("timing.lateness") * 1e6
    with styled():
        figure = new_figure(WIDTH, 3.0)
        grid = figure.add_gridspec(
            2,
            2,
            height_ratios=[0.07, 1.0],
            left=0.065,
            right=0.985,
            top=0.9,
            bottom=0.17,
            wspace=0.16,
            hspace=0.06,
        )
        left, band, right = (
            figure.add_subplot(grid[:, 0]),
            figure.add_subplot(grid[0, 1]),
            figure.add_subplot(grid[1, 1]),
        )
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
