"""``proxops convert``: a trajectory file in another coordinate system, to a file or to standard output."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput, refuse_overwriting
from proxops.core.vocabulary import System
from proxops.lab.cell import Cell
from proxops.lab.coordinates import QUAT_TOLERANCE
from proxops.lab.margins import NOTED_WRIST, Margin, smallest_margins
from proxops.lab.trajectory import Trajectory, axes_of, convert, read_trajectory, write_trajectory


def numbers(text: str, count: int, what: str) -> NDArray[np.float64]:
    """``count`` finite numbers from an option."""
    try:
        values = np.array([float(word) for word in text.replace(",", " ").split()])
    except ValueError:
        values = np.array([])
    if len(values) != count or not np.isfinite(values).all():
        raise BadInput(what, value=repr(text), bound=f"{count} finite numbers")
    return values


def read_pov(text: str) -> NDArray[np.float64]:
    """Point of view as on the wire: x y z in m, quaternion with the scalar last."""
    pov = numbers(text, 7, "--pov")
    norm = float(np.linalg.norm(pov[3:]))
    if abs(norm - 1) > QUAT_TOLERANCE:
        raise BadInput(
            "--pov: quaternion is not of unit length",
            value=f"norm {norm:.9g}",
            bound=f"1 ± {QUAT_TOLERANCE:g}",
        )
    return pov


def read_posture(text: str) -> NDArray[np.float64]:
    """Thirteen axes in mm and deg, as SI."""
    values = numbers(text, 13, "--posture")
    return np.concatenate([values[:1] * 1e-3, np.radians(values[1:])])


def margin_notes(trajectory: Trajectory, margins: list[Margin]) -> Iterator[str]:
    """What a user should know before playing the result: an axis beyond its limit, a wrist near its singularity."""
    for m in margins:
        value = f"{m.value * 1e3:.3f} mm" if m.unit == "m" else f"{math.degrees(m.value):.4f} deg"
        if m.name == "axis_range" and m.value < 0:
            yield f"note: {trajectory.where(m.line)}: {m.where} lies beyond its limit, margin {value}"
        if m.name == "wrist" and m.value < NOTED_WRIST:
            yield f"note: {trajectory.where(m.line)}: {m.where} comes near its wrist singularity (A5 = 0), margin {value}"


def convert_file(
    cell: Cell, file: Path, to: str, out: Path | None, pov: str | None, posture: str | None, *, as_json: bool
) -> dict[str, Any]:
    """Convert ``file``; with ``as_json`` and no ``out`` the lines are in the result instead of on standard output."""
    if out is not None:
        refuse_overwriting(out, file)
    trajectory = read_trajectory(file)
    near = read_posture(posture) if posture else None
    result = convert(cell, trajectory, System[to], read_pov(pov) if pov else None, near)
    margins = smallest_margins(cell, axes_of(cell, trajectory, near))
    for note in margin_notes(trajectory, margins):
        print(note, file=sys.stderr)
    about: dict[str, Any] = {
        "system": to,
        "lines": len(result),
        "source": str(file),
        "user_tool": cell.tool.source,
        "margins": {m.name: {"value": m.value, "unit": m.unit, "line": m.line + 1, "where": m.where} for m in margins},
    }
    if out is not None:
        try:
            with out.open("w") as target:
                write_trajectory(result, target)
        except OSError as error:
            raise BadInput(f"cannot write: {error.strerror}", where=str(out)) from None
        about["out"] = str(out)
        if not as_json:
            print(f"{out}: {len(result)} lines in {to}", file=sys.stderr)
    elif as_json:
        about["values"] = result.values.tolist()
    else:
        write_trajectory(result, sys.stdout)
    return about
