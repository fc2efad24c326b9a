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
from proxops.core.mission import Avionics
from proxops.maths.finite import all_finite
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import put_unit, rotation_vector
from proxops.maths.rotation import exponential
from proxops.maths.triple import composed, inverse, quad

ARCSEC: Final = math.radians(1.0 / 3600.0)
DEG_PER_H: Final = math.radians(1.0) / 3600.0
DRIFT_S: Final = 3600.0  # the gyro's bias is trusted to change by its own size within this time
# A rate that changes during a cycle is integrated by the trapezoid; a thruster's pulse is a step in it at an unknown time.
# Uniform over the cycle, the error is |change| dt/sqrt(12).
STEP_SHARE: Final = 1.0 / math.sqrt(12.0)
UNIT_SLACK: Final = 1e-2  # of a quaternion's norm


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
        self._t = 0.0
        self._gyro_read = np.zeros(3)

    @property
    def attitude_sigma(self) -> float:
        """rad, each axis, without the star tracker's constant bias."""
        return math.sqrt(self._covariance[0])

    def step(self, t: float, q_tracker: Floats, w_gyro: Floats) -> None:
        """Readings at ``t`` (s)."""
        tracked, gyrated = _is_quaternion(q_tracker), all_finite(w_gyro)
        self.refused += (not tracked) + (not gyrated)
        before = self._gyro_read
        now = w_gyro if gyrated else before
        if self.ready:
            noise = self._gyro if gyrated else max(self._gyro, math.radians(0.1))
            drift = self._bias**2 / DRIFT_S
            step(
                self.q_eci_chaser, self.bias, self._covariance, before, now, t - self._t, noise, drift, q_tracker, tracked,
                self._tracker,
            )  # fmt: skip
        elif tracked:
            put_unit(q_tracker, self.q_eci_chaser)
            self.ready = True
        self._t, self._gyro_read = t, np.array(now)
        self.w_eci_chaser = now - self.bias


def _is_quaternion(q: Floats) -> bool:
    return all_finite(q) and abs(math.sqrt(float(q @ q)) - 1.0) < UNIT_SLACK


@kernel
def step(
    q: Floats, bias: Floats, covariance: Floats, before: Floats, now: Floats, dt: float, noise: float, drift: float,
    q_tracker: Floats, tracked: bool, sigma: float,
) -> None:  # fmt: skip
    """Predict by the gyro, and take in the star tracker if it has ``tracked``: one call in a cycle."""
    tell(q, bias, covariance, before, now, dt, noise, drift)
    if tracked:
        correct(q, bias, covariance, q_tracker, sigma)


@kernel
def tell(
    q: Floats, bias: Floats, covariance: Floats, before: Floats, now: Floats, dt: float, noise: float, drift: float
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
