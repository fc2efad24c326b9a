"""Poses of sensors that sit elsewhere on the chaser, carried into the frame of the pose sensor and predictions carried back.

The filter knows one sensor's frame, the reference: ``[sensor] place_m``, looking along -x of the chaser. Errors of a pose are
a place and a small rotation on the left, R = Exp(δ) R̂, in the axes of the frame in which it is given. In another one on that body

    p_r = p_r_s + R_r_s p_s,    R_r = R_r_s Exp(δ) R̂_s = Exp(R_r_s δ) R_r_s R̂_s

both turn and nothing else: a rotation on the left is about the target's origin, not about the sensor, so it has no lever.
"""

from __future__ import annotations

import numpy as np

from proxops.core.flight import R_CHASER_SENSOR, Floats
from proxops.core.mounted_table import Mounted
from proxops.core.vision import PosePrediction
from proxops.maths.kernel import kernel
from proxops.maths.pose import compose, inverse_pose, pack_pose, pose, pose_from_packed
from proxops.maths.rotation import matrix_from_rotation_vector
from proxops.maths.small_matrix import product


def T_reference_sensor(spec: Mounted, reference_place_m: Floats) -> Floats:
    """(7) packed: a sensor of the chaser, as its table has it, in the frame of the pose sensor at ``reference_place_m``."""
    turn = matrix_from_rotation_vector(np.radians(np.array(spec.turn_deg, np.float64)))
    place = R_CHASER_SENSOR.T @ (np.array(spec.place_m, np.float64) - reference_place_m)
    out = np.empty(7)
    pack_pose(pose(turn, np.ascontiguousarray(place)), out)
    return out


def in_reference(T_reference_sensor: Floats, T_sensor_target: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    """T_reference_target (7) and its covariance (6, 6), from a pose (7) in the sensor's frame."""
    T, P = np.empty(7), np.empty((6, 6))
    carry(T_reference_sensor, T_sensor_target, covariance, T, P)
    return T, P


def in_sensor(T_reference_sensor: Floats, expected: PosePrediction) -> PosePrediction:
    """A prediction in the reference's frame as the sensor has it. Both sit on one body: the motion against either is the same,
    in other axes."""
    back, T, P, motion = np.empty(7), np.empty(7), np.empty((6, 6)), np.empty(6)
    mount = pose_from_packed(T_reference_sensor)
    pack_pose(inverse_pose(mount), back)
    carry(back, expected.T_sensor_target, expected.covariance, T, P)
    motion[:3], motion[3:] = mount[:3, :3].T @ expected.motion[:3], mount[:3, :3].T @ expected.motion[3:]
    return PosePrediction(T, P, motion)


@kernel
def carry(T_a_b: Floats, T_b_c: Floats, covariance: Floats, T_a_c: Floats, out: Floats) -> None:
    """``T_a_c`` := T_a_b T_b_c, ``out`` := the covariance turned likewise; symmetric to the bit."""
    mount = pose_from_packed(T_a_b)
    pack_pose(compose(mount, pose_from_packed(T_b_c)), T_a_c)
    B = np.zeros((6, 6))
    for i in range(3):
        for j in range(3):
            B[i, j] = B[3 + i, 3 + j] = mount[i, j]
    turned = product(product(B, covariance), B.T)
    for i in range(6):
        for j in range(i + 1):
            out[i, j] = out[j, i] = 0.5 * (turned[i, j] + turned[j, i])
