"""A surface that differs from its model: who tracks a client by its drawing never has one that is right to the last millimetre,
and nobody knows how bright a surface is that has been in the Sun for years."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from proxops.optics.scene.mesh import Mesh

BRIGHTEST = 0.95  # share of light that comes back, at most


def altered(mesh: Mesh, rng: np.random.Generator, albedo: float = 1.0, part_m: float = 0.0) -> Mesh:
    """Each material up to ``albedo`` times brighter or darker, each connected part in another place, ``part_m`` on each axis (one
    standard deviation)."""
    factors = np.exp(rng.uniform(-1.0, 1.0, len(mesh.palette)) * math.log(max(albedo, 1.0)))
    palette = tuple(
        replace(one, albedo=min(float(f) * one.albedo, BRIGHTEST), specular=min(float(f) * one.specular, BRIGHTEST))
        for one, f in zip(mesh.palette, factors, strict=True)
    )
    vertices = mesh.vertices.copy()
    if part_m > 0.0:
        parts = connected_parts(mesh)
        vertices += (part_m * rng.standard_normal((parts.max() + 1, 3)))[parts]
    return replace(mesh, vertices=vertices, palette=palette)


def connected_parts(mesh: Mesh) -> NDArray[np.int64]:
    """(V) which part each vertex belongs to: those with triangles, or places, in common."""
    _, place = np.unique(np.round(mesh.vertices, 6), axis=0, return_inverse=True)
    part = np.arange(place.max() + 1)
    corners = place.reshape(-1)[mesh.triangles]
    while True:
        least = part[corners].min(axis=1)
        new = part.copy()
        for k in range(3):
            np.minimum.at(new, corners[:, k], least)
        new = new[new]
        if np.array_equal(new, part):
            break
        part = new
    _, numbers = np.unique(part, return_inverse=True)
    return np.asarray(numbers.reshape(-1)[place.reshape(-1)])
