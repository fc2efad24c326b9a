"""How far a reconstructed surface is from the true one: for who judges, never for who reconstructs.

Places spread evenly over both are compared. Of the true surface only what can be seen from outside counts: parts are sunk into
each other. The frames are laid over each other first; by how much is told apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.flight import Floats
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import rotation_vector
from proxops.maths.rotation import matrix_from_rotation_vector, quat_from_matrix
from proxops.maths.triple import triple
from proxops.onboard.vision.depth.client_model import Surface, client_model
from proxops.onboard.vision.depth.views import directions
from proxops.onboard.vision.inspection.registration import registration_library
from proxops.optics.scene.descent import any_of_body
from proxops.optics.scene.mesh import Mesh, face_normals

PER_M2: Final = 60_000.0  # places of the true surface: 4 mm from one to the next
MOST: Final = 400_000
WAYS: Final = 150  # from which a place may be seen
LEAST_COSINE: Final = 0.2
STEPS: Final = 20
SOFT_M: Final = 0.01  # beyond which a place hardly draws the frames together


@dataclass(frozen=True)
class ShapeDifference:
    """``seen``: share of the true surface within 30 mm of the reconstruction; frames in m and degrees."""

    median_m: float
    p95_m: float
    seen: float
    frame_m: float
    frame_deg: float


def shape_difference(found: Mesh, true: Mesh, complete_m: float = 0.03, per_m2: float = PER_M2) -> ShapeDifference:
    """Both in the target's frame as each believes it; ``true`` by its own."""
    rng = np.random.default_rng(0)
    places, normals = spread_places(true, rng, per_m2)
    outside = visible_places(client_model(true).surface, places, normals)
    places, normals = places[outside], normals[outside]
    mine, _ = spread_places(found, rng, per_m2)
    T = _laid_over(mine, places, normals)
    mine = mine @ T[:3, :3].T + T[:3, 3]
    apart, _ = nearest(places, mine)
    back, _ = nearest(mine, places)
    turn = np.empty(3)
    rotation_vector(quat_from_matrix(np.ascontiguousarray(T[:3, :3])), turn)
    return ShapeDifference(
        float(np.median(apart)), float(np.quantile(apart, 0.95)), float(np.mean(back < complete_m)),
        float(np.linalg.norm(T[:3, 3])), math.degrees(float(np.linalg.norm(turn))),
    )  # fmt: skip


def spread_places(mesh: Mesh, rng: np.random.Generator, per_m2: float) -> tuple[Floats, Floats]:
    """Places (n, 3) and normals of a surface, evenly."""
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    n = min(int(per_m2 * area.sum()), MOST)
    face = rng.choice(len(area), n, p=area / area.sum())
    u, v = rng.random((2, n))
    folded = u + v > 1.0
    u, v = np.where(folded, 1.0 - u, u)[:, None], np.where(folded, 1.0 - v, v)[:, None]
    places = a[face] + u * (b - a)[face] + v * (c - a)[face]
    return places, face_normals(mesh.vertices, mesh.triangles)[face]


def visible_places(surface: Surface, places: Floats, normals: Floats) -> NDArray[np.bool_]:
    """Those from which some way leads outside."""
    out = np.zeros(len(places), np.bool_)
    _look_out(surface, places, normals, directions(WAYS), out)
    return out


def nearest(these: Floats, of: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """For each place of ``of`` the distance to the nearest of ``these``, and its number."""
    library = registration_library()
    number, square = library.KdTree(np.ascontiguousarray(these)).batch_nearest_neighbor_search(np.ascontiguousarray(of))
    return np.sqrt(np.asarray(square)), np.asarray(number, np.int64)


def _laid_over(mine: Floats, places: Floats, normals: Floats) -> Floats:
    """(4, 4): point-to-plane, robust."""
    T = np.eye(4)
    for _ in range(STEPS):
        here = mine[::4] @ T[:3, :3].T + T[:3, 3]
        _, number = nearest(places, here)
        n = normals[number]
        e = np.einsum("ij,ij->i", places[number] - here, n)
        J = np.concatenate([n, np.cross(here, n)], axis=1)
        w = (1.0 / (1.0 + (e / SOFT_M) ** 2) ** 2)[:, None]
        step = np.linalg.solve((J * w).T @ J + 1e-9 * np.eye(6), (J * w).T @ e)
        turn = matrix_from_rotation_vector(np.ascontiguousarray(step[3:]))
        T[:3, :3], T[:3, 3] = turn @ T[:3, :3], turn @ T[:3, 3] + step[:3]
        if np.abs(step).max() < 1e-6:
            break
    return T


@kernel
def _look_out(surface: Surface, places: Floats, normals: Floats, ways: Floats, out: NDArray[np.bool_]) -> None:
    boxes, children, faces, _, root = surface
    for k in range(places.shape[0]):
        n, o = triple(normals[k], 0), triple(places[k], 0)
        o = (o[0] + 1e-5 * n[0], o[1] + 1e-5 * n[1], o[2] + 1e-5 * n[2])
        for j in range(ways.shape[0]):
            d = triple(ways[j], 0)
            if d[0] * n[0] + d[1] * n[1] + d[2] * n[2] < LEAST_COSINE:
                continue
            if not any_of_body(boxes, children, faces, root, o, d, 1e-6, np.inf):
                out[k] = True
                break
