"""A virtual end of an object's turning, as walls are virtual ends of its way: it turns back before it is reached in the hall.

An arm carries the module by a fixture that must point to it (paper 002, section 4: the manipulator "limits the angular location
of the cube, since the fixture has to point towards the robot"). So two angles are limited: the tilt θ of the fixture's axis from
its direction in the middle, and the twist ψ about it. With a = the axis in the middle, b = the axis now (world, unit vectors),

    θ' = n · ω,  n = a × b / |a × b|        ψ' = n · ω,  n = (a + b) / (1 + a · b)

(ψ: what is left of the turn when the smallest one from a to b is taken off). Where an angle is beyond its limit and grows, a pure
couple λ n turns the body back within the step, as Newton's law of impact has it:

    I (ω⁺ - ω⁻) = λ n,   λ = -(1 + e) (n · ω⁻) / (n · I⁻¹ n)      so that      n · ω⁺ = -e n · ω⁻

Linear momentum stays, angular momentum stays in every direction across n, and the kinetic energy falls by
(1 - e²) (n · ω⁻)² / (2 n · I⁻¹ n): not at all with e = 1.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.floating_object import TurnLimitTable
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import cross, quat_inverse, quat_product
from proxops.maths.rotation import Array, matrix_from_quat, matrix_from_rotation_vector, quat_from_matrix
from proxops.maths.small_matrix import applied

MIDDLE, TILT, TWIST, RESTITUTION = 3, 7, 8, 9  # of a packed limit, which begins with the axis
N_LIMIT: Final = 10


def packed_limit(table: TurnLimitTable) -> Array:
    """(10) For the kernels: axis in the body, quaternion of the middle, both limits (rad), restitution."""
    assert table.axis is not None
    out = np.empty(N_LIMIT)
    out[:MIDDLE] = np.array(table.axis) / math.hypot(*table.axis)
    out[MIDDLE:TILT] = quat_from_matrix(matrix_from_rotation_vector(np.radians(table.middle_turn_deg)))
    out[TILT] = math.radians(table.tilt_deg)
    out[TWIST] = math.inf if table.twist_deg is None else math.radians(table.twist_deg)
    out[RESTITUTION] = table.restitution
    return out


@kernel
def tilt_and_twist(quat: Array, limit: Array) -> tuple[float, float]:
    """θ and ψ (rad) of an attitude q_world_body, scalar first."""
    from_middle = quat_product(quat_inverse(limit[MIDDLE:TILT]), quat)
    along = (from_middle[1:] * limit[:MIDDLE]).sum()
    half = math.hypot(from_middle[0], along)  # cosine of half the tilt
    twist = 2.0 * math.atan2(along, from_middle[0])
    if twist > math.pi:
        twist -= 2.0 * math.pi
    elif twist < -math.pi:
        twist += 2.0 * math.pi
    rest = from_middle[1:] - along * limit[:MIDDLE]
    return 2.0 * math.atan2(math.sqrt((rest * rest).sum()), half), twist


@kernel
def turn_back(quat: Array, w: Array, inverse_inertia: Array, limit: Array) -> bool:
    """Change the rate ``w`` (rad/s, body axes) where an angle is beyond its limit and grows; True if so.
    ``inverse_inertia``: about the mass centre, body axes."""
    tilt, twist = tilt_and_twist(quat, limit)
    acted = False
    a, b = (
        applied(matrix_from_quat(limit[MIDDLE:TILT]), limit[:MIDDLE]),
        applied(matrix_from_quat(quat), limit[:MIDDLE]),
    )
    if tilt > limit[TILT]:
        n = cross(a, b)
        acted = _reflect(quat, n / math.sqrt((n * n).sum()), w, inverse_inertia, limit[RESTITUTION])
    if abs(twist) > limit[TWIST]:
        n = math.copysign(1.0, twist) * (a + b) / (1.0 + (a * b).sum())
        acted = _reflect(quat, n, w, inverse_inertia, limit[RESTITUTION]) or acted
    return acted


@kernel
def _reflect(quat: Array, n_world: Array, w: Array, inverse_inertia: Array, restitution: float) -> bool:
    n = applied(matrix_from_quat(quat).T, n_world)
    rate = (n * w).sum()
    if not rate > 0.0:
        return False
    turned = applied(inverse_inertia, n)
    w -= (1.0 + restitution) * rate / (n * turned).sum() * turned
    return True
