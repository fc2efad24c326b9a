"""Ticks where people expect them: round numbers, powers of ten, and as few digits as tell them apart."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

ROUND: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
CLOSE: Final = 1e-10  # of the axis: a tick at its very end belongs to it
PLAIN: Final = (1e-4, 1e6)  # numbers beyond are told by their power of ten


class Ticks(NamedTuple):
    """Places with their words, and places between them that have none."""

    places: list[float]
    words: list[str]
    between: list[float]


def linear_ticks(low: float, high: float, most: int, *, whole: bool = False) -> Ticks:
    """At most ``most`` stretches between round numbers; ``whole``: no fractions."""
    low, high = min(low, high), max(low, high)
    if not math.isfinite(high - low) or high <= low:
        return Ticks([], [], [])
    step = round_step((high - low) / max(most, 1), whole=whole)
    slack = CLOSE * (high - low)
    first, last = math.ceil((low - slack) / step), math.floor((high + slack) / step)
    places = [k * step for k in range(first, last + 1)]
    return Ticks(places, tick_words(places, step), [])


def round_step(least: float, *, whole: bool = False) -> float:
    """The next round number from ``least`` on."""
    power = 10.0 ** math.floor(math.log10(least))
    step = next((factor * power for factor in ROUND if factor * power >= least * (1.0 - CLOSE)), 10.0 * power)
    return max(1.0, float(math.ceil(step))) if whole else step


def tick_words(places: list[float], step: float) -> list[str]:
    """With as many digits as ``step`` needs, and a minus that is as wide as a plus."""
    size = max((abs(place) for place in places), default=0.0)
    if size and not PLAIN[0] <= size < PLAIN[1]:
        return [f"{place:g}".replace("-", "−") for place in places]
    digits = next((n for n in range(8) if abs(round(step, n) - step) < CLOSE * step), 8)
    words = (f"{place:.{digits}f}" for place in places)
    return [(word[1:] if word.startswith("-") and not float(word) else word).replace("-", "−") for word in words]


def log_ticks(low: float, high: float, most: int) -> Ticks:
    """Powers of ten; where there are fewer than two, twos and fives beside them."""
    low, high = min(low, high), max(low, high)
    if not 0.0 < low < high < math.inf:
        return Ticks([], [], [])
    bottom, top = math.log10(low), math.log10(high)
    slack = CLOSE * (top - bottom)
    first, last = math.ceil(bottom - slack), math.floor(top + slack)
    every = max(1, -(-(last - first) // max(most, 1)))
    powers = [k for k in range(first, last + 1) if k % every == 0]
    between = _between(first, last, every, bottom - slack, top + slack)
    if len(powers) >= 2:
        return Ticks([10.0**k for k in powers], [_power_word(10.0**k) for k in powers], between)
    chosen = sorted({f * 10.0**k for k in range(first - 1, last + 1) for f in (1.0, 2.0, 5.0)})
    places = [place for place in chosen if bottom - slack <= math.log10(place) <= top + slack]
    return Ticks(places, [_power_word(place) for place in places], [p for p in between if p not in places])


def _between(first: int, last: int, every: int, bottom: float, top: float) -> list[float]:
    """Two to nine of each decade, or the powers that have no words."""
    if every > 1:
        return [10.0**k for k in range(first, last + 1) if k % every]
    places = (f * 10.0**k for k in range(first - 1, last + 1) for f in range(2, 10))
    return [place for place in places if bottom <= math.log10(place) <= top]


def _power_word(place: float) -> str:
    return f"{place:g}".replace("-", "−")
