"""One axis of a panel: what it shows, from where to where, and its ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.ground.panels.items import Floats
from proxops.ground.panels.ticks import Ticks, linear_ticks, log_ticks

AIR: Final = 0.05  # of what there is, on both sides
MOST_TICKS: Final = 9
BEYOND: Final = 30.0  # lengths of the axis; farther off is drawn there, where nobody sees it


@dataclass
class Axis:
    """``limits``: None for all there is; the greater one first for an axis that points down or left. ``known``: what is drawn,
    smallest and greatest."""

    label: str = ""
    limits: tuple[float, float] | None = None
    log: bool = False
    places: Sequence[float] | None = None  # of ticks, where they are not the usual ones
    words: Sequence[str] | None = None  # of these
    whole: bool = False  # ticks at whole numbers only
    most: int = MOST_TICKS  # stretches between ticks
    worded: bool = True  # ticks have words
    grid: bool = True
    right: bool = False  # of a y axis: its ticks are at the right
    known: tuple[float, float] = (math.inf, -math.inf)

    def add(self, values: Floats) -> None:
        """Something else is drawn."""
        fine = values[np.isfinite(values) & (values > 0.0)] if self.log else values[np.isfinite(values)]
        if fine.size:
            self.known = min(self.known[0], float(fine.min())), max(self.known[1], float(fine.max()))

    @property
    def range(self) -> tuple[float, float]:
        """From where to where, with some air round what there is."""
        if self.limits is not None:
            return self.limits
        low, high = self.known if self.known[0] <= self.known[1] else (0.1, 1.0) if self.log else (0.0, 1.0)
        if self.log:
            low, high = max(low, 1e-300), max(high, 1e-300)
            air = (high / low) ** AIR if high > low else 10.0
            return low / air, high * air
        air = AIR * (high - low) or 0.05 * abs(high) or 0.05
        return low - air, high + air

    def reach(self, *, low: float | None = None, high: float | None = None) -> None:
        """One limit, or both; the other stays."""
        was = self.range
        self.limits = was[0] if low is None else low, was[1] if high is None else high

    def add_room(self, share: float) -> None:
        """Above all there is, for a legend."""
        low, high = self.range
        self.limits = low, high + share * (high - low)

    def in_decades(self) -> None:
        """Logarithmic, from one power of ten to another, so that no labels are squeezed between them."""
        self.log = True
        low, high = (math.log10(limit) for limit in self.range)
        bottom = math.floor(low + 0.05)
        self.limits = 10.0**bottom, 10.0 ** max(math.ceil(high - 0.05), bottom + 1.0)

    def shares(self, values: Floats) -> Floats:
        """Places along the axis, from 0 to 1; beyond it for what lies outside."""
        low, high = self.range
        if self.log:
            low, high = math.log10(low), math.log10(high)
            values = np.log10(np.maximum(values, 1e-300))
        out: Floats = np.clip((values - low) / ((high - low) or 1.0), -BEYOND, BEYOND)
        out[values == math.inf], out[values == -math.inf] = (1.0, 0.0) if high > low else (0.0, 1.0)
        return out

    def ticks(self, room: int) -> Ticks:
        """``room``: how many there is room for."""
        if self.places is not None:
            words = [f"{place:g}" for place in self.places] if self.words is None else self.words
            return Ticks(list(self.places), list(words), [])
        most = max(1, min(self.most, room))
        return log_ticks(*self.range, most) if self.log else linear_ticks(*self.range, most, whole=self.whole)
