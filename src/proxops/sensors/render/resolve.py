"""From samples to pixels: what each pixel sees is shaded once per triangle, in two rounds.

First every pixel looks for each light once, to a point of its disc that differs from that of its eight neighbours. Where pixels and
their neighbours on the same surface agree, that is the answer; where they do not, there is the edge of a shadow, and each sample
looks for itself.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.stack import vector
from proxops.maths.triple import Triple
from proxops.sensors.render.fill import Ids
from proxops.sensors.render.lighting import GOLDEN, around, arrival, is_around, sees_light
from proxops.sensors.render.reflection import crinkled, dot, mixed, reflected, unit
from proxops.sensors.render.surfaces import Surfaces
from proxops.sensors.scene.tree import TreeArrays

Floats = NDArray[np.float32]
SHADED, LIT, TURNED = range(3)  # what a pixel found when it looked for a light; turned: its surface faces away


class View(NamedTuple):
    """Where the samples look, and from where."""

    x: Array  # (h, w) lines of sight on the plane z = 1, of the pixels' middles
    y: Array
    pixel: float  # width of a pixel on that plane
    T_body_sensor: Array  # (9, B, 12) at the moment of each of the nine samples


class Look(NamedTuple):
    """What the pixels found in the first round: room that is used again."""

    triangle: Ids  # (h, w) of the pixel's middle; -1: nothing
    distance: Floats  # (h, w) z in the sensor's frame
    found: NDArray[np.uint8]  # (lights, h, w)


class World(NamedTuple):
    """What is seen, and what stands in the light."""

    surfaces: Surfaces
    tree: TreeArrays
    placed: Array  # of ``rays.place``
    lamps: Array


@kernel
def sample(ids: Ids, j: int, i: int, s: int) -> int:
    """Triangle of the sample ``s`` (0 to 8) of a pixel."""
    return int(ids[3 * j + s // 3, 3 * i + s % 3])


@kernel
def gather(ids: Ids, rows: tuple[int, int, int, int], view: View, world: World, look: Look) -> None:
    """The first round, for pixels of the rectangle (first row, column, one past the last row, column)."""
    for j in range(rows[0], rows[2]):
        for i in range(rows[1], rows[3]):
            s = _middle(ids, j, i)
            t = sample(ids, j, i, s) if s >= 0 else -1
            look.triangle[j, i] = t
            if t >= 0:
                p, z = _place(world.surfaces, t, view, j, i, s)
                look.distance[j, i] = z
                _look_for_lights(world, view, look, j, i, s, t, p)


@kernel
def _middle(ids: Ids, j: int, i: int) -> int:
    """The sample that stands for the pixel: the middle one, or the first that meets anything; -1: none does."""
    if sample(ids, j, i, 4) >= 0:
        return 4
    for s in range(9):
        if sample(ids, j, i, s) >= 0:
            return s
    return -1


@kernel
def _place(surfaces: Surfaces, t: int, view: View, j: int, i: int, s: int) -> tuple[Triple, float]:
    """Where in the body's frame a sample sees the plane of the triangle, and z in the sensor's."""
    T, face = view.T_body_sensor[s, surfaces.body[t]], surfaces.faces[t]
    x = view.x[j, i] + view.pixel * (s % 3 - 1) / 3.0
    y = view.y[j, i] + view.pixel * (s // 3 - 1) / 3.0
    d = (T[0] * x + T[1] * y + T[2], T[3] * x + T[4] * y + T[5], T[6] * x + T[7] * y + T[8])
    n, eye = (face[0], face[1], face[2]), (T[9], T[10], T[11])
    slope = dot(n, d)
    z = -(dot(n, eye) + face[3]) / slope if slope != 0.0 else 0.0
    return (eye[0] + z * d[0], eye[1] + z * d[1], eye[2] + z * d[2]), z


@kernel
def _in_scene(row: Array, v: Triple, whole: float) -> Triple:
    """A place (``whole`` = 1) or direction (0) of a body, of which ``row`` is that of ``placed``, in the scene."""
    return (
        row[0] * v[0] + row[3] * v[1] + row[6] * v[2] + whole * row[9],
        row[1] * v[0] + row[4] * v[1] + row[7] * v[2] + whole * row[10],
        row[2] * v[0] + row[5] * v[1] + row[8] * v[2] + whole * row[11],
    )


@kernel
def _faced(surfaces: Surfaces, t: int, view: View, s: int) -> float:
    """1: the eye is on the outer side of the triangle; -1: on the inner."""
    T, face = view.T_body_sensor[s, surfaces.body[t]], surfaces.faces[t]
    return 1.0 if face[0] * T[9] + face[1] * T[10] + face[2] * T[11] + face[3] >= 0.0 else -1.0


@kernel
def _look_for_lights(world: World, view: View, look: Look, j: int, i: int, s: int, t: int, p: Triple) -> None:
    surfaces, row = world.surfaces, world.placed[world.surfaces.body[t]]
    face, side = surfaces.faces[t], _faced(surfaces, t, view, s)
    n = _in_scene(row, (side * face[0], side * face[1], side * face[2]), 0.0)
    p = _in_scene(row, p, 1.0)
    which = 3 * (j % 3) + i % 3
    for k in range(world.lamps.shape[0]):
        lamp = world.lamps[k]
        if is_around(lamp):
            continue
        if dot(n, arrival(lamp, p)[0]) <= 0.0:
            look.found[k, j, i] = TURNED
        elif sees_light(
            world.tree, world.placed, surfaces, t, side > 0.0, p, lamp, (which + 0.5) / 9.0, which * GOLDEN
        ):
            look.found[k, j, i] = LIT
        else:
            look.found[k, j, i] = SHADED


@kernel
def shade(
    ids: Ids, rows: tuple[int, int, int, int], view: View, world: World, look: Look, share: float,
    radiance: Floats, sky: Floats,
) -> None:  # fmt: skip
    """The second round: adds ``share`` of what the pixels of the rectangle see, W/m²/sr; takes from ``sky`` what bodies cover."""
    members = vector(9)
    for j in range(rows[0], rows[2]):
        for i in range(rows[1], rows[3]):
            if look.triangle[j, i] < 0:
                continue
            total, covered, taken = 0.0, 0, 0
            for s in range(9):
                t = sample(ids, j, i, s)
                if (taken >> s) & 1 or t < 0:
                    continue
                count = 0
                for other in range(s, 9):
                    if sample(ids, j, i, other) == t:
                        members[count] = other
                        taken |= 1 << other
                        count += 1
                total += count * _seen(rows, view, world, look, j, i, t, members, count)
                covered += count
            radiance[j, i] += np.float32(share * total / 9.0)
            sky[j, i] -= np.float32(share * covered / 9.0)


@kernel
def _seen(
    rows: tuple[int, int, int, int], view: View, world: World, look: Look, j: int, i: int, t: int,
    members: Array, count: int,
) -> float:  # fmt: skip
    """Radiance of a triangle that ``count`` samples of a pixel see."""
    surfaces, s = world.surfaces, _central(members, count)
    body, face, side = surfaces.body[t], surfaces.faces[t], _faced(surfaces, t, view, s)
    p, z = _place(surfaces, t, view, j, i, s)
    T = view.T_body_sensor[s, body]
    v = unit((T[9] - p[0], T[10] - p[1], T[11] - p[2]))
    flat = (side * face[0], side * face[1], side * face[2])
    n = _normal(surfaces, t, p, side) if surfaces.round[t] else flat
    material = surfaces.materials[surfaces.material[t]]
    n, exponent = crinkled(material, p, n, view.pixel * z)
    row = world.placed[body]
    n, v, flat = _in_scene(row, n, 0.0), _in_scene(row, v, 0.0), _in_scene(row, flat, 0.0)
    place = _in_scene(row, p, 1.0)
    total = 0.0
    for k in range(world.lamps.shape[0]):
        lamp = world.lamps[k]
        if is_around(lamp):
            total += around(lamp, n) * material[0] / math.pi
            continue
        towards, irradiance = arrival(lamp, place)
        if dot(flat, towards) <= 0.0:
            continue
        value = irradiance * reflected(material, exponent, n, v, towards)
        if value > 0.0:
            total += value * _share_of_light(rows, view, world, look, j, i, t, z, members, count, k, side)
    return total


@kernel
def _central(members: Array, count: int) -> int:
    """The sample that is nearest the middle of those that see a triangle."""
    if count == 9:
        return 4
    x, y = 0.0, 0.0
    for m in range(count):
        x += members[m] % 3 / count
        y += members[m] // 3 / count
    best, nearest = 0, np.inf
    for m in range(count):
        away = (members[m] % 3 - x) ** 2 + (members[m] // 3 - y) ** 2
        if away < nearest:
            best, nearest = int(members[m]), away
    return best


@kernel
def _normal(surfaces: Surfaces, t: int, p: Triple, side: float) -> Triple:
    """Between those of the corners, on the side of the eye."""
    face, normals = surfaces.faces[t], surfaces.corner_normals[t]
    b = min(max(face[4] * p[0] + face[5] * p[1] + face[6] * p[2] + face[7], 0.0), 1.0)
    c = min(max(face[8] * p[0] + face[9] * p[1] + face[10] * p[2] + face[11], 0.0), 1.0)
    a = side * (1.0 - b - c)
    b, c = side * b, side * c
    return unit(
        (
            a * normals[0, 0] + b * normals[1, 0] + c * normals[2, 0],
            a * normals[0, 1] + b * normals[1, 1] + c * normals[2, 1],
            a * normals[0, 2] + b * normals[1, 2] + c * normals[2, 2],
        )
    )


@kernel
def _share_of_light(
    rows: tuple[int, int, int, int], view: View, world: World, look: Look, j: int, i: int, t: int, z: float,
    members: Array, count: int, k: int, side: float,
) -> float:  # fmt: skip
    """Of the light ``k``, how much reaches what the samples see: as the neighbours agree, or by a ray each."""
    lit, shaded = 0, 0
    body, near = world.surfaces.body[t], 4.0 * view.pixel * z
    for y in range(max(j - 1, rows[0]), min(j + 2, rows[2])):
        for x in range(max(i - 1, rows[1]), min(i + 2, rows[3])):
            other = look.triangle[y, x]
            if other != t and (
                other < 0 or world.surfaces.body[other] != body or abs(look.distance[y, x] - z) > near
            ):
                continue
            if look.found[k, y, x] == LIT:
                lit += 1
            elif look.found[k, y, x] == SHADED:
                shaded += 1
    if shaded == 0 and lit > 0:
        return 1.0
    if lit == 0 and shaded > 0:
        return 0.0
    return _by_rays(view, world, j, i, t, members, count, k, side)


@kernel
def _by_rays(
    view: View, world: World, j: int, i: int, t: int, members: Array, count: int, k: int, side: float
) -> float:
    row = world.placed[world.surfaces.body[t]]
    word = mixed(mixed(j) + i)
    turn, begin = (word & 0xFFFF) * (2.0 * math.pi / 65536.0), (word >> 16) / 65536.0
    lit = 0
    for m in range(count):
        p = _in_scene(row, _place(world.surfaces, t, view, j, i, int(members[m]))[0], 1.0)
        ring = (m + begin) / count
        if sees_light(
            world.tree, world.placed, world.surfaces, t, side > 0.0, p, world.lamps[k], ring, turn + m * GOLDEN
        ):
            lit += 1
    return lit / count
