"""Whether floating objects can meet anything in the next moment. While they cannot, nobody looks for contacts: half of a step.

Every solid is taken as the box round it. Two boxes are at least as far apart as along any axis; those of their faces are tried.
An object goes no farther than its speed and the push on it allow, its points turn no faster than its angular momentum and its
least inertia allow. The answer is on the safe side by a factor of two: whoever is told "apart" would have found no contact.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.pose import pose, put_composed
from proxops.maths.rotation import Array, matrix_from_quat
from proxops.space.contact_friction import FREE_Q, FREE_V

SAFE: Final = 2.0  # times the way that objects can go
ROUNDED_M: Final = 1e-6
FIXED: Final = -1
Numbers = NDArray[np.int64]


class Separation:
    """Of a compiled model, whose objects have ``inertia`` (n, 3, 3) about their mass centres in their own axes; ``owner``: object
    of each geom."""

    def __init__(self, compiled: Any, mass: Array, inertia: Array, owner: Numbers) -> None:
        import mujoco

        m = compiled
        self._half = np.array(m.geom_aabb[:, 3:])
        half_space = m.geom_type == mujoco.mjtGeom.mjGEOM_PLANE
        self._half[half_space] = math.nan  # only its normal counts
        middle = np.where(half_space[:, None], 0.0, m.geom_aabb[:, :3])
        boxes = zip(m.geom_quat, m.geom_pos, middle, strict=True)
        self._T_body_geom = np.array([pose(R := matrix_from_quat(quat), place + R @ box) for quat, place, box in boxes])
        self._T_world_geom = self._T_body_geom.copy()  # right of what is fixed; of objects when it is asked
        self._owner, self._inertia = owner, inertia
        self._pairs = np.array([m.pair_geom1, m.pair_geom2], np.int64).T.copy()
        self._margin = float(m.pair_margin.max(initial=0.0)) + ROUNDED_M
        self._bodies = np.zeros((len(mass), 3))  # mass, least inertia, farthest point from the mass centre
        self._bodies[:, 0], self._bodies[:, 1] = mass, np.linalg.eigvalsh(inertia)[:, 0]
        for geom, body in enumerate(owner):
            if body != FIXED:
                far = np.linalg.norm(self._T_body_geom[geom, :3, 3]) + np.linalg.norm(self._half[geom])
                self._bodies[body, 2] = max(self._bodies[body, 2], far)
        # What ``stay_apart`` takes behind the motion of the objects.
        self.parts = (
            self._margin, self._bodies, self._inertia, self._owner, self._T_body_geom, self._half, self._pairs,
            self._T_world_geom, np.zeros(len(mass)),
        )  # fmt: skip

    def lasts(self, qpos: Array, qvel: Array, wrench: Array, seconds: float) -> bool:
        """For so long, with a ``wrench`` on the first object?"""
        return stay_apart(qpos, qvel, wrench, seconds, *self.parts)


@kernel
def stay_apart(
    qpos: Array, qvel: Array, wrench: Array, seconds: float, margin: float, bodies: Array, inertia: Array, owner: Numbers,
    T_body_geom: Array, half: Array, pairs: Numbers, T_world_geom: Array, ways: Array,
) -> bool:  # fmt: skip
    """``T_world_geom`` (geoms, 4, 4) and ``ways`` (objects) are room to work in; poses of what is fixed stand in it."""
    for i in range(bodies.shape[0]):
        ways[i] = way(qvel, wrench, seconds, bodies, inertia, i)
    for g in range(owner.shape[0]):
        if owner[g] != FIXED:
            q = qpos[FREE_Q * owner[g] : FREE_Q * owner[g] + FREE_Q]
            put_composed(pose(matrix_from_quat(q[3:7]), q[:3]), T_body_geom[g], T_world_geom[g])
    for p in range(pairs.shape[0]):
        one, two = pairs[p, 0], pairs[p, 1]
        near = margin
        if owner[one] != FIXED:
            near += SAFE * ways[owner[one]]
        if owner[two] != FIXED:
            near += SAFE * ways[owner[two]]
        if not gap(T_world_geom[one], half[one], T_world_geom[two], half[two]) > near:  # also of what is no number
            return False
    return True


@kernel
def way(qvel: Array, wrench: Array, seconds: float, bodies: Array, inertia: Array, i: int) -> float:
    """How far any point of object ``i`` can go (m)."""
    mass, least, far = bodies[i, 0], bodies[i, 1], bodies[i, 2]
    v, w = qvel[FREE_V * i : FREE_V * i + 3], qvel[FREE_V * i + 3 : FREE_V * i + 6]
    speed, momentum = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), 0.0
    for k in range(3):
        along = inertia[i, k, 0] * w[0] + inertia[i, k, 1] * w[1] + inertia[i, k, 2] * w[2]
        momentum += along * along
    momentum = math.sqrt(momentum)
    if i == 0:
        speed += seconds / mass * math.sqrt(wrench[0] * wrench[0] + wrench[1] * wrench[1] + wrench[2] * wrench[2])
        momentum += seconds * math.sqrt(wrench[3] * wrench[3] + wrench[4] * wrench[4] + wrench[5] * wrench[5])
    farthest: float = seconds * (speed + far * momentum / least)
    return farthest


@kernel
def gap(A: Array, half_a: Array, B: Array, half_b: Array) -> float:
    """Two boxes, or a half space (``half`` is no number) and a box, are at least so far apart."""
    if math.isnan(half_a[0]):
        return along(A, 2, B, half_b)
    if math.isnan(half_b[0]):
        return along(B, 2, A, half_a)
    widest = -math.inf
    for k in range(3):
        widest = max(widest, abs(offset(A, k, B)) - half_a[k] - extent(A, k, B, half_b))
        widest = max(widest, abs(offset(B, k, A)) - half_b[k] - extent(B, k, A, half_a))
    return widest


@kernel
def along(A: Array, k: int, B: Array, half_b: Array) -> float:
    """Of the nearest point of box B, along axis ``k`` of A from its origin."""
    return offset(A, k, B) - extent(A, k, B, half_b)


@kernel
def offset(A: Array, k: int, B: Array) -> float:
    """Of B's middle, likewise."""
    off: float = A[0, k] * (B[0, 3] - A[0, 3]) + A[1, k] * (B[1, 3] - A[1, 3]) + A[2, k] * (B[2, 3] - A[2, 3])
    return off


@kernel
def extent(A: Array, k: int, B: Array, half_b: Array) -> float:
    """Of box B from its middle, along axis ``k`` of A."""
    total = 0.0
    for j in range(3):
        total += half_b[j] * abs(A[0, k] * B[0, j] + A[1, k] * B[1, j] + A[2, k] * B[2, j])
    return total
