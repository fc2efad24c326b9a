"""Space on paper: a box of it seen from one side, with scales along its edges. Parallel rays, equal scales."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from proxops.ground.panels.boxes import Box
from proxops.ground.panels.items import Across, LineStyle, Words
from proxops.ground.panels.sheet import Sheet
from proxops.ground.panels.ticks import Ticks, linear_ticks
from proxops.ground.plot_style import GREY
from proxops.ground.recorded import Floats

ELEVATION: Final = np.radians(20.0)
AZIMUTH: Final = np.radians(-68.0)
SIN, COS = np.sin, np.cos
TO_EYE: Final = np.array([COS(ELEVATION) * COS(AZIMUTH), COS(ELEVATION) * SIN(AZIMUTH), SIN(ELEVATION)])
PAPER: Final = np.array(  # to the right and up
    [
        [-SIN(AZIMUTH), COS(AZIMUTH), 0.0],
        [-SIN(ELEVATION) * COS(AZIMUTH), -SIN(ELEVATION) * SIN(AZIMUTH), COS(ELEVATION)],
    ]
)
FILLED: Final = (0.72, 0.82)  # of the panel's width and height: the rest is for words
THIN: Final = 0.2  # a side that is shorter than this share of the longest has few ticks
FRAME: Final = LineStyle(GREY, 0.8, alpha=0.6, z=0.0)
GRID: Final = LineStyle(GREY, 0.4, alpha=0.6, z=0.0)
SIZE: Final = 8.0
TICK_PT: Final = 5.0  # from an edge to its words
NAME_PT: Final = 24.0  # from an edge to its name
FAR: Final = (0, 1, 0)  # the far side of each axis: 0 for its lower end


class Edge(NamedTuple):
    """Along which an axis has its scale: where the two others stand (0 low, 1 high), and which way its words are."""

    ends: tuple[int, int, int]
    right: float
    up: float
    across: Across


EDGES: Final = (
    Edge((0, 0, 0), -0.25, -1.0, "middle"),
    Edge((1, 0, 0), 0.9, -0.6, "start"),
    Edge((1, 1, 0), 1.0, 0.0, "start"),
)


def towards_eye(p: Floats) -> float:
    """How near to the eye a point is."""
    return float(p @ TO_EYE)


class Space:
    """A panel of a sheet that shows the box of space between ``low`` and ``high`` (m)."""

    def __init__(self, sheet: Sheet, box: Box, low: Floats, high: Floats, names: Sequence[str]) -> None:
        self._panel, self._low, self._high = sheet.panel(box, bare=True), low, high
        size, room = high - low, np.array([box.width * sheet.width, box.height * sheet.height])
        per_metre = float(np.min(FILLED * room / (np.abs(PAPER) @ size)))
        centre, half = PAPER @ (0.5 * (low + high)), 0.5 * room / per_metre
        self._panel.x.limits = centre[0] - half[0], centre[0] + half[0]
        self._panel.y.limits = centre[1] - half[1], centre[1] + half[1]
        for axis, name in enumerate(names):
            self._scale(axis, name)

    def line(self, points: Floats, look: LineStyle) -> None:
        """Through points (n, 3)."""
        x, y = PAPER @ points.T
        self._panel.curve(x, y, look, clipped=False)

    def face(self, corners: Floats, colour: str, alpha: float, edge: LineStyle) -> None:
        """A polygon below all lines; later ones lie on top."""
        x, y = PAPER @ corners.T
        self._panel.region(x, y, colour, alpha, edge=edge, clipped=False)

    def words(self, at: Floats, text: str, shift: tuple[float, float] = (0.0, 0.0), across: Across = "middle") -> None:
        """At a point, ``shift`` points of paper from it."""
        self._panel.words(Words(PAPER @ at, text, SIZE, across=across, up="middle", shift=shift))

    def _scale(self, axis: int, name: str) -> None:
        """Grid lines on the two far walls that an axis runs along, and its words; none where they would lie on each other."""
        size = self._high - self._low
        thin = bool(size[axis] < THIN * size.max())
        ticks = linear_ticks(self._low[axis], self._high[axis], 2 if thin else 5)
        for place in (self._low[axis], *ticks.places, self._high[axis]):
            frame = place in (self._low[axis], self._high[axis])
            for other in (k for k in range(3) if k != axis):
                self._wall_line(axis, float(place), other, FRAME if frame else GRID)
        if axis == 1 and thin:
            return
        self._tell(axis, ticks, name)

    def _wall_line(self, axis: int, place: float, along: int, look: LineStyle) -> None:
        """Across the far wall of the third axis, at a ``place`` of ``axis``, in the direction ``along``."""
        third = 3 - axis - along
        points = np.empty((2, 3))
        points[:, axis], points[:, along] = place, (self._low[along], self._high[along])
        points[:, third] = (self._low, self._high)[FAR[third]][third]
        self.line(points, look)

    def _tell(self, axis: int, ticks: Ticks, name: str) -> None:
        """Numbers along an edge, and its name beside its middle."""
        edge = EDGES[axis]
        place = np.where(edge.ends, self._high, self._low)
        lower = 5.0 if edge.across == "middle" else 0.0
        for value, word in zip(ticks.places, ticks.words, strict=True):
            place[axis] = value
            self.words(place, word, (TICK_PT * edge.right, TICK_PT * edge.up - lower), edge.across)
        place[axis] = 0.5 * (self._low[axis] + self._high[axis])
        self.words(place, name, (NAME_PT * edge.right, NAME_PT * edge.up), edge.across)
