"""Shapes of which everything is known, for tests of the parts of an inspection."""

from __future__ import annotations

import numpy as np

from proxops.core.vision import Floats
from proxops.maths.rotation import matrix_from_rotation_vector

BOX_M = np.array([0.8, 0.5, 0.3])


def on_sphere(n: int, radius_m: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Places and normals."""
    normals = rng.standard_normal((n, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return radius_m * normals, normals


def on_box(n: int, rng: np.random.Generator) -> Floats:
    """Places on three faces that meet in a corner, about as somebody sees a box; its corner is the origin."""
    places = BOX_M * rng.random((n, 3))
    places[np.arange(n), rng.integers(0, 3, n)] = 0.0
    return places


def posed(place_m: tuple[float, float, float], turn_rad: tuple[float, float, float]) -> Floats:
    """(4, 4)."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = matrix_from_rotation_vector(np.array(turn_rad)), place_m
    return T


def apart(T_a: Floats, T_b: Floats) -> tuple[float, float]:
    """m, rad."""
    R = T_a[:3, :3].T @ T_b[:3, :3]
    half_sine = 0.5 * np.linalg.norm([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return float(np.linalg.norm(T_a[:3, 3] - T_b[:3, 3])), float(np.arctan2(half_sine, 0.5 * (np.trace(R) - 1.0)))
