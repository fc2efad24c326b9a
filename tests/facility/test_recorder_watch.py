"""The recorder is watched: lost, hung, late, out of disk, losing records: told within a second, cleared when over."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from proxops.core.clock import LockstepClock
from proxops.core.errors import ProxopsError, Refused
from proxops.core.messages import EVENT_DTYPE, PERIOD_NS, POOL_DTYPE
from proxops.core.ring import Ring
from proxops.core.vocabulary import Mode, System
from proxops.facility.build import build
from proxops.facility.emergency import emergency_brake
from proxops.facility.events import EventLog
from proxops.facility.recorder_watch import LATE_NS, RecorderWatch
from proxops.facility.surroundings import look_every
from proxops.facility.trajectories import preflighted
from proxops.ground.log import Log

SECOND = 250  # cycles
LOOK_EVERY = look_every(PERIOD_NS)


class Clock(LockstepClock):
    """Time that a test may let jump."""

    jump_ns = 0

    def now_ns(self) -> int:
        return super().now_ns() + self.jump_ns


class Process:
    living = True

    def alive(self) -> bool:
        return self.living


class Watched:
    """A recorder that does what it is told: ``beats`` and ``reads`` as a healthy one does, or not."""

    def __init__(self, *, by_time: bool = True, period_ns: int = PERIOD_NS) -> None:
        self.ring = Ring.create("test-pool", POOL_DTYPE, 4096)
        self._events = Ring.create("test-events", EVENT_DTYPE, 64)
        self.clock, self.process = Clock(period_ns=period_ns), Process()
        self._beat, self._read = (max(1, every_ns // period_ns) for every_ns in (20_000_000, 60_000_000))
        self.log = EventLog(self._events, self.clock)
        self.watch = RecorderWatch(self.process, self.ring, self.log, self.clock, by_time=by_time)
        self.beats = self.reads = True

    def cycles(self, count: int) -> None:
        for _ in range(count):
            self.clock.advance()
            if self.clock.tick % self._beat == 0 and self.beats:
                self.ring.heartbeat += 1
            if self.clock.tick % self._read == 0 and self.reads:
                self.ring.tail = self.ring.head
            if self.clock.tick % look_every(self.clock.period_ns) == 0:
                self.watch.look()
            self.ring.words[0] += 1  # a record

    def until(self, alarm: str) -> int:
        """Cycles until it is raised."""
        for k in range(10 * SECOND):
            if alarm in self.log.alarm_names:
                return k
            self.cycles(1)
        raise AssertionError(f"{alarm} never came")

    def close(self) -> None:
        self.ring.close()
        self._events.close()


@pytest.fixture
def watched() -> Iterator[Watched]:
    made = Watched()
    yield made
    made.close()


def test_a_healthy_recorder_raises_nothing(watched: Watched) -> None:
    watched.cycles(20 * SECOND)
    assert not watched.log.raised and watched.watch.trouble == ""


def test_a_hung_recorder_is_told_within_a_second_and_cleared(watched: Watched) -> None:
    watched.cycles(2 * SECOND)
    watched.beats = watched.reads = False
    assert watched.until("recorder_hung") < SECOND
    assert "recorder_hung" in watched.watch.trouble
    watched.beats = watched.reads = True
    watched.cycles(2 * LOOK_EVERY)
    assert watched.log.alarms == 0 and watched.watch.trouble == ""


def test_a_late_recorder_is_told_within_a_second_and_cleared(watched: Watched) -> None:
    watched.cycles(2 * SECOND)
    watched.reads = False
    assert watched.until("recorder_late") < SECOND
    assert watched.log.alarm_names == ["recorder_late"] and str(LATE_NS // PERIOD_NS) in watched.watch.trouble
    watched.reads = True
    watched.cycles(2 * LOOK_EVERY)
    assert watched.log.alarms == 0 and watched.watch.trouble == ""


def test_a_machine_that_slept_blames_nobody(watched: Watched) -> None:
    watched.cycles(SECOND)
    watched.clock.jump_ns += 3600 * 1_000_000_000
    watched.beats = False  # not yet awake
    watched.cycles(LOOK_EVERY)
    assert watched.log.alarms == 0
    watched.beats = True
    watched.cycles(SECOND)
    assert not watched.log.raised


def test_in_lockstep_the_clock_proves_nothing() -> None:
    watched = Watched(by_time=False)
    watched.beats = watched.reads = False
    watched.cycles(10 * SECOND)
    assert not watched.log.raised
    watched.process.living = False
    watched.until("recorder_lost")
    watched.close()


def test_loss_disk_and_death_forbid_motion_too(watched: Watched) -> None:
    watched.ring.trouble = 28
    watched.until("disk_trouble")
    assert "errno 28" in watched.watch.trouble
    watched.ring.trouble = 0
    watched.cycles(LOOK_EVERY)
    assert watched.watch.trouble == ""
    watched.ring.lost = 7
    watched.until("records_lost")
    assert "7 cycles" in watched.watch.trouble
    watched.cycles(2 * SECOND)
    assert watched.watch.trouble == "" and watched.log.alarm_names == ["records_lost"]  # the alarm remembers
    watched.process.living = False
    watched.until("recorder_lost")
    assert "recorder_lost" in watched.watch.trouble


# ---------------------------------------------------------------------- no new motion
class Doubtful:
    """A recorder in whatever state a test wants."""

    trouble = ""

    def look(self) -> None:
        pass


WHY = "no motion begins that would not be recorded (recorder_hung: for a test)"


@pytest.fixture
def doubtful(bench) -> Doubtful:
    bench.ready()
    bench.hall.facility.surroundings.evidence = evidence = Doubtful()
    return evidence


@pytest.mark.parametrize("source", ["manual", "sine"])
def test_no_mode_of_motion_is_entered(bench, doubtful: Doubtful, source: str) -> None:
    doubtful.trouble = WHY
    with pytest.raises(Refused, match=rf"select {source}: no motion begins .*recorder_hung"):
        bench.hall.desk.select(source)
    assert bench.mode is Mode.READY
    doubtful.trouble = ""
    bench.hall.desk.select(source)


def test_neither_start_nor_run_begins(bench, doubtful: Doubtful, swing) -> None:
    desk = bench.hall.desk
    desk.load(preflighted(desk.facility.cell, swing(System.IJT)))
    desk.select("async")
    doubtful.trouble = WHY
    with pytest.raises(Refused, match="move to start: no motion"):
        desk.move_to_start("rail,robot1,robot2")
    doubtful.trouble = ""
    desk.move_to_start("rail,robot1,robot2")
    doubtful.trouble = WHY
    bench.until(Mode.AT_START)  # what moves goes on
    with pytest.raises(Refused, match="confirm: no motion"):
        desk.confirm()
    doubtful.trouble = ""
    desk.confirm()
    doubtful.trouble = WHY
    bench.until(Mode.READY)
    assert bench.hall.facility.stop is None


def test_no_sine_begins(bench, doubtful: Doubtful) -> None:
    desk = bench.hall.desk
    desk.select("sine")
    doubtful.trouble = WHY
    with pytest.raises(Refused, match="sine: no motion"):
        desk.sine("rail", 0.01, 0.5, 1)


def test_a_jog_that_moves_goes_on_and_no_other_begins(bench, doubtful: Doubtful) -> None:
    desk = bench.hall.desk
    desk.select("manual")
    assert desk.jog("IJT", "rail", "rail", 1, press=1)
    bench.ticks(10)
    doubtful.trouble = WHY
    for _ in range(20):
        assert desk.jog("IJT", "rail", "rail", 1, press=1)
        bench.ticks(10)
    desk.release()
    bench.ticks(200)
    with pytest.raises(Refused, match="jog: no motion"):
        desk.jog("IJT", "rail", "rail", 1, press=2)
    bench.ticks(10)
    assert not bench.hall.facility.guard.moving


def test_a_run_that_nobody_records_is_not_affected(bench) -> None:
    assert bench.hall.facility.surroundings.evidence is None
    bench.ready().hall.desk.select("manual")


# ---------------------------------------------------------------------- a real one
def test_a_recorder_that_hangs_for_ever_does_not_hang_lockstep(cell, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("proxops.ground.recorder.KEEP_UP_S", 0.2)
    clock = LockstepClock()
    hall = build(cell, clock, seed=1, record=tmp_path / "run.mcap")
    assert hall.recorder is not None
    os.kill(hall.recorder.pid, signal.SIGSTOP)
    began = time.monotonic()
    try:
        with pytest.raises(ProxopsError, match=r"has not moved for 0\.2 s") as caught:
            while time.monotonic() - began < 60:
                hall.facility.tick()
        assert hall.facility.events.raised == []  # wall time means nothing here
        emergency_brake(hall.facility, caught.value)  # which is not kept waiting by it
        assert hall.facility.mode is Mode.STOPPED
    finally:
        os.kill(hall.recorder.pid, signal.SIGCONT)
        assert hall.close() == 0
    assert (np.diff(Log.open(tmp_path / "run.mcap").pool["clock"]["tick"]) == 1).all()


def test_the_bound_is_below_a_second_by_the_clock() -> None:
    assert LATE_NS + LOOK_EVERY * PERIOD_NS < 1_000_000_000


@pytest.mark.parametrize("period_ms", [0.5, 1.0, 25.0, 100.0])
@pytest.mark.parametrize("alarm", ["recorder_hung", "recorder_late"])
def test_a_second_is_a_second_at_the_period_of_any_cell(period_ms: float, alarm: str) -> None:
    watched, second = Watched(period_ns=round(period_ms * 1e6)), round(1e3 / period_ms)
    watched.cycles(3 * second)
    assert not watched.log.raised
    watched.beats, watched.reads = alarm != "recorder_hung", False
    assert 0.5 * second < watched.until(alarm) <= second
    watched.close()
