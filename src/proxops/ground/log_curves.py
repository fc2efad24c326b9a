"""Curves of a log for a plot of so many columns of pixels: the least and greatest value in each, so that no peak is ever lost.

Short spans come from the records themselves, long ones from the overview.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.ground.block_bounds import Floats
from proxops.ground.log import unknown_name
from proxops.ground.log_window import window
from proxops.ground.overview import Overview, overview_of
from proxops.ground.overview_file import DamagedOverview

RECORDS_PER_PIXEL: Final = 4  # fewer are read one by one
READ_BLOCKS: Final = 300  # chunks that are unpacked rather than shown as one column each: 5 minutes of a facility's log
PIXELS_MAX: Final = 20_000


@dataclass(frozen=True)
class LogCurves:
    """Least and greatest value of each variable in each column; ``t`` is the middle of a column, s since the first record.

    ``records_per_column`` is the resolution: 1 for the records themselves. ``exact``: the columns are cut at records and
    not at chunks, so nothing outside of the span asked for is in them."""

    t: Floats
    low: dict[str, Floats]
    high: dict[str, Floats]
    records_per_column: float
    exact: bool


def curves(path: Path | str, names: Sequence[str], t0: float, t1: float, pixels: int) -> LogCurves:
    """Curves of ``names`` (``group.variable``) from ``t0`` to ``t1`` in at most ``pixels`` columns."""
    if not 1 <= pixels <= PIXELS_MAX:
        raise BadInput("pixels", value=pixels, bound=f"1 to {PIXELS_MAX}")
    if not t0 <= t1:
        raise BadInput("the span of time is empty", value=f"{t0} to {t1} s", bound="the first not after the second")
    try:
        with overview_of(path) as overview:
            return _curves(overview, list(names), t0, t1, pixels)
    except DamagedOverview:
        with overview_of(path, trust=False) as overview:
            return _curves(overview, list(names), t0, t1, pixels)


def _curves(overview: Overview, names: list[str], t0: float, t1: float, pixels: int) -> LogCurves:
    for name in set(names).difference(column.path for column in overview.columns):
        raise unknown_name(name, overview.columns, str(overview.log))
    blocks, begin = overview.blocks, overview.begin_ns
    first, last = ((blocks[name] - begin) * 1e-9 for name in ("utc_first", "utc_last"))
    inside = (blocks["count"] > 0) & (first <= t1) & (last >= t0)
    records = int(blocks["count"][inside].sum())
    if records < RECORDS_PER_PIXEL * pixels or np.count_nonzero(inside) <= READ_BLOCKS:
        return _from_records(overview, names, t0, t1, pixels)
    return _from_blocks(overview, names, inside, (first[inside], last[inside]), pixels)


def _from_records(overview: Overview, names: list[str], t0: float, t1: float, pixels: int) -> LogCurves:
    table = window(overview.log, t0, t1, names, index=overview.filled)
    starts, each = _starts(table.t.size, pixels)
    values = {name: column.astype(float) for name, column in table.values.items()}
    low = {name: _reduced(np.fmin, column, starts) for name, column in values.items()}
    high = {name: _reduced(np.fmax, column, starts) for name, column in values.items()}
    return LogCurves(_middles(table.t, table.t, starts), low, high, float(each), True)


def _from_blocks(
    overview: Overview, names: list[str], inside: NDArray[np.bool_], spans: tuple[Floats, Floats], pixels: int
) -> LogCurves:
    starts, _ = _starts(int(np.count_nonzero(inside)), pixels)
    low, high = {}, {}
    for name in names:
        least, greatest = overview.bounds(name)
        low[name] = _reduced(np.fmin, least[inside], starts)
        high[name] = _reduced(np.fmax, greatest[inside], starts)
    records = overview.blocks["count"][inside].sum() / max(starts.size, 1)
    return LogCurves(_middles(*spans, starts), low, high, float(records), False)


def _starts(count: int, pixels: int) -> tuple[NDArray[np.int64], int]:
    """First row of each column, and rows in a column."""
    each = max(1, math.ceil(count / pixels))
    return np.arange(0, count, each), each


def _reduced(function: np.ufunc, values: Floats, starts: NDArray[np.int64]) -> Floats:
    """Least or greatest of each column, NaN only where there is no number."""
    if not starts.size:
        return np.empty(0)
    out: Floats = function.reduceat(values, starts)
    return out


def _middles(first: Floats, last: Floats, starts: NDArray[np.int64]) -> Floats:
    """Middle of the time of each column."""
    if not starts.size:
        return np.empty(0)
    ends = np.append(starts[1:], first.size) - 1
    middles: Floats = 0.5 * (first[starts] + last[ends])
    return middles
