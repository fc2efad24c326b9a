"""How much of the hall's and of the clutch's rates a motion uses: at 1 the bridge begins to fall behind its client.

Axes: the ride slows down from a share ``COMFORT`` of an axis' speed or acceleration on. Relative motion: the clutch never
exceeds its limits. A step of velocity is caught up by the clutch; it counts as the acceleration that takes half a second
for it, and what the motion begins with (the clutch is just closing there) does not count.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.ride import COMFORT
from proxops.lab.cell import Cell

Floats = NDArray[np.float64]
WINDOW_S: Final = 0.5
RELATIVE: Final = ("relative speed", "relative acceleration", "relative rate", "relative angular acceleration")


def rates(values: Floats, step_s: float) -> Floats:
    """Backward differences (n, m); the first sample has the rate of the second."""
    rate = np.zeros_like(values)
    if len(values) > 1:
        np.divide(np.diff(values, axis=0), step_s, out=rate[1:])
        rate[0] = rate[1]
    return rate


def changes(rate: Floats, step_s: float) -> Floats:
    """Accelerations (n, m): how much a rate has changed in the last ``WINDOW_S``."""
    width = max(1, round(WINDOW_S / step_s))
    before = rate[np.maximum(np.arange(len(rate)) - width, 0)]
    change: Floats = (rate - before) / (width * step_s)
    return change


def relative_rates(poses: Floats, step_s: float) -> Floats:
    """dp/dt and angular rate (n, 6) of T_target_chaser, in the target's frame, from packed poses."""
    out = np.empty((len(poses), 6))
    out[:, :3] = rates(poses[:, :3], step_s)
    a, b = poses[:-1, 3:], poses[1:, 3:]  # b conj(a), in the target's frame
    w = np.einsum("ij,ij->i", a, b)
    vector = a[:, :1] * b[:, 1:] - b[:, :1] * a[:, 1:] - np.cross(b[:, 1:], a[:, 1:])
    length = np.linalg.norm(vector, axis=1)
    angle = 2.0 * np.arctan2(length, np.abs(w)) * np.sign(np.where(w == 0.0, 1.0, w))
    out[1:, 3:] = vector * (angle / np.where(length > 0.0, length, 1.0) / step_s)[:, None]
    out[0, 3:] = out[1, 3:] if len(poses) > 1 else 0.0
    return out


def rate_use(cell: Cell, limits: Floats, rate: Floats, relative: Floats, step_s: float) -> Floats:
    """Use (n, 30) of axis speeds and accelerations and of the clutch's four ``limits`` (m/s, m/s², rad/s, rad/s²)."""
    h = cell.hall[0]
    change = changes(relative, step_s)
    vectors = relative[:, :3], change[:, :3], relative[:, 3:], change[:, 3:]
    lengths = np.stack([np.linalg.norm(vector, axis=1) for vector in vectors], axis=1)
    axes = np.abs(rate) / (COMFORT * h["speed"]), np.abs(changes(rate, step_s)) / (COMFORT * h["acceleration"])
    return np.concatenate([*axes, lengths / limits], axis=1)
