"""Where bodies stand between the samples of an exposure: places along straight lines, quaternions along great circles."""

from __future__ import annotations

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array


def poses_at(samples: Array, share: Array) -> Array:
    """``samples`` (n, bodies, 7), packed x y z qw qx qy qz, spread evenly over an exposure with both ends; ``share`` (k) of the
    exposure that has passed, 0 to 1. Returns (k, bodies, 7). One sample: nothing moves."""
    out = np.empty((len(share), *samples.shape[1:]))
    _fill(np.ascontiguousarray(samples, np.float64), np.ascontiguousarray(share, np.float64), out)
    return out


@kernel
def _fill(samples: Array, share: Array, out: Array) -> None:
    last = samples.shape[0] - 1
    for k in range(share.shape[0]):
        along = min(max(share[k], 0.0), 1.0) * last
        begin = min(int(along), max(last - 1, 0))
        for b in range(samples.shape[1]):
            _between(samples[begin, b], samples[min(begin + 1, last), b], along - begin, out[k, b])


@kernel
def _between(one: Array, other: Array, share: float, out: Array) -> None:
    """Spherical linear interpolation, the short way; of quaternions that are nearly equal a straight line, made of length one."""
    for i in range(3):
        out[i] = one[i] + share * (other[i] - one[i])
    cosine = one[3] * other[3] + one[4] * other[4] + one[5] * other[5] + one[6] * other[6]
    sign = 1.0 if cosine >= 0.0 else -1.0
    angle = np.arccos(min(abs(cosine), 1.0))
    a, b = 1.0 - share, share
    if angle > 1e-6:
        a, b = np.sin(a * angle) / np.sin(angle), np.sin(b * angle) / np.sin(angle)
    square = 0.0
    for i in range(3, 7):
        out[i] = a * one[i] + b * sign * other[i]
        square += out[i] * out[i]
    for i in range(3, 7):
        out[i] /= np.sqrt(square)
