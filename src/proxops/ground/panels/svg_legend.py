"""Legends of panels and keys of sheets, with the words beside each other as wide as they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from proxops.ground.panels.items import Curve, LineStyle, Mark, Region
from proxops.ground.panels.letters import width_of
from proxops.ground.panels.panel import Panel
from proxops.ground.panels.sheet import Key, KeyEntry
from proxops.ground.panels.svg_style import UNIT, line_style, paint, symbol, units, written

SIZE: Final = 8.0  # of the letters, points as all of these
HANDLE: Final = 16.0
PATCH: Final = 8.0
BESIDE: Final = 6.4
COLUMN_GAP: Final = 16.0
ROW: Final = 13.0
EDGE: Final = 7.2
ABOVE: Final = 5.0  # from the upper or lower edge
MIDDLE: Final = 0.36

Entry = Curve | Region | Mark


def legend(panel: Panel, left: float, top: float, width: float, height: float) -> Iterator[str]:
    """Entries of all that has a label, in a corner of the panel or above its right end."""
    entries = [item for item in panel.items if isinstance(item, Entry) and item.label]
    if not entries or panel.legend is None:
        return
    corner, count = panel.legend
    rows = -(-len(entries) // count)
    columns = _columns(entries, count)
    widths = [HANDLE + BESIDE + max(width_of(entry.label, SIZE) for entry in column) for column in columns]
    whole = sum(widths) + COLUMN_GAP * (len(columns) - 1)
    x = left + EDGE if corner.endswith("left") else left + width - EDGE - whole
    y = {"upper": top + ABOVE, "lower": top + height - ABOVE - ROW * rows, "above": top - 3.0 - ROW * rows}[
        corner.split()[0]
    ]
    for column, wide in zip(columns, widths, strict=True):
        for row, entry in enumerate(column):
            yield from _entry(entry, x, y + ROW * (row + 0.5))
        x += wide + COLUMN_GAP


def _columns(entries: list[Entry], count: int) -> list[list[Entry]]:
    """One after the other down each column; the first ones are the longer."""
    least, more = divmod(len(entries), min(count, len(entries)))
    columns, at = [], 0
    for column in range(min(count, len(entries))):
        size = least + (column < more)
        columns.append(entries[at : at + size])
        at += size
    return columns


def _entry(entry: Entry, x: float, y: float) -> Iterator[str]:
    match entry:
        case Curve():
            yield _line(entry.look, x, y)
        case Region():
            yield _patch(entry.colour, entry.alpha, x, y, HANDLE)
        case Mark():
            yield symbol(entry, UNIT * (x + 0.5 * HANDLE), UNIT * y)
    yield written(entry.label, UNIT * (x + HANDLE + BESIDE), UNIT * (y + MIDDLE * SIZE), SIZE)


def key(shown: Key, width: float, height: float) -> Iterator[str]:
    """One row of lines or colours with their names; ``width`` and ``height`` of the sheet."""
    widths = [_handle(sample) + BESIDE + width_of(sample.label, SIZE) for sample in shown.samples]
    whole = sum(widths) + COLUMN_GAP * (len(widths) - 1)
    x, y = shown.x * width - (whole if shown.side == "right" else 0.0), (1.0 - shown.y) * height + 0.5 * SIZE
    for sample, wide in zip(shown.samples, widths, strict=True):
        if sample.patch:
            yield _patch(sample.look.colour, sample.alpha, x, y, PATCH)
        else:
            yield _line(sample.look, x, y)
        yield written(sample.label, UNIT * (x + _handle(sample) + BESIDE), UNIT * (y + MIDDLE * SIZE), SIZE)
        x += wide + COLUMN_GAP


def _handle(sample: KeyEntry) -> float:
    return PATCH if sample.patch else HANDLE


def _line(look: LineStyle, x: float, y: float) -> str:
    return f'<path d="M{units(x)} {units(y)}h{units(HANDLE)}"{line_style(look)}/>'


def _patch(colour: str, alpha: float, x: float, y: float, width: float) -> str:
    d = f"M{units(x)} {units(y - 0.35 * SIZE)}h{units(width)}v{units(0.7 * SIZE)}h{units(-width)}z"
    return f'<path d="{d}"{paint("fill", colour, alpha)}/>'
