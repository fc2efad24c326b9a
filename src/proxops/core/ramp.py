"""A way covered at a steady rate with smooth flanks: when it starts, cruises and stops. Any unit: m, rad, s."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

STEEPEST: Final = 1.5  # largest slope of the flank 3x^2 - 2x^3, over its mean
# By how much a way may miss what its flank needs: 3 m is enough where the sum is 3.0000000000000004.
ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class Ramp:
    """The rate rises from 0 along 3x^2 - 2x^3, stays, and falls the same way: a trapezoid without corners.

    A flank of zero length is a rate that is there at once (a motion that is already under way).
    """

    rate: float  # unit/s while cruising
    rise_s: float
    cruise_s: float
    fall_s: float

    @property
    def duration_s(self) -> float:
        return self.rise_s + self.cruise_s + self.fall_s

    @property
    def way(self) -> float:
        return self.rate * (0.5 * self.rise_s + self.cruise_s + 0.5 * self.fall_s)


STILL: Final = Ramp(0.0, 0.0, 0.0, 0.0)


class TooShort(ValueError):
    """The way is shorter than starting or stopping takes; ``needed`` says how long it would have to be."""

    def __init__(self, needed: float) -> None:
        super().__init__(f"needs {needed:g}")
        self.needed = needed


def ramp_over(
    way: float, rate: float, acceleration: float, moving_start: bool = False, moving_end: bool = False
) -> Ramp:
    """Cover ``way`` (>= 0), nowhere faster than ``rate`` nor steeper than ``acceleration``."""
    flanks = 2 - moving_start - moving_end
    flank_s = STEEPEST * rate / acceleration
    needed = 0.5 * rate * flank_s * flanks
    if needed > way:
        if flanks == 2:
            rate = math.sqrt(way * acceleration / STEEPEST)
            flank_s = STEEPEST * rate / acceleration
        elif needed <= way * (1.0 + ROUNDING):
            flank_s = 2.0 * way / rate
        else:  # the rate at the moving end is given and cannot be lowered
            raise TooShort(needed)
        needed = way
    cruise_s = (way - needed) / rate if rate else 0.0
    return Ramp(rate, 0.0 if moving_start else flank_s, cruise_s, 0.0 if moving_end else flank_s)


def ramp_for(duration_s: float, rate: float, soft_s: float) -> Ramp:
    """Move for a given time, of which ``soft_s`` at either end are flanks."""
    return Ramp(rate, soft_s, duration_s - 2.0 * soft_s, soft_s)
