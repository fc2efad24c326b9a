"""Drawings of a loop with an arm in it: way to the goal, joints and commands, satellite, torques, time of each cycle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from proxops.applications.kube.recorded_loop import RecordedLoop, recorded_loop
from proxops.ground.log import Log
from proxops.ground.plot_style import BAD, GREY, INK, RAIL, ROBOT1, ROBOT2, in_decades, new_figure, styled, thin
from proxops.ground.recorded import Floats
from proxops.ground.section import Drawing
from proxops.maths.rotation import abc_from_matrix, matrix_from_quat

COLOURS: Final = (ROBOT1, ROBOT2, RAIL, BAD, "#7a5bc0", "#1f9aa5", INK)
AXES: Final = ((ROBOT1, "x"), (ROBOT2, "y"), (RAIL, "z"))
PERIOD_S: Final = 1e-3


def draw(log: Log, about: dict[str, Any]) -> Iterator[Drawing]:
    """For the report, one after the other."""
    loop = recorded_loop(log)
    with styled():
        yield Drawing(_errors(loop), "Way and turn to the goal, inertial axes.")
        yield Drawing(_joints(loop), "Joint angles measured on the arm, and joint rates sent to it.")
        yield Drawing(
            _pose(loop.t[loop.seen], loop.base, "Satellite"),
            "The satellite as the momentum moves it, inertial axes (paper 004, figure 12); angles of R = Rz Ry Rx.",
        )
        yield Drawing(
            _pose(loop.t[loop.seen], loop.tool, "Tool"),
            "The tool in inertial axes (figure 10); angles of R = Rz Ry Rx.",
        )
        yield Drawing(_torques(loop), "Net joint torques as the sensors tell them, on the ground (figure 16).")
    yield from timing_figures(loop, about)


def timing_figures(loop: RecordedLoop, about: dict[str, Any]) -> Iterator[Drawing]:
    """Only of a run by the wall's clock, or with a computer that takes its time."""
    if "timing" in about["figures"]:
        with styled():
            yield Drawing(
                _timing(loop),
                "Time of evaluation of every cycle (figure 14; the paper's took 25 ms and more), and how late it began.",
            )
    elif "computer" in about["figures"]:
        with styled():
            yield Drawing(
                _evaluations(loop),
                "Time of each evaluation (figure 14; the paper's took 25 ms, and longer at times), and their spread.",
            )


def angles_deg(quats: Floats) -> Floats:
    """(rows, 3) z, y, x of R = Rz Ry Rx, without jumps."""
    out = np.array([abc_from_matrix(matrix_from_quat(quat)) for quat in quats])
    return np.degrees(np.unwrap(out, axis=0))


def curves(axes: Any, t: Floats, values: Floats, names: list[str] | tuple[str, ...], **style: Any) -> None:
    """One line per column."""
    for column, name, colour in zip(values.T, names, COLOURS, strict=False):
        axes.plot(*thin(t, column, 800), **{"color": colour, "label": name, "lw": 1.2, **style})
    axes.set_xlabel("time [s]")
    axes.set_xlim(t[0], t[-1])


def pair(width: float = 11.0, height: float = 3.3) -> tuple[Any, Any, Any]:
    """A figure with two plots side by side."""
    figure = new_figure(width, height)
    grid = figure.add_gridspec(1, 2, left=0.065, right=0.985, top=0.9, bottom=0.15, wspace=0.2)
    return figure, figure.add_subplot(grid[0]), figure.add_subplot(grid[1])


def _errors(loop: RecordedLoop) -> Any:
    t, way, turn = loop.t[loop.seen], loop.error[:, :3], np.degrees(loop.error[:, 3:])
    figure, left, right = pair()
    curves(left, t, 1e3 * way, ("x [mm]", "y", "z"))
    for column, (colour, name) in zip(turn.T, AXES, strict=True):
        left.plot(
            *thin(t, column, 800),
            color=colour,
            lw=1.0,
            ls=(0, (3, 2)),
            label=f"r{name} [deg]" if name == "x" else f"r{name}",
        )
    left.set_title("Way [mm] and turn [deg] to the goal")
    left.legend(ncol=2)
    right.plot(*thin(t, np.maximum(1e3 * np.linalg.norm(way, axis=1), 1e-4)), color=ROBOT1, lw=1.2, label="way [mm]")
    right.plot(*thin(t, np.maximum(np.linalg.norm(turn, axis=1), 1e-4)), color=ROBOT2, lw=1.2, label="turn [deg]")
    in_decades(right)
    right.set_xlim(t[0], t[-1])
    right.set_xlabel("time [s]")
    right.set_title("Their length")
    right.legend()
    return figure


def _joints(loop: RecordedLoop) -> Any:
    names = [name.upper() for name in loop.joints]
    figure, left, right = pair()
    curves(left, loop.t, np.degrees(loop.measured), names)
    left.set_title("Joint angles, measured [deg]")
    curves(right, loop.t, np.degrees(loop.commanded), names)
    right.set_title("Joint rates, commanded [deg/s]")
    right.legend(ncol=2)
    return figure


def _pose(t: Floats, poses: Floats, what: str) -> Any:
    figure, left, right = pair()
    curves(left, t, poses[:, :3], ("x", "y", "z"))
    left.set_title(f"{what}: position [m]")
    left.legend()
    curves(right, t, angles_deg(poses[:, 3:])[:, ::-1], ("about x", "about y", "about z"))
    right.set_title(f"{what}: angles [deg]")
    right.legend()
    return figure


def _torques(loop: RecordedLoop) -> Any:
    t, values, names = loop.t, loop.torque, loop.joints
    figure, left, right = pair()
    curves(left, t, values[:, :4], [name.upper() for name in names[:4]], lw=0.8)
    left.set_title("Torque sensors [N m]")
    left.legend(ncol=2)
    curves(right, t, values[:, 4:], [name.upper() for name in names[4:]], lw=0.8)
    right.set_title("Torque sensors, the wrist [N m]")
    right.legend(ncol=2)
    return figure


def _evaluations(loop: RecordedLoop) -> Any:
    t, takes = loop.t[loop.seen], 1e3 * loop.evaluation[loop.seen]
    figure, left, right = pair()
    left.plot(t, takes, color=ROBOT1, lw=0.7)
    left.axhline(25.0, color=BAD, lw=0.9, ls=":")
    left.set_xlim(t[0], t[-1])
    left.set_xlabel("time [s]; dotted: the paper's 25 ms")
    left.set_title("Time of evaluation [ms]")
    right.hist(takes, 60, color=ROBOT1)
    right.set_yscale("log")
    right.set_xlabel("time of evaluation [ms]")
    right.set_title("Evaluations")
    return figure


def _timing(loop: RecordedLoop) -> Any:
    t = loop.t
    figure, left, right = pair()
    for axes, seconds, title in (
        (left, loop.evaluation, "Time of evaluation [ms]"),
        (right, loop.lateness, "Begin after its time [ms]"),
    ):
        values = 1e3 * seconds
        axes.plot(*thin(t, np.maximum(values, 1e-3)), color=ROBOT1, lw=0.7)
        if axes is left:
            axes.axhline(25.0, color=BAD, lw=0.9, ls=":")
            axes.text(t[-1], 25.0, "paper: 25 ms ", color=BAD, fontsize=8, ha="right", va="bottom")
        in_decades(axes)
        axes.axhline(1e3 * PERIOD_S, color=GREY, lw=0.9, ls="--")
        axes.set_xlim(t[0], t[-1])
        axes.set_xlabel("time [s]; dashed: 1 ms")
        axes.set_title(title)
    return figure
