"""A cell of one arm as an experiment drives it: with what the experiment knows of its arm, and at the experiment's own rate.

The experiment says where the joints begin, what the drives can do and how they lag, and may say where the arm's foot is; the cell
file all the rest: interlocks, zones, solids, the link's patience, limits of manual control.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_NS
from proxops.lab.any_cell import AnyCell, read_any_cell
from proxops.lab.arm_cell import ArmCell, build_arm_cell
from proxops.lab.arm_cell_file import Mount, MountedArm
from proxops.lab.cell_axes import AxisTable, GuardedAxes
from proxops.lab.cell_file import Servo
from proxops.lab.chain import chain_of, chain_poses
from proxops.maths.rotation import Array, abc_from_matrix

SAME_M: Final = 1e-4  # by which the flange of experiment and cell may differ
BENT: Final = 0.3  # rad, from the posture in which they are compared to another


class Traits(Protocol):
    """What an experiment knows of its arm. Per joint where arrays: rad, rad/s, rad/s2."""

    @property
    def joints(self) -> tuple[str, ...]: ...
    @property
    def lower(self) -> Array: ...
    @property
    def upper(self) -> Array: ...
    @property
    def speed(self) -> Array: ...
    @property
    def acceleration(self) -> Array: ...
    @property
    def delay_s(self) -> float: ...


@dataclass(frozen=True, eq=False)
class DrivenArm:
    """``flange``: its pose at given joints, in a frame that the arm's foot stands still in. ``T_lab_base``: where that foot is;
    None leaves it where the cell has it. ``range_margin``: rad that the guard keeps off the ends of the joints."""

    traits: Traits
    joints: Array
    flange: Callable[[Array], Array]
    T_lab_base: Array | None = None
    range_margin: float = 0.0
    coast_s: float = 0.0  # for which an arm that takes rates goes on by itself when nobody commands it


def driven_cell(arm: DrivenArm, name: str, given: AnyCell | None = None, period_ns: int = PERIOD_NS) -> ArmCell:
    """The shipped cell of that ``name``, or a ``given`` one. BadInput unless it is one of a single arm, and that the
    experiment's."""
    cell = given or read_any_cell(name)
    if not isinstance(cell, ArmCell) or len(cell.file.arms) > 1 or cell.file.rail is not None:
        raise BadInput(
            "this experiment is one of a single arm", where=str(cell.source), value=f"{cell.file.name}: {cell.n_axes} axes",
            bound="a cell of one arm without a rail", way_out=f"leave --cell out, or use {name}",
        )  # fmt: skip
    (controller,) = cell.controllers
    traits, margin = arm.traits, arm.range_margin
    axes = AxisTable(traits.lower, traits.upper, traits.speed, traits.acceleration)
    if arm.T_lab_base is not None:
        cell = build_arm_cell(
            cell.file.model_copy(update={"robot1": _placed(cell.file.robot1, arm.T_lab_base)}), cell.source
        )
    _demand_same_arm(cell, arm)
    return replace(
        cell, home=arm.joints, axes=axes, period_ns=period_ns,
        coast_s=min(arm.coast_s, cell.file.link.stall_ms * 1e-3),
        guarded=GuardedAxes(axes.lower + margin, axes.upper - margin, axes.speed, axes.acceleration, cell.guarded.jump),
        controllers=(controller._replace(servo=_servo(traits)),),
    )  # fmt: skip


def _placed(arm: MountedArm, T_lab_base: Array) -> MountedArm:
    """With its foot there."""
    abc_deg = tuple(np.degrees(abc_from_matrix(T_lab_base[:3, :3].copy())).tolist())
    return arm.model_copy(update={"mount": Mount(xyz_m=tuple(T_lab_base[:3, 3].tolist()), abc_deg=abc_deg)})


def _servo(traits: Traits) -> Servo:
    """Not judged by the bounds of a cell file: an experiment has wider ones."""
    lag_ms = 1e3 * traits.delay_s
    return Servo.model_construct(dead_time_ms=0.0, time_constant_ms=lag_ms, following_error_limit=math.inf)


def _demand_same_arm(cell: ArmCell, driven: DrivenArm) -> None:
    """The zones watch the cell's arm: it must be the one that the experiment moves. Compared by what bending it does to the
    flange, wherever its foot is."""
    arm, names, off_m = cell.file.robot1, driven.traits.joints, math.inf
    if tuple(name.lower() for name in names) == tuple(name.lower() for name in arm.joints):
        tree, poses = chain_of(cell.links)
        tip = next(i for i, link in enumerate(cell.links) if link.name == f"robot1/{arm.tip}")

        def flange(q: Array) -> Array:
            chain_poses(tree, q, poses)
            pose: Array = poses[tip].copy()
            return pose

        off_m = float(np.abs(_bent(flange, driven.joints) - _bent(driven.flange, driven.joints)).max())
    if not off_m < SAME_M:
        raise BadInput(
            "arm.model: not the arm of the cell, whose solids are watched", value=", ".join(names),
            bound=f"{cell.file.name}: {', '.join(arm.joints)}", way_out="a cell file with this arm: --cell, docs/cells.md",
        )  # fmt: skip


def _bent(flange: Callable[[Array], Array], joints: Array) -> Array:
    """T_flange_bent: by how much the flange moves when every joint turns by ``BENT``."""
    out: Array = np.linalg.inv(flange(joints)) @ flange(joints + BENT)
    return out
