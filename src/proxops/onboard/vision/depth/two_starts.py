"""Where a fit comes to rest may depend on where it began: with few beams it begins again from the other side.

What one beam meets changes in steps as the model turns, so that there are several places of rest. Of two, the one that beams fit
better is taken, and the way between them goes into the covariance: P + ½ d dᵀ.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.maths.pose_change import pose_change
from proxops.maths.rotation import Array, matrix_from_rotation_vector, quat_from_matrix
from proxops.onboard.vision.depth.beams import Beams
from proxops.onboard.vision.depth.client_model import ClientModel
from proxops.onboard.vision.depth.covariance import covariance_of
from proxops.onboard.vision.depth.distance_noise import DistanceNoise
from proxops.onboard.vision.depth.icp import Icp, icp, misfits

FEW: Final = 800  # beams; with more there is one place of rest
LEAST_TURN: Final = math.radians(1.0)  # of the second start
AGAIN_M: Final = 0.01  # by which it is off at the client's surface


def begun_twice(
    model: ClientModel, beams: Beams, noise: DistanceNoise, T_sensor_target: Array, wide_m: float, motion: Array
) -> tuple[Icp, Array]:
    """As ``icp``, and its covariance."""
    one = icp(model, beams, noise, T_sensor_target, wide_m, motion)
    if len(one.beams) > FEW or not np.isfinite(one.p).all():
        return one, covariance_of(one)
    other = icp(model, one.beams, noise, _other_side(one, T_sensor_target), AGAIN_M, motion)
    if not np.isfinite(other.p).all():
        return one, covariance_of(one)
    off = [float(np.nansum(misfits(model, one.beams, noise, found, motion))) for found in (one, other)]
    way = pose_change(one.T_sensor_target, other.T_sensor_target)
    better = one if off[0] <= off[1] else other
    return better, covariance_of(better) + 0.5 * np.outer(way, way)


def _other_side(found: Icp, T_begun: Array) -> Array:
    """As far off again, in the other direction; turned by some at least."""
    turn = pose_change(T_begun, found.T_sensor_target)[3:]
    angle = float(np.linalg.norm(turn))
    if angle < LEAST_TURN:
        turn = turn * (LEAST_TURN / angle) if angle > 1e-6 else np.array([LEAST_TURN, 0.0, 0.0])
    R = matrix_from_rotation_vector(np.ascontiguousarray(turn)) @ found.R
    return np.concatenate([found.p, quat_from_matrix(R)])
