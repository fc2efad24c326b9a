"""A panel: two axes and what is drawn between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from proxops.ground.panels.axis import Axis
from proxops.ground.panels.boxes import Box
from proxops.ground.panels.items import Curve, Floats, Item, LineStyle, Mark, Raster, Region, Words

Corner = Literal["upper right", "upper left", "lower right", "lower left", "above"]
INFINITE = np.array([-np.inf, np.inf])


class Legend(NamedTuple):
    """``corner``: inside of the panel, or above its right end."""

    corner: Corner = "upper right"
    columns: int = 1


@dataclass
class Panel:
    """``box``: its place on the sheet. ``bare``: without axes."""

    box: Box
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    title: str = ""
    legend: Legend | None = None
    bare: bool = False
    items: list[Item] = field(default_factory=list)

    def curve(self, x: ArrayLike, y: ArrayLike, look: LineStyle, label: str = "", *, clipped: bool = True) -> None:
        """A line through points."""
        line = Curve(np.asarray(x, np.float64), np.asarray(y, np.float64), look, label, clipped)
        self._add(line, line.x, line.y)

    def path(self, points: Floats, look: LineStyle, label: str = "") -> None:
        """A line through points (n, 2)."""
        self.curve(points[:, 0], points[:, 1], look, label)

    def level(self, y: float, look: LineStyle, label: str = "") -> None:
        """A line from the left edge to the right one."""
        self.curve(INFINITE, [y, y], look, label)

    def moment(self, x: float, look: LineStyle, top: float = 1.0) -> None:
        """A line from the bottom up to this share of the panel, whose limits are known by now."""
        low, high = self.y.range
        self.curve([x, x], [low, low + top * (high - low)], look)

    def between(
        self, x: Floats, low: Floats, high: Floats, colour: str, alpha: float = 1.0, label: str = ""
    ) -> None:  # fmt: skip
        """The region between two curves, in pieces where there are gaps."""
        known = np.isfinite(low) & np.isfinite(high)
        edges = np.flatnonzero(np.diff(known, prepend=False, append=False)).reshape(-1, 2)
        pieces = [np.r_[a:b] for a, b in edges]
        xs = [np.r_[x[piece], x[piece][::-1], np.nan] for piece in pieces]
        ys = [np.r_[low[piece], high[piece][::-1], np.nan] for piece in pieces]
        if pieces:
            self.region(np.concatenate(xs), np.concatenate(ys), colour, alpha, label)

    def layer(self, low: float, high: float, colour: str, alpha: float, label: str = "") -> None:
        """Between two levels."""
        self.region([-np.inf, np.inf, np.inf, -np.inf], [low, low, high, high], colour, alpha, label)

    def stairs(
        self, edges: Floats, low: Floats, high: Floats, colour: str, alpha: float = 1.0, label: str = ""
    ) -> None:  # fmt: skip
        """Columns side by side: from ``low`` to ``high`` between two ``edges`` each."""
        x = np.repeat(edges, 2)[1:-1]
        self.between(x, np.repeat(low, 2), np.repeat(high, 2), colour, alpha, label)

    def bar(self, row: float, begin: float, end: float, height: float, colour: str, alpha: float) -> None:
        """A lying bar."""
        top, bottom = row - 0.5 * height, row + 0.5 * height
        self.region([begin, end, end, begin], [top, top, bottom, bottom], colour, alpha)

    def region(
        self, x: ArrayLike, y: ArrayLike, colour: str, alpha: float = 1.0, label: str = "", *,
        edge: LineStyle | None = None, z: float = 1.0, clipped: bool = True,
    ) -> None:  # fmt: skip
        """Filled polygons."""
        found = Region(np.asarray(x, np.float64), np.asarray(y, np.float64), colour, alpha, label, edge, z, clipped)
        self._add(found, found.x, found.y)

    def mark(self, mark: Mark) -> None:
        """A symbol."""
        x, y = np.asarray(mark.at, np.float64)[:, None]
        self._add(mark, x, y)

    def words(self, words: Words) -> None:
        """Text; the axes do not make room for it."""
        self.items.append(words)

    def raster(self, cells: Raster) -> None:
        """Coloured cells; the axes' limits say what they are of."""
        self.items.append(cells)

    def _add(self, item: Item, x: Floats, y: Floats) -> None:
        self.items.append(item)
        self.x.add(x)
        self.y.add(y)


def stack(panels: Sequence[Panel], label: str, span: tuple[float, float]) -> None:
    """One below the other with the same time axis, whose words stand below the last."""
    for panel in panels:
        panel.x.limits, panel.x.worded = span, panel is panels[-1]
    panels[-1].x.label = label
