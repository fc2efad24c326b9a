"""The drive of a two-fingered gripper: closes or opens at a speed, pulls with a force, keeps the fingers in step.

Coordinates: of each finger half the opening, m. Forces are held over a cycle, as a digital drive holds them.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.arms.model import Floats
from proxops.maths.kernel import kernel

PACE_RAD_S: Final = 150.0  # bandwidth, as far as the cycle allows
PACE_SHARE: Final = 0.25  # of 1/dt at most
SKEW_SHARE: Final = 0.2  # of a finger's force, for what brings the fingers out of step


class GripperDrive:
    """``step`` each cycle. ``speed_m_s`` and ``force_n`` are of each finger."""

    def __init__(self, finger_kg: float, opening_m: float, speed_m_s: float, force_n: float, cycle_s: float) -> None:
        pace = min(PACE_RAD_S, PACE_SHARE / cycle_s)
        self._settings = np.array([finger_kg * pace**2, 2.0 * finger_kg * pace, speed_m_s, force_n])
        self._open = self._target = 0.5 * opening_m
        self._cycle_s, self._push = cycle_s, np.zeros(2)

    @property
    def closing_n(self) -> float:
        """What each finger is pulled with on the average; positive closes."""
        return -0.5 * float(self._push[0] + self._push[1])

    def step(self, place: Floats, speed: Floats, close: bool) -> Floats:
        """(2) forces on the fingers' slides, positive opens; memory is used again."""
        goal = 0.0 if close else self._open
        self._target = finger_forces(place, speed, self._settings, self._target, goal, self._cycle_s, self._push)
        return self._push


@kernel
def finger_forces(
    place: Floats, speed: Floats, drive: Floats, target: float, goal: float, dt: float, out: Floats
) -> float:
    """Forces into ``out``; returns where the drive leads the fingers next.

    ``drive``: stiffness, damping, speed and force of each finger. The target runs to ``goal`` at the drive's speed, never further
    ahead than the force can pull; beyond a closed gripper it runs on until the full force is there. What brings the fingers out
    of step is resisted with a part of that force: enough to centre the bar, not enough to throw it."""
    stiff, damp, pace, most = drive[0], drive[1], drive[2], drive[3]
    mean, mean_speed = 0.5 * (place[0] + place[1]), 0.5 * (speed[0] + speed[1])
    slack, lead = 1.5 * most / stiff, 0.0
    if goal > target:
        target = min(goal, target + pace * dt)
        lead = pace if target < goal else 0.0
    elif goal < target or goal == 0.0:
        target -= pace * dt
        lead = -pace
    target = min(max(target, mean - slack), mean + slack)
    common = stiff * (target - mean) + damp * (lead - mean_speed)
    apart = -0.5 * (stiff * (place[0] - place[1]) + damp * (speed[0] - speed[1]))
    skew = SKEW_SHARE * most
    common, apart = min(max(common, -most), most), min(max(apart, -skew), skew)
    out[0], out[1] = common + apart, common - apart
    return target
