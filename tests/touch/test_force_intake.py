"""Readings of a sensor with a clock of its own, cycle by cycle of ours: none twice, none lost, each one watched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from proxops.core.force_datagram import ForceReading, pack_force
from proxops.core.force_source import ForceSample
from proxops.touch.force_intake import MOST_CYCLES, ForceIntake, Intake
from proxops.touch.force_port import ForcePort
from proxops.touch.force_watch import StreamTraits

NOISE = np.full(6, 0.1)


def traits(rate_hz: float) -> StreamTraits:
    return StreamTraits(np.full(6, 400.0), NOISE, np.zeros(6), rate_hz)


class Batches:
    """Readings in the cycles in which they arrive; ``counts``: how many in each."""

    def __init__(self, counts: Sequence[int], rate_hz: float, seed: int = 1) -> None:
        rng = np.random.default_rng(seed)
        self.samples = [ForceSample(k / rate_hz, 10.0 + NOISE * rng.standard_normal(6), k) for k in range(sum(counts))]
        self._counts, self._at, self._cycle = counts, 0, 0

    def arrived(self, t: float) -> list[ForceSample]:
        n = self._counts[self._cycle]
        self._cycle, self._at = self._cycle + 1, self._at + n
        return self.samples[self._at - n : self._at]

    def close(self) -> None: ...


def told(counts: Sequence[int], rate_hz: float) -> tuple[Batches, list[Intake]]:
    source = Batches(counts, rate_hz)
    intake = ForceIntake(source, traits(rate_hz))
    return source, [intake.step(0.004 * k) for k in range(len(counts))]


def test_one_reading_a_cycle_is_handed_on_as_it_is() -> None:
    source, got = told([1] * 100, 250.0)
    assert all(g.cycles == 1 and g.fault == "" for g in got)
    np.testing.assert_array_equal([g.wrench for g in got], [s.wrench for s in source.samples])


def test_a_cycle_without_a_reading_has_none_and_two_stand_for_two() -> None:
    source, got = told([1, 0, 2, 1, 0, 0, 3, 1], 250.0)
    assert [g.cycles for g in got] == [1, 0, 2, 1, 0, 0, 3, 1]
    np.testing.assert_allclose(got[2].wrench, np.mean([s.wrench for s in source.samples[1:3]], axis=0), rtol=1e-14)


@pytest.mark.parametrize("rate_hz", [250.0, 333.0, 500.0, 1000.0, 8000.0])
def test_no_impulse_is_lost_or_gained_whatever_the_rate(rate_hz: float) -> None:
    """Sum of wrench times cycles against the sum over all readings: to one cycle's worth at the end."""
    edges = np.floor(np.arange(501) * 0.004 * rate_hz + np.random.default_rng(3).uniform(0.0, 0.9, 501)).astype(int)
    counts = np.diff(np.maximum.accumulate(edges)).tolist()  # jitter on the line: cycles without a reading, then more
    source, got = told(counts, rate_hz)
    assert all(g.fault == "" for g in got)
    impulse = 0.004 * sum(g.wrench * g.cycles for g in got if g.cycles)
    true = sum(s.wrench for s in source.samples) / rate_hz
    np.testing.assert_allclose(impulse, true, atol=0.004 * 10.5)
    assert all(0 <= g.cycles <= 3 for g in got)


def test_every_reading_is_watched_not_only_their_mean() -> None:
    source = Batches([4] * 10, 1000.0)
    source.samples[21].wrench[2] = 400.0  # one of four saturated: the mean is not
    intake = ForceIntake(source, traits(1000.0))
    faults = [intake.step(0.004 * k).fault for k in range(10)]
    assert [bool(f) for f in faults] == [False] * 5 + [True] * 5
    assert "saturation, Fz" in faults[5]


def test_silence_is_a_lost_cable_and_a_burst_after_it_stands_for_no_more_than_that() -> None:
    _, got = told([1] + [0] * 6, 250.0)
    assert "lost cable" in got[-1].fault
    _, got = told([1, 0, 0, 0, 0, 9], 250.0)
    assert got[-1].cycles == MOST_CYCLES


@pytest.mark.parametrize(("rate_hz", "says"), [(250.0, ""), (500.0, "wrong rate"), (1000.0, "wrong rate")])
def test_a_port_hands_out_each_reading_once_and_the_stated_rate_is_watched(rate_hz: float, says: str) -> None:
    port, rng, k = ForcePort(None), np.random.default_rng(2), 0
    intake = ForceIntake(port, traits(250.0))
    fault = ""
    for cycle in range(120):
        while k < (cycle + 1) * 0.004 * rate_hz:
            port.take(
                pack_force(ForceReading(k, round(k * 1e9 / rate_hz), tuple(rng.standard_normal(6)))), 0.004 * cycle
            )
            k += 1
        fault = fault or intake.step(0.004 * cycle).fault
    port.arrived(1.0)
    assert port.arrived(1.0) == ()
    assert (says in fault) if says else fault == ""
