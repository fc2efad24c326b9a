"""Where moving frames stand in their parents: the joints of the hall by its axes, the craft in orbit by their mission.

Poses are rows x y z qw qx qy qz. Plain numpy over a whole block: this runs in the recorder, which knows no kernels.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import QUATERNION, XYZ

Floats = NDArray[np.float64]
INVERSE: Final = (1.0, -1.0, -1.0, -1.0)  # times a unit quaternion
P, V = (tuple(f"{what}_{axis}" for axis in XYZ) for what in "pv")
LVLH: Final = "lvlh"
CRAFT: Final = ("target", "chaser")
ORBIT_FRAMES: Final = tuple((LVLH, f"{craft}/mass_centre") for craft in CRAFT)
"""(parent, child): axes of the spacecraft, origin in its centre of mass."""


@dataclass(frozen=True)
class Joint:
    """Frame ``child`` in ``parent`` at axis ``drive`` = q: origin + slide q, and still cos(q/2) + turned sin(q/2)."""

    parent: str
    child: str
    drive: int
    origin: tuple[float, ...]
    slide: tuple[float, ...]  # zero where it turns
    still: tuple[float, ...]  # quaternion at zero
    turned: tuple[float, ...]  # quaternion after half a turn; zero where it slides

    def plain(self) -> dict[str, Any]:
        """For JSON; ``Joint(**plain)`` gives it back."""
        return asdict(self)


class Joints:
    """All moving joints of the hall at once."""

    def __init__(self, joints: tuple[Joint, ...]) -> None:
        self.frames = [(joint.parent, joint.child) for joint in joints]
        self._drive = np.array([joint.drive for joint in joints], np.intp)
        self._origin, self._slide, self._still, self._turned = (
            np.array([getattr(joint, name) for joint in joints]) for name in ("origin", "slide", "still", "turned")
        )
        self._turns = self._turned.any(axis=1)

    def poses(self, q: Floats) -> Floats:
        """(n, joints, 7) at axes (n, 13)."""
        way = q[:, self._drive]
        half = np.where(self._turns, 0.5 * way, 0.0)[:, :, None]
        out = np.empty((*way.shape, 7))
        out[:, :, :3] = self._origin + self._slide * way[:, :, None]
        out[:, :, 3:] = self._still * np.cos(half) + self._turned * np.sin(half)
        return out


def orbit_poses(pool: NDArray[np.void], rows: NDArray[np.intp]) -> Floats:
    """(n, 2, 7): the mass centres of target and chaser in LVLH at the target's, with the axes of their bodies."""
    p, v = (_columns(pool["orbit"], names, rows) for names in (P, V))
    q_lvlh_eci = _quaternions(_lvlh(p, v)) * INVERSE
    out = np.zeros((rows.size, len(CRAFT), 7))
    out[:, 1, :3] = _columns(pool["relative"], P, rows)
    for i, craft in enumerate(CRAFT):
        out[:, i, 3:] = _product(q_lvlh_eci, _columns(pool[f"{craft}_attitude"], QUATERNION, rows))
    return out


def in_orbit(pool: NDArray[np.void], rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Where there is a mission: before the application has said anything, and after it is gone, its groups are zero."""
    there: NDArray[np.bool_] = (_columns(pool["orbit"], V, rows) != 0.0).any(axis=1)
    return there


def _columns(group: NDArray[np.void], names: tuple[str, ...], rows: NDArray[np.intp]) -> Floats:
    return np.stack([group[name][rows] for name in names], axis=1)


def _lvlh(p: Floats, v: Floats) -> Floats:
    """R_eci_lvlh (n, 3, 3) of position and velocity: x along the flight, z to the Earth, y against the orbit's normal."""
    z, y = -_unit(p), _unit(_cross(v, p))
    return np.stack([_cross(y, z), y, z], axis=2)


def _quaternions(R: Floats) -> Floats:
    """Of rotation matrices. Each row of q q^T, linear in R, is q but for a factor: the longest is taken."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = np.moveaxis(R, 0, 2)
    wx, wy, wz, x_y, y_z, z_x = zy - yz, xz - zx, yx - xy, xy + yx, yz + zy, xz + zx
    rows = (
        (1.0 + xx + yy + zz, wx, wy, wz),
        (wx, 1.0 + xx - yy - zz, x_y, z_x),
        (wy, x_y, 1.0 - xx + yy - zz, y_z),
        (wz, z_x, y_z, 1.0 - xx - yy + zz),
    )
    outer = np.array(rows)
    longest = np.argmax(np.einsum("aan->na", outer), axis=1)
    return _unit(outer[longest, :, np.arange(len(R))])


def _unit(v: Floats) -> Floats:
    out: Floats = v / np.sqrt(np.einsum("ni,ni->n", v, v))[:, None]
    return out


def _cross(a: Floats, b: Floats) -> Floats:
    """Component by component: for a few rows ``np.cross`` takes several times as long."""
    (ax, ay, az), (bx, by, bz) = a.T, b.T
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=1)


def _product(a: Floats, b: Floats) -> Floats:
    """q_a_c of q_a_b and q_b_c, row by row."""
    (aw, ax, ay, az), (bw, bx, by, bz) = a.T, b.T
    parts = (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )
    return np.stack(parts, axis=1)
