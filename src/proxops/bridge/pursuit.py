"""Pursuit: something moves after a command from wherever it is, within a speed and an acceleration, at every tick.

It is the law of the clutch (``clutch.py``) for one of the things that move: a distance, or an attitude. All of it happens in
whole ticks of dt: a tick chooses a velocity v, then moves by v dt.

**In what the command does not do by itself.** The command moves in this tick with the mean velocity u, moved in the last one
with u − A dt. Left over are the distance e from the shown place to where the command came from, and the velocity
r = v − (u − A dt) that closes it:

    r' = r + b dt,   e' = e − r' dt,   acceleration shown = A + b.

With e = r = 0 and b = 0 what is shown stays on the command: its velocity and acceleration are fed forward.

**The curve.** Far out, e is closed at the speed from which a deceleration d stops just there. Steps of d dt each tick keep
e − r²/2d + r dt/2 constant (insert them), which is the square-root curve in whole ticks. It would arrive with all of d
switched off at once, and noise of the command would be answered with all of ±d. So the curve ends in a straight line, on
which each tick leaves θ = exp(−ω dt) of the distance and of the speed:

    r = (1 − θ)/(θ dt) e            up to r₀ = d dt/(1 − θ), e₀ = θ dt/(1 − θ) r₀, where the line decelerates with d,
    e = r²/2d − r dt/2 + c          beyond, with c such that both meet at (e₀, r₀); there they are tangent.

The next speed on the curve is θ r on the line and r − d dt beyond. What r differs from the curve (too slow, too fast, across)
shrinks to θ² of itself each tick. On the line that makes a linear law with the double pole θ,
r' = θ² r + (1 − θ)²/dt e: the critically damped second-order plant of the paper with its inverse fed forward, inside its
limits. From below the curve is reached from below: no overshoot. When what is left takes 2 % of a tick's change of speed, the
next tick lands on the command exactly. ω is 30 rad/s on a clean command and goes down to 15 rad/s on a noisy one, so that an
innovation of the usual size calls for a quarter of the acceleration, not all of it. A third derivative j of the command,
which nobody feeds forward, leaves 3j/(ωₑ ω²) + 6j/(ωₑ² ω) between what is shown and the estimate (ωₑ = 12 rad/s is its own).

**The limits.** d is 0.8 of the acceleration, or what the command's own acceleration leaves of it; the rest is for corrections
across. The correction is shortened until the whole change of velocity fits into a ball of radius (acceleration × dt), then
the velocity is projected into the ball of the speed limit: as the velocity before lies in that ball, a projection makes no
change longer. If it does not (the limit has shrunk), the tick brakes first, and what that leaves of the acceleration is for the
rest. Nothing is integrated but the place, so nothing winds up behind a command that is too fast.

**Attitude** is the same law with e = log(R Rᵀ_shown), the short way. Near 180° the two ways are equally long and noise would
choose another each tick: within 20° of it the way begun is kept.
"""

from __future__ import annotations

import math

from proxops.core.messages import PERIOD_S
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import length, turn, way_between
from proxops.maths.rotation import Array, copy_to
from proxops.maths.stack import vector

DT = PERIOD_S
OMEGA, SOFTEST = 30.0, 15.0  # rad/s of the landing, on a clean and on a noisy command
SHARE = 0.8  # of the acceleration is for braking
LEAST_SHARE = 0.1  # when the command's own acceleration takes nearly all
LANDING = 0.02  # of a tick's change of speed
BAND = math.radians(20.0)  # about 180°, within which the way begun is kept
SLOWEST = 0.02  # of the speed limit, in foretelling times: a command at the limit is never caught up, in theory


@kernel
def landing_omega(usual: float, acceleration: float) -> float:
    """ω of the landing: an innovation of ``usual`` size shall call for a quarter of the acceleration."""
    return max(SOFTEST, min(OMEGA, math.sqrt(0.25 * acceleration / max(usual, 1e-12))))


@kernel
def curve(left: float, d: float, theta: float) -> tuple[float, float]:
    """Closing speed on the curve at a distance ``left``: of the tick that led here, and of the next one."""
    r0 = d * DT / (1.0 - theta)
    e0 = r0 * theta * DT / (1.0 - theta)
    if left <= e0:
        return (1.0 - theta) / (theta * DT) * left, (1.0 - theta) / DT * left
    c = e0 - r0 * r0 / (2.0 * d) + 0.5 * r0 * DT
    r = d * (0.5 * DT + math.sqrt(0.25 * DT * DT + 2.0 * (left - c) / d))
    return r, r - d * DT


@kernel
def braking_share(own: float, acceleration: float) -> float:
    """Deceleration to close in with, while the command accelerates with ``own``."""
    return max(min(SHARE * acceleration, max(acceleration - own, LEAST_SHARE * acceleration)), 1e-12)


@kernel
def pursue(e: Array, u: Array, A: Array, v: Array, speed: float, acceleration: float, usual: float) -> bool:
    """Change ``v`` to the velocity of the coming tick; True if this tick lands on the command."""
    step = acceleration * DT
    fast = length(v)
    if fast > speed:
        kept = max(speed, fast - step)
        for i in range(3):
            v[i] *= kept / fast
        step -= fast - kept
        speed = kept
    left = length(e)
    own = length(A)
    r, new = vector(3), vector(3)
    for i in range(3):
        r[i] = v[i] - u[i] + A[i] * DT
    if left <= LANDING * step * DT and length(r) <= LANDING * step and own * DT <= SHARE * step:
        for i in range(3):
            new[i] = u[i] + e[i] / DT
        if length(new) <= speed:
            for i in range(3):
                v[i] = new[i]
            return True
    theta = math.exp(-DT * landing_omega(usual, acceleration))
    before, after = curve(left, braking_share(own, acceleration), theta)
    base, more = vector(3), vector(3)
    for i in range(3):
        n = e[i] / left if left > 0.0 else 0.0
        base[i] = A[i] * DT + (after - before) * n
        more[i] = (theta * theta - 1.0) * (r[i] - before * n)
    _fit(base, more, step)
    for i in range(3):
        new[i] = v[i] + base[i]
    fast = length(new)
    for i in range(3):
        v[i] = new[i] * (speed / fast) if fast > speed else new[i]
    return False


@kernel
def _fit(base: Array, more: Array, step: float) -> None:
    """base += as much of ``more`` as stays within ``step``; a base that is too long itself is shortened with it."""
    bb = base[0] * base[0] + base[1] * base[1] + base[2] * base[2]
    bm = base[0] * more[0] + base[1] * more[1] + base[2] * more[2]
    mm = more[0] * more[0] + more[1] * more[1] + more[2] * more[2]
    part = 1.0
    if bb <= step * step and bb + 2.0 * bm + mm > step * step:
        part = min(1.0, (math.sqrt(max(bm * bm + mm * (step * step - bb), 0.0)) - bm) / mm)
    for i in range(3):
        base[i] += part * more[i]
    long = length(base)
    if long > step:
        for i in range(3):
            base[i] *= step / long


@kernel
def _kept_way(way: Array, angle: float, before: Array) -> None:
    """Replace the short ``way`` by the long one if it is about as long and the way begun leads there."""
    along = way[0] * before[0] + way[1] * before[1] + way[2] * before[2]
    if angle > math.pi - BAND and along < 0.0 and length(before) > 0.5 * math.pi:
        for i in range(3):
            way[i] *= 1.0 - 2.0 * math.pi / angle


@kernel
def time_left(e: Array, v: Array, u: Array, A: Array, speed: float, acceleration: float, bound: float) -> float:
    """Foretold time until ``e`` is within ``bound``: speed up, cruise at what the limit leaves, brake on the curve."""
    left, a, d = length(e), max(acceleration, 1e-12), braking_share(length(A), acceleration)
    if left <= bound:
        return 0.0
    if left <= d / OMEGA**2:
        return math.log(left / bound) / OMEGA
    closing, along, uu = 0.0, 0.0, 0.0
    for i in range(3):
        closing += (v[i] - u[i]) * e[i] / left
        along += u[i] * e[i] / left
        uu += u[i] * u[i]
    cap = max(math.sqrt(max(speed * speed - uu + along * along, 0.0)) - along, SLOWEST * speed, 1e-12)
    back = min(closing, 0.0) ** 2 / (2.0 * a)  # on the way in the wrong direction, before it turns
    peak = max(min(math.sqrt((2.0 * (left + back) + max(closing, 0.0) ** 2 / a) / (1.0 / a + 1.0 / d)), cap), closing)
    cruise = left + back - (peak * peak - max(closing, 0.0) ** 2) / (2.0 * a) - peak * peak / (2.0 * d)
    return (peak - closing) / a + max(cruise, 0.0) / peak + peak / d


@kernel
def pursue_attitude(
    q: Array, w: Array, way: Array, now: Array, before: Array, u: Array, A: Array, speed: float, acceleration: float,
    usual: float, bound: float,
) -> float:  # fmt: skip
    """One tick of the attitude ``q`` (turning at ``w``, rad/s; ``way`` was left in the tick before) after a command that came
    from ``before`` to ``now``. Returns the time until it is within ``bound``."""
    e, step = vector(3), vector(3)
    _kept_way(e, way_between(q, before, e), way)
    copy_to(e, way)
    if pursue(e, u, A, w, speed, acceleration, usual):
        way_between(q, now, e)
        for i in range(3):
            w[i] = e[i] / DT  # u and e do not commute: the rate that was needed, not their sum
        copy_to(now, q)
        return 0.0
    for i in range(3):
        step[i] = w[i] * DT
    turn(q, step)
    _kept_way(e, way_between(q, now, e), way)
    return time_left(e, w, u, A, speed, acceleration, bound)
