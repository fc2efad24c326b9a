"""Drawings of the planar experiment: the base's angle over time, its distance from the closed form, the way of the joints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from proxops.ground.log import Log
from proxops.ground.plot_style import GREY, INK, RAIL, ROBOT1, ROBOT2, in_decades, new_figure, styled
from proxops.ground.recorded import Floats
from proxops.ground.section import Drawing

NOTE = (
    "Base angle from inertial x to the base's x, joint angles against the body before; everything starts at "
    "rest, so momentum is zero "
    "in the inertial frame throughout; t = 0 is the start."
)


def draw(log: Log, about: dict[str, Any]) -> Iterator[Drawing]:
    """For the report, one for every case."""
    t = log.values("clock.t_sim")
    for name, told in about["figures"].items():
        with styled():
            figure = new_figure(11.0, 3.6)
            grid = figure.add_gridspec(1, 3, wspace=0.34, left=0.065, right=0.985, top=0.88, bottom=0.15)
            _angles(figure.add_subplot(grid[0]), log, name, t)
            _apart(figure.add_subplot(grid[1]), log, name, t)
            _joints(figure.add_subplot(grid[2]), log, name, t)
        closed = np.degrees(told["closed_form_rad"])
        yield Drawing(figure, f"{name}: at the end the base has turned by {closed:.4f} deg (closed form). {NOTE}")


def _angles(axes: Any, log: Log, name: str, t: Floats) -> None:
    for column, style in (
        ("base_dynamics", {"color": ROBOT1, "lw": 4.0, "alpha": 0.5, "label": "dynamics"}),
        ("base_momentum", {"color": ROBOT2, "lw": 1.8, "label": "momentum"}),
        ("base_closed", {"color": INK, "lw": 0.9, "ls": (0, (4, 2.5)), "label": "closed form"}),
    ):
        axes.plot(t, np.degrees(log.values(f"{name}.{column}")), **style)
    _labels(axes, "base angle [deg]", "Base")
    axes.legend(loc="best")


def _apart(axes: Any, log: Log, name: str, t: Floats) -> None:
    closed = log.values(f"{name}.base_closed")
    for column, colour in (("base_dynamics", ROBOT1), ("base_momentum", ROBOT2)):
        apart = np.abs(log.values(f"{name}.{column}") - closed)
        axes.plot(t[1:], np.maximum(apart[1:], 1e-16), color=colour, lw=1.0, label=column.removeprefix("base_"))
    in_decades(axes)
    _labels(axes, "[rad]", "Distance from the closed form")
    axes.legend(loc="best")


def _joints(axes: Any, log: Log, name: str, t: Floats) -> None:
    ways = [np.degrees(log.values(f"{name}.joint_{j}")) for j in (1, 2) if f"joint_{j}" in _columns(log, name)]
    if len(ways) == 1:
        axes.plot(t, ways[0], color=RAIL)
        _labels(axes, "joint 1 [deg]", "Joint")
        return
    axes.plot(*ways, color=RAIL)
    axes.plot(ways[0][0], ways[1][0], "o", color=ROBOT2, ms=6)
    quarter = len(t) // 8
    axes.annotate(
        "", (ways[0][quarter + 1], ways[1][quarter + 1]), (ways[0][quarter], ways[1][quarter]),
        arrowprops={"arrowstyle": "-|>", "color": GREY, "lw": 1.2, "mutation_scale": 16},
    )  # fmt: skip
    axes.set_xlabel("joint 1 [deg]")
    axes.set_ylabel("joint 2 [deg]")
    axes.set_title("Joints; the dot is start and end")
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.12)


def _columns(log: Log, name: str) -> tuple[str, ...]:
    return log.names(name)


def _labels(axes: Any, y: str, title: str) -> None:
    axes.set_xlabel("time [s]")
    axes.set_ylabel(y)
    axes.set_title(title)
