"""Drives that are led by joint rates which come now and then: the server on the robot's controller (paper 004: KUKA Sunrise
Toolbox, "midpoint Riemann sum").

The mean of a command and the one before leads to a place ahead, over the time between the two; the drives go there in a straight
line within ``hold_s``: a hold of the first order. While commands come in time the arm moves evenly. When they stay away it
arrives and stands, and the next command, which counts for the whole time, makes it hurry after. Changes are limited as a whole
vector.
"""

from __future__ import annotations

import numpy as np

from proxops.arms.model import Floats
from proxops.onboard.dynamic_jacobian_law import limit


class KukaDirectServo:
    """``take`` a command when one comes, ``step`` once a cycle. rad, s."""

    def __init__(self, speed: Floats, acceleration: Floats, hold_s: float) -> None:
        self._speed, self._acceleration, self._hold_s = speed, acceleration, hold_s
        self.ahead: Floats = np.zeros(speed.size)  # of where the drives are by now
        self._before, self._pull = np.zeros(speed.size), np.zeros(speed.size)
        self.rates: Floats = np.zeros(speed.size)
        self._left_s = 0.0

    def take(self, rates: Floats, since_s: float) -> None:
        """``since_s``: the command before, or the begin."""
        self.ahead += 0.5 * since_s * (self._before + rates)
        self._before[:] = rates
        np.divide(self.ahead, self._hold_s, out=self._pull)
        self._left_s = self._hold_s

    def step(self, dt: float) -> Floats:
        """Rates for the next cycle."""
        if self._left_s < 0.5 * dt:
            self._pull[:] = 0.0
        self._left_s -= dt
        limit(self._pull, self._speed, self._acceleration, dt, self.rates)
        self.ahead -= self.rates * dt
        return self.rates
