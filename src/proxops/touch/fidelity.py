"""How true a contact through a delay can be: judged before it happens, certified with the run.

Four figures decide, all from what is known beforehand: omega tau (delay against contact), delta = D / F (dead zone against the
largest force F = v0 sqrt(k m)), B (what noise and the delay's uncertainty make of the restitution) and the overload (largest
force over the ideal one). A contact beyond a bound is refused, or on request labelled. For a law that is not linear ``stiffness``
is the secant at the greatest depth (``space/contact_law.secant_stiffness``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_S
from proxops.maths.kernel import kernel
from proxops.space.contact_law import secant_stiffness
from proxops.touch.contact_fit import Law
from proxops.touch.contact_samples import contact_threshold_n
from proxops.touch.overload import predicted_overload

MOST_OMEGA_TAU: Final = 0.7
MOST_DEAD: Final = 0.25
MOST_B: Final = 0.02
MOST_OVERLOAD: Final = 1.2
LEAST_ERROR_FREE: Final = 0.01  # likewise, where the law is not declared to be linear
LEAST_ERROR: Final = 0.005  # of the restitution, which the loop reaches where B is smaller
KNOWN: Final = 0.2  # relative deviation at which a stiffness from first touch is judged
SOFTEST, STIFFEST = 1e2, 1e9  # N/m, between which the admissible stiffness is looked for


class FidelityVerdict(StrEnum):
    """Of a contact to come."""

    ADMITTED = "admitted"
    REFUSED = "refused"
    LABELLED = "labelled"  # out of bounds, run on request, and said so on every page
    OPEN = "open"  # stiffness unknown: judged on first touch


@dataclass(frozen=True)
class FidelityBound:
    """One bound, with what was found."""

    name: str
    value: float
    bound: float

    @property
    def kept(self) -> bool:
        return self.value <= self.bound  # NaN is not

    def __str__(self) -> str:
        return f"{self.name} = {self.value:.3g} ({'within' if self.kept else 'beyond'} {self.bound:g})"


@dataclass(frozen=True)
class ExpectedContact:
    """What is known of a contact before it: SI units, along the normal."""

    mass_kg: float  # equivalent, of both bodies
    speed: float  # m/s, closing
    tau_s: float  # delay of the loop, measured
    dtau_s: float  # its uncertainty
    noise_n: float = 0.0
    dead_zone_n: float = 0.0
    stiffness: float | None = None  # N/m
    stiffness_share: float | None = None  # its relative uncertainty if it is declared to the loop; None: found on touch
    dt_s: float = PERIOD_S
    most_n: float = math.inf  # force that the hardware, the limits or the sensor allow
    least_error: float = LEAST_ERROR  # of the restitution that is promised at best


@dataclass(frozen=True)
class Certificate:
    """The figures of a contact, the verdict, and after the run what came of it."""

    contact: ExpectedContact
    omega: float  # rad/s
    rules: tuple[FidelityBound, ...]
    uncompensated: float  # predicted error of the restitution, as a share of it, if the delay were left alone
    compensated: float  # predicted bound of the error with compensation: max(0.005, B)
    verdict: FidelityVerdict
    stiffest: float  # N/m, the greatest stiffness that would be admitted; 0 if none
    restitution: float = math.nan  # observed
    overload: float = math.nan  # observed

    @property
    def broken(self) -> tuple[FidelityBound, ...]:
        return tuple(rule for rule in self.rules if not rule.kept)

    @property
    def may_touch(self) -> bool:
        return self.verdict is not FidelityVerdict.REFUSED

    def observed(self, restitution: float, overload: float = math.nan) -> Certificate:
        return replace(self, restitution=restitution, overload=overload)

    def lines(self) -> Iterator[str]:
        """For a report."""
        c = self.contact
        yield f"contact fidelity: {self.verdict}"
        yield f"loop delay {c.tau_s * 1e3:.2f} ms, known to {c.dtau_s * 1e3:.2f} ms"
        if self.verdict is FidelityVerdict.OPEN:
            yield f"stiffness found on first touch; the robots retract above {self.stiffest * 1e-3:.4g} N/mm"
            return
        yield f"stiffness {(c.stiffness or 0.0) * 1e-3:.4g} N/mm, equivalent mass {c.mass_kg:.4g} kg"
        yield f"omega {self.omega:.3g} rad/s"
        yield from (str(rule) for rule in self.rules)
        yield f"restitution without compensation: {100 * self.uncompensated:+.1f} % (predicted)"
        yield f"error of the restitution with compensation: at most {self.compensated:.4f} (predicted)"
        if math.isfinite(self.restitution):
            yield f"restitution observed: {self.restitution:.4f}"
        if math.isfinite(self.overload):
            yield f"overload observed: {self.overload:.3f}"


@kernel
def restitution_bound(omega: float, noise_share: float, dtau: float, dt: float) -> float:
    """B = (pi/2) omega dtau + 3 (sigma/F) sqrt(pi omega dt / 2). The second term is three deviations of the damping that
    ordinary least squares finds over half a wave; the first is what the delay's error looks like."""
    return 0.5 * math.pi * omega * dtau + 3.0 * noise_share * math.sqrt(0.5 * math.pi * omega * dt)


@kernel
def delay_gain(omega: float, tau: float) -> float:
    """Factor by which a pure delay multiplies the restitution: exp(pi omega tau / 2), to first order in omega tau."""
    return math.exp(0.5 * math.pi * omega * tau)


def _rules(contact: ExpectedContact, stiffness: float) -> tuple[float, tuple[FidelityBound, ...]]:
    omega, peak = math.sqrt(stiffness / contact.mass_kg), contact.speed * math.sqrt(stiffness * contact.mass_kg)
    noise, delta = contact.noise_n / peak, contact.dead_zone_n / peak
    share = 1.0 if contact.stiffness_share is None else contact.stiffness_share
    threshold = contact_threshold_n(contact.noise_n, contact.dead_zone_n) / peak
    overload = predicted_overload(omega, contact.tau_s, contact.dt_s, threshold, noise, share)
    return omega, (
        FidelityBound("omega tau", omega * contact.tau_s, MOST_OMEGA_TAU),
        FidelityBound("dead zone D / F", delta, MOST_DEAD),
        FidelityBound("B", restitution_bound(omega, noise, contact.dtau_s, contact.dt_s), MOST_B),
        FidelityBound("overload", overload, MOST_OVERLOAD),
        *(
            (FidelityBound("largest force over the limit", peak * overload / contact.most_n, 1.0),)
            if contact.most_n < math.inf
            else ()
        ),
    )


def stiffest_admitted(contact: ExpectedContact) -> float:
    """N/m, the greatest stiffness that keeps every rule; 0 if none does. Soft contacts break the dead zone's rule, stiff ones
    the delay's, so the top of the admitted range is looked for from above."""
    steps = 400
    ratio = math.pow(STIFFEST / SOFTEST, 1.0 / steps)
    for i in range(steps, -1, -1):
        if all(rule.kept for rule in _rules(contact, SOFTEST * math.pow(ratio, i))[1]):
            low = SOFTEST * math.pow(ratio, i)
            high = low * ratio
            for _ in range(20):
                middle = math.sqrt(low * high)
                kept = all(rule.kept for rule in _rules(contact, middle)[1])
                low, high = (middle, high) if kept else (low, middle)
            return low
    return 0.0


def admission(contact: ExpectedContact, label: bool = False) -> Certificate:
    """The verdict before contact. ``label``: run it all the same, and say so."""
    _checked(contact)
    stiffest = stiffest_admitted(contact)
    if contact.stiffness is None:
        verdict = (
            FidelityVerdict.OPEN if stiffest > 0.0 else FidelityVerdict.LABELLED if label else FidelityVerdict.REFUSED
        )
        return Certificate(contact, math.nan, (), math.nan, math.nan, verdict, stiffest)
    omega, rules = _rules(contact, contact.stiffness)
    kept = all(rule.kept for rule in rules)
    verdict = FidelityVerdict.ADMITTED if kept else FidelityVerdict.LABELLED if label else FidelityVerdict.REFUSED
    gain = delay_gain(omega, contact.tau_s + 0.5 * contact.dt_s) - 1.0  # half a tick: the force is held
    return Certificate(contact, omega, rules, gain, max(contact.least_error, rules[2].value), verdict, stiffest)


def first_touch(contact: ExpectedContact, law: Law, label: bool = False) -> Certificate | None:
    """The verdict as soon as the first samples give a stiffness; None while they do not. The robots retract if it is refused.

    The overload's rule is left out: what it guards against has happened by then, or has not."""
    if not law.valid or not law.sigmas[0] < KNOWN:
        return None
    found = replace(
        contact, stiffness=secant_stiffness(contact.mass_kg, contact.speed, law.k, law.n), stiffness_share=0.0
    )
    return admission(found, label)


def _checked(contact: ExpectedContact) -> None:
    for name in ("mass_kg", "speed", "dt_s"):
        if not 0.0 < getattr(contact, name) < math.inf:
            raise BadInput(f"contact: {name}", value=getattr(contact, name), bound="> 0")
    for name in ("tau_s", "dtau_s", "noise_n", "dead_zone_n"):
        if not 0.0 <= getattr(contact, name) < math.inf:
            raise BadInput(f"contact: {name}", value=getattr(contact, name), bound=">= 0")
    if contact.stiffness is not None and not 0.0 < contact.stiffness < math.inf:
        raise BadInput("contact: stiffness", value=contact.stiffness, bound="> 0 N/m")
