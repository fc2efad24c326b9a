"""Robots that do not obey lose their drives, in every mode: those that run on in a brake or at rest, those that never stand."""

from __future__ import annotations

import numpy as np
import pytest

from proxops.core.vocabulary import Mode
from proxops.facility.course_watch import REST_NS
from proxops.safety.rules import Rule

PATIENCE = REST_NS // 4_000_000 + 500  # cycles


def jogging(bench) -> None:
    if bench.mode is Mode.STANDBY:
        bench.ready()
    bench.hall.desk.select("manual")
    for _ in range(100):
        bench.hall.desk.jog("IJT", "robot2", "a6", 1)
        bench.ticks(1)


class Told:
    """A link that reports what a test says, and is obeyed for the rest."""

    def __init__(self, bench, **reported: object) -> None:
        facility = bench.hall.facility
        self._link, self._reported = facility.link, reported
        facility.link = facility.robots.link = self

    def __getattr__(self, name: str) -> object:
        return self._reported[name] if name in self._reported else getattr(self._link, name)


def run_away(bench, rad_s: float) -> None:
    """Robot 2's last axis goes its own way from now on."""
    link, gone = bench.hall.facility.link, [0.0]
    read = link.read

    def astray() -> np.ndarray:
        gone[0] += rad_s * 0.004
        q = read().copy()
        q[-1] += gone[0]
        return q

    rate = np.zeros(13)
    rate[-1] = rad_s
    Told(bench, read=astray, rate=rate)


@pytest.mark.parametrize("cause", ["estop", "operator"])
def test_a_robot_that_does_not_come_to_rest_loses_its_drives(bench, cause: str) -> None:
    """It reports no number, or that it moves, for ever: drives stayed on in STOPPING, with the emergency stop pressed too."""
    jogging(bench)
    desk, facility = bench.hall.desk, bench.hall.facility
    Told(bench, rate=np.full(13, np.nan))
    desk.interlock("estop", False) if cause == "estop" else desk.safe_stop()
    bench.until(Mode.STOPPED, patience=PATIENCE)
    bench.ticks(100)
    assert not facility.link.any_on
    assert facility.stop.rule is (Rule.ESTOP if cause == "estop" else Rule.OPERATOR)  # the first cause stands


def test_a_brake_without_a_stop_that_does_not_end_becomes_one(bench) -> None:
    jogging(bench)
    Told(bench, rate=np.full(13, 0.1))
    bench.hall.desk.select("none")
    bench.until(Mode.STOPPED, patience=PATIENCE)
    assert bench.hall.facility.stop.rule is Rule.FOLLOWING and "no rest" in str(bench.hall.facility.stop)


@pytest.mark.parametrize("mode", [Mode.READY, Mode.MANUAL, Mode.STOPPED, Mode.STOPPING])
def test_a_robot_that_runs_away_from_a_set_point_that_stands_is_cut_off(bench, mode: Mode) -> None:
    """Its place was compared with the set-point's only while that moved and did not brake."""
    bench.ready()
    facility = bench.hall.facility
    if mode is Mode.MANUAL:
        bench.hall.desk.select("manual")
    if mode is Mode.STOPPING:
        jogging(bench)
    if mode in (Mode.STOPPED, Mode.STOPPING):
        bench.hall.desk.safe_stop()
        bench.until(mode)
    assert facility.link.all_on
    run_away(bench, 1.0)
    bench.ticks(round(2.5 * facility.guard._astray[-1] / 0.004))  # cycles, at 1 rad/s
    assert not facility.link.all_on
    assert any(stop.rule is Rule.FOLLOWING for stop in facility._causes)
    assert len(facility._causes) <= 2  # told once


def test_after_a_robot_was_off_its_set_point_drives_come_on_where_it_is(bench) -> None:
    """FOLLOWING left the drives on: the robot pressed on towards its set-point, and no reset led out of it."""
    bench.ready()
    facility, link = bench.hall.facility, bench.hall.facility.link
    read = link.read
    link.read = lambda: read() + 0.1
    bench.until(Mode.STOPPED)
    assert facility.stop.rule is Rule.FOLLOWING
    link.read = read
    bench.ticks(200)
    bench.hall.desk.reset()
    assert bench.mode is Mode.STANDBY and not link.all_on
    bench.ready()
    bench.hall.desk.select("manual")
    bench.hall.desk.jog("IJT", "robot2", "a6", 1)
    bench.ticks(10)
    assert facility.stop is None and facility.guard.moving
