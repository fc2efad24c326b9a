"""What a lens makes of a point of light: a Gaussian, drawn over the picture once along columns and once along rows.

Weights are those of the discrete Gaussian (Lindeberg 1990: exp(-s²) I_n(s²), I the modified Bessel function): their variance is
s² exactly, also where s is below a pixel and samples of the bell curve would be too narrow. At the picture's edge it is as if
the world were mirrored there, so that no light is lost and none comes from nowhere.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel

LEFT_OUT: Final = 1e-6  # share of the light that may lie beyond the last weight

Picture = NDArray[np.float32]


def weights(sigma_px: float) -> Picture:
    """(radius + 1) from the middle outward, of one side; both sides and the middle add up to one."""
    if sigma_px == 0.0:
        return np.ones(1, np.float32)
    size = 1 << int(np.ceil(np.log2(16.0 * sigma_px + 16.0)))
    turn = 2.0 * np.pi * np.arange(size // 2 + 1) / size
    spread = np.fft.irfft(np.exp(sigma_px**2 * (np.cos(turn) - 1.0)), size)[: size // 2]  # the weights' own spectrum
    beyond = 1.0 - spread[0] - 2.0 * np.concatenate(([0.0], np.cumsum(spread[1:])))
    half = spread[: int(np.argmax(beyond < LEFT_OUT)) + 1]
    return np.asarray(half / (half[0] + 2.0 * half[1:].sum()), np.float32)


@kernel
def spread_light(sharp: Picture, half: Picture, blurred: Picture) -> None:
    """``blurred`` (h, w) from ``sharp`` with the weights of one side, ``half``."""
    height, width = sharp.shape
    radius = half.size - 1
    row = np.empty(width + 2 * radius, np.float32)
    middle = row[radius : radius + width]
    for v in range(height):
        for u in range(width):
            middle[u] = half[0] * sharp[v, u]
        for k in range(1, radius + 1):
            above, below, weight = sharp[_mirrored(v - k, height)], sharp[_mirrored(v + k, height)], half[k]
            for u in range(width):
                middle[u] += weight * (above[u] + below[u])
        _fold_ends(row, radius, width)
        for u in range(width):
            blurred[v, u] = half[0] * row[u + radius]
        for k in range(1, radius + 1):
            weight = half[k]
            for u in range(width):
                blurred[v, u] += weight * (row[u + radius - k] + row[u + radius + k])


@kernel
def _fold_ends(row: Picture, radius: int, width: int) -> None:
    for k in range(1, radius + 1):
        row[radius - k] = row[radius + _mirrored(-k, width)]
        row[radius + width - 1 + k] = row[radius + _mirrored(width - 1 + k, width)]


@kernel
def _mirrored(i: int, size: int) -> int:
    """Which of 0 … size - 1 stands at i: … 1 0 | 0 1 … size-1 | size-1 …"""
    i %= 2 * size
    return i if i < size else 2 * size - 1 - i
