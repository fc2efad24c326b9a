"""How much of the hall's rates a motion uses: at 1 the bridge begins to fall behind its client.

Axes: the ride follows up to a share ``FULL`` of their speeds, and to all of their accelerations. Ports: the speed, rate and
accelerations that the bridge allows them in the lab. A step of velocity is caught up by the clutch; it counts as the
acceleration that takes half a second for it, and what the motion begins with (the clutch is just closing there) does not count.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.ride import FULL
from proxops.lab.cell import Cell
from proxops.lab.coordinates import HallRecord, port_poses
from proxops.maths.kernel import kernel
from proxops.maths.pose import pack_pose

Floats = NDArray[np.float64]
WINDOW_S: Final = 0.5
PORTS: Final = tuple(
    f"port {port} {rate}" for rate in ("speed", "acceleration", "rate", "angular acceleration") for port in (1, 2)
)


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


def pose_rates(poses: Floats, step_s: float) -> Floats:
    """dp/dt and angular rate (n, 6) of T_a_b, in frame a, from packed poses."""
    out = np.empty((len(poses), 6))
    out[:, :3] = rates(poses[:, :3], step_s)
    a, b = poses[:-1, 3:], poses[1:, 3:]  # b conj(a)
    w = np.einsum("ij,ij->i", a, b)
    vector = a[:, :1] * b[:, 1:] - b[:, :1] * a[:, 1:] - np.cross(b[:, 1:], a[:, 1:])
    length = np.linalg.norm(vector, axis=1)
    angle = 2.0 * np.arctan2(length, np.abs(w)) * np.sign(np.where(w == 0.0, 1.0, w))
    out[1:, 3:] = vector * (angle / np.where(length > 0.0, length, 1.0) / step_s)[:, None]
    out[:1, 3:] = out[1:2, 3:] if len(poses) > 1 else 0.0
    return out


@kernel
def _port_course(hall: HallRecord, q: Floats, poses: Floats) -> None:
    """T_lab_port of both ports for each row of axes, packed (n, 2, 7)."""
    for k in range(len(q)):
        T1, T2 = port_poses(hall, q[k])
        pack_pose(T1, poses[k, 0])
        pack_pose(T2, poses[k, 1])


def port_use(cell: Cell, limits: Floats, q: Floats, step_s: float) -> Floats:
    """Use (n, 8) of ``limits`` (m/s, m/s², rad/s, rad/s²) by both ports in the lab, ordered as ``PORTS``."""
    poses = np.empty((len(q), 2, 7))
    _port_course(cell.hall, q, poses)
    columns = []
    for port in (0, 1):
        rate = pose_rates(poses[:, port], step_s)
        change = changes(rate, step_s)
        vectors = rate[:, :3], change[:, :3], rate[:, 3:], change[:, 3:]
        columns.append(np.stack([np.linalg.norm(vector, axis=1) for vector in vectors], axis=1) / limits)
    return np.stack(columns, axis=2).reshape(len(q), 8)


def rate_use(cell: Cell, limits: Floats, q: Floats, rate: Floats, step_s: float) -> Floats:
    """Use (n, 34) of axis speeds and accelerations and of the ports' four ``limits`` (m/s, m/s², rad/s, rad/s²)."""
    h = cell.hall[0]
    axes = np.abs(rate) / (FULL * h["speed"]), np.abs(changes(rate, step_s)) / h["acceleration"]
    return np.concatenate([*axes, port_use(cell, limits, q, step_s)], axis=1)
