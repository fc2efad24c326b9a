"""Servos side by side, cycle by cycle: a row of the log is whole when its time is over, and is written then.

They share nothing that one could change for another, so each runs as it would alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from proxops.applications.servo.run import ServoBench, columns
from proxops.applications.servo.viewer import ServoViewer
from proxops.core.experiment_result import LEAST_ROWS
from proxops.ground.row_stream import Rows, RowStream, SeriesOf

TELL_EVERY: Final = 500  # cycles


def empty_rows(names: list[str], n: int, cycles: int, every: int, rate_hz: float) -> Rows:
    """All rows that there will be, with their times and no numbers: ``t``, and for each servo its columns."""
    width = len(columns(n))
    rows = np.full(cycles // every + 1, np.nan, row_dtype(names, width))
    rows["t"] = np.arange(len(rows)) * every / rate_hz
    return rows


def row_dtype(names: list[str], width: int) -> np.dtype[np.void]:
    return np.dtype([("t", "f8"), *((name, "f8", (width,)) for name in names)])


class ServosSideBySide:
    """``benches`` fill ``rows``, of which ``series_of`` makes the log's groups; ``pictured`` is the one whose camera and frames
    the viewer gets."""

    def __init__(
        self, benches: dict[str, ServoBench], rows: Rows, series_of: SeriesOf, every: int, pictured: str
    ) -> None:
        self._benches, self._rows, self._every, self._pictured = benches, rows, every, pictured
        self._series_of = series_of

    def run(
        self,
        cycles: int,
        stopped: Callable[[], bool],
        tell: Callable[[int], None],
        stream: RowStream | None,
        viewer: ServoViewer,
    ) -> None:
        """Until each has come to its end. A stop is asked for once in a cycle: all of them end at the same time."""
        going, count = dict(self._benches), 0
        for i in range(cycles + 1):
            if not going:
                break
            if i % TELL_EVERY == 0:
                tell(i)
            asked = stopped()
            row = i % self._every == 0
            if row and self._pictured in going:
                viewer.frames(float(self._rows["t"][i // self._every]), going[self._pictured])
            going = {name: bench for name, bench in going.items() if bench.cycle(i, asked)}
            count += row
            if row and stream is not None:
                if count == LEAST_ROWS:  # with fewer there is nothing to tell
                    stream.begin(self._rows.dtype, self._series_of, viewer.feed)
                stream.take(self._rows[:count])
        if stream is not None:
            stream.take(self._rows[:count], all_of_them=True)
