"""What acts on a tool from outside, and whether it is too much: the residual (reading less load) less a zero that is known.

The zero is the mean of a moment in which nobody touches. From then on it follows what the sensor can drift, and only while
nobody has pushed for a while and noise, or what can have drifted since, explains the reading. It is not the line that a push
detector draws through the past: that one learns whatever lasts, and a hand that leans on the tool would be gone from it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.core.force_source import AXES, UNITS, Floats
from proxops.core.messages import PERIOD_S
from proxops.maths.kernel import kernel
from proxops.touch.force_limits import ForceLimits, LoadVerdict
from proxops.touch.zeroing import Zeroing

DRIFT_MARGIN: Final = 1.5  # times the stated drift that is followed
CALM_S: Final = 0.5  # without a push, until the zero is followed again
NOISE_SIGMAS: Final = 5.0  # within them a reading is on the zero
BACK: Final = 10.0  # readings off the zero that one on it outweighs: not all at once, noise brings single ones there
UNEXPLAINED: Final = 0.1  # share of a limit by which the first zero may be beyond the stated offset


class OutsideForce:
    """``offset`` and ``drift`` (6): the largest that the sensor is stated to have, N, N m and per second. ``noise`` (6): one
    sigma."""

    def __init__(
        self, limits: ForceLimits, offset: Floats, drift: Floats, noise: Floats, period_s: float = PERIOD_S
    ) -> None:
        self._limits, self._offset = limits, np.array(offset, float)
        self._allowed = self._offset + UNEXPLAINED * np.repeat([limits.stop_n, limits.stop_nm], 3)
        most_rate = DRIFT_MARGIN * np.array(drift, float)
        self._zero = Zeroing(np.zeros(6), period_s, most_rate=most_rate)
        # Where a reading is on the zero, what it drifts in a cycle and, at most, since readings were there.
        self._drift = NOISE_SIGMAS * np.array(noise, float), most_rate * period_s, np.zeros(6)
        self._calm, self._quiet = round(CALM_S / period_s), 0
        self.known = False  # the zero
        self.wrench = np.zeros(6)  # from outside; before the zero is known, what no stated offset explains

    @property
    def zero(self) -> Floats:
        """(6) N and N m."""
        return self._zero.bias

    def step(self, residual: Floats, quiet: bool) -> LoadVerdict:
        """One reading. ``quiet``: nobody pushes, as far as can be told."""
        self._quiet = self._quiet + 1 if quiet else 0
        if self.known:
            explained = follow_drift(residual, self._zero.bias, *self._drift)
            self.wrench = self._zero.step(residual, explained and self._quiet > self._calm)
        else:
            self._zero.step(residual, quiet)
            self.wrench = np.copysign(np.maximum(np.abs(residual) - self._offset, 0.0), residual)
        return self._limits.judge(self.wrench)

    def settle(self) -> str:
        """Take the zero from the last readings; what stands against it, or an empty text."""
        if not self._zero.ready:
            return "no zero: the module was touched while it was being taken"
        self._zero.rezero()
        beyond = np.abs(self._zero.bias) / self._allowed
        axis = int(np.argmax(beyond))
        if not beyond[axis] <= 1.0:
            at, most, unit = self._zero.bias[axis], self._allowed[axis], UNITS[axis]
            return (
                f"no zero: {AXES[axis]} is {at:.3g} {unit} with nobody touching, believed at most {most:.3g} {unit}: "
                "let go of the module, or state the sensor's offset and the mock-up's mass as they are"
            )
        self.known = True
        return ""


@kernel
def follow_drift(residual: Floats, zero: Floats, near: Floats, step: Floats, drifted: Floats) -> bool:
    """``drifted`` grows by a reading's ``step`` off the zero and shrinks on it; is every axis within that and the noise?"""
    explained = True
    for i in range(residual.shape[0]):
        off = abs(residual[i] - zero[i])
        change = -BACK * step[i] if off <= near[i] else step[i]
        drifted[i] = max(drifted[i] + change, 0.0)
        explained = explained and off <= near[i] + drifted[i]
    return explained
