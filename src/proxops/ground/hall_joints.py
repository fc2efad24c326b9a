"""Where moving frames stand in their parents: the joints of the hall by its axes, the craft in orbit by their mission.

Poses are rows x y z qw qx qy qz. Plain numpy over a whole block: this runs in the recorder, which knows no kernels.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.ground.truth import product, rotated

Floats = NDArray[np.float64]
INVERSE: Final = (1.0, -1.0, -1.0, -1.0)  # times a unit quaternion
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


def orbit_poses(pool: NDArray[np.void]) -> Floats:
    """(n, 2, 7): the mass centres of target and chaser in LVLH at the target's, with the axes of their bodies."""
    out = np.zeros((pool.size, len(CRAFT), 7))
    q_lvlh_eci = _lvlh(_columns(pool["orbit"], 0, 3), _columns(pool["orbit"], 3, 6)) * INVERSE
    out[:, 1, :3] = _columns(pool["relative"], 0, 3)
    for i, craft in enumerate(CRAFT):
        out[:, i, 3:] = product(q_lvlh_eci, _columns(pool[f"{craft}_attitude"], 0, 4))
    return out


def in_orbit(pool: NDArray[np.void]) -> NDArray[np.bool_]:
    """Where there is a mission: before the application has said anything, and after it is gone, its groups are zero."""
    there: NDArray[np.bool_] = (_columns(pool["orbit"], 0, 3) != 0.0).any(axis=1)
    return there


def _columns(group: NDArray[np.void], first: int, last: int) -> Floats:
    names = (group.dtype.names or ())[first:last]
    return np.stack([group[name] for name in names], axis=1)


def _lvlh(p: Floats, v: Floats) -> Floats:
    """q_eci_lvlh of position and velocity: x along the flight, z to the Earth. Two turns, each the shortest: z onto the nadir,
    then x into the plane of the orbit; so no case of a matrix is treated differently from another."""
    z = -p / np.linalg.norm(p, axis=1, keepdims=True)
    q_eci_nadir = _shortest(np.array([0.0, 0.0, 1.0]), z)
    h = np.cross(v, p)  # y of LVLH, against the orbit's normal
    y = rotated(q_eci_nadir * INVERSE, h)
    angle = np.arctan2(-y[:, 0], y[:, 1])
    zero = np.zeros_like(angle)
    return product(q_eci_nadir, np.stack([np.cos(0.5 * angle), zero, zero, np.sin(0.5 * angle)], axis=1))


def _shortest(a: Floats, b: Floats) -> Floats:
    """Quaternions of the shortest turn of unit vector ``a`` onto ``b`` (n, 3); half a turn about x where they are opposed."""
    q = np.insert(np.cross(a, b), 0, 1.0 + b @ a, axis=1)
    length = np.linalg.norm(q, axis=1, keepdims=True)
    return np.where(length > 1e-9, q / np.maximum(length, 1e-9), (0.0, 1.0, 0.0, 0.0))
