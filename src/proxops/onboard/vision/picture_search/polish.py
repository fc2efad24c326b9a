"""Candidates one by one: turned a little this way and that, as long as their sketches become more like the picture."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.stack import matrix
from proxops.onboard.vision.picture_search.attitude_scan import DISTANCE, LIKE, X, Y, bright_level, likeness
from proxops.onboard.vision.picture_search.edge_cells import Floats32, put_cells
from proxops.onboard.vision.picture_search.known_shape import ShapeArrays
from proxops.onboard.vision.picture_search.view_sketch import Numbers, put_bright, put_met

FIRST: Final = math.radians(8.0)  # of a turn
HALVINGS: Final = 3
ROUNDS: Final = 2  # at most, with a turn of one size


@kernel
def polish(
    shape: ShapeArrays, centre: Array, pitch: float, lamps: Array, levels: Floats32, distances: Floats32, border: int,
    room: tuple[Numbers, Floats32, Floats32, Floats32], turns: Array, rows: Array,
) -> None:  # fmt: skip
    """``turns`` (n, 3, 3): R_target_los of each, as bases; ``rows`` (n, 5) of ``attitude_scan``. Both are made better."""
    faces, spots, level, cells = room
    trial, base, best = np.empty(5), matrix(3, 3), np.empty(5)
    for n in range(turns.shape[0]):
        best[:] = rows[n]
        best[LIKE] = -1.0
        _lay(shape, centre, turns[n], pitch, lamps, levels, distances, faces, spots, level, cells, best, border, 2)
        angle = FIRST
        for _ in range(HALVINGS):
            for _ in range(ROUNDS):
                before = best[LIKE]
                for way in range(6):
                    _put_turned(turns[n], way // 2, angle if way % 2 else -angle, base)
                    trial[:] = best
                    trial[LIKE] = best[LIKE]
                    _lay(
                        shape,
                        centre,
                        base,
                        pitch,
                        lamps,
                        levels,
                        distances,
                        faces,
                        spots,
                        level,
                        cells,
                        trial,
                        border,
                        1,
                    )
                    if trial[LIKE] > best[LIKE]:
                        best[:] = trial
                        turns[n] = base
                if best[LIKE] <= before:
                    break
            angle *= 0.5
        rows[n] = best


@kernel
def _lay(
    shape: ShapeArrays, centre: Array, base: Array, pitch: float, lamps: Array, levels: Floats32, distances: Floats32,
    faces: Numbers, spots: Floats32, level: Floats32, cells: Floats32, row: Array, border: int, reach: int,
) -> None:  # fmt: skip
    """Near the row's distance and place; the row becomes the best there if that is better than what it has."""
    put_met(shape, centre, base, pitch, distances[int(row[DISTANCE])], faces, spots)
    put_bright(shape, centre, base, distances[int(row[DISTANCE])], faces, spots, lamps, level)
    white = bright_level(level)
    if white <= 0.0 or put_cells(level, white, 0.0, cells) <= 0.0:
        return
    d, x, y = int(row[DISTANCE]), int(row[X]), int(row[Y])
    for k in range(max(d - reach, 0), min(d + reach + 1, distances.shape[0])):
        # the pixel moves with the zoom
        scale = distances[k] / distances[d]
        cx, cy = round(border + (x - border) * scale), round(border + (y - border) * scale)
        for j in range(cy - reach, cy + reach + 1):
            for i in range(cx - reach, cx + reach + 1):
                like = likeness(levels[k], i, j, cells)
                if like > row[LIKE]:
                    row[LIKE], row[DISTANCE], row[X], row[Y] = like, k, i, j


@kernel
def _put_turned(base: Array, axis: int, angle: float, out: Array) -> None:
    """``base`` (columns: the sketch's axes in the target's frame) when who looks turns about one of them."""
    a, b = (axis + 1) % 3, (axis + 2) % 3
    c, s = math.cos(angle), math.sin(angle)
    for i in range(3):
        out[i, axis] = base[i, axis]
        out[i, a] = c * base[i, a] + s * base[i, b]
        out[i, b] = -s * base[i, a] + c * base[i, b]
