"""What is seen of the client from all sides: some hundred points of its surface for each of many viewpoints, from far away."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.onboard.vision.depth.client_model import ClientModel, Surface
from proxops.optics.scene.descent import nearest_of_body

VIEWPOINTS: Final = 400
ROLLS: Final = 24
POINTS: Final = 64  # of a view
RAYS: Final = 28  # across the client, each way


@dataclass(frozen=True, eq=False)
class Views:
    """All in the target's frame. ``bases`` (V, 3, 3): columns right, down and ahead of who looks."""

    bases: Array
    places: Array  # (V, POINTS, 3) m
    normals: Array  # (V, POINTS, 3)
    faces: Array  # (V, POINTS) number, as float
    middle: Array  # (V, 3) m: of these places


def views_of(model: ClientModel) -> Views:
    """Takes a fraction of a second. Viewpoints that look along a panel so thin that no ray meets it are left out."""
    bases = np.array([_basis(-way) for way in directions(VIEWPOINTS)])
    shape = (VIEWPOINTS, POINTS, 3)
    places, normals, faces = np.zeros(shape), np.zeros(shape), np.zeros(shape[:2])
    u, v = (part.ravel() for part in np.meshgrid(*[np.linspace(-1.0, 1.0, RAYS) * model.radius] * 2))
    hits = np.zeros((RAYS * RAYS, 7))
    kept = np.zeros(VIEWPOINTS, np.bool_)
    for k, basis in enumerate(bases):
        start = model.centre + u[:, None] * basis[:, 0] + v[:, None] * basis[:, 1] - 2.0 * model.radius * basis[:, 2]
        seen = hits[: _look(model.surface, start, np.ascontiguousarray(basis[:, 2]), hits)]
        kept[k] = len(seen) > 0
        if not kept[k]:
            continue
        chosen = seen[(np.arange(POINTS) * (len(seen) / POINTS)).astype(np.int64)]
        places[k], normals[k], faces[k] = chosen[:, :3], chosen[:, 3:6], chosen[:, 6]
    places = places[kept]
    return Views(bases[kept], places, normals[kept], faces[kept], places.mean(axis=1))


@lru_cache(maxsize=2)
def directions(count: int) -> Array:
    """(count, 3) evenly over the sphere: Fibonacci's spiral."""
    k = np.arange(count) + 0.5
    z, turn = 1.0 - 2.0 * k / count, math.pi * (1.0 + math.sqrt(5.0)) * k
    r = np.sqrt(1.0 - z * z)
    return np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)


def _basis(ahead: Array) -> Array:
    side = np.cross(ahead, [1.0, 0.0, 0.0] if abs(ahead[0]) < 0.7 else [0.0, 1.0, 0.0])
    side /= np.linalg.norm(side)
    return np.stack([side, np.cross(ahead, side), ahead], axis=1)


def rolled(ahead: Array) -> Array:
    """(ROLLS, 3, 3) bases of who looks along ``ahead``, turned about it."""
    basis = _basis(ahead)
    out = []
    for angle in 2.0 * math.pi * np.arange(ROLLS) / ROLLS:
        c, s = math.cos(angle), math.sin(angle)
        out.append(basis @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))
    return np.array(out)


@kernel
def _look(surface: Surface, start: Array, ahead: Array, hits: Array) -> int:
    """Places, normals and faces that parallel rays meet; how many."""
    boxes, children, faces, _, root = surface
    d, count = (ahead[0], ahead[1], ahead[2]), 0
    for k in range(start.shape[0]):
        o = (start[k, 0], start[k, 1], start[k, 2])
        t, face = nearest_of_body(boxes, children, faces, root, o, d, 0.0, np.inf)
        if face < 0:
            continue
        row = faces[face]
        sign = -1.0 if row[0] * d[0] + row[1] * d[1] + row[2] * d[2] > 0.0 else 1.0
        for i in range(3):
            hits[count, i] = o[i] + t * d[i]
            hits[count, 3 + i] = sign * row[i]
        hits[count, 6] = face
        count += 1
    return count
