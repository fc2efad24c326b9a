"""A model read from a URDF as an arm with spherical shoulder, elbow and spherical wrist: lengths and signs are measured
on it."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.arms.model import FREE_FLYER, ArmModel
from proxops.core.errors import BadInput
from proxops.lab.redundant_arm import N_JOINTS, SrsArm
from proxops.maths.rotation import Array

ALLOWED_M: Final = 1e-9  # and of a unit vector: rounding of a URDF's angles
FORM: Final = "seven joints about z, y, z, y, z, y, z of the base on one upright line, 1-3 and 5-7 meeting in a point"


def srs_arm(model: ArmModel, acceleration: Array, jerk: Array, base: str = "base") -> SrsArm:
    """``base``: frame of the arm's foot. Acceleration rad/s2 and jerk rad/s3, one for each joint: no URDF has them."""
    for what, values in (("acceleration", acceleration), ("jerk", jerk)):
        if np.shape(values) != (model.n,) or not (np.isfinite(values) & (np.asarray(values) > 0.0)).all():
            raise BadInput(f"{what} of the arm's joints", value=list(values), bound=f"{model.n} numbers above 0")
    axes, places, T_base_flange = _at_zero(model, base)
    _check_form(model, axes, places, T_base_flange)
    signs = np.array([axes[k, 2 if k % 2 == 0 else 1] for k in range(N_JOINTS)]).round()
    shoulder, elbow, wrist, flange = places[1, 2], places[3, 2], places[5, 2], T_base_flange[2, 3]
    lengths = np.array([shoulder, elbow - shoulder, wrist - elbow, flange - wrist])
    return SrsArm(
        model.joints,
        lengths,
        signs,
        model.lower,
        model.upper,
        model.speed,
        np.array(acceleration, float),
        np.array(jerk, float),
    )


def _at_zero(model: ArmModel, base: str) -> tuple[Array, Array, Array]:
    """Axes (n, 3), places (n, 3) of the joints and T_base_flange, in axes of the arm's foot."""
    import pinocchio

    if not model.pin.existFrame(base):
        raise BadInput("no such frame of the arm's foot", where=str(model.source), value=base)
    data = model.pin.createData()
    pinocchio.framesForwardKinematics(model.pin, data, model.configuration(np.zeros(model.n)))
    T_base_world = data.oMf[model.pin.getFrameId(base)].inverse()
    J = pinocchio.computeJointJacobians(model.pin, data, model.configuration(np.zeros(model.n)))
    axes = (T_base_world.rotation @ J[3:, 6:]).T
    places = np.array([(T_base_world * data.oMi[FREE_FLYER + 1 + k]).translation for k in range(model.n)])
    return axes, places, (T_base_world * data.oMf[model.tool_id]).homogeneous


def _check_form(model: ArmModel, axes: Array, places: Array, T_base_flange: Array) -> None:
    """BadInput unless the model has this form."""
    good = model.n == N_JOINTS
    for k in range(model.n if good else 0):
        along = np.eye(3)[2 if k % 2 == 0 else 1]
        good = good and math.isclose(abs(float(axes[k] @ along)), 1.0, abs_tol=ALLOWED_M)
        good = good and float(np.abs(places[k, :2]).max()) < ALLOWED_M
    if good:
        upright = np.eye(4)
        upright[2, 3] = T_base_flange[2, 3]
        good = bool(np.abs(T_base_flange - upright).max() < ALLOWED_M)
        good = good and bool(0.0 < places[1, 2] < places[3, 2] < places[5, 2] < T_base_flange[2, 3])
    if not good:
        raise BadInput("the arm is not of the form that has a closed solution", where=str(model.source), bound=FORM)
