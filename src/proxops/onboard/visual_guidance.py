"""From sightings of a marker to what the hand should do now: the visual feedback of paper 003 (section 4.4, figure 6).

All in one local frame in which the pose of the base is known without seeing anything: inertial axes where the base's
motion is propagated, the base itself where it is not. A sighting is put where the base was when the image was
exposed, filtered, and the path is planned anew from what is demanded now to the grasp, for the time that is left.
When sightings stay away the hand comes to rest smoothly and waits; what they say is believed only as far as it is
plausible (``marker_track``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proxops.arms.model import Floats
from proxops.core.errors import BadInput
from proxops.maths.pose import compose, pose_from_packed
from proxops.maths.quaternion import rotation_vector
from proxops.maths.rotation import matrix_from_rotation_vector, quat_from_matrix
from proxops.onboard.marker_finder import MarkerSighting
from proxops.onboard.marker_track import MarkerTrack, TrackSettings, TrackVerdict
from proxops.onboard.pose_path import PoseDemand
from proxops.onboard.replanned_path import ReplannedPath

PEAK = 1.875  # of a quintic from rest to rest: peak speed over mean speed


@dataclass(frozen=True)
class Seen:
    """An image that has been worked through; ``sighting``: None if the marker was not found in it."""

    exposed_s: float
    sighting: MarkerSighting | None


@dataclass(frozen=True)
class GuidanceSettings:
    arrive_s: float  # when the hand should be at the grasp
    look_s: float  # between the first sighting and the first motion
    horizon_s: float  # no plan is shorter: what the hand follows a moved goal with in the end
    gap_s: float  # without a sighting that was taken: come to rest
    stop_s: float  # in this time
    speed_m_s: float  # plans whose peak speed would be higher take longer
    turn_rad_s: float
    memory_s: float = 1.0  # how old an image may be

    def __post_init__(self) -> None:
        if not 0.0 < self.gap_s <= self.horizon_s:  # else a plan could be over before anybody notices
            raise BadInput("gap_s", value=self.gap_s, bound=f"above 0, up to horizon_s = {self.horizon_s:g}")


@dataclass
class Tally:
    """Images so far."""

    images: int = 0
    found: int = 0
    taken: int = 0
    refused: int = 0
    restarts: int = 0
    late: int = 0  # older than the memory
    holds: int = 0  # times the hand came to rest for want of sightings


class VisualGuidance:
    """``step`` every cycle. ``p``, ``R``: of the hand at the start, in the local frame."""

    def __init__(
        self, settings: GuidanceSettings, track: TrackSettings, T_base_camera: Floats, T_marker_grasp: Floats, p: Floats,
        R: Floats, dt: float,
    ) -> None:  # fmt: skip
        self.settings, self.track, self.path = settings, MarkerTrack(track), ReplannedPath(p, R)
        self.tally, self.holding = Tally(), False
        self._T_base_camera, self._T_marker_grasp, self._dt = T_base_camera, T_marker_grasp, dt
        self._bases = np.zeros((max(2, round(settings.memory_s / dt)), 4, 4))  # T_local_base of the last cycles
        self._cycle = -1
        self._first_s, self._last_s = np.inf, -np.inf  # when sightings that were taken came in

    def step(self, t: float, T_local_base: Floats, seen: Seen | None) -> PoseDemand:
        """What the hand should do at ``t``, local frame. ``seen``: an image whose result has come in since the last cycle."""
        self._cycle += 1
        self._bases[self._cycle % len(self._bases)] = T_local_base
        if seen is not None and self._take(t, seen):
            self._first_s, self._last_s = min(self._first_s, t), t
            if t - self._first_s >= self.settings.look_s:
                self._plan(t)
                self.holding = False
        elif self.moving and not self.holding and t - self._last_s > self.settings.gap_s:
            self.path.stop(t, self.settings.stop_s)
            self.tally.holds += 1
            self.holding = True
        return self.path.at(t)

    @property
    def moving(self) -> bool:
        """Whether there has been a plan."""
        return self._last_s - self._first_s >= self.settings.look_s

    def marker(self, t: float) -> Floats | None:
        """T_local_marker as it is believed to be."""
        return self.track.at(t)[0] if self.track.known else None

    def _take(self, t: float, seen: Seen) -> bool:
        tally, sighting = self.tally, seen.sighting
        tally.images += 1
        if sighting is None:
            return False
        tally.found += 1
        back = round((t - seen.exposed_s) / self._dt)
        if not 0 <= back < min(len(self._bases), self._cycle + 1):
            tally.late += 1
            return False
        if sighting.ambiguous and not self.track.known:  # which of two tilts to begin with is not left to chance
            tally.refused += 1
            return False
        T_local_camera = compose(self._bases[(self._cycle - back) % len(self._bases)], self._T_base_camera)
        verdict = self.track.see(seen.exposed_s, compose(T_local_camera, pose_from_packed(sighting.T_camera_marker)))
        tally.taken += verdict is not TrackVerdict.REFUSED
        tally.refused += verdict is TrackVerdict.REFUSED
        tally.restarts += verdict is TrackVerdict.RESTARTED
        return verdict is not TrackVerdict.REFUSED

    def _plan(self, t: float) -> None:
        """To where the grasp will be when the hand gets there. Of the marker's turn only its attitude is foreseen along the way,
        and the speed of a point that turns with it."""
        T_local_marker, twist = self.track.at(t)
        T_goal = compose(T_local_marker, self._T_marker_grasp)
        duration = self._duration(t, T_goal)
        speed = twist.copy()
        speed[:3] += np.cross(twist[3:], T_goal[:3, 3] - T_local_marker[:3, 3])
        T_goal[:3, 3] += duration * speed[:3]
        T_goal[:3, :3] = matrix_from_rotation_vector(duration * speed[3:]) @ T_goal[:3, :3]
        self.path.lead(t, T_goal, speed, duration)

    def _duration(self, t: float, T_goal: Floats) -> float:
        s, now, way = self.settings, self.path.at(t), np.zeros(3)
        rotation_vector(quat_from_matrix(np.ascontiguousarray(T_goal[:3, :3] @ now.R.T)), way)
        far = PEAK * max(
            float(np.linalg.norm(T_goal[:3, 3] - now.p)) / s.speed_m_s, float(np.linalg.norm(way)) / s.turn_rad_s
        )
        return max(s.arrive_s - t, s.horizon_s, far)
