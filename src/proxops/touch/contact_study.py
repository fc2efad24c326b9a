"""A seeded study of contact through a delay: how often each method brings back the true restitution.

A case is drawn, its true restitution computed without delay, and the same virtual hardware is touched through the delay by
every method. Pure: a seed in, arrays out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.messages import PERIOD_S
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.space.contact_law import bounce, greatest_depth
from proxops.touch.command_path import put_node, straight_path
from proxops.touch.contact_loop import FAULT, FINISHED, Loop, advance, begun
from proxops.touch.contact_samples import Fit, Sensed
from proxops.touch.delayed_bounce import Hardware, flown, hardware, reading
from proxops.touch.fidelity import LEAST_ERROR, MOST_B, restitution_bound
from proxops.touch.passivity import watched_force
from proxops.touch.phase_lead import led_force

DTAU_S: Final = 0.05e-3  # to which the delay is known, by time stamps
LONGEST_S: Final = 6.0
METHODS: Final = ("none", "phase lead", "passivity", "identified")
BINS: Final = (0.0, 0.08, 0.2, 0.35, 0.5, 0.7)  # of omega tau
UNDECLARED_ERROR: Final = 0.01  # of the restitution, allowed for laws that are not declared
NONE, LEAD, PASSIVITY, IDENTIFIED = range(4)


@dataclass(frozen=True)
class Case:
    """One contact: SI units; ``stiffness`` is the secant at the greatest depth, ``omega`` that of it."""

    mass: float
    stiffness: float
    speed: float
    tau: float
    zeta: float
    exponent: float
    noise: float  # N
    dead: float  # N
    offset: bool
    tau_error: float  # s, of the delay as believed
    gap: float  # m of free flight before the touch
    seed: int

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
    def truth(self) -> float:
        return bounce(self.mass, self.speed, self.k, self.c, self.exponent)[0]


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
        mass, stiffness, speed, tau, rng.uniform(0.0, 0.1), rng.uniform(*exponent), noise,
        peak * most_dead * rng.uniform(), bool(rng.integers(2)), DTAU_S * rng.uniform(-1.0, 1.0),
        speed * (tau + PERIOD_S * (5.0 + rng.uniform())), int(rng.integers(2**31)),
    )  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """What came back: restitution, greatest force over the ideal one, and for the identified loop how the command went."""

    restitution: float
    overload: float
    offset_share: float = 0.0  # largest offset between command and mass, of the ideal depth
    rate_step_share: float = 0.0  # largest change of the commanded rate in a tick, of the incoming speed
    correction_ticks: float = 0.0  # between the mass's separation and the last correction


@kernel
def _plain(device: Hardware, path: Array, x: float, v: float, mass: float, dt: float, tau: float, method: int,
           gauss: Array) -> float:  # fmt: skip
    """Restitution of a loop that feeds the delayed force to the mass, led, watched or as it is."""
    before, stored, touched, v0 = 0.0, 0.0, False, v
    for tick in range(gauss.shape[0]):
        f = reading(device, path, tick, dt, gauss[tick])
        used = led_force(f, before, tau + 0.5) if method == LEAD else f
        before = f
        if method == PASSIVITY:
            used, stored = watched_force(used, v, stored, mass, dt)
        x, v = flown(x, v, used, mass, dt)
        put_node(path, tick + 1, x, v * dt)
        touched = touched or x > 0.0
        if touched and v < 0.0 and x < v * dt * (tau + 3.0):  # the hardware is free, too
            break
    return -v / v0


@kernel
def _identified(device: Hardware, loop: Loop, fit: Fit, path: Array, gauss: Array) -> int:
    """Ticks until the loop has finished; as many as there are deviates if it never did."""
    s = loop[0]
    for tick in range(gauss.shape[0]):
        f = reading(device, path, tick, s.dt, gauss[tick])
        phase = advance(loop, fit, path, f, float(tick))
        if phase in (FINISHED, FAULT):
            return tick
    return int(gauss.shape[0])


def outcome(case: Case, method: int, exponent_free: bool = False, declared: bool = False) -> Outcome:
    """One case by one method; ``declared``: stiffness (to 30 %) and contact point (to a tenth of the depth) are known."""
    dt = PERIOD_S
    device = hardware(case.k, case.c, case.tau / dt, case.exponent, 0.0, case.noise, case.dead, case.offset)
    gauss = np.random.default_rng(case.seed).standard_normal(int(LONGEST_S / dt))
    believed = case.tau + case.tau_error
    _, _, depth, force = bounce(case.mass, case.speed, case.k, case.c, case.exponent)
    if method != IDENTIFIED:
        path = straight_path(-case.gap, case.speed * dt)
        e = _plain(device, path, -case.gap, case.speed, case.mass, dt, believed / dt, method, gauss)
        return Outcome(e, float(device[0]["force"]) / force)
    kind = "offset" if case.offset else "cut"
    sensed = Sensed(case.mass, case.noise, case.dead, kind, exponent_free)
    if declared:
        point = 0.1 * depth
        sensed = Sensed(case.mass, case.noise, case.dead, kind, exponent_free, case.stiffness * 1.2, 0.3, point, point)
    loop, fit, path = begun(sensed, -case.gap, case.speed, believed, dt)
    ticks = _identified(device, loop, fit, path, gauss)
    s = loop[0]
    return Outcome(
        -float(s["v"]) / case.speed if ticks < len(gauss) else math.nan,
        float(device[0]["force"]) / force,
        float(s["largest_offset"]) / greatest_depth(case.mass, case.speed, case.k, case.exponent),
        float(s["largest_rate_step"]) / case.speed,
        ticks - float(s["left"]) / dt,
    )


def undeclared(rng: np.random.Generator, omega_tau: tuple[float, float] = (0.0, 0.5)) -> Case:
    """A case whose exponent, 1 to 1.5, nobody has declared."""
    return drawn(rng, omega_tau, most_dead=0.1, most_b=0.01, exponent=(1.0, 1.5))


def within(case: Case, found: Outcome, linear: bool = True) -> bool:
    """Is the restitution as true as it has to be? Not if there is none."""
    return abs(found.restitution - case.truth) <= (max(LEAST_ERROR, case.bound) if linear else UNDECLARED_ERROR)


def share(seed: int, runs: int, method: int, omega_tau: tuple[float, float], linear: bool = True) -> float:
    """Of seeded runs, how many come back within their bound."""
    rng = np.random.default_rng(seed)
    cases = [drawn(rng, omega_tau) if linear else undeclared(rng, omega_tau) for _ in range(runs)]
    return sum(within(case, outcome(case, method, not linear), linear) for case in cases) / runs
