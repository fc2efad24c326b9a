"""Drawings of a replayed manoeuvre: base attitude without and with gravity gradient, joint angles, momentum."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from proxops.ground.log import Log
from proxops.ground.plot_style import GREY, INK, RAIL, ROBOT1, ROBOT2, new_figure, styled
from proxops.ground.recorded import Floats
from proxops.ground.section import Drawing

AXES = (("x", ROBOT1), ("y", ROBOT2), ("z", RAIL))


def draw(log: Log, about: dict[str, Any]) -> Iterator[Drawing]:
    """For the report; every caption carries the conventions."""
    t = log.values("clock.t_sim")
    note = " ".join(about["conventions"])
    with styled():
        yield Drawing(_attitude(log, t), f"Base attitude without and with gravity gradient. {note}")
        yield Drawing(_joints(log, t), f"Joint angles as commanded. {note}")
        yield Drawing(_momentum(log, t), f"Angular momentum and torque of the run with gravity gradient. {note}")


def _attitude(log: Log, t: Floats) -> Any:
    figure = new_figure(11.0, 5.4)
    grid = figure.add_gridspec(
        2, 3, wspace=0.34, hspace=0.28, left=0.075, right=0.985, top=0.93, bottom=0.1, height_ratios=[1.5, 1.0]
    )
    for i, angle in enumerate(("roll", "pitch", "yaw")):
        free, pulled = (np.degrees(log.values(f"{run}.{angle}")) for run in ("free", "pulled"))
        upper = figure.add_subplot(grid[0, i])
        upper.plot(t, free, color=ROBOT1, label="without")
        upper.plot(t, pulled, color=ROBOT2, lw=1.2, label="with gradient")
        upper.set_title(angle.capitalize())
        upper.set_ylabel("[deg]")
        lower = figure.add_subplot(grid[1, i], sharex=upper)
        lower.plot(t, 1e3 * (pulled - free), color=INK, lw=1.0)
        lower.axhline(0.0, color=GREY, lw=0.7)
        lower.set_ylabel("with − without [mdeg]")
        lower.set_xlabel("time of the recording [s]")
        if i == 2:
            upper.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncol=2, borderaxespad=0.1, handlelength=1.2)
    return figure


def _joints(log: Log, t: Floats) -> Any:
    figure = new_figure(11.0, 3.0)
    axes = figure.add_axes((0.075, 0.17, 0.8, 0.72))
    for name in log.names("joints"):
        values = np.degrees(log.values(f"joints.{name}"))
        still = not np.ptp(values)
        axes.plot(t, values, color=GREY if still else None, lw=0.9 if still else 1.6, label=name.replace("_", " "))
    axes.set_xlabel("time of the recording [s]")
    axes.set_ylabel("[deg]")
    axes.set_title("Joint angles")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _momentum(log: Log, t: Floats) -> Any:
    figure = new_figure(11.0, 3.2)
    grid = figure.add_gridspec(1, 2, wspace=0.22, left=0.075, right=0.985, top=0.88, bottom=0.16)
    left, right = (figure.add_subplot(grid[i]) for i in range(2))
    for axis, colour in AXES:
        left.plot(t, 1e3 * log.values(f"pulled.l{axis}"), color=colour, label=axis)
        right.plot(t, 1e3 * log.values(f"pulled.torque_{axis}"), color=colour, label=axis)
    for axes, title, unit in (
        (left, "Angular momentum about the mass centre, inertial axes", "[mN m s]"),
        (right, "Torque of the gravity gradient, all links", "[mN m]"),
    ):
        axes.set_title(title)
        axes.set_ylabel(unit)
        axes.set_xlabel("time of the recording [s]")
        axes.legend(loc="best")
    return figure
