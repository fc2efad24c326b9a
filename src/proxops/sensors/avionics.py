"""The chaser's own instruments: star tracker, gyro, GNSS receiver. White noise and constant biases, drawn once."""

from __future__ import annotations

import math

import numpy as np

from proxops.core.flight import Floats
from proxops.core.sensor_table import Avionics
from proxops.maths.draws import Draws
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import put_unit
from proxops.maths.rotation import exponential
from proxops.maths.triple import composed, quad

ARCSEC = math.radians(1.0 / 3600.0)
DEG_PER_H = math.radians(1.0) / 3600.0
DRAWS = 12  # normal random numbers per reading
READINGS = 13  # attitude (4), rate, position, velocity (3 each)


class AvionicsSuite:
    """Truth in, readings out; errors of attitude and rate in the chaser's frame, of GNSS in eci."""

    def __init__(self, spec: Avionics, rng: np.random.Generator) -> None:
        self.spec = spec
        attitude_bias = spec.star_tracker_bias_arcsec * ARCSEC * rng.standard_normal(3)
        rate_bias = spec.gyro_bias_deg_h * DEG_PER_H * rng.standard_normal(3)
        sigmas = [spec.star_tracker_arcsec * ARCSEC, spec.gyro_deg_h * DEG_PER_H, spec.gnss_m, spec.gnss_m_s]
        self.errors = np.array([*sigmas, *attitude_bias, *rate_bias])
        self.attitude_bias, self.rate_bias = self.errors[4:7], self.errors[7:]
        self.noise = Draws(rng, 0, DRAWS)

    def read(self, q_eci_chaser: Floats, w: Floats, p: Floats, v: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Attitude (star tracker), rate in the chaser's frame (gyro), position and velocity in eci (GNSS)."""
        out = np.empty(READINGS)
        put_readings(q_eci_chaser, w, p, v, self.noise.row(), self.errors, out)
        return out[:4], out[4:7], out[7:10], out[10:]


@kernel
def put_readings(
    q_eci_chaser: Floats, w: Floats, p: Floats, v: Floats, noise: Floats, errors: Floats, out: Floats
) -> None:
    """Of the truth; ``noise``: twelve numbers in standard deviations; ``errors``: four of these, biases of attitude and rate."""
    off = (
        errors[4] + errors[0] * noise[0],
        errors[5] + errors[0] * noise[1],
        errors[6] + errors[0] * noise[2],
    )
    put_unit(composed(quad(q_eci_chaser, 0), exponential(off)), out[0:4])
    for i in range(3):
        out[4 + i] = w[i] + errors[7 + i] + errors[1] * noise[3 + i]
        out[7 + i] = p[i] + errors[2] * noise[6 + i]
        out[10 + i] = v[i] + errors[3] * noise[9 + i]
