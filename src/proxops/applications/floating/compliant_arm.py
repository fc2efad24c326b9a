"""What FZI's arm has that a stiff one with a sensor at its flange has not: it gives way, and it feels by its joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.applications.floating.tables import FloatFile
from proxops.arms.model import ArmModel
from proxops.arms.model_error import mistaken
from proxops.core.errors import BadInput
from proxops.maths.rotation import Array
from proxops.touch.joint_impedance import JointImpedance
from proxops.touch.joint_torque_force import FlangeJacobian, JointTorqueForce, noise_of_wrench
from proxops.touch.tool_load import GRAVITY, true_load

BELIEVABLE: Final = 0.7  # of the noise that the joints make: less than this a detector must not believe


def judge_joint_torques(file: FloatFile, model: ArmModel, joints: Array) -> None:
    """The detector believes ``sensor.noise_N``: it must not be less than the joints make of theirs."""
    if file.joint_torques is None:
        return
    force, torque = noise_of_wrench(FlangeJacobian(model).at(joints), file.joint_torques.noise_Nm)
    believed = (("noise_N", file.sensor.noise_N, force, "N"), ("noise_Nm", file.sensor.noise_Nm, torque, "N m"))
    for key, value, made, unit in believed:
        if value < BELIEVABLE * made:
            raise BadInput(
                f"sensor.{key}: less than joint_torques.noise_Nm makes at hand.start_deg", value=f"{value:g} {unit}",
                bound=f"{made:.3g} {unit} or more", way_out="state it, or a posture farther from the singular ones",
            )  # fmt: skip


@dataclass(frozen=True, eq=False)
class TouchedArm:
    """``hung``: parameters of the load as it truly is. ``impedance``: how the arm gives way, if it does; ``joints``: by which it
    feels, if not at its flange."""

    hung: Array
    impedance: JointImpedance | None
    joints: JointTorqueForce | None

    def reading(
        self, joints: Array, rates: Array, accelerations: Array, believed: Array, own: Array, hand: Array | None
    ) -> Array:  # fmt: skip
        """(6) On the sensor, before its own errors: the load's ``own`` wrench and that of a hand, if there is one, flange's axes.
        ``believed``: accelerations that were commanded. From now on the arm gives way to the hand. It may be ``own`` itself."""
        if self.impedance is not None:
            self.impedance.wrench[:] = 0.0 if hand is None else hand
        both = own if hand is None else own + hand
        if self.joints is None:
            return both
        return self.joints.read(joints, rates, accelerations, believed, both)


def touched_arm(
    file: FloatFile, model: ArmModel, T_world_base: Array, load: np.random.Generator, joints: np.random.Generator
) -> TouchedArm:
    """As it truly is: what hangs on it, from ``load``; its links and the sensors in its joints, from ``joints``."""
    hung, table = true_load(file.mock_up, load), file.impedance
    feels = _joint_torques(file, model, T_world_base, joints)
    if table is None:
        return TouchedArm(hung, None, feels)
    stiffness = np.broadcast_to(np.array(table.stiffness_Nm_rad), (model.n,)).copy()
    return TouchedArm(hung, JointImpedance(model, hung, stiffness, table.damping_ratio), feels)


def _joint_torques(
    file: FloatFile, model: ArmModel, T_world_base: Array, rng: np.random.Generator
) -> JointTorqueForce | None:
    table = file.joint_torques
    if table is None:
        return None
    true = mistaken(model, table.model_error, rng)
    offset = table.offset_Nm * rng.uniform(-1.0, 1.0, model.n)
    return JointTorqueForce(model, true, T_world_base[:3, :3].T @ GRAVITY, offset, table.noise_Nm, rng)
