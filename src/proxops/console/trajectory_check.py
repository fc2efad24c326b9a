"""An uploaded trajectory: every bad line, whether it plays as it is written, and what ``proxops check`` says of it.

To be called in a worker process: all that is heavy is imported there, and a long file takes its time.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from proxops.core.errors import BadInput
from proxops.core.trajectory_size import LARGEST_BYTES, MOST_LINES
from proxops.core.user_file import read_bytes
from proxops.core.vocabulary import System

if TYPE_CHECKING:
    from proxops.lab.cell import Cell

MOST_ERRORS: Final = 200  # that are told one by one

Row = dict[str, Any]


def check(cell_path: Path | None, tool_path: Path | None, file: Path, name: str | None = None) -> Row:
    """All that is to be known before it may run. Values, bounds and margins in SI; a negative margin is over the bound.

    ``may_run``: every line is good and the guard lets it pass as it is written. ``feasible``: the bridge could show its relative
    motion too (``answer``)."""
    name = name or file.name
    told: Row = {
        "name": name, "lines": 0, "duration_s": 0.0, "systems": [], "errors": [], "errors_more": 0, "preflight": [],
        "may_run": False, "feasible": False, "answer": None,
    }  # fmt: skip
    try:
        text = _text(file, name)
    except BadInput as refusal:
        return told | {"errors": [_error(None, str(refusal))]}
    told["lines"] = len(text.rstrip().splitlines())
    from proxops.lab.trajectory import parse_trajectory

    try:
        trajectory = parse_trajectory(text, name)
    except BadInput as refusal:
        return told | _bad_lines(text, str(refusal))
    used = sorted({int(system) for system in trajectory.systems.tolist()})
    told |= {"duration_s": trajectory.duration_s, "systems": [System(system).name for system in used]}
    from proxops.console.trajectory_verdict import verdict

    return told | verdict(cell_of(cell_path, tool_path), trajectory)


def cell_of(cell_path: Path | None, tool_path: Path | None) -> Cell:
    from proxops.lab.any_cell import load_cell
    from proxops.lab.user_tool import UserTool

    return load_cell(cell_path, UserTool.read(tool_path) if tool_path else None)


def _text(file: Path, name: str) -> str:
    """Of a file that is neither too large nor anything but ASCII."""
    data = read_bytes(file, "the trajectory", LARGEST_BYTES)
    lines = sum(data.count(end) for end in b"\n\r\v\f\x1c\x1d\x1e") - data.count(b"\r\n")
    if lines > MOST_LINES:
        raise BadInput("the file has too many lines", where=name, value=lines, bound=str(MOST_LINES))
    try:
        return data.decode("ascii")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInput(
            "not an ASCII file", where=f"{name}, line {line}", value=f"byte {data[error.start]:#04x}"
        ) from None


def _bad_lines(text: str, refusal: str) -> Row:
    """Each of the first bad lines, and how many more there are; without any the whole file is to blame."""
    from proxops.lab.trajectory import line_faults

    errors, more = list[Row](), 0
    for line, message in line_faults(text):
        if len(errors) < MOST_ERRORS:
            errors.append(_error(line, message))
        else:
            more += 1
    return {"errors": errors or [_error(None, refusal)], "errors_more": more}


def _error(line: int | None, message: str) -> Row:
    return {"line": line, "message": message}
