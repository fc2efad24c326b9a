"""A figure: panels on a sheet, and what stands beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from proxops.ground.panels.boxes import Box
from proxops.ground.panels.items import LineStyle, Words
from proxops.ground.panels.panel import Panel


class KeyEntry(NamedTuple):
    """An entry of a key: a line, or a patch of its colour."""

    label: str
    look: LineStyle
    patch: bool = False
    alpha: float = 1.0


class Key(NamedTuple):
    """What lines or colours mean, in one row; ``x`` and ``y``: its upper corner at that side, shares of the sheet."""

    samples: Sequence[KeyEntry]
    x: float
    y: float
    side: Literal["left", "right"] = "right"


@dataclass
class Sheet:
    """``width`` and ``height`` in inches."""

    width: float
    height: float
    panels: list[Panel] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)
    words: list[Words] = field(default_factory=list)  # in shares of the sheet

    def panel(self, box: Box, *, bare: bool = False) -> Panel:
        """Another one."""
        new = Panel(box, bare=bare)
        self.panels.append(new)
        return new

    def column(self, box: Box, count: int, gap: float, shares: Sequence[float] = ()) -> list[Panel]:
        """Panels one below the other."""
        return [self.panel(place) for place in box.rows(count, gap, shares)]
