"""How well each attitude fits a range grid: the points of the view that belongs to it, laid over the cells.

A point agrees with its cell, or is seen through, or nothing came back, or is hidden. Where a cluster of cells lies tells the
client's place only roughly: each attitude is first shifted along the sight so that its points lie as deep as the cells do.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.stack import matrix

DEEPEST: Final = 0.7  # m: that the place may be off along the sight
THIN: Final = 3  # of a view's points, every so many tell its depth
Grid = tuple[Array, Array, Array, Array, Array]


@kernel
def score_views(
    places: Array, middle: Array, bases: Array, infrared: Array, turns: Array, place: Array, grid: Grid, figures: Array,
    wanted: NDArray[np.bool_], score: Array, shift: Array,
) -> None:  # fmt: skip
    """``score`` (V, ROLLS) of those ``wanted`` about ``place``, and ``shift`` (m) of each along the sight. ``figures``:
    roughness, noise, noise at full amplitude, wave, least signal."""
    R = matrix(3, 3)
    far = math.sqrt(place[0] * place[0] + place[1] * place[1] + place[2] * place[2])
    for v in range(places.shape[0]):
        for roll in range(turns.shape[0]):
            if not wanted[v, roll]:
                continue
            for i in range(3):
                for j in range(3):
                    R[i, j] = 0.0
                    for k in range(3):
                        R[i, j] += turns[roll, i, k] * bases[v, j, k]
            deep = _depth(places[v], middle[v], R, place, grid)
            along = (far + deep) / far
            shift[v, roll] = deep
            score[v, roll] = _score(
                places[v],
                middle[v],
                infrared[v],
                R,
                (along * place[0], along * place[1], along * place[2]),
                grid,
                figures,
            )


@kernel
def _depth(places: Array, middle: Array, R: Array, place: Array, grid: Grid) -> float:
    """By how much the cells lie behind the points: the mean of all, then of those near it."""
    frame, near, far, _, _ = grid
    about, within = 0.0, DEEPEST
    for _ in range(3):
        total, count = 0.0, 0
        for m in range(0, places.shape[0], THIN):
            x, y, z = _carried(places, m, middle, R, (place[0], place[1], place[2]))
            if z < 0.05:
                continue
            col, row = int((x / z - frame[0]) / frame[2]), int((y / z - frame[1]) / frame[2])
            if not (0 <= col < near.shape[1] and 0 <= row < near.shape[0]) or far[row, col] == 0.0:
                continue
            off = 0.5 * (near[row, col] + far[row, col]) - math.sqrt(x * x + y * y + z * z)
            if abs(off - about) < within:
                total += off
                count += 1
        if count == 0:
            break
        about, within = total / count, 0.5 * within
    return about


@kernel
def _score(
    places: Array,
    middle: Array,
    infrared: Array,
    R: Array,
    place: tuple[float, float, float],
    grid: Grid,
    figures: Array,
) -> float:
    frame, near, far, near3, far3 = grid
    total, seen = 0.0, 0
    for m in range(places.shape[0]):
        x, y, z = _carried(places, m, middle, R, place)
        if z < 0.05:
            continue
        col, row = int((x / z - frame[0]) / frame[2]), int((y / z - frame[1]) / frame[2])
        if not (0 <= col < near.shape[1] and 0 <= row < near.shape[0]):
            continue
        r = math.sqrt(x * x + y * y + z * z)
        signal = infrared[m] / (r * r)
        slack = figures[0] + 2.5 * (figures[1] + figures[2] / max(signal, figures[4], 1e-6)) + figures[3]
        seen += 1
        if near[row, col] <= r + slack and far[row, col] >= r - slack:
            total += 1.0
        elif near3[row, col] <= r + slack and far3[row, col] >= r - slack:
            total += 0.7
        elif far3[row, col] == 0.0:
            total -= 0.7 if signal > 4.0 * figures[4] else 0.1
        elif near3[row, col] > r + slack:
            total -= 1.0
        else:
            total -= 0.7
    return total / max(seen, 1) if 4 * seen > places.shape[0] else -1.0


@kernel
def _carried(
    places: Array, m: int, middle: Array, R: Array, place: tuple[float, float, float]
) -> tuple[float, float, float]:
    a, b, c = places[m, 0] - middle[0], places[m, 1] - middle[1], places[m, 2] - middle[2]
    return (
        place[0] + R[0, 0] * a + R[0, 1] * b + R[0, 2] * c,
        place[1] + R[1, 0] * a + R[1, 1] * b + R[1, 2] * c,
        place[2] + R[2, 0] * a + R[2, 1] * b + R[2, 2] * c,
    )
