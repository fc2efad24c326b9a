"""Samples of one contact, and what is known of mass and sensor before it: the arrays that a fit works on.

The sensor's dead zone hides forces below D. ``cut``: they read zero, others are true; ``offset``: others read D too small,
which is made good here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.maths.kernel import kernel

CAPACITY: Final = 384  # samples; a longer contact is thinned by means of neighbours, so that a solve stays bounded
FELT: Final = 4.0  # noise deviations at which a sample is a touch
SIGMAS, LEAST_N = 6.0, 1.0  # of the noise, and N: beyond the dead zone a force has to be to begin a contact
ZETA_MEAN: Final = 0.03  # damping ratio that is expected before there is anything to see

FIT_DTYPE = np.dtype(
    [
        ("x", "f8", (CAPACITY,)), ("rate", "f8", (CAPACITY,)), ("force", "f8", (CAPACITY,)), ("t", "f8", (CAPACITY,)),
        ("weight", "f8", (CAPACITY,)), ("hidden", "i8", (CAPACITY,)), ("count", "i8"),
        ("mass", "f8"), ("noise", "f8"), ("dead", "f8"), ("offset", "i8"), ("free_n", "i8"),
        ("prior_k", "f8"), ("prior_k_sd", "f8"), ("prior_d0", "f8"), ("prior_d0_sd", "f8"),
        ("k", "f8"), ("c", "f8"), ("d0", "f8"), ("n", "f8"), ("sd", "f8", (4,)), ("valid", "i8"), ("largest", "f8"),
    ]
)  # fmt: skip
Fit = NDArray[np.void]


def contact_threshold_n(noise_n: float, dead_zone_n: float) -> float:
    """N, what noise and dead zone cannot be: more is a touch."""
    return SIGMAS * noise_n + dead_zone_n + LEAST_N


@dataclass(frozen=True)
class Sensed:
    """What is known of mass and sensor before a contact."""

    mass_kg: float  # effective, along the normal: only the scale of what damping is expected
    noise_n: float = 0.0  # standard deviation of a sample
    dead_zone_n: float = 0.0
    dead_zone_kind: str = "cut"  # or "offset"
    exponent_free: bool = False  # the law is not declared to be linear
    stiffness: float | None = None  # N/m, declared, with its relative deviation; None: found on first touch
    stiffness_share: float = 0.3
    contact_point_m: float | None = None  # declared, with its deviation
    contact_point_sd_m: float = 1e-3

    @property
    def threshold_n(self) -> float:
        return contact_threshold_n(self.noise_n, self.dead_zone_n)


@kernel
def add_sample(fit: Fit, x: float, rate: float, force: float, t: float) -> bool:
    """Takes in one reading; False if it is no number (a fault: nothing is stored)."""
    f = fit[0]
    if not (math.isfinite(x) and math.isfinite(rate) and math.isfinite(force) and math.isfinite(t)):
        return False
    if f.count == CAPACITY:
        _thin(fit)
    i = f.count
    f.x[i], f.rate[i], f.t[i], f.weight[i] = x, rate, t, 1.0
    f.hidden[i] = 1 if f.dead > 0.0 and (abs(force) < f.dead if f.offset == 0 else force == 0.0) else 0
    f.force[i] = force + math.copysign(f.dead, force) if f.offset == 1 and f.hidden[i] == 0 else force
    if f.hidden[i] == 0:
        f.largest = max(f.largest, f.force[i])
    f.count = i + 1
    return True


@kernel
def _thin(fit: Fit) -> None:
    """Pairs of neighbours become their weighted mean; a hidden one is kept apart from a seen one."""
    f = fit[0]
    i, kept = 0, 0
    while i < f.count:
        pair = i + 1 < f.count and f.hidden[i] == f.hidden[i + 1]
        j = i + 1 if pair else i
        a, b = f.weight[i], f.weight[j] if pair else 0.0
        total = a + b
        f.x[kept], f.rate[kept] = (a * f.x[i] + b * f.x[j]) / total, (a * f.rate[i] + b * f.rate[j]) / total
        f.force[kept], f.t[kept] = (a * f.force[i] + b * f.force[j]) / total, (a * f.t[i] + b * f.t[j]) / total
        f.weight[kept], f.hidden[kept] = total, f.hidden[i]
        i, kept = j + 1, kept + 1
    f.count = kept


def empty_fit(sensed: Sensed) -> Fit:
    """The arrays of one contact, nothing in them."""
    if not sensed.mass_kg > 0.0:
        raise BadInput("a contact needs a mass", where="contact fit", value=sensed.mass_kg, bound="> 0 kg")
    if sensed.dead_zone_kind not in ("cut", "offset"):
        raise BadInput("unknown kind of dead zone", value=sensed.dead_zone_kind, bound="cut, offset")
    if not (sensed.noise_n >= 0.0 and sensed.dead_zone_n >= 0.0):
        raise BadInput(
            "noise and dead zone of a force sensor", value=(sensed.noise_n, sensed.dead_zone_n), bound=">= 0 N"
        )
    fit = np.zeros(1, FIT_DTYPE)
    f = fit[0]
    f["mass"], f["noise"], f["dead"] = sensed.mass_kg, sensed.noise_n, sensed.dead_zone_n
    f["offset"], f["free_n"] = sensed.dead_zone_kind == "offset", sensed.exponent_free
    f["prior_k"], f["prior_k_sd"] = sensed.stiffness or 0.0, sensed.stiffness_share
    f["prior_d0"], f["prior_d0_sd"] = sensed.contact_point_m or 0.0, math.inf
    if sensed.contact_point_m is not None:
        f["prior_d0_sd"] = sensed.contact_point_sd_m
    f["n"] = 1.0
    if sensed.stiffness and sensed.contact_point_m is not None:  # a law to go by before anything is felt
        f["k"], f["d0"], f["valid"] = sensed.stiffness, sensed.contact_point_m, 1
        f["c"] = 2.0 * ZETA_MEAN * math.sqrt(sensed.stiffness * sensed.mass_kg)
    return fit
