"""Faults of a force stream, found before anyone believes it: a sensor that fails never means zero force.

| fault | found by |
|---|---|
| no number | NaN or infinite, in the wrench or its time |
| saturation | an axis at its range or beyond |
| time goes back | a newer reading with an older time, or two readings of one time |
| stuck | an axis that has noise shows exactly the same for too long |
| wrong rate | mean period over a window, by the sensor's own times and counts, off by more than a share |
| lost cable | no new reading for too long, by our clock |

The first fault stays until ``reset``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.force_sensor_table import ForceSensorTable
from proxops.core.force_source import AXES, UNITS, Floats, ForceSample, wrench_of
from proxops.core.messages import PERIOD_S
from proxops.maths.kernel import kernel

SOUND: Final = -1
SHAPE: Final = (6,)
STUCK_S: Final = 0.02  # five readings of a noisy axis that are equal to the bit are no coincidence


@dataclass(frozen=True, eq=False)
class StreamTraits:
    """What is known of a sensor. ``noise`` and ``resolution`` (6) tell which axes must never stand still."""

    range: Floats
    noise: Floats
    resolution: Floats
    rate_hz: float
    patience_s: float = 0.02
    stuck_s: float = 0.1
    rate_share: float = 0.05
    rate_window: int = 50  # readings

    def __post_init__(self) -> None:
        for name in ("range", "noise", "resolution"):
            value = np.asarray(getattr(self, name))
            if value.shape != (6,) or not np.all(np.isfinite(value) & (value >= 0.0)):
                raise BadInput(f"force stream: {name}", value=value.tolist(), bound="six numbers, 0 or more")
        if not np.all(self.range > 0.0):
            raise BadInput("force stream: range", value=self.range.tolist(), bound="above 0 on every axis")
        for name in ("rate_hz", "patience_s", "stuck_s", "rate_share", "rate_window"):
            if not 0.0 < getattr(self, name) < math.inf:
                raise BadInput(f"force stream: {name}", value=getattr(self, name), bound="above 0, finite")
        if self.patience_s * self.rate_hz < 1.0:
            raise BadInput(
                "force stream: patience_s",
                value=self.patience_s,
                bound=f"at least one period, {1.0 / self.rate_hz:g} s",
            )

    @property
    def lively(self) -> Floats:
        """(6) 1 where readings change all the time: noise of at least a step of the resolution. With less, equal ones in a row
        are no wonder."""
        return ((self.noise > 0.0) & (self.resolution <= self.noise)).astype(float)


def stream_traits(table: ForceSensorTable) -> StreamTraits:
    """What the watch knows of a scenario's virtual sensor."""
    noise = wrench_of(table.noise_N, table.noise_Nm)
    return StreamTraits(wrench_of(table.range_N, table.range_Nm), noise, np.zeros(6), 1.0 / PERIOD_S, stuck_s=STUCK_S)


class ForceWatch:
    """Called every cycle with what the source has; ``fault`` is the text of the first thing wrong."""

    def __init__(self, traits: StreamTraits) -> None:
        self.traits = traits
        self._lively = traits.lively
        self.reset()

    def reset(self) -> None:
        """Forget the fault and begin anew, as if nothing had come yet."""
        self.fault = ""
        self._heard = math.nan  # by our clock, when the last new reading was seen
        self._last: ForceSample | None = None
        self._since = np.zeros(6)  # time of the reading that each axis has repeated since
        self._mark: ForceSample | None = None  # where the window of the rate begins

    def step(self, now: float, sample: ForceSample | None) -> str:
        """``now``: our clock, s; ``sample``: the newest there is. Returns the fault, or an empty text."""
        if self.fault:
            return self.fault
        if math.isnan(self._heard):
            self._heard = now
        if sample is not None and sample is not self._last:
            self.fault = self._bad_rate(sample) if self._usual(sample) else self._objection(sample)
            if not self._repeats(sample):
                self._heard = now
            self._last = sample
        if not self.fault and now - self._heard > self.traits.patience_s + 1e-9:
            silent, patience = (now - self._heard) * 1e3, self.traits.patience_s * 1e3
            self.fault = f"force sensor: lost cable, no reading for {silent:.0f} ms, allowed {patience:.0f} ms"
        return self.fault

    def _repeats(self, sample: ForceSample) -> bool:
        """The same reading once more, as another object."""
        last = self._last
        return last is not None and sample.t == last.t and bool(np.array_equal(sample.wrench, last.wrench))

    def _usual(self, sample: ForceSample) -> bool:
        """Six sound numbers, newer than the last ones, none of them stuck: all but the rate is settled in one look."""
        last, traits = self._last, self.traits
        if last is None or sample.wrench.shape != SHAPE or not last.t < sample.t < math.inf:
            return False
        return usual(last.wrench, sample.wrench, traits.range, self._lively, sample.t, self._since, traits.stuck_s)

    def _objection(self, sample: ForceSample) -> str:
        return self._bad_number(sample) or self._bad_time(sample) or self._stuck(sample) or self._bad_rate(sample)

    def _bad_number(self, sample: ForceSample) -> str:
        if sample.wrench.shape != (6,):
            return f"force sensor: a reading of shape {sample.wrench.shape}, expected six numbers"
        if not math.isfinite(sample.t):
            return "force sensor: the reading's time is no number"
        axis = unsound(sample.wrench, self.traits.range)
        if axis == SOUND:
            return ""
        value, bound = sample.wrench[axis], self.traits.range[axis]
        if not math.isfinite(value):
            return f"force sensor: {AXES[axis]} is no number"
        return f"force sensor: saturation, {AXES[axis]} {value:.4g} {UNITS[axis]}, range ±{bound:.4g} {UNITS[axis]}"

    def _bad_time(self, sample: ForceSample) -> str:
        last = self._last
        if last is None or sample.t > last.t or self._repeats(sample):
            return ""
        if sample.t == last.t:
            return f"force sensor: two different readings of the time {sample.t:.6f} s"
        return f"force sensor: time goes back, {sample.t:.6f} s after {last.t:.6f} s"

    def _stuck(self, sample: ForceSample) -> str:
        if self._last is None:
            self._since[:] = sample.t
            return ""
        axis = repeating(self._last.wrench, sample.wrench, self._lively, sample.t, self._since, self.traits.stuck_s)
        if axis == SOUND:
            return ""
        held, allowed = (sample.t - self._since[axis]) * 1e3, self.traits.stuck_s * 1e3
        return f"force sensor: stuck, {AXES[axis]} exactly {sample.wrench[axis]:.6g} for {held:.0f} ms, allowed {allowed:.0f} ms"

    def _bad_rate(self, sample: ForceSample) -> str:
        """Over whole windows; readings that were lost or not looked at count, as the sensor numbers them."""
        mark, traits = self._mark, self.traits
        if mark is None or sample.sequence <= mark.sequence:  # numbered anew, but later: times decide
            self._mark = sample
            return ""
        readings = sample.sequence - mark.sequence
        if readings < traits.rate_window:
            return ""
        self._mark = sample
        rate = readings / (sample.t - mark.t)
        if abs(traits.rate_hz / rate - 1.0) <= traits.rate_share:
            return ""
        return (
            f"force sensor: wrong rate, {rate:.5g} Hz by its time stamps, expected {traits.rate_hz:.5g} Hz"
            f" within {100.0 * traits.rate_share:g} %"
        )


@kernel
def usual(
    last: Floats, wrench: Floats, limit: Floats, lively: Floats, t: float, since: Floats, stuck_s: float
) -> bool:  # fmt: skip
    """Is nothing ``unsound`` and nothing ``repeating``?"""
    return unsound(wrench, limit) == SOUND and repeating(last, wrench, lively, t, since, stuck_s) == SOUND


@kernel
def unsound(wrench: Floats, limit: Floats) -> int:
    """First axis that is no number or at its range; -1 if none."""
    for i in range(6):
        if not abs(wrench[i]) < limit[i]:
            return i
    return -1


@kernel
def repeating(last: Floats, wrench: Floats, lively: Floats, t: float, since: Floats, stuck_s: float) -> int:
    """Keeps ``since`` up to date; first axis with noise that has not changed for ``stuck_s``; -1 if none."""
    found = -1
    for i in range(6):
        if wrench[i] != last[i] or lively[i] == 0.0:
            since[i] = t
        elif t - since[i] >= stuck_s - 1e-9 and found < 0:
            found = i
    return found
