"""Places on a sheet: rows and columns with gaps between them. Shares of the sheet, from its lower left corner."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple


class Box(NamedTuple):
    """``right`` and ``top`` are what is left over."""

    left: float
    bottom: float
    width: float
    height: float

    @classmethod
    def inside(cls, left: float, right: float, bottom: float, top: float) -> Box:
        """Between four edges."""
        return cls(left, bottom, right - left, top - bottom)

    def rows(self, count: int, gap: float = 0.0, shares: Sequence[float] = ()) -> list[Box]:
        """From the top; ``gap`` between two in mean heights of one, ``shares``: heights against each other."""
        places = _divided(self.height, count, gap, shares)
        return [Box(self.left, self.bottom + self.height - at - size, self.width, size) for at, size in places]

    def columns(self, count: int, gap: float = 0.0, shares: Sequence[float] = ()) -> list[Box]:
        """From the left; as ``rows``."""
        places = _divided(self.width, count, gap, shares)
        return [Box(self.left + at, self.bottom, size, self.height) for at, size in places]


def _divided(whole: float, count: int, gap: float, shares: Sequence[float]) -> list[tuple[float, float]]:
    """Begin and size of each."""
    shares = shares or (1.0,) * count
    mean = whole / (count + gap * (count - 1))
    sizes = [share * mean * count / sum(shares) for share in shares]
    begins = accumulate([size + gap * mean for size in sizes[:-1]], initial=0.0)
    return list(zip(begins, sizes, strict=True))
