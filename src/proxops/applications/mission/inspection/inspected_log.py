"""What a mission's log holds for an inspection: scans or depth images, and how the craft stood at each.

A log has no readings of star tracker and gyro: they are drawn again, with the errors that the mission's table gives them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.flight import R_CHASER_SENSOR, Floats
from proxops.core.images import CameraImage
from proxops.core.imaging_table import ImagingSensor
from proxops.core.mission import MissionFile, parse_mission
from proxops.core.scenery_table import ORBIT_SUFFIX
from proxops.ground.log import Log
from proxops.maths.pose import compose, inverse_pose, pose, pose_from_packed
from proxops.maths.rotation import matrix_from_quat, quat_from_matrix
from proxops.onboard.vision.inspection.look import InspectionLook
from proxops.sensors.avionics import AvionicsSuite
from proxops.sensors.mount import T_craft_sensor

ATTITUDE = ("qw", "qx", "qy", "qz", "w_x", "w_y", "w_z")
LATE_S = 0.15  # later, and the reading is another's
POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")


@dataclass(frozen=True, eq=False)
class InspectedLog:
    """Looks have the client's frame named as the relative sensor called it then. The rest is for who judges: true pose (7) of
    each look, NaN where it is not known, and true rate in eci axes."""

    file: MissionFile
    seed: int
    sensor: ImagingSensor
    looks: tuple[InspectionLook, ...]
    T_sensor_target: Floats  # (n, 7)
    w_eci_target: Floats  # (n, 3)


def inspected_log(run: Path, name: str = "") -> InspectedLog:
    """``name`` of the sensor; the only one that measures distances unless given. Its orbit's images: in a hall, walls return."""
    path = run / "run.mcap" if run.is_dir() else run
    if not path.is_file():
        raise BadInput("no log of a run", where=str(path), way_out="name the folder of a run, or its log")
    log = Log.open(path)
    if log.metadata.get("mission") != "true":
        raise BadInput("an inspection needs the log of a mission", where=str(path))
    file = parse_mission(log.metadata["scenario_file"], path).file
    sensor, seed = _sensor(file, name, str(path)), int(log.metadata.get("seed", file.seed))
    recorded_as = sensor.name + ORBIT_SUFFIX * (file.scenery.see == "both")
    if file.scenery.see == "hall" or recorded_as not in log.sensors:
        raise BadInput(
            "the log has no images of it in orbit", where=str(path), value=sensor.name,
            way_out='[scenery] see = "orbit", and the sensor\'s log_hz above 0',
        )  # fmt: skip
    t = np.asarray(log.values("mission.t"), np.float64)
    own = _Own(log, t, AvionicsSuite(file.avionics, np.random.default_rng((seed, 31))), T_craft_sensor(sensor)[:3, :3])
    named = None if file.vision.sensors else _Named(log, t, file, sensor)  # poses from images are of a model
    looks, truth = [], []
    for recorded in log.recorded_images(recorded_as):
        image = recorded.image
        assert not isinstance(image, CameraImage)
        looks.append(InspectionLook(image, *own.at(image.t), named.at(image.t) if named else None))
        truth.append(np.full(7, np.nan) if recorded.T_sensor_target is None else recorded.T_sensor_target)
    if not looks:
        raise BadInput(
            "the log has no images of it", where=str(path), value=recorded_as, way_out="log_hz of the sensor"
        )
    rows = np.array([_row(t, look.t) for look in looks])
    return InspectedLog(file, seed, sensor, tuple(looks), np.array(truth), _true_rates(log, rows))


def _sensor(file: MissionFile, name: str, where: str) -> ImagingSensor:
    found = {one.name: one for one in file.imaging if one.gives != "camera" and one.on == "chaser"}
    if name in found or (not name and len(found) == 1):
        return found[name or next(iter(found))]
    raise BadInput(
        "no such LiDAR or time-of-flight camera", where=where, value=name, bound=", ".join(found) or "there is none",
        way_out="--sensor NAME",
    )  # fmt: skip


class _Own:
    """What the chaser's instruments say of it, turned into the sensor's axes."""

    def __init__(self, log: Log, t: Floats, instruments: AvionicsSuite, R_chaser_sensor: Floats) -> None:
        self._t, self._instruments, self._R = t, instruments, R_chaser_sensor
        self._rows = log.table("chaser_attitude", ATTITUDE)

    def at(self, t: float) -> tuple[Floats, Floats]:
        """Attitude (4) and rate (3)."""
        row, none = self._rows[_row(self._t, t)], np.zeros(3)
        q, w, _, _ = self._instruments.read(row[:4].copy(), row[4:].copy(), none, none)
        R = matrix_from_quat(np.ascontiguousarray(q)) @ self._R
        return np.asarray(quat_from_matrix(np.ascontiguousarray(R))), np.asarray(self._R.T @ w)


class _Named:
    """The client's frame by the relative sensor's readings, from where the other sensor sits."""

    def __init__(self, log: Log, t: Floats, file: MissionFile, sensor: ImagingSensor) -> None:
        readings = log.table("measurement", POSE)
        new = np.nonzero((readings[1:] != readings[:-1]).any(axis=1))[0] + 1
        self._taken, self._readings, self._delay = t[new], readings[new], 1e-3 * file.sensor.delay_ms
        T_chaser_measured = pose(R_CHASER_SENSOR, np.array(file.sensor.place_m, np.float64))
        self._T = compose(inverse_pose(T_craft_sensor(sensor)), T_chaser_measured)

    def at(self, t: float) -> Floats | None:
        """(4, 4), by the reading that was exposed then: the first to be taken after its delay."""
        number = int(np.searchsorted(self._taken, t + self._delay))
        if number == len(self._taken) or self._taken[number] > t + self._delay + LATE_S:
            return None
        return np.asarray(compose(self._T, pose_from_packed(self._readings[number].copy())))


def _row(times: Floats, t: float) -> int:
    """The last at that time: before the first cycle of the flight there are rows with nothing in them."""
    return max(int(np.searchsorted(times, t + 1e-6, side="right")) - 1, 0)


def _true_rates(log: Log, rows: NDArray[np.int64]) -> Floats:
    attitude = log.table("target_attitude", ATTITUDE)[rows]
    return np.array([matrix_from_quat(np.ascontiguousarray(row[:4])) @ row[4:] for row in attitude])
