"""What the Earth's flattening does to an ellipse in the long run: node, perigee and mean anomaly drift at constant rates.

The rates follow from Lagrange's planetary equations with the potential of J2 averaged over one revolution; size, shape
and inclination of the mean ellipse stay. First order in J2; periodic terms (some kilometres in low orbits) are left out.
Reference: Vallado, 4th ed., section 9.6; derivation and the misprints of paper 003: docs/orbit.md.
"""

from __future__ import annotations

import math

import numpy as np

from proxops.core.earth import J2, MU_M3_S2, RADIUS_M
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import cross, length
from proxops.maths.rotation import Array
from proxops.space.kepler import mean_from_true, mean_motion, state_from_elements, true_from_mean


@kernel
def secular_rates(a: float, e: float, i: float, out: Array) -> None:
    """``out`` (3) := rates of node, perigee and mean anomaly (rad/s) of a mean ellipse, the last with Kepler's own."""
    n = mean_motion(a, MU_M3_S2)
    parameter = a * (1.0 - e) * (1.0 + e)
    k = 1.5 * J2 * (RADIUS_M / parameter) ** 2 * n
    sin2 = math.sin(i) ** 2
    out[0] = -k * math.cos(i)
    out[1] = k * (2.0 - 2.5 * sin2)
    out[2] = n + k * math.sqrt((1.0 - e) * (1.0 + e)) * (1.0 - 1.5 * sin2)


@kernel
def kepler_rates(a: float, out: Array) -> None:
    """``out`` (3) as above for a round Earth: only the anomaly moves."""
    out[0], out[1], out[2] = 0.0, 0.0, mean_motion(a, MU_M3_S2)


@kernel
def drifting_state(elements: Array, rates: Array, t: float, p: Array, v: Array, acc: Array) -> None:
    """Position, velocity and acceleration in ECI, ``t`` seconds after the six ``elements``, which drift at ``rates``.

    Velocity and acceleration are exact derivatives of the position: the ellipse turns with w = node rate about the pole and
    perigee rate about the orbit normal, and its anomaly runs k times as fast as Kepler's.
    """
    a, e, i = elements[0], elements[1], elements[2]
    anomaly = true_from_mean(mean_from_true(elements[5], e) + rates[2] * t, e)
    node, perigee = elements[3] + rates[0] * t, elements[4] + rates[1] * t
    along = np.empty(3)  # velocity in the ellipse, if it stood still and had Kepler's pace
    state_from_elements(a, e, i, node, perigee, anomaly, MU_M3_S2, p, along)
    k = rates[2] / mean_motion(a, MU_M3_S2)
    normal = np.array([math.sin(node) * math.sin(i), -math.cos(node) * math.sin(i), math.cos(i)])
    turning = rates[1] * normal
    turning[2] += rates[0]
    # d(turning)/dt: the normal goes round the pole with the node.
    swing = rates[0] * rates[1] * np.array([-normal[1], normal[0], 0.0])
    v[:] = k * along + cross(turning, p)
    pull = -MU_M3_S2 / length(p) ** 3
    acc[:] = k * (k * pull * p + cross(turning, along)) + cross(turning, v) + cross(swing, p)
