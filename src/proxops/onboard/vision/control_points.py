"""Control points: where an expected picture has edges of the client that stand still on it, with how they look.

They lie on ridges of the picture's gradient. Of these only edges of the shape count: contours, creases, seams of materials. Edges
of shadows wander over the client as it turns, and with them errors of the Sun's direction, so they are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.pose import pose_from_packed
from proxops.maths.rotation import Array
from proxops.maths.stack import vector
from proxops.maths.triple import Triple
from proxops.onboard.vision.expected_picture import Draughtsman, ExpectedPicture, Picture
from proxops.optics.render.fill import Ids
from proxops.optics.render.surfaces import MATERIAL, ROUND

MOST: Final = 100_000  # ridges that are looked at: a picture of 2048 x 2048 that is full of edges has a fifth of these
REACH = 2  # px along the gradient, in which the edge of the shape must lie
SHARP, SHARP_ROUND = (
    math.cos(math.radians(20.0)),
    math.cos(math.radians(50.0)),
)  # of a crease; where facets stand for a round
BESIDE = 1.5  # px by which the surfaces of a contour lie one behind the other, at least
NOTHING, CONTOUR, CREASE = range(3)


@dataclass(frozen=True, eq=False)
class ControlPoints:
    """``place``: in the target's frame (n, 3); ``along``: a second place, a little along the edge. ``profile`` (n, 2 w + 1): what
    the expected picture has across the edge, at steps of a pixel."""

    place: Array
    along: Array
    profile: Array
    contour: NDArray[np.bool_]
    triangle: NDArray[np.int64]  # that each point lies on
    spacing: float  # px along edges from one to the next

    def __len__(self) -> int:
        return len(self.place)


def control_points(
    expected: ExpectedPicture, level: Picture, drawn_by: Draughtsman, least_slope: float, half: int, most: int
) -> ControlPoints:
    """``level``: the picture of ``expected`` as it is compared, (h, w). ``least_slope`` per pixel; ``half``: of a profile, px."""
    top, left, bottom, right = expected.box
    T = pose_from_packed(expected.T_sensor_target)
    found = np.empty((MOST, 10))
    x, y = drawn_by.x[top:bottom, left:right], drawn_by.y[top:bottom, left:right]
    count = find_edges(
        level, expected.ids, expected.nearness, np.ascontiguousarray(x), np.ascontiguousarray(y), T, drawn_by.triangles,
        2.0 / (drawn_by.lens.fx + drawn_by.lens.fy), least_slope, half + 1, found,
    )  # fmt: skip
    chosen = found[: min(count, MOST)]
    if len(chosen) > most:
        chosen = chosen[np.round(np.linspace(0, len(chosen) - 1, most)).astype(np.int64)]
    profile = np.empty((len(chosen), 2 * half + 1))
    put_profiles(level, np.ascontiguousarray(chosen[:, :4]), profile)
    sensor = np.concatenate([chosen[:, 4:7], chosen[:, 4:7]])
    width = (chosen[:, 6] * 2.0 / (drawn_by.lens.fx + drawn_by.lens.fy))[:, None]
    sensor[len(chosen) :, :2] += width * np.stack([-chosen[:, 3], chosen[:, 2]], axis=1)
    body = (sensor - T[:3, 3]) @ T[:3, :3]
    place, along = np.ascontiguousarray(body[: len(chosen)]), np.ascontiguousarray(body[len(chosen) :])
    return ControlPoints(
        place, along, profile, chosen[:, 7] == CONTOUR, chosen[:, 9].astype(np.int64), max(1.0, count / most)
    )


@kernel
def find_edges(
    level: Picture, ids: Ids, nearness: Picture, x: Array, y: Array, T: Array, triangles: Array, pixel: float,
    least: float, rim: int, out: Array,
) -> int:  # fmt: skip
    """Rows of ``out``: u, v in the box, normal (2, to the brighter side), place in the sensor's frame (3), kind, slope, triangle.
    Returns how many there are; no more than ``out`` holds are written."""
    height, width = level.shape
    count, spot = 0, vector(2)
    for j in range(rim, height - rim):
        for i in range(rim, width - rim):
            gx, gy = 0.5 * (level[j, i + 1] - level[j, i - 1]), 0.5 * (level[j + 1, i] - level[j - 1, i])
            slope = math.sqrt(gx * gx + gy * gy)
            if slope < least or not _is_ridge(level, j, i, gx, gy, slope):
                continue
            nx, ny = gx / slope, gy / slope
            kind = _shape_edge(ids, nearness, x, y, T, triangles, pixel, j, i, nx, ny, spot)
            if kind == NOTHING:
                continue
            if count < out.shape[0]:
                row = out[count]
                row[0], row[1], row[2], row[3] = i, j, nx, ny
                row[4], row[5], row[6] = x[j, i] / spot[0], y[j, i] / spot[0], 1.0 / spot[0]
                row[7], row[8], row[9] = kind, slope, spot[1]
            count += 1
    return count


@kernel
def _is_ridge(level: Picture, j: int, i: int, gx: float, gy: float, slope: float) -> bool:
    """Whether the slope is greatest here along its own direction (Canny 1986), by the neighbour that is nearest to it."""
    right = 1 if gx > 0.0 else -1
    down = 1 if gy > 0.0 else -1
    if abs(gx) > 2.4142 * abs(gy):
        down = 0
    elif abs(gy) > 2.4142 * abs(gx):
        right = 0
    return _slope(level, j + down, i + right) <= slope and _slope(level, j - down, i - right) < slope


@kernel
def _slope(level: Picture, j: int, i: int) -> float:
    gx, gy = 0.5 * (level[j, i + 1] - level[j, i - 1]), 0.5 * (level[j + 1, i] - level[j - 1, i])
    return math.sqrt(gx * gx + gy * gy)


@kernel
def _shape_edge(
    ids: Ids, nearness: Picture, x: Array, y: Array, T: Array, triangles: Array, pixel: float, j: int, i: int,
    nx: float, ny: float, spot: Array,
) -> int:  # fmt: skip
    """What edge of the shape lies across this direction; ``spot``: 1 / z of the nearest found, and its triangle."""
    kind = NOTHING
    spot[0] = 0.0
    bj, bi = j - round(REACH * ny), i - round(REACH * nx)
    for step in range(1 - REACH, REACH + 1):
        aj, ai = bj, bi
        bj, bi = j + round(step * ny), i + round(step * nx)
        a, b = ids[aj, ai], ids[bj, bi]
        if a == b:
            continue
        found = _between(ids, nearness, x, y, T, triangles, pixel, aj, ai, bj, bi)
        if found == NOTHING:
            continue
        if found == CONTOUR or kind != CONTOUR:
            before = 0.0 if found == CONTOUR and kind == CREASE else spot[0]
            spot[0] = max(before, nearness[aj, ai], nearness[bj, bi])
            if spot[0] > before:
                spot[1] = a if nearness[aj, ai] >= nearness[bj, bi] else b
            kind = found
    return kind


@kernel
def _between(
    ids: Ids, nearness: Picture, x: Array, y: Array, T: Array, triangles: Array, pixel: float,
    aj: int, ai: int, bj: int, bi: int,
) -> int:  # fmt: skip
    """The kind of edge between two neighbouring pixels that see different triangles."""
    a, b = ids[aj, ai], ids[bj, bi]
    if a < 0 or b < 0:
        return CONTOUR
    one, other = triangles[a], triangles[b]
    p, q = _in_body(T, x[aj, ai], y[aj, ai], nearness[aj, ai]), _in_body(T, x[bj, bi], y[bj, bi], nearness[bj, bi])
    away = BESIDE * pixel / min(nearness[aj, ai], nearness[bj, bi])
    if abs(_above(one, q)) > away and abs(_above(other, p)) > away:
        return CONTOUR
    if one[MATERIAL] != other[MATERIAL]:
        return CREASE
    cosine = one[0] * other[0] + one[1] * other[1] + one[2] * other[2]
    both_round = one[ROUND] > 0.0 and other[ROUND] > 0.0
    return CREASE if cosine < (SHARP_ROUND if both_round else SHARP) else NOTHING


@kernel
def _in_body(T: Array, x: float, y: float, nearness: float) -> Triple:
    z = 1.0 / nearness
    a, b, c = z * x - T[0, 3], z * y - T[1, 3], z - T[2, 3]
    return (
        T[0, 0] * a + T[1, 0] * b + T[2, 0] * c,
        T[0, 1] * a + T[1, 1] * b + T[2, 1] * c,
        T[0, 2] * a + T[1, 2] * b + T[2, 2] * c,
    )


@kernel
def _above(face: Array, p: Triple) -> float:
    return float(face[0] * p[0] + face[1] * p[1] + face[2] * p[2] + face[3])


@kernel
def put_profiles(level: Picture, where: Array, out: Array) -> None:
    """``where`` (n, 4): u, v, normal. At steps of a pixel along the normal, the middle one at u, v."""
    half = out.shape[1] // 2
    for n in range(where.shape[0]):
        for k in range(out.shape[1]):
            s = k - half
            out[n, k] = between_pixels(level, where[n, 0] + s * where[n, 2], where[n, 1] + s * where[n, 3])


@kernel
def between_pixels(level: Picture, u: float, v: float) -> float:
    """Bilinear; u, v lie inside."""
    i, j = int(u), int(v)
    i, j = min(i, level.shape[1] - 2), min(j, level.shape[0] - 2)
    a, b = u - i, v - j
    upper = (1.0 - a) * level[j, i] + a * level[j, i + 1]
    lower = (1.0 - a) * level[j + 1, i] + a * level[j + 1, i + 1]
    return float((1.0 - b) * upper + b * lower)
