"""The imaging sensors of a mission: when they expose, and what is true then, in orbit and in the hall."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from proxops.applications.mission.hall_view import HallView
from proxops.applications.mission.orbit_moment import orbit_moment
from proxops.applications.mission.seen_by import log_of, seen_by
from proxops.applications.mission.transmitter import Transmitter
from proxops.core.mission import MissionFile
from proxops.facility.installation import Installation
from proxops.ground.sensor_log import Arrival
from proxops.lab.cell import Cell
from proxops.runs.image_log import ImageLog, into_log
from proxops.runs.image_orders import Drawn, ImageSetting
from proxops.runs.image_pool import ImagePool
from proxops.runs.shutters import Shutters
from proxops.sensors.moment import HallMoment, Moment
from proxops.space.pair import SpacecraftPair

WHILE_WAITING: Final = 2  # processes that draw; live the other core is the tick's


class MissionEyes:
    """``tell``: what becomes of an image that has arrived; ``log``: of those that are recorded. ``cell``: of the hall, if they
    look at it."""

    def __init__(self, file: MissionFile, seed: int, cell: Cell | None, *, waits: bool) -> None:
        seen = seen_by(file, cell is not None)
        self.sensors, sees_hall = tuple(sensor for sensor, _ in seen), tuple(hall for _, hall in seen)
        exchanged = file.bridge.chaser_on == 2
        setting = ImageSetting(self.sensors, sees_hall, file.scenery, seed, cell, exchanged)
        self._orders = ImagePool(setting, WHILE_WAITING if waits else 1)
        self._shutters = Shutters(self.sensors, self._orders, seed, waits=waits)
        self._hall, self._orbit = any(sees_hall), not all(sees_hall)
        self.log = log_of(file, cell is not None)
        self.tell: Callable[[Drawn, float], None] = lambda drawn, t: None  # with the mission time of its arrival
        self._orders.wait_ready()

    @property
    def next_s(self) -> float:
        """Mission time before which nothing is to be done."""
        return self._shutters.next_s

    @property
    def left_out(self) -> int:
        return self._shutters.left_out

    @property
    def pids(self) -> tuple[int, ...]:
        """Of the processes that draw."""
        return self._orders.pids

    def record_in(self, hall: Installation, arrival: Callable[[float], Arrival]) -> None:
        """What is told goes into the log of a run in this process, if it has one. ``arrival``: at a mission time, by its clock."""
        if hall.viewer:
            self.tell = into_log(ImageLog(self.log, hall.viewer), arrival)

    def look(self, pair: SpacecraftPair, line: Transmitter, hall: HallView | None) -> None:
        """Expose what is due now, tell of what has arrived."""
        self._shutters.look(pair.t, lambda: self._moment(pair, line, hall))
        for drawn in self._shutters.arrived(pair.t):
            self.tell(drawn, pair.t)

    def close(self) -> None:
        self._orders.close()

    def _moment(self, pair: SpacecraftPair, line: Transmitter, hall: HallView | None) -> Moment:
        orbit = orbit_moment(pair, line.relative_pose) if self._orbit else None
        shown = HallMoment(hall.ports.copy(), hall.axes.copy()) if self._hall and hall is not None else None
        return Moment(pair.t, orbit, shown)
