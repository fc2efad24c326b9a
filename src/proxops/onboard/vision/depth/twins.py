"""How a client may be turned and look nearly the same: whoever finds it must ask whether it is not one of these.

Tried are turns about the axes of its frame, by multiples of 30 and 45 degrees, and half turns about axes between two of these,
15 degrees apart. With each, samples of its surface are laid on its surface again, as well as they fit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, matrix_from_rotation_vector
from proxops.onboard.vision.depth.client_model import ClientModel, Surface
from proxops.onboard.vision.depth.closest_point import closest_point
from proxops.onboard.vision.depth.views import Views

SAMPLES: Final = 500
WITHIN_M: Final = 0.12  # of its place: what may be a sample's counterpart
SAME_M: Final = 0.03  # what is
LEAST: Final = 0.45  # share of the samples that have one
STEPS: Final = 12
ALIKE: Final = 1.0 + 2.0 * math.cos(math.radians(20.0))  # trace of what turns one into the other: ICP finds both


@dataclass(frozen=True, eq=False)
class Twin:
    """T_target_twin."""

    R: Array  # (3, 3)
    p: Array  # (3) m


def twins_of(model: ClientModel, views: Views) -> tuple[Twin, ...]:
    """Without the client itself."""
    step = max(1, views.places.size // 3 // SAMPLES)
    places, normals = views.places.reshape(-1, 3)[::step], views.normals.reshape(-1, 3)[::step]
    found: list[tuple[float, Twin]] = []
    for R in _turns():
        twin = max((_laid(model, places, normals, R, centre) for centre in (model.centre, np.zeros(3))), key=_share)
        if twin[0] > LEAST:
            found.append((twin[0], Twin(R, twin[1])))
    return _apart_from_each_other(found)


def _apart_from_each_other(found: list[tuple[float, Twin]]) -> tuple[Twin, ...]:
    kept: list[Twin] = []
    for _, one in sorted(found, key=lambda row: -row[0]):
        if all(float((one.R * other.R).sum()) < ALIKE for other in kept):
            kept.append(one)
    return tuple(kept)


def _share(one: tuple[float, Array]) -> float:
    return one[0]


def _turns() -> list[Array]:
    vectors = []
    for k in range(3):
        axis, side = np.eye(3)[k], np.eye(3)[(k + 1) % 3]
        vectors += [math.radians(angle) * axis for angle in range(-165, 181, 15) if angle % 30 == 0 or angle % 45 == 0]
        for angle in range(15, 180, 15):
            if angle != 90:
                vectors.append(math.pi * (math.cos(math.radians(angle)) * axis + math.sin(math.radians(angle)) * side))
    return [matrix_from_rotation_vector(vector) for vector in vectors if np.linalg.norm(vector) > 0.1]


def _laid(model: ClientModel, places: Array, normals: Array, R: Array, centre: Array) -> tuple[float, Array]:
    """Share of the samples that lie on the surface, and the shift with which they do."""
    p = centre - R @ centre
    off, known = np.empty_like(places), np.empty(len(places), np.bool_)
    turned, ahead = places @ R.T, -normals @ R.T
    for _ in range(STEPS):
        _offsets(model.surface, turned + p, ahead, WITHIN_M, off, known)
        if not known.any():
            return 0.0, p
        p = p + off[known].mean(axis=0)
    _offsets(model.surface, turned + p, ahead, SAME_M, off, known)
    return float(known.mean()), p


@kernel
def _offsets(
    surface: Surface, places: Array, ahead: Array, within: float, off: Array, known: NDArray[np.bool_]
) -> None:
    for i in range(places.shape[0]):
        x = (places[i, 0], places[i, 1], places[i, 2])
        face, q = closest_point(surface, x, (ahead[i, 0], ahead[i, 1], ahead[i, 2]), within)
        known[i] = face >= 0
        for k in range(3):
            off[i, k] = q[k] - x[k]
