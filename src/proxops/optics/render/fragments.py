"""What the pixels of a row see: one fragment for each triangle that has samples in a pixel.

Fragments lie in a table that the next steps go through one after the other. (A kernel that were handed all it needs for each
pixel would spend four fifths of its time on handing: an array is nine numbers.)
"""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.stack import vector
from proxops.optics.render.fill import Ids

COLUMN, TRIANGLE, SAMPLE, COUNT, MASK = range(5)
"""Pixel's column; triangle; the sample that stands for all; how many, and which (bits)."""
FIELDS: Final = 5
SAMPLES: Final = 9


@kernel
def sample(ids: Ids, j: int, i: int, s: int) -> int:
    """Triangle of the sample ``s`` (0 to 8) of a pixel."""
    down = (11 * s) >> 5  # a third, rounded down
    return int(ids[3 * j + down, 3 * i + s - 3 * down])


@kernel
def offset(s: int) -> tuple[float, float]:
    """Of a sample from its pixel's middle, in pixels."""
    down = (11 * s) >> 5
    return (s - 3 * down - 1) / 3.0, (down - 1) / 3.0


@kernel
def put_fragments(ids: Ids, j: int, begin: int, end: int, out: Ids) -> int:
    """Of the pixels ``begin`` to ``end`` of the row ``j``, all; returns how many."""
    members, count = vector(9), 0
    for i in range(begin, end):
        if _one(ids, j, i):
            t = sample(ids, j, i, 4)
            if t >= 0:
                count = _put(out, count, i, t, 4, SAMPLES, 511)
            continue
        taken = 0
        for s in range(SAMPLES):
            t = sample(ids, j, i, s)
            if (taken >> s) & 1 or t < 0:
                continue
            size, mask = 0, 0
            for other in range(s, SAMPLES):
                if sample(ids, j, i, other) == t:
                    members[size] = other
                    mask |= 1 << other
                    size += 1
            taken |= mask
            count = _put(out, count, i, t, _central(members, size), size, mask)
    return count


@kernel
def put_first_fragments(ids: Ids, j: int, begin: int, end: int, step: int, out: Ids) -> int:
    """One for every ``step``-th pixel that sees anything: of its middle sample, or the first that does."""
    count = 0
    for i in range(begin, end, step):
        for order in range(SAMPLES):
            s = (order + 4) % SAMPLES
            t = sample(ids, j, i, s)
            if t >= 0:
                count = _put(out, count, i, t, s, 1, 1 << s)
                break
    return count


@kernel
def _put(out: Ids, at: int, i: int, t: int, s: int, count: int, mask: int) -> int:
    out[at, COLUMN], out[at, TRIANGLE], out[at, SAMPLE], out[at, COUNT], out[at, MASK] = i, t, s, count, mask
    return at + 1


@kernel
def _one(ids: Ids, j: int, i: int) -> bool:
    """Whether all nine samples of a pixel see the same triangle, or none."""
    y, x = 3 * j, 3 * i
    t = ids[y, x]
    other = (ids[y, x + 1] ^ t) | (ids[y, x + 2] ^ t)
    for down in range(1, 3):
        other |= (ids[y + down, x] ^ t) | (ids[y + down, x + 1] ^ t) | (ids[y + down, x + 2] ^ t)
    return bool(other == 0)


@kernel
def _central(members: Array, count: int) -> int:
    """The sample that is nearest the middle of those that see a triangle."""
    x, y = 0.0, 0.0
    for m in range(count):
        right, down = offset(int(members[m]))
        x, y = x + right / count, y + down / count
    best, nearest = 0, np.inf
    for m in range(count):
        right, down = offset(int(members[m]))
        away = (right - x) ** 2 + (down - y) ** 2
        if away < nearest:
            best, nearest = int(members[m]), away
    return best
