"""Whether what came as a measurement is one: numbers, a rotation, a covariance, of a time that has been."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.flight import Floats, RelativeMeasurement
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import put_unit
from proxops.maths.small_matrix import cholesky
from proxops.onboard.attitude_filter import is_quaternion
from proxops.onboard.relative_model import N_SOURCES

LEAST_PLACE_M: Final = 1e-5  # that a measurement may be told to be uncertain
LEAST_TURN: Final = 1e-6  # rad


def checked(seen: RelativeMeasurement, now: float) -> RelativeMeasurement | None:
    """The measurement with a quaternion of unit norm; None if it is no measurement: no numbers, no rotation, of the future."""
    p, q, unit = seen.p_sensor_target, seen.q_sensor_target, np.empty(4)
    if p.shape != (3,) or q.shape != (4,) or not usable(p, q, unit) or not -math.inf < seen.t <= now + 1e-9:
        return None
    if not 0 <= seen.source < N_SOURCES:
        return None
    told = seen.covariance
    if told is None:
        return RelativeMeasurement(min(seen.t, now), p, unit, None, seen.source)
    covariance = np.empty((6, 6))
    if told.shape != (6, 6) or not put_covariance(told, covariance):
        return None
    return RelativeMeasurement(min(seen.t, now), p, unit, covariance, seen.source)


@kernel
def usable(p: Floats, q: Floats, unit: Floats) -> bool:
    """Whether they are a place and a rotation; ``unit`` := q of unit norm."""
    put_unit(q, unit)
    return math.isfinite(p[0] + p[1] + p[2]) and is_quaternion(q)


@kernel
def put_covariance(told: Floats, out: Floats) -> bool:
    """``out`` := symmetric, by the lower half, a little above what no sensor is better than; whether it is positive definite."""
    for i in range(6):
        for j in range(i + 1):
            out[i, j] = out[j, i] = told[i, j]
        out[i, i] += LEAST_PLACE_M**2 if i < 3 else LEAST_TURN**2
    total = 0.0
    for row in cholesky(out):
        for value in row:
            total += value
    return math.isfinite(total)
