"""A cell of one arm as an experiment drives it: FZI's by default, with what the experiment knows of its arm.

The experiment says where the arm's foot is, where the joints begin, what the drives can do and how they lag; the cell file all
the rest: interlocks, zones, solids, the link's patience, limits of manual control.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.lab.any_cell import AnyCell, read_any_cell
from proxops.lab.arm_cell import ArmCell, build_arm_cell
from proxops.lab.arm_cell_file import Mount, MountedArm
from proxops.lab.cell_axes import AxisTable, GuardedAxes
from proxops.lab.cell_file import Servo
from proxops.lab.chain import chain_dtype, chain_poses, fill_chain
from proxops.lab.virtual_arm import ArmTraits
from proxops.maths.rotation import Array, abc_from_matrix

CELL: Final = "fzi"
SAME_M: Final = 1e-4  # by which the flange of experiment and cell may differ


def driven_cell(
    traits: ArmTraits, joints: Array, T_lab_base: Array, T_lab_flange: Array, given: AnyCell | None = None
) -> ArmCell:
    """``joints`` at the beginning, with the flange at ``T_lab_flange``. BadInput unless the cell is one of a single arm, and that
    the experiment's."""
    cell = given or read_any_cell(CELL)
    if not isinstance(cell, ArmCell) or len(cell.file.arms) > 1 or cell.file.rail is not None:
        raise BadInput(
            "this experiment is one of a single arm", where=str(cell.source), value=f"{cell.file.name}: {cell.n_axes} axes",
            bound="a cell of one arm without a rail", way_out="leave --cell out, or use fzi",
        )  # fmt: skip
    (controller,) = cell.controllers
    axes = AxisTable(traits.lower, traits.upper, traits.speed, traits.acceleration)
    arm = _placed(cell.file.robot1, T_lab_base)
    made = build_arm_cell(cell.file.model_copy(update={"robot1": arm}), cell.source)
    _demand_same_arm(made, traits, joints, T_lab_flange)
    return replace(
        made, home=joints, axes=axes, guarded=GuardedAxes(*axes, made.guarded.jump),
        controllers=(controller._replace(servo=_servo(traits)),),
    )  # fmt: skip


def _placed(arm: MountedArm, T_lab_base: Array) -> MountedArm:
    """With its foot there."""
    abc_deg = tuple(np.degrees(abc_from_matrix(T_lab_base[:3, :3].copy())).tolist())
    return arm.model_copy(update={"mount": Mount(xyz_m=tuple(T_lab_base[:3, 3].tolist()), abc_deg=abc_deg)})


def _servo(traits: ArmTraits) -> Servo:
    """Not judged by the bounds of a cell file: an experiment has wider ones."""
    dead_ms, lag_ms = 1e3 * traits.dead_cycles * traits.cycle_s, 2e3 * traits.lag_s
    return Servo.model_construct(dead_time_ms=dead_ms, time_constant_ms=lag_ms, following_error_limit=math.inf)


def _demand_same_arm(cell: ArmCell, traits: ArmTraits, joints: Array, T_lab_flange: Array) -> None:
    """The zones watch the cell's arm: it must be the one that the experiment moves."""
    arm, off_m = cell.file.robot1, math.inf
    if tuple(name.lower() for name in traits.joints) == tuple(name.lower() for name in arm.joints):
        tree, poses = np.zeros(1, chain_dtype(len(cell.links) + 1)), np.zeros((len(cell.links) + 1, 4, 4))
        fill_chain(tree[0], cell.links)
        chain_poses(tree, joints, poses)
        tip = next(i for i, link in enumerate(cell.links) if link.name == f"robot1/{arm.tip}")
        off_m = float(np.abs(poses[tip] - T_lab_flange).max())
    if not off_m < SAME_M:
        raise BadInput(
            "arm.model: not the arm of the cell, whose solids are watched", value=", ".join(traits.joints),
            bound=f"{cell.file.name}: {', '.join(arm.joints)}", way_out="a cell file with this arm: --cell, docs/cells.md",
        )  # fmt: skip
