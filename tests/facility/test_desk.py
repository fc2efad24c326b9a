"""The operator's desk: the procedure, refusals with reasons, stops and resets, jog, sine wave, payload."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from proxops.core.errors import BadInput, Refused
from proxops.core.vocabulary import Mode, Source, System
from proxops.facility.build import build
from proxops.facility.status import status
from proxops.lab.cell import Cell
from proxops.safety.rules import Rule

DT = 0.004


def record_setpoints(bench, count: int) -> np.ndarray:
    rows = []
    for _ in range(count):
        bench.ticks(1)
        rows.append(bench.hall.facility.guard.setpoint.copy())
    return np.array(rows)


def test_the_whole_procedure(bench, swing) -> None:
    desk = bench.ready().hall.desk
    desk.load(swing(System.CLW, 200))
    desk.select("async")
    assert bench.mode is Mode.ARMED
    desk.move_to_start("robot2,rail,robot1")
    bench.until(Mode.AT_START)
    desk.confirm()
    assert bench.mode is Mode.RUNNING
    bench.until(Mode.READY)
    assert bench.hall.facility.source is Source.NONE


@pytest.mark.parametrize("order", ["rail,robot1,robot2", "robot1,robot2,rail", "robot2,rail,robot1"])
def test_move_to_start_moves_one_unit_after_another_in_the_order_given(bench, swing, order: str) -> None:
    desk = bench.ready().hall.desk
    desk.load(swing(System.IJT, 50))
    desk.trajectory.values[:, 21] += 300.0
    desk.select("async")
    desk.move_to_start(order)
    before, seen = bench.hall.facility.guard.setpoint.copy(), []
    spans = {"rail": slice(0, 1), "robot1": slice(1, 7), "robot2": slice(7, 13)}
    while bench.mode is Mode.MOVING_TO_START:
        bench.ticks(1)
        now = bench.hall.facility.guard.setpoint.copy()
        moving = [unit for unit, span in spans.items() if not np.array_equal(now[span], before[span])]
        assert len(moving) <= 1
        seen += [unit for unit in moving if unit not in seen]
        before = now
    assert seen == order.split(",")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda d: d.confirm(), ("confirm", "READY", "select sync")),
        (lambda d: d.move_to_start("rail,robot1,robot2"), ("move to start", "READY")),
        (lambda d: d.move_to_start("rail,robot1"), ("each unit once",)),
        (lambda d: d.select("telepathy"), ("telepathy", "sync, async, manual, sine")),
        (lambda d: d.select("async"), ("no trajectory",)),
        (lambda d: d.select("sync"), ("no synchronous interface",)),
        (lambda d: d.reset(), ("reset", "READY")),
        (lambda d: d.jog("IJT", "robot1", "a1", 1), ("jog", "select manual")),
        (lambda d: d.sine("rail", 0.01, 0.5, 4), ("sine", "select sine")),
        (lambda d: d.interlock("cat_flap", False), ("cat_flap", "door_main")),
        (lambda d: d.hardware("real"), ("no link to real",)),
        (lambda d: d.hardware("dream"), ("simulation or real",)),
        (lambda d: d.drives(True), ("drives on", "READY")),
    ],
)
def test_what_is_not_possible_is_refused_with_the_way_out_and_changes_nothing(bench, call, words) -> None:
    bench.ready()
    with pytest.raises((Refused, BadInput)) as caught:
        call(bench.hall.desk)
    for word in words:
        assert word in str(caught.value)
    assert bench.mode is Mode.READY


@pytest.mark.parametrize(
    "mode", ["STANDBY", "READY", "MANUAL", "SINE", "ARMED", "MOVING_TO_START", "AT_START", "RUNNING"]
)
def test_safe_stop_from_every_mode_brakes_within_limits_and_latches(bench, swing, cell: Cell, mode: str) -> None:
    desk = bench.hall.desk
    if mode != "STANDBY":
        bench.ready()
    if mode in ("ARMED", "MOVING_TO_START", "AT_START", "RUNNING"):
        desk.load(swing(System.CLW, 400))
        desk.select("async")
    if mode in ("MOVING_TO_START", "AT_START", "RUNNING"):
        desk.move_to_start("rail,robot1,robot2")
        bench.ticks(100)
    if mode in ("AT_START", "RUNNING"):
        bench.until(Mode.AT_START)
    if mode == "RUNNING":
        desk.confirm()
        bench.ticks(150)
    if mode == "MANUAL":
        desk.select("manual")
        desk.jog("GLC", "robot2", "z", 1)
        bench.ticks(30)
    if mode == "SINE":
        desk.select("sine")
        desk.sine("robot2_a6", 0.1, 0.5, 3)
        bench.ticks(300)
    assert bench.mode is Mode[mode]
    start = record_setpoints(bench, 2)
    desk.safe_stop()
    x = np.vstack([start, record_setpoints(bench, 500)])
    assert (np.abs(np.diff(x, 2, axis=0)) / DT**2 <= cell.hall["acceleration"][0] * (1 + 1e-6)).all()
    assert bench.mode is Mode.STOPPED
    assert bench.hall.facility.stop.rule is Rule.OPERATOR
    with pytest.raises(Refused):
        desk.select("manual")
    desk.reset()
    assert bench.mode is (Mode.STANDBY if mode == "STANDBY" else Mode.READY)


def test_an_emergency_stop_takes_the_drives_and_reset_alone_does_not_bring_them_back(bench) -> None:
    desk = bench.ready().hall.desk
    desk.interlock("estop_robot1", False)
    bench.ticks(20)
    assert bench.mode is Mode.STOPPED
    assert not bench.hall.facility.link.any_on
    with pytest.raises(Refused, match="estop_robot1"):
        desk.reset()
    desk.interlock("estop_robot1", True)
    desk.reset()
    assert bench.mode is Mode.STANDBY
    desk.drives(True)
    bench.until(Mode.READY)


def test_an_emergency_stop_during_a_stop_still_takes_the_drives(bench) -> None:
    desk = bench.ready().hall.desk
    desk.safe_stop()
    bench.ticks(20)
    assert bench.hall.facility.link.all_on
    desk.interlock("estop_fence", False)
    bench.ticks(20)
    assert not bench.hall.facility.link.any_on


def test_an_open_door_forbids_to_begin(bench, swing) -> None:
    desk = bench.ready().hall.desk
    desk.load(swing(System.IJT, 50))
    desk.select("async")
    desk.interlock("door_main", False)
    bench.ticks(5)
    assert bench.mode is Mode.ARMED  # nothing moves: nothing to stop
    with pytest.raises(Refused, match="door_main"):
        desk.move_to_start("rail,robot1,robot2")


@pytest.mark.parametrize(
    ("system", "component", "column", "unit"),
    [
        ("IJT", "a1", None, None),
        ("GLC", "z", 9, 1.0),
        ("IDC", "x", 7, 1e3),
        ("CLW", "y", 8, 1.0),
        ("GLC", "a", 10, None),
    ],
)
def test_jog_moves_one_component_and_fades_without_heartbeats(
    bench, system: str, component: str, column: int | None, unit: float | None
) -> None:
    """Held for 1 s: speed reaches the jog speed and not more; the other components of that system stay."""
    desk = bench.ready().hall.desk
    desk.select("manual")
    facility = bench.hall.facility
    # Off the wrist singularity first, so that Cartesian jogs are well posed.
    for _ in range(750):
        desk.jog("IJT", "robot2", "a5", 1)
        bench.ticks(1)
    bench.ticks(300)
    before = facility.answer_in(int(System[system])).copy() if column is not None else None
    start = facility.guard.setpoint.copy()
    for _ in range(250):
        desk.jog(system, "robot2", component, 1)
        bench.ticks(1)
        assert facility.stop is None, str(facility.stop)
    bench.ticks(300)
    assert np.abs(facility.guard.rate).max() == 0.0
    np.testing.assert_allclose(facility.guard.setpoint[:7], start[:7], atol=1e-12)  # the other units stand
    if column is not None:
        after = facility.answer_in(int(System[system]))
        moved = np.abs(after - before)
        if unit:
            assert 0.15 < moved[column] / unit < 0.35  # 0.25 m/s for a second, with soft ends and the fading
        moved[column] = 0.0
        assert moved[7:10].max() < 1.0 if system == "IDC" else moved[7:13].max() < 0.05


def test_jog_is_slower_with_the_fence_open_and_nothing_else_moves(bench, swing) -> None:
    desk = bench.ready().hall.desk
    desk.load(swing(System.IJT, 50))
    desk.select("manual")
    rates = []
    for healthy in (True, False):
        desk.interlock("fence", healthy)
        for _ in range(200):
            desk.jog("IJT", "robot1", "a1", 1)
            bench.ticks(1)
        rates.append(bench.hall.facility.guard.rate[1])
        bench.ticks(400)
    assert rates[0] == pytest.approx(np.radians(15.0))
    assert rates[1] == pytest.approx(np.radians(3.0))
    desk.select("none")
    bench.until(Mode.READY)
    desk.select("async")
    with pytest.raises(Refused, match="FENCE"):
        desk.move_to_start("rail,robot1,robot2")


def test_sine_wave_returns_to_where_it_began(bench) -> None:
    desk = bench.ready().hall.desk
    desk.select("sine")
    start = bench.hall.facility.guard.setpoint.copy()
    desk.sine("rail", 0.02, 0.4, 3)
    x = record_setpoints(bench, 1875)
    assert np.abs(x[:, 0] - start[0]).max() == pytest.approx(0.02, rel=0.02)
    bench.until(Mode.READY)
    np.testing.assert_allclose(bench.hall.facility.guard.setpoint, start, atol=1e-6)


def test_a_sine_wave_that_the_axis_cannot_follow_is_refused_beforehand(bench) -> None:
    desk = bench.ready().hall.desk
    desk.select("sine")
    for axis, amplitude, frequency, words in (
        ("robot1_a2", 0.5, 3.0, ("speed", "540 deg/s", "110 deg/s")),
        ("rail", 0.02, 2.0, ("acceleration", "3158 mm/s²", "900 mm/s²")),
        ("robot1_a2", 3.0, 0.01, ("amplitude", "171.9 deg", "56 deg")),
    ):
        with pytest.raises(BadInput) as caught:
            desk.sine(axis, amplitude, frequency, 5)
        for word in words:
            assert word in str(caught.value)
    assert bench.mode is Mode.SINE


@pytest.mark.parametrize("last_share", [1.0, 0.5, 0.001])
def test_a_jog_is_at_rest_soon_after_release_whatever_was_pressed_last(bench, last_share: float) -> None:
    """0.2 s without a heartbeat and 0.3 s of fading, also when the last heartbeat asked for a crawl."""
    desk = bench.ready().hall.desk
    desk.select("manual")
    for _ in range(150):
        desk.jog("IJT", "rail", "rail", 1)
        bench.ticks(1)
    desk.jog("IJT", "rail", "rail", 1, last_share)
    bench.ticks(50 + 75 + 30)
    assert not bench.hall.facility.guard.moving


def test_a_fence_that_opens_in_mid_jog_slows_it_within_a_ramp(bench) -> None:
    desk = bench.ready().hall.desk
    desk.select("manual")
    for k in range(300):
        desk.jog("IJT", "rail", "rail", 1)
        if k == 150:
            desk.interlock("fence", False)
        bench.ticks(1)
        if k > 150 + 75:
            assert abs(bench.hall.facility.guard.rate[0]) <= 0.05 * (1 + 1e-9)


def test_an_emergency_stop_pressed_and_released_while_braking_takes_the_drives(bench) -> None:
    desk = bench.ready().hall.desk
    desk.select("manual")
    for _ in range(150):
        desk.jog("IJT", "rail", "rail", 1)
        bench.ticks(1)
    desk.safe_stop()
    bench.ticks(3)
    desk.interlock("estop_fence", False)
    bench.ticks(2)
    desk.interlock("estop_fence", True)
    bench.until(Mode.STOPPED)
    bench.ticks(10)
    assert bench.hall.facility.stop.rule is Rule.OPERATOR  # the first cause stands
    assert not bench.hall.facility.link.any_on
    desk.reset()
    assert bench.mode is Mode.STANDBY


def test_the_wrist_singularity_is_named_when_it_makes_axes_race(bench) -> None:
    """At home A5 = 0: a sideways jog of the port needs A4 to turn at once."""
    desk = bench.ready().hall.desk
    desk.select("manual")
    with contextlib.suppress(Refused):
        for _ in range(50):
            desk.jog("GLC", "robot2", "y", 1)
            bench.ticks(1)
    bench.until(Mode.STOPPED)
    assert bench.hall.facility.stop.rule is Rule.WRIST_SINGULARITY
    assert "robot 2 A5" in str(bench.hall.facility.stop)


def test_drives_stay_off_with_a_payload_beyond_table_5(cell: Cell) -> None:
    from dataclasses import replace

    from proxops.core.clock import LockstepClock

    heavy = cell.file.robot1.payload.model_copy(update={"mass_kg": 61.0})
    file = cell.file.model_copy(update={"robot1": cell.file.robot1.model_copy(update={"payload": heavy})})
    hall = build(replace(cell, file=file), LockstepClock(), seed=0, record=None)
    with pytest.raises(Refused, match=r"robot 1 payload: mass is 61 kg, Table 5 allows 60 kg"):
        hall.desk.drives(True)
    assert hall.facility.mode is Mode.STANDBY
    hall.close()


def test_status_is_plain_data(bench) -> None:
    import json

    bench.ready().ticks(5)
    told = json.loads(json.dumps(status(bench.hall.desk)))
    assert told["mode"] == "READY"
    assert told["drives_on"] is True
    assert set(told["axes"]) == {"rail", *(f"robot{r}_a{a}" for r in (1, 2) for a in range(1, 7))}


def test_a_controller_fault_stops_everything_and_is_named(bench, swing) -> None:
    """Set-points that reach a controller past the guard (a defect of ours) still end in a named stop."""
    desk = bench.ready().hall.desk
    desk.select("manual")
    facility = bench.hall.facility
    facility.guard.setpoint[3] += 0.2
    bench.ticks(2)
    assert facility.stop.rule is Rule.CONTROLLER_FAULT
    assert "robot 1 A3" in str(facility.stop)
    bench.until(Mode.STOPPED)
    assert not facility.link.all_on


def test_a_stop_while_the_drives_come_on_keeps_them_off(bench) -> None:
    desk = bench.hall.desk
    desk.drives(True)
    bench.ticks(10)
    desk.safe_stop()
    bench.ticks(100)
    assert bench.mode is Mode.STOPPED
    assert not bench.hall.facility.link.any_on
    desk.reset()
    assert bench.mode is Mode.STANDBY


def test_an_emergency_stop_while_the_drives_come_on_keeps_them_off(bench) -> None:
    desk = bench.hall.desk
    desk.drives(True)
    bench.ticks(10)
    desk.interlock("estop_fence", False)
    bench.ticks(100)
    assert bench.mode is Mode.STOPPED
    assert not bench.hall.facility.link.any_on


def test_leaving_a_moving_source_is_smooth(bench, cell: Cell) -> None:
    desk = bench.ready().hall.desk
    desk.select("manual")
    for _ in range(100):
        desk.jog("IJT", "robot2", "a1", 1)
        bench.ticks(1)
    x = record_setpoints(bench, 3)
    desk.select("none")  # in mid-motion: braked, then let go
    x = np.vstack([x, record_setpoints(bench, 300)])
    assert (np.abs(np.diff(x, 2, axis=0)) / DT**2 <= cell.hall["acceleration"][0] * (1 + 1e-6)).all()
    assert bench.mode is Mode.READY
    desk.select("sine")
    desk.sine("rail", 0.05, 0.5, 5)
    x = record_setpoints(bench, 700)
    desk.select("none")
    x = np.vstack([x, record_setpoints(bench, 200)])
    assert (np.abs(np.diff(x, 2, axis=0)) / DT**2 <= cell.hall["acceleration"][0] * (1 + 1e-6)).all()
    assert bench.mode is Mode.READY


def test_random_requests_inputs_and_waits_never_break_a_limit_or_the_tick(cell: Cell, swing) -> None:
    """An operator gone wild, 3000 requests: every cycle's set-point keeps speed and acceleration, and nothing crashes."""
    from proxops.core.clock import LockstepClock

    clock = LockstepClock()
    hall = build(cell, clock, seed=1, record=None)
    desk, facility, rng = hall.desk, hall.facility, np.random.default_rng(11)
    names = [i.name for i in cell.file.interlock]
    systems, components = ["IJT", "GLC", "IDC", "CLW"], ["a1", "a5", "x", "z", "a", "rx", "rail"]

    def pick(items):
        return items[rng.integers(len(items))]

    orders, sources = ["rail,robot1,robot2", "robot2,robot1,rail"], ["async", "async", "manual", "sine", "none", "sync"]
    requests = [
        lambda: desk.drives(bool(rng.integers(4))),
        lambda: desk.drives(True),
        lambda: desk.safe_stop() if rng.integers(4) == 0 else None,
        lambda: desk.reset(),
        lambda: desk.confirm(),
        lambda: desk.confirm(),
        lambda: desk.select(pick(sources)),
        lambda: desk.move_to_start(pick(orders)),
        lambda: desk.move_to_start(pick(orders)),
        lambda: desk.load(swing(pick(list(System)), 300)),
        lambda: [
            desk.jog(pick(systems), pick(["robot1", "robot2"]), pick(components), pick([-1, 1])) for _ in range(3)
        ],
        lambda: desk.sine(pick(["rail", "robot1_a2", "robot2_a6"]), float(rng.normal() * 0.03), rng.uniform(0.1, 2), 3),
        lambda: desk.interlock(pick(names), bool(rng.integers(8))),
        lambda: [desk.interlock(name, True) for name in names],
    ]
    before, rate = facility.guard.setpoint.copy(), np.zeros(13)
    seen = set()
    for _ in range(3000):
        with contextlib.suppress(Refused, BadInput):
            pick(requests)()
        for _ in range(int(rng.integers(1, pick([3, 60, 900])))):
            clock.advance()
            facility.tick()
            now = facility.guard.setpoint.copy()
            new_rate = (now - before) / DT
            assert (np.abs(new_rate) <= cell.hall["speed"][0] * (1 + 1e-9)).all()
            assert (np.abs(new_rate - rate) / DT <= cell.hall["acceleration"][0] * (1 + 1e-6)).all()
            before, rate = now, new_rate
            seen.add(facility.mode)
    assert seen == set(Mode) - {Mode.BRIDGED, Mode.HALTING}  # this hall has no bridge
    hall.close()


def test_after_an_error_of_ours_the_robots_are_braked_within_limits_and_the_drives_cut(bench, cell: Cell) -> None:
    desk, facility = bench.ready().hall.desk, bench.hall.facility
    desk.select("manual")
    for _ in range(150):
        desk.jog("IJT", "rail", "rail", 1)
        bench.ticks(1)
    written, write = [facility.guard.setpoint.copy()], facility.link.write

    def spy(setpoint):
        written.append(setpoint.copy())
        return write(setpoint)

    facility.link.write = spy
    speed = facility.guard.rate[0]
    assert speed > 0.2
    facility.emergency_brake()
    x = np.array(written)[:, 0]
    a = np.diff(np.concatenate([[x[0] - speed * DT], x]), 2) / DT**2
    assert np.abs(a).max() <= cell.hall["acceleration"][0][0] * (1 + 1e-6)
    for _ in range(200):
        write(facility.guard.setpoint)
    assert not facility.link.any_on
    assert np.abs(facility.link.rate).max() == 0.0
