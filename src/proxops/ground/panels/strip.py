"""A strip of coloured stretches of time above panels: modes, phases, states."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from proxops.ground.panels.boxes import Box
from proxops.ground.panels.items import Words
from proxops.ground.panels.letters import width_of
from proxops.ground.panels.panel import Panel
from proxops.ground.panels.sheet import Sheet

SIZE: Final = 7.0  # of the letters, points
AIR: Final = 3.0  # round a name
INK_ON_COLOUR: Final = "#10202c"  # on light and on dark paper: the strip has its own ground
NAN: Final = float("nan")


class Piece(NamedTuple):
    """A stretch of a strip: its time, colour, and names from long to short."""

    begin: float
    end: float
    colour: str
    names: tuple[str, ...] = ()


def add_strip(sheet: Sheet, box: Box, pieces: Iterable[Piece], span: tuple[float, float]) -> Panel:
    """A piece too short for its name gets a shorter one or none."""
    panel = sheet.panel(box, bare=True)
    panel.x.limits, panel.y.limits = span, (0.0, 1.0)
    edges: dict[str, list[float]] = {}
    for piece in pieces:
        begin, end = max(piece.begin, span[0]), min(piece.end, span[1])
        if end <= begin:
            continue
        edges.setdefault(piece.colour, []).extend((begin, end, end, begin, NAN))
        room = 72.0 * sheet.width * box.width * (end - begin) / (span[1] - span[0])
        name = next((name for name in piece.names if width_of(name, SIZE) + AIR <= room), "")
        if name:
            panel.words(Words((0.5 * (begin + end), 0.47), name, SIZE, INK_ON_COLOUR, "middle", "middle"))
    for colour, x in edges.items():
        panel.region(x, [0.0, 0.0, 1.0, 1.0, NAN] * (len(x) // 5), colour)
    return panel
