"""Sine wave on one axis: the facility's test signal, swelling and fading over one period so that nothing jerks."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.lab.any_cell import AnyCell
from proxops.safety.motion import Motion, Rest, Wish


class SineWave(Motion):
    """Amplitude in m or rad about the posture in which it began; refused where the axis could not follow."""

    def __init__(
        self, cell: AnyCell, axis: int, amplitude: float, frequency_hz: float, cycles: int, origin: NDArray[np.float64]
    ) -> None:
        if not 0 < frequency_hz <= 5 or not 2 <= cycles <= 10_000:
            value = f"{frequency_hz:g} Hz, {cycles} cycles"
            raise BadInput(
                f"sine wave on {cell.axis_names[axis]}", value=value, bound="0 < frequency <= 5 Hz, 2 to 10000 cycles"
            )
        self._axis, self._amplitude, self._omega = axis, amplitude, 2 * math.pi * frequency_hz
        self._frequency_hz, self._cycles, self._cycle_s = frequency_hz, cycles, cell.period_ns * 1e-9
        self._origin, self._wish, self._tick = origin.copy(), origin.copy(), 0
        self._check(cell)

    def _check(self, cell: AnyCell) -> None:
        """Room, speed and acceleration of the full wave against the axis."""
        may, i, size = cell.guarded, self._axis, abs(self._amplitude)
        unit, scale = ("mm", 1e3) if cell.slides[i] else ("deg", 180 / math.pi)
        room = min(self._origin[i] - may.lower[i], may.upper[i] - self._origin[i])
        for what, value, bound, per in (
            ("amplitude", size, room, ""),
            ("speed", size * self._omega, may.speed[i], "/s"),
            ("acceleration", size * self._omega**2, may.acceleration[i], "/s²"),
        ):
            if not value <= bound:
                raise BadInput(
                    f"sine wave on {cell.axis_names[i]} asks for too much {what}",
                    value=f"{value * scale:.4g} {unit}{per}",
                    bound=f"{bound * scale:.4g} {unit}{per}",
                )

    def turning_points(self) -> list[NDArray[np.float64]]:
        """The two postures between which the axis swings."""
        ends = [self._origin.copy(), self._origin.copy()]
        for end, swing in zip(ends, (-self._amplitude, self._amplitude), strict=True):
            end[self._axis] += swing
        return ends

    def step(self) -> Wish:
        phase = self._tick * self._cycle_s * self._frequency_hz
        self._tick += 1
        if phase >= self._cycles:
            return Rest.DONE
        edge = min(phase, self._cycles - phase, 1.0)
        envelope = edge * edge * edge * (10 + edge * (6 * edge - 15))
        swing = self._amplitude * envelope * math.sin(2 * math.pi * phase)
        self._wish[self._axis] = self._origin[self._axis] + swing
        return self._wish
