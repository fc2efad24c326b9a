"""Trajectory files of the asynchronous interface: 23 columns, one int16 and 22 doubles, a line every 4 ms (Table 4)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from proxops.core.decimal_text import read_decimal
from proxops.core.errors import BadInput
from proxops.core.messages import N_VALUES, PERIOD_S
from proxops.core.trajectory_size import MOST_LINES
from proxops.core.user_file import read_text
from proxops.core.vocabulary import System
from proxops.lab.cell import Cell
from proxops.lab.coordinates import (
    NOT_FINITE,
    NOT_UNIT,
    OK,
    POV,
    POV_AT_LAB,
    QUAT_TOLERANCE,
    UNREACHABLE1,
    axes_from_lines,
    check_values,
    lines_from_axes,
)

COLUMNS = 1 + N_VALUES
LARGEST_BYTES = 512 * 1024 * 1024  # an hour with every digit of a double is 0.4 GB; a live facility takes less
LONGEST_LINE = 4_000  # characters: 23 numbers with all their digits are 600
ENDS = "\n\r\v\f\x1c\x1d\x1e"  # what ends a line of ASCII in Python
BATCH = 4_096  # lines that are words at once
CLEAN = re.compile(r"[0-9eE+\-. \t\r\n]*\Z")  # what a file of plain numbers is made of
SYSTEM_BOUND = "1 (CLW), 2 (GLC), 3 (IJT) or 4 (IDC)"


class BadLine(BadInput):
    """A line that is well written and still cannot be run: ``index`` counts from 0."""

    def __init__(
        self, index: int, what: str, *, where: str, value: object = None, bound: str = "", way_out: str = ""
    ) -> None:
        super().__init__(what, where=where, value=value, bound=bound, way_out=way_out)
        self.index = index


@dataclass(frozen=True)
class Trajectory:
    """A motion as commanded: the coordinate system and the 22 doubles of each line."""

    systems: NDArray[np.int16]
    values: NDArray[np.float64]
    source: str
    first_line: int = 1

    def __len__(self) -> int:
        return len(self.systems)

    @property
    def duration_s(self) -> float:
        return (len(self) - 1) * PERIOD_S

    def where(self, index: int) -> str:
        """How a message names line ``index`` (from 0) of this trajectory."""
        return f"{self.source}, line {index + self.first_line}"


def read_trajectory(path: Path) -> Trajectory:
    """Read and check a whole file; the first thing wrong is named with its line, value and bound."""
    return parse_trajectory(read_text(path, "the trajectory", LARGEST_BYTES, "ascii"), str(path))


def parse_trajectory(text: str, source: str) -> Trajectory:
    """Parse the lines of a trajectory. An empty last line is allowed, an empty line inside is not."""
    lines = _lines(text, source)
    table = _parse_fast(lines) if CLEAN.match(text) else None
    if table is None:
        table = np.array([_parse_line(line, f"{source}, line {k}") for k, line in enumerate(lines, 1)])
    trajectory = Trajectory(table[:, 0].astype(np.int16), np.ascontiguousarray(table[:, 1:]), source)
    for k in range(len(trajectory)):
        _check_values(int(trajectory.systems[k]), trajectory.values[k], trajectory.where(k))
    return trajectory


def _lines(text: str, source: str) -> list[str]:
    count = sum(map(text.count, ENDS)) - text.count("\r\n")
    if count > MOST_LINES:
        raise BadInput("the trajectory has too many lines", where=source, value=count, bound=str(MOST_LINES))
    lines = text.rstrip().splitlines()
    if not lines:
        raise BadInput("the trajectory is empty", where=source, bound="at least one line of 23 columns")
    long = next((k for k, line in enumerate(lines, 1) if len(line) > LONGEST_LINE), None)
    if long is not None:
        raise BadInput(
            "line too long", where=f"{source}, line {long}", value=f"{len(lines[long - 1])} characters",
            bound=f"{LONGEST_LINE}: {COLUMNS} numbers",
        )  # fmt: skip
    return lines


def line_faults(text: str) -> Iterator[tuple[int, str]]:
    """(number from 1, what is wrong first) of every bad line, by the checks of ``parse_trajectory``, which stops at one. An empty
    text has no line to blame."""
    values = np.empty(N_VALUES)
    for number, line in enumerate(text.rstrip().splitlines(), 1):
        try:
            row = _parse_line(line, "")
            values[:] = row[1:]
            _check_values(int(row[0]), values, "")
        except BadInput as fault:
            yield number, str(fault)


def line_errors(text: str, limit: int) -> list[tuple[int, str]]:
    """The first ``limit`` of ``line_faults``."""
    return list(islice(line_faults(text), limit))


def _parse_fast(lines: list[str]) -> NDArray[np.float64] | None:
    """All lines at once when every one is clean; None sends the caller to the careful way, which names what is wrong."""
    table = np.empty((len(lines), COLUMNS))
    for start in range(0, len(lines), BATCH):
        words = [line.split() for line in lines[start : start + BATCH]]
        if any(len(row) != COLUMNS or not row[0].isdigit() for row in words):
            return None
        try:
            table[start : start + BATCH] = np.array(words, dtype=np.float64)
        except ValueError:
            return None
    return table if np.isin(table[:, 0], (1, 2, 3, 4)).all() else None


def _parse_line(line: str, where: str) -> list[float]:
    words = line.split()
    if len(words) != COLUMNS:
        raise BadInput(
            f"{len(words)} columns",
            where=where,
            bound=f"{COLUMNS}: one int16 and {N_VALUES} doubles, separated by blanks",
        )
    if not re.match(r"[+-]?\d+\Z", words[0], re.ASCII):
        raise BadInput("column 1 is not an integer", where=where, value=repr(words[0]), bound=SYSTEM_BOUND)
    system = int(words[0]) if len(words[0]) < 20 else words[0][:20] + "…"
    if system not in (1, 2, 3, 4):
        raise BadInput("unknown coordinate system in column 1", where=where, value=system, bound=SYSTEM_BOUND)
    row = [float(words[0])]
    for column, word in enumerate(words[1:], 2):
        value = read_decimal(word)
        if value is None:
            raise BadInput(
                f"column {column} is not a number",
                where=where,
                value=repr(word),
                bound="a finite decimal number",
            )
        row.append(value)
    return row


def _check_values(system: int, values: NDArray[np.float64], where: str) -> None:
    code, index, value = check_values(system, values)
    if code != OK:
        raise explain_values(code, index, value, where)


def explain_values(code: int, index: int, value: float, where: str) -> BadInput:
    """The message for a code of ``check_values``; columns count from 1 with the mode word as the first."""
    if code == NOT_FINITE:
        return BadInput(f"column {index + 2} is not finite", where=where, value=value, bound="finite numbers")
    if code == NOT_UNIT:
        return BadInput(
            f"quaternion in columns {index + 2}-{index + 5} is not of unit length",
            where=where, value=f"norm {value:.9g}", bound=f"1 ± {QUAT_TOLERANCE:g}",
        )  # fmt: skip
    return BadInput("unknown coordinate system in the mode word", where=where, value=int(value), bound=SYSTEM_BOUND)


def axes_of(cell: Cell, trajectory: Trajectory, posture: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """The thirteen axes of every line, continuous from the posture nearest to ``posture`` (home by default)."""
    q = np.empty((len(trajectory), 13))
    reference = cell.home if posture is None else posture
    done, code, beyond = axes_from_lines(cell.hall, trajectory.systems, trajectory.values, reference, q)
    if code != OK:
        robot = 1 if code == UNREACHABLE1 else 2
        raise BadLine(
            done, f"robot {robot} cannot reach this pose", where=trajectory.where(done),
            value=f"{beyond * 1e3:.1f} mm beyond its reach",
            bound="0 mm", way_out=swap_suspicion(cell, trajectory, done),
        )  # fmt: skip
    return q


def swap_suspicion(cell: Cell, trajectory: Trajectory, k: int) -> str:
    """A hint when a line that cannot be shown could be with the two user tools exchanged; empty otherwise."""
    if trajectory.systems[k] not in (System.CLW, System.GLC):
        return ""
    hall, q = cell.hall.copy(), np.empty((1, 13))
    for suffix in ("", "_inv"):
        hall[f"port1{suffix}"], hall[f"port2{suffix}"] = (
            cell.hall[f"port2{suffix}"],
            cell.hall[f"port1{suffix}"],
        )
    _, code, _ = axes_from_lines(hall, trajectory.systems[k : k + 1], trajectory.values[k : k + 1], cell.home, q)
    within = code == OK and bool(((q >= cell.axes.lower) & (q <= cell.axes.upper)).all())
    return "it could be shown with the two user tools exchanged: are they swapped?" if within else ""


def convert(
    cell: Cell, trajectory: Trajectory, to: System,
    pov: NDArray[np.float64] | None = None, posture: NDArray[np.float64] | None = None,
) -> Trajectory:  # fmt: skip
    """The same motion in another system. For CLW the point of view is ``pov``, else the input's, else the lab's origin."""
    q = axes_of(cell, trajectory, posture)
    views = np.tile(POV_AT_LAB if pov is None else pov, (len(trajectory), 1))
    if pov is None:
        given = trajectory.systems == System.CLW
        views[given] = trajectory.values[given, POV : POV + 7]
    values = np.empty((len(trajectory), N_VALUES))
    lines_from_axes(cell.hall, int(to), q, views, values)
    return Trajectory(np.full(len(trajectory), to, np.int16), values, trajectory.source)


def format_lines(trajectory: Trajectory) -> Iterator[str]:
    """Lines of the file format, with every digit that a double holds."""
    for system, row in zip(trajectory.systems.tolist(), trajectory.values.tolist(), strict=True):
        yield f"{system} " + " ".join(_text(value) for value in row) + "\n"


def write_trajectory(trajectory: Trajectory, file: TextIO) -> None:
    """Write the file format."""
    file.writelines(format_lines(trajectory))


def _text(value: float) -> str:
    return "0" if value == 0 and not math.copysign(1, value) < 0 else repr(value)
