"""Random numbers for pictures: made inside kernels from a key and a count, so that each pixel has its own.

What a pixel draws depends on nothing but the exposure's key and the pixel: a brighter neighbour changes nothing. The bits are
SplitMix64's (Steele, Lea and Flood 2014: a counter in steps of the golden ratio, mixed). Normal numbers come by the ziggurat
(Marsaglia and Tsang 2000), Poisson numbers from tables where few are expected, else by Giles's expansion of the inverse
distribution (2016, ACM TOMS algorithm 955): from MANY on all its errors in probability add up to less than 1e-4, of which
a picture of a million pixels could tell nothing.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.maths.kernel import kernel

MANY: Final = 12.0  # expected, from which on the expansion is used

_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_STRIDE: Final = np.uint64(
    4096 * 0x9E3779B97F4A7C15 % 2**64
)  # a pixel may draw 4096 numbers before it meets its neighbour's
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S8, _S11, _S27, _S30, _S31, _ONE, _LAYER = (np.uint64(n) for n in (8, 11, 27, 30, 31, 1, 255))
_UNIT: Final = 2.0**-53
_TAIL: Final = 3.6541528853610088  # where the lowest of 256 layers ends
_AREA: Final = 4.92867323399e-3  # of each layer
_ROWS: Final = 16.0  # tables for each unit of the mean


def _layers() -> tuple[np.ndarray, np.ndarray]:
    """(257) right ends of the layers, from the lowest (with its tail made a box) to the top, and exp(-x²/2) there."""
    x = np.zeros(257)
    x[0], x[1] = _AREA / math.exp(-0.5 * _TAIL**2), _TAIL
    for i in range(2, 256):
        x[i] = math.sqrt(-2.0 * math.log(_AREA / x[i - 1] + math.exp(-0.5 * x[i - 1] ** 2)))
    return x, np.exp(-0.5 * x * x)


def _sums() -> np.ndarray:
    """(rows, 32) probabilities of at most 0, 1, 2 … of the means 0, 1/16, 2/16 …"""
    mean, k = np.arange(0.0, MANY, 1.0 / _ROWS)[:, None], np.arange(1, 32)
    shares = np.cumprod(np.hstack((np.exp(-mean), mean / k)), axis=1)
    return np.cumsum(shares, axis=1)


_X, _F = _layers()
_SUMS = _sums()


@kernel
def begin(key: np.uint64, pixel: int) -> np.uint64:
    """The pixel's own state."""
    return key + np.uint64(pixel) * _STRIDE


@kernel
def mixed(state: np.uint64) -> np.uint64:
    """64 even bits of a state."""
    z = (state ^ (state >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@kernel
def uniform(state: np.uint64) -> tuple[np.uint64, float]:
    """(next state, 0 to below 1)."""
    state = state + _GOLDEN
    return state, np.int64(mixed(state) >> _S11) * _UNIT  # a signed number becomes a float in one step


@kernel
def normal(state: np.uint64) -> tuple[np.uint64, float]:
    """(next state, of mean 0 and variance 1)."""
    while True:
        state = state + _GOLDEN
        bits = mixed(state)
        layer = np.int64(bits & _LAYER)
        sign = 1.0 - 2.0 * np.int64((bits >> _S8) & _ONE)
        x = np.int64(bits >> _S11) * _UNIT * _X[layer]
        if x < _X[layer + 1]:  # 98.8 %
            return state, sign * x
        if layer == 0:
            state, x = _beyond(state)
            return state, sign * x
        state, share = uniform(state)
        if _F[layer] + share * (_F[layer + 1] - _F[layer]) < math.exp(-0.5 * x * x):
            return state, sign * x


@kernel
def _beyond(state: np.uint64) -> tuple[np.uint64, float]:
    """A number of the tail, from _TAIL on."""
    while True:
        state, u = uniform(state)
        state, v = uniform(state)
        x = -math.log(1.0 - u) / _TAIL
        if -2.0 * math.log(1.0 - v) >= x * x:
            return state, _TAIL + x


@kernel
def poisson(state: np.uint64, mean: float) -> tuple[np.uint64, float]:
    """(next state, a whole number of this mean)."""
    if mean < MANY:
        return _few(state, mean)
    state, w = normal(state)
    root, w2 = math.sqrt(mean), w * w
    small = 1.0 / root
    third = -w * (1.0 / 36.0 + w2 * (1.0 / 72.0))
    fourth = w2 * (7.0 / 810.0 + w2 * (1.0 / 270.0)) - 8.0 / 405.0
    count = mean + root * w + (1.0 / 3.0 + w2 * (1.0 / 6.0)) + small * (third + small * fourth)
    return state, float(int(max(0.0, count)))


@kernel
def _few(state: np.uint64, mean: float) -> tuple[np.uint64, float]:
    """The sum of two: one of the nearest mean below that has a table, and one of the small rest, which is mostly zero."""
    row = int(mean * _ROWS)
    rest = mean - row / _ROWS
    state, share = uniform(state)
    count = 0
    for half in (16, 8, 4, 2, 1):  # no branch: a processor would guess wrongly, which costs more than all the rest
        count += half * (share >= _SUMS[row, count + half - 1])
    state, share = uniform(state)
    if share >= 1.0 - rest:  # exp(-rest), of zero, is not below 1 - rest
        count += _searched(share, rest)
    return state, float(count)


@kernel
def _searched(share: float, mean: float) -> int:
    """The count up to which the probabilities add up to ``share``."""
    count, chance = 0, math.exp(-mean)
    while share >= chance and count < 20:
        share -= chance
        count += 1
        chance *= mean / count
    return count
