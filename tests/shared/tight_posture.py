"""Postures with little clearance, found by going from home towards red."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from proxops.lab.cell import Cell
from proxops.safety.guard import Guard
from proxops.safety.zone_watch import ZoneWatch

Axes = NDArray[np.float64]


def tight_posture(cell: Cell, zones: ZoneWatch, rng: np.random.Generator, clearance_m: float) -> Axes:
    """Within all ranges, with this clearance to a tenth of a millimetre."""
    guard = Guard(cell, np.zeros(6), zones)
    while True:
        there = rng.uniform(np.maximum(cell.axes.lower, -2.0), np.minimum(cell.axes.upper, 2.0))
        there[0] = rng.uniform(2.0, 6.0)  # the robots are not far from each other
        line = (cell.home + s * (there - cell.home) for s in np.linspace(0.0, 1.0, 400))
        for a, b in itertools.pairwise(line):
            if zones.path.at(b, clearance_m).distance_m >= clearance_m:
                continue
            while zones.path.at(a, 1.0).distance_m > clearance_m + 1e-4:
                middle = 0.5 * (a + b)
                a, b = (middle, b) if zones.path.at(middle, clearance_m).distance_m >= clearance_m else (a, middle)
            guard.stand(a)
            if guard.margins[:2].min() > 0.0:  # of the axes and of Table 3
                return a
            break
