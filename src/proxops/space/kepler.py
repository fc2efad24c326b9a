"""Kepler's ellipse: elements and states in ECI, the three anomalies, and the closed-form motion about a point mass.

Elements: semi-major axis (m), eccentricity, inclination, right ascension of the ascending node, argument of perigee, true
anomaly (rad). Any unit of length does, as long as ``mu`` is in it. Only ellipses: 0 <= e < 1.
Reference: Vallado, Fundamentals of Astrodynamics and Applications, 4th ed., chapter 2.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.quaternion import cross, length
from proxops.maths.rotation import Array

# Below this sine or eccentricity a double knows no node or perigee: rounding of a state leaves some 1e-16.
NOTHING: Final = 1e-14


@kernel
def angle_minus_sine(x: float) -> float:
    """x - sin(x) without cancellation."""
    if abs(x) > 1.0:
        return x - math.sin(x)
    s, total = x * x, 1.0
    for k in range(8, 0, -1):  # Horner's rule over nine terms: the tenth is below 1e-18 of the first
        total = 1.0 - s / ((2.0 * k + 2.0) * (2.0 * k + 3.0)) * total
    return x * s / 6.0 * total


@kernel
def mean_from_true(true_anomaly: float, e: float) -> float:
    """Mean anomaly; whole turns are kept."""
    turns = math.floor((true_anomaly + math.pi) / (2.0 * math.pi))
    half = 0.5 * (true_anomaly - 2.0 * math.pi * turns)
    eccentric = 2.0 * math.atan2(math.sqrt(1.0 - e) * math.sin(half), math.sqrt(1.0 + e) * math.cos(half))
    # E - e sin E, written so that nothing cancels near perigee of a long ellipse.
    return (1.0 - e) * eccentric + e * angle_minus_sine(eccentric) + 2.0 * math.pi * turns


@kernel
def eccentric_from_mean(mean_anomaly: float, e: float) -> float:
    """Kepler's equation M = E - e sin E, for 0 <= M <= pi.

    On this half the equation is convex, so Newton's method from any point above the root comes down to it and never beyond.
    Upper bounds: E <= M + e, E <= M / (1 - e), and e E^3 / pi^2 <= M since (E - sin E) / E^3 falls to 1 / pi^2 at pi.
    """
    upper = min(math.pi, mean_anomaly + e, mean_anomaly / (1.0 - e))
    if e > 0.5:
        upper = min(upper, (math.pi * math.pi * mean_anomaly / e) ** (1.0 / 3.0))
    x = upper
    for _ in range(60):  # six were the most seen; a bound all the same
        slope = (1.0 - e) + 2.0 * e * math.sin(0.5 * x) ** 2
        if slope <= 0.0:
            break
        step = ((1.0 - e) * x + e * angle_minus_sine(x) - mean_anomaly) / slope
        x -= step
        if step <= 4e-16 * x:  # rounding of the residual
            break
    return x


@kernel
def true_from_mean(mean_anomaly: float, e: float) -> float:
    """True anomaly; whole turns are kept."""
    turns = math.floor((mean_anomaly + math.pi) / (2.0 * math.pi))
    rest = mean_anomaly - 2.0 * math.pi * turns
    half = 0.5 * eccentric_from_mean(min(abs(rest), math.pi), e)
    angle = 2.0 * math.atan2(math.sqrt(1.0 + e) * math.sin(half), math.sqrt(1.0 - e) * math.cos(half))
    return math.copysign(angle, rest) + 2.0 * math.pi * turns


@kernel
def state_from_elements(
    a: float, e: float, i: float, node: float, perigee: float, true_anomaly: float, mu: float, p: Array, v: Array
) -> None:
    """``p`` (m) and ``v`` (m/s) in ECI."""
    u = perigee + true_anomaly  # argument of latitude
    parameter = a * (1.0 - e) * (1.0 + e)
    radius = parameter / (1.0 + e * math.cos(true_anomaly))
    pace = math.sqrt(mu / parameter)
    outwards, across = pace * e * math.sin(true_anomaly), pace * (1.0 + e * math.cos(true_anomaly))
    cu, su, cn, sn, ci, si = math.cos(u), math.sin(u), math.cos(node), math.sin(node), math.cos(i), math.sin(i)
    up = (cn * cu - sn * su * ci, sn * cu + cn * su * ci, su * si)
    on = (-cn * su - sn * cu * ci, -sn * su + cn * cu * ci, cu * si)
    for k in range(3):
        p[k] = radius * up[k]
        v[k] = outwards * up[k] + across * on[k]


@kernel
def elements_from_state(p: Array, v: Array, mu: float, out: Array) -> None:
    """``out`` (6) := osculating elements, angles in 0 … 2 pi. An equatorial orbit gets its node on the x axis, a circular one
    its perigee at the node, so that the state comes back from them all the same."""
    h = cross(p, v)
    r, momentum = length(p), length(h)
    parameter = momentum * momentum / mu
    tilt = math.hypot(h[0], h[1])
    nx, ny = (-h[1] / tilt, h[0] / tilt) if tilt > NOTHING * momentum else (1.0, 0.0)
    node = math.atan2(ny, nx)
    # Argument of latitude: angle from the node's direction n to p, about h.
    beyond = (-ny * h[2] * p[0] + nx * h[2] * p[1] + (ny * h[0] - nx * h[1]) * p[2]) / momentum
    u = math.atan2(beyond, nx * p[0] + ny * p[1])
    e_cos = parameter / r - 1.0
    e_sin = math.sqrt(parameter / mu) * (p[0] * v[0] + p[1] * v[1] + p[2] * v[2]) / r
    e = math.hypot(e_cos, e_sin)
    anomaly = math.atan2(e_sin, e_cos) if e > NOTHING else u
    out[0] = 1.0 / (2.0 / r - (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / mu)
    out[1] = e if e > NOTHING else 0.0
    out[2] = math.atan2(tilt, h[2])
    out[3], out[4], out[5] = _one_turn(node), _one_turn(u - anomaly), _one_turn(anomaly)


@kernel
def _one_turn(angle: float) -> float:
    """The same angle in 0 … 2 pi."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi))


@kernel
def mean_motion(a: float, mu: float) -> float:
    """rad/s."""
    return math.sqrt(mu / a) / a


@kernel
def propagate(p: Array, v: Array, dt: float, mu: float, p_after: Array, v_after: Array) -> None:
    """The state ``dt`` seconds later under a point mass alone, in closed form; inputs may be outputs."""
    elements = np.empty(6)
    elements_from_state(p, v, mu, elements)
    a, e, i, node, perigee, anomaly = elements
    later = true_from_mean(mean_from_true(anomaly, e) + mean_motion(a, mu) * dt, e)
    state_from_elements(a, e, i, node, perigee, later, mu, p_after, v_after)
