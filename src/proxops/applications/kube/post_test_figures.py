"""Drawings of the analysis after a test with an arm in the loop: figures 8 to 13 and 15 to 17 of paper 004."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from proxops.applications.kube.figures import COLOURS, angles_deg, curves, pair
from proxops.ground.panels.items import COMMANDED
from proxops.ground.panels.on_matplotlib import line_options
from proxops.ground.plot_style import INK, ROBOT1, ROBOT2, new_figure, styled, thin
from proxops.ground.recorded import Floats
from proxops.ground.section import Drawing


@dataclass(frozen=True, eq=False)
class Trial:
    """One way of smoothing and what the simulation made of it. Differences are simulation (or fit) less test."""

    name: str
    smooth: Floats  # (rows, n) rad
    fit_error: Floats  # (rows, n) rad
    joint_error: Floats  # (rows, n) rad
    base: Floats  # (evaluated, 7)
    tool: Floats
    base_error: Floats  # (evaluated, 6) m and rad
    tool_error: Floats


@dataclass(frozen=True, eq=False)
class GroundTorques:
    """(rows, n) N m on the ground, gravity included; ``friction`` of the drives on top of what is computed."""

    measured: Floats
    computed: Floats
    friction: Floats

    @property
    def error(self) -> Floats:
        """Model less sensor."""
        return self.computed + self.friction - self.measured


@dataclass(frozen=True, eq=False)
class PostTest:
    """All of it; the first trial is the one that is judged. ``evaluated``: times of the readings that the loop evaluated."""

    joints: tuple[str, ...]
    t: Floats
    angles: Floats  # (rows, n) rad, measured
    evaluated: Floats  # s
    base: Floats  # (evaluated, 7) as the loop had it
    tool: Floats
    trials: tuple[Trial, ...]
    ground: GroundTorques
    ground_true: GroundTorques | None  # by the arm as it was, where the loop believed in another
    left_out: Floats  # (rows, n) rad: reading less what a spline through all others has there


def draw(post: PostTest) -> Iterator[Drawing]:
    """In the paper's order."""
    first = post.trials[0]
    with styled():
        yield Drawing(
            _fits(post),
            "Measured joint angles and the polynomial of the fifth order (dashed) that the paper used (figure 8).",
        )
        yield Drawing(_per_trial(post, "fit_error"), "Error of the fit (figure 9; up to 3 deg in the paper).")
        yield Drawing(
            _poses(post.evaluated, post.tool, first.tool, "Tool"),
            f"The tool in the test, and simulated from the {first.name} (dashed; figure 10).",
        )
        yield Drawing(
            _pose_errors(post, "tool_error"),
            "Tool, simulation less test (figure 11; several mm and 1 to 2 deg in the paper).",
        )
        yield Drawing(
            _poses(post.evaluated, post.base, first.base, "Satellite"),
            f"The satellite in the loop, and simulated from the {first.name} (dashed; figure 12).",
        )
        yield Drawing(_pose_errors(post, "base_error"), "Satellite, simulation less test (figure 13).")
        yield Drawing(
            _one_joint(post, 1),
            "Net torque of the second joint on the ground: sensor, and model with gravity (figure 15), with friction or not.",
        )
        yield Drawing(
            _ground(post),
            "Net torques on the ground: sensors, and the model with gravity and friction (dashed; figure 16).",
        )
        yield Drawing(
            _ground_errors(post),
            "Model less sensors (figure 17; several N m in joints 1 to 4, tenths in the others in the paper).",
        )


def _fits(post: PostTest) -> Any:
    figure, left, right = pair()
    half = (len(post.joints) + 1) // 2
    other = post.trials[-1]
    for axes, part in ((left, slice(0, half)), (right, slice(half, None))):
        curves(axes, post.t, np.degrees(post.angles[:, part]), post.joints[part])
        for column in other.smooth[:, part].T:
            axes.plot(*thin(post.t, np.degrees(column), 800), **line_options(COMMANDED))
        axes.set_title("Joint angles [deg]")
        axes.legend(ncol=2)
    return figure


def _per_trial(post: PostTest, field: str) -> Any:
    figure, *plots = pair()
    for axes, trial in zip(plots, post.trials, strict=True):
        curves(axes, post.t, np.degrees(getattr(trial, field)), post.joints, lw=0.9)
        axes.set_title(f"{trial.name.capitalize()}: fit less measured [deg]")
    plots[-1].legend(ncol=2)
    return figure


def _poses(t: Floats, test: Floats, simulated: Floats, what: str) -> Any:
    figure, left, right = pair()
    curves(left, t, test[:, :3], ("x", "y", "z"))
    curves(right, t, angles_deg(test[:, 3:])[:, ::-1], ("about x", "about y", "about z"))
    for axes, values in ((left, simulated[:, :3]), (right, angles_deg(simulated[:, 3:])[:, ::-1])):
        for column in values.T:
            axes.plot(*thin(t, column, 800), **line_options(COMMANDED))
        axes.legend()
    left.set_title(f"{what}: position [m]")
    right.set_title(f"{what}: angles of Rz Ry Rx [deg]")
    return figure


def _pose_errors(post: PostTest, field: str) -> Any:
    figure = new_figure(11.0, 5.4)
    grid = figure.add_gridspec(2, 2, left=0.075, right=0.985, top=0.94, bottom=0.09, wspace=0.2, hspace=0.42)
    for row, trial in enumerate(post.trials):
        values = getattr(trial, field)
        left, right = figure.add_subplot(grid[row, 0]), figure.add_subplot(grid[row, 1])
        curves(left, post.evaluated, 1e3 * values[:, :3], ("x", "y", "z"))
        curves(right, post.evaluated, np.degrees(values[:, 3:]), ("about x", "about y", "about z"))
        left.set_title(f"From the {trial.name}: position [mm]")
        right.set_title(f"From the {trial.name}: turn [deg]")
        right.legend()
    return figure


def _one_joint(post: PostTest, joint: int) -> Any:
    ground = post.ground
    figure = new_figure(11.0, 3.0)
    axes = figure.add_subplot(figure.add_gridspec(1, 1, left=0.065, right=0.985, top=0.9, bottom=0.16)[0])
    axes.plot(*thin(post.t, ground.measured[:, joint]), color=ROBOT1, lw=0.8, label="sensor")
    axes.plot(*thin(post.t, ground.computed[:, joint]), color=ROBOT2, lw=1.1, label="model, without friction")
    axes.plot(*thin(post.t, (ground.computed + ground.friction)[:, joint]), color=INK, lw=0.9, ls="--", label="model")
    axes.set_xlim(post.t[0], post.t[-1])
    axes.set_xlabel("time [s]")
    axes.set_title(f"{post.joints[joint]}: net torque on the ground [N m]")
    axes.legend()
    return figure


def _small_plots(post: PostTest) -> tuple[Any, list[Any]]:
    figure = new_figure(11.0, 5.0)
    grid = figure.add_gridspec(2, 4, left=0.055, right=0.985, top=0.94, bottom=0.09, wspace=0.3, hspace=0.4)
    return figure, [figure.add_subplot(grid[i // 4, i % 4]) for i in range(min(len(post.joints), 8))]


def _ground(post: PostTest) -> Any:
    figure, plots = _small_plots(post)
    model = post.ground.computed + post.ground.friction
    for i, axes in enumerate(plots):
        axes.plot(*thin(post.t, post.ground.measured[:, i], 1200), color=COLOURS[i % len(COLOURS)], lw=0.7)
        axes.plot(*thin(post.t, model[:, i], 800), **line_options(COMMANDED))
        axes.set_title(f"{post.joints[i]} [N m]")
        axes.set_xlim(post.t[0], post.t[-1])
    return figure


def _ground_errors(post: PostTest) -> Any:
    figure, plots = _small_plots(post)
    for i, axes in enumerate(plots):
        axes.plot(*thin(post.t, post.ground.error[:, i], 800), color=COLOURS[i % len(COLOURS)], lw=0.5)
        axes.set_title(f"{post.joints[i]}: model less sensor [N m]")
        axes.set_xlim(post.t[0], post.t[-1])
    return figure
