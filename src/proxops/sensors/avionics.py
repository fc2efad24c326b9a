"""The chaser's own instruments: star tracker, gyro, GNSS receiver. White noise and constant biases, drawn once."""

from __future__ import annotations

import math

import numpy as np

from proxops.core.flight import Floats
from proxops.core.mission import Avionics
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import put_unit, quat_product
from proxops.maths.rotation import quat_from_rotation_vector

ARCSEC = math.radians(1.0 / 3600.0)
DEG_PER_H = math.radians(1.0) / 3600.0


class AvionicsSuite:
    """Truth in, readings out; errors of attitude and rate in the chaser's frame, of GNSS in eci."""

    def __init__(self, spec: Avionics, rng: np.random.Generator) -> None:
        self.spec = spec
        self.attitude_bias = spec.star_tracker_bias_arcsec * ARCSEC * rng.standard_normal(3)
        self.rate_bias = spec.gyro_bias_deg_h * DEG_PER_H * rng.standard_normal(3)
        self._rng = rng
        self._sigmas = np.array(
            [spec.star_tracker_arcsec * ARCSEC, spec.gyro_deg_h * DEG_PER_H, spec.gnss_m, spec.gnss_m_s]
        )

    def read(self, q_eci_chaser: Floats, w: Floats, p: Floats, v: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Attitude (star tracker), rate in the chaser's frame (gyro), position and velocity in eci (GNSS)."""
        noise = self._rng.standard_normal(12)
        return readings(q_eci_chaser, w, p, v, noise, self._sigmas, self.attitude_bias, self.rate_bias)


@kernel
def readings(
    q_eci_chaser: Floats, w: Floats, p: Floats, v: Floats, noise: Floats, sigmas: Floats, attitude_bias: Floats, rate_bias: Floats
) -> tuple[Floats, Floats, Floats, Floats]:  # fmt: skip
    """Of the truth; ``noise``: twelve numbers in standard deviations."""
    off, rate, place, speed = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for i in range(3):
        off[i] = attitude_bias[i] + sigmas[0] * noise[i]
        rate[i] = w[i] + rate_bias[i] + sigmas[1] * noise[3 + i]
        place[i] = p[i] + sigmas[2] * noise[6 + i]
        speed[i] = v[i] + sigmas[3] * noise[9 + i]
    q = np.empty(4)
    put_unit(quat_product(q_eci_chaser, quat_from_rotation_vector(off)), q)
    return q, rate, place, speed
