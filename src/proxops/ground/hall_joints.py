"""Where the moving frames of the hall stand in their parents, by its axes.

Poses are rows x y z qw qx qy qz. Plain numpy over a whole block: this runs in the recorder, which knows no kernels.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


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
