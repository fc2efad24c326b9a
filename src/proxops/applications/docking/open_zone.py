"""The one place where mock-ups may meet, opened by a docking scenario: everything else of the hall stays watched in there too."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from proxops.applications.docking.tables import OpenZoneTable
from proxops.lab.cell import Cell
from proxops.lab.coordinates import HallRecord, port_poses
from proxops.maths.kernel import kernel
from proxops.maths.pose import pack_pose
from proxops.safety.braking import braking_time
from proxops.safety.rules import Stop
from proxops.safety.zone_watch import ZoneWatch
from proxops.touch.relative_motion import seen_from

Axes = NDArray[np.float64]


class OpenZone:
    """The guard's zones of a docking: inside the opened cylinder the mock-ups may near each other, outside they may not.
    Without a table nothing is open."""

    def __init__(self, cell: Cell, table: OpenZoneTable | None, tip_m: Axes, seat_m: float) -> None:
        self._hall, self._tip, self._cylinder = cell.hall, tip_m, np.full(4, math.nan)  # no number: nothing is inside
        if table is not None:
            radius_m, tilt_rad = table.radius_mm * 1e-3, math.radians(table.tilt_deg)
            self._cylinder[:] = seat_m, table.length_mm * 1e-3, radius_m, tilt_rad
        self._closed, self._opened = ZoneWatch(cell), ZoneWatch(cell, opened=True)

    @property
    def levers(self) -> Axes:
        return self._closed.levers

    @property
    def lags_s(self) -> Axes:
        return self._closed.lags_s

    def refuses(self, q: Axes, rate: Axes, actual: Axes, *, leaving: bool) -> Stop | None:
        watch = self._opened if inside_until_rest(self._hall, q, rate, self._tip, self._cylinder) else self._closed
        stop = watch.refuses(q, rate, actual, leaving=leaving)
        return replace(stop, detail=f"{stop.detail}, zone not opened there") if stop else None

    def near(self, q: Axes, bound_m: float) -> Stop | None:
        return (self._opened if inside(self._hall, q, self._tip, self._cylinder) else self._closed).near(q, bound_m)

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


@kernel
def inside(hall: HallRecord, axes: Axes, tip: Axes, cylinder: Axes) -> bool:
    """Is the ball in the ``cylinder`` (its middle on the client's x axis, half its length, radius, all m; tilt, rad), and the
    chaser upright enough?"""
    poses, pose, still, twist = np.empty((2, 7)), np.empty(7), np.zeros(6), np.empty(6)
    T_lab_port1, T_lab_port2 = port_poses(hall, axes)
    pack_pose(T_lab_port1, poses[0])
    pack_pose(T_lab_port2, poses[1])
    seen_from(poses[0], still, poses[1], still, tip, pose, twist)
    tilt = 2.0 * math.asin(min(1.0, math.hypot(pose[5], pose[6])))  # of the chaser's x axis against the client's
    seat, length, radius, most = cylinder[0], cylinder[1], cylinder[2], cylinder[3]
    return bool(abs(pose[0] - seat) <= length and math.hypot(pose[1], pose[2]) <= radius and tilt <= most)


@kernel
def inside_until_rest(hall: HallRecord, q: Axes, rate: Axes, tip: Axes, cylinder: Axes) -> bool:
    """Now, and where a brake begun now would end."""
    rest = q + rate * (0.5 * braking_time(rate, hall[0].acceleration))
    return bool(inside(hall, q, tip, cylinder) and inside(hall, rest, tip, cylinder))
