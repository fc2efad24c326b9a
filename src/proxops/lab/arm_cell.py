"""Cells of one or two arms of any kind, with or without a rail, from a file and URDFs: what the papers have beside the hall."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.lab.arm_cell_file import ArmCellFile, MountedArm
from proxops.lab.cell import model_path
from proxops.lab.cell_axes import (
    AxisTable,
    Controller,
    GuardedAxes,
    demand_home_in_range,
    guarded_axes,
    rail_controller,
)
from proxops.lab.link_tree import RAIL_AXIS, TreeLink, hang
from proxops.lab.urdf import AxisLimits, Model, read_limits
from proxops.maths.pose import pose_from_abc


@dataclass(frozen=True, eq=False)  # each is its own, so that what follows from one can be kept
class ArmCell:
    """A loaded cell of arms. It has what guard, zones and links ask of any cell; ``hall`` is None: no two ports to map."""

    file: ArmCellFile
    source: Path
    axis_names: tuple[str, ...]
    axes: AxisTable
    guarded: GuardedAxes
    controllers: tuple[Controller, ...]
    home: NDArray[np.float64]
    links: tuple[TreeLink, ...] = field(repr=False)  # the tree, parents first
    period_ns: int  # of the facility's cycle
    coast_s: float = 0.0  # for which arms that take rates go on when nobody commands them
    hall: None = None

    @property
    def n_axes(self) -> int:
        return len(self.home)

    @property
    def slides(self) -> NDArray[np.bool_]:
        """Which axes are metres, not angles."""
        return np.arange(self.n_axes) < int(self.file.rail is not None)

    @property
    def arm_of_axis(self) -> NDArray[np.int64]:
        """Which arm each axis moves, counted from 0; -1, a rail, moves them all as far as anybody relies on it."""
        numbers = [-1] * (self.file.rail is not None)
        for k, arm in enumerate(self.file.arms):
            numbers += [k] * len(arm.joints)
        return np.array(numbers)

    @property
    def positioning_sigma(self) -> NDArray[np.float64]:
        """Nothing is known of it."""
        return np.zeros(self.n_axes)


def axis_names(file: ArmCellFile) -> tuple[str, ...]:
    """Rail, then the joints of the arms in order."""
    names = ["rail"] * (file.rail is not None)
    return (*names, *(f"robot{k}_{joint.lower()}" for k, arm in enumerate(file.arms, 1) for joint in arm.joints))


def cell_links(file: ArmCellFile, source: Path) -> tuple[TreeLink, ...]:
    """Every link of rail and arms, parents before children."""
    found: list[TreeLink] = []
    if file.rail is not None:
        T_lab_rail = pose_from_abc(*file.rail.origin_lab_m, 0.0, 0.0, 0.0)
        hang(found, "", T_lab_rail, model_path(source, file.rail.model), "rail", "", {RAIL_AXIS: 0})
    first = int(file.rail is not None)
    for k, arm in enumerate(file.arms, 1):
        T_mount = pose_from_abc(*arm.mount.xyz_m, *np.radians(arm.mount.abc_deg))
        drives = {joint: first + i for i, joint in enumerate(arm.joints)}
        on = "carriage" if arm.mount.on == "rail" else ""
        hang(found, on, T_mount, model_path(source, arm.model), arm.root, f"robot{k}/", drives)
        _demand_chain(found, arm, k, source)
        first += len(arm.joints)
    return tuple(found)


def _demand_chain(links: list[TreeLink], arm: MountedArm, k: int, source: Path) -> None:
    """The tip hangs on the root by the joints that are named, in that order, and every one of them turns."""
    for link in links:
        if link.name.startswith(f"robot{k}/") and link.drive >= 0 and link.drawn.moves != "revolute":
            raise BadInput(
                f"robot{k}.joints: {link.drawn.joint} does not turn", where=str(source), value=link.drawn.moves,
                bound="revolute joints", way_out="leave it out, or use another model",
            )  # fmt: skip
    by_name = {link.name: i for i, link in enumerate(links)}
    at, seen = by_name.get(f"robot{k}/{arm.tip}", -1), []
    while at >= 0:
        if links[at].drive >= 0:
            seen.append(links[at].drawn.joint)
        at = links[at].parent
    chain = [joint for joint in reversed(seen) if joint in arm.joints]
    if tuple(chain) != arm.joints:
        raise BadInput(
            f"robot{k}.joints: not the joints from {arm.root} to {arm.tip}, in order", where=str(source),
            value=", ".join(arm.joints), bound=", ".join(chain) or "no joint leads to that tip",
        )  # fmt: skip


def build_arm_cell(file: ArmCellFile, source: Path) -> ArmCell:
    """Join the file and the models."""
    links, names, controllers, home = cell_links(file, source), axis_names(file), [], []
    limits: list[AxisLimits] = []
    if file.rail is not None:
        limits, home = [read_limits(model_path(source, file.rail.model), RAIL_AXIS)], [file.rail.home_m]
        controllers = [rail_controller(file.rail)]
    for k, arm in enumerate(file.arms, 1):
        span = slice(len(home), len(home) + len(arm.joints))
        limits += _limits(arm, source)
        home += np.radians(arm.home_deg).tolist()
        scatter = arm.repeatability_mm * 1e-3 / 3.0 / math.sqrt(len(arm.joints)) / _reach_m(links, span)
        controllers.append(Controller(f"robot {k}", span, arm.servo, np.full(len(arm.joints), scatter)))
    axes = AxisTable(*np.array([(a.lower, a.upper, a.speed, a.acceleration) for a in limits]).T.copy())
    slides = np.arange(len(home)) < int(file.rail is not None)
    guarded = guarded_axes(axes, file.limits, slides)
    demand_home_in_range(np.array(home), axes, names, slides, source)
    period_ns = round(file.period_ms * 1e6)
    return ArmCell(file, source, names, axes, guarded, tuple(controllers), np.array(home), links, period_ns)


def _limits(arm: MountedArm, source: Path) -> list[AxisLimits]:
    """Of an arm's joints; accelerations are the cell file's where it gives them, else our own attribute of the URDF."""
    model = Model(model_path(source, arm.model))
    if arm.acceleration_deg_s2 is None:
        return [model.limits(joint) for joint in arm.joints]
    own = np.radians(arm.acceleration_deg_s2).tolist()
    return [model.limits(joint, most) for joint, most in zip(arm.joints, own, strict=True)]


def _reach_m(links: tuple[TreeLink, ...], span: slice) -> float:
    """Length of an arm, stretched: from its first axis to its last."""
    moved = [link for link in links if span.start < link.drive < span.stop]
    return max(0.1, sum(float(np.linalg.norm(link.T_parent_joint[:3, 3])) for link in moved))
