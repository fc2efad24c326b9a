"""The chaser's own instruments: star tracker, gyro, GNSS receiver. White noise and constant biases, drawn once."""

from __future__ import annotations

import math

import numpy as np

from proxops.core.flight import Floats
from proxops.core.mission import Avionics
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

    def read(self, q_eci_chaser: Floats, w: Floats, p: Floats, v: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Attitude (star tracker), rate in the chaser's frame (gyro), position and velocity in eci (GNSS)."""
        noise = self._rng.standard_normal(12)
        off = self.attitude_bias + self.spec.star_tracker_arcsec * ARCSEC * noise[0:3]
        q = np.empty(4)
        put_unit(quat_product(q_eci_chaser, quat_from_rotation_vector(off)), q)
        rate = w + self.rate_bias + self.spec.gyro_deg_h * DEG_PER_H * noise[3:6]
        return q, rate, p + self.spec.gnss_m * noise[6:9], v + self.spec.gnss_m_s * noise[9:12]
