"""From samples to pixels: what each pixel sees is shaded once per triangle; edges of shadows by a ray per sample."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.triple import triple
from proxops.optics.render.fill import Ids
from proxops.optics.render.fragments import COLUMN, COUNT, FIELDS, TRIANGLE, put_first_fragments, put_fragments
from proxops.optics.render.lighting import around, arrival, is_around, is_wide
from proxops.optics.render.reflection import ALBEDO, dot, reflected
from proxops.optics.render.shadows import Bytes, add_agreed, add_looked_for, put_found
from proxops.optics.render.spot import (
    DEPTH,
    EYE,
    FLAT,
    LOBE,
    NORMAL,
    PLACE,
    TOTAL,
    VALUE,
    WIDTH,
    put_normals,
    put_spots,
)
from proxops.optics.render.surfaces import MATERIAL
from proxops.optics.scene.tree import TreeArrays

Floats = NDArray[np.float32]
Rectangle = tuple[int, int, int, int]


class View(NamedTuple):
    """Where the samples look, and from where."""

    x: Array  # (h, w) lines of sight on the plane z = 1, of the pixels' middles
    y: Array
    pixel: float  # width of a pixel on that plane
    T_body_sensor: Array  # (9, B, 12) at the moment of each of the nine samples


class World(NamedTuple):
    """What is seen, and what stands in the light."""

    triangles: Array  # these three: ``Surfaces``
    materials: Array
    balls: Array
    tree: TreeArrays
    placed: Array  # of ``rays.place``
    lamps: Array


class LightFindings(NamedTuple):
    """Room: what pixels found in the first round (``shadows.py``), and the fragments of a row."""

    triangle: Ids  # (h, w) that looked; -1: none
    distance: Floats  # (h, w) its z in the sensor's frame
    found: Bytes  # (lights, h, w)
    fragments: Ids
    spots: Array


def look_for(lights: int, height: int, width: int) -> LightFindings:
    """Room for pictures of this size with so many lights."""
    return LightFindings(
        np.full((height, width), -1, np.int32),
        np.zeros((height, width), np.float32),
        np.zeros((lights, height, width), np.uint8),
        np.empty((9 * width, FIELDS), np.int32),
        np.empty((9 * width, WIDTH)),
    )


@kernel
def gather(ids: Ids, rows: Rectangle, step: int, view: View, world: World, look: LightFindings) -> None:
    """The first round, for every ``step``-th pixel of the rectangle (first row, column; one past the last)."""
    x, y, pixel, T_body_sensor = view
    triangles, _, balls, tree, placed, lamps = world
    seen, distance, found, fragments, spots = look
    begin = -(-rows[1] // step) * step
    for j in range(-(-rows[0] // step) * step, rows[2], step):
        count = put_first_fragments(ids, j, begin, rows[3], step, fragments)
        put_spots(fragments, count, x[j], y[j], pixel, T_body_sensor, triangles, placed, spots)
        seen[j, rows[1] : rows[3]] = -1
        for f in range(count):
            seen[j, fragments[f, COLUMN]] = fragments[f, TRIANGLE]
            distance[j, fragments[f, COLUMN]] = spots[f, DEPTH]
        for k in range(lamps.shape[0]):
            if not is_around(lamps[k]):
                put_found(fragments, count, spots, j, step, triangles, tree, placed, balls, lamps[k], found[k])


@kernel
def shade(
    ids: Ids, rows: Rectangle, step: int, view: View, world: World, look: LightFindings, share: float,
    radiance: Floats, sky: Floats, faint: float,
) -> None:  # fmt: skip
    """The second: adds ``share`` of what the pixels of the rectangle see, W/m²/sr; takes from ``sky`` what bodies cover."""
    x, y, pixel, T_body_sensor = view
    triangles, materials, balls, tree, placed, lamps = world
    seen, distance, found, fragments, spots = look
    for j in range(rows[0], rows[2]):
        count = put_fragments(ids, j, rows[1], rows[3], fragments)
        put_spots(fragments, count, x[j], y[j], pixel, T_body_sensor, triangles, placed, spots)
        put_normals(fragments, count, pixel, triangles, materials, placed, spots)
        for f in range(count):
            spots[f, TOTAL] = 0.0
        for k in range(lamps.shape[0]):
            lamp = lamps[k]
            if is_around(lamp):
                _add_around(fragments, count, spots, triangles, materials, lamp)
                continue
            _put_values(fragments, count, spots, triangles, materials, lamp)
            add_agreed(
                fragments, count, spots, j, step, pixel, triangles, seen, distance, found[k], rows, is_wide(lamp)
            )
            add_looked_for(
                fragments,
                count,
                spots,
                j,
                x[j],
                y[j],
                pixel,
                T_body_sensor,
                triangles,
                tree,
                placed,
                balls,
                lamp,
                faint,
            )
        for f in range(count):
            weight = share * fragments[f, COUNT] / 9.0
            radiance[j, fragments[f, COLUMN]] += weight * spots[f, TOTAL]
            sky[j, fragments[f, COLUMN]] -= weight


@kernel
def _add_around(fragments: Ids, count: int, spots: Array, triangles: Array, materials: Array, lamp: Array) -> None:
    """What comes from a half space, without shadows: diffuse alone."""
    for f in range(count):
        material = materials[int(triangles[fragments[f, TRIANGLE], MATERIAL])]
        spots[f, TOTAL] += around(lamp, triple(spots[f], NORMAL)) * material[ALBEDO] / math.pi


@kernel
def _put_values(fragments: Ids, count: int, spots: Array, triangles: Array, materials: Array, lamp: Array) -> None:
    """Radiance by one light if nothing stands between."""
    for f in range(count):
        spot, material = spots[f], materials[int(triangles[fragments[f, TRIANGLE], MATERIAL])]
        towards, irradiance = arrival(lamp, triple(spot, PLACE))
        spot[VALUE] = 0.0
        if dot(triple(spot, FLAT), towards) > 0.0:
            n, v = triple(spot, NORMAL), triple(spot, EYE)
            spot[VALUE] = irradiance * reflected(material, spot[LOBE], n, v, towards)
