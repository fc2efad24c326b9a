"""What all runs of a servo share, judged before the first: craft, station, and the way to the grasp."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proxops.applications.servo.result import INDIRECT
from proxops.applications.servo.run import Station
from proxops.applications.servo.tables import ServoFile
from proxops.arms.dynamics import Dynamics
from proxops.arms.joint_traits import check_joints
from proxops.arms.model import ArmModel, Floats, load_model
from proxops.core.experiment import Experiment
from proxops.maths.pose import pose
from proxops.maths.quaternion import rotation_vector
from proxops.maths.rotation import matrix_from_rotation_vector, quat_from_matrix
from proxops.onboard.path_preview import Preview, preview
from proxops.onboard.pose_path import PosePath
from proxops.onboard.task_controller import TaskController, TaskGains, check_damping
from proxops.onboard.visual_servo import camera_on_base

FACING = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # R_base_marker: upright, facing the robot
LOG_HZ = 100.0


@dataclass(frozen=True, eq=False)
class ServoSetting:
    """What all runs share."""

    file: ServoFile
    craft: ArmModel
    start: Floats  # joints
    posture: Floats
    station: Station
    ahead: Preview

    @property
    def every(self) -> int:
        """Cycles for each row of the log."""
        return max(1, round(self.file.rate_hz / LOG_HZ))

    @property
    def dt(self) -> float:
        return 1.0 / self.file.rate_hz


def prepared(experiment: Experiment) -> ServoSetting:
    """Everything checked before the first run: the way to where the grasp is at the start must be open."""
    file = experiment.file
    assert isinstance(file, ServoFile)
    craft = load_model(experiment.model_path(), file.arm.tool, file.arm.joints)
    check_joints(file.joints, craft, 1.0 / file.rate_hz)
    start = craft.angles(file.start_deg, "start_deg")
    posture = start if file.posture_deg is None else craft.angles(file.posture_deg, "posture_deg")
    station = station_of(file, craft)
    q, way = craft.configuration(start), np.zeros(3)
    hand = hand_at(craft, start)
    goal = station.T_inertial_grasp
    rotation_vector(quat_from_matrix(np.ascontiguousarray(goal[:3, :3] @ hand[:3, :3].T)), way)
    still, end = np.zeros(3), goal[:3, 3] - hand[:3, 3]
    path = PosePath(
        hand[:3, 3],
        hand[:3, :3],
        np.array([0.0, file.guidance.arrive_s]),
        np.array([still, end]),
        np.array([still, way]),
    )
    setting = ServoSetting(file, craft, start, posture, station, preview(craft, q, path, posture))
    for name in names_of(file):
        if name != INDIRECT:
            check_damping(controller_of(setting, name, craft), setting.ahead.inertia, file.joints)
    return setting


def names_of(file: ServoFile) -> list[str]:
    direct = [f"law {row.number}" for row in file.law]
    return direct if file.indirect is None else [*direct, INDIRECT]


def station_of(file: ServoFile, craft: ArmModel) -> Station:
    """Inertial axes: those of the base at the start."""
    turn = matrix_from_rotation_vector(np.radians(file.marker.turn_deg))
    T_inertial_marker = pose(np.ascontiguousarray(turn @ FACING), np.array(file.marker.place_m))
    T_marker_grasp = pose(matrix_from_rotation_vector(np.radians(file.grasp.turn_deg)), np.array(file.grasp.place_m))
    return Station(T_inertial_marker, T_marker_grasp, camera_on_base(craft, file.camera.frame))


def controller_of(setting: ServoSetting, name: str, belief: ArmModel) -> TaskController:
    """Of one of the direct laws."""
    row = next(row for row in setting.file.law if f"law {row.number}" == name)
    return TaskController(belief, row.number, TaskGains.of(row), setting.posture, setting.dt)


def hand_at(model: ArmModel, joints: Floats) -> Floats:
    """T_base_hand (4, 4)."""
    dynamics = Dynamics(model)
    dynamics.update(model.configuration(joints), np.zeros(model.pin.nv))
    return pose(np.ascontiguousarray(dynamics.R), dynamics.p)
