"""The chaser's own attitude and rate from star tracker and gyro.

Error state: small rotation δθ (chaser's frame) and error δb of the gyro's bias, three components each. The noise is the same
about all axes, so one 2x2 covariance serves all three: with the cycle dt

    δθ' = δθ − dt δb + noise of the gyro,       δb' = δb + drift,       star tracker: z = δθ + white noise

(the turn of δθ with the body within the filter's memory, some seconds, is neglected in the covariance, not in the state).
The star tracker's constant bias cannot be seen from here: relative navigation counts it with the sensor's boresight.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.flight import Floats
from proxops.core.sensor_table import Avionics
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import put_unit, rotation_vector
from proxops.maths.rotation import exponential
from proxops.maths.triple import Triple, composed, inverse, quad, triple

ARCSEC: Final = math.radians(1.0 / 3600.0)
DEG_PER_H: Final = math.radians(1.0) / 3600.0
DRIFT_S: Final = 3600.0  # the gyro's bias is trusted to change by its own size within this time
# A rate that changes during a cycle is integrated by the trapezoid; a thruster's pulse is a step in it at an unknown time.
# Uniform over the cycle, the error is |change| dt/sqrt(12).
STEP_SHARE: Final = 1.0 / math.sqrt(12.0)
UNIT_SLACK: Final = 1e-2  # of a quaternion's norm
BLIND_GYRO: Final = math.radians(0.1)  # rad/s: what the rate may have changed by since the gyro was last read
TRACKED, GYRATED, BOTH = 1, 2, 3  # who was read


class AttitudeFilter:
    """``step`` once per cycle. Readings that are no numbers are left out: without a star tracker the gyro carries on,
    without a gyro the last rate stays. Not ready before the first star tracker's reading."""

    def __init__(self, spec: Avionics) -> None:
        self.ready = False
        self.q_eci_chaser: Floats = np.array([1.0, 0.0, 0.0, 0.0])
        self.w_eci_chaser: Floats = np.zeros(3)  # rad/s, chaser's frame, free of bias
        self.bias: Floats = np.zeros(3)  # rad/s
        self.refused = 0
        # A perfect instrument would make the gains 0/0.
        self._tracker = max(spec.star_tracker_arcsec, 0.01) * ARCSEC
        self._gyro = max(spec.gyro_deg_h, 0.001) * DEG_PER_H
        self._bias = max(spec.gyro_bias_deg_h, 0.001) * DEG_PER_H
        self._covariance = np.array([self._tracker**2, 0.0, self._bias**2])
        self._drift = self._bias**2 / DRIFT_S  # variance of the bias per second
        self._t = 0.0
        self._gyro_read = np.zeros(3)

    @property
    def attitude_sigma(self) -> float:
        """rad, each axis, without the star tracker's constant bias."""
        return math.sqrt(self._covariance[0])

    def step(self, t: float, q_tracker: Floats, w_gyro: Floats) -> None:
        """Readings at ``t`` (s)."""
        read = step(
            self.q_eci_chaser, self.w_eci_chaser, self.bias, self._covariance, self._gyro_read, self.ready, t - self._t,
            self._tracker, self._gyro, self._drift, q_tracker, w_gyro,
        )  # fmt: skip
        self._t = t
        if read != BOTH:
            self.refused += 1 if read else 2
        self.ready = self.ready or read & TRACKED > 0


@kernel
def step(
    q: Floats, w: Floats, bias: Floats, covariance: Floats, gyro_read: Floats, ready: bool, dt: float, sigma: float,
    gyro: float, drift: float, q_tracker: Floats, w_gyro: Floats,
) -> int:  # fmt: skip
    """Predict by the gyro, and take in the star tracker, or begin with it; says who was read. ``w`` := the rate free of bias."""
    tracked, gyrated = is_quaternion(q_tracker), math.isfinite(w_gyro[0] + w_gyro[1] + w_gyro[2])
    now = triple(w_gyro, 0) if gyrated else triple(gyro_read, 0)
    if ready:
        noise = gyro if gyrated else max(gyro, BLIND_GYRO)
        tell(q, bias, covariance, gyro_read, now, dt, noise, drift)
        if tracked:
            correct(q, bias, covariance, q_tracker, sigma)
    elif tracked:
        put_unit(q_tracker, q)
    for i in range(3):
        gyro_read[i] = now[i]
        w[i] = now[i] - bias[i]
    return (TRACKED if tracked else 0) + (GYRATED if gyrated else 0)


@kernel
def is_quaternion(q: Floats) -> bool:
    """Numbers of unit norm, about; NaN is none."""
    return abs(math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1.0) < UNIT_SLACK


@kernel
def tell(
    q: Floats, bias: Floats, covariance: Floats, before: Floats, now: Triple, dt: float, noise: float, drift: float
) -> None:
    """Predict attitude and covariance (δθδθ, δθδb, δbδb) over ``dt`` in place; ``drift``: variance of the bias per second."""
    way = (
        (0.5 * (before[0] + now[0]) - bias[0]) * dt,
        (0.5 * (before[1] + now[1]) - bias[1]) * dt,
        (0.5 * (before[2] + now[2]) - bias[2]) * dt,
    )
    put_unit(composed(quad(q, 0), exponential(way)), q)
    change = math.sqrt((now[0] - before[0]) ** 2 + (now[1] - before[1]) ** 2 + (now[2] - before[2]) ** 2)
    a, c, b = covariance[0], covariance[1], covariance[2]
    covariance[0] = a - 2.0 * dt * c + dt * dt * (b + noise * noise + (STEP_SHARE * change) ** 2)
    covariance[1] = c - dt * b
    covariance[2] = b + drift * dt


@kernel
def correct(q: Floats, bias: Floats, covariance: Floats, q_tracker: Floats, sigma: float) -> None:
    """Take in a star tracker's reading, in place."""
    z = np.empty(3)
    rotation_vector(composed(inverse(quad(q, 0)), quad(q_tracker, 0)), z)
    a, c, b = covariance[0], covariance[1], covariance[2]
    s = a + sigma * sigma
    for i in range(3):
        bias[i] += c / s * z[i]
    put_unit(composed(quad(q, 0), exponential((a / s * z[0], a / s * z[1], a / s * z[2]))), q)
    covariance[0], covariance[1], covariance[2] = a - a * a / s, c - a * c / s, b - c * c / s
