"""What a force sensor has told since the last cycle, as one reading: the mean, and for how many cycles it stands.

A sensor has its own clock. One of 1000 Hz tells four readings a cycle, one of 250 Hz mostly one, but now and then none and two in
the next. Nothing is told twice: a cycle without a reading has none. The mean of two readings of a 250 Hz sensor stands for two
cycles, so that impulses lose nothing. Every single reading passes the watch, before any mean hides what is wrong with it.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from proxops.core.force_source import Floats, ForceStream
from proxops.core.messages import PERIOD_S
from proxops.touch.force_watch import ForceWatch, StreamTraits

MOST_CYCLES: Final = 5  # that one mean can stand for: a longer silence is a lost cable

NOTHING: Final = np.zeros(6)
NOTHING.flags.writeable = False


class Intake(NamedTuple):
    """Of one cycle. ``cycles`` is 0 where nothing is told, and then ``wrench`` (6) is the one told before."""

    fault: str
    wrench: Floats
    cycles: int


class ForceIntake:
    """``step`` once a cycle."""

    def __init__(self, source: ForceStream, traits: StreamTraits, period_s: float = PERIOD_S) -> None:
        self._source, self._watch = source, ForceWatch(traits)
        self._share = 1.0 / (traits.rate_hz * period_s)  # of a cycle that one reading stands for
        self._sum, self._count, self._owed = NOTHING, 0, 0.0
        self._wrench = np.full(6, math.nan)

    def step(self, t: float) -> Intake:
        """``t``: our clock, s."""
        fault, arrived = "", self._source.arrived(t)
        for sample in arrived:
            fault = fault or self._watch.step(t, sample)
            self._sum = self._sum + sample.wrench
            self._count += 1
        if not arrived:
            fault = self._watch.step(t, None)
        return Intake(fault, self._wrench, 0) if fault else Intake("", *self._told())

    def _told(self) -> tuple[Floats, int]:
        owed = self._owed + self._count * self._share
        cycles = min(math.floor(owed + 0.5), MOST_CYCLES) if self._count else 0
        if cycles > 0:
            self._wrench = self._sum if self._count == 1 else self._sum / self._count
            self._sum, self._count, self._owed = NOTHING, 0, min(owed - cycles, 0.5)
        return self._wrench, cycles
