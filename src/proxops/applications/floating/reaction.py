"""How the loop reacts to a push, in recorded cycles: from the detector's crossing over the set-points to the encoders.

What a push has changed is known only beside what would have been without it. So on a crossing the loop plans and follows on for a
moment as if nobody had pushed, from the same state, over as many predicted poses: set-points that are not pushed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from proxops.maths.rotation import Array
from proxops.touch.impulse_detector import Impulse
from proxops.touch.joint_follower import JointFollower
from proxops.touch.joint_plan import JointPlanner

CHANGED_RAD: Final = 1e-6  # without a push both set-points are the same to the bit
MOVED_RAD: Final = 2e-4  # ten times what encoders and drives are off in steady motion
LONGEST: Final = 25  # cycles in which a reaction must show
BEYOND: Final = 4  # cycles after that for the encoders to compare with


@dataclass
class Reaction:
    """One push from the detector's point of view; cycles count from the start of the loop."""

    crossed: int
    rewind: int  # cycles that the physics went back
    changed: int = -1  # first cycle with another set-point than without the push
    shown: int = -1  # first cycle in which it differs by as much as encoders can show
    moved: int = -1  # first cycle in which they do
    impulse: Impulse | None = None
    unpushed: list[Array] = field(default_factory=list)  # set-points without the push, from the crossing on

    def notice(self, cycle: int, setpoint: Array, measured: Array, late: int) -> None:
        """Where the push shows by now. ``late``: cycles from a set-point to the encoders."""
        after = cycle - self.crossed
        if after < len(self.unpushed):
            off = float(np.abs(setpoint - self.unpushed[after]).max())
            if self.changed < 0 and off > CHANGED_RAD:
                self.changed = cycle
            if self.shown < 0 and off > MOVED_RAD:
                self.shown = cycle
        late_ones = self.unpushed[max(after - late, 0) :] if after >= late else []
        if self.shown >= 0 and late_ones and np.abs(measured - late_ones[0]).max() > MOVED_RAD:
            self.moved = cycle

    def over(self, cycle: int, late: int) -> bool:
        return self.moved >= 0 or cycle - self.crossed > LONGEST + late


class Unpushed:
    """A second planner and follower, for the set-points without the newest push."""

    def __init__(self, planner: JointPlanner, follower: JointFollower) -> None:
        self._planner, self._follower = planner, follower
        self._poses, self._reaction = np.zeros((0, 7)), Reaction(-1, 0)
        self._runs = False

    def begin(self, reaction: Reaction, planner: JointPlanner, follower: JointFollower, poses: Array) -> None:
        """From the state before the push. ``poses``: predicted without it, from the time that this cycle's set-point is for."""
        self._planner.go_on_from(planner)
        self._follower.go_on_from(follower)
        self._poses, self._reaction, self._runs = poses.copy(), reaction, True

    def step(self, cycle: int, count: int) -> None:
        """One cycle, with ``count`` predicted poses as the loop had them."""
        r = self._reaction
        if not self._runs:
            return
        after = len(r.unpushed)
        poses = self._poses[after : after + count]
        self._follower.step(self._planner.plan(poses) if len(poses) > self._planner.spacing else None)
        r.unpushed.append(self._follower.joints)
        self._runs = after + 1 < LONGEST and (r.shown < 0 or cycle < r.shown + BEYOND)
