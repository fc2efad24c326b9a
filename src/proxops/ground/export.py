"""A log as files for tools that know nothing of us: comma-separated values, which read back exactly, messages, images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TextIO

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.ground.image_export import export_images as export_images
from proxops.ground.log import Log, unknown_name
from proxops.ground.standard_log import export_messages
from proxops.ground.wire import Column

_ROWS: Final = 2048  # formatted at once


def choose(log: Log, names: Sequence[str] | None = None) -> list[Column]:
    """Variables by name (``group.variable`` or a whole ``group``), in the order asked for; all by default."""
    return chosen(log.columns, names, str(log.path))


def chosen(columns: tuple[Column, ...], names: Sequence[str] | None, where: str) -> list[Column]:
    """The same from a table of variables; ``where`` is what an error names."""
    if not names:
        return list(columns)
    out: list[Column] = []
    for name in names:
        found = [c for c in columns if name in (c.path, c.group)]
        if not found:
            raise unknown_name(name, columns, where)
        out += [c for c in found if c not in out]
    return out


def heading(name: str, unit: str) -> str:
    """``group.variable [unit]``; nothing in brackets for enumerations and masks."""
    return f"{name} [{unit}]" if unit else name


def export_file(log: Log, out: Path, names: Sequence[str] | None = None, *, words: bool = False) -> int:
    """A log as CSV, or with every cycle as a standard message if ``out`` is an .mcap; how many there are."""
    if out.suffix != ".mcap":
        return export_csv(log, out, names, words=words)
    if names or words:
        raise BadInput("has every variable, as a number", where=str(out), way_out="leave out --variable and --words")
    return export_messages(log.path, out)


def export_csv(log: Log, out: Path | str, names: Sequence[str] | None = None, *, words: bool = False) -> int:
    """Write chosen variables and return the rows. ``words`` spells enumerations instead of numbers."""
    columns = choose(log, names)
    try:
        with open(out, "w", encoding="utf-8", newline="\n") as file:
            write_csv(log, columns, file, words=words)
    except OSError as reason:
        raise BadInput(f"cannot be written: {reason.strerror}", where=str(out)) from reason
    return log.count


def write_csv(log: Log, columns: Sequence[Column], file: TextIO, *, words: bool = False) -> None:
    """The same onto an open text stream."""
    write_heading(columns, file)
    for start in range(0, log.count, _ROWS):
        rows = slice(start, start + _ROWS)
        _write_lines([log.values(c.path)[rows] for c in columns], columns, file, words=words)


def write_heading(columns: Sequence[Column], file: TextIO) -> None:
    """The first line."""
    file.write(",".join(heading(c.path, c.unit) for c in columns) + "\n")


def write_rows(records: NDArray[np.void], columns: Sequence[Column], file: TextIO, *, words: bool = False) -> None:
    """A line for each record."""
    _write_lines([records[c.group][c.name] for c in columns], columns, file, words=words)


def _write_lines(values: Sequence[NDArray[Any]], columns: Sequence[Column], file: TextIO, *, words: bool) -> None:
    cells = [_cells(own, c if words else None) for own, c in zip(values, columns, strict=True)]
    file.writelines(",".join(row) + "\n" for row in zip(*cells, strict=True))


def _cells(values: NDArray[Any], spelled: Column | None) -> Iterator[str]:
    """Text of numbers: floats as the shortest digits that read back exactly, integers whole."""
    if spelled is not None and spelled.names:
        names = spelled.names
        return (names.get(value, str(value)) for value in values.tolist())
    return map(repr, np.ascontiguousarray(values).tolist())
