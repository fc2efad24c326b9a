"""What image processing said in a mission, sensor by sensor, against the truth that the log has beside each answer.

Errors of the place are told along the line of sight to the client's frame and across it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.applications.mission.seen_by import ORBIT_SUFFIX, looked_through, seen_by
from proxops.core.imaging_table import ImagingSensor
from proxops.core.mission import MissionFile
from proxops.core.wrong_pose import is_wrong
from proxops.ground.log import Log
from proxops.ground.recorded import Floats
from proxops.ground.recorded_vision import RecordedPose, poses_of
from proxops.onboard.vision.expectation import difference

FREEDOM: Final = 6
ACROSS, ALONG, ATTITUDE = range(3)
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class VisionRecord:
    """Of one sensor, in the order in which answers came. ``used``: the craft navigates by it, else it is only compared."""

    spec: ImagingSensor
    hall: bool  # it looks at the hall, not into orbit
    used: bool
    answers: tuple[RecordedPose, ...]

    @cached_property
    def t(self) -> Floats:
        """s, of the images."""
        return np.array([one.t for one in self.answers], np.float64)

    @cached_property
    def answered_s(self) -> Floats:
        """s from an image's time to its answer: live by the clock, in lockstep as the scenario says."""
        return np.array([1e-9 * (one.arrived_ns - one.exposed_ns) for one in self.answers], np.float64)

    @cached_property
    def accepted(self) -> Flags:
        return np.array([one.trusted for one in self.answers], bool)

    @cached_property
    def wrong(self) -> Flags:
        """Accepted, and further off than a pose may be."""
        return np.array([one.trusted and _wrong(one) for one in self.answers], bool)

    @cached_property
    def distance_m(self) -> Floats:
        """To the client's frame: truly, or as found where nobody knows; NaN where nothing was found either."""
        known = (one.truth if one.truth is not None else one.T_sensor_target for one in self.answers)
        return np.array([np.nan if T is None else float(np.linalg.norm(T[:3])) for T in known], np.float64)

    @cached_property
    def error(self) -> Floats:
        """(answers, 3) lengths: across and along the line of sight, m; attitude, rad. NaN without a pose or its truth."""
        return np.array([_lengths(one) for one in self.answers], np.float64).reshape(-1, 3)

    @cached_property
    def sigma(self) -> Floats:
        """(answers, 3) that is claimed for these: roots of mean squares of the lengths. NaN without a claim."""
        return np.array([_claims(one) for one in self.answers], np.float64).reshape(-1, 3)

    @cached_property
    def nees(self) -> Floats:
        """(answers) squared error over its covariance: 6 on the mean of a right claim."""
        return np.array([_nees(one) for one in self.answers], np.float64)


def vision_records(log: Log, file: MissionFile, uses_hall: bool) -> tuple[VisionRecord, ...]:
    """Of the sensors that are looked through; those that are only compared stand behind the others."""
    if not file.vision.sensors:
        return ()
    specs = {spec.name: (spec, hall) for spec, hall in seen_by(file, uses_hall)}
    names = [name for name in looked_through(file, uses_hall) if name in specs]
    answers = poses_of(log.path, names)
    used = {spec.name for spec in file.imaging}
    return tuple(VisionRecord(*specs[name], name in used, tuple(answers[name])) for name in names)


def pairs_of(records: tuple[VisionRecord, ...]) -> list[tuple[VisionRecord, VisionRecord]]:
    """Sensors that look at the hall, each with that which looks into orbit beside it."""
    by_name = {record.spec.name: record for record in records}
    return [
        (record, by_name[record.spec.name + ORBIT_SUFFIX])
        for record in records
        if record.used and record.spec.name + ORBIT_SUFFIX in by_name
    ]


def same_instants(one: VisionRecord, other: VisionRecord) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Answers of either to images of the same instants: shutters open together, for as long as each needs."""
    if not len(one.t) or not len(other.t):
        return np.empty(0, np.intp), np.empty(0, np.intp)
    nearest = np.abs(one.t[:, None] - other.t[None, :]).argmin(axis=0)
    close = np.abs(one.t[nearest] - other.t) < 0.25 / one.spec.rate_hz
    return nearest[close], np.flatnonzero(close)


def _wrong(one: RecordedPose) -> bool:
    return one.T_sensor_target is not None and one.truth is not None and is_wrong(one.T_sensor_target, one.truth)


def _off(one: RecordedPose) -> Floats | None:
    """(6) what takes the pose to the truth."""
    if one.T_sensor_target is None or one.truth is None:
        return None
    return difference(one.truth, one.T_sensor_target)


def _lengths(one: RecordedPose) -> tuple[float, float, float]:
    off = _off(one)
    if off is None or one.truth is None:
        return np.nan, np.nan, np.nan
    sight = _sight(one.truth)
    along = float(sight @ off[:3])
    return float(np.linalg.norm(off[:3] - along * sight)), abs(along), float(np.linalg.norm(off[3:]))


def _claims(one: RecordedPose) -> tuple[float, float, float]:
    T = one.T_sensor_target
    if T is None or one.covariance is None:
        return np.nan, np.nan, np.nan
    place, sight = one.covariance[:3, :3], _sight(T)
    along = float(sight @ place @ sight)
    across, turn = float(np.trace(place)) - along, float(np.trace(one.covariance[3:, 3:]))
    across, along, turn = np.sqrt(np.maximum([across, along, turn], 0.0)).tolist()
    return across, along, turn


def _nees(one: RecordedPose) -> float:
    off = _off(one)
    if off is None or one.covariance is None:
        return np.nan
    try:
        return float(off @ np.linalg.solve(one.covariance, off))
    except np.linalg.LinAlgError:
        return np.nan


def _sight(T: Floats) -> Floats:
    distance = float(np.linalg.norm(T[:3]))
    return T[:3] / distance if distance > 0.0 else np.array([0.0, 0.0, 1.0])
