"""The one place where mock-ups may meet, opened by a docking scenario: everything else of the hall stays watched in there too."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proxops.core.experiment_docking import OpenZoneTable
from proxops.facility.zone_watch import ZoneWatch
from proxops.lab.cell import Cell
from proxops.lab.hall_motion import port_motion
from proxops.safety.rules import Rule, Stop
from proxops.touch.relative_motion import seen_from

Axes = NDArray[np.float64]


class OpenZone:
    """``judge`` every wish: inside the opened cylinder the mock-ups may near each other, outside they may not. Without a
    table nothing is open."""

    def __init__(self, cell: Cell, table: OpenZoneTable | None, tip_m: Axes, seat_m: float) -> None:
        self._hall, self._table, self._tip, self._seat = cell.hall, table, tip_m, seat_m
        self._closed, self._opened = ZoneWatch(cell), ZoneWatch(cell, opened=True)
        self._poses, self._twists, self._pose, self._twist = (
            np.zeros((2, 7)),
            np.zeros((2, 6)),
            np.zeros(7),
            np.zeros(6),
        )

    def judge(self, axes: Axes, rate: Axes) -> Stop | None:
        watch = self._opened if self.inside(axes, rate) else self._closed
        blocked = watch.blocked(axes, rate)
        if blocked is None:
            return None
        return Stop(Rule.COLLISION_ZONE, value=blocked.distance_m, detail=f"{blocked.pair}, zone not opened there")

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
