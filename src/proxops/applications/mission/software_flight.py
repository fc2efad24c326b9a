"""A mission's flight in software: no hall is built and nothing recorded."""

from __future__ import annotations

from typing import Protocol

from proxops.applications.mission.application import MissionApplication
from proxops.applications.mission.flight_loading import let_go, load_flight_software
from proxops.applications.mission.outcome import Outcome
from proxops.applications.mission.run import COMPILING_S
from proxops.applications.mission.seeing import Seeing
from proxops.core.mission import Mission
from proxops.core.vocabulary import MissionEnd


class Onlooker(Protocol):
    """Of a flight in software, cycle by cycle; it changes nothing."""

    def begin(self, seeing: Seeing) -> None:
        """Time to listen to what is said of images."""

    def look(self, application: MissionApplication) -> None: ...


def fly_in_software(
    mission: Mission, seed: int, software: str | None = None, inside: bool = False, onlooker: Onlooker | None = None
) -> Outcome:
    """The flight of ``run.run_mission`` without the hall, bit for bit: no hall is built and nothing is recorded, which makes it
    several times as fast."""
    flown = load_flight_software(software, mission.file, False, inside=inside)
    seeing = Seeing()
    try:
        seeing.open(mission.file, seed, None, 0.0)
        limit_s = None if software else COMPILING_S
        application = MissionApplication(mission, seed, flown, 0.0, limit_s, seeing)
    except BaseException:
        let_go(flown)
        seeing.close()
        raise
    if onlooker:
        onlooker.begin(seeing)
    try:
        while application.outcome.end is MissionEnd.UNDER_WAY:
            application.fly_on()
            if onlooker:
                onlooker.look(application)
    finally:
        application.close()
    return application.outcome
