"""One law of normal contact, and the bounce that follows from it: for virtual hardware, replay and docking alike.

    f = max(0, k d^n + c d')   for a penetration d > 0, else 0

k in N/m^n, c in N s/m, d in m, its rate d' in m/s, inward positive. The surface pushes and never pulls: on the way out the
force ends where the damper's pull reaches the spring's push, before d is back at zero. With n = 1 the coefficient of
restitution has a closed form, with n = 3/2 and c = 0 the law is Hertz's.
"""

from __future__ import annotations

import math
from typing import Final

from proxops.maths.kernel import kernel

PHASE_STEP: Final = 0.05  # rad of omega t, 65 in a bounce: the restitution is good to 1e-7 (n = 1) or 1e-5
LONGEST: Final = 20.0  # rad of omega t that are followed; contacts of this law take some three


@kernel
def contact_force(d: float, rate: float, k: float, c: float, n: float) -> float:
    """N, outward, of a penetration ``d`` (m) that grows by ``rate`` (m/s)."""
    if not d > 0.0:
        return 0.0 if d <= 0.0 else math.nan
    return max(0.0, pull_and_push(d, rate, k, c, n))


@kernel
def pull_and_push(d: float, rate: float, k: float, c: float, n: float) -> float:
    """The law without its cut, carried on oddly to d < 0: smooth where a bounce ends, so that the end can be found."""
    if n == 1.0:
        return k * d + c * rate
    return math.copysign(k * abs(d) ** n, d) + c * rate


@kernel
def linear_restitution(zeta: float) -> float:
    """Speed after over speed before for n = 1 and c = 2 zeta sqrt(k m): exp(-2 zeta acos(zeta) / sqrt(1 - zeta^2)).

    The force ends at the phase 2 acos(zeta) of the damped half wave; that end has no pull in it."""
    if zeta < 1.0 - 1e-9:
        return math.exp(-2.0 * zeta * math.acos(zeta) / math.sqrt(1.0 - zeta * zeta))
    if zeta > 1.0 + 1e-9:
        return math.exp(-2.0 * zeta * math.acosh(zeta) / math.sqrt(zeta * zeta - 1.0))
    return math.exp(-2.0)


@kernel
def greatest_depth(mass: float, speed: float, k: float, n: float) -> float:
    """m, where the undamped spring has taken up the kinetic energy: k d^(n+1) / (n+1) = m v^2 / 2."""
    return math.pow((n + 1.0) * 0.5 * mass * speed * speed / k, 1.0 / (n + 1.0))


@kernel
def secant_stiffness(mass: float, speed: float, k: float, n: float) -> float:
    """N/m, greatest force over greatest depth of the undamped bounce. What ``omega`` means for n other than 1:
    sqrt(secant stiffness / m). For n = 1.5 half a period of it is 5 % shorter than the contact, so bounds in omega tau err
    to the safe side."""
    return k * math.pow(greatest_depth(mass, speed, k, n), n - 1.0)


@kernel
def contact_omega(mass: float, speed: float, k: float, n: float) -> float:
    """rad/s, of the secant stiffness."""
    return math.sqrt(secant_stiffness(mass, speed, k, n) / mass)


@kernel
def _stepped(h: float, d: float, v: float, mass: float, k: float, c: float, n: float) -> tuple[float, float]:
    """One Runge-Kutta step of fourth order of m d'' = -(k d^n + c d')."""
    a1 = -pull_and_push(d, v, k, c, n) / mass
    v2 = v + 0.5 * h * a1
    a2 = -pull_and_push(d + 0.5 * h * v, v2, k, c, n) / mass
    v3 = v + 0.5 * h * a2
    a3 = -pull_and_push(d + 0.5 * h * v2, v3, k, c, n) / mass
    v4 = v + h * a3
    a4 = -pull_and_push(d + h * v3, v4, k, c, n) / mass
    return d + h / 6.0 * (v + 2.0 * (v2 + v3) + v4), v + h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4)


@kernel
def _separation(h: float, d: float, v: float, mass: float, k: float, c: float, n: float) -> tuple[float, float, float]:
    """Time within a step of ``h`` at which the force ends, with depth and rate there: regula falsi on the force, halving the
    side that stays (for n > 1 and c = 0 the force ends flat)."""
    low, high, at = 0.0, h, h
    x, u = _stepped(h, d, v, mass, k, c, n)
    f_low, f_high = pull_and_push(d, v, k, c, n), pull_and_push(x, u, k, c, n)
    for _ in range(10):
        if f_low == f_high:
            break
        at = low + (high - low) * f_low / (f_low - f_high)
        x, u = _stepped(at, d, v, mass, k, c, n)
        f = pull_and_push(x, u, k, c, n)
        if f > 0.0:
            low, f_low, f_high = at, f, 0.5 * f_high
        else:
            high, f_high, f_low = at, f, 0.5 * f_low
    return at, x, u


@kernel
def state_after_touch(
    t: float, mass: float, speed: float, k: float, c: float, n: float
) -> tuple[float, float, float, float]:
    """Depth (m), its rate (m/s), separation time (s; infinite while in contact) and deepest penetration so far (m) of a mass
    that touched with ``speed``, ``t`` seconds ago.

    Before the touch (t < 0) and after separation it flies freely. The same integrator gives restitution, replay and virtual
    hardware; the cost of a call is bounded, whatever t."""
    if t <= 0.0:
        return speed * t, speed, math.inf, 0.0
    omega = contact_omega(mass, speed, k, n)
    d, v, deepest = 0.0, speed, 0.0
    steps = math.ceil(min(omega * t, LONGEST) / PHASE_STEP)
    h = min(t, LONGEST / omega) / steps
    for i in range(steps):
        x, u = _stepped(h, d, v, mass, k, c, n)
        if u < 0.0 and pull_and_push(x, u, k, c, n) <= 0.0:
            at, x, u = _separation(h, d, v, mass, k, c, n)
            left = i * h + at
            return x + u * (t - left), u, left, max(deepest, x)
        if u <= 0.0 < v:  # turned within this step: the vertex of the parabola
            deepest = max(deepest, d + 0.5 * v * v * h / (v - u))
        d, v = x, u
        deepest = max(deepest, d)
    return d, v, math.inf, deepest


@kernel
def bounce(mass: float, speed: float, k: float, c: float, n: float) -> tuple[float, float, float, float]:
    """Restitution, duration (s), greatest depth (m) and greatest force (N) of the undelayed bounce."""
    omega = contact_omega(mass, speed, k, n)
    _, v, duration, depth = state_after_touch(LONGEST / omega, mass, speed, k, c, n)
    # The greatest force comes before the greatest depth by the damper's share: looked for on the steps of the way in.
    peak, steps = contact_force(1e-300, speed, k, c, n), math.ceil(0.6 * math.pi / PHASE_STEP)
    d, v_in = 0.0, speed
    for _ in range(steps):
        d, v_in = _stepped(PHASE_STEP / omega, d, v_in, mass, k, c, n)
        peak = max(peak, contact_force(d, v_in, k, c, n))
    return (-v / speed if duration < math.inf else 0.0), duration, depth, peak
