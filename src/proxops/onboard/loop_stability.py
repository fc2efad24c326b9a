"""Does a sampled loop with a gain settle? The error of one axis of the task, from reading to drive: a linear map over a period.

    error' = -rate,   lag · rate' = command - rate,   command = gain · error, read once a period

with dead time, and with a computer that answers late and drives that go to where its rates have led (``ServedLoop``). Axes of
the task do not mix while the inverse of the Jacobian is exact, so each gain can be judged alone. The map's largest eigenvalue
says what is left of an error after one period: one or more means that it never dies away.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.arms.model import Floats

SETTLED: Final = 1.0 - 1e-9  # of the largest eigenvalue: rounding must not decide
SEARCHES: Final = 40  # halvings of the interval for the highest gain


@dataclass(frozen=True)
class SampledLoop:
    """Times in s. ``cycle_s``: of the drives, which the period and the dead time are whole multiples of."""

    cycle_s: float
    period_s: float
    dead_cycles: int
    lag_s: float

    def largest_eigenvalue(self, gain: float) -> float:
        """Of the error over one period, by its magnitude. ``gain`` in 1/s."""
        steps = max(1, round(self.period_s / self.cycle_s))
        states = np.eye(self._size())
        columns = [self._period(state.copy(), gain, steps) for state in states]
        return float(np.abs(np.linalg.eigvals(np.array(columns).T)).max())

    def settles(self, gain: float) -> bool:
        return self.largest_eigenvalue(gain) < SETTLED

    def highest_gain(self) -> float:
        """Below which it settles, 1/s."""
        low, high = 0.0, math.pi / self.cycle_s
        for _ in range(SEARCHES):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.settles(middle) else (low, middle)
        return low

    def _size(self) -> int:
        return 3 + self.dead_cycles

    def _period(self, state: Floats, gain: float, steps: int) -> Floats:
        """State: error, rate, command, and those on their way to the drives, newest first."""
        state[2] = gain * state[0]
        for _ in range(steps):
            self._drive(state, state[2])
        return state

    def _drive(self, state: Floats, wish: float) -> None:
        """One cycle of the drives (``lab/virtual_iiwa.drive`` within its limits)."""
        line = state[-self.dead_cycles :] if self.dead_cycles else state[:0]
        command = float(line[-1]) if self.dead_cycles else wish
        if self.dead_cycles:
            line[1:], line[0] = line[:-1].copy(), wish
        decay = math.exp(-self.cycle_s / self.lag_s) if self.lag_s > 0.0 else 0.0
        behind = state[1] - command
        state[0] -= command * self.cycle_s + behind * self.lag_s * (1.0 - decay)
        state[1] = command + behind * decay


@dataclass(frozen=True)
class ServedLoop(SampledLoop):
    """A command answers the reading of a period ago. What the rates have led ahead is gone through within ``hold_s``."""

    hold_s: float

    def _size(self) -> int:
        return 5 + self.dead_cycles

    def _period(self, state: Floats, gain: float, steps: int) -> Floats:
        """State: error, rate, the command that is being evaluated, the one before, the way ahead, and those on their way."""
        wish, before = float(state[2]), float(state[3])
        state[4] += 0.5 * (before + wish) * self.period_s
        state[3], state[2] = wish, gain * state[0]
        rate = state[4] / self.hold_s
        for step in range(steps):
            sent = rate if (step + 0.5) * self.cycle_s < self.hold_s else 0.0
            state[4] -= sent * self.cycle_s
            self._drive(state, sent)
        return state
