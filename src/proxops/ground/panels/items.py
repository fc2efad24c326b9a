"""What can be drawn on a panel. Coordinates are those of the panel's axes; NaN is a gap, an infinity is the panel's edge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from proxops.ground.plot_style import INK

Floats = NDArray[np.float64]
Point = Sequence[float] | Floats
Dash = tuple[float, ...]
Across = Literal["start", "middle", "end"]
Upwards = Literal["bottom", "middle", "top"]
Symbol = Literal["circle", "square", "diamond", "cross"]

SOLID: Final[Dash] = ()
DASHED: Final[Dash] = (3.7, 1.6)
DOTTED: Final[Dash] = (1.0, 1.65)


@dataclass(frozen=True)
class LineStyle:
    """Of a line. ``width`` in points, ``dash`` (on, off, …) in widths; ``z``: what is higher is drawn later."""

    colour: str
    width: float = 1.5
    dash: Dash = SOLID
    alpha: float = 1.0
    z: float = 2.0


COMMANDED: Final = LineStyle(INK, 0.8, (4.0, 2.5), z=3.0)


@dataclass(frozen=True, eq=False)
class Curve:
    """A line through points. ``clipped``: ends at the panel's edge."""

    x: Floats
    y: Floats
    look: LineStyle
    label: str = ""
    clipped: bool = True

    @property
    def z(self) -> float:
        return self.look.z


@dataclass(frozen=True, eq=False)
class Region:
    """Filled polygons, one between two gaps each; with ``edge``, their outline."""

    x: Floats
    y: Floats
    colour: str
    alpha: float = 1.0
    label: str = ""
    edge: LineStyle | None = None
    z: float = 1.0
    clipped: bool = True


@dataclass(frozen=True, eq=False)
class Mark:
    """A symbol of ``size`` points. ``fill``: its colour, "none" for a ring."""

    at: Point
    symbol: Symbol
    colour: str
    size: float = 6.0
    fill: str = ""
    width: float = 1.0
    label: str = ""
    z: float = 2.0


@dataclass(frozen=True, eq=False)
class Words:
    """Text at a point, ``shift`` points from it. ``share``: which coordinates are shares of the panel instead."""

    at: Point
    text: str
    size: float = 8.0
    colour: str = INK
    across: Across = "start"
    up: Upwards = "bottom"
    shift: tuple[float, float] = (0.0, 0.0)
    share: tuple[bool, bool] = (False, False)
    bold: bool = False
    z: float = 3.0


@dataclass(frozen=True, eq=False)
class Raster:
    """Coloured cells (rows from the top, columns, red green blue alpha) that fill the panel."""

    cells: NDArray[np.uint8]
    z: float = 0.5


Item = Curve | Region | Mark | Words | Raster
