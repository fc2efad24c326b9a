"""The way to one arm that takes joint rates, as the link of a cell.

Such an arm has no position loop: a rate that is held for longer than a cycle leads further than it was meant to, and nothing
leads back. So the link carries along where its rates have led (``standing``) and tells by how much that differs from the
set-points (``drift``), for the guard to judge from the true place. What the encoders say is believed with the way that the joints
go: a share of their difference is forgiven, so that an arm which does not go where it is sent stays noticed, and never more than
the way itself, so that a reading from nowhere leads nowhere.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.lab.links.arm import Arm, ArmLink, Floats
from proxops.maths.kernel import kernel

FORGETTING: Final = 1.0  # rad of way, in which a difference fades to 1/e; one that is larger counts as this


class ArmVelocityLink(ArmLink):
    """A set-point is sent as the rates that lead to it within a cycle of ``cycle_s``."""

    def __init__(self, arm: Arm, patience_cycles: int, cycle_s: float) -> None:
        super().__init__(arm, patience_cycles)
        self._cycle_s, self._longest_s = cycle_s, patience_cycles * cycle_s
        self.standing: Floats = self.measured.angles.copy()
        self._drift = np.zeros_like(self.standing)
        self._rates = np.zeros_like(self.standing)
        self._due_s = 0.0  # that set-points have been sent for since the arm told something new

    def read(self) -> Floats:
        before = self.measured.t
        angles = super().read()
        if self._on:
            elapsed_s = min(self.measured.t - before, self._due_s + self._longest_s)  # an arm's clock may say anything
            carry(self.standing, self._rates, angles, elapsed_s, self._due_s, self._drift)
            if elapsed_s > 0.0:
                self._due_s = 0.0
        else:
            self._drift[:] = 0.0
            if not self.arm.at_rest:
                self.standing[:] = angles
        return angles

    @property
    def drift(self) -> Floats:
        return self._drift

    def _command(self, setpoint: Floats) -> None:
        np.subtract(setpoint, self.standing, out=self._rates)
        self._rates /= self._cycle_s
        self.standing[:] = setpoint
        self._due_s = min(self._due_s + self._cycle_s, self._longest_s)
        self.arm.command(self._rates, self.measured.t)

    def drives_on(self) -> None:
        super().drives_on()
        if self._on:
            self.standing[:], self._rates[:], self._due_s = self.measured.angles, 0.0, 0.0


@kernel
def carry(standing: Floats, rates: Floats, angles: Floats, elapsed_s: float, due_s: float, drift: Floats) -> None:
    """``standing`` := where ``rates`` have led that were held for ``elapsed_s`` instead of ``due_s``; ``drift``: by how much that
    differs. Nothing is known of what is no number."""
    for i in range(standing.shape[0]):
        drift[i] = 0.0
        if elapsed_s > 0.0 and rates[i] != 0.0 and np.isfinite(angles[i]):
            further = rates[i] * (elapsed_s - due_s)
            off = min(max(standing[i] + further - angles[i], -FORGETTING), FORGETTING)
            drift[i] = further - off * (1.0 - np.exp(-abs(rates[i]) * elapsed_s / FORGETTING))
            standing[i] += drift[i]
