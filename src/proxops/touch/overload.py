"""How much harder hardware is pressed through a delay than it would be: the price of not knowing the contact beforehand.

While nothing is known the mass flies on until the first samples are significant. So the bounds of ``fidelity`` cannot all be
reached at once. omega tau = 0.7 alone overloads by 6 % where ticks are many (omega dt = 0.01), by 14 % at 0.05, by 25 % at 0.1:
below some 40 ticks in a contact the overload refuses first, unless a stiffness is declared.
"""

from __future__ import annotations

import math
from typing import Final

from proxops.maths.kernel import kernel
from proxops.touch.contact_loop import BLEND
from proxops.touch.contact_samples import FELT
from proxops.touch.law_regression import FLOOR, SLOPE

DAMPED: Final = 0.1  # damping ratio, the greatest that is thought of beforehand


@kernel
def blind_phase(omega_tau: float, omega_dt: float, delta: float, noise_share: float, zeta: float) -> float:
    """rad of omega t from touch to the first law: until dead zone and noise are passed (a damper's force is there at once),
    the tick after it, the ticks until the slope is significant, and the delay."""
    spread, count = 0.0, 1
    noise = max(noise_share, FLOOR)
    while count < 400 and not (count > 1 and spread > SLOPE * noise):
        count += 1
        spread = omega_dt * math.sqrt(count * (count * count - 1.0) / 12.0)
    return max(0.0, delta + FELT * noise_share - 2.0 * zeta) + omega_tau + count * omega_dt


@kernel
def _damped(phase: float, zeta: float) -> tuple[float, float]:
    """Depth and rate at a phase of the ideal contact, in units of v0 / omega and v0."""
    root, fade = math.sqrt(1.0 - zeta * zeta), math.exp(-zeta * phase)
    sine, cosine = math.sin(root * phase), math.cos(root * phase)
    return fade * sine / root, fade * (cosine - zeta / root * sine)


@kernel
def _overload(blind: float, T: float, zeta: float) -> float:
    """Largest force of the command over that of the ideal contact, at one damping ratio."""
    depth, rate = _damped(blind, zeta)
    offset, slope = blind - depth, 1.0 - rate + (blind - depth) / T
    most, ideal = blind + 2.0 * zeta, 0.0
    for i in range(200):  # two radians: both have turned by then
        s = 0.01 * i
        x, v = _damped(s, zeta)
        ideal = max(ideal, x + 2.0 * zeta * v)
        x, v = _damped(blind + s, zeta)
        away = (offset + slope * s) * math.exp(-s / T)
        drift = (slope - (offset + slope * s) / T) * math.exp(-s / T)
        most = max(most, x + away + 2.0 * zeta * (v + drift))
    return most / ideal


@kernel
def predicted_overload(
    omega_tau: float, omega_dt: float, delta: float, noise_share: float, stiffness_share: float
) -> float:
    """Largest force over the ideal one, the worse of an undamped contact and one with a damping ratio of 0.1: the mass flies
    freely through the blind phase, then the law is known and the command comes back to it as ``contact_loop`` blends.
    ``stiffness_share``: 1 if nothing is known before, else the relative error of the declared stiffness, by which the blind
    phase errs that much less."""
    T, most = max(BLEND, omega_dt), 1.0
    for zeta in (0.0, DAMPED):
        most = max(most, _overload(blind_phase(omega_tau, omega_dt, delta, noise_share, zeta), T, zeta))
    return 1.0 + min(1.0, stiffness_share) * (most - 1.0)
