"""Where the two spacecraft of a mission stand in LVLH, from what its log says of them."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import QUATERNION, XYZ
from proxops.ground.due_rows import bytes_at
from proxops.maths.kernel import kernel
from proxops.maths.rotation import put_quat
from proxops.maths.triple import Triple, composed, crossed, inverse, quad, triple

P, V = (tuple(f"{what}_{axis}" for axis in XYZ) for what in "pv")
CRAFT: Final = ("target", "chaser")
ORBIT_FRAMES: Final = tuple(("lvlh", f"{craft}/mass_centre") for craft in CRAFT)
"""(parent, child): origin in the craft's centre of mass, axes of its body."""
Floats = NDArray[np.float64]


def orbit_places(dtype: np.dtype[np.void]) -> NDArray[np.int64]:
    """Where a record has what is asked for below: position and velocity of the target, position of the chaser beside it, and the
    attitudes of both."""
    fields = ("orbit", P), ("orbit", V), ("relative", P), *((f"{craft}_attitude", QUATERNION) for craft in CRAFT)
    return np.array([at for group, names in fields for at in bytes_at(dtype, group, names)], np.int64)


def in_orbit(told: Floats) -> NDArray[np.bool_]:
    """Rows with a mission: before its application has said anything, and after it is gone, its groups are zero."""
    flying: NDArray[np.bool_] = told[:, 3] != 0.0
    return flying


def orbit_poses(told: Floats) -> Floats:
    """(n, 2, 7): x y z qw qx qy qz of the mass centres of target and chaser in LVLH, whose origin is the target's. ``told``: a
    row for each, by ``orbit_places``."""
    out = np.zeros((len(told), 2, 7))
    _fill(out, told)
    return out


@kernel
def _fill(out: Floats, told: Floats) -> None:
    R_eci_lvlh, q_eci_lvlh = np.empty((3, 3)), np.empty(4)
    for row in range(len(out)):
        _put_axes(triple(told[row], 0), triple(told[row], 3), R_eci_lvlh)
        put_quat(R_eci_lvlh, q_eci_lvlh)
        back = inverse(quad(q_eci_lvlh, 0))
        out[row, 1, 0], out[row, 1, 1], out[row, 1, 2] = triple(told[row], 6)
        out[row, 0, 3], out[row, 0, 4], out[row, 0, 5], out[row, 0, 6] = composed(back, quad(told[row], 9))
        out[row, 1, 3], out[row, 1, 4], out[row, 1, 5], out[row, 1, 6] = composed(back, quad(told[row], 13))


@kernel
def _put_axes(p: Triple, v: Triple, R: Floats) -> None:
    """R_eci_lvlh of position and velocity: x along the flight, z to the Earth, y against the orbit's normal."""
    z, y = _unit((-p[0], -p[1], -p[2])), _unit(crossed(v, p))
    x = crossed(y, z)
    for i in range(3):
        R[i, 0], R[i, 1], R[i, 2] = x[i], y[i], z[i]


@kernel
def _unit(v: Triple) -> Triple:
    length = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    return v[0] / length, v[1] / length, v[2] / length
