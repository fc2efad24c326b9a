"""Where the two spacecraft of a mission stand in LVLH, from what its log says of them.

One record at a time and in plain Python: the recorder asks for one or two in a block, where numpy would take ten times as long.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import QUATERNION, XYZ

P, V = (tuple(f"{what}_{axis}" for axis in XYZ) for what in "pv")
CRAFT: Final = ("target", "chaser")
ORBIT_FRAMES: Final = tuple(("lvlh", f"{craft}/mass_centre") for craft in CRAFT)
"""(parent, child): origin in the craft's centre of mass, axes of its body."""
Numbers = tuple[float, ...]


def in_orbit(pool: NDArray[np.void], rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Those of ``rows`` with a mission: before its application has said anything, and after it is gone, its groups are zero."""
    flying: NDArray[np.intp] = rows[pool["orbit"]["v_x"][rows] != 0.0]
    return flying


def orbit_poses(pool: NDArray[np.void], rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """(n, 2, 7): x y z qw qx qy qz of the mass centres of target and chaser in LVLH, whose origin is the target's."""
    return np.array([_poses(pool, int(row)) for row in rows])


def _poses(pool: NDArray[np.void], row: int) -> tuple[Numbers, Numbers]:
    w, x, y, z = _lvlh(_values(pool["orbit"], P, row), _values(pool["orbit"], V, row))
    q_target, q_chaser = (
        _product((w, -x, -y, -z), _values(pool[f"{craft}_attitude"], QUATERNION, row)) for craft in CRAFT
    )
    return (0.0, 0.0, 0.0, *q_target), (*_values(pool["relative"], P, row), *q_chaser)


def _values(group: NDArray[np.void], names: tuple[str, ...], row: int) -> Numbers:
    return tuple(float(group[name][row]) for name in names)


def _lvlh(p: Numbers, v: Numbers) -> Numbers:
    """q_eci_lvlh of position and velocity: x along the flight, z to the Earth, y against the orbit's normal."""
    z, y = _unit(tuple(-c for c in p)), _unit(_cross(v, p))
    (xx, yx, zx), (xy, yy, zy), (xz, yz, zz) = _cross(y, z), y, z
    wx, wy, wz, x_y, y_z, z_x = zy - yz, xz - zx, yx - xy, xy + yx, yz + zy, xz + zx
    rows = (  # each is the quaternion but for a factor; the longest keeps its digits
        (1.0 + xx + yy + zz, wx, wy, wz),
        (wx, 1.0 + xx - yy - zz, x_y, z_x),
        (wy, x_y, 1.0 - xx + yy - zz, y_z),
        (wz, z_x, y_z, 1.0 - xx - yy + zz),
    )
    return _unit(max(rows, key=lambda row: math.hypot(*row)))


def _unit(v: Numbers) -> Numbers:
    length = math.hypot(*v)
    return tuple(c / length for c in v)


def _cross(a: Numbers, b: Numbers) -> Numbers:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _product(a: Numbers, b: Numbers) -> Numbers:
    """q_a_c of q_a_b and q_b_c."""
    (aw, ax, ay, az), (bw, bx, by, bz) = a, b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )
