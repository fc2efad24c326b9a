"""The motion that a mission asks of the hall, before it is flown there: for ``proxops check``."""

from __future__ import annotations

import numpy as np

from proxops.applications.mission.application import MissionApplication
from proxops.applications.mission.flight_loading import own_flight_software
from proxops.applications.mission.run import COMPILING_S
from proxops.core.messages import PERIOD_S
from proxops.core.mission import Mission
from proxops.core.vocabulary import MissionEnd, MissionPhase
from proxops.facility.feasibility.asked import along_chords
from proxops.facility.feasibility.motion import Flags, Floats, MotionPart
from proxops.maths.quaternion import quat_inverse, turned


class FlownMotion:
    """The motion of a mission as it is flown in software, without the hall; its parts are the flight software's phases."""

    def __init__(self, mission: Mission) -> None:
        self.name, self.source = mission.name, str(mission.source)
        application = MissionApplication(
            mission, mission.file.seed, own_flight_software(mission.file), 0.0, COMPILING_S
        )
        poses, phases = [application.relative_pose()], [(0.0, MissionPhase.NONE)]
        suns = [_sun_of(application)]
        while application.outcome.end is MissionEnd.UNDER_WAY:
            application.advance(len(poses) * PERIOD_S, None)
            pose = application.relative_pose()
            poses.append(-pose if np.dot(pose[3:], poses[-1][3:]) < 0.0 else pose)
            poses[-1][:3] = pose[:3]
            suns.append(_sun_of(application))
            if application.outcome.phase is not phases[-1][1]:
                phases.append((application.pair.t, application.outcome.phase))
        application.close()
        self._pose, self._sun, self.duration_s = np.array(poses), np.array(suns), application.pair.t
        ends = [*(start for start, _ in phases[1:]), self.duration_s]
        self.parts = tuple(
            MotionPart(i, phase.name.lower(), phase.name.lower().replace("_", " "), start, end)
            for i, ((start, phase), end) in enumerate(zip(phases, ends, strict=True), 1)
        )

    def at(self, t: Floats) -> tuple[Floats, Flags, Floats]:
        pose, sending, _ = along_chords(self._pose, t)
        return pose, sending, self._sun[np.clip(np.round(t / PERIOD_S).astype(np.int64), 0, len(self._sun) - 1)]


def _sun_of(application: MissionApplication) -> Floats:
    """Towards the sun, in the chaser's frame."""
    pair = application.pair
    return turned(quat_inverse(pair.chaser_state[0]), pair.sun_direction)
