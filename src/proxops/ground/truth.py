"""Ground truth at any instant of a log: axes and poses of both ports between the 4 ms samples.

Fractions of an interval come from differences of integer nanoseconds. Positions and axes are linear (at 0.1
m/s² the error within 4 ms is 0.2 µm), orientations go along the great arc. Quaternions are scalar first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.messages import AXES, AXIS_UNITS, POSE, POSE_UNITS
from proxops.ground.log import Log
from proxops.ground.pose_rows import relative

Floats = NDArray[np.float64]
_POSE: Final = tuple(zip(POSE, POSE_UNITS, strict=True))
_AXES: Final = tuple(zip(AXES, AXIS_UNITS, strict=True))
_NEEDED: Final = (*(f"actual_port{n}.{c}" for n in (1, 2) for c in POSE), *(f"actual.{a}" for a in AXES))
_NEARLY_EQUAL: Final = 1e-6  # below this angle in rad the arc is straight to rounding


@dataclass(frozen=True)
class Truth:
    """Values at instants, NaN outside the log; ``gap_ns`` is the interval that a row was taken from."""

    inside: NDArray[np.bool_]
    gap_ns: NDArray[np.int64]
    T_lab_port1: Floats
    T_lab_port2: Floats
    T_port1_port2: Floats
    axes: Floats

    def columns(self) -> list[tuple[str, str, Floats]]:
        """Name, unit and values of everything, one after the other."""
        out: list[tuple[str, str, Floats]] = []
        for name in ("T_lab_port1", "T_lab_port2", "T_port1_port2"):
            pose: Floats = getattr(self, name)
            out += [(f"{name}.{c}", u, pose[:, i]) for i, (c, u) in enumerate(_POSE)]
        out += [(f"actual.{a}", u, self.axes[:, i]) for i, (a, u) in enumerate(_AXES)]
        return out


def truth_at(log: Log, utc_ns: NDArray[np.int64]) -> Truth:
    """Actual poses of both ports in the lab, their relative pose, and the axes at the given instants."""
    for name in _NEEDED:
        log.column(name)
    times, samples = np.unique(log.values("clock.utc_ns"), return_index=True)
    if not times.size:
        raise BadInput("the log has no samples", where=str(log.path))
    inside = (utc_ns >= times[0]) & (utc_ns <= times[-1])
    before = np.clip(np.searchsorted(times, utc_ns, side="right") - 1, 0, max(times.size - 2, 0))
    after = np.minimum(before + 1, times.size - 1)
    gap = times[after] - times[before]
    share = np.where(inside, (utc_ns - times[before]) / np.maximum(gap, 1), np.nan)
    low, high = samples[before], samples[after]
    first, second = (_pose(log, f"actual_port{n}", low, high, share) for n in (1, 2))
    axes = _between(_stacked(log, "actual", AXES, low), _stacked(log, "actual", AXES, high), share)
    return Truth(inside, np.where(inside, gap, 0), first, second, relative(first, second), axes)


def _stacked(log: Log, group: str, names: tuple[str, ...], rows: NDArray[np.intp]) -> Floats:
    return np.stack([log.values(f"{group}.{name}")[rows] for name in names], axis=1)


def _between(low: Floats, high: Floats, share: Floats) -> Floats:
    return low + share[:, None] * (high - low)


def _pose(log: Log, group: str, low: NDArray[np.intp], high: NDArray[np.intp], share: Floats) -> Floats:
    a, b = _stacked(log, group, POSE, low), _stacked(log, group, POSE, high)
    return np.hstack([_between(a[:, :3], b[:, :3], share), slerp(a[:, 3:], b[:, 3:], share)])


def slerp(a: Floats, b: Floats, share: Floats) -> Floats:
    """Unit quaternions between ``a`` and ``b`` along the shorter great arc, row by row (Shoemake 1985)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        a, b = (q / np.linalg.norm(q, axis=1, keepdims=True) for q in (a, b))
        b = np.where(np.sum(a * b, axis=1, keepdims=True) < 0.0, -b, b)
        # atan2 of half difference and half sum keeps its digits for small angles, where arccos loses them
        angle = 2.0 * np.arctan2(np.linalg.norm(b - a, axis=1), np.linalg.norm(b + a, axis=1))
        straight = angle < _NEARLY_EQUAL
        sine = np.where(straight, 1.0, np.sin(angle))
        wa = np.where(straight, 1.0 - share, np.sin((1.0 - share) * angle) / sine)
        wb = np.where(straight, share, np.sin(share * angle) / sine)
        q = wa[:, None] * a + wb[:, None] * b
        out: Floats = q / np.linalg.norm(q, axis=1, keepdims=True)
    return out
