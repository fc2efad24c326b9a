"""The quickest stop within acceleration and jerk, in closed form: how far a joint still goes and how long that
takes."""

from __future__ import annotations

import math

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array


@kernel
def stop_way(v: float, a: float, most: float, jerk: float) -> tuple[float, float, float, float]:
    """Of one joint at rate ``v`` and acceleration ``a`` (at most ``most``): the lowest and the highest place on its way
    and the last one, all from where it is now, and the time it takes."""
    # Sign of the rate that is left when the acceleration has ended.
    sign = 1.0 if v + a * abs(a) / (2.0 * jerk) >= 0.0 else -1.0
    v, a = sign * v, sign * a
    peak = math.sqrt(max(jerk * v + 0.5 * a * a, 0.0))  # of the deceleration
    hold = 0.0
    if peak > most:
        hold = (peak * peak - most * most) / (jerk * most)
        peak = most
    t = max((a + peak) / jerk, 0.0)
    turn = 0.0  # it may go backwards first, until the acceleration has turned it round
    if v < 0.0:
        until = (a - math.sqrt(max(a * a + 2.0 * jerk * v, 0.0))) / jerk
        turn = until * (v + until * (0.5 * a - jerk * until / 6.0))
    x = t * (v + t * (0.5 * a - jerk * t / 6.0))
    v += t * (a - 0.5 * jerk * t)
    x += hold * (v - 0.5 * peak * hold)
    end = peak / jerk
    x += jerk * end * end * end / 6.0  # as from rest, backwards in time
    return min(0.0, sign * turn, sign * x), max(0.0, sign * turn, sign * x), sign * x, t + hold + end


@kernel
def stop_time(rates: Array, accelerations: Array, most: Array, jerk: Array) -> float:
    """Of all joints, s."""
    longest = 0.0
    for j in range(rates.shape[0]):
        longest = max(longest, stop_way(rates[j], accelerations[j], most[j], jerk[j])[3])
    return longest


@kernel
def can_stop(
    joints: Array, rates: Array, accelerations: Array, lower: Array, upper: Array, speed: Array, most: Array, jerk: Array
) -> bool:  # fmt: skip
    """Would every joint that stops from now on stay within its range and its speed?"""
    for j in range(joints.shape[0]):
        low, high, _, _ = stop_way(rates[j], accelerations[j], most[j], jerk[j])
        if not (lower[j] <= joints[j] + low and joints[j] + high <= upper[j]):
            return False
        a = accelerations[j]
        still = rates[j] + a * abs(a) / (2.0 * jerk[j])  # the rate goes on to change until the acceleration has ended
        if not max(abs(rates[j]), abs(still)) <= speed[j]:
            return False
    return True
