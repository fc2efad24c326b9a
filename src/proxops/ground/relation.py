"""Columns that say again what another says: a copy, degrees of radians, a rate. They are foretold from that other one.

The recorder knows no variable by its meaning; it looks for columns that grow in proportion. Whether one truly follows is no
matter: what is stored is the difference from what was foretold, so every bit comes back. Foretelling is a subtraction and a
multiplication of IEEE doubles, which give the same bits on every machine.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
Whole = NDArray[np.int64]
NONE: Final = -1
LEAST_ROWS: Final = 8
ALIKE: Final = 1e-14  # relative difference of two growths that may be rounding
_SNAP: Final = 1e-12
_DEGREES, _RADIANS = math.degrees(1.0), math.radians(1.0)
WORTH: Final = 2**12  # a column that is this far from what was foretold does not follow


class Relations(NamedTuple):
    """Of each column its source, what that is multiplied by, and whether its growth since the row before counts."""

    columns: Places
    sources: Places
    factors: Floats
    rates: NDArray[np.bool_]


def sample_rows(rows: int) -> list[int]:
    """Of a block of at least ``LEAST_ROWS``: three rows, and for each the one before it."""
    return [1, rows // 2, rows - 1, 0, rows // 2 - 1, rows - 2]


def relations(seen: Floats, able: Places) -> Relations:
    """Columns of ``able`` that follow from others which do not follow from any themselves. ``seen``: their values in
    ``sample_rows``."""
    count = able.size
    found, growth = np.empty(2 * count, np.int64), np.empty((2 * count, 2))
    known = _growths(seen, found, growth)
    order = np.argsort(growth[:known, 0], kind="stable")
    sources, factors = np.empty(count, np.int64), np.empty(count)
    _find_families(seen, found[order], growth[order], sources, factors)
    columns = np.flatnonzero(sources != NONE)
    sources = sources[columns]
    return Relations(able[columns], able[sources % count], factors[columns], sources >= count)


@kernel
def _sample(seen: Floats, number: int, k: int) -> float:
    """Of the columns themselves, then of their growths."""
    column = number % len(seen)
    return float(seen[column, k] if number < len(seen) else seen[column, k] - seen[column, k + 3])


@kernel
def _growths(seen: Floats, found: Whole, growth: Floats) -> int:
    """Samples that grow, and by what factor from one row to the next; how many."""
    known = 0
    for number in range(2 * len(seen)):
        a, b, c = _sample(seen, number, 0), _sample(seen, number, 1), _sample(seen, number, 2)
        first, second = b / a, c / b
        moves = first != 0.0 and second != 0.0 and (first != 1.0 or second != 1.0)
        if moves and math.isfinite(first) and math.isfinite(second):
            found[known], growth[known, 0], growth[known, 1] = number, first, second
            known += 1
    return known


@kernel
def _find_families(seen: Floats, found: Whole, growth: Floats, sources: Whole, factors: Floats) -> None:
    """Of each column the sample that it is in proportion to: of those that grow alike (neighbours, as they are sorted by their
    growth) the last, so a growth if any; ``NONE`` if others follow from it."""
    count, first = len(seen), 0
    used = np.zeros(count, np.bool_)
    for column in range(count):
        sources[column] = NONE
    for i in range(found.size):
        if i + 1 < found.size and _alike(growth[i], growth[i + 1]):
            continue
        last = found[first : i + 1].max()
        for member in found[first : i + 1]:
            if member < count and member != last % count:
                sources[member], used[last % count] = last, True
        first = i + 1
    for column in range(count):
        if used[column]:
            sources[column] = NONE
        if sources[column] != NONE:
            factors[column] = _meant(_sample(seen, column, 1) / _sample(seen, sources[column], 1))


@kernel
def _alike(one: Floats, other: Floats) -> bool:
    near = True
    for k in range(2):
        near &= not abs(other[k] - one[k]) > ALIKE * abs(other[k])
    return near


@kernel
def _meant(ratio: float) -> float:
    """The number that was meant, where rounding hides it: a whole one, or one of those between degrees and radians."""
    for meant in (np.rint(ratio), _DEGREES, _RADIANS):
        if abs(ratio - meant) <= _SNAP * abs(ratio):
            ratio = meant
    return ratio
