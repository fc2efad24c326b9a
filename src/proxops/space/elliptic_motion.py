"""Free motion near a target on an ellipse, linearised, in lvlh: as a transition over any time, and as differential equations.

The transition solves the equations of Tschauner and Hempel (1965) in the form of Yamanaka and Ankersen, Journal of
Guidance, Control, and Dynamics 25 (2002) 60-66: no singularity at any anomaly, and e = 0 gives Clohessy-Wiltshire.
The differential equations are eqs. 4-6 of paper 003 (OnOrbitROS) without its misprints, turned into our axes.
"""

from __future__ import annotations

import math

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.quaternion import cross, length
from proxops.maths.rotation import Array
from proxops.space.kepler import mean_from_true, mean_motion, true_from_mean


@kernel
def elliptic_transition(a: float, e: float, true_anomaly: float, t: float, mu: float, phi: Array) -> None:
    """``phi`` (6, 6) := from place and velocity in lvlh, where the target is at ``true_anomaly``, to ``t`` seconds later."""
    n = mean_motion(a, mu)
    later = true_from_mean(mean_from_true(true_anomaly, e) + n * t, e)
    pace = n / (1.0 - e * e) ** 1.5  # h / p^2: the anomaly runs at pace * rho^2
    solution, back = np.zeros((6, 6)), np.zeros((6, 6))
    _solutions(e, later, pace * t, solution)
    _constants(e, true_anomaly, back)
    scaled, inwards = np.zeros((6, 6)), np.zeros((6, 6))
    _scaling(e, true_anomaly, pace, inwards)
    _product(back, inwards, scaled)
    _product(solution, scaled, back)
    _unscale(e, later, pace, back, phi)


@kernel
def elliptic_acceleration(p: Array, v: Array, mu: float, x: Array, x_dot: Array, out: Array) -> None:
    """``out`` := x'' in lvlh (m/s^2) of a chaser at ``x`` with velocity ``x_dot`` there; target at ``p``, ``v`` in ECI.

    Gravity to first order and the apparent forces of a frame that turns at h / r^2. They belong to this turning frame only: in
    a frame with inertial axes nothing but the difference of gravity acts.
    """
    r = length(p)
    h = length(cross(p, v))
    w, pull = h / (r * r), mu / (r * r * r)
    w_dot = -2.0 * h * (p[0] * v[0] + p[1] * v[1] + p[2] * v[2]) / r**4
    out[0] = (w * w - pull) * x[0] + w_dot * x[2] + 2.0 * w * x_dot[2]
    out[1] = -pull * x[1]
    out[2] = (w * w + 2.0 * pull) * x[2] - w_dot * x[0] - 2.0 * w * x_dot[0]


@kernel
def _scaling(e: float, anomaly: float, pace: float, out: Array) -> None:
    """Place and velocity → place times rho, and its derivative by the anomaly; rho = 1 + e cos(anomaly)."""
    rho, slope = 1.0 + e * math.cos(anomaly), -e * math.sin(anomaly)
    for k in range(3):
        out[k, k] = rho
        out[3 + k, k] = slope
        out[3 + k, 3 + k] = 1.0 / (pace * rho)


@kernel
def _unscale(e: float, anomaly: float, pace: float, scaled: Array, out: Array) -> None:
    """The way back, applied to the rows of a matrix."""
    rho, slope = 1.0 + e * math.cos(anomaly), -e * math.sin(anomaly)
    for k in range(3):
        for j in range(6):
            out[k, j] = scaled[k, j] / rho
            out[3 + k, j] = pace * (rho * scaled[3 + k, j] - slope * scaled[k, j])


@kernel
def _solutions(e: float, anomaly: float, j: float, out: Array) -> None:
    """Columns: the six independent motions, rows as above; ``j``: pace times the time since the start."""
    cosine, sine = math.cos(anomaly), math.sin(anomaly)
    rho = 1.0 + e * cosine
    s, c = rho * sine, rho * cosine
    s_dot = cosine + e * math.cos(2.0 * anomaly)
    c_dot = -(sine + e * math.sin(2.0 * anomaly))
    out[0, 0], out[0, 2], out[0, 3], out[0, 5] = 1.0, -c * (1.0 + 1.0 / rho), s * (1.0 + 1.0 / rho), 3.0 * rho * rho * j
    out[2, 2], out[2, 3], out[2, 5] = s, c, 2.0 - 3.0 * e * s * j
    out[3, 2], out[3, 3], out[3, 5] = 2.0 * s, 2.0 * c - e, 3.0 * (1.0 - 2.0 * e * s * j)
    out[5, 2], out[5, 3], out[5, 5] = s_dot, c_dot, -3.0 * e * (s_dot * j + s / (rho * rho))
    # Across the plane: an oscillation in the anomaly.
    out[1, 1], out[1, 4], out[4, 1], out[4, 4] = cosine, sine, -sine, cosine


@kernel
def _constants(e: float, anomaly: float, out: Array) -> None:
    """The inverse of the matrix above at the start (j = 0)."""
    cosine, sine = math.cos(anomaly), math.sin(anomaly)
    rho = 1.0 + e * cosine
    s, c, k = rho * sine, rho * cosine, 1.0 / (1.0 - e * e)
    out[0, 0] = 1.0
    out[0, 2] = k * 3.0 * e * s * (1.0 / rho + 1.0 / (rho * rho))
    out[0, 3] = -k * e * s * (1.0 + 1.0 / rho)
    out[0, 5] = k * (2.0 - e * c)
    out[2, 2], out[2, 3], out[2, 5] = (
        -k * 3.0 * s * (1.0 / rho + e * e / (rho * rho)),
        k * s * (1.0 + 1.0 / rho),
        k * (c - 2.0 * e),
    )
    out[3, 2], out[3, 3], out[3, 5] = -k * 3.0 * (c / rho + e), k * (c * (1.0 + 1.0 / rho) + e), -k * s
    out[5, 2], out[5, 3], out[5, 5] = k * (3.0 * rho + e * e - 1.0), -k * rho * rho, k * e * s
    out[1, 1], out[1, 4], out[4, 1], out[4, 4] = cosine, -sine, sine, cosine


@kernel
def _product(a: Array, b: Array, out: Array) -> None:
    """``out`` := a b of two matrices (6, 6)."""
    for i in range(6):
        for j in range(6):
            total = 0.0
            for k in range(6):
                total += a[i, k] * b[k, j]
            out[i, j] = total
