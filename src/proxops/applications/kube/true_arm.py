"""The arm as it is, where that is not what loop and analysis believe of it: other masses, elastic joints, rotors."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from proxops.applications.kube.tables import HardwareLoopFile, TrueArmTable
from proxops.arms.dynamics import Dynamics
from proxops.arms.held_base import HeldArm
from proxops.arms.model import ArmModel, Floats, load_model
from proxops.core.errors import BadInput
from proxops.lab.elastic_joints import ElasticJoints, ElasticTraits

SAME_M: Final = 1e-4  # by which the flange of the arm and of the true arm may differ
BENT: Final = 0.3  # rad, from the start to other postures in which they are compared


def true_arm(file: HardwareLoopFile, model: ArmModel, joints: Floats, given: Path | str | None) -> ArmModel | None:
    """BadInput unless it is the same arm but for its masses."""
    table = file.true_arm
    if table is None:
        return None
    for name, values in (
        ("stiffness_Nm_rad", table.stiffness_Nm_rad),
        ("rotor_inertia_kg_m2", table.rotor_inertia_kg_m2),
    ):
        if len(values) != model.n:
            raise BadInput(f"true_arm.{name}: one number for each joint", value=len(values), bound=str(model.n))
    true = load_model(given or table.model, file.arm.tool, file.arm.joints)
    if true.joints != model.joints:
        raise BadInput("true_arm.model: other joints", value=", ".join(true.joints), bound=", ".join(model.joints))
    for bent in (joints, joints + BENT, joints - BENT):
        here, there = (Dynamics(each).tool_pose(each.configuration(bent))[:3] for each in (model, true))
        if not (off := float(np.abs(here - there).max())) < SAME_M:
            raise BadInput(
                "true_arm.model: another arm, not only other masses", value=f"its tool is {1e3 * off:.3g} mm off",
                bound=f"{1e3 * SAME_M:g} mm",
            )  # fmt: skip
    return true


def elastic_joints(
    table: TrueArmTable | None, true: ArmModel | None, motors: Floats, gravity: Floats
) -> ElasticJoints | None:
    """At rest at ``motors`` (rad), as the arm stands in the hall; None of an arm that is as believed."""
    if table is None or true is None:
        return None
    stiffness = np.array(table.stiffness_Nm_rad)
    traits = ElasticTraits(
        stiffness,
        table.damping_ms * 1e-3 * stiffness,
        np.array(table.rotor_inertia_kg_m2),
        table.torque_feedback_ms * 1e-3,
    )
    return ElasticJoints(traits, motors, HeldArm(true, gravity).mass_and_bias)
