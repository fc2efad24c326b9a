"""A six-axis force/torque sensor as a model (eq. 1 of paper 002: the real wrench, white noise, a constant offset), and more:

    reading = round(clip(dead(w) + offset + drift + noise))

with a dead zone of the force, drift as a rate and as a random walk, range and resolution. The dead zone lies in the mechanics and
works on the true force, so a dead reading still rustles; the range is the amplifier's and cuts off everything before it.
Faults can be put in: a lost cable sends nothing, a stuck value repeats the last one, and NaN is what some drivers send.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from enum import IntEnum, StrEnum
from typing import Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.force_source import AXES, Floats, ForceSample, wrench_of
from proxops.maths.draws import Draws
from proxops.maths.kernel import kernel
from proxops.maths.stack import vector

DUE_SLACK_S: Final = 1e-9  # a clock that counts in ticks meets the multiples of a period only to rounding
DRAWS: Final = 12  # normal random numbers per reading, used or not


class DeadZone(IntEnum):
    """What a force of less than D does to the reading, axis by axis, and one of more."""

    NONE = 0
    CUT = 1  # |F| < D reads zero, a greater one reads F: the reading jumps at D
    OFFSET = 2  # F - D sign(F) beyond D: no jump, but always D too small


class SensorFault(StrEnum):
    """What can be put in. Saturation needs no putting in: the range sees to it."""

    NONE = "none"
    LOST_CABLE = "lost cable"
    STUCK = "stuck"
    NAN = "nan"


@dataclass(frozen=True, eq=False)
class SensorTraits:
    """Arrays of six: N and N m. ``drift`` per second, ``walk`` per square root of a second. Resolution 0: no steps."""

    noise: Floats = field(default_factory=lambda: wrench_of(1.0, 0.05))  # standard deviation
    offset: Floats = field(default_factory=lambda: np.zeros(6))
    drift: Floats = field(default_factory=lambda: np.zeros(6))
    walk: Floats = field(default_factory=lambda: np.zeros(6))
    range: Floats = field(default_factory=lambda: wrench_of(400.0, 20.0))
    resolution: Floats = field(default_factory=lambda: wrench_of(0.01, 0.0005))
    dead_n: float = 0.0  # D, of the force
    dead_zone: DeadZone = DeadZone.NONE
    rate_hz: float = 250.0

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, np.ndarray):
                low = -math.inf if each.name in ("offset", "drift") else 0.0
                _check(each.name, value, low)
        if not np.all(self.range > 0.0):
            raise BadInput("force sensor: range", value=self.range.tolist(), bound="above 0 on every axis")
        if not 0.0 <= self.dead_n < math.inf:
            raise BadInput("force sensor: dead_n", value=self.dead_n, bound="0 N or more, finite")
        if not 0.0 < self.rate_hz < math.inf:
            raise BadInput("force sensor: rate_hz", value=self.rate_hz, bound="above 0, finite")


def _check(name: str, value: Floats, low: float) -> None:
    if value.shape != (6,):
        raise BadInput(f"force sensor: {name}", value=value.shape, bound="six numbers")
    for axis, number in zip(AXES, value, strict=True):
        if not (math.isfinite(number) and number >= low):
            raise BadInput(f"force sensor: {name} {axis}", value=number, bound="finite" if low < 0.0 else "0 or more")


class ForceTorqueSensor:
    """Reads at the multiples of its period. The same generator gives the same errors, whatever it is shown and whatever
    fault is put in: every reading draws the same count of random numbers."""

    def __init__(self, traits: SensorTraits, rng: np.random.Generator) -> None:
        self.traits, self._draws = traits, Draws(rng, 0, DRAWS)
        self.fault = SensorFault.NONE  # set it to put one in
        self._bias = traits.offset.copy()
        self._began = math.nan
        self._walked, self._dead_zone = np.zeros(6), int(traits.dead_zone)
        # What ``put_disturbed`` takes behind the wrench and its time.
        self._parts = (
            traits.offset, traits.drift, traits.walk, traits.noise, traits.range, traits.resolution, traits.dead_n,
            self._dead_zone, self._walked, self._bias,
        )  # fmt: skip
        self._taken = 0  # multiples of the period that are done
        self._last = math.nan  # time of the last reading
        self._sample: ForceSample | None = None

    @property
    def bias(self) -> Floats:
        """Offset and drift so far: truth, for tests and plots."""
        return self._bias.copy()

    def due(self, t: float) -> bool:
        """Whether a multiple of the period has come that was not read yet."""
        return t >= self._taken / self.traits.rate_hz - DUE_SLACK_S

    def read(self, t: float, wrench_true: Floats) -> Floats | None:
        """The reading at ``t`` (s) of the true wrench on the sensor, its origin and axes; None if none is sent: not due yet, or
        the cable is lost. Its errors are drawn all the same."""
        if not self.due(t):
            return None
        self._taken = math.floor((t + DUE_SLACK_S) * self.traits.rate_hz) + 1
        reading = self._disturbed(t, wrench_true)
        if self.fault is SensorFault.LOST_CABLE:
            return None
        if self.fault is SensorFault.STUCK and self._sample is not None:
            reading = self._sample.wrench
        elif self.fault is SensorFault.NAN:
            reading = np.full(6, math.nan)
        self._sample = ForceSample(t, reading, self._taken - 1)
        return reading

    def latest(self, t: float) -> ForceSample | None:
        """The newest reading made by ``read``."""
        return self._sample

    def _disturbed(self, t: float, wrench_true: Floats) -> Floats:
        draws = self._draws.row()
        if math.isnan(self._began):
            self._began = self._last = t
        since_begin, since_last, self._last = t - self._began, t - self._last, t
        reading: Floats = np.empty(6)
        put_disturbed(np.asarray(wrench_true, float), since_begin, since_last, draws, *self._parts, reading)
        return reading


@kernel
def put_disturbed(
    wrench: Floats, since_begin: float, since_last: float, draws: Floats, offset: Floats, drift: Floats, walk: Floats,
    noise: Floats, limit: Floats, resolution: Floats, dead_n: float, dead_zone: int, walked: Floats, bias: Floats,
    reading: Floats,
) -> None:  # fmt: skip
    """The ``reading`` of a wrench (6): ``put_bias`` and ``put_as_read``. An array that a kernel hands to Python costs more than
    all of its arithmetic."""
    error = vector(6)
    put_bias(offset, drift, since_begin, walk, since_last, draws, noise, walked, bias, error)
    put_as_read(wrench, error, limit, resolution, dead_n, dead_zone, reading)


@kernel
def put_bias(
    offset: Floats, drift: Floats, since_begin: float, walk: Floats, since_last: float, draws: Floats, noise: Floats,
    walked: Floats, bias: Floats, error: Floats,
) -> None:  # fmt: skip
    """``bias`` so far, and with noise the ``error`` of a reading; ``draws`` (12): for the noise, for the walk."""
    root = math.sqrt(max(since_last, 0.0))
    for i in range(6):
        walked[i] += walk[i] * root * draws[6 + i]
        bias[i] = offset[i] + drift[i] * since_begin + walked[i]
        error[i] = bias[i] + noise[i] * draws[i]


@kernel
def put_as_read(
    wrench: Floats, error: Floats, limit: Floats, resolution: Floats, dead_n: float, dead_zone: int, reading: Floats
) -> None:  # fmt: skip
    """``reading`` := what the amplifier makes of a wrench (6) and the errors that come on top; what is no number stays none."""
    for i in range(6):
        value = dead(wrench[i], dead_n, dead_zone) if i < 3 else wrench[i]
        value += error[i]
        if resolution[i] > 0.0:
            value = round(value / resolution[i]) * resolution[i] if math.isfinite(value) else value
        if value > limit[i]:
            value = limit[i]
        elif value < -limit[i]:
            value = -limit[i]
        reading[i] = value


@kernel
def dead(force: float, dead_n: float, dead_zone: int) -> float:
    """One axis of a force behind a dead zone."""
    if dead_zone == 0:
        return force
    if abs(force) < dead_n:
        return 0.0
    if dead_zone == 2:
        return force - math.copysign(dead_n, force)
    return force
