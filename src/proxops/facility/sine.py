"""Sine wave on one axis: the facility's test signal, swelling and fading over one period so that nothing jerks."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.messages import AXES, PERIOD_S


@dataclass(frozen=True)
class SineWave:
    """Amplitude in m or rad about the posture in which it began."""

    axis: int
    amplitude: float
    frequency_hz: float
    cycles: int
    origin: NDArray[np.float64]

    def __post_init__(self) -> None:
        if not (0 < self.frequency_hz <= 5 and math.isfinite(self.amplitude) and 2 <= self.cycles <= 10_000):
            raise BadInput(
                f"sine wave on {AXES[self.axis]}", value=f"{self.amplitude:g}, {self.frequency_hz:g} Hz, {self.cycles} cycles",
                bound="finite amplitude, 0 < frequency <= 5 Hz, 2 to 10000 cycles",
            )  # fmt: skip

    def at(self, tick: int) -> NDArray[np.float64] | None:
        """Wish ``tick`` cycles after the beginning, None when it is over."""
        phase = tick * PERIOD_S * self.frequency_hz
        if phase >= self.cycles:
            return None
        edge = min(phase, self.cycles - phase, 1.0)
        envelope = edge * edge * edge * (10 + edge * (6 * edge - 15))
        wish = self.origin.copy()
        wish[self.axis] += self.amplitude * envelope * math.sin(2 * math.pi * phase)
        return wish
