"""On which side of a triangle is outside: neighbours agree where they go along their common edge in opposite directions; closed
parts hold a positive volume. Pure arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class Edges(NamedTuple):
    """Every edge once, with the half-edges that go along it."""

    of_half: Ints  # (3 T) which edge; half-edge 3 t + k goes from corner k of triangle t to the next
    upward: NDArray[np.bool_]  # (3 T) from the lower number to the higher
    uses: Ints  # (E) half-edges

    @classmethod
    def of(cls, corners: Ints) -> Edges:
        start, end = corners.ravel(), np.roll(corners, -1, axis=1).ravel()
        low, high = np.minimum(start, end), np.maximum(start, end)
        _, edge, uses = np.unique(low * (int(corners.max()) + 1) + high, return_inverse=True, return_counts=True)
        return cls(edge.ravel(), start < end, uses)

    def pairs(self) -> tuple[Ints, Ints]:
        """The two half-edges of every edge that has two."""
        order = np.argsort(self.of_half, kind="stable")
        first = np.concatenate([[0], np.cumsum(self.uses)[:-1]])[self.uses == 2]
        return order[first], order[first + 1]


def consistent(points: NDArray[np.float64], corners: Ints, edges: Edges) -> tuple[NDArray[np.bool_], bool]:
    """Which triangles (T) to turn over, and whether that is because a part is inside out. ``points`` (T, 3, 3)."""
    one, two = edges.pairs()
    disagree = edges.upward[one] == edges.upward[two]
    flipped = np.zeros(len(corners), bool)
    part = _parts(len(corners), one // 3, two // 3)
    if disagree.any():
        flipped = _agreed(len(corners), one // 3, two // 3, disagree)
        # The fewer triangles are turned: which of the two ways is outside follows below.
        many = np.bincount(part, flipped, part.max() + 1) > 0.5 * np.bincount(part, minlength=part.max() + 1)
        flipped ^= many[part]
    inward = _inside_out(points, part, flipped, _closed_parts(part, edges))
    return flipped ^ inward[part], bool(inward.any())


def _parts(triangles: int, one: Ints, two: Ints) -> Ints:
    """Number of the connected part of each triangle: the least number of a triangle in it, spread until nothing changes."""
    label = np.arange(triangles)
    while True:
        low = np.minimum(label[one], label[two])
        new = label.copy()
        np.minimum.at(new, label[one], low)
        np.minimum.at(new, label[two], low)
        new = new[new]
        if np.array_equal(new, label):
            return label
        label = new


def _agreed(triangles: int, one: Ints, two: Ints, disagree: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Walk every part from neighbour to neighbour; a band with one side has no answer and gets any."""
    ends = np.concatenate([one, two])
    others, turns = np.concatenate([two, one]), np.concatenate([disagree, disagree])
    order = np.argsort(ends, kind="stable")
    first = np.searchsorted(ends[order], np.arange(triangles + 1)).tolist()
    others_, turns_ = others[order].tolist(), turns[order].tolist()
    found = [-1] * triangles
    for begin in range(triangles):
        if found[begin] >= 0:
            continue
        found[begin], ahead = 0, [begin]
        while ahead:
            at = ahead.pop()
            for k in range(first[at], first[at + 1]):
                if found[others_[k]] < 0:
                    found[others_[k]] = found[at] ^ turns_[k]
                    ahead.append(others_[k])
    return np.array(found, bool)


def _closed_parts(part: Ints, edges: Edges) -> NDArray[np.bool_]:
    closed = np.ones(int(part.max()) + 1, bool)
    closed[part[np.flatnonzero(edges.uses[edges.of_half] == 1) // 3]] = False
    return closed


def _inside_out(
    points: NDArray[np.float64], part: Ints, flipped: NDArray[np.bool_], closed: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Of each part: it is closed, its volume is negative, and it is no cavity within another."""
    count = int(part.max()) + 1
    volume = np.einsum("ti,ti->t", points[:, 0], np.cross(points[:, 1], points[:, 2])) * np.where(flipped, -1.0, 1.0)
    inward = closed & (np.bincount(part, volume, count) < 0.0)
    lower, upper = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(lower, part, points.min(axis=1))
    np.maximum.at(upper, part, points.max(axis=1))
    outer = np.flatnonzero(closed & ~inward & (np.bincount(part, minlength=count) > 0))
    for k in np.flatnonzero(inward):
        inward[k] = not np.any(np.all(lower[outer] < lower[k], axis=1) & np.all(upper[outer] > upper[k], axis=1))
    return inward
