"""What a tool on the flange puts on the sensor between the two, for a motion of the arm's joints; and a hand that pushes it."""

from __future__ import annotations

import numpy as np

from proxops.lab.flange_motion import put_flange_motion
from proxops.lab.redundant_arm import SrsArm
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import cross, quat_inverse
from proxops.maths.rotation import Array, quat_from_matrix
from proxops.maths.triple import composed, quad
from proxops.touch.relative_motion import wrench_at
from proxops.touch.tool_load import GRAVITY, put_load_wrench


class FlangeLoad:
    """Load of a tool on the flange's sensor for a motion of the joints."""

    def __init__(self, arm: SrsArm, T_world_base: Array, parameters: Array) -> None:
        self._wrench = np.zeros(6)
        self.quat, self.w, self.alpha, self.a, self.p = np.zeros(4), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
        self._before = arm.lengths, arm.signs, quat_from_matrix(T_world_base[:3, :3].copy())
        self._behind = parameters, GRAVITY, self.quat, self.w, self.alpha, self.a, self.p, self._wrench

    def wrench(self, joints: Array, rates: Array, accelerations: Array) -> Array:
        """On the sensor, its axes; the same memory each time."""
        put_flange_load(*self._before, joints, rates, accelerations, *self._behind)
        return self._wrench

    def put_residual(self, joints: Array, rates: Array, accelerations: Array, wrench: Array, residual: Array) -> None:
        """``residual`` := a reading of the sensor less that load."""
        put_flange_residual(*self._before, joints, rates, accelerations, *self._behind, wrench, residual)


@kernel
def put_flange_residual(
    lengths: Array, signs: Array, q_world_base: Array, joints: Array, rates: Array, accelerations: Array, parameters: Array,
    gravity: Array, quat: Array, w: Array, alpha: Array, a: Array, p: Array, own: Array, wrench: Array, residual: Array,
) -> None:  # fmt: skip
    """``put_flange_load``, and what a reading ``wrench`` has beside it."""
    put_flange_load(
        lengths, signs, q_world_base, joints, rates, accelerations, parameters, gravity, quat, w, alpha, a, p, own
    )  # fmt: skip
    for i in range(6):
        residual[i] = wrench[i] - own[i]


@kernel
def put_flange_load(
    lengths: Array, signs: Array, q_world_base: Array, joints: Array, rates: Array, accelerations: Array, parameters: Array,
    gravity: Array, quat: Array, w: Array, alpha: Array, a: Array, p: Array, wrench: Array,
) -> None:  # fmt: skip
    """The load's ``wrench`` (6); ``quat``: q_world_flange, the rest as in ``put_flange_motion``."""
    put_flange_motion(lengths, signs, joints, rates, accelerations, quat, w, alpha, a, p)
    quat[0], quat[1], quat[2], quat[3] = composed(quad(q_world_base, 0), quad(quat, 0))
    put_load_wrench(parameters, quat, w, alpha, a, gravity, wrench)


@kernel
def at_flange(pushed: Array, q_world_flange: Array, p_flange_object: Array) -> Array:
    """A push, world axes about the module's frame, about the flange in its own."""
    out = wrench_at(pushed, quat_inverse(q_world_flange), np.zeros(3))
    out[3:] += cross(p_flange_object, out[:3])
    return out
