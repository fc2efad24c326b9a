"""Collision supervision of every motion: zones of the commanded and of the actual pose, and whether the way ahead is free.

Robots that are nearer to red than the reserve, or in red, may only leave (``reserve``).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.lab.any_cell import AnyCell
from proxops.lab.cell_axes import trailing_s
from proxops.lab.coordinates import HallRecord
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.safety.braking import braking_time
from proxops.safety.clearance import Clearance, Finding
from proxops.safety.nearness import Table, look
from proxops.safety.reserve import RESERVE_M, Reserve
from proxops.safety.rules import Rule, Stop
from proxops.safety.way_watch import WayWatch
from proxops.safety.zones import Judgement, judge_zone, stopping_way

ALONG_STOP = (0.25, 0.5, 0.75, 1.0)  # of a stop's way: where it is looked at
ROOM_M = 0.7  # clearances are refined up to here when their room is asked for: seconds of ordinary motion
SHOWN_M = 0.5  # clearances above are told as "at least"


@kernel
def _stopping(acceleration: Array, v: Array, lag_s: Array, way: Array, ahead: Array) -> None:
    """Where a stop begun now would end (``way``) and the most that each axis may still go with its drive's lag."""
    seconds = 0.5 * braking_time(v, acceleration)
    for i in range(v.shape[0]):
        way[i] = v[i] * seconds
    stopping_way(way, v, lag_s, ahead)


@kernel
def _reach_of(acceleration: Array, v: Array, lag_s: Array, q: Array, actual: Array, way: Array, ahead: Array) -> None:
    _stopping(acceleration, v, lag_s, way, ahead)
    for i in range(v.shape[0]):
        ahead[i] += abs(actual[i] - q[i])


@kernel
def green_layer(
    hall: HallRecord | None, fixed: Table, cache: Table, acceleration: Array, v: Array, lag_s: Array, q: Array, actual: Array,
    way: Array, ahead: Array, minimum: float,
) -> float:  # fmt: skip
    """Quick answer for the tick, in one call: the layer of the pair nearest to its yellow when bounds alone show that all is
    green, else -1."""
    _reach_of(acceleration, v, lag_s, q, actual, way, ahead)
    number, settled = look(hall, fixed, cache, q, 0.0, ahead, minimum)
    c = cache[0]
    if settled and number >= 0 and c.lower[number] > c.layer[number]:  # of what is no number too
        layer: float = c.layer[number]
        return layer
    return -1.0


class LookParts(NamedTuple):
    """What one look for the usual case needs, as ``green_layer`` takes it beside axes and rates."""

    fixed: Table
    cache: Table
    acceleration: Array
    lags_s: Array
    way: Array
    reach: Array
    minimum_m: float


class ZoneWatch:
    """Memories of distances for everything that is judged every cycle; Coal is asked only where bounds leave it open."""

    def __init__(self, cell: AnyCell, *, opened: bool = False) -> None:
        self._acceleration = cell.guarded.acceleration
        self._commanded = Clearance(cell, opened=opened)
        self._actual, self._ahead, self._shown = (self._commanded.twin() for _ in range(3))
        self._room, self._near = (self._commanded.twin() for _ in range(2))
        self._reserve = Reserve(self._commanded.twin(), cell.n_axes)
        self._ahead_tables = self._ahead.tables
        self.path = self._commanded.twin()  # for whoever looks at places before anyone goes there
        self.minimum_m = cell.file.zones.yellow_layer_mm * 1e-3
        self._lags = trailing_s(cell.controllers, cell.period_ns) + cell.coast_s
        n = cell.n_axes
        self._way, self._reach, self._expected = np.zeros(n), np.zeros(n), np.zeros(n)

    @property
    def levers(self) -> NDArray[np.float64]:
        """Per axis: the furthest that any point goes per radian (rail: per metre)."""
        return self._commanded.levers

    @property
    def lags_s(self) -> NDArray[np.float64]:
        """Per axis: by how much time it trails what is decided about it."""
        return self._lags

    def stand(self, q: NDArray[np.float64]) -> None:
        """The robots stand at ``q``, wherever they have come from: from here on nothing in the reserve may come nearer."""
        self._reserve.stand(q)

    def rest(self, q: NDArray[np.float64]) -> None:
        """They have come to rest at ``q`` on a way that was looked at."""
        self._reserve.rest(q)

    def way_from(self, start: NDArray[np.float64]) -> WayWatch:
        """Looks along a way from ``start``, where the robots stand, before it is gone."""
        return WayWatch(self.path, self._reserve.twin(), start, self.minimum_m)

    def expect(self, closing_m_s: float, turning_rad_s: float) -> None:
        """The commanded pose closes in and turns at these speeds: its yellow is at least the way to standstill from there.
        Closing is the rail's doing, turning the last axes'."""
        reach, acceleration, lags = self._expected, self._acceleration, self._lags
        for axis, speed in ((0, max(closing_m_s, 0.0)), (6, turning_rad_s), (12, turning_rad_s)):
            reach[axis] = speed * (0.25 * math.pi * speed / float(acceleration[axis]) + lags[axis])

    def all_clear(self, q: NDArray[np.float64], rate: NDArray[np.float64], actual: NDArray[np.float64]) -> float:
        """One look for the usual case: set-point ``q`` (which is the commanded posture) is green, and so are the robots at
        ``actual``, whose distance from it is added to the way that each axis may still go. The yellow layer; -1: look closer."""
        layer = green_layer(
            *self._ahead_tables, self._acceleration, rate, self._lags, q, actual, self._way, self._reach, self.minimum_m
        )
        if layer < 0.0:  # bounds leave it open: ask for exact distances
            near = self._ahead.nearest_yellow(q, self._reach, self.minimum_m)
            layer = near.layer_m if near.distance_m > near.layer_m else -1.0
        return layer

    @property
    def look_parts(self) -> LookParts:
        """For kernels that look themselves as ``all_clear`` does, as long as that settles it."""
        _, fixed, cache = self._ahead_tables
        return LookParts(fixed, cache, self._acceleration, self._lags, self._way, self._reach, self.minimum_m)

    def nearest(self, q: NDArray[np.float64]) -> Finding:
        """The smallest clearance, exact when it is below half a metre: for displays, now and then."""
        return self._shown.at(q, SHOWN_M)

    def commanded(self, q: NDArray[np.float64]) -> Judgement:
        """Zone of the commanded posture, in the motion that is expected of it."""
        return judge_zone(self._commanded, q, self._expected, self.minimum_m)

    def actual(self, q: NDArray[np.float64], rate: NDArray[np.float64], more_m: float = 0.0) -> Judgement:
        """Zone of the robots as they are, each pair with the layer that stopping from ``rate`` needs; ``more_m`` is added
        to the least layer."""
        _stopping(self._acceleration, rate, self._lags, self._way, self._reach)
        return judge_zone(self._actual, q, self._reach, self.minimum_m + more_m)

    def room_m(self, q: NDArray[np.float64]) -> float:
        """By how much every clearance at ``q`` exceeds yellow's least layer, at least; exact up to some decimetres."""
        return self._room.at(q, ROOM_M).distance_m - self.minimum_m

    def near(self, q: NDArray[np.float64], bound_m: float) -> Stop | None:
        """Why robots may not stand at ``q``: a clearance that is not above ``bound_m``."""
        near = self._near.below(q, math.nextafter(bound_m, math.inf))
        if not near:
            return None
        nearest = min(near, key=lambda number: near[number])
        found = self._finding(nearest, near[nearest])
        return Stop(Rule.COLLISION_ZONE, value=found.distance_m, bound=bound_m, detail=found.pair)

    def astray(self, actual: NDArray[np.float64]) -> Stop | None:
        """Why robots on their way out of red may not go on: they are red, and nearer than their set-point may be by more than
        the reserve. What they trail by at manual control's slow speed is a tenth of that."""
        for number, distance in self._near.below(actual, math.nextafter(0.0, math.inf)).items():
            bound_m = self._reserve.allowed.get(number, RESERVE_M) - RESERVE_M
            if distance <= bound_m:
                return Stop(
                    Rule.COLLISION_ZONE, value=distance, bound=bound_m, detail=self._finding(number, distance).pair
                )
        return None

    def blocked(self, q: NDArray[np.float64], rate: NDArray[np.float64], *, leaving: bool = False) -> Finding | None:
        """What a stop begun at set-point ``q`` and ``rate`` would run into: None when it keeps its reserve to red, or leaves
        it. Out of red itself only who is ``leaving`` may go: manual control."""
        _stopping(self._acceleration, rate, self._lags, self._way, self._reach)
        near = self._ahead.nearest_yellow(q, self._reach, 0.0, RESERVE_M)
        if near.distance_m > near.layer_m + RESERVE_M:
            return None
        # The bound leaves it open (it does not know which way things move): look along the stop.
        reserve = self._reserve
        here, allowed = reserve.pairs_at(q), reserve.allowed
        nearing = reserve.nearing(here, allowed)
        furthest = {number: max(distance, allowed.get(number, distance)) for number, distance in here.items()}
        for share in ALONG_STOP:
            if nearing is None and rate.any():
                nearing = reserve.nearing(reserve.pairs_at(q + share * self._way), furthest)
        if nearing is None and here and not leaving:
            deepest = min(here.items(), key=lambda pair: pair[1])
            nearing = deepest if not deepest[1] > 0.0 else None
        return None if nearing is None else self._finding(*nearing)

    def _finding(self, number: int, distance_m: float) -> Finding:
        name = self._near.names[number] if number >= 0 else "axes that are not numbers"
        return Finding(distance_m, name, True, RESERVE_M, number)

    def refuses(
        self, q: NDArray[np.float64], rate: NDArray[np.float64], actual: NDArray[np.float64], *, leaving: bool
    ) -> Stop | None:
        """Why the next set-point ``q`` may not be taken, the robots being at ``actual``. One that may is remembered: from
        there on nothing in the reserve may come nearer."""
        _reach_of(self._acceleration, rate, self._lags, q, actual, self._way, self._reach)
        near = self._ahead.nearest_yellow(q, self._reach, 0.0, RESERVE_M)
        if near.distance_m > near.layer_m + RESERVE_M:  # set-point, robots and stop alike
            self._reserve.leave()
            return None
        return self._refuses(q, rate, actual, leaving)

    def _refuses(
        self, q: NDArray[np.float64], rate: NDArray[np.float64], actual: NDArray[np.float64], leaving: bool
    ) -> Stop | None:
        """``refuses`` where one look leaves it open."""
        found = self.blocked(q, rate, leaving=leaving)
        if found:
            bound_m = self._reserve.allowed.get(found.number, RESERVE_M)
            return Stop(Rule.COLLISION_ZONE, value=found.distance_m, bound=bound_m, detail=found.pair)
        red = self.astray(actual) if leaving else self.near(actual, 0.0)
        if red:
            return red
        self._reserve.take(q)
        return None
