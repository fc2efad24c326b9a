"""Joint rates from encoder readings: differences through a low-pass of the first order."""

from __future__ import annotations

import math

import numpy as np

from proxops.arms.model import Floats
from proxops.core.joint_table import EncoderTable
from proxops.maths.kernel import kernel
from proxops.maths.low_pass import low_pass_share


class JointRates:
    """``step`` once per reading. A reading that brings no new time changes nothing."""

    def __init__(self, angles: Floats, t: float, cutoff_hz: float = math.inf) -> None:
        """``cutoff_hz``: infinite for plain differences of two readings."""
        self._before, self._t = np.array(angles, float), t
        self._cutoff_hz = cutoff_hz
        self.rates: Floats = np.zeros(self._before.size)

    def step(self, angles: Floats, t: float) -> Floats:
        if t > self._t:
            dt = t - self._t
            put_rates(angles, self._before, dt, low_pass_share(self._cutoff_hz, dt), self.rates)
            self._t = t
        return self.rates


def rates_by(encoder: EncoderTable | None, angles: Floats) -> JointRates | None:
    """By differences as a scenario has them, from the reading ``angles`` at time zero on; None where rates are exact."""
    if encoder is None or encoder.rate == "true":
        return None
    return JointRates(angles, 0.0, encoder.cutoff_hz or math.inf)


@kernel
def put_rates(angles: Floats, before: Floats, dt: float, share: float, rates: Floats) -> None:
    for i in range(angles.shape[0]):
        rates[i] += share * ((angles[i] - before[i]) / dt - rates[i])
        before[i] = angles[i]
