"""Lines as SVG has them: whole numbers, from point to point, gaps left out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from proxops.ground.panels.items import Floats

Whole = NDArray[np.int64]


def path_data(x: Floats, y: Floats, *, closed: bool = False) -> str:
    """Through points in units of the picture; NaN: a gap. ``closed``: each piece is a polygon."""
    return "".join(_piece(part, closed) for part in _pieces(x, y))


def _pieces(x: Floats, y: Floats) -> Iterator[Whole]:
    """(points, 2) between two gaps each."""
    known = np.isfinite(x) & np.isfinite(y)
    points = np.rint(np.stack([np.where(known, x, 0.0), np.where(known, y, 0.0)], axis=1)).astype(np.int64)
    if known.all():
        if known.size:
            yield points
        return
    edges = np.flatnonzero(np.diff(known, prepend=False, append=False)).reshape(-1, 2)
    yield from (points[a:b] for a, b in edges.tolist())


def _piece(points: Whole, closed: bool) -> str:
    """Steps from one point to the next are small numbers; those that lead nowhere are not worth telling."""
    steps = np.diff(points, axis=0)
    steps = steps[steps.any(axis=1)]
    begin = f"M{points[0, 0]} {points[0, 1]}"
    if not len(steps):
        return f"{begin}h0"  # a dot where the ends of lines are round
    told = " ".join(map(str, steps.ravel().tolist())).replace(" -", "-")
    return f"{begin}l{told}{'z' if closed else ''}"
