"""The log viewer's desk: one function for each request, to be called in a worker process.

Arguments and results are plain values and numpy arrays, so that they travel between processes. A run is named by its id on
the shelf. Times are seconds since the first record, by the log's UTC stamps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from proxops.console.log_shelf import log_path, runs
from proxops.core.errors import BadInput
from proxops.core.vocabulary import Severity
from proxops.ground import log_curves
from proxops.ground.export import chosen, write_heading, write_rows
from proxops.ground.log_file import LogFile
from proxops.ground.log_window import FAR_S, records_between, samples_at
from proxops.ground.overview import Overview, Progress, overview_of

NAMES_MAX: Final = 64  # variables of one plot
SAMPLES_MAX: Final = 20_000


def list_runs(folder: str) -> list[dict[str, Any]]:
    """The shelf, newest first (fields of ``ShelvedRun``)."""
    return [asdict(run) for run in runs(folder)]


def open_log(folder: str, id: str, progress: Progress | None = None) -> dict[str, Any]:
    """Everything about a run but its values: variables, span of time, events, metadata, what is wrong with the file."""
    with overview_of(log_path(folder, id), progress) as overview:
        return {
            "id": id,
            **_span(overview),
            "columns": [
                {"path": c.path, "unit": c.unit, "meaning": c.meaning, "names": dict(c.names)} for c in overview.columns
            ],
            "events": _events(overview),
            "metadata": overview.metadata,
            "complete": overview.complete,
            "recording": overview.recording,
            "notes": list(overview.notes),
        }


def _span(overview: Overview) -> dict[str, Any]:
    filled = overview.filled
    if not filled.size:
        return {"t0": 0.0, "t1": 0.0, "records": 0, "begin_ns": None, "ticks": None, "t_sim": None}
    first, last = filled[0], filled[-1]
    return {
        "t0": 0.0,
        "t1": float(int(filled["utc_last"].max()) - overview.begin_ns) * 1e-9,
        "records": int(filled["count"].sum()),
        "begin_ns": overview.begin_ns,
        "ticks": (int(first["tick_first"]), int(last["tick_last"])),
        "t_sim": (float(first["t_sim_first"]), float(last["t_sim_last"])),
    }


def _events(overview: Overview) -> list[dict[str, Any]]:
    known = {int(s): s.name for s in Severity}
    return [
        {
            "tick": int(event["tick"]),
            "t": (int(event["utc_ns"]) - overview.begin_ns) * 1e-9,
            "utc_ns": int(event["utc_ns"]),
            "severity": known.get(int(event["severity"]), "UNKNOWN"),
            "name": event["name"].decode(errors="replace"),
            "text": event["text"].decode(errors="replace"),
        }
        for event in overview.events
    ]


def curves(folder: str, id: str, names: Sequence[str], t0: float, t1: float, pixels: int) -> dict[str, Any]:
    """Least and greatest of each variable in each of at most ``pixels`` columns: ``t``, and ``low`` and ``high`` by name."""
    found = log_curves.curves(log_path(folder, id), _names(names), _time(t0), _time(t1), _whole("pixels", pixels))
    return asdict(found)


def samples(folder: str, id: str, times: Sequence[float], names: Sequence[str]) -> dict[str, Any]:
    """For replay: the newest record at or before each time, as doubles by name; ``t`` tells when it was. What falls into one
    chunk (a second) is unpacked once if the times rise."""
    if len(times) > SAMPLES_MAX:
        raise BadInput("too many samples at once", value=len(times), bound=f"at most {SAMPLES_MAX}")
    path, asked = log_path(folder, id), [_time(t) for t in times]
    with overview_of(path) as overview:
        table = samples_at(path, asked, _names(names), overview.filled)
    return {"t": table.t, "tick": table.tick, "values": {name: v.astype(float) for name, v in table.values.items()}}


def write_csv(
    folder: str, id: str, names: Sequence[str] | None, t0: float | None, t1: float | None, out_file: str, *,
    words: bool = False,
) -> int:  # fmt: skip
    """Records of a span (None: from the beginning, to the end) as CSV, chunk by chunk; the rows. The whole run gives the
    bytes of ``proxops log export``."""
    path = log_path(folder, id)
    begin, end = (-FAR_S if t0 is None else _time(t0)), (FAR_S if t1 is None else _time(t1))
    rows = 0
    with overview_of(path) as overview, LogFile(path) as log:
        columns = chosen(log.table.columns, names, id)
        try:
            with open(out_file, "w", encoding="utf-8", newline="\n") as file:
                write_heading(columns, file)
                for records in records_between(log, begin, end, overview.filled):
                    write_rows(records, columns, file, words=words)
                    rows += len(records)
        except OSError as reason:
            raise BadInput(f"cannot be written: {reason.strerror}", where=Path(out_file).name) from reason
    return rows


def _names(names: Sequence[str]) -> list[str]:
    if isinstance(names, str) or not all(isinstance(name, str) for name in names) or not 0 < len(names) <= NAMES_MAX:
        raise BadInput("names of variables", value=repr(names)[:80], bound=f"1 to {NAMES_MAX} of group.variable")
    return list(dict.fromkeys(names))


def _time(t: float) -> float:
    if isinstance(t, bool) or not isinstance(t, int | float | np.floating) or not math.isfinite(t):
        raise BadInput("not a time", value=repr(t)[:80], bound="seconds since the first record")
    return float(t)


def _whole(what: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadInput(what, value=repr(value)[:80], bound="a whole number")
    return value
