"""Meshes to shoot rays at: boxes, cylinders, spheres, and a stand-in for the client's mock-up made from them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.optics.exposure import Exposure
from proxops.optics.scene.material import Material
from proxops.optics.scene.mesh import Mesh, flat, joined

Array = NDArray[np.float64]
WHITE = Material("white", albedo=0.8, infrared=1.0)
GREY = Material("grey", albedo=0.4, infrared=0.25)
FAR = 1e9


def cuboid(middle: list[float], half: list[float], material: Material = WHITE) -> Mesh:
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    triangles = [[a, b, c] for a, b, c, _ in sides] + [[a, c, d] for a, _, c, d in sides]
    return flat(corners * half + middle, np.array(triangles, np.int32), material)


def drum(middle: list[float], radius: float, half: float, n: int = 48, material: Material = WHITE) -> Mesh:
    """A cylinder along z."""
    angles = np.arange(n) * 2.0 * np.pi / n
    ring = radius * np.stack([np.cos(angles), np.sin(angles), np.zeros(n)], axis=1)
    up, i = np.array([0.0, 0.0, half]), np.arange(n)
    j, low, high = (i + 1) % n, np.full(n, 2 * n), np.full(n, 2 * n + 1)
    vertices = np.concatenate([ring - up, ring + up, [-up, up]]) + middle
    sides = [(i, j, j + n), (i, j + n, i + n), (j, i, low), (i + n, j + n, high)]
    triangles = np.concatenate([np.stack(side, axis=1) for side in sides])
    return flat(vertices, triangles.astype(np.int32), material)


def ball(middle: list[float], radius: float, n: int = 16, material: Material = WHITE) -> Mesh:
    """``n`` rings of 2 n corners each, all of them on the sphere; the triangles at its poles have no area."""
    down, round_ = np.meshgrid(np.linspace(0.0, np.pi, n + 1), np.arange(2 * n) * np.pi / n, indexing="ij")
    unit = np.stack([np.sin(down) * np.cos(round_), np.sin(down) * np.sin(round_), np.cos(down)], axis=-1)
    k, u = np.meshgrid(np.arange(n), np.arange(2 * n), indexing="ij")
    a, b = (2 * n * k + u).ravel(), (2 * n * k + (u + 1) % (2 * n)).ravel()
    triangles = np.concatenate([np.stack([a, a + 2 * n, b + 2 * n], 1), np.stack([a, b + 2 * n, b], 1)])
    return flat(unit.reshape(-1, 3) * radius + middle, triangles.astype(np.int32), material)


def mockup() -> Mesh:
    """Some 3,600 triangles, as the client has: a bus with panels, nozzle, ring, tanks and boxes."""
    parts = [
        cuboid([0, 0, 0], [0.5, 0.5, 0.6]),
        cuboid([0, 1.6, 0], [0.02, 1, 0.4]),
        cuboid([0, -1.6, 0], [0.02, 1, 0.4]),
    ]
    parts += [drum([0, 0, 0.7], 0.3, 0.1, 64), drum([0, 0, -0.8], 0.2, 0.2, 64)]
    parts += [ball([0.5, 0.5, 0.6], 0.15), ball([0.5, -0.5, 0.6], 0.1)]
    parts += [drum([0.5, y, z], 0.05, 0.05) for y in (-0.3, 0.0, 0.3) for z in (-0.4, 0.0, 0.4)]
    return joined(parts)


def soup(rng: np.random.Generator, triangles: int) -> Mesh:
    """Triangles anywhere, small and large, through each other."""
    size = 10.0 ** rng.uniform(-2.5, -0.3, (triangles, 1, 1))
    vertices = rng.uniform(-1.0, 1.0, (triangles, 1, 3)) + size * rng.normal(size=(triangles, 3, 3))
    return flat(vertices.reshape(-1, 3), np.arange(3 * triangles, dtype=np.int32).reshape(-1, 3), WHITE)


def still(*places: list[float]) -> Array:
    """(bodies, 7), not turned."""
    return np.array([[*place, 1.0, 0.0, 0.0, 0.0] for place in places])


def units(rng: np.random.Generator, n: int) -> Array:
    """(n, 3) directions, evenly over the sphere."""
    directions = rng.normal(size=(n, 3))
    out: Array = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    return out


def exposure(T_scene_body: Array, T_scene_sensor: Array, duration_s: float = 1.0, number: int = 0) -> Exposure:
    """Of sensor 0, in the dark; (n, bodies, 7) and (n, 7)."""
    return Exposure(0, number, 10.0, duration_s, 0.0, T_scene_body, T_scene_sensor, (), None)
