"""The free axes at work: how the thirteen axes and the rig's roll share the motion that a relative pose leaves open."""

from __future__ import annotations

from typing import Any, Final

from proxops.core.messages import UNITS
from proxops.ground.bridge_bands import draw_bands
from proxops.ground.bridge_run import BridgeRun
from proxops.ground.figures import POINTS, WIDTH
from proxops.ground.plot_style import GREY, RAIL, in_decades, new_figure, styled, thin
from proxops.ground.plots import DEG, TIME_LABEL
from proxops.ground.recorded import Floats

SHADES: Final = (
    ("#15508c", "#2b7fd4", "#8fbdec"),  # robot 1: A1 A2 A3, and A4 A5 A6
    ("#9c4a00", "#e0730d", "#f2b277"),  # robot 2
)
LEAST_DEG: Final = 2.0
ROLL: Final = "#7a5cc4"


def free_axes_figure(run: BridgeRun, axes: Floats, phi: Floats, cost: Floats, pace: Floats) -> Any:
    """Left: A1 to A3 of both robots, roll, cost. Right: the wrists, the rail, the pace. ``axes`` are the actual ones."""
    with styled():
        figure = new_figure(WIDTH, 7.2)
        columns = figure.add_gridspec(1, 2, left=0.065, right=0.985, top=0.965, bottom=0.07, wspace=0.15)
        for column, titles in enumerate((("A1–A3", "roll φ [deg]", "cost"), ("A4–A6", "rail [m]", "pace"))):
            cells = columns[column].subgridspec(2, 1, height_ratios=[0.03, 1.0], hspace=0.05)
            first = draw_bands(figure, cells[0].subgridspec(1, 1), run)
            rows = cells[1].subgridspec(4, 1, hspace=0.16)
            panels = [figure.add_subplot(rows[i], sharex=first) for i in range(4)]
            for robot in (0, 1):
                _arm(panels[robot], run.t, axes, robot, column)
                panels[robot].set_ylabel(f"robot {robot + 1} {titles[0]} [deg]")
            for panel, title in zip(panels[2:], titles[1:], strict=True):
                panel.set_ylabel(title)
            curves = ((axes[:, 0], RAIL), (pace, GREY)) if column else ((phi * DEG, ROLL), (cost, GREY))
            for panel, (values, colour) in zip(panels[2:], curves, strict=True):
                panel.plot(*thin(run.t, values, POINTS), color=colour)
            for panel in panels:
                panel.tick_params(labelbottom=panel is panels[-1])
                panel.yaxis.set_label_coords(-0.095, 0.5)
            if column:
                panels[-1].set_ylim(0.0, 1.1)
            else:
                in_decades(panels[-1])
            panels[-1].set_xlabel(TIME_LABEL)
        return figure


def _arm(panel: Any, t: Floats, axes: Floats, robot: int, wrist: int) -> None:
    """Three axes of a robot; those that stand are not stretched until noise looks like motion."""
    q = axes[:, UNITS[f"robot{robot + 1}"]] * DEG
    for i, colour in enumerate(SHADES[robot]):
        panel.plot(*thin(t, q[:, 3 * wrist + i], POINTS), color=colour, label=f"A{3 * wrist + i + 1}")
    low, high = panel.get_ylim()
    half = max(0.5 * (high - low), 0.5 * LEAST_DEG)
    panel.set_ylim(0.5 * (low + high) - half, 0.5 * (low + high) + 1.35 * half)
    panel.legend(ncol=3, loc="upper right")
    panel.yaxis.get_major_locator().set_params(integer=True)
