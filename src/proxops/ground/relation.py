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

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
LEAST_ROWS: Final = 8
ALIKE: Final = 1e-14  # relative difference of two growths that may be rounding
_SNAP: Final = 1e-12
_ANGLES: Final = (math.degrees(1.0), math.radians(1.0))
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
    with np.errstate(all="ignore"):
        samples = np.concatenate([seen[:, :3], seen[:, :3] - seen[:, 3:]])  # the columns themselves, then their growths
        growth = samples[:, 1:] / samples[:, :-1]
        known = (np.isfinite(growth) & (growth != 0.0)).all(axis=1) & (growth != 1.0).any(axis=1)
        columns, sources = _families(np.flatnonzero(known), growth, count)
        factors = _meant(samples[columns, 1] / samples[sources, 1])
    return Relations(able[columns], able[sources % count], factors, sources >= count)


def _families(found: Places, growth: Floats, count: int) -> tuple[Places, Places]:
    """Followers, and of each the sample that it is in proportion to: of those that grow alike the last, so a growth if any."""
    found = found[np.argsort(growth[found, 0], kind="stable")]
    grown = growth[found]
    alone = (np.abs(np.diff(grown, axis=0)) > ALIKE * np.abs(grown[1:])).any(axis=1)
    starts = np.flatnonzero(np.concatenate([[True], alone])[: found.size])
    if not starts.size:
        return found, found
    lasts = np.maximum.reduceat(found, starts)
    sources = np.repeat(lasts, np.diff(starts, append=found.size))
    follows = (found < count) & (found != sources % count)
    used = np.zeros(count, np.bool_)
    used[sources[follows] % count] = True
    follows[follows] = ~used[found[follows]]
    order = np.argsort(found[follows])
    return found[follows][order], sources[follows][order]


def _meant(ratios: Floats) -> Floats:
    """The numbers that were meant, where rounding hides them: whole ones, and those between degrees and radians."""
    with np.errstate(all="ignore"):
        for meant in (np.rint(ratios), *(np.full(ratios.shape, angle) for angle in _ANGLES)):
            ratios = np.where(np.abs(ratios - meant) <= _SNAP * np.abs(ratios), meant, ratios)
    return ratios
