"""How the facility keeps its time: every cycle's lateness and work, read from the ring where they lie, and why some were missed.

Counts go into bins of equal width on a logarithmic scale, ten a decade from 1 us to 1 s; the first bin holds all that is less,
the last all that is more. What is said of the last ten seconds is by the cycles' own time.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from proxops.console.lateness_cause import Evidence, ProcessWitness, cause
from proxops.core.messages import PERIOD_NS
from proxops.core.ring import Ring

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

LATE_S: Final = 1e-3
RECENT_NS: Final = 10_000_000_000
MISSES_KEPT: Final = 100
EDGES_S: Final[Floats] = np.concatenate(([0.0], np.logspace(-6, 0, 61)))
QUANTILES: Final = {"p50": 0.5, "p99": 0.99, "p999": 0.999, "max": 1.0}


class Witness(Protocol):
    """Who tells what the operating system has counted."""

    def sample(self) -> Evidence | None: ...


def histogram(lateness_s: Floats) -> NDArray[np.int64]:
    """Cycles in each bin of ``EDGES_S``; all that is later than the last edge in the last bin."""
    bins = np.searchsorted(EDGES_S, lateness_s, side="right") - 1
    return np.bincount(np.clip(bins, 0, EDGES_S.size - 2), minlength=EDGES_S.size - 1)


def _quantiles(lateness_s: Floats) -> dict[str, float]:
    if not lateness_s.size:
        return {}
    return dict(zip(QUANTILES, np.quantile(lateness_s, [*QUANTILES.values()]).tolist(), strict=True))


class TimingWatch:
    """``look`` 25 times a second takes in all cycles since the last look; ``state`` is what pages are told once a second."""

    def __init__(self, pool: Ring, pid: int, witness: Witness | None = None, period_ns: int = PERIOD_NS) -> None:
        self._period_ns = period_ns
        self._ring, self._witness = pool, witness or ProcessWitness(pid)
        timing, clock = pool.records["timing"], pool.records["clock"]
        self._lateness, self._work, self._missed = timing["lateness"], timing["work"], timing["missed"]
        self._utc_ns, self._tick = clock["utc_ns"], clock["tick"]
        self._cursor = self.overtaken = 0  # records that were overwritten before they could be read
        self._counts = np.zeros(EDGES_S.size - 1, np.int64)
        self._cycles = self._late = self._missed_newest = 0
        # A ring of columns: lateness s, work s, time s since the first cycle.
        self._recent = np.zeros((3, RECENT_NS // period_ns))
        self._utc_first = 0
        self._evidence: deque[Evidence | None] = deque(maxlen=3)
        self._misses: deque[dict[str, Any]] = deque(maxlen=MISSES_KEPT)

    def look(self) -> None:
        """Take in what is new. Reads a few numbers of each record and leaves the rest where it is: 0.06 ms a look with warm
        caches, 0.2 to 0.3 ms on a busy machine with two cores."""
        head = self._ring.head
        self._evidence.append(self._witness.sample())  # after the head: it covers every cycle that is read now
        start = max(self._cursor, self._oldest())
        index = np.arange(start, head) % self._ring.slots
        rows = [each[index] for each in (self._lateness, self._work, self._utc_ns, self._tick)]
        passed = min(max(self._oldest() - start, 0), index.size)  # overwritten while we read
        self.overtaken += start - self._cursor + passed
        self._cursor = head
        if index.size > passed:
            self._take(*(row[passed:] for row in rows))
            self._missed_newest = int(self._missed[index[-1]])

    def _oldest(self) -> int:
        """The first record that is not being overwritten now."""
        return self._ring.head - self._ring.slots + 1

    def _take(self, lateness: Floats, work: Floats, utc_ns: Whole, tick: Whole) -> None:
        if not self._cycles:
            self._utc_first = int(utc_ns[0])
        self._counts += histogram(lateness)
        self._late += int(np.count_nonzero(lateness > LATE_S))
        recent = self._recent.shape[1]
        kept = slice(-recent, None)
        at = (self._cycles + np.arange(lateness.size)[kept]) % recent
        self._recent[:, at] = lateness[kept], work[kept], (utc_ns[kept] - self._utc_first) * 1e-9
        self._cycles += lateness.size
        for k in np.flatnonzero(lateness >= self._period_ns * 1e-9):
            self._note(float(lateness[k]), float(work[k]), int(utc_ns[k]), int(tick[k]))

    def _note(self, lateness_s: float, work_s: float, utc_ns: int, tick: int) -> None:
        now, before = self._evidence[-1], self._evidence[0]
        growth = now.since(before) if now and before and len(self._evidence) > 1 else None
        self._misses.appendleft(
            {
                "utc_ms": utc_ns / 1e6, "tick": tick, "lateness_s": lateness_s, "work_s": work_s,
                "lost": round(lateness_s * 1e9) // self._period_ns, "cause": cause(lateness_s, work_s, growth),
            }
        )  # fmt: skip

    def state(self) -> dict[str, Any]:
        """For the pages (``TimingState`` without the console's own figures)."""
        lateness, work = self._recent_rows()
        return {
            "kind": "timing",
            "cycles": self._cycles,
            "late": self._late,
            "late_s": LATE_S,
            "missed": self._missed_newest,
            "edges_s": EDGES_S.tolist(),
            "counts": self._counts.tolist(),
            "recent": histogram(lateness).tolist(),
            "quantiles_s": _quantiles(lateness),
            "work_s": {"mean": float(work.mean()), "max": float(work.max())} if work.size else {},
            "misses": list(self._misses),
        }

    def _recent_rows(self) -> tuple[Floats, Floats]:
        """Lateness and work of the last ten seconds."""
        filled = self._recent[:, : self._cycles]
        newest_s = filled[2].max(initial=0.0)
        fresh = filled[2] > newest_s - RECENT_NS * 1e-9
        return filled[0, fresh], filled[1, fresh]
