"""What a grasp is made of, judged before anything moves: craft, gripper, world, gains, and whether the hand gets to the bar."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proxops.applications.grasp.tables import GraspFile, GripperTable
from proxops.applications.grasp.world import GraspWorld
from proxops.arms.dynamics import Dynamics
from proxops.arms.gripper import Gripper, with_gripper
from proxops.arms.model import ArmModel, Floats, load_model
from proxops.core.errors import BadInput
from proxops.core.experiment import Experiment
from proxops.maths.pose import pose
from proxops.maths.quaternion import way_between
from proxops.maths.rotation import matrix_from_rotation_vector, quat_from_matrix
from proxops.onboard.path_preview import Preview, preview
from proxops.onboard.pose_path import PosePath
from proxops.onboard.task_controller import TaskController, TaskGains, check_damping
from proxops.space.gripper_drive import GripperDrive


@dataclass(frozen=True, eq=False)
class GraspSetting:
    """Everything checked, nothing moved."""

    file: GraspFile
    craft: ArmModel  # without the gripper
    armed: ArmModel  # with it: what the flight software believes
    start: Floats  # joints
    world: GraspWorld
    controller: TaskController
    hand: Floats  # (4, 4) grasp frame at the start
    ahead: Preview


def prepared(experiment: Experiment) -> GraspSetting:
    """BadInput for a start inside each other, a way out of reach, gains that are unstable at this rate."""
    file = experiment.file
    assert isinstance(file, GraspFile)
    craft = load_model(experiment.model_path(), file.arm.tool, file.arm.joints)
    gripper = gripper_of(file.gripper)
    armed = with_gripper(craft, gripper)
    start = craft.angles(file.start_deg, "start_deg")
    posture = start if file.posture_deg is None else craft.angles(file.posture_deg, "posture_deg")
    dt = 1.0 / file.rate_hz
    fingers = file.gripper
    drive = GripperDrive(fingers.finger_kg, fingers.opening_m, fingers.speed_m_s, fingers.force_n, dt)
    world = GraspWorld(craft, gripper, drive, file.handle, start, dt, (file.step_s, file.touch_step_s))
    q, dynamics = armed.configuration(start), Dynamics(armed)
    dynamics.update(q, np.zeros(armed.pin.nv))
    hand = pose(np.ascontiguousarray(dynamics.R), dynamics.p)
    ahead = looked_ahead(file, armed, q, hand, posture)
    controller = TaskController(armed, file.law.number, TaskGains.of(file.law), posture, dt)
    check_damping(controller, ahead.inertia)
    return GraspSetting(file, craft, armed, start, world, controller, hand, ahead)


def looked_ahead(file: GraspFile, armed: ArmModel, q: Floats, hand: Floats, posture: Floats) -> Preview:
    """BadInput if the hand cannot get to the bar."""
    try:
        return preview(armed, q, way_of(file, hand), posture)
    except BadInput as reason:
        raise BadInput(
            f"handle: on the way to the bar, {reason.what}", value=reason.value, bound=reason.bound,
            way_out="another start of the arm or the handle, or another time of arrival",
        ) from None  # fmt: skip


def gripper_of(table: GripperTable) -> Gripper:
    return Gripper(
        float(np.radians(table.turn_deg)), table.palm_m, table.palm_kg, table.finger_m, table.finger_kg, table.opening_m,
        table.grasp_m,
    )  # fmt: skip


def way_of(file: GraspFile, hand: Floats) -> PosePath:
    """By way of the stand-off to the bar, as the scenario has its motion: for the look ahead only."""
    times = np.array([0.0, file.timing.stand_off_s, file.timing.arrive_s])
    moves, turns = np.zeros((3, 3)), np.zeros((3, 3))
    for k, behind in ((1, file.approach.stand_off_m), (2, 0.0)):
        T_bar = bar_at(file, float(times[k]))
        moves[k] = T_bar[:3, 3] - behind * T_bar[:3, 2] - hand[:3, 3]
        way_between(quat_from_matrix(hand), quat_from_matrix(T_bar), turns[k])
    return PosePath(hand[:3, 3], hand[:3, :3], times, moves, turns)


def bar_at(file: GraspFile, t: float) -> Floats:
    """T_inertial_bar (4, 4) by steady motion and turn."""
    handle = file.handle
    turn = matrix_from_rotation_vector(t * np.radians(handle.turn_rate_deg_s))
    R = turn @ matrix_from_rotation_vector(np.radians(handle.turn_deg))
    p = np.array(handle.place_m) + t * np.array(handle.speed_m_s) + R @ np.array(handle.bar.place_m)
    return pose(np.ascontiguousarray(R @ handle.bar.R_body_bar), p)
