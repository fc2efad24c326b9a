"""Figures of the report about ports and time: approach, errors of following, lateness of a live loop."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.ground.criteria import ATTITUDE_RMS_RAD, POSITION_RMS_M
from proxops.ground.following import Errors, Following
from proxops.ground.hall_run import HallRun
from proxops.ground.log import Log
from proxops.ground.mode_strip import mode_strip
from proxops.ground.panels.boxes import Box
from proxops.ground.panels.items import COMMANDED, DASHED, DOTTED, LineStyle, Mark
from proxops.ground.panels.panel import Legend, Panel
from proxops.ground.panels.sheet import Sheet
from proxops.ground.plot_style import BAD, RAIL, ROBOT1, ROBOT2, crest, thin
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


def approach_figure(run: HallRun) -> Sheet:
    """Port 1 in the lab and its distance to port 2 against time; the paths from the side and from above."""
    rows = run.data.run
    t = run.data.t[rows]
    wished, actual = ((a[rows], b[rows]) for a, b in (run.wished_ports, run.actual_ports))
    sheet = Sheet(WIDTH, 6.0)
    left, right = Box.inside(0.065, 0.985, 0.085, 0.95).columns(2, 0.16)
    panels = sheet.column(left, 3, 0.42)
    _distance(panels[0], t, wished, actual)
    _sideways(panels[1], t, wished[0], actual[0])
    _closing(panels[2], t, wished)
    panels[2].x.label = TIME_LABEL
    views = ((2, "side: x and z"), (1, "from above: x and y"))
    for panel, (axis, name) in zip(sheet.column(right, 2, 0.3), views, strict=True):
        _path(panel, actual, axis, name)
    return sheet


def _distance(panel: Panel, t: Floats, wished: tuple[Floats, Floats], actual: tuple[Floats, Floats]) -> None:
    between = distance(*wished), distance(*actual)
    panel.curve(*thin(t, actual[0][:, 0], POINTS), LineStyle(ROBOT1, 2.2), "x of port 1 in the lab")
    panel.curve(*thin(t, between[1], POINTS), LineStyle(RAIL, 2.2), "distance")
    panel.curve(*thin(t, wished[0][:, 0], POINTS), COMMANDED)
    panel.curve(*thin(t, between[0], POINTS), COMMANDED, "commanded")
    panel.y.label, panel.title = "[m]", "Distance of the ports"
    panel.y.limits = 0.0, 1.3 * panel.y.range[1]
    panel.legend = Legend(columns=3)


def _sideways(panel: Panel, t: Floats, wished: Floats, actual: Floats) -> None:
    for i, (name, colour) in enumerate(SIDEWAYS, 1):
        panel.curve(*thin(t, actual[:, i], POINTS), LineStyle(colour, 2.2), name)
        panel.curve(*thin(t, wished[:, i], POINTS), COMMANDED)
    panel.y.label, panel.title = "[m]", "Port 1 in the lab, across the approach"
    panel.y.add_room(0.35)
    panel.legend = Legend(columns=3)


def _closing(panel: Panel, t: Floats, wished: tuple[Floats, Floats]) -> None:
    """From the command: differences of the actual values would show their noise only."""
    speed = -np.gradient(distance(*wished), t) * 1e3 if t.size > 1 else np.zeros(t.size)
    panel.curve(*thin(t, speed, POINTS), LineStyle(RAIL))
    panel.y.label, panel.title = "[mm/s]", "Closing speed, commanded"


def _path(panel: Panel, actual: tuple[Floats, Floats], axis: int, name: str) -> None:
    for pose, colour, label in zip(actual, (ROBOT1, ROBOT2), ("port 1", "port 2"), strict=True):
        keep = np.unique(np.linspace(0, len(pose) - 1, POINTS).astype(int))
        panel.curve(pose[keep, 0], pose[keep, axis], LineStyle(colour, 1.6))
        panel.mark(Mark(pose[0, [0, axis]], "circle", colour, 5.0, "none", label=f"{label}, start"))
        panel.mark(Mark(pose[-1, [0, axis]], "circle", colour, 6.0, label=f"{label}, end"))
    low, high = panel.y.range
    centre, half = 0.5 * (low + high), max(0.5 * (high - low), 0.5)
    panel.y.limits = centre - half, centre + half
    panel.title, panel.legend = f"Paths in the lab, {name}", Legend("upper left", 2)
    panel.x.label, panel.y.label = "x [m]", f"{'xyz'[axis]} [m]"


def error_figure(data: Recorded, following: Following) -> Sheet:
    """Distance and angle between commanded and actual port, as they are and with the delay taken off."""
    t = data.t[data.run]
    sheet = Sheet(WIDTH, 5.0)
    columns = Box.inside(0.07, 0.985, 0.1, 0.93).columns(2, 0.16)
    for robot, (colour, box) in enumerate(zip((ROBOT1, ROBOT2), columns, strict=True)):
        panels = sheet.column(box, 2, 0.14)
        for panel in panels:
            panel.y.log = True
        _errors(panels, t, following.direct, robot, LineStyle(colour, 2.2, alpha=0.4), "as it is")
        _errors(panels, t, following.delay_removed, robot, LineStyle(colour, 1.1), "delay taken off")
        for panel, (label, bound) in zip(panels, ERROR_LABELS, strict=True):
            panel.level(bound, LineStyle(BAD, 0.9, DOTTED), "bound of the rms")
            panel.y.label = label
        panels[0].title, panels[0].legend = f"Robot {robot + 1}", Legend("above", 3)
        panels[0].x.worded, panels[1].x.label = False, TIME_LABEL
    return sheet


def _errors(panels: list[Panel], t: Floats, errors: Errors, robot: int, look: LineStyle, label: str) -> None:
    for panel, values, scale in zip(panels, (errors.position, errors.attitude), (1e3, DEG), strict=True):
        panel.curve(*crest(t, values[:, robot] * scale, POINTS // 2), look, label)


def timing_figure(log: Log, data: Recorded) -> Sheet:
    """How late the live loop woke up: how often, and when."""
    late = log.values("timing.lateness") * 1e6
    sheet = Sheet(WIDTH, 3.0)
    left, right = Box.inside(0.065, 0.985, 0.17, 0.9).columns(2, 0.16)
    _lateness_counts(sheet.panel(left), late)
    strip, below = right.rows(2, 0.06, (0.07, 1.0))
    span = (0.0, data.phases[-1].end)
    mode_strip(sheet, strip, data.phases, span)
    over_time = sheet.panel(below)
    over_time.x.limits, over_time.x.label = span, TIME_LABEL
    over_time.y.log, over_time.y.label = True, "[µs]"
    over_time.curve(*thin(data.t, np.maximum(late, 1.0), POINTS), LineStyle(ROBOT1, 0.9))
    return sheet


def _lateness_counts(panel: Panel, late: Floats) -> None:
    edges = np.geomspace(1.0, max(float(late.max()), 2e3), 80)
    counts = np.histogram(late, edges)[0].astype(np.float64)
    panel.x.log = panel.y.log = True
    panel.y.limits = 0.7, 1.6 * max(float(counts.max()), 1.0)
    panel.stairs(edges, np.full(counts.size, 0.1), np.maximum(counts, 0.1), ROBOT1)
    share = float(np.percentile(late, 99))
    panel.curve([share, share], [-np.inf, np.inf], LineStyle(BAD, 1.0, DASHED), "99 % of the cycles")
    panel.x.label, panel.y.label = "lateness [µs]", "cycles"
    panel.title, panel.legend = "Lateness of the live loop", Legend()
