"""The impulse detector of paper 002 (section 3.2): selectable in ``float``, and the baseline that ours is measured against.

Eq. 2 smooths, eq. 3 differentiates. A push begins when the derivative reaches a threshold, ends when the force found so far
reaches a minimum, and its counter-impulse is ignored until the smoothed force is back; eq. 4 integrates. The derivative takes
the offset away but makes the noise greater: set for no false alarm, it sees steep pushes only.

The paper leaves open what a minimum is in noise: here the force must have fallen to half of its peak and then risen by three
sigmas of the smoothed noise. Lengths of wrenches are taken after division by the noise of each component.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_S
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.touch.force_baseline import SIX
from proxops.touch.impulse_detector import Impulse, PushPhase, PushVerdict, refuse_nonsense
from proxops.touch.impulse_phases import BEGAN, COUNTER, ENDED, NOTHING, PUSH, QUIET

DERIVATIVE_DTYPE = np.dtype(
    [
        ("alpha", "f8"), ("threshold", "f8"), ("rise", "f8"), ("back", "f8"), ("dt", "f8"),
        ("n_longest", "i8"), ("now", "i8"), ("phase", "i8"), ("start", "i8"), ("lowest_at", "i8"),
        ("smooth", "f8", (SIX,)), ("rate", "f8", (SIX,)),  # eq. 2, sigma, and eq. 3, sigma/s
        ("zero", "f8", (SIX,)),  # smoothed reading before the push
        ("total", "f8", (SIX,)), ("best", "f8", (SIX,)),  # eq. 4 over dt, until now and until the minimum
        ("applied", "f8", (SIX,)), ("peak", "f8", (SIX,)), ("peak_size", "f8"), ("lowest", "f8"),
        ("wrench", "f8", (SIX,)),
    ]
)  # fmt: skip
Record = NDArray[np.void]


@dataclass(frozen=True)
class DerivativeSettings:
    """Eq. 2's factor for readings 4 ms apart, thresholds in sigmas of one reading."""

    force_noise_N: float = 1.0
    torque_noise_Nm: float = 0.1
    alpha: float = 0.9
    threshold: float = 180.0  # sigma/s
    rise: float = 3.0  # sigmas of the smoothed noise: out of a minimum
    back: float = 5.0  # sigmas of the smoothed noise: the counter-impulse is over
    longest_s: float = 1.0


class DerivativeDetector:
    """The same interface as ``ImpulseDetector``, for readings ``dt`` apart."""

    def __init__(self, settings: DerivativeSettings | None = None, dt: float = PERIOD_S) -> None:
        self.settings, self.dt = settings or DerivativeSettings(), dt
        self.sigma = np.repeat([self.settings.force_noise_N, self.settings.torque_noise_Nm], 3)
        _judge(self.settings)
        self.reset()

    def reset(self) -> None:
        """Forget everything, time included."""
        s = self.settings
        self._record = np.zeros(1, DERIVATIVE_DTYPE)
        d = self._record[0]
        d["alpha"], d["threshold"], d["dt"] = s.alpha ** (self.dt / PERIOD_S), s.threshold, self.dt
        noise = math.sqrt((1.0 - d["alpha"]) / (1.0 + d["alpha"]))  # of what comes out of eq. 2
        d["rise"], d["back"] = s.rise * noise, s.back * noise
        d["n_longest"], d["now"] = round(s.longest_s / self.dt), -1

    def step(self, wrench: Array) -> PushVerdict:
        """Take a reading in. One that is no number is refused, and changes nothing."""
        refuse_nonsense(wrench)
        event = differentiate(self._record, wrench / self.sigma)
        d = self._record[0]
        ended = self._finished() if event == ENDED else None
        return PushVerdict(PushPhase(int(d["phase"])), 0 if event == BEGAN else -1, d["wrench"] * self.sigma, ended)

    @property
    def felt(self) -> Array:
        """(6) What was handed out last."""
        felt: Array = self.recent(1)[0]
        return felt

    def recent(self, n: int) -> Array:
        """(n, 6) What was handed out last: of this reading alone, for a push is never dated back."""
        if not 0 <= n <= 1:
            raise BadInput("no such readings any more", where="derivative detector", value=n, bound="0 … 1")
        out: Array = np.tile(self._record[0]["wrench"] * self.sigma, (n, 1))
        return out

    def impulses(self, readings: Array) -> list[Impulse]:
        """All that end within a record (n, 6)."""
        refuse_nonsense(readings)
        found, k = [], 0
        while k < len(readings):
            k, event = differentiate_to_event(self._record, readings, k, self.sigma)
            if event == ENDED:
                found.append(self._finished())
        return found

    def greatest_rate(self, readings: Array) -> float:
        """Largest derivative in a record (n, 6), sigma/s: the lowest threshold that would have been silent."""
        refuse_nonsense(readings)
        return greatest_rate(self._record[0]["alpha"], self.dt, readings, self.sigma)

    def curves(self, readings: Array) -> tuple[Array, Array]:
        """Eq. 2 and 3 over a record (n, 6), in its units and units/s: what figure 4 shows."""
        refuse_nonsense(readings)
        smooth = np.empty_like(readings)
        smooth_record(self._record[0]["alpha"], readings, smooth)
        return smooth, np.diff(smooth, axis=0, prepend=smooth[:1]) / self.dt

    def _finished(self) -> Impulse:
        d, scale = self._record[0], self.sigma * self.dt
        start, end = float(d["start"] * self.dt), float(d["lowest_at"] * self.dt)
        return Impulse(start, start, end, d["best"] * scale, d["peak"] * self.sigma, (d["best"] - d["applied"]) * scale)


def rate_noise(alpha: float, dt: float = PERIOD_S) -> float:
    """Standard deviation of one component of eq. 3 (1/s) by a noise of one in every reading, ``alpha`` for readings ``dt``
    apart: of w* - w*₋₁ = (1 - α) (w - w*₋₁)."""
    return (1.0 - alpha) * math.sqrt(2.0 / (1.0 + alpha)) / dt


def _judge(s: DerivativeSettings) -> None:
    numbers = [s.force_noise_N, s.torque_noise_Nm, s.threshold, s.rise, s.back, s.longest_s]
    if not 0.0 <= s.alpha < 1.0 or not all(0.0 < value < math.inf for value in numbers):
        raise BadInput("derivative detector: settings", value=s, bound="alpha from 0 to below 1, all others above 0")


@kernel
def smoothed(before: float, reading: float, alpha: float) -> float:
    """Eq. 2."""
    return alpha * before + (1.0 - alpha) * reading


@kernel
def differentiate(record: Record, reading: Array) -> int:
    """One whitened reading; says whether a push began or ended."""
    d = record[0]
    d.now += 1
    rate, force = 0.0, 0.0
    for i in range(SIX):
        before = d.smooth[i] if d.now > 0 else reading[i]
        d.smooth[i] = smoothed(before, reading[i], d.alpha)
        d.rate[i] = (d.smooth[i] - before) / d.dt
        rate += d.rate[i] ** 2
        if d.phase == QUIET:
            d.zero[i] = before
        d.wrench[i] = d.smooth[i] - d.zero[i]
        force += d.wrench[i] ** 2
    rate, force = math.sqrt(rate), math.sqrt(force)
    event = NOTHING
    if d.phase == QUIET and rate > d.threshold:
        event, d.phase, d.start, d.peak_size = BEGAN, PUSH, d.now, -1.0
        d.total[:] = 0.0
        d.applied[:] = 0.0
    if d.phase == PUSH and _integrated(record, force):
        event, d.phase = ENDED, COUNTER
    elif d.phase == COUNTER and ((force < d.back and rate < d.threshold) or d.now - d.lowest_at > d.n_longest):
        d.phase = QUIET
    for i in range(SIX):
        d.wrench[i] = d.wrench[i] if d.phase == PUSH else 0.0
        d.applied[i] += d.wrench[i]
    return event


@kernel
def _integrated(record: Record, force: float) -> bool:
    """Eq. 4, one sample of it; True if the minimum is past."""
    d = record[0]
    for i in range(SIX):
        d.total[i] += d.wrench[i]
    if force > d.peak_size:
        d.peak_size, d.lowest, d.lowest_at = force, force, d.now
        d.peak[:] = d.wrench
        d.best[:] = d.total
    elif force < d.lowest:
        d.lowest, d.lowest_at = force, d.now
        d.best[:] = d.total
    past: bool = d.lowest < 0.5 * d.peak_size and force > d.lowest + d.rise
    return past or d.now - d.start > d.n_longest


@kernel
def differentiate_to_event(record: Record, readings: Array, first: int, sigma: Array) -> tuple[int, int]:
    """Readings one after another, from ``first`` until a push begins or ends: sample after that, and which."""
    for k in range(first, readings.shape[0]):
        event = differentiate(record, readings[k] / sigma)
        if event != NOTHING:
            return k + 1, event
    return readings.shape[0], NOTHING


@kernel
def smooth_record(alpha: float, readings: Array, out: Array) -> None:
    """Eq. 2 over a record, from its first reading on."""
    out[0] = readings[0]
    for k in range(1, readings.shape[0]):
        for i in range(readings.shape[1]):
            out[k, i] = smoothed(out[k - 1, i], readings[k, i], alpha)


@kernel
def greatest_rate(alpha: float, dt: float, readings: Array, sigma: Array) -> float:
    """Eq. 2 and 3 over a record, largest length."""
    smooth = readings[0] / sigma
    largest = 0.0
    for k in range(1, readings.shape[0]):
        square = 0.0
        for i in range(SIX):
            before = smooth[i]
            smooth[i] = smoothed(before, readings[k, i] / sigma[i], alpha)
            square += (smooth[i] - before) ** 2
        largest = max(largest, square)
    return math.sqrt(largest) / dt
