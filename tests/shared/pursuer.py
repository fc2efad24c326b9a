"""A point and an attitude that pursue an estimate, each by itself: the law of ``bridge.pursuit`` with nothing around it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.estimate import Estimate
from proxops.bridge.pursuit import DT, pursue, pursue_attitude, time_left
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import length, turn, way_between
from proxops.maths.rotation import Array

NEAR_M, NEAR_RAD = 1e-4, 1e-4  # bounds of the time that is foretold

PURSUER_DTYPE = np.dtype(
    [
        ("p", "f8", (3,)), ("v", "f8", (3,)), ("q", "f8", (4,)), ("w", "f8", (3,)), ("way", "f8", (3,)),
        ("left_m", "f8"), ("left_rad", "f8"), ("left_s", "f8"),
    ]
)  # fmt: skip
Pursuer = NDArray[np.void]


def seated_pursuer(pose: Array) -> Pursuer:
    """At rest at a packed pose."""
    pursuer = np.zeros(1, PURSUER_DTYPE)
    pursuer[0]["p"], pursuer[0]["q"] = pose[:3], pose[3:] / np.linalg.norm(pose[3:])
    return pursuer


@kernel
def advance(pursuer: Pursuer, est: Estimate, limits: Array) -> None:
    """One tick. ``limits``: m/s, m/s², rad/s, rad/s²."""
    c, s = pursuer[0], est[0]
    e, u, back, before = np.empty(3), np.empty(3), np.empty(3), np.empty(4)
    for i in range(3):
        u[i] = s.v[i] - 0.5 * DT * s.a[i]
        e[i] = s.p[i] - u[i] * DT - c.p[i]
    landed = pursue(e, u, s.a, c.v, limits[0], limits[1], s.rms_m)
    for i in range(3):
        c.p[i] = s.p[i] if landed else c.p[i] + c.v[i] * DT
        e[i] = s.p[i] - c.p[i]
    c.left_m = length(e)
    time = time_left(e, c.v, u, s.a, limits[0], limits[1], NEAR_M)
    for i in range(3):
        u[i] = s.w[i] - 0.5 * DT * s.alpha[i]
        back[i] = -u[i] * DT
    before[:] = s.q
    turn(before, back)
    turning = pursue_attitude(c.q, c.w, c.way, s.q, before, u, s.alpha, limits[2], limits[3], s.rms_rad, NEAR_RAD)
    c.left_rad = way_between(c.q, s.q, e)
    c.left_s = max(time, turning)
