"""What came back to a sensor that measures distances: beams, each from where the sensor stood to what it met.

All are in the sensor's frame at the image's time. Of a scan, each beam is moved to where it would be if the client had stood
still since that time: with v and w its motion and p its origin, all at that time, a place x of s seconds later was at

    x' = p + Exp(−w s) (x − p − v s)
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proxops.maths.rotation import Array


@dataclass(frozen=True, eq=False)
class Beams:
    """``sigma``: noise of the distance, one standard deviation. ``phase``: of the modulated light, which the error that its
    harmonics leave goes with (rad); 0 of a scan. ``late_s``: after the image's time."""

    origin: Array  # (n, 3) m
    end: Array  # (n, 3) m
    sigma: Array  # (n) m
    phase: Array  # (n)
    late_s: Array  # (n)
    seen: NDArray[np.float32]  # (n, 2) px of a depth image, (n, 3) m of a scan: where it is in a picture of it
    spot_rad: Array  # (n) half of what a beam sees; 0 of a scan
    cell: NDArray[np.float32]  # (n, 2) right and down, with neighbours one apart
    apart_rad: float  # at which neighbours are, at most; of all beams, and so the last

    def __len__(self) -> int:
        return len(self.end)

    def some(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> Beams:
        return Beams(
            self.origin[which], self.end[which], self.sigma[which], self.phase[which], self.late_s[which],
            self.seen[which], self.spot_rad[which], self.cell[which], self.apart_rad,
        )  # fmt: skip

    def thinned(self, most: int) -> Beams:
        """So many at most, evenly."""
        n = len(self)
        return self if n <= most else self.some((np.arange(most) * (n / most)).astype(np.int64))


def together(one: Beams, other: Beams) -> Beams:
    """Of one image."""
    names = [part.name for part in fields(Beams) if part.name != "apart_rad"]
    arrays: dict[str, Any] = {name: np.concatenate([getattr(one, name), getattr(other, name)]) for name in names}
    return replace(one, **arrays)


def moved_back(place: Array, late_s: Array, centre: Array, motion: Array) -> Array:
    """``place`` (n, 3) at times ``late_s`` (n), taken back to time 0; ``motion`` (6): velocity of ``centre``, and rate."""
    rate = float(np.linalg.norm(motion[3:]))
    off = place - centre - late_s[:, None] * motion[:3]
    if rate < 1e-9:
        return np.asarray(centre + off)
    axis, angle = motion[3:] / rate, -rate * late_s[:, None]
    along = (off @ axis)[:, None] * axis
    return np.asarray(centre + along + np.cos(angle) * (off - along) + np.sin(angle) * np.cross(axis, off))
