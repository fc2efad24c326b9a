"""Points of many looks made smooth: about each place a plane is fitted along the lines of sight, in which noise lies.

Only points that were seen from about the same side have to do with each other: the two sides of a thin panel are nearer to each
other than noise, and stay apart all the same. Along the mean sight s, with (a, b) across it, the depth is fitted as
c + d a + e b by weighted least squares; the place moves along s to c, and its normal is across (d, e). As moving least squares
(Levin 1998), but with errors along the sight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.vision import Floats
from proxops.maths.kernel import kernel
from proxops.maths.stack import matrix, vector

SAME_SIDE: Final = 0.7  # cosine between two lines of sight
FEWEST: Final = 8  # points of a plane
TWICE: Final = 2  # rounds: the second from where the first has led
STEEPEST: Final = 0.15  # cosine of sight and normal

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Surfels:
    """``weight``: how many points each rests on."""

    places: Floats  # (n, 3) m
    normals: Floats  # (n, 3) outward
    weight: Floats  # (n)


def surfels(points: Floats, sights: Floats, noise_m: float, radius_m: float, every_m: float) -> Surfels:
    """``sights`` (n, 3) of length one, from the sensor. One place in each cell of ``every_m`` and side."""
    order, start, frame, shape = _sorted(points, radius_m)
    sorted_points, sorted_sights = np.ascontiguousarray(points[order]), np.ascontiguousarray(sights[order])
    chosen = _one_of_each(sorted_points, sorted_sights, every_m)
    places, normals = sorted_points[chosen].copy(), np.zeros((len(chosen), 3))
    weight, seeds = np.zeros(len(chosen)), np.ascontiguousarray(sorted_sights[chosen])
    for _ in range(TWICE):
        _smooth(sorted_points, sorted_sights, start, frame, shape, radius_m, noise_m, seeds, places, normals, weight)
    good = weight > FEWEST
    return Surfels(places[good], normals[good], weight[good])


def _sorted(points: Floats, cell_m: float) -> tuple[Ints, Ints, Floats, Ints]:
    """Order of points by cells, where each cell begins, least corner of the grid, its shape."""
    low = points.min(axis=0) - 1.5 * cell_m
    shape = np.ceil((points.max(axis=0) + 1.5 * cell_m - low) / cell_m).astype(np.int64)
    at = ((points - low) / cell_m).astype(np.int64)
    cell = (at[:, 0] * shape[1] + at[:, 1]) * shape[2] + at[:, 2]
    order = np.argsort(cell, kind="stable")
    start = np.searchsorted(cell[order], np.arange(int(shape.prod()) + 1))
    return order, start.astype(np.int64), low, shape


def _one_of_each(points: Floats, sights: Floats, every_m: float) -> Ints:
    """Numbers of points: one for each cell and each of the six sides it may be seen from."""
    cell = np.floor(points / every_m).astype(np.int64)
    axis = np.abs(sights).argmax(axis=1)
    side = 2 * axis + (np.take_along_axis(sights, axis[:, None], axis=1)[:, 0] > 0.0)
    _, first = np.unique(np.concatenate([cell, side[:, None]], axis=1), axis=0, return_index=True)
    return np.sort(first)


@kernel
def _smooth(
    points: Floats, sights: Floats, start: Ints, frame: Floats, shape: Ints, radius: float, noise: float, seeds: Floats,
    places: Floats, normals: Floats, weight: Floats,
) -> None:  # fmt: skip
    """Moves ``places``; ``normals`` and ``weight`` are found."""
    A, rhs, s = matrix(3, 3), vector(3), vector(3)
    u, v = vector(3), vector(3)
    for k in range(places.shape[0]):
        for i in range(3):
            s[i] = seeds[k, i]
        _across(s, u, v)
        gate, d, e = 3.0 * noise + 0.5 * radius, 0.0, 0.0
        for _ in range(
            3
        ):  # each about the plane that was found before, and tighter: a level gate would level the plane
            for i in range(3):
                rhs[i] = 0.0
                for j in range(3):
                    A[i, j] = 0.0
            _gather(points, sights, start, frame, shape, radius, gate, places[k], s, u, v, d, e, A, rhs)
            weight[k] = A[0, 0]
            if A[0, 0] < FEWEST:
                break
            c, d, e = _solved(A, rhs)
            steep = np.sqrt(1.0 + d * d + e * e)
            if not steep < 1.0 / STEEPEST or abs(c) > 2.0 * gate:
                weight[k] = 0.0
                break
            for i in range(3):
                places[k, i] += c * s[i]
                normals[k, i] = (d * u[i] + e * v[i] - s[i]) / steep
            gate = 3.0 * noise


@kernel
def _gather(
    points: Floats, sights: Floats, start: Ints, frame: Floats, shape: Ints, radius: float, gate: float, place: Floats,
    s: Floats, u: Floats, v: Floats, d: float, e: float, A: Floats, rhs: Floats,
) -> None:  # fmt: skip
    """Sums of the weighted fit over points of about the same sight, not far from the plane of slopes ``d`` and ``e``."""
    cell = (
        int((place[0] - frame[0]) / radius),
        int((place[1] - frame[1]) / radius),
        int((place[2] - frame[2]) / radius),
    )
    for i in range(max(cell[0] - 1, 0), min(cell[0] + 2, shape[0])):
        for j in range(max(cell[1] - 1, 0), min(cell[1] + 2, shape[1])):
            row = (i * shape[1] + j) * shape[2]
            for n in range(start[row + max(cell[2] - 1, 0)], start[row + min(cell[2] + 2, shape[2])]):
                if sights[n, 0] * s[0] + sights[n, 1] * s[1] + sights[n, 2] * s[2] < SAME_SIDE:
                    continue
                x, y, z = points[n, 0] - place[0], points[n, 1] - place[1], points[n, 2] - place[2]
                a, b = x * u[0] + y * u[1] + z * u[2], x * v[0] + y * v[1] + z * v[2]
                depth = x * s[0] + y * s[1] + z * s[2]
                share = (a * a + b * b) / (radius * radius)
                far = (depth - d * a - e * b) / gate
                if share >= 1.0 or far * far >= 1.0:
                    continue
                w = (1.0 - share) * (1.0 - far * far)
                A[0, 0] += w
                A[0, 1] += w * a
                A[0, 2] += w * b
                A[1, 1] += w * a * a
                A[1, 2] += w * a * b
                A[2, 2] += w * b * b
                rhs[0] += w * depth
                rhs[1] += w * a * depth
                rhs[2] += w * b * depth


@kernel
def _solved(A: Floats, rhs: Floats) -> tuple[float, float, float]:
    """Symmetric three by three, by its adjugate; the slope is drawn a little to none."""
    hold = 1e-3 * (A[1, 1] + A[2, 2]) + 1e-12
    a, b, c, d, e, f = A[0, 0], A[0, 1], A[0, 2], A[1, 1] + hold, A[1, 2], A[2, 2] + hold
    p, q, r = d * f - e * e, c * e - b * f, b * e - c * d
    det = a * p + b * q + c * r
    x = (p * rhs[0] + q * rhs[1] + r * rhs[2]) / det
    y = (q * rhs[0] + (a * f - c * c) * rhs[1] + (b * c - a * e) * rhs[2]) / det
    z = (r * rhs[0] + (b * c - a * e) * rhs[1] + (a * d - b * b) * rhs[2]) / det
    return x, y, z


@kernel
def _across(s: Floats, u: Floats, v: Floats) -> None:
    """Two directions across ``s`` and each other."""
    k = 0 if abs(s[0]) < 0.6 else 1
    e0, e1, e2 = (1.0 if k == 0 else 0.0), (1.0 if k == 1 else 0.0), 0.0
    u[0], u[1], u[2] = s[1] * e2 - s[2] * e1, s[2] * e0 - s[0] * e2, s[0] * e1 - s[1] * e0
    long = np.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])
    for i in range(3):
        u[i] /= long
    v[0], v[1], v[2] = s[1] * u[2] - s[2] * u[1], s[2] * u[0] - s[0] * u[2], s[0] * u[1] - s[1] * u[0]
