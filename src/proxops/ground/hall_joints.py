"""Where the moving frames of the hall stand in their parents, by its axes.

Poses are rows x y z qw qx qy qz.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel

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
        self._drive = np.array([joint.drive for joint in joints], np.int64)
        self._places = tuple(
            np.array([getattr(joint, name) for joint in joints], float)
            for name in ("origin", "slide", "still", "turned")
        )

    def poses(self, q: Floats) -> Floats:
        """(n, joints, 7) at axes (n, 13)."""
        out = np.empty((len(q), len(self.frames), 7))
        _fill(out, q, self._drive, *self._places)
        return out


@kernel
def _fill(
    out: Floats, q: Floats, drive: NDArray[np.int64], origin: Floats, slide: Floats, still: Floats, turned: Floats
) -> None:  # fmt: skip
    for row in range(len(q)):
        for joint in range(drive.size):
            way, pose = q[row, drive[joint]], out[row, joint]
            cosine, sine = math.cos(0.5 * way), math.sin(0.5 * way)
            if not turned[joint].any():
                cosine, sine = 1.0, 0.0
            for i in range(3):
                pose[i] = origin[joint, i] + slide[joint, i] * way
            for i in range(4):
                pose[3 + i] = still[joint, i] * cosine + turned[joint, i] * sine
