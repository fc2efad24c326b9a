"""Collision avoidance of the bridge: zones of the commanded and of the actual pose, and whether the way ahead is free."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import N_AXES, PERIOD_S
from proxops.lab.cell import Cell
from proxops.lab.coordinates import Hall
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.safety.braking import braking_time
from proxops.safety.clearance import Clearance, Finding
from proxops.safety.zones import Judgement, judge_zone, lags_s, stopping_way

RESERVE_M = 0.02  # to red at the end of any stop: following error and repeatability are a few mm
SHOWN_M = 0.5  # clearances above are told as "at least"


@kernel
def _stopping(hall: Hall, v: Array, lag_s: Array, way: Array, ahead: Array) -> None:
    """Where a stop begun now would end (``way``) and the most that each axis may still go with its drive's lag."""
    seconds = 0.5 * braking_time(v, hall[0].acceleration)
    for i in range(v.shape[0]):
        way[i] = v[i] * seconds
    stopping_way(way, v, lag_s, ahead)


@kernel
def _reach_of(hall: Hall, v: Array, lag_s: Array, q: Array, actual: Array, way: Array, ahead: Array) -> None:
    _stopping(hall, v, lag_s, way, ahead)
    for i in range(v.shape[0]):
        ahead[i] += abs(actual[i] - q[i])


class ZoneWatch:
    """Memories of distances for everything that is judged every cycle; Coal is asked only where bounds leave it open."""

    def __init__(self, cell: Cell, *, opened: bool = False) -> None:
        self._hall = cell.hall
        self._commanded = Clearance(cell, opened=opened)
        self._actual, self._ahead, self._rest = (self._commanded.twin() for _ in range(3))
        self._shown = self._commanded.twin()
        self.path = self._commanded.twin()  # for whoever looks at a way before it is gone
        self.minimum_m = cell.file.zones.yellow_layer_mm * 1e-3
        self._lags = lags_s(cell)
        self._way, self._reach, self._expected = np.zeros(N_AXES), np.zeros(N_AXES), np.zeros(N_AXES)

    def expect(self, closing_m_s: float, turning_rad_s: float) -> None:
        """The commanded pose closes in and turns at these speeds: its yellow is at least the way to standstill from there.
        Closing is the rail's doing, turning the last axes'."""
        reach, hall, lags = self._expected, self._hall[0], self._lags
        for axis, speed in ((0, max(closing_m_s, 0.0)), (6, turning_rad_s), (12, turning_rad_s)):
            reach[axis] = speed * (0.25 * math.pi * speed / float(hall["acceleration"][axis]) + lags[axis] + PERIOD_S)

    def all_clear(self, q: NDArray[np.float64], rate: NDArray[np.float64], actual: NDArray[np.float64]) -> float:
        """One look for the usual case: set-point ``q`` (which is the commanded posture) is green, and so are the robots at
        ``actual``, whose distance from it is added to the way that each axis may still go. The yellow layer; -1: look closer."""
        _reach_of(self._hall, rate, self._lags, q, actual, self._way, self._reach)
        layer = self._ahead.green_layer_m(q, self._reach, self.minimum_m)
        if layer < 0.0:  # bounds leave it open: ask for exact distances
            near = self._ahead.nearest_yellow(q, self._reach, self.minimum_m)
            layer = near.layer_m if near.distance_m > near.layer_m else -1.0
        return layer

    def nearest(self, q: NDArray[np.float64]) -> Finding:
        """The smallest clearance, exact when it is below half a metre: for displays, now and then."""
        return self._shown.at(q, SHOWN_M)

    def commanded(self, q: NDArray[np.float64]) -> Judgement:
        """Zone of the commanded posture, in the motion that is expected of it."""
        return judge_zone(self._commanded, q, self._expected, self.minimum_m)

    def actual(self, q: NDArray[np.float64], rate: NDArray[np.float64], more_m: float = 0.0) -> Judgement:
        """Zone of the robots as they are, each pair with the layer that stopping from ``rate`` needs; ``more_m`` is added
        to the least layer."""
        _stopping(self._hall, rate, self._lags, self._way, self._reach)
        return judge_zone(self._actual, q, self._reach, self.minimum_m + more_m)

    def blocked(self, q: NDArray[np.float64], rate: NDArray[np.float64]) -> Finding | None:
        """What a stop begun at set-point ``q`` and ``rate`` would run into: None when it keeps its reserve to red."""
        _stopping(self._hall, rate, self._lags, self._way, self._reach)
        near = self._ahead.nearest_yellow(q, self._reach, 0.0)
        if near.distance_m > near.layer_m:
            return None
        # The bound leaves it open (it does not know which way things move): look along the stop. A way that comes nearer to
        # red than the reserve is not gone; a way out from nearer is.
        now = self._rest.at(q, RESERVE_M).distance_m
        for share in (0.25, 0.5, 0.75, 1.0):
            found = self._rest.at(q + share * self._way, RESERVE_M)
            if found.distance_m < RESERVE_M and found.distance_m < now - 1e-6:
                return found
        return None if now > 0.0 else self._rest.at(q, RESERVE_M)
