"""The search for a push among the last readings: every window that ends now, of whatever length, against the frozen baseline.

A window of n readings sums up to a vector of six with the variance n + n² v in each component (v is the baseline's), so its
length by the root of that is the same test for a tap of one sample and a slow shove of 25, in force and torque alike. When a
window crosses, the push is taken to have begun where the sum, less ``allowance`` sigmas a sample, is largest.
"""

from __future__ import annotations

import math

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.touch.force_baseline import SIX, Baseline, residual, variance

CONE = 0.6  # tangent of the half angle about the opposite of a push, within which everything is its counter-impulse


@kernel
def first_sample(
    ring: Array, baseline: Baseline, now: int, oldest: int, threshold: float, allowance: float, push: Array, part: Array,
    sums: Array,
) -> int:  # fmt: skip
    """Of a push that is certain by now, else -1. Looks back to the sample ``oldest``. ``push``: direction of the push that has
    just ended (whitened, zeros for none), whose counter-impulse does not count; ``part``, ``sums``: room to work in, six each."""
    crossed, begin, best = False, now, -math.inf
    sums[:] = 0.0
    for n in range(1, now - oldest + 2):
        sample = now - n + 1
        residual(baseline, sample, ring[sample % ring.shape[0]], part)
        for i in range(SIX):
            sums[i] += part[i]
        size = size_besides(sums, push)
        spread = n + n * n * variance(baseline, now - (n - 1) // 2)
        crossed |= size > threshold * math.sqrt(spread)
        if size - allowance * n > best:
            begin, best = sample, size - allowance * n
    return begin if crossed else -1


@kernel
def size_besides(sums: Array, push: Array) -> float:
    """Length of a sum, as far as it cannot be the counter-impulse of ``push``: what is against the push is left out, and across
    it as much as would lie in the cone."""
    square, along = 0.0, 0.0
    for i in range(SIX):
        square += sums[i] * sums[i]
        along += sums[i] * push[i]
    if along >= 0.0:
        return math.sqrt(square)
    return math.sqrt(max(square - along * along, 0.0)) + CONE * along
