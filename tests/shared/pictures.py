"""Scenes of one or two bodies before a camera that stands in the origin and looks along +z."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proxops.core.lens import Lens
from proxops.optics.exposure import Exposure, Sky
from proxops.optics.render.renderer import Renderer
from proxops.optics.scene.light import Light, SurroundingLight
from proxops.optics.scene.material import Material
from proxops.optics.scene.mesh import Mesh, flat
from proxops.optics.scene.scene import Scene
from proxops.optics.scene.tree import tree_of

LENS = Lens(320, 240, 500.0, 500.0, 159.5, 119.5)
PAINT = Material("paint", 0.8)
EVEN = (
    SurroundingLight((0.0, 0.0, 1.0), 100.0),
    SurroundingLight((0.0, 0.0, -1.0), 100.0),
)  # every surface gets 100 W/m²
WHOLE = 100.0 * 0.8 / math.pi  # what a camera then sees of PAINT


def renderer(*meshes: Mesh, lens: Lens = LENS, faint: float = 0.0) -> Renderer:
    scene = Scene.of([(f"body {k}", mesh) for k, mesh in enumerate(meshes)])
    return Renderer(scene, tree_of(scene), lens, faint)


def still(*poses: tuple[float, ...], lights: tuple[Light, ...] = EVEN, sky: Sky | None = None) -> Exposure:
    """Of one pose for each body: x y z, or x y z qw qx qy qz."""
    return moving([poses], lights, sky)


def moving(
    moments: list[tuple[tuple[float, ...], ...]], lights: tuple[Light, ...] = EVEN, sky: Sky | None = None
) -> Exposure:
    bodies = np.array([[(*pose, 1.0, 0.0, 0.0, 0.0)[:7] for pose in poses] for poses in moments])
    sensor = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (len(moments), 1))
    return Exposure(0, 0, 0.0, 0.01, 0.0, bodies, sensor, lights, sky)


def quad(corners: NDArray[np.float64], material: Material = PAINT) -> Mesh:
    """Of four corners (4, 3) in one plane."""
    return flat(corners, np.array([[0, 1, 2], [0, 2, 3]], np.int32), material)


def square(side_m: float, material: Material = PAINT) -> Mesh:
    """Round the origin, in the plane z = 0, seen from -z."""
    h = 0.5 * side_m
    return quad(np.array([[-h, -h, 0.0], [-h, h, 0.0], [h, h, 0.0], [h, -h, 0.0]]), material)


def centroid(picture: NDArray[np.float32]) -> NDArray[np.float64]:
    """u, v of what is bright."""
    weights = picture.astype(np.float64)
    v, u = np.indices(weights.shape)
    return np.array([np.sum(u * weights), np.sum(v * weights)]) / np.sum(weights)
