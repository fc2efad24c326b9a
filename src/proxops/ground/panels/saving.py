"""Sheets as files: SVG by our own hand, pixels and PDF by Matplotlib's."""

from __future__ import annotations

from pathlib import Path

from proxops.core.errors import BadInput
from proxops.ground.panels.sheet import Sheet
from proxops.ground.panels.svg import svg_file
from proxops.ground.plot_style import checked_suffix, save


def save_sheet(sheet: Sheet, out: Path) -> None:
    """Write it as its suffix says."""
    if checked_suffix(out) != ".svg":
        from proxops.ground.panels.on_matplotlib import matplotlib_figure

        save(matplotlib_figure(sheet), out)
        return
    try:
        out.write_text(svg_file(sheet), encoding="utf-8")
    except OSError as reason:
        raise BadInput(f"cannot be written: {reason.strerror}", where=str(out)) from reason
