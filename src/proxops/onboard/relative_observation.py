"""What the relative sensor should see, how that depends on the filter's state, and how noisy it is.

With h the target's origin and ḣ its rate in the sensor's frame, Ω the client's rate against the sensor, τ the error of the
time stamp, β the boresight, b and c the biases of position and attitude, s the share by which ranges are too great:

    p = (1 + s) Exp(β) (h + τ ḣ) + b,      R_sensor_target = Exp(β + c + τ Ω) R̂_sensor_target(λ)

where R̂_sensor_target(λ) is the attitude a known time λ after the stamp: Exp(−λ ω_sensor) R̂_sensor_target Exp(λ ω_target).
"""

from __future__ import annotations

import math

import numpy as np

from proxops.core.flight import Floats
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import cross, length, quat_inverse, quat_product, rotation_vector
from proxops.maths.rotation import (
    matrix_from_quat,
    matrix_from_rotation_vector,
    quat_from_matrix,
    quat_from_rotation_vector,
)
from proxops.maths.small_matrix import applied, product, skew
from proxops.onboard.relative_model import (
    ATTITUDE,
    BIAS,
    BORESIGHT,
    CENTRE,
    CLOCK,
    E_Q,
    E_SLOW,
    E_V,
    E_W,
    N_ERROR,
    SHARE,
    SLOW,
    Q,
    RelativeModel,
    W,
)

_BETA, _B, _C, _TAU, _CENTRE = SLOW + BORESIGHT, SLOW + BIAS, SLOW + ATTITUDE, SLOW + CLOCK, SLOW + CENTRE


@kernel
def sight(
    x: Floats, q_eci_chaser: Floats, w_eci_chaser: Floats, model: RelativeModel
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """h, ḣ and Ω (sensor's frame), R_sensor_eci and R_sensor_target, all without the slow errors."""
    R_sensor_eci = product(model.R_sensor_chaser, matrix_from_quat(q_eci_chaser).T)
    R_sensor_target = product(R_sensor_eci, matrix_from_quat(x[Q : Q + 4]))
    w_target, w_sensor = x[W : W + 3], applied(model.R_sensor_chaser, w_eci_chaser)
    centre = model.target_mass_centre + x[_CENTRE : _CENTRE + 3]
    # The target's origin from the chaser's centre of mass, and its rate as seen from inertial axes.
    way = -applied(R_sensor_target, centre) - applied(R_sensor_eci, x[0:3])
    rate = -applied(R_sensor_target, cross(w_target, centre)) - applied(R_sensor_eci, x[E_V : E_V + 3])
    rate -= cross(w_sensor, way)
    return way - model.sensor_place, rate, applied(R_sensor_target, w_target) - w_sensor, R_sensor_eci, R_sensor_target


@kernel
def observe(
    x: Floats, q_eci_chaser: Floats, w_eci_chaser: Floats, model: RelativeModel
) -> tuple[Floats, Floats, Floats]:
    """Expected p_sensor_target and q_sensor_target, and how they change with the error state (6, 35): rows position, then
    the small rotation in the sensor's frame on the left of the quaternion."""
    h, rate, turn, R_se, R_st = sight(x, q_eci_chaser, w_eci_chaser, model)
    tau, lead, w_target = x[_TAU], model.attitude_lead_s, x[W : W + 3]
    share = 1.0 + x[SLOW + SHARE]
    E = share * matrix_from_rotation_vector(x[_BETA : _BETA + 3])
    p = applied(E, h + tau * rate)
    # R_st a little later, but for the client's own turn, in which an error of its attitude keeps its components.
    R_later = product(matrix_from_rotation_vector(-lead * applied(model.R_sensor_chaser, w_eci_chaser)), R_st)
    q_later = quat_product(quat_from_matrix(R_later), quat_from_rotation_vector(lead * w_target))
    q = quat_product(quat_from_rotation_vector(x[_BETA : _BETA + 3] + x[_C : _C + 3] + tau * turn), q_later)
    H = np.zeros((6, N_ERROR))
    E_R_se = product(E, R_se)
    E_R_st = product(E, R_st)
    arm = product(E_R_st, skew(model.target_mass_centre + x[_CENTRE : _CENTRE + 3]))
    H[0:3, 0:3] = -E_R_se
    H[0:3, E_V : E_V + 3] = -tau * E_R_se
    H[0:3, E_Q : E_Q + 3] = arm
    H[0:3, E_W : E_W + 3] = tau * arm
    H[3:6, E_Q : E_Q + 3] = R_later
    H[3:6, E_W : E_W + 3] = (tau + lead) * R_later + 0.5 * lead * lead * product(R_later, skew(w_target))
    H[0:3, E_SLOW + CENTRE : E_SLOW + CENTRE + 3] = -E_R_st
    H[0:3, E_SLOW + BORESIGHT : E_SLOW + BORESIGHT + 3] = -skew(p)
    H[0:3, E_SLOW + SHARE] = p / share
    H[0:3, E_SLOW + CLOCK] = applied(E, rate)
    H[3:6, E_SLOW + CLOCK] = turn
    for i in range(3):
        H[i, E_SLOW + BIAS + i] = 1.0
        H[3 + i, E_SLOW + BORESIGHT + i] = 1.0
        H[3 + i, E_SLOW + ATTITUDE + i] = 1.0
    return p + x[_B : _B + 3], q, H


@kernel
def residual(p: Floats, q: Floats, p_expected: Floats, q_expected: Floats) -> Floats:
    """(6) measured less expected."""
    z = np.empty(6)
    z[0:3] = p - p_expected
    rotation_vector(quat_product(q, quat_inverse(q_expected)), z[3:6])
    return z


@kernel
def noise(p: Floats, model: RelativeModel) -> Floats:
    """(6, 6) of the white noise when the target is at ``p``: along and across the line of sight, attitude."""
    d = length(p)
    floor = model.floor_m**2
    across = (model.across_share * d) ** 2 + floor
    along = (model.along_share * d) ** 2 + floor
    attitude = model.attitude_rad**2 + (model.attitude_per_m * d) ** 2
    R = np.zeros((6, 6))
    for i in range(3):
        for j in range(3):
            R[i, j] = (along - across) * p[i] * p[j] / max(d * d, 1e-12)
        R[i, i] += across
        R[3 + i, 3 + i] = attitude
    return R


@kernel
def placed(x: Floats, p: Floats, q: Floats, q_eci_chaser: Floats, model: RelativeModel) -> None:
    """Position and attitude in ``x`` := those that put the target where it was measured, slow errors being zero."""
    q_eci_sensor = quat_product(q_eci_chaser, quat_inverse(quat_from_matrix(model.R_sensor_chaser)))
    q_eci_target = quat_product(q_eci_sensor, q)
    way = applied(matrix_from_quat(q_eci_sensor), p + model.sensor_place)
    x[0:3] = -way - applied(matrix_from_quat(q_eci_target), model.target_mass_centre)
    norm = math.sqrt(np.sum(q_eci_target * q_eci_target))
    x[Q : Q + 4] = q_eci_target / norm
