"""A span of a log as CSV, piece by piece: plots are answered between two pieces, and a download that nobody waits for ends."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from proxops.console.log_desk import open_log, write_csv
from proxops.console.worker import Worker

VALUES: Final = 150_000  # in a piece: some megabytes of text, a fraction of a second of work
RECORDS_PER_S: Final = 250  # of most logs; pieces of quicker ones are larger


@dataclass(frozen=True)
class Download:
    """What is to be written; None for the beginning and the end of the run."""

    folder: str
    id: str
    names: tuple[str, ...]
    t0: float | None
    t1: float | None

    async def pieces(self, worker: Worker) -> AsyncIterator[bytes]:
        """The text, the heading first. Whatever is wrong with the request is raised before the first piece comes."""
        whole_s = await worker.ask(last_time, self.folder, self.id)
        begin = min(max(self.t0 or 0.0, 0.0), whole_s)
        end = whole_s if self.t1 is None else min(max(self.t1, begin), whole_s)
        each_s = VALUES / RECORDS_PER_S / len(self.names)
        count = max(1, round((end - begin) / each_s))
        # Whole nanoseconds, as the records are stamped: pieces meet without a gap and without a record twice.
        edges = [round((begin + (end - begin) * k / count) * 1e9) for k in range(count + 1)]
        for k in range(count):
            first = self.t0 if k == 0 else edges[k] * 1e-9
            last = self.t1 if k == count - 1 else (edges[k + 1] - 1) * 1e-9
            yield await worker.ask(csv_piece, self.folder, self.id, self.names, first, last, k == 0)


def last_time(folder: str, id: str) -> float:
    """When the last record of a run was, s after the first; in the worker."""
    return float(open_log(folder, id)["t1"])


def csv_piece(
    folder: str, id: str, names: tuple[str, ...], t0: float | None, t1: float | None, headed: bool
) -> bytes:  # fmt: skip
    """Lines of a part of a run, with or without the heading; in the worker."""
    with tempfile.TemporaryDirectory(prefix="proxops-csv-") as place:
        out = Path(place) / "piece.csv"
        write_csv(folder, id, names, t0, t1, str(out))
        text = out.read_bytes()
    return text if headed else text[text.index(b"\n") + 1 :]
