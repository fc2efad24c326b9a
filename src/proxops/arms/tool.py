"""The tool of an arm from what Pinocchio leaves of its joints: pose, Jacobian, twist and J̇ v in inertial axes, compiled.

``tool`` (24) is one piece of memory: position, attitude by rows, twist (linear, angular), J̇ v. Pinocchio's own functions
for a frame give the same and cost more to call than the dynamics.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.arms.generalised import Parts, generalise, put_jacobian_rate
from proxops.arms.model import Floats
from proxops.maths.kernel import kernel

Place = tuple[Floats, Floats]  # rotation and position
Flags = NDArray[np.bool_]


@kernel
def survey(
    joint: Place, fixed: Place, velocity: Floats, bias: Floats, J_world: Floats, moves: Flags, M: Floats, c: Floats, v: Floats,
    J: Floats, tool: Floats, out: Parts,
) -> None:  # fmt: skip
    """``joint``: frame of the last joint before the tool in inertial axes; ``fixed``: the tool in that frame. ``velocity``,
    ``bias``: spatial velocity of that joint's body and its acceleration without q̈, in its own frame. ``J_world``: all
    joints' columns, linear part at the inertial origin; ``moves``: those before the tool. The rest: see ``generalise``."""
    _put_pose(joint, fixed, tool)
    _put_jacobian(J_world, moves, tool, J)
    _put_motion(joint[0], fixed[1], velocity, bias, tool)
    generalise(M, c, J, tool[18:], v, out)


@kernel
def survey_with_rate(
    joint: Place, fixed: Place, J_world: Floats, J_world_rate: Floats, moves: Flags, M: Floats, coriolis: Floats, v: Floats,
    forces: Floats, J: Floats, tool: Floats, out: Parts, out_rate: Floats,
) -> None:  # fmt: skip
    """The same with J̇g into ``out_rate``, from Coriolis' matrix and the columns' rates. ``forces``: known ones."""
    n = v.shape[0]
    _put_pose(joint, fixed, tool)
    _put_jacobian(J_world, moves, tool, J)
    for i in range(6):
        tool[12 + i] = 0.0
        for j in range(n):
            tool[12 + i] += J[i, j] * v[j]
    rate, c = np.zeros((6, n)), np.empty(n)
    _put_jacobian_rate(J_world, J_world_rate, moves, tool, rate)
    for i in range(6):
        tool[18 + i] = 0.0
        for j in range(n):
            tool[18 + i] += rate[i, j] * v[j]
    for i in range(n):
        c[i] = -forces[i]
        for j in range(n):
            c[i] += coriolis[i, j] * v[j]
    generalise(M, c, J, tool[18:], v, out)
    put_jacobian_rate(M, coriolis, J, rate, out[5], out_rate)


@kernel
def _put_pose(joint: Place, fixed: Place, tool: Floats) -> None:
    (R_joint, p_joint), (R_tool, p_tool) = joint, fixed
    for i in range(3):
        tool[i] = p_joint[i]
        for k in range(3):
            tool[i] += R_joint[i, k] * p_tool[k]
            total = R_joint[i, 0] * R_tool[0, k] + R_joint[i, 1] * R_tool[1, k] + R_joint[i, 2] * R_tool[2, k]
            tool[3 + 3 * i + k] = total


@kernel
def _put_jacobian(J_world: Floats, moves: Flags, tool: Floats, J: Floats) -> None:
    for j in range(J_world.shape[1]):
        if not moves[j]:
            continue
        a, b, c = J_world[3, j], J_world[4, j], J_world[5, j]
        J[0, j] = J_world[0, j] + b * tool[2] - c * tool[1]
        J[1, j] = J_world[1, j] + c * tool[0] - a * tool[2]
        J[2, j] = J_world[2, j] + a * tool[1] - b * tool[0]
        J[3, j], J[4, j], J[5, j] = a, b, c


@kernel
def _put_jacobian_rate(J_world: Floats, J_world_rate: Floats, moves: Flags, tool: Floats, rate: Floats) -> None:
    p, w = tool[:3], tool[12:15]
    for j in range(J_world.shape[1]):
        if not moves[j]:
            continue
        for i in range(3):
            k, h = (i + 1) % 3, (i + 2) % 3
            rate[i, j] = J_world_rate[i, j] + J_world_rate[3 + k, j] * p[h] - J_world_rate[3 + h, j] * p[k]
            rate[i, j] += J_world[3 + k, j] * w[h] - J_world[3 + h, j] * w[k]
            rate[3 + i, j] = J_world_rate[3 + i, j]


@kernel
def _put_motion(R_joint: Floats, p_tool: Floats, velocity: Floats, bias: Floats, tool: Floats) -> None:
    own = np.empty((4, 3))  # at the tool, axes of the joint: velocity, turn rate, acceleration, its angular part
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        own[0, i] = velocity[i] + velocity[3 + j] * p_tool[k] - velocity[3 + k] * p_tool[j]
        own[1, i], own[3, i] = velocity[3 + i], bias[3 + i]
        own[2, i] = bias[i] + bias[3 + j] * p_tool[k] - bias[3 + k] * p_tool[j]
    for i in range(3):  # of a point, not of the screw
        j, k = (i + 1) % 3, (i + 2) % 3
        own[2, i] += own[1, j] * own[0, k] - own[1, k] * own[0, j]
    for i in range(3):
        for h in range(4):
            total = R_joint[i, 0] * own[h, 0] + R_joint[i, 1] * own[h, 1] + R_joint[i, 2] * own[h, 2]
            tool[12 + 3 * h + i] = total
