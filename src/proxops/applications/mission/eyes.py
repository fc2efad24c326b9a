"""The imaging sensors of a mission: when they expose, and what is true then, in orbit and in the hall."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from proxops.applications.mission.hall_view import HallView
from proxops.applications.mission.transmitter import Transmitter
from proxops.core.earth import TURN_RATE
from proxops.core.imaging_table import ImagingSensor, Rendered, own
from proxops.core.mission import MissionFile
from proxops.lab.cell import Cell
from proxops.maths.rotation import Array
from proxops.runs.eyes import Eyes, EyeSetting, Tell
from proxops.runs.image_log import sensor_log
from proxops.runs.image_orders import Drawn, ImageSetting
from proxops.sensors.image_server import ImageServer
from proxops.sensors.moment import HallMoment, Moment, OrbitMoment
from proxops.space.pair import SpacecraftPair
from proxops.space.two_craft import Q_T, P

ORBIT_SUFFIX: Final = "_orbit"  # of a sensor that sees both, for its pictures of the orbit


def seen_by(file: MissionFile, uses_hall: bool) -> tuple[tuple[ImagingSensor, bool], ...]:
    """Every sensor with whether it looks at the hall; one that sees both stands there twice."""
    see = file.scenery.see if uses_hall else "orbit"
    found: list[tuple[ImagingSensor, bool]] = []
    for sensor in file.imaging:
        if not isinstance(sensor, Rendered):
            found.append((sensor, False))
            continue
        if see != "orbit":
            found.append((sensor, True))
        if see == "both":
            found.append((sensor.model_copy(update={"name": sensor.name + ORBIT_SUFFIX}), False))
        elif see == "orbit":
            found.append((sensor, False))
    return tuple(found)


class MissionEyes:
    """``tell``: what becomes of an image that has arrived; ``log``: of those that are recorded. ``cell``: of the hall, if they
    look at it. ``server``: gets every image."""

    def __init__(
        self, file: MissionFile, seed: int, cell: Cell | None, *, waits: bool, server: ImageServer | None = None
    ) -> None:
        seen = seen_by(file, cell is not None)
        exchanged = file.bridge.chaser_on == 2
        self.log = sensor_log([sensor for sensor, _ in seen], exchanged)
        rendered = [(sensor, hall) for sensor, hall in seen if isinstance(sensor, Rendered)]
        sees_hall = tuple(hall for _, hall in rendered)
        drawn = (
            ImageSetting(tuple(sensor for sensor, _ in rendered), sees_hall, file.scenery, seed, cell, exchanged)
            if rendered
            else None
        )
        self._hall, self._orbit = any(sees_hall), not all(sees_hall)
        self.tell: Callable[[Drawn, float], None] = lambda drawn, t: None  # with the mission time of its arrival
        self._eyes = Eyes(EyeSetting(drawn, own(file.imaging)), waits=waits, server=server)

    @property
    def next_s(self) -> float:
        """Mission time before which nothing is to be done."""
        return self._eyes.next_s

    @property
    def left_out(self) -> int:
        return self._eyes.left_out

    def tell_conditions(self, tell: Tell) -> None:
        """Who is told by name what goes wrong with images."""
        self._eyes.tell = tell

    def look(self, pair: SpacecraftPair, line: Transmitter, hall: HallView | None) -> None:
        """Expose what is due now, tell of what has arrived."""
        for drawn in self._eyes.look(pair.t, lambda: self._moment(pair, line, hall)):
            self.tell(drawn, pair.t)

    def poll(self) -> None:
        """Live, in every cycle."""
        self._eyes.poll()

    def close(self) -> None:
        self._eyes.close()

    def _moment(self, pair: SpacecraftPair, line: Transmitter, hall: HallView | None) -> Moment:
        orbit = orbit_moment(pair, line.relative_pose) if self._orbit else None
        shown = HallMoment(hall.ports.copy(), hall.axes.copy()) if self._hall and hall is not None else None
        return Moment(pair.t, orbit, shown)


def orbit_moment(pair: SpacecraftPair, T_target_chaser: Array) -> OrbitMoment:
    """Of now; the Earth's own axes are those of the orbit when the mission begins."""
    y, turn = pair.y, TURN_RATE * pair.t
    return OrbitMoment(T_target_chaser, y[Q_T].copy(), y[P].copy(), pair.sun_direction, pair.surroundings[0], turn)
