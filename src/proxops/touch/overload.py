"""How much harder hardware is pressed through a delay than it would be: the price of not knowing the contact beforehand.

While nothing is known the bodies fly on until the first samples are significant, and what they went too far by then fades out
of the command (``docking_loop``). So the bounds of ``fidelity`` cannot all be reached at once. omega tau = 0.7 alone overloads
by 6 % where ticks are many (omega dt = 0.01), by 15 % at 0.05, by 28 % at 0.1: below some 40 ticks in a contact the overload
refuses first, unless a stiffness is declared.
"""

from __future__ import annotations

import math
from typing import Final

from proxops.maths.kernel import kernel
from proxops.touch.contact_samples import ZETA_MEAN
from proxops.touch.docking_loop import FADE_S
from proxops.touch.law_regression import FLOOR, SLOPE

# In ticks: a robot goes round a corner of its commanded course, which is a node (as measured in the study).
BEND: Final = 0.25
DAMPED: Final = 0.1  # damping ratio, the greatest that is thought of beforehand


@kernel
def blind_phase(omega_tau: float, omega_dt: float, threshold: float, noise_share: float, zeta: float) -> float:
    """rad of omega t from touch to the first law: until the force is beyond the threshold (a damper's is there at once), the
    tick after it, the ticks until the slope is significant, the delay, and what a course goes on before it turns."""
    spread, count = 0.0, 1
    noise = max(noise_share, FLOOR)
    while count < 400 and not (count > 1 and spread > SLOPE * noise):
        count += 1
        spread = omega_dt * math.sqrt(count * (count * count - 1.0) / 12.0)
    return max(0.0, threshold - 2.0 * zeta) + omega_tau + (count + BEND) * omega_dt


@kernel
def _damped(phase: float, zeta: float) -> tuple[float, float]:
    """Depth and rate at a phase of the ideal contact, in units of v0 / omega and v0."""
    root, fade = math.sqrt(1.0 - zeta * zeta), math.exp(-zeta * phase)
    sine, cosine = math.sin(root * phase), math.cos(root * phase)
    return fade * sine / root, fade * (cosine - zeta / root * sine)


@kernel
def _overload(blind: float, fade: float, zeta: float) -> float:
    """Largest force of the command over that of the ideal contact, at one damping ratio."""
    # A first law takes the damping that is expected for part of the force.
    mistaken = max(0.0, 2.0 * (ZETA_MEAN - zeta))
    offset = blind - _damped(blind - min(mistaken, blind), zeta)[0]
    most, ideal = blind + 2.0 * zeta, 0.0
    for i in range(200):  # two radians: both have turned by then
        s = 0.01 * i
        x, v = _damped(s, zeta)
        ideal = max(ideal, x + 2.0 * zeta * v)
        x, v = _damped(blind + s, zeta)
        away = offset * math.exp(-s / fade)
        most = max(most, x + away + 2.0 * zeta * (v - away / fade))
    return most / ideal


@kernel
def predicted_overload(
    omega: float, tau: float, dt: float, threshold: float, noise_share: float, stiffness_share: float
) -> float:
    """Largest force over the ideal one, the worse of an undamped contact and one with a damping ratio of 0.1: the bodies fly
    freely through the blind phase, then the law is known and the command fades over to it as ``docking_loop`` has it.
    ``threshold``: that a force has to pass to be a touch, and ``noise_share``: both of v0 sqrt(k m). ``stiffness_share``: 1
    if nothing is known before, else the relative error of the declared stiffness, by which the blind phase errs that much
    less."""
    most = 1.0
    for zeta in (0.0, DAMPED):
        blind = blind_phase(omega * tau, omega * dt, threshold, noise_share, zeta)
        most = max(most, _overload(blind, omega * FADE_S, zeta))
    return 1.0 + min(1.0, stiffness_share) * (most - 1.0)
