"""The free axes at work: how the thirteen axes and the rig's roll share the motion that a relative pose leaves open."""

from __future__ import annotations

from typing import Final

from proxops.core.messages import UNITS
from proxops.ground.bridge_bands import add_bands, run_span
from proxops.ground.bridge_run import BridgeRun
from proxops.ground.figures import POINTS, WIDTH
from proxops.ground.panels.boxes import Box
from proxops.ground.panels.items import LineStyle
from proxops.ground.panels.panel import Legend, Panel, stack
from proxops.ground.panels.sheet import Sheet
from proxops.ground.plot_style import GREY, RAIL, thin
from proxops.ground.plots import DEG, TIME_LABEL
from proxops.ground.recorded import Floats

SHADES: Final = (
    ("#15508c", "#2b7fd4", "#8fbdec"),  # robot 1: A1 A2 A3, and A4 A5 A6
    ("#9c4a00", "#e0730d", "#f2b277"),  # robot 2
)
LEAST_DEG: Final = 2.0
ROLL: Final = "#7a5cc4"


def free_axes_figure(run: BridgeRun, axes: Floats, phi: Floats, cost: Floats, pace: Floats) -> Sheet:
    """Left: A1 to A3 of both robots, roll, cost. Right: the wrists, the rail, the pace. ``axes`` are the actual ones."""
    sheet = Sheet(WIDTH, 7.2)
    columns = Box.inside(0.065, 0.985, 0.07, 0.965).columns(2, 0.15)
    left, right = (_column(sheet, box, run, axes, k) for k, box in enumerate(columns))
    for panel, values, look, label in (
        (left[2], phi * DEG, LineStyle(ROLL), "roll φ [deg]"),
        (left[3], cost, LineStyle(GREY), "cost"),
        (right[2], axes[:, 0], LineStyle(RAIL), "rail [m]"),
        (right[3], pace, LineStyle(GREY), "pace"),
    ):
        panel.curve(*thin(run.t, values, POINTS), look)
        panel.y.label = label
    left[3].y.in_decades()
    right[3].y.limits = 0.0, 1.1
    return sheet


def _column(sheet: Sheet, box: Box, run: BridgeRun, axes: Floats, wrist: int) -> list[Panel]:
    """The arms' panels drawn, two more below them."""
    strip, below = box.rows(2, 0.05, (0.03, 1.0))
    add_bands(sheet, [strip], run)
    panels = sheet.column(below, 4, 0.16)
    stack(panels, TIME_LABEL, run_span(run))
    for robot in (0, 1):
        _arm(panels[robot], run.t, axes, robot, wrist)
        panels[robot].y.label = f"robot {robot + 1} {('A1–A3', 'A4–A6')[wrist]} [deg]"
    return panels


def _arm(panel: Panel, t: Floats, axes: Floats, robot: int, wrist: int) -> None:
    """Three axes of a robot; those that stand are not stretched until noise looks like motion."""
    q = axes[:, UNITS[f"robot{robot + 1}"]]
    for i, colour in enumerate(SHADES[robot]):
        panel.curve(*thin(t, q[:, 3 * wrist + i] * DEG, POINTS), LineStyle(colour), f"A{3 * wrist + i + 1}")
    low, high = panel.y.range
    half = max(0.5 * (high - low), 0.5 * LEAST_DEG)
    panel.y.limits = 0.5 * (low + high) - half, 0.5 * (low + high) + 1.35 * half
    panel.legend = Legend(columns=3)
    panel.y.whole = True
