"""What is in a log, at a glance: times, topics and rates, variables and ranges, gaps, events, metadata."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.clock import gps_from_utc_ns
from proxops.core.vocabulary import Severity
from proxops.ground.log import Log
from proxops.ground.schema import EVENT_TOPIC, POOL_TOPIC
from proxops.ground.wire import Column

GAPS_SHOWN: Final = 20


def iso_utc(utc_ns: int) -> str:
    """ISO 8601 with nanoseconds: ``2026-01-01T00:00:00.004000000Z``."""
    seconds, nanos = divmod(int(utc_ns), 1_000_000_000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{nanos:09d}Z"


def describe(log: Log) -> dict[str, Any]:
    """Everything about a log as plain values, ready for JSON or a table."""
    return {
        "file": str(log.path),
        "bytes": log.path.stat().st_size,
        "complete": log.complete,
        "notes": list(log.notes),
        "ended": log.ended.plain if log.ended else None,
        "ended_words": log.ended_words,
        **_times(log),
        "cycles": _rated(log.count, log.values("clock.utc_ns")),
        "topics": _topics(log),
        "gaps": _gaps(log),
        "events": _events(log),
        "metadata": dict(log.metadata),
        "attachments": {name: len(data) for name, data in log.attachments.items()},
        "variables": {c.path: _variable(log, c) for c in log.columns},
    }


def _times(log: Log) -> dict[str, Any]:
    if not log.count:
        return {"duration_s": 0.0, "start": None, "end": None}
    first, last = (int(log.values("clock.utc_ns")[i]) for i in (0, -1))
    return {
        "duration_s": (last - first) * 1e-9,
        "start": {"utc": iso_utc(first), "utc_ns": first, "gps_ns": gps_from_utc_ns(first)},
        "end": {"utc": iso_utc(last), "utc_ns": last, "gps_ns": gps_from_utc_ns(last)},
    }


def _topics(log: Log) -> dict[str, dict[str, Any]]:
    """Messages per topic and their measured rate (intervals over the time between first and last; for what we do not decode,
    over the time of the whole log)."""
    whole = log.values("clock.utc_ns")
    stamps = {POOL_TOPIC: whole, EVENT_TOPIC: log.events["utc_ns"]}
    topics: dict[str, dict[str, Any]] = {}
    for topic, count in log.topics.items():
        topics[topic] = _rated(count, stamps.get(topic, whole))
    return topics


def _rated(count: int, times: NDArray[np.int64]) -> dict[str, Any]:
    span = int(times.max()) - int(times.min()) if count > 1 and times.size > 1 else 0
    return {"count": count, "rate_hz": (count - 1) / (span * 1e-9) if span else None}


def _gaps(log: Log) -> dict[str, Any]:
    """Where cycle numbers jump: cycles that are not in the log."""
    ticks = log.values("clock.tick")
    steps = np.diff(ticks)
    spots = np.flatnonzero(steps != 1)
    shown = [{"after_tick": int(ticks[i]), "missing": int(steps[i]) - 1} for i in spots[:GAPS_SHOWN]]
    return {"count": int(spots.size), "lost_ticks": int(np.sum(steps[steps > 1] - 1)), "first": shown}


def _events(log: Log) -> dict[str, int]:
    """Events by severity, the rarest words included with zero so that tables keep their shape."""
    levels = log.events["severity"]
    return {s.name: int(np.count_nonzero(levels == s)) for s in Severity}


def _variable(log: Log, column: Column) -> dict[str, Any]:
    values = log.values(column.path)
    entry: dict[str, Any] = {"unit": column.unit, "meaning": column.meaning}
    entry |= dict.fromkeys(("min", "max", "last"))
    known = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    if known.size:
        entry |= {"min": known.min().item(), "max": known.max().item()}
    if values.size:
        last = values[-1].item()
        entry["last"] = last if np.isfinite(last) else None
        if column.names:
            entry["word"] = column.names.get(last, str(last))
    if known.size < values.size:
        entry["not_finite"] = int(values.size - known.size)
    return entry
