"""Braking: all axes slow down together along the direction they have, v(t) = v0 (1 + cos(pi t / T)) / 2.

T is as short as the slowest axis allows: the steepest deceleration pi/2 |v0| / T stays within every axis' limit. The way
to standstill is v0 T / 2, so the guard knows beforehand where a stop would end.

Who takes over from somebody that may have been braking already, and cannot know, brakes hard: constant deceleration,
v(t) = v0 (1 - t / T). Begun at any moment of the soft brake it ends before that would have (at its begin v0^2 / 2a against
pi/4 v0^2 / a), so no stop is lengthened.
"""

from __future__ import annotations

import math

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array


@kernel
def braking_time(v: Array, acceleration: Array) -> float:
    """Time in which all axes can come to rest from ``v`` within ``acceleration``."""
    longest = 0.0
    for i in range(v.shape[0]):
        longest = max(longest, 0.5 * math.pi * abs(v[i]) / acceleration[i])
    return longest


@kernel
def braking_way(t: float, T: float) -> float:
    """Way covered after ``t``, as a multiple of v0."""
    if t >= T:
        return 0.5 * T
    return 0.5 * t + 0.5 * T / math.pi * math.sin(math.pi * t / T)


@kernel
def hard_braking_time(v: Array, acceleration: Array) -> float:
    """Time in which all axes come to rest from ``v`` with constant decelerations within ``acceleration``."""
    longest = 0.0
    for i in range(v.shape[0]):
        longest = max(longest, abs(v[i]) / acceleration[i])
    return longest


@kernel
def hard_braking_way(t: float, T: float) -> float:
    """Way covered after ``t`` of hard braking, as a multiple of v0."""
    if t >= T:
        return 0.5 * T
    return t - 0.5 * t * t / T
