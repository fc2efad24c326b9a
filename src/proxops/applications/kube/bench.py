"""What a run with an arm in the loop is made of, judged before anything moves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from proxops.applications.kube.settling import check_computer, check_gains
from proxops.applications.kube.tables import HardwareLoopFile, PoseTable
from proxops.applications.kube.true_arm import true_arm
from proxops.arms.dynamics import Dynamics
from proxops.arms.held_base import HeldArm
from proxops.arms.model import ArmModel, Floats, load_model
from proxops.arms.reach import reach_m
from proxops.core.errors import BadInput
from proxops.core.experiment import Experiment
from proxops.lab.virtual_iiwa import IiwaTraits, TorqueModel
from proxops.maths.pose import pose
from proxops.maths.rotation import matrix_from_abc, matrix_from_quat, quat_from_matrix
from proxops.onboard.dynamic_jacobian_law import LawSettings
from proxops.safety.braking import braking_time

ROBOT_CYCLE_S: Final = 1e-3
SINGULAR: Final = 1e-3  # least singular value of the dynamic Jacobian at the start, m and rad
RANGE_MARGIN: Final = math.radians(1.0)  # of the guard: twice that of the robot itself, which has no reason to act then
ENCODER_SIGMAS: Final = 12.0  # two readings, six standard deviations each: one in 1e9
LAGS_TO_REST: Final = 20.0  # time constants after which nothing is left of a motion


@dataclass(frozen=True)
class KubeBench:
    """``joints``: at the start, rad. ``goal_p``, ``goal_quat``: of the tool, inertial axes. ``true``: the arm as it is, where
    that is not ``model``."""

    file: HardwareLoopFile
    model: ArmModel
    joints: Floats
    goal_p: Floats
    goal_quat: Floats
    law: LawSettings
    traits: IiwaTraits
    true: ArmModel | None = None

    @property
    def evaluation_s(self) -> float:
        """From one reading that is evaluated to the next."""
        return self.file.computer.time_ms * 1e-3 if self.file.computer else self.period_ns * 1e-9

    @property
    def period_ns(self) -> int:
        """Of the loop."""
        return round(1e9 / self.file.loop.rate_hz)

    @property
    def encoder_error(self) -> float:
        """The most by which two readings of a joint at rest differ, rad."""
        return self.traits.encoder_step + ENCODER_SIGMAS * self.traits.encoder_noise

    @property
    def longest_s(self) -> float:
        """Between two readings: the robot's patience, and two cycles."""
        return self.traits.patience_s + 2e-9 * self.period_ns

    def flange(self, joints: Floats) -> Floats:
        """T_satellite_flange."""
        at = Dynamics(self.model).tool_pose(self.model.configuration(joints))
        return pose(matrix_from_quat(at[3:].copy()), at[:3])

    def torques_held(self) -> TorqueModel:
        """Net joint torques of the arm as it stands in the hall."""
        held, stiff = HeldArm(self.model, np.array(self.file.robot.gravity_m_s2)), self.file.true_arm is None

        def net(angles: Floats, rates: Floats, accelerations: Floats) -> Floats:
            torques = held.torques(angles, rates, accelerations) if stiff else np.zeros(angles.size)
            return torques + held.friction(rates) if self.file.arm.friction else torques

        return net

    @property
    def time_to_rest_s(self) -> float:
        """From full speed."""
        traits = self.traits
        return braking_time(traits.speed, traits.acceleration) + traits.delay_s + LAGS_TO_REST * traits.lag_s


def bench_of(experiment: Experiment) -> KubeBench:
    """Of a scenario, with the models that it names."""
    file = experiment.file
    assert isinstance(file, HardwareLoopFile)
    true = experiment.model_path(file.arm.model_copy(update={"model": file.true_arm.model})) if file.true_arm else None
    return prepare(file, load_model(experiment.model_path(), file.arm.tool, file.arm.joints), true)


def prepare(file: HardwareLoopFile, model: ArmModel, true_model: Path | str | None = None) -> KubeBench:
    """Everything that can be judged before anything moves. ``true_model``: where the true arm's URDF is, if not where it says."""
    joints = model.angles(file.start.joints_deg, "start.joints_deg")
    if len(file.robot.acceleration_rad_s2) != model.n:
        raise BadInput(
            "robot.acceleration_rad_s2: one number for each joint", value=len(file.robot.acceleration_rad_s2),
            bound=str(model.n),
        )  # fmt: skip
    if file.robot.patience_ms < 2e3 / file.loop.rate_hz:
        raise BadInput(
            "robot.patience_ms: less than two cycles of the loop", value=file.robot.patience_ms,
            bound=f"at least {2e3 / file.loop.rate_hz:g} ms",
        )  # fmt: skip
    check_computer(file)
    true = true_arm(file, model, joints, true_model)
    goal_p, goal_quat = pose_of(file.goal)
    _check_reach(model, joints, goal_p)
    _check_start(model, joints)
    acceleration = np.array(file.robot.acceleration_rad_s2)
    law = LawSettings(
        np.array(file.law.position_gain_per_s), np.array(file.law.attitude_gain_per_s), file.law.speed_share * model.speed,
        file.law.acceleration_share * acceleration,
    )  # fmt: skip
    traits = _traits(file, model, acceleration)
    check_gains(file, traits)
    return KubeBench(file, model, joints, goal_p, goal_quat, law, traits, true)


def pose_of(pose: PoseTable) -> tuple[Floats, Floats]:
    """Position, and quaternion with the scalar first."""
    angles = pose.orientation_deg if pose.order == "zyx" else pose.orientation_deg[::-1]
    a, b, c = (math.radians(angle) for angle in angles)
    return np.array(pose.position_m), quat_from_matrix(matrix_from_abc(a, b, c))


def _traits(file: HardwareLoopFile, model: ArmModel, acceleration: Floats) -> IiwaTraits:
    robot = file.robot
    return IiwaTraits(
        model.joints, model.lower, model.upper, model.speed, acceleration, ROBOT_CYCLE_S, robot.lag_ms * 1e-3,
        round(robot.dead_time_ms * 1e-3 / ROBOT_CYCLE_S), robot.patience_ms * 1e-3, robot.encoder_step_urad * 1e-6,
        robot.encoder_noise_urad * 1e-6, robot.torque_noise_Nm, robot.torque_offset_Nm,
    )  # fmt: skip


def _check_reach(model: ArmModel, joints: Floats, goal_p: Floats) -> None:
    """Necessary, not sufficient: the sphere about the centre of mass of the whole, which rests."""
    dynamics = Dynamics(model)
    dynamics.momentum(model.configuration(joints), np.zeros(model.pin.nv))
    away = float(np.linalg.norm(goal_p - np.array(dynamics.data.com[0])))
    reach = reach_m(model)
    if away > reach:
        raise BadInput(
            "goal.position_m: out of reach", value=f"{away:.3f} m from the centre of mass of satellite and arm",
            bound=f"at most {reach:.3f} m", way_out=f"bring it {away - reach:.3f} m nearer",
        )  # fmt: skip


def _check_start(model: ArmModel, joints: Floats) -> None:
    """Near a singularity the inverse is damped; in one there is no way to tell where to go."""
    jacobian = Dynamics(model).update(model.configuration(joints), np.zeros(model.pin.nv)).jacobian
    least = float(np.linalg.svd(jacobian, compute_uv=False)[-1])
    if least < SINGULAR:
        raise BadInput(
            "start.joints_deg: singular, the tool cannot move in every direction", value=f"least singular value {least:.2g}",
            bound=f"at least {SINGULAR:g}", way_out="bend the arm a little",
        )  # fmt: skip
