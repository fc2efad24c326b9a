"""Curves of differences of two variables (``setpoint.rail-actual.rail``), beside those of single ones.

The least and greatest difference does not follow from the least and greatest of each. Where the records themselves are read it
is exact; over longer spans it is a sample for each column, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.console.log_desk import curves
from proxops.console.log_shelf import log_path
from proxops.ground.log_window import samples_at, window
from proxops.ground.overview import overview_of

MINUS: Final = "-"  # between two names; no variable has one in its own
Floats = NDArray[np.float64]


def curves_and_differences(
    folder: str, id: str, names: Sequence[str], t0: float, t1: float, pixels: int
) -> dict[str, Any]:
    """What ``log_desk.curves`` gives, with differences among ``names``. ``sampled``: those that are no least and greatest."""
    pairs = {name: name.split(MINUS, 1) for name in names if MINUS in name}
    single = [name for name in names if name not in pairs]
    terms = sorted({term for pair in pairs.values() for term in pair})
    # With nothing but differences asked for, their terms still tell the columns and the resolution.
    found = curves(folder, id, single or terms, t0, t1, pixels)
    low, high = ({name: found[side][name] for name in single} for side in ("low", "high"))
    sampled = list(pairs) if not found["exact"] else []
    if pairs:
        values, starts = _values(log_path(folder, id), terms, t0, t1, found)
        for name, (first, second) in pairs.items():
            difference = values[first] - values[second]
            low[name], high[name] = _reduced(np.fmin, difference, starts), _reduced(np.fmax, difference, starts)
    return found | {"low": low, "high": high, "sampled": sampled}


def _values(
    path: Path, terms: list[str], t0: float, t1: float, found: dict[str, Any]
) -> tuple[dict[str, Floats], NDArray[np.int64]]:
    """Records from which differences are made, and the first of each column of ``found``."""
    t: Floats = found["t"]
    with overview_of(path) as overview:
        if found["exact"]:
            table, each = window(path, t0, t1, terms, index=overview.filled), int(found["records_per_column"])
        else:
            table, each = samples_at(path, t, terms, overview.filled), 1
    # A log that is being recorded may have grown since: its newest records wait for the next request.
    starts = np.arange(t.size, dtype=np.int64) * each
    return {name: column[: t.size * each].astype(float) for name, column in table.values.items()}, starts


def _reduced(function: np.ufunc, values: Floats, starts: NDArray[np.int64]) -> Floats:
    out: Floats = function.reduceat(values, starts) if starts.size else np.empty(0)
    return out
