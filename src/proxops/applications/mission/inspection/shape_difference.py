"""How far a reconstructed surface is from the true one: for who judges, never for who reconstructs.

From places spread evenly over each, the nearest place of the other that faces the same way: the far side of a thin panel is
none. Of the true surface only what can be seen from outside counts: parts are sunk into each other. The frames are laid over
each other first; by how much is told apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.flight import Floats
from proxops.maths.kernel import kernel
from proxops.maths.pose import inverse_pose
from proxops.maths.quaternion import rotation_vector
from proxops.maths.rotation import matrix_from_rotation_vector, quat_from_matrix
from proxops.maths.triple import triple
from proxops.onboard.vision.depth.client_model import Surface, client_model
from proxops.onboard.vision.depth.closest_point import closest_point
from proxops.onboard.vision.depth.views import directions
from proxops.optics.scene.descent import any_of_body
from proxops.optics.scene.mesh import Mesh, face_normals

PER_M2: Final = 8_000.0  # places of a surface
WAYS: Final = 150  # from which a place may be seen
LEAST_COSINE: Final = 0.2
FOUND_M: Final = 0.01  # a true place has been found if the reconstruction is that near
FARTHEST_M: Final = 0.1  # beyond which nothing is looked for: counts as that far
STEPS: Final = 20
SOFT_M: Final = 0.01  # beyond which a place hardly draws the frames together


@dataclass(frozen=True)
class ShapeDifference:
    """``median_m``, ``p95_m``: distance of the reconstruction from the true surface. ``complete``: share of the true surface that
    has the reconstruction within 10 mm. Frames in m and degrees."""

    median_m: float
    p95_m: float
    complete: float
    frame_m: float
    frame_deg: float


def shape_difference(found: Mesh, true: Mesh, per_m2: float = PER_M2) -> ShapeDifference:
    """Both in the target's frame as each believes it; ``true`` by its own."""
    rng = np.random.default_rng(0)
    places, normals, face = spread_places(true, rng, per_m2)
    outside = visible_places(client_model(true).surface, places, normals)
    seen = client_model(some_triangles(true, np.unique(face[outside]))).surface
    mine, my_normals, _ = spread_places(found, rng, per_m2)
    T = _laid_over(mine, my_normals, seen)
    back = inverse_pose(T)
    apart, _ = distances(seen, *_moved(mine, my_normals, T))
    missing, _ = distances(client_model(found).surface, *_moved(places[outside], normals[outside], back))
    turn = np.empty(3)
    rotation_vector(quat_from_matrix(np.ascontiguousarray(T[:3, :3])), turn)
    return ShapeDifference(
        float(np.median(apart)), float(np.quantile(apart, 0.95)), float(np.mean(missing < FOUND_M)),
        float(np.linalg.norm(T[:3, 3])), math.degrees(float(np.linalg.norm(turn))),
    )  # fmt: skip


def spread_places(mesh: Mesh, rng: np.random.Generator, per_m2: float) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Places (n, 3), normals and faces of a surface, evenly."""
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    face = rng.choice(len(area), int(per_m2 * area.sum()), p=area / area.sum())
    u, v = rng.random((2, len(face)))
    folded = u + v > 1.0
    u, v = np.where(folded, 1.0 - u, u)[:, None], np.where(folded, 1.0 - v, v)[:, None]
    places = a[face] + u * (b - a)[face] + v * (c - a)[face]
    return places, face_normals(mesh.vertices, mesh.triangles)[face], face


def visible_places(surface: Surface, places: Floats, normals: Floats) -> NDArray[np.bool_]:
    """Those from which some way leads outside."""
    out = np.zeros(len(places), np.bool_)
    _look_out(surface, places, normals, directions(WAYS), out)
    return out


def some_triangles(mesh: Mesh, which: NDArray[np.int64]) -> Mesh:
    """Some triangles of a surface."""
    return replace(
        mesh, triangles=mesh.triangles[which], corner_normals=mesh.corner_normals[which], material=mesh.material[which]
    )


def distances(surface: Surface, places: Floats, normals: Floats) -> tuple[Floats, Floats]:
    """(n) m from each place to the nearest of the surface that faces the same way; of that the plane (n, 4), normal first."""
    out, planes = np.full(len(places), FARTHEST_M), np.zeros((len(places), 4))
    _nearest(surface, places, normals, FARTHEST_M, out, planes)
    return out, planes


def _moved(places: Floats, normals: Floats, T: Floats) -> tuple[Floats, Floats]:
    return np.ascontiguousarray(places @ T[:3, :3].T + T[:3, 3]), np.ascontiguousarray(normals @ T[:3, :3].T)


def _laid_over(mine: Floats, normals: Floats, true: Surface) -> Floats:
    """(4, 4): point-to-plane, robust."""
    T = np.eye(4)
    for _ in range(STEPS):
        here, turned = _moved(mine[::2], normals[::2], T)
        _, planes = distances(true, here, turned)
        n = planes[:, :3]
        e = -np.einsum("ij,ij->i", n, here) - planes[:, 3]
        J = np.concatenate([n, np.cross(here, n)], axis=1)
        w = (1.0 / (1.0 + (e / SOFT_M) ** 2) ** 2)[:, None]
        step = np.linalg.solve((J * w).T @ J + 1e-9 * np.eye(6), (J * w).T @ e)
        turn = matrix_from_rotation_vector(np.ascontiguousarray(step[3:]))
        T[:3, :3], T[:3, 3] = turn @ T[:3, :3], turn @ T[:3, 3] + step[:3]
        if np.abs(step).max() < 1e-6:
            break
    return T


@kernel
def _nearest(surface: Surface, places: Floats, normals: Floats, within: float, out: Floats, planes: Floats) -> None:
    for k in range(places.shape[0]):
        p, n = triple(places[k], 0), triple(normals[k], 0)
        face, q = closest_point(surface, p, (-n[0], -n[1], -n[2]), within)
        if face >= 0:
            out[k] = np.sqrt((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2)
            planes[k] = surface[2][face, :4]


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
