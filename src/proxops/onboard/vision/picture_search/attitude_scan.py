"""All attitudes of the client, each sketched in its light and laid over the picture where its bright parts would lie."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.onboard.vision.picture_search.edge_cells import CELL, WAYS, Floats32, put_cells
from proxops.onboard.vision.picture_search.known_shape import ShapeArrays
from proxops.onboard.vision.picture_search.view_sketch import Numbers, put_bright, put_met

LIT_HERE: Final = 0.15  # as ``bright_region.LIT``
BESIDE: Final = 3  # px to either side that are tried
ANGLE, DISTANCE, X, Y, LIKE = range(5)


@kernel
def scan(
    shape: ShapeArrays, centre: Array, bases: Array, rolls: Array, pitch: float, away: float, lamps: Array,
    allowed: NDArray[np.bool_], levels: Floats32, zoom: Floats32, where: Array,
    room: tuple[Numbers, Floats32, Floats32, Floats32], out: Array,
) -> None:  # fmt: skip
    """``bases`` (v, 3, 3), ``rolls`` (r); ``lamps`` (m, 5) in the axes of the line of sight; ``allowed`` (v, r). ``levels``
    (d, h, w, WAYS); ``where``: middle of what is bright, px from the corner, its extent, the border, and 0; or of where the
    client is expected, 0, the border, how far it may be from there, and the step, px there. ``out`` (v, r, 5)."""
    faces, spots, level, cells = room
    turned = np.empty_like(lamps)
    for v in range(bases.shape[0]):
        put_met(shape, centre, bases[v], pitch, away, faces, spots)
        for r in range(rolls.shape[0]):
            out[v, r, LIKE] = -1.0
            if not allowed[v, r]:
                continue
            put_turned(lamps, -rolls[r], turned)
            put_bright(shape, centre, bases[v], away, faces, spots, turned, level)
            if where[4] > 0.0:
                lay_about(level, rolls[r], levels, zoom, where, cells, out[v, r])
            else:
                lay_over(level, rolls[r], levels, zoom, where, cells, out[v, r])


@kernel
def put_turned(lamps: Array, angle: float, out: Array) -> None:
    """About the line of sight."""
    c, s = math.cos(angle), math.sin(angle)
    for k in range(lamps.shape[0]):
        out[k] = lamps[k]
        out[k, 0], out[k, 1] = c * lamps[k, 0] - s * lamps[k, 1], s * lamps[k, 0] + c * lamps[k, 1]


@kernel
def lay_over(
    level: Floats32, roll: float, levels: Floats32, zoom: Floats32, where: Array, cells: Floats32, out: Array
) -> None:  # fmt: skip
    """Where the bright parts of both lie upon each other, and a little beside, at the distance that their sizes tell and those
    beside it."""
    out[LIKE] = -1.0
    white = bright_level(level)
    if white <= 0.0 or put_cells(level, white, roll, cells) <= 0.0:
        return
    u, v, extent = middle_of_bright(level, LIT_HERE * white, roll)
    if extent <= 0.0:
        return
    wanted, middle = extent / where[2], 0
    for k in range(zoom.shape[0]):
        if abs(math.log(zoom[k] / wanted)) < abs(math.log(zoom[middle] / wanted)):
            middle = k
    for k in range(max(middle - 4, 0), min(middle + 5, zoom.shape[0]), 2):
        x, y = round(zoom[k] * where[0] + where[3] - u), round(zoom[k] * where[1] + where[3] - v)
        for j in range(y - BESIDE, y + BESIDE + 1, BESIDE):
            for i in range(x - BESIDE, x + BESIDE + 1, BESIDE):
                like = likeness(levels[k], i, j, cells)
                if like > out[LIKE]:
                    out[LIKE], out[DISTANCE], out[X], out[Y] = like, k, i, j


@kernel
def lay_about(
    level: Floats32, roll: float, levels: Floats32, zoom: Floats32, where: Array, cells: Floats32, out: Array
) -> None:  # fmt: skip
    """Everywhere about the place where the client is expected, at every second distance."""
    white = bright_level(level)
    if white <= 0.0 or put_cells(level, white, roll, cells) <= 0.0:
        return
    for k in range(0, zoom.shape[0], 2):
        x, y = round(zoom[k] * where[0] + where[3]), round(zoom[k] * where[1] + where[3])
        step = int(where[5])
        steps = math.ceil(zoom[k] * where[4] / step)
        for j in range(y - step * steps, y + step * steps + 1, step):
            for i in range(x - step * steps, x + step * steps + 1, step):
                like = likeness(levels[k], i, j, cells)
                if like > out[LIKE]:
                    out[LIKE], out[DISTANCE], out[X], out[Y] = like, k, i, j


@kernel
def bright_level(level: Floats32) -> float:
    """That an eighth of what is lit at all is brighter than: by halving."""
    top, lit = 0.0, 0
    for value in level.flat:
        top = max(top, float(value))
    for value in level.flat:
        lit += 1 if value > 0.02 * top else 0
    low, high = 0.0, float(top)
    for _ in range(8):
        middle, above = 0.5 * (low + high), 0
        for value in level.flat:
            above += 1 if value > middle else 0
        if 8 * above > lit:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@kernel
def middle_of_bright(level: Floats32, least: float, roll: float) -> tuple[float, float, float]:
    """Of what is brighter than ``least``: its middle from that of the sketch, turned by ``roll``, and its extent, px."""
    n, count, x, y, square = level.shape[0], 0, 0.0, 0.0, 0.0
    for j in range(n):
        for i in range(n):
            if level[j, i] > least:
                a, b = i - 0.5 * (n - 1), j - 0.5 * (n - 1)
                count, x, y, square = count + 1, x + a, y + b, square + a * a + b * b
    if count < 3:
        return 0.0, 0.0, 0.0
    x, y = x / count, y / count
    c, s = math.cos(roll), math.sin(roll)
    return c * x - s * y, s * x + c * y, math.sqrt(max(square / count - x * x - y * y, 0.0))


@kernel
def likeness(level: Floats32, x: int, y: int, cells: Floats32) -> float:
    """Of the cells, with their middle at the pixel (x, y) of a level."""
    m = cells.shape[0]
    product, square = np.float32(0.0), np.float32(0.0)
    left, top = x - (CELL * (m - 1)) // 2, y - (CELL * (m - 1)) // 2
    if left < 0 or top < 0 or left + CELL * m > level.shape[1] or top + CELL * m > level.shape[0]:
        return -1.0
    for j in range(m):
        for i in range(m):
            there, here = level[top + CELL * j, left + CELL * i], cells[j, i]
            for k in range(WAYS):
                product += there[k] * here[k]
                square += there[k] * there[k]
    return float(product) / math.sqrt(float(square)) if square > 0.0 else -1.0
