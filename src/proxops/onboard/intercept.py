"""Where a floating handle will be, and the path of a hand that arrives there with its motion.

The handle is tracked in inertial axes as a body that moves and turns steadily (``marker_track``). The path is planned anew at
every sighting, from what is demanded now to the next of three goals that move with the handle: behind the bar, at the bar with
a small closing speed left, and on a little. Once the hand hides the bar the last estimate is carried on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proxops.arms.model import Floats
from proxops.maths.pose import compose
from proxops.maths.rotation import matrix_from_rotation_vector
from proxops.onboard.marker_track import MarkerTrack, TrackSettings
from proxops.onboard.pose_path import PoseDemand
from proxops.onboard.replanned_path import ReplannedPath


@dataclass(frozen=True, eq=False)
class InterceptSettings:
    """Lengths are along the hand's approach, from the bar at the grasp, positive behind it."""

    T_handle_bar: Floats  # (4, 4) the hand's frame at the grasp, in the handle's
    stand_off_s: float
    arrive_s: float
    stand_off_m: float
    closing_m_s: float
    follow_m: float  # how far the hand comes on beyond the grasp
    look_s: float  # between the first sighting and the first motion
    horizon_s: float  # no plan is shorter
    replan_s: float  # without a sighting


class Intercept:
    """``see`` what was sighted; ``at`` each cycle. ``p``, ``R``: of the hand at the start, inertial axes."""

    def __init__(self, settings: InterceptSettings, track: TrackSettings, p: Floats, R: Floats) -> None:
        self.settings, self.track, self.path = settings, MarkerTrack(track), ReplannedPath(p, R)
        self._first_s, self._due_s = np.inf, np.inf

    def see(self, t: float, T_inertial_handle: Floats) -> None:
        self.track.see(t, T_inertial_handle)
        self._first_s = min(self._first_s, t)
        self._due_s = t

    def ready(self, t: float) -> bool:
        """Whether the handle has been seen for long enough."""
        return t - self._first_s >= self.settings.look_s

    def at(self, t: float) -> PoseDemand:
        """What the hand should do; memory is used again."""
        if self.ready(t) and t >= self._due_s:
            self._plan(t)
            self._due_s = t + self.settings.replan_s
        return self.path.at(t)

    def _plan(self, t: float) -> None:
        s = self.settings
        end = next((goal for goal in (s.stand_off_s, s.arrive_s) if goal - t > s.horizon_s), t + s.horizon_s)
        T_goal, twist = self.goal(end)
        self.path.lead(t, T_goal, twist, end - t)

    def goal(self, t: float) -> tuple[Floats, Floats]:
        """Pose (4, 4) and twist (6) of the hand at ``t``, as the handle is foreseen."""
        T_handle, twist = self.foreseen(t)
        behind, closing = self._behind(t)
        T_goal = compose(T_handle, self.settings.T_handle_bar)
        T_goal[:3, 3] -= behind * T_goal[:3, 2]
        out = twist.copy()
        out[:3] += np.cross(twist[3:], T_goal[:3, 3] - T_handle[:3, 3]) + closing * T_goal[:3, 2]
        return T_goal, out

    def foreseen(self, t: float) -> tuple[Floats, Floats]:
        """Of the handle, from its last sighting on: steady motion of the mass centre, steady turn."""
        T_now, twist = self.track.at(self.track.t)
        later = t - self.track.t
        T_now[:3, 3] += later * twist[:3]
        T_now[:3, :3] = matrix_from_rotation_vector(later * twist[3:]) @ T_now[:3, :3]
        return T_now, twist

    def _behind(self, t: float) -> tuple[float, float]:
        """How far behind the bar the hand should be, and how fast it comes on."""
        s = self.settings
        if t < s.arrive_s - 1e-9:
            return s.stand_off_m, 0.0
        on = s.closing_m_s * (t - s.arrive_s)
        return (-on, s.closing_m_s) if on < s.follow_m else (-s.follow_m, 0.0)
