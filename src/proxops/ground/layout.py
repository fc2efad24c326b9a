"""The layout with which Foxglove shows our logs: hall, orbit or arm in 3D, camera, rail, ports, margins, modes, events, pool."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Final

from proxops.core.errors import BadInput

LAYOUT: Final = "proxops.foxglove.json"


def layout_text() -> str:
    """The shipped layout, JSON."""
    return files("proxops.ground").joinpath("layouts", LAYOUT).read_text("utf-8")


def write_layout(out: Path) -> Path:
    """A copy of it as ``out``, or in the folder ``out``; where it lies."""
    target = out / LAYOUT if out.is_dir() else out
    try:
        target.write_text(layout_text(), "utf-8")
    except OSError as reason:
        raise BadInput(f"cannot be written: {reason.strerror}", where=str(target)) from reason
    return target
