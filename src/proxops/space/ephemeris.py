"""A path as a table of nodes (t, p, v, a in ECI; s and m) and quintic Hermite interpolation between them.

Position, velocity and acceleration are continuous, and velocity is the exact derivative of the position that is given out.
Error between nodes: |p^(6)| step^6 / 46080, for a circular orbit r (n step)^6 / 46080; with steps of 5 s at 400 km
5e-12 m, so rounding (1e-9 m) is all that is left.
"""

from __future__ import annotations

from typing import Final

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.stack import vector

COLUMNS: Final = 10  # t, p (3), v (3), a (3)


@kernel
def interval(table: Array, t: float) -> int:
    """Row at which the interval begins that holds ``t``; the first or the last one beyond the ends."""
    low, high = 0, table.shape[0] - 1
    while high - low > 1:
        middle = (low + high) // 2
        if table[middle, 0] <= t:
            low = middle
        else:
            high = middle
    return low


@kernel
def _polynomial(table: Array, row: int, k: int, c: Array) -> float:
    """``c`` (6) := coefficients of component ``k`` over the share 0 … 1 of an interval; returns its length in s."""
    h: float = table[row + 1, 0] - table[row, 0]
    v0, v1 = h * table[row, 4 + k], h * table[row + 1, 4 + k]
    a0, a1 = h * h * table[row, 7 + k], h * h * table[row + 1, 7 + k]
    way = table[row + 1, 1 + k] - table[row, 1 + k]
    c[0], c[1], c[2] = table[row, 1 + k], v0, 0.5 * a0
    c[3] = 10.0 * way - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1
    c[4] = -15.0 * way + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1
    c[5] = 6.0 * way - 3.0 * (v0 + v1) - 0.5 * (a0 - a1)
    return h


@kernel
def ephemeris_at(table: Array, t: float, p: Array, v: Array) -> None:
    """``p`` (m) and ``v`` (m/s) at ``t``; beyond the ends the outermost polynomial goes on, which is good for seconds only."""
    row, c = interval(table, t), vector(6)
    for k in range(3):
        h = _polynomial(table, row, k, c)
        s = (t - table[row, 0]) / h
        p[k] = c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5]))))
        v[k] = (c[1] + s * (2.0 * c[2] + s * (3.0 * c[3] + s * (4.0 * c[4] + s * 5.0 * c[5])))) / h


@kernel
def ephemeris_acceleration(table: Array, t: float, a: Array) -> None:
    """``a`` (m/s^2) at ``t``: the second derivative of the same polynomial."""
    row, c = interval(table, t), vector(6)
    for k in range(3):
        h = _polynomial(table, row, k, c)
        s = (t - table[row, 0]) / h
        a[k] = (2.0 * c[2] + s * (6.0 * c[3] + s * (12.0 * c[4] + s * 20.0 * c[5]))) / (h * h)
