"""One random contact of the study: mass, stiffness, speed, delay, damping, sensor; and what it should come to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.messages import PERIOD_S
from proxops.space.contact_law import bounce
from proxops.touch.fidelity import MOST_B, restitution_bound

DTAU_S: Final = 0.05e-3  # to which the delay is known, by time stamps


@dataclass(frozen=True)
class Case:
    """One contact: SI units; ``stiffness`` is the secant at the greatest depth, ``omega`` that of it."""

    mass: float  # equivalent, of both bodies
    stiffness: float
    speed: float
    tau: float
    zeta: float = 0.0
    exponent: float = 1.0
    noise: float = 0.0  # N
    dead: float = 0.0  # N
    tau_error: float = 0.0  # s, of the delay as believed
    gap: float = 2e-3  # m of free flight before the touch
    seed: int = 0

    @property
    def omega(self) -> float:
        return math.sqrt(self.stiffness / self.mass)

    @property
    def peak(self) -> float:
        """N, F = v0 sqrt(k m)."""
        return self.speed * math.sqrt(self.stiffness * self.mass)

    @property
    def k(self) -> float:
        """N/m^n, so that the secant at the greatest depth is ``stiffness``."""
        depth = self.speed / self.omega * math.sqrt(0.5 * (self.exponent + 1.0))
        return self.stiffness * math.pow(depth, 1.0 - self.exponent)

    @property
    def c(self) -> float:
        return 2.0 * self.zeta * math.sqrt(self.stiffness * self.mass)

    @property
    def bound(self) -> float:
        """B: what delay uncertainty and noise make of the restitution."""
        return restitution_bound(self.omega, self.noise / self.peak, DTAU_S, PERIOD_S)

    @property
    def ideal(self) -> tuple[float, float, float, float]:
        """Restitution, duration (s), greatest depth (m) and greatest force (N) without any delay."""
        return bounce(self.mass, self.speed, self.k, self.c, self.exponent)

    @property
    def truth(self) -> float:
        return self.ideal[0]


def drawn(
    rng: np.random.Generator, omega_tau: tuple[float, float] = (0.0, 0.7), most_dead: float = 0.25, most_b: float = MOST_B,
    exponent: tuple[float, float] = (1.0, 1.0),
) -> Case:  # fmt: skip
    """A case within the bounds: mass, stiffness, speed, delay and noise log-uniform, the rest uniform; the noise up to what
    leaves B at ``most_b``, but no more than a tenth of the largest force."""

    def between(low: float, high: float) -> float:
        return float(np.exp(rng.uniform(math.log(low), math.log(high))))

    while True:
        mass, stiffness, speed, tau = between(50, 5e3), between(1e4, 2e5), between(5e-3, 0.1), between(3e-3, 0.04)
        omega = math.sqrt(stiffness / mass)
        left = most_b - restitution_bound(omega, 0.0, DTAU_S, PERIOD_S)
        if omega_tau[0] <= omega * tau <= omega_tau[1] and left > 0.0:
            break
    peak = speed * math.sqrt(stiffness * mass)
    most_noise = left / (3.0 * math.sqrt(0.5 * math.pi * omega * PERIOD_S))
    noise = peak * min(most_noise, 0.1) * between(0.02, 1.0)
    return Case(
        mass, stiffness, speed, tau, rng.uniform(0.0, 0.1), rng.uniform(*exponent), noise, peak * most_dead * rng.uniform(),
        DTAU_S * rng.uniform(-1.0, 1.0), speed * (tau + PERIOD_S * (5.0 + rng.uniform())), int(rng.integers(2**31)),
    )  # fmt: skip


def undeclared(rng: np.random.Generator, omega_tau: tuple[float, float] = (0.0, 0.5)) -> Case:
    """A case whose exponent, 1 to 1.5, nobody has declared."""
    return drawn(rng, omega_tau, most_dead=0.1, most_b=0.01, exponent=(1.0, 1.5))
