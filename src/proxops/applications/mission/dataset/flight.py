"""The flight of a mission in software, as moments that can be pictured."""

from __future__ import annotations

from typing import Final

from proxops.applications.mission.application import MissionApplication
from proxops.applications.mission.flight_loading import load_flight_software
from proxops.applications.mission.run import COMPILING_S
from proxops.applications.mission.true_moment import orbit_moment
from proxops.core.mission import Mission
from proxops.core.vocabulary import MissionEnd
from proxops.sensors.moment import Moment

EVERY_S: Final = 1.0


def moments_of(mission: Mission, seed: int) -> list[Moment]:
    """About one for every second, from the beginning to the end."""
    software = load_flight_software(None, mission.file, False)
    application = MissionApplication(mission, seed, software, limit_s=COMPILING_S)
    found: list[Moment] = []
    try:
        while application.outcome.end is MissionEnd.UNDER_WAY:
            if not found or application.pair.t >= found[-1].t + EVERY_S:
                pair = application.pair
                found.append(Moment(pair.t, orbit_moment(pair, application.relative_pose()), None))
            application.fly_on()
    finally:
        application.close()
    return found
