"""What a mission sees with: imaging sensors, and who finds the client in their images; opened and closed together."""

from __future__ import annotations

import math
import socket
from collections.abc import Callable
from typing import Final

from proxops.applications.mission.eyes import EyesFailed, MissionEyes
from proxops.applications.mission.vision.build import vision_of
from proxops.applications.mission.vision.mission_vision import MissionVision
from proxops.applications.mission.vision.order import VisionFailed
from proxops.applications.mission.vision.tally import VisionTally
from proxops.core.mission import MissionFile
from proxops.facility.events import EventLog
from proxops.ground.sensor_log import Arrival
from proxops.ground.viewer_ring import ViewerRing
from proxops.lab.cell import Cell
from proxops.runs.eyes import Tell
from proxops.runs.image_log import ImageLog, SaidLog, into_log
from proxops.runs.image_news import severity_of
from proxops.runs.image_orders import Drawn

NO_IMAGES: Final = (EyesFailed, VisionFailed)
"""In lockstep: what comes after would not be what the seed says."""


class Seeing:
    """Nothing until it is opened, and after that only what somebody needs."""

    def __init__(self) -> None:
        self.eyes: MissionEyes | None = None
        self.vision: MissionVision | None = None
        self.tally = VisionTally()

    def open(
        self, file: MissionFile, seed: int, cell: Cell | None, latency_s: float, *, images: socket.socket | None = None,
        watched: bool = False, waits: bool = True,
    ) -> None:  # fmt: skip
        """``cell``: of the hall, if it takes part. ``watched``: images are recorded or served. ``waits``: in lockstep."""
        if not file.imaging or not (watched or file.vision.sensors):
            return
        self.eyes = MissionEyes(file, seed, cell, waits=waits, images=images, only_vision=not watched)
        self.vision = vision_of(file, cell, latency_s, waits=waits)
        if self.vision:
            self.eyes.measure_by(self.vision.part_with_client)
            self.eyes.tell = lambda drawn, t: self.tally.know(drawn)
            self.vision.listeners.append(self.tally.hear)

    def record_in(self, ring: ViewerRing | None, arrival: Callable[[float], Arrival], tell: Tell) -> None:
        """From now on. ``ring``: of a run's log, if it has one; ``arrival``: at a mission time, by its clock. ``tell``: who is
        told by name what goes wrong with images, and what becomes of looking for the client in them."""
        if self.eyes is None:
            return
        self.eyes.tell_conditions(tell)
        if self.vision:
            self.vision.tell_condition = tell
        if ring is None:
            return
        log = ImageLog(self.eyes.log, ring)
        put, said = into_log(log, arrival), SaidLog(log, arrival)

        def record(drawn: Drawn, t: float) -> None:
            put(drawn, t)
            said.know(drawn, t)
            self.tally.know(drawn)

        self.eyes.tell = record
        if self.vision:
            self.vision.listeners.append(said.say)

    def hand_over(self, t: float, shown: bool) -> None:
        """``shown``: the hall shows at mission time ``t`` what is commanded. From the first such time on it is seen, whatever it
        shows; before, the orbit. But not before the client is followed: what else stands in a hall and is lit is no sky to find
        it in. The filter begins with the hall, whose errors are not those of orbit's images."""
        if not self.eyes or not self.vision or self.eyes.handed_over:
            return
        unit = self.vision.unit
        if shown and unit.follows(t):
            self.eyes.handed_over, unit.handed_over_s, unit.measures_from_s = True, t, t
        else:
            unit.measures_from_s = math.inf if shown else -math.inf

    def close(self) -> None:
        for part in (self.vision, self.eyes):
            if part:
                part.close()


def into_events(events: EventLog) -> Tell:
    """What is told becomes an event of the facility."""
    return lambda name, words: events.tell(severity_of(name), name, words)
