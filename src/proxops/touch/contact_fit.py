"""What the hardware's contact is like, found while it is being touched: stiffness, damping, contact point, exponent.

Samples are (position, rate, force) along the normal at the moment of the force's time stamp. The law of
``space/contact_law.py`` is fitted to all of a contact by Gauss-Newton steps from the fit before. What decides the
restitution is the damping alone, and damping is what is odd in the rate: over a whole contact its regressor is orthogonal to
every function of the depth, so that errors of stiffness, contact point and exponent hardly reach it, and its normal equation
makes the work of the residuals over the contact zero. An error of the delay by dtau shifts depths by rate times dtau and is
exactly a damping of -k dtau: no fit can tell the two apart.
"""

from __future__ import annotations

from dataclasses import dataclass

from proxops.core.errors import BadInput
from proxops.touch.contact_samples import Sensed, add_sample, empty_fit
from proxops.touch.law_regression import solve_fit

__all__ = ["ContactFit", "Law", "Sensed"]


@dataclass(frozen=True)
class Law:
    """A contact law with the standard deviations of its four numbers; ``valid`` is False until a fit exists."""

    k: float  # N/m^n
    c: float  # N s/m
    d0: float  # m, where contact begins
    n: float
    sigmas: tuple[float, float, float, float]  # of k (relative), c, d0, n
    valid: bool
    samples: int


class ContactFit:
    """The fit of one contact, for any replay: feed it samples, ask for the law."""

    def __init__(self, sensed: Sensed) -> None:
        self.arrays = empty_fit(sensed)

    def add(self, d: float, rate: float, force: float, t: float) -> None:
        """Position along the normal (m, inward), its rate (m/s) and the reading (N, outward positive) at ``t`` (s)."""
        if not add_sample(self.arrays, d, rate, force, t):
            raise BadInput("a contact sample is no number", where=f"t = {t} s", value=(d, rate, force))

    def solve(self) -> Law:
        solve_fit(self.arrays)
        f = self.arrays[0]
        k, c, d0, n = (float(f[name]) for name in ("k", "c", "d0", "n"))
        s = f["sd"]
        sigmas = (float(s[0]), float(s[1]), float(s[2]), float(s[3]))
        return Law(k, c, d0, n, sigmas, bool(f["valid"]), int(f["count"]))
