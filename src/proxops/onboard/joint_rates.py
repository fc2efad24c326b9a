"""Joint rates from encoder readings: differences through a low-pass of the first order."""

from __future__ import annotations

import math

import numpy as np

from proxops.arms.model import Floats
from proxops.maths.kernel import kernel


class JointRates:
    """``step`` once per reading. A reading that brings no new time changes nothing."""

    def __init__(self, angles: Floats, t: float, cutoff_hz: float) -> None:
        self._before, self._t = np.array(angles, float), t
        self._decay_per_s = 2.0 * math.pi * cutoff_hz
        self.rates: Floats = np.zeros(self._before.size)

    def step(self, angles: Floats, t: float) -> Floats:
        if t > self._t:
            dt = t - self._t
            put_rates(angles, self._before, dt, 1.0 - math.exp(-self._decay_per_s * dt), self.rates)
            self._t = t
        return self.rates


@kernel
def put_rates(angles: Floats, before: Floats, dt: float, share: float, rates: Floats) -> None:
    for i in range(angles.shape[0]):
        rates[i] += share * ((angles[i] - before[i]) / dt - rates[i])
        before[i] = angles[i]
