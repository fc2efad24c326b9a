"""Random numbers of an instrument or a robot, drawn ahead: the same numbers in the same order as row by row, with fewer calls."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.maths.rotation import Array

ROWS: Final = 64  # at a time


class Draws:
    """Rows of ``uniform`` numbers in [0, 1) and then ``normal`` ones of a standard normal distribution. The generator is nobody
    else's any more."""

    def __init__(self, rng: np.random.Generator, uniform: int, normal: int) -> None:
        self._rng, self._uniform = rng, uniform
        self._rows, self._next = np.empty((ROWS, uniform + normal)), ROWS

    def row(self) -> Array:
        """The next one; to be read before another is drawn."""
        if self._next == ROWS:
            self._draw()
        self._next += 1
        row: Array = self._rows[self._next - 1]
        return row

    def _draw(self) -> None:
        rng, count, self._next = self._rng, self._uniform, 0
        if count == 0:
            rng.standard_normal(out=self._rows)
            return
        for row in self._rows:
            rng.random(out=row[:count])
            rng.standard_normal(out=row[count:])
