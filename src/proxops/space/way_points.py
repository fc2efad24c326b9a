"""A path of the user's own: the smoothest curve through way-points with given times, and given velocities where there are any.

Of all curves through the points it is the one with the least integral of squared jerk: a quintic between neighbours, and
position, velocity and acceleration are continuous everywhere (without given velocities two more derivatives, too). What is
not given, accelerations and missing velocities at the points, follows from one block-tridiagonal system of equations.
Reference: de Boor, A Practical Guide to Splines (smoothest interpolation by natural splines of odd degree).
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.earth import EQUATOR_M
from proxops.core.errors import BadInput
from proxops.core.orbit_table import PathOrbit
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import length
from proxops.maths.rotation import Array
from proxops.space.ephemeris import COLUMNS, ephemeris_at

Given = NDArray[np.bool_]
LEAST_STEP_S: Final = 1e-3
LOOKS: Final = 20  # between neighbours, at the height of the path

# Third to fifth coefficient of a quintic over 0 … 1 from (p, v, a) at both ends, and the integral of its squared jerk.
_ENDS: Final = np.array(
    [[-10.0, -6.0, -1.5, 10.0, -4.0, 0.5], [15.0, 8.0, 1.5, -15.0, 7.0, -1.0], [-6.0, -3.0, -0.5, 6.0, -3.0, 0.5]]
)
_JERK: Final = np.array([[36.0, 72.0, 120.0], [72.0, 192.0, 360.0], [120.0, 360.0, 720.0]])
COST: Final = _ENDS.T @ _JERK @ _ENDS


def way_point_table(path: PathOrbit) -> Array:
    """The path as nodes of ``space/ephemeris.py``; between them its interpolation is the path itself, without error."""
    t = np.array([point.t_s for point in path.point])
    p = 1e3 * np.array([point.position_km for point in path.point])
    given = np.array([point.velocity_km_s is not None for point in path.point])
    v = 1e3 * np.array([point.velocity_km_s or (0.0, 0.0, 0.0) for point in path.point])
    _check(t, p, given)
    table = np.zeros((t.size, COLUMNS))
    table[:, 0], table[:, 1:4], table[:, 4:7] = t, p, v
    _smooth(table, given)
    _check_between(table)
    return table


def _check(t: Array, p: Array, given: Given) -> None:
    for k in np.flatnonzero(np.diff(t) < LEAST_STEP_S)[:1]:
        raise BadInput(
            f"orbit.point {k + 2}: times must grow", value=f"{t[k + 1]:g} s after {t[k]:g} s",
            bound=f"steps of {LEAST_STEP_S:g} s or more",
        )  # fmt: skip
    radius = np.sqrt((p * p).sum(axis=1))
    for k in np.flatnonzero(radius <= EQUATOR_M)[:1]:
        raise BadInput(
            f"orbit.point {k + 1}: inside the Earth", value=f"{1e-3 * radius[k]:.3f} km from its centre",
            bound=f"more than {1e-3 * EQUATOR_M:.3f} km",
        )  # fmt: skip
    if t.size + given.sum() < 3:
        raise BadInput("orbit.point: too few to make a path", value="2 points", way_out="add a point or a velocity")


def _check_between(table: Array) -> None:
    """The curve itself may dip into the Earth between points that are far apart."""
    moment, radius = _lowest(table)
    if not radius > EQUATOR_M:
        k = int(np.searchsorted(table[:, 0], moment))
        raise BadInput(
            f"orbit: the path through points {k} and {k + 1} runs into the Earth at t = {moment:.1f} s",
            value=f"{1e-3 * radius:.3f} km from its centre", bound=f"more than {1e-3 * EQUATOR_M:.3f} km",
            way_out="give more points or their velocities",
        )  # fmt: skip


@kernel
def _lowest(table: Array) -> tuple[float, float]:
    """When the path is nearest to the Earth's centre, and how near; NaN comes through."""
    p, v, when, least = np.empty(3), np.empty(3), 0.0, math.inf
    for k in range(table.shape[0] - 1):
        for look in range(LOOKS):
            t = table[k, 0] + (table[k + 1, 0] - table[k, 0]) * look / LOOKS
            ephemeris_at(table, t, p, v)
            radius = length(p)
            if not radius >= least:
                when, least = t, radius
    return when, least


def _smooth(table: Array, given: Given) -> None:
    """Fill in accelerations and missing velocities. Unknowns of a node: v s and a s^2, with s the mean step, so that the
    equations are of one size; a given velocity keeps its value through an equation of its own."""
    n = table.shape[0]
    scale = (table[-1, 0] - table[0, 0]) / (n - 1)
    own, after, right = _equations(table, scale)
    for k in np.flatnonzero(given).tolist():
        _fix_velocity(k, scale * table[k, 4:7], own, after, right)
    # Elimination from the first node to the last (blocks below the diagonal are the transposed ones above), and back.
    for k in range(n - 1):
        gain = np.linalg.solve(own[k], after[k]).T
        own[k + 1] -= gain @ after[k]
        right[k + 1] -= gain @ right[k]
    for k in range(n - 1, -1, -1):
        if k < n - 1:
            right[k] -= after[k] @ right[k + 1]
        right[k] = np.linalg.solve(own[k], right[k])
    table[~given, 4:7] = right[~given, 0] / scale
    table[:, 7:10] = right[:, 1] / scale**2


def _equations(table: Array, scale: float) -> tuple[Array, Array, Array]:
    """Squared jerk of all intervals, differentiated by the unknowns: blocks (n, 2, 2) on the diagonal and above it, and
    right-hand sides (n, 2, 3)."""
    h = np.diff(table[:, 0]) / scale
    powers = h[:, None] ** np.array([1.0, 2.0])
    sizes = (powers[:, :, None] * powers[:, None, :]) / h[:, None, None] ** 5
    ways = (powers / h[:, None] ** 5)[:, :, None] * np.diff(table[:, 1:4], axis=0)[:, None, :]
    own, after = np.zeros((h.size + 1, 2, 2)), sizes * COST[1:3, 4:6]
    own[:-1] += sizes * COST[1:3, 1:3]
    own[1:] += sizes * COST[4:6, 4:6]
    right = np.zeros((h.size + 1, 2, 3))
    right[:-1] -= COST[1:3, 3][:, None] * ways
    right[1:] -= COST[4:6, 3][:, None] * ways
    return own, after, right


def _fix_velocity(k: int, known: Array, own: Array, after: Array, right: Array) -> None:
    """Move a known velocity to the right-hand sides of all equations it stands in."""
    right[k, 1] -= own[k, 1, 0] * known
    if k > 0:
        right[k - 1] -= after[k - 1][:, :1] * known
        after[k - 1][:, 0] = 0.0
    if k < len(after):
        right[k + 1] -= after[k][0][:, None] * known
        after[k][0] = 0.0
    right[k, 0] = own[k, 0, 0] * known
    own[k, 0, 1] = own[k, 1, 0] = 0.0
