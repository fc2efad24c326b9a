"""At which moments of an exposure its samples are taken, and where everything is then.

A pixel has nine samples. If the picture moves, each is taken at a moment of its own; if it moves far, so many times nine are
taken that an edge goes on by less than a pixel from one moment to the next.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.lens import Lens
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, put_matrix
from proxops.maths.stack import matrix
from proxops.optics.exposure import Exposure

SAMPLES: Final = 9
STILL_PX: Final = 0.1  # motion over an exposure that nobody sees
PX_A_ROUND: Final = 5.0  # motion in the time of nine samples: 0.6 px from one to the next
MOST_ROUNDS: Final = 24
ORDER: Final = np.array([1, 6, 5, 8, 4, 0, 3, 2, 7])  # of the nine in time, a magic square: no row or column is early


def poses_at(poses: Array, share: float) -> Array:
    """Of (n, …, 7), evenly spread over the exposure, those after ``share`` (0 to 1) of it: lines, and the short way round."""
    at = share * (len(poses) - 1)
    first = min(int(at), max(len(poses) - 2, 0))
    one, other, s = poses[first], poses[min(first + 1, len(poses) - 1)], at - first
    out: Array = one + s * (other - one)
    out[..., 3:] = _slerp(one[..., 3:], other[..., 3:], s)
    return out


def share_of(turn: int, s: int, count: int) -> float:
    """Of the exposure, after which the sample ``s`` of nine is taken, in this of ``count`` rounds. The order changes from round
    to round, or an edge would always be at the same place in the pixel."""
    return float((turn + ((ORDER[s] + 4 * turn) % SAMPLES + 0.5) / SAMPLES) / count)


def _slerp(p: Array, q: Array, s: float) -> Array:
    cosine = np.sum(p * q, axis=-1, keepdims=True)
    q, cosine = np.where(cosine < 0.0, -q, q), np.minimum(np.abs(cosine), 1.0)
    angle = np.arccos(cosine)
    sine = np.sin(angle)
    close = sine < 1e-6  # where a straight line is as good
    safe = np.where(close, 1.0, sine)
    a = np.where(close, 1.0 - s, np.sin((1.0 - s) * angle) / safe)
    b = np.where(close, s, np.sin(s * angle) / safe)
    out: Array = a * p + b * q
    out /= np.linalg.norm(out, axis=-1, keepdims=True)
    return out


@kernel
def put_seen(T_scene_body: Array, T_scene_sensor: Array, T_sensor_body: Array, T_body_sensor: Array) -> None:
    """(B, 12) each, R by rows and p, of packed poses (B, 7) and (7)."""
    R_scene_sensor, R_scene_body = matrix(3, 3), matrix(3, 3)
    put_matrix(T_scene_sensor[3:7], R_scene_sensor)
    for b in range(T_scene_body.shape[0]):
        put_matrix(T_scene_body[b, 3:7], R_scene_body)
        to, back = T_sensor_body[b], T_body_sensor[b]
        for i in range(3):
            to[9 + i], back[9 + i] = 0.0, 0.0
            for j in range(3):
                away = T_scene_body[b, j] - T_scene_sensor[j]
                to[9 + i] += R_scene_sensor[j, i] * away
                back[9 + i] -= R_scene_body[j, i] * away
                value = 0.0
                for c in range(3):
                    value += R_scene_sensor[c, i] * R_scene_body[c, j]
                to[3 * i + j] = value
                back[3 * j + i] = value


def seen_at(exposure: Exposure, share: float) -> tuple[Array, Array]:
    """``T_sensor_body`` and ``T_body_sensor`` (B, 12) at a moment."""
    bodies = exposure.T_scene_body.shape[1]
    to, back = np.empty((bodies, 12)), np.empty((bodies, 12))
    put_seen(poses_at(exposure.T_scene_body, share), poses_at(exposure.T_scene_sensor, share), to, back)
    return to, back


def rounds(exposure: Exposure, lens: Lens, boxes: Array) -> int:
    """How often nine samples are taken of each pixel; 0: nothing moves. ``boxes`` (B, 6) round the bodies."""
    n = len(exposure.T_scene_sensor)
    if n == 1:
        return 0
    shares = np.linspace(0.0, 1.0, min(n, 5))
    places = [_corners(seen_at(exposure, float(share))[0], boxes) for share in shares]
    way = sum((_moved_px(a, b, lens) for a, b in pairwise(places)), np.zeros(1))
    most = float(np.max(way, initial=0.0))
    if most < STILL_PX:
        return 0
    return min(max(1, math.ceil(most / PX_A_ROUND)), MOST_ROUNDS)


def _corners(T_sensor_body: Array, boxes: Array) -> Array:
    """(B, 8, 3) of the boxes, in the sensor's frame."""
    picked = np.array([[0 + 3 * (c & 1), 1 + 3 * (c >> 1 & 1), 2 + 3 * (c >> 2)] for c in range(8)])
    corners = boxes[:, picked]
    R, p = T_sensor_body[:, :9].reshape(-1, 3, 3), T_sensor_body[:, 9:]
    out: Array = np.einsum("bij,bcj->bci", R, corners) + p[:, None]
    return out


def _moved_px(a: Array, b: Array, lens: Lens) -> Array:
    """How far each corner goes in the picture, in pixels. What is nearer than 0.3 m counts as 0.3 m away; what is beside the
    picture, as at its rim."""
    limit = np.hypot(lens.width / lens.fx, lens.height / lens.fy)
    pa, pb = (np.clip(p[..., :2] / np.maximum(p[..., 2:], 0.3), -limit, limit) for p in (a, b))
    seen = (a[..., 2] > 0.0) | (b[..., 2] > 0.0)
    out: NDArray[np.float64] = np.where(seen, np.linalg.norm((pb - pa) * (lens.fx, lens.fy), axis=-1), 0.0)
    return out
