"""Where a marker is and how it drifts, from sightings: a Kalman filter for a pose that moves steadily, and a gate.

Position and attitude, three axes each, share one covariance of value and rate: their noise is taken as the same in
all directions, so two filters of two states do. The attitude's error is a rotation vector in the axes of the frame in
which the marker is tracked.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.maths.pose import pose
from proxops.maths.quaternion import turn, way_between
from proxops.maths.rotation import matrix_from_quat, quat_from_matrix

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TrackSettings:
    """Pairs: position (m) and attitude (rad)."""

    noise: tuple[float, float]  # of one sighting, one standard deviation of each axis
    drift: tuple[float, float]  # m/s, rad/s: of the marker at first, as far as nobody knows
    wander: tuple[float, float]  # m/s2, rad/s2: unknown acceleration between two sightings
    gate: float = 6.0  # standard deviations off what was expected: no sighting of ours
    restart: int = 8  # refused sightings in a row that agree with each other are believed

    def __post_init__(self) -> None:
        for name in ("noise", "drift", "wander"):
            if not all(np.isfinite(value) and value > 0.0 for value in getattr(self, name)):
                raise BadInput(f"marker track: {name}", value=getattr(self, name), bound="two positive numbers")


class TrackVerdict(Enum):
    """What became of a sighting."""

    TAKEN = "taken"
    REFUSED = "refused"
    RESTARTED = "restarted"


class MarkerTrack:
    """``see`` in the order of exposure; ``at`` afterwards. ``known`` once there has been a sighting."""

    def __init__(self, settings: TrackSettings) -> None:
        self.settings = settings
        self.known = False
        self.t = 0.0  # of the last sighting that was taken
        self._p, self._quat = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
        self._rate = np.zeros((2, 3))  # of position and of attitude
        self._P = np.zeros((2, 2, 2))
        self._refused: list[tuple[float, Floats]] = []

    def see(self, t: float, T_frame_marker: Floats) -> TrackVerdict:
        """A sighting of time ``t``, in the frame of tracking."""
        if not self.known:
            self._begin(t, T_frame_marker)
            return TrackVerdict.TAKEN
        way, P = self._off(t, T_frame_marker), self._predicted(t - self.t)
        room = [P[i, 0, 0] + self.settings.noise[i] ** 2 for i in range(2)]
        if self._plausible(way, room):
            self._correct(t, way, P, room)
            self._refused.clear()
            return TrackVerdict.TAKEN
        return self._judge_again(t, T_frame_marker)

    def at(self, t: float) -> tuple[Floats, Floats]:
        """T_frame_marker (4, 4) and its twist (6), linear before angular, in the frame's axes."""
        h = t - self.t
        quat = self._quat.copy()
        turn(quat, h * self._rate[1])
        return pose(matrix_from_quat(quat), self._p + h * self._rate[0]), self._rate.ravel().copy()

    def deviation(self) -> tuple[float, float]:
        """Of position (m) and attitude (rad) of each axis at the last sighting, as the filter believes."""
        return float(np.sqrt(self._P[0, 0, 0])), float(np.sqrt(self._P[1, 0, 0]))

    def _begin(self, t: float, T: Floats) -> None:
        s = self.settings
        self.known, self.t = True, t
        self._p[:], self._quat[:] = T[:3, 3], quat_from_matrix(T)
        self._rate[:] = 0.0
        for i in range(2):
            self._P[i] = np.diag([s.noise[i] ** 2, s.drift[i] ** 2])
        self._refused.clear()

    def _predicted(self, h: float) -> Floats:
        """Covariances ``h`` later: steady motion, with an unknown acceleration that is constant in between."""
        step, push = np.array([[1.0, h], [0.0, 1.0]]), np.array([0.5 * h * h, h])
        return np.array(
            [
                step @ P @ step.T + np.outer(push, push) * w**2
                for P, w in zip(self._P, self.settings.wander, strict=True)
            ]
        )

    def _off(self, t: float, T: Floats) -> Floats:
        """(2, 3) from what is expected to what is seen."""
        expected, _ = self.at(t)
        return _way(expected, T)

    def _plausible(self, way: Floats, room: list[float]) -> bool:
        return all(float(way[i] @ way[i]) <= self.settings.gate**2 * room[i] for i in range(2))

    def _correct(self, t: float, way: Floats, P: Floats, room: list[float]) -> None:
        T, _ = self.at(t)
        self._p[:], self._quat[:] = T[:3, 3], quat_from_matrix(T)
        for i in range(2):
            gain = P[i, :, 0] / room[i]
            if i == 0:
                self._p += gain[0] * way[i]
            else:
                turn(self._quat, gain[0] * way[i])
            self._rate[i] += gain[1] * way[i]
            self._P[i] = P[i] - np.outer(gain, P[i, 0, :])
        self.t = t

    def _judge_again(self, t: float, T: Floats) -> TrackVerdict:
        """A single bad sighting stands alone; when they go on to agree with each other, it is the expectation that was wrong."""
        if self._refused and not self._agree(self._refused[-1], (t, T)):
            self._refused.clear()
        self._refused.append((t, T.copy()))
        if len(self._refused) < self.settings.restart:
            return TrackVerdict.REFUSED
        self._begin(t, T)
        return TrackVerdict.RESTARTED

    def _agree(self, one: tuple[float, Floats], other: tuple[float, Floats]) -> bool:
        h, s = other[0] - one[0], self.settings
        room = [2.0 * s.noise[i] ** 2 + (h * s.drift[i]) ** 2 for i in range(2)]
        return self._plausible(_way(one[1], other[1]), room)


def _way(T_1: Floats, T_2: Floats) -> Floats:
    """(2, 3) move and rotation vector from one pose to another, in the frame's axes."""
    out = np.empty((2, 3))
    out[0] = T_2[:3, 3] - T_1[:3, 3]
    way_between(quat_from_matrix(T_1), quat_from_matrix(T_2), out[1])
    return out
