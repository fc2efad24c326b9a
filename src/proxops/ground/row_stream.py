"""The rows of a loop on their way into the log, while the loop goes on: a kill costs the last tenth of a second, not the run.

A slice says which columns of its rows make which group of variables (``Series``); that must be copying only, so that it can be
done for whole batches with one index.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.abandoned_rings import remove_abandoned
from proxops.core.clock import LOCKSTEP_EPOCH, gps_from_utc_ns, parse_utc_ns
from proxops.core.ending import DONE, ENDED, Ending, EndReason
from proxops.core.experiment_result import ExperimentResult, Series
from proxops.core.messages import EVENT_DTYPE
from proxops.core.ring import Ring, bytes_of
from proxops.core.vocabulary import Severity
from proxops.ground.experiment_log import CLOCK, about_text, groups_of
from proxops.ground.recorder import EXIT_LOST, Recorder
from proxops.ground.schema import pool_schema
from proxops.ground.viewer_feed import ViewerFeed
from proxops.ground.viewer_ring import ViewerRing
from proxops.ground.wire import layout

Rows = NDArray[np.void]
SeriesOf = Callable[[Rows], tuple[Series, ...]]
SLOTS: Final = 20_000  # twenty seconds of a loop at 1 kHz that the recorder may fall behind
EVENT_SLOTS: Final = 64
BATCH: Final = 25  # rows
AT_ONCE: Final = SLOTS // 8  # rows at most that go into the ring at once
CLOCK_WORDS: Final = len(CLOCK.variables)
FINISH_S: Final = 60.0


class RowStream:
    """``begin`` when the rows' table is known, ``take`` whatever rows there are by now, ``finish`` with the result."""

    def __init__(self, path: Path, metadata: Mapping[str, str], *, live: bool, epoch: str = LOCKSTEP_EPOCH) -> None:
        self.path, self.metadata, self._live = path, metadata, live
        self.attachments: dict[str, bytes] = {}  # that are known before the run
        self.feed: ViewerFeed | None = None
        self._epoch_ns = parse_utc_ns(epoch)
        self._recorder: Recorder | None = None
        self._sent = 0

    @property
    def begun(self) -> bool:
        return self._recorder is not None

    def begin(self, row: np.dtype[np.void], series_of: SeriesOf, feed: ViewerFeed | None = None) -> None:
        """Start the recorder. ``row``: one record of the loop, doubles only; its field ``t`` is the time. ``feed``: what viewers
        of the log get beside the rows."""
        self._index = column_index(row, series_of)
        groups = groups_of(series_of(np.zeros(1, row)))
        dtype = layout(pool_schema(groups)).dtype
        self._time = row.fields["t"][1] // 8 if row.fields else 0
        remove_abandoned()
        rings = Ring.create("rows", dtype, SLOTS), Ring.create("events", EVENT_DTYPE, EVENT_SLOTS)
        self._ring, self._events = rings
        self.feed, self._viewer = feed, ViewerRing.create() if feed else None
        self._recorder = Recorder.start(
            *rings, self.path, {**self.metadata, "experiment": ""}, replace=True, durable=self._live, forked=not self._live,
            groups=groups,
            last_words=True, viewer=self._viewer.ring if self._viewer else None, viewer_channels=feed.channels if feed else (),
        )  # fmt: skip
        self._recorder.wait_ready()
        if self._viewer and not self._live:
            self._viewer.wait = self._recorder.let_it_keep_up

    def take(self, rows: Rows, *, all_of_them: bool = False) -> None:
        """``rows``: all that there are so far. In lockstep the recorder is waited for when it falls far behind; a live loop never
        waits."""
        count = len(rows)
        if self._recorder is None or not (all_of_them or count - self._sent >= BATCH):
            return
        self._feed_viewer(rows, all_of_them)  # before the rows of its time: the recorder relies on it
        for first in range(self._sent, count, AT_ONCE):
            self._ring.push_all(self._records(rows[first : min(first + AT_ONCE, count)], first))
        self._sent = count
        if not self._live:
            self._recorder.let_it_keep_up()

    def _feed_viewer(self, rows: Rows, all_of_it: bool) -> None:
        if self.feed is not None and self._viewer is not None:
            self._viewer.push(self.feed.due(rows["t"], self._epoch_ns, all_of_it=all_of_it))

    def _records(self, rows: Rows, first: int) -> NDArray[np.uint8]:
        """One row of bytes for each."""
        doubles = np.ascontiguousarray(rows).view(np.float64).reshape(len(rows), -1)
        t, out = doubles[:, self._time], np.empty((len(rows), CLOCK_WORDS + self._index.size))
        utc_ns = self._epoch_ns + np.round(t * 1e9).astype(np.int64)
        clock = out[:, :CLOCK_WORDS].view(np.int64)
        clock[:, 0], out[:, 1] = np.arange(first, first + len(rows)), t
        clock[:, 2], clock[:, 3] = utc_ns, utc_ns + gps_from_utc_ns(0)
        out[:, CLOCK_WORDS:] = doubles[:, self._index]
        return out.view(np.uint8)

    def finish(self, result: ExperimentResult) -> int:
        """What came of it joins the log: 0 when that is whole, else the recorder's exit code or ``EXIT_LOST``."""
        assert self._recorder is not None
        end = Ending(EndReason.STOPPED, result.failure) if result.failure else DONE
        self._say(end)
        code = self._recorder.finish(
            FINISH_S, {"experiment": about_text(result)}, {**self.attachments, **result.attachments}
        )
        return code or (EXIT_LOST if self._ring.lost or self._events.lost else 0)

    def abandon(self, error: BaseException) -> None:
        """There will be no result: the rows stay, with the reason."""
        if self._recorder is not None:
            ended = Ending.of_error(error) if isinstance(error, Exception) else Ending(EndReason.OPERATOR, "SIGINT")
            self._say(ended)
            self._recorder.finish(FINISH_S)

    def _say(self, end: Ending) -> None:
        event = np.zeros(1, EVENT_DTYPE)
        last = self._ring.records[(self._ring.head - 1) % SLOTS]["clock"] if self._sent else None
        if last is not None:
            event["utc_ns"], event["tick"] = last["utc_ns"], last["tick"]
        event["severity"], event["name"], event["text"] = end.severity, ENDED.encode(), str(end).encode()
        if end.reason is EndReason.STOPPED:
            told = event.copy()
            told["severity"], told["name"], told["text"] = Severity.ERROR, b"experiment", end.detail.encode()
            self._events.push(bytes_of(told))
        self._events.push(bytes_of(event))


def column_index(row: np.dtype[np.void], series_of: SeriesOf) -> NDArray[np.intp]:
    """Which double of a row becomes which column: seen by numbering them. ValueError if ``series_of`` does more than copy."""
    count = row.itemsize // 8
    numbered = np.arange(float(count)).view(row)
    index: NDArray[np.intp] = _columns(series_of(numbered))[0].astype(np.intp)
    other = np.random.default_rng(0).standard_normal((3, count))
    if not (_columns(series_of(other.view(row)[:, 0])) == other[:, index]).all():
        raise ValueError("the series of a stream must be copies of its rows' columns")
    return index


def _columns(series: tuple[Series, ...]) -> NDArray[Any]:
    return np.hstack([np.asarray(one.values, float) for one in series])
