"""The sensor's zero: bias and slow drift, followed in free flight only.

What is followed is the residual: reading less the tool's own load, which in free flight is bias and noise and nothing else.
So gravity never gets into the bias. In contact nothing is followed: a steady push must not be forgotten; the drift found
before goes on if ``drift_goes_on``. The follower is a critically damped pair (bias and its rate), so a steady drift leaves
no lag behind. Who knows how fast the sensor can drift says so (``most_rate``): the bias then goes after the pair no faster,
and a hand that leans on the tool ever harder is not taken for drift."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.errors import BadInput, Refused
from proxops.core.force_source import AXES, Floats
from proxops.core.messages import PERIOD_S
from proxops.maths.finite import all_finite
from proxops.maths.kernel import kernel

WINDOW_S: Final = 0.2  # of free flight that a re-zero averages over
TIME_CONSTANT_S: Final = 2.0


class Zeroing:
    """``bias`` (6): to be taken off every residual. NaN in a residual makes it NaN and is named in ``fault``."""

    def __init__(
        self, bias: Floats, period_s: float = PERIOD_S, time_constant_s: float = TIME_CONSTANT_S, window_s: float = WINDOW_S,
        most_rate: Floats | None = None, drift_goes_on: bool = False,
    ) -> None:  # fmt: skip
        for name, value in (("period_s", period_s), ("time_constant_s", time_constant_s), ("window_s", window_s)):
            if not 0.0 < value < math.inf:
                raise BadInput(f"zeroing: {name}", value=value, bound="above 0, finite")
        if time_constant_s < 2.0 * period_s:
            raise BadInput("zeroing: time_constant_s", value=time_constant_s, bound=f"at least {2.0 * period_s:g} s")
        self._most_rate = np.full(6, math.inf) if most_rate is None else np.array(most_rate, float)  # N/s, N m/s
        if self._most_rate.shape != (6,) or not (self._most_rate >= 0.0).all():
            raise BadInput("zeroing: most_rate", value=most_rate, bound="six numbers, 0 or more")
        self._state = np.zeros((3, 6))  # bias of the pair, its rate per second, and the bias that goes after it
        self._state[[0, 2]] = bias
        self._bias: Floats = self._state[2]
        self._period, self._time_constant = period_s, time_constant_s
        self._window = np.zeros((max(round(window_s / period_s), 1), 6))
        self._drift_goes_on = drift_goes_on
        self._free = 0  # cycles of free flight without a break
        self.fault = ""

    @property
    def bias(self) -> Floats:
        """N and N m; a view that changes with the next step."""
        return self._bias

    @property
    def rate(self) -> Floats:
        """N/s and N m/s, as followed."""
        out: Floats = self._state[1]
        return out

    @property
    def ready(self) -> bool:
        """Whether a re-zero would be granted."""
        return not self.fault and self._free >= len(self._window)

    def step(self, residual: Floats, free_flight: bool) -> Floats:
        """One cycle. ``residual``: reading less load, WITHOUT the bias taken off. Returns the external wrench (6)."""
        out: Floats = np.empty(6)
        at = self._free % len(self._window)
        if free_flight and not self.fault and take(
            self._state, residual, self._period, self._time_constant, self._most_rate, self._window[at], out
        ):  # fmt: skip
            self._free += 1
            return out
        if not all_finite(residual) and not self.fault:
            self.fault = f"zero: residual {AXES[int(np.argmin(np.isfinite(residual)))]} is no number"
            self._state[:] = math.nan
        self._free = 0
        if self._drift_goes_on:
            on = self._period * np.clip(self._state[1], -self._most_rate, self._most_rate)
            self._state[0] += on
            self._state[2] += on
        np.subtract(residual, self._state[2], out=out)
        return out

    def rezero(self) -> None:
        """Make the mean of the last window the bias, with no rate; Refused unless all of it was free flight."""
        if self.fault:
            raise Refused(f"re-zero refused: {self.fault}")
        if not self.ready:
            had, asked = (n * self._period * 1e3 for n in (self._free, len(self._window)))
            raise Refused(
                f"re-zero refused: rule free flight; {had:.0f} ms of free flight so far, asked for {asked:.0f} ms;"
                " let go of the tool"
            )
        self._state[[0, 2]], self._state[1] = self._window.mean(axis=0), 0.0


@kernel
def take(
    state: Floats, residual: Floats, dt: float, time_constant: float, most_rate: Floats, kept: Floats, outside: Floats
) -> bool:  # fmt: skip
    """A ``residual`` of free flight: ``follow``, ``kept`` as it is, and ``outside``, what is left of it. False where it is no
    number, and then nothing has changed."""
    for i in range(6):
        if not math.isfinite(residual[i]):
            return False
    follow(state, residual, dt, time_constant, most_rate)
    for i in range(6):
        kept[i], outside[i] = residual[i], residual[i] - state[2, i]
    return True


@kernel
def follow(state: Floats, residual: Floats, dt: float, time_constant: float, most_rate: Floats) -> None:
    """One step of bias (row 0) and rate (row 1) towards ``residual``, both poles at exp(-dt / time_constant); and of row 2 after
    row 0, no faster than ``most_rate`` (6)."""
    pole = math.exp(-dt / time_constant)
    gain, rate_gain = 1.0 - pole * pole, (1.0 - pole) ** 2 / dt
    for i in range(6):
        ahead = state[0, i] + state[1, i] * dt
        off = residual[i] - ahead
        state[0, i] = ahead + gain * off
        state[1, i] += rate_gain * off
        reach = most_rate[i] * dt
        state[2, i] = min(max(state[0, i], state[2, i] - reach), state[2, i] + reach)
