"""The phases of a push, one sample at a time, compiled: quiet, push, counter-impulse. See ``impulse_detector``."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.touch.force_baseline import SIX, Baseline, absorb, forget, residual, variance
from proxops.touch.push_search import first_sample

QUIET, PUSH, COUNTER = 0, 1, 2
NOTHING, BEGAN, ENDED, NONSENSE = range(4)

DETECTOR_DTYPE = np.dtype(
    [
        # Settings, in sigmas and samples
        ("threshold", "f8"), ("allowance", "f8"), ("drop", "f8"), ("calm", "f8"), ("calm_against", "f8"),
        ("n_window", "i8"), ("n_margin", "i8"), ("n_rewind", "i8"), ("n_calm", "i8"),
        ("n_longest_push", "i8"), ("n_longest_counter", "i8"),
        # Where we are; samples are counted from zero
        ("now", "i8"), ("phase", "i8"),
        ("quiet_from", "i8"),  # first sample that a window may hold
        ("calm_from", "i8"),  # first sample that the baseline may take in
        # The push
        ("start", "i8"), ("crossed", "i8"), ("end", "i8"),
        ("total", "f8", (SIX,)),  # of all readings since its start, less the baseline
        ("best", "f8", (SIX,)), ("best_score", "f8"),  # the same up to its end
        ("applied", "f8", (SIX,)),  # of those handed out
        ("peak", "f8", (SIX,)), ("peak_size", "f8"),
        ("direction", "f8", (SIX,)),  # of the last push, while its counter-impulse lasts
        # Handed out
        ("began", "i8"), ("wrench", "f8", (SIX,)),
    ]
)  # fmt: skip
Detector = NDArray[np.void]


@kernel
def advance(detector: Detector, baseline: Baseline, ring: Array, reading: Array, room: Array) -> int:
    """Take one whitened reading in; says whether a push began or ended. ``room``: (2, 6) to work in."""
    d = detector[0]
    d.now += 1
    d.began = -1
    ring[d.now % ring.shape[0]] = reading
    for i in range(SIX):
        d.wrench[i] = 0.0
    if d.phase == PUSH:
        return _push(detector, baseline, ring, room[0])
    if d.phase == COUNTER:
        _counter(detector, baseline, ring, room)
    if d.phase == QUIET and d.now - d.n_window >= d.calm_from:
        late = d.now - d.n_window
        absorb(baseline, late, ring[late % ring.shape[0]])
    oldest = max(d.now - d.n_window + 1, d.quiet_from)
    start = first_sample(ring, baseline, d.now, oldest, d.threshold, d.allowance, d.direction, room[0], room[1])
    return _begin(detector, baseline, ring, start, room[0]) if start >= 0 else NOTHING


@kernel
def take(
    detector: Detector, baseline: Baseline, ring: Array, reading: Array, sigma: Array, whitened: Array, room: Array, felt: Array
) -> int:  # fmt: skip
    """``advance`` by one reading, which is ``felt`` free of offset; NONSENSE where it is no number, and then nothing has
    changed."""
    for i in range(SIX):
        if not math.isfinite(reading[i]):
            return NONSENSE
        whitened[i] = reading[i] / sigma[i]
    event = advance(detector, baseline, ring, whitened, room)
    put_one(baseline, ring, detector[0].now, sigma, felt)
    return event


@kernel
def put_recent(baseline: Baseline, ring: Array, now: int, sigma: Array, out: Array) -> None:
    """``out`` (n, 6) := readings up to sample ``now`` less the line, in the sensor's units."""
    first = now - out.shape[0] + 1
    for k in range(out.shape[0]):
        put_one(baseline, ring, first + k, sigma, out[k])


@kernel
def put_one(baseline: Baseline, ring: Array, sample: int, sigma: Array, out: Array) -> None:
    """The same of one of them."""
    residual(baseline, sample, ring[sample % ring.shape[0]], out)
    for i in range(SIX):
        out[i] *= sigma[i]


@kernel
def advance_to_event(
    detector: Detector, baseline: Baseline, ring: Array, readings: Array, first: int, sigma: Array, room: Array
) -> tuple[int, int]:
    """Readings one after another, from ``first`` until a push begins or ends: sample after that, and which."""
    for k in range(first, readings.shape[0]):
        event = advance(detector, baseline, ring, readings[k] / sigma, room)
        if event != NOTHING:
            return k + 1, event
    return readings.shape[0], NOTHING


@kernel
def _begin(detector: Detector, baseline: Baseline, ring: Array, start: int, part: Array) -> int:
    """A push is certain: freeze the baseline with all that is known from before it, and sum up what it has been so far."""
    d = detector[0]
    if d.phase == QUIET:
        for late in range(max(d.now - d.n_window + 1, d.calm_from), start - d.n_margin):
            absorb(baseline, late, ring[late % ring.shape[0]])
    d.phase, d.start, d.crossed, d.end = PUSH, start, d.now, start
    d.best_score, d.peak_size = -math.inf, -1.0
    d.total[:] = 0.0
    d.applied[:] = 0.0
    d.began = min(d.now - start, d.n_rewind)
    for sample in range(start, d.now + 1):
        residual(baseline, sample, ring[sample % ring.shape[0]], part)
        _sum_up(detector, sample, part)
        if sample >= d.now - d.began:
            _hand_out(detector, part)
    return BEGAN


@kernel
def _sum_up(detector: Detector, sample: int, part: Array) -> float:
    """One more sample of the push; returns how far its score is below the best."""
    d = detector[0]
    size, square = 0.0, 0.0
    for i in range(SIX):
        d.total[i] += part[i]
        square += d.total[i] * d.total[i]
        size += part[i] * part[i]
    score = math.sqrt(square) - d.allowance * (sample - d.start + 1)
    if score > d.best_score:
        d.best_score, d.end = score, sample
        d.best[:] = d.total
    if size > d.peak_size:
        d.peak_size = size
        d.peak[:] = part
    fallen: float = d.best_score - score
    return fallen


@kernel
def _hand_out(detector: Detector, part: Array) -> None:
    """A wrench for the physics; the sum of them is kept."""
    d = detector[0]
    for i in range(SIX):
        d.wrench[i] = part[i]
        d.applied[i] += part[i]


@kernel
def _push(detector: Detector, baseline: Baseline, ring: Array, part: Array) -> int:
    """While it lasts, hand out; when it is over, turn to its counter-impulse."""
    d = detector[0]
    residual(baseline, d.now, ring[d.now % ring.shape[0]], part)
    fallen = _sum_up(detector, d.now, part)
    if fallen <= d.drop and d.now - d.start < d.n_longest_push:
        _hand_out(detector, part)
        return NOTHING
    square = 0.0
    for i in range(SIX):
        square += d.best[i] * d.best[i]
    for i in range(SIX):
        d.direction[i] = d.best[i] / math.sqrt(square)
    d.phase, d.quiet_from = COUNTER, d.end + 1
    if fallen <= d.drop:  # no end in sight
        _learn_anew(detector, baseline)
    return ENDED


@kernel
def _counter(detector: Detector, baseline: Baseline, ring: Array, room: Array) -> None:
    """Has the arm's answer ended?"""
    d = detector[0]
    lasted = d.now - d.end
    if lasted >= d.n_longest_counter:
        _learn_anew(detector, baseline)
    elif lasted >= max(d.end - d.start, d.n_calm) and _calm(detector, baseline, ring, room):
        _rest(detector, d.now - d.n_calm // 2)


@kernel
def _calm(detector: Detector, baseline: Baseline, ring: Array, room: Array) -> bool:
    """Are the last readings on the baseline, as far as noise lets one tell?"""
    d = detector[0]
    n, part, sums = d.n_calm, room[0], room[1]
    sums[:] = 0.0
    for sample in range(d.now - n + 1, d.now + 1):
        residual(baseline, sample, ring[sample % ring.shape[0]], part)
        for i in range(SIX):
            sums[i] += part[i]
    square, against = 0.0, 0.0
    for i in range(SIX):
        square += sums[i] * sums[i]
        against -= sums[i] * d.direction[i]
    spread = math.sqrt(n + n * n * variance(baseline, d.now - n // 2))
    calm: bool = math.sqrt(square) < d.calm * spread and against < d.calm_against * spread
    return calm


@kernel
def _learn_anew(detector: Detector, baseline: Baseline) -> None:
    """Whatever the readings are now is the new zero."""
    d = detector[0]
    forget(baseline, d.now)
    _rest(detector, d.now + 1)


@kernel
def _rest(detector: Detector, calm_from: int) -> None:
    d = detector[0]
    d.phase, d.quiet_from, d.calm_from = QUIET, d.now + 1, calm_from
    d.direction[:] = 0.0
