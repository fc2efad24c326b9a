"""Coulomb's friction between bodies that touch, as impulses at the end of each physics step.

MuJoCo's own friction is part of one convex problem with the normal forces: a body that slides is also lifted, by μ times
what friction leaves of its wish to stop the sliding, and a glancing bounce comes back too steep (e = 0.5, μ = 0.3, ten
times as fast along the wall as into it: 0.78). So MuJoCo gives the
normal forces alone, and each contact's tangential impulse is the one, within μ times the normal impulse of the step, that
leaves the least kinetic energy: sliding ends without turning round, what can stick sticks. Impulses are equal and
opposite at one point, so both momenta stay to rounding; every sweep lowers the energy, settled or not.
Under a steady force that friction holds, a body creeps by half of what the force does in one step (a dt / 2, in m/s)."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.quaternion import cross
from proxops.maths.rotation import Array, matrix_from_quat
from proxops.maths.small_matrix import applied, product

Numbers = NDArray[np.integer]
SWEEPS: Final = 25  # at most; a single contact needs one or two
SETTLED: Final = 1e-9  # m/s, change in one sweep
FREE_Q, FREE_V = 7, 6


@kernel
def rub(
    qpos: Array, qvel: Array, inverse_mass: Array, inverse_inertia: Array, object_of_geom: Numbers, geoms: Numbers, point: Array,
    frame: Array, limit: Array,
) -> None:  # fmt: skip
    """Change ``qvel`` (per body: velocity of its frame in world axes, rate in its own). ``qpos``: per body position and
    quaternion of the frame, which lies in the mass centre; ``inverse_inertia`` (n, 3, 3) in its axes.
    Per contact: its two geoms (c, 2), its point (c, 3) and axes (c, 9: normal first) in the world, and the largest
    tangential impulse (N s)."""
    n, c = inverse_mass.shape[0], point.shape[0]
    v, inverse = np.empty((n, FREE_V)), np.empty((n, 3, 3))
    for i in range(n):
        R = matrix_from_quat(qpos[FREE_Q * i + 3 : FREE_Q * i + 7])
        inverse[i] = product(product(R, inverse_inertia[i]), R.T)
        v[i, :3] = qvel[FREE_V * i : FREE_V * i + 3]
        v[i, 3:] = applied(R, qvel[FREE_V * i + 3 : FREE_V * i + 6])
    # Of a contact, a tangent and a side: how the body's velocity enters the slip, and how an impulse changes it.
    enters, changes, weight = np.zeros((c, 2, 2, FREE_V)), np.zeros((c, 2, 2, FREE_V)), np.empty(c)
    for k in range(c):
        _fill(object_of_geom, geoms[k], point[k], frame[k], qpos, inverse_mass, inverse, enters[k], changes[k])
        weight[k] = _largest_weight(enters[k], changes[k])
    impulse = np.zeros((c, 2))
    for _ in range(SWEEPS):
        moved = 0.0
        for k in range(c):
            one, two = object_of_geom[geoms[k, 0]], object_of_geom[geoms[k, 1]]
            moved = max(moved, _settle(one, two, limit[k], weight[k], enters[k], changes[k], v, impulse[k]))
        if not moved > SETTLED:
            break
    for i in range(n):
        R = matrix_from_quat(qpos[FREE_Q * i + 3 : FREE_Q * i + 7])
        qvel[FREE_V * i : FREE_V * i + 3] = v[i, :3]
        qvel[FREE_V * i + 3 : FREE_V * i + 6] = applied(R.T, v[i, 3:])


@kernel
def _fill(
    object_of_geom: Numbers, geoms: Numbers, point: Array, frame: Array, qpos: Array, inverse_mass: Array, inverse: Array,
    enters: Array, changes: Array,
) -> None:  # fmt: skip
    """Of one contact: (tangent, side, 6). The slip is the second body's point against the first's."""
    for side in range(2):
        i = object_of_geom[geoms[side]]
        if i < 0:
            continue
        sign = 2.0 * side - 1.0
        arm = point - qpos[FREE_Q * i : FREE_Q * i + 3]
        for t in range(2):
            tangent = frame[3 + 3 * t : 6 + 3 * t]
            moment = cross(arm, tangent)
            turned = applied(inverse[i], moment)
            for j in range(3):
                enters[t, side, j], enters[t, side, 3 + j] = sign * tangent[j], sign * moment[j]
                changes[t, side, j], changes[t, side, 3 + j] = sign * inverse_mass[i] * tangent[j], sign * turned[j]


@kernel
def _largest_weight(enters: Array, changes: Array) -> float:
    """Largest change of the slip that an impulse of 1 N s can make (1/kg): the larger eigenvalue of the 2 x 2 matrix. Steps by
    it never overshoot."""
    a = b = d = 0.0
    for side in range(2):
        for j in range(FREE_V):
            a += enters[0, side, j] * changes[0, side, j]
            b += enters[0, side, j] * changes[1, side, j]
            d += enters[1, side, j] * changes[1, side, j]
    return 0.5 * (a + d) + math.sqrt(0.25 * (a - d) * (a - d) + b * b)


@kernel
def _settle(
    one: int, two: int, limit: float, weight: float, enters: Array, changes: Array, v: Array, impulse: Array
) -> float:
    """One contact, the others as they are; ``impulse``: on the second body along both tangents. How far its slip moved."""
    x, y = impulse[0], impulse[1]
    for side in range(2):
        i = one if side == 0 else two
        if i >= 0:
            for j in range(FREE_V):
                x -= enters[0, side, j] * v[i, j] / weight
                y -= enters[1, side, j] * v[i, j] / weight
    size = math.sqrt(x * x + y * y)
    if size > limit:
        x, y = x * limit / size, y * limit / size
    dx, dy = x - impulse[0], y - impulse[1]
    impulse[0], impulse[1] = x, y
    for side in range(2):
        i = one if side == 0 else two
        if i >= 0:
            for j in range(FREE_V):
                v[i, j] += changes[0, side, j] * dx + changes[1, side, j] * dy
    return weight * math.sqrt(dx * dx + dy * dy)
