"""Nothing that a part of ours, a stranger's packet or the machine does ends the tick: it becomes a stop with a name."""

from __future__ import annotations

import os
import signal
from types import SimpleNamespace

import numpy as np
import pytest

from proxops.core.clock import STALL_S
from proxops.core.interruption import ENDS, ends_asked_for, noted_interrupt
from proxops.core.vocabulary import Mode, Severity
from proxops.facility.emergency import emergency_brake
from proxops.facility.robots import AT_REST
from proxops.safety.rules import Rule


class Failing:
    """A part that has had enough."""

    def step(self) -> None:
        raise ZeroDivisionError("of a motion")


def jogging(bench) -> None:
    desk = bench.ready().hall.desk
    desk.select("manual")
    for _ in range(150):
        desk.jog("IJT", "rail", "rail", 1)
        bench.ticks(1)
    assert bench.hall.facility.guard.rate[0] > 0.2


def test_a_failing_motion_is_a_named_stop(bench) -> None:
    jogging(bench)
    facility, before = bench.hall.facility, bench.hall.facility.ring.head
    facility.motion = Failing()
    bench.until(Mode.STOPPED)
    assert facility.stop.rule is Rule.INTERNAL_ERROR
    assert "test_failures.py" in facility.stop.detail and "Error" in facility.stop.detail
    assert facility.ring.head - before > 20  # every cycle of the braking is in the log
    bench.ticks(300)
    assert not facility.link.any_on


@pytest.mark.parametrize("part", ["poll", "publish", "answer"])
def test_a_failing_port_is_a_named_stop(bench, part: str) -> None:
    jogging(bench)

    def failing() -> None:
        raise OverflowError("of a port")

    bench.hall.facility.duties.attach("bridge", **{part: failing})
    bench.ticks(1)
    assert bench.mode is Mode.STOPPING
    assert str(bench.hall.facility.stop).startswith("INTERNAL_ERROR") and "bridge: OverflowError" in str(
        bench.hall.facility.stop
    )


def test_the_last_resort_is_recorded(bench) -> None:
    jogging(bench)
    facility = bench.hall.facility
    before = facility.ring.head
    facility.guard.judge = None  # the tick itself fails
    with pytest.raises(TypeError) as caught:
        bench.ticks(1)
    emergency_brake(facility, caught.value)
    assert facility.mode is Mode.STOPPED and facility.stop.rule is Rule.INTERNAL_ERROR
    assert not facility.guard.moving and facility.ring.head - before > 20


def test_the_last_resort_survives_what_it_was_called_for(bench) -> None:
    """Publishing has failed, and fails on: the robots are braked all the same."""
    jogging(bench)
    facility = bench.hall.facility

    def broken(record: object) -> None:
        raise OSError("of the ring")

    facility.ring.push = broken
    with pytest.raises(OSError) as caught:
        bench.ticks(1)
    emergency_brake(facility, caught.value)
    assert facility.mode is Mode.STOPPED and not facility.guard.moving and not facility.link.all_on


def test_the_last_resort_ends_when_the_robots_stand_not_when_their_set_point_does(bench) -> None:
    jogging(bench)
    facility = bench.hall.facility
    emergency_brake(facility, OSError("of the tick"))
    assert (np.abs(facility.actual_rate) < AT_REST).all()


def test_a_failing_watcher_does_not_end_the_tick(bench) -> None:
    jogging(bench)
    bench.hall.facility.surroundings.watchers.append(SimpleNamespace(look=lambda: 1 // 0))
    bench.ticks(30)
    assert bench.hall.facility.stop is None and not bench.hall.facility.surroundings.watchers  # told, and let go of
    assert "ZeroDivisionError" in bench.hall.facility.events.newest


@pytest.mark.parametrize("part", ["read", "write"])
def test_the_last_resort_goes_on_without_the_link(bench, part: str) -> None:
    jogging(bench)
    facility, before = bench.hall.facility, bench.hall.facility.ring.head

    def broken(*setpoint: object) -> None:
        raise OSError("of the link")

    setattr(facility.link, part, broken)
    emergency_brake(facility, OSError("of the link"))
    assert facility.mode is Mode.STOPPED and not facility.guard.moving and facility.ring.head - before > 20


@pytest.mark.parametrize("lateness_s", [STALL_S * 0.9, STALL_S * 1.1, 5.0])
def test_a_stall_in_motion_is_a_stop(bench, lateness_s: float) -> None:
    jogging(bench)
    facility = bench.hall.facility
    bench.clock.late_s = lateness_s
    bench.hall.desk.jog("IJT", "rail", "rail", 1)
    bench.ticks(1)
    if lateness_s < STALL_S:
        assert bench.mode is Mode.MANUAL
    else:
        assert facility.stop.rule is Rule.STALL and facility.stop.value == lateness_s
        assert facility.stop.bound == STALL_S


def test_a_stall_at_rest_is_none(bench) -> None:
    bench.ready()
    bench.clock.late_s = 5.0
    bench.ticks(1)
    assert bench.mode is Mode.READY


def test_a_jog_whose_button_was_let_go_of_before_a_stall_does_not_go_on(bench) -> None:
    """Heartbeats age by the clock, not by cycles: 5 s of standstill are 5 s."""
    jogging(bench)
    facility, clock = bench.hall.facility, bench.clock
    standing = SimpleNamespace(now_ns=clock.now_ns)
    bench.hall.desk._jog._clock = standing
    standing.now_ns = lambda: clock.now_ns() + 5_000_000_000
    speed = facility.guard.rate[0]
    bench.ticks(1)
    assert facility.guard.rate[0] < speed
    bench.ticks(200)
    assert not facility.guard.moving


def test_no_key_ends_the_process(bench) -> None:
    """Ctrl-C, as often as anybody likes, Ctrl-\\, Ctrl-Z, a closed terminal, a polite kill."""
    asked: list[str] = []
    with ends_asked_for(asked.append):
        for number in ENDS * 5:
            os.kill(os.getpid(), number)
    assert asked == [signal.Signals(number).name for number in ENDS * 5]
    with noted_interrupt() as interrupted:
        assert not interrupted()
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupted()


def test_further_causes_are_told_and_the_first_one_stands(bench) -> None:
    jogging(bench)
    facility, told = bench.hall.facility, []
    facility.events.tell = lambda severity, name, text: told.append((severity, name))
    bench.hall.desk.safe_stop()
    facility.fail("test", ValueError("x"))
    facility.fail("test", ValueError("x"))
    assert facility.stop.rule is Rule.OPERATOR
    assert told.count((Severity.ERROR, "stop.internal_error")) == 1
    bench.until(Mode.STOPPED)
    bench.ticks(300)
    assert not facility.link.any_on  # an error of ours takes the drives
    assert np.isfinite(facility.actual).all()
