"""The one place where mock-ups may meet, opened by a docking scenario: everything else of the hall stays watched in there too."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from proxops.applications.docking.tables import OpenZoneTable
from proxops.lab.cell import Cell
from proxops.lab.hall_motion import port_motion
from proxops.safety.braking import braking_time
from proxops.safety.rules import Stop
from proxops.safety.zone_watch import ZoneWatch
from proxops.touch.relative_motion import seen_from

Axes = NDArray[np.float64]


class OpenZone:
    """The guard's zones of a docking: inside the opened cylinder the mock-ups may near each other, outside they may not.
    Without a table nothing is open."""

    def __init__(self, cell: Cell, table: OpenZoneTable | None, tip_m: Axes, seat_m: float) -> None:
        self._hall, self._table, self._tip, self._seat = cell.hall, table, tip_m, seat_m
        self._closed, self._opened = ZoneWatch(cell), ZoneWatch(cell, opened=True)
        self._poses, self._twists, self._pose, self._twist = (
            np.zeros((2, 7)),
            np.zeros((2, 6)),
            np.zeros(7),
            np.zeros(6),
        )

    @property
    def levers(self) -> Axes:
        return self._closed.levers

    @property
    def lags_s(self) -> Axes:
        return self._closed.lags_s

    def refuses(self, q: Axes, rate: Axes, actual: Axes, *, leaving: bool) -> Stop | None:
        rest = q + rate * (0.5 * braking_time(rate, self._hall[0]["acceleration"]))
        watch = self._opened if self.inside(q, rate) and self.inside(rest, rate) else self._closed
        stop = watch.refuses(q, rate, actual, leaving=leaving)
        return replace(stop, detail=f"{stop.detail}, zone not opened there") if stop else None

    def near(self, q: Axes, bound_m: float) -> Stop | None:
        return (self._opened if self.inside(q, np.zeros_like(q)) else self._closed).near(q, bound_m)

    def astray(self, actual: Axes) -> Stop | None:
        return self.near(actual, 0.0)

    def room_m(self, q: Axes) -> float:
        """What is open depends on the pose: every wish is looked at."""
        return -math.inf

    def stand(self, q: Axes) -> None:
        self._closed.stand(q)
        self._opened.stand(q)

    def rest(self, q: Axes) -> None:
        self._closed.rest(q)
        self._opened.rest(q)

    def inside(self, axes: Axes, rate: Axes) -> bool:
        """Is the ball where the scenario has opened the zone, and the chaser upright enough?"""
        if self._table is None:
            return False
        port_motion(self._hall, axes, rate, self._poses, self._twists)
        seen_from(self._poses[0], self._twists[0], self._poses[1], self._twists[1], self._tip, self._pose, self._twist)
        table, pose = self._table, self._pose
        tilt = 2.0 * math.asin(min(1.0, math.hypot(pose[5], pose[6])))  # of the chaser's x axis against the client's
        return (
            abs(pose[0] - self._seat) <= table.length_mm * 1e-3
            and math.hypot(pose[1], pose[2]) <= table.radius_mm * 1e-3
            and tilt <= math.radians(table.tilt_deg)
        )
