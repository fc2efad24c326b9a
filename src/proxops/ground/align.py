"""Ground truth for outside data: a table with time stamps gets the hall's poses and axes appended.

The table's own text is copied as it is; only new cells are added at the end of each line.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.user_file import read_text
from proxops.ground.export import heading
from proxops.ground.log import Log
from proxops.ground.times import find_time, read_time
from proxops.ground.truth import Truth, truth_at

UTC_COLUMN: Final = "truth.utc_ns"
LARGEST_BYTES: Final = 256 * 1024 * 1024
ENDS: Final = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # what ends a line in Python
MOST_LINES: Final = 2_000_000  # more than five hours at 100 Hz


@dataclass(frozen=True)
class Aligned:
    """What was done: rows, how many lie outside the log (their cells are empty), the widest interval used."""

    rows: int
    outside: int
    undefined: int  # inside, but the log itself has no finite pose there
    max_gap_ns: int
    time_columns: tuple[str, ...]
    time_form: str


@dataclass(frozen=True)
class _Table:
    """Lines of a table: before the header, the header, and per row its text and instant (None: blank)."""

    lead: list[str]
    header: str
    delimiter: str
    rows: list[tuple[str, int | None]]
    time_columns: tuple[str, ...]
    time_form: str


def align(
    log: Log, table: Path | str, out: Path | str, time_column: str | None = None, time_form: str | None = None
) -> Aligned:
    """Append truth columns to the CSV ``table`` into ``out``. All rows are checked before any is written."""
    read = _read(Path(table), time_column, time_form)
    instants = np.array([t for _, t in read.rows if t is not None], np.int64)
    truth = truth_at(log, instants)
    _write(read, truth, instants, Path(out))
    known = np.all([np.isfinite(values) for _, _, values in truth.columns()], axis=0)
    return Aligned(
        rows=int(instants.size),
        outside=int(np.count_nonzero(~truth.inside)),
        undefined=int(np.count_nonzero(truth.inside & ~known)),
        max_gap_ns=int(truth.gap_ns.max(initial=0)),
        time_columns=read.time_columns,
        time_form=read.time_form,
    )


def _read(path: Path, column: str | None, form: str | None) -> _Table:
    text = read_text(path, "the table", LARGEST_BYTES, "utf-8-sig")
    if (count := sum(map(text.count, ENDS))) > MOST_LINES:
        raise BadInput("the table has too many lines", where=str(path), value=count, bound=str(MOST_LINES))
    lines = text.splitlines(keepends=True)
    first = next((i for i, line in enumerate(lines) if line.strip() and not line.startswith("#")), None)
    if first is None:
        raise BadInput("no header", where=str(path), bound="one line of column names, then rows")
    delimiter = max(",;\t", key=lines[first].count)
    records = _records(lines, first, delimiter, path)
    _, header_text, header = next(records)
    if any(name.startswith("T_port1_port2.") for name in header):
        raise BadInput("the table has truth columns already", where=str(path))
    time, places = find_time(header, column, form, str(path))
    rows: list[tuple[str, int | None]] = []
    for number, text, cells in records:
        where = f"{path}, line {number}"
        if not cells:
            rows.append((text, None))
            continue
        if len(cells) != len(header):
            bound = f"{len(header)}, as in the header"
            raise BadInput("wrong number of cells", where=where, value=len(cells), bound=bound)
        rows.append((text, read_time(time, [cells[i] for i in places], where)))
    return _Table(lines[:first], header_text, delimiter, rows, tuple(header[i] for i in places), time.name)


def _records(lines: list[str], first: int, delimiter: str, path: Path) -> Iterator[tuple[int, str, list[str]]]:
    """Number of the first line, text as it stands and cells of every record; quoted cells may span lines."""
    reader = csv.reader(lines[first:], delimiter=delimiter)
    done = 0
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as reason:  # a cell without end, a null byte
            raise BadInput(f"not a table: {reason}", where=f"{path}, line {first + reader.line_num}") from None
        yield first + done + 1, "".join(lines[first + done : first + reader.line_num]).rstrip("\r\n"), cells
        done = reader.line_num


def _write(table: _Table, truth: Truth, instants: NDArray[np.int64], out: Path) -> None:
    columns = truth.columns()
    added = [heading(UTC_COLUMN, "ns"), *(heading(name, unit) for name, unit, _ in columns)]
    empty = table.delimiter * len(columns)
    values = np.stack([v for _, _, v in columns], axis=1)
    try:
        with open(out, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(table.lead)
            file.write(table.delimiter.join([table.header, *added]) + "\n")
            row = 0
            for text, instant in table.rows:
                if instant is None:
                    file.write(text + "\n")
                    continue
                numbers = [repr(v) if np.isfinite(v) else "" for v in values[row].tolist()]
                cells = table.delimiter.join(["", *numbers]) if truth.inside[row] else empty
                file.write(f"{text}{table.delimiter}{instants[row]}{cells}\n")
                row += 1
    except OSError as reason:
        raise BadInput(f"cannot be written: {reason.strerror}", where=str(out)) from reason
