"""A motion with the roles exchanged: what ``proxops check`` examines when the chaser is on robot 2."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.bridge.roles import exchange_pose
from proxops.facility.feasibility.motion import Asked, Flags, Floats
from proxops.maths.rotation import matrix_from_quat

HALF_TURN: Final = np.array([-1.0, -1.0, 1.0])  # about z


class ExchangedMotion:
    """Another motion, with the chaser on robot 2 (``bridge.roles``): what port 1 shows, and where it sees the sun."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self.name, self.source, self.duration_s, self.parts = asked.name, asked.source, asked.duration_s, asked.parts

    def at(self, t: Floats) -> tuple[Floats, Flags, Floats]:
        poses, sending, suns = self._asked.at(t)
        for k, T_target_chaser in enumerate(poses.copy()):
            suns[k] = HALF_TURN * (matrix_from_quat(T_target_chaser[3:]) @ suns[k])
            exchange_pose(T_target_chaser, poses[k])
        return poses, sending, suns
