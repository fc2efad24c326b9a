"""The operator's desk: the procedure, refusals with reasons, stops and resets, jog, sine wave, payload."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from setpoint_limits import keeps_limits

from proxops.core.errors import BadInput, Refused
from proxops.core.messages import PERIOD_S
from proxops.core.vocabulary import Mode, Source, System
from proxops.facility.build import build
from proxops.facility.desk.status import status
from proxops.facility.emergency import emergency_brake
from proxops.facility.trajectories import preflighted
from proxops.lab.cell import Cell
from proxops.lab.coordinates import values_from_axes, wire_pose
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
    bench.load(swing(System.CLW, 200))
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
    away = swing(System.IJT, 50)
    away.values[:, 21] += 300.0
    bench.load(away)
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
        bench.load(swing(System.CLW, 400))
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
    bench.load(swing(System.IJT, 50))
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
    before = facility.told.answer_in(int(System[system])).copy() if column is not None else None
    start = facility.guard.setpoint.copy()
    for _ in range(250):
        desk.jog(system, "robot2", component, 1)
        bench.ticks(1)
        assert facility.stop is None, str(facility.stop)
    bench.ticks(300)
    assert np.abs(facility.guard.rate).max() == 0.0
    np.testing.assert_allclose(facility.guard.setpoint[:7], start[:7], atol=1e-12)  # the other units stand
    if column is not None:
        after = facility.told.answer_in(int(System[system]))
        moved = np.abs(after - before)
        if unit:
            assert 0.15 < moved[column] / unit < 0.35  # 0.25 m/s for a second, with soft ends and the fading
        moved[column] = 0.0
        assert moved[7:10].max() < 1.0 if system == "IDC" else moved[7:13].max() < 0.05


def test_jog_is_slower_with_the_fence_open_and_nothing_else_moves(bench, swing) -> None:
    desk = bench.ready().hall.desk
    bench.load(swing(System.IJT, 50))
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


def hold(bench, cycles: int, *button: object, **more: object) -> list[bool]:
    """Heartbeats of one press, one each cycle; what was answered."""
    answers = []
    for _ in range(cycles):
        answers.append(bench.hall.desk.jog(*button, **more))
        bench.ticks(1)
        assert bench.hall.facility.stop is None, str(bench.hall.facility.stop)
    return answers


@pytest.fixture
def manual(bench):
    """Manual mode, robot 2's wrist off its singularity so that Cartesian jogs are well posed."""
    bench.ready().hall.desk.select("manual")
    hold(bench, 900, "IJT", "robot2", "a5", 1, step=0.8, press=-1)
    assert not bench.hall.facility.guard.moving
    return bench


STEPS = [  # system, robot, component, step (m or rad), column of the 22 doubles, its units per m or rad
    ("IJT", "rail", "rail", 0.010, 21, 1e3),
    ("IJT", "rail", "rail", 0.200, 21, 1e3),
    ("IJT", "robot1", "a1", np.radians(0.01), 0, 180 / np.pi),
    ("IJT", "robot2", "a6", np.radians(5.0), 12, 180 / np.pi),
    ("IDC", "robot2", "x", 0.0001, 7, 1e3),
    ("GLC", "robot2", "z", 0.030, 9, 1.0),
    ("GLC", "robot2", "a", np.radians(2.0), 10, 180 / np.pi),
    ("CLW", "robot2", "y", 0.001, 8, 1.0),
]


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize(("system", "robot", "component", "step", "column", "unit"), STEPS)
def test_a_jog_step_ends_on_its_amount_though_the_button_is_held(
    manual, cell: Cell, system: str, robot: str, component: str, step: float, column: int, unit: float, direction: int
) -> None:
    facility, pressed = manual.hall.facility, (system, robot, component, direction)
    before = in_system(facility, system)
    x = [facility.guard.setpoint.copy()] * 2
    for _ in range(700):
        manual.hall.desk.jog(*pressed, step=step, press=7)
        manual.ticks(1)
        x.append(facility.guard.setpoint.copy())
    assert facility.stop is None
    assert not facility.guard.moving
    moved = in_system(facility, system) - before
    assert moved[column] / unit == pytest.approx(direction * step, abs=1e-11)  # rounding of the inverse kinematics
    moved[column] = 0.0
    # GLC and CLW share x of robot 1 between rail and arm; nothing else may move.
    np.testing.assert_allclose(moved, 0.0, atol=1e-8)
    v = np.diff(np.array(x), axis=0) / DT
    assert (np.abs(np.diff(v, axis=0)) / DT <= cell.hall["acceleration"][0] * (1 + 1e-6)).all()
    if robot == "rail":  # one component is one axis: braking inside the step, never past it, never faster than the ramp
        way = direction * (np.array(x)[:, 0] - x[0][0])
        assert way.max() <= step + 1e-12
        assert np.abs(np.diff(v[:, 0])).max() <= 0.25 / 0.3 * DT * (1 + 1e-6)
        assert np.abs(v[:, 0]).max() <= 0.25 * (1 + 1e-9)


def in_system(facility, system: str) -> np.ndarray:
    """The set-point's 22 doubles."""
    values = np.zeros(22)
    values_from_axes(facility.cell.hall, int(System[system]), facility.guard.setpoint, facility.told.pov, values)
    return values


def test_a_step_about_an_axis_of_the_point_of_view_turns_by_its_amount(manual) -> None:
    facility = manual.hall.facility
    before = wire_pose(in_system(facility, "CLW"), 7)
    hold(manual, 400, "CLW", "robot2", "rz", 1, step=0.02, press=1)
    after = wire_pose(in_system(facility, "CLW"), 7)
    turned = Rotation.from_matrix(after[:3, :3] @ before[:3, :3].T).as_rotvec()
    np.testing.assert_allclose(turned, (0.0, 0.0, 0.02), atol=1e-11)
    np.testing.assert_allclose(after[:3, 3], before[:3, 3], atol=1e-11)


def test_ten_steps_add_up_and_each_needs_a_press_of_its_own(manual) -> None:
    """1 mm ten times, pressed on at once: a press that comes while the last still moves waits for its end."""
    guard = manual.hall.facility.guard
    start = guard.setpoint[0]
    for press in range(1, 11):
        answers = hold(manual, 60, "IJT", "rail", "rail", 1, step=0.001, press=press)
        assert answers[-1] is False  # ended, though held
        assert guard.setpoint[0] - start == pytest.approx(press * 0.001, abs=1e-12)
    hold(manual, 100, "IJT", "rail", "rail", 1, step=0.001, press=10)
    assert guard.setpoint[0] - start == pytest.approx(0.010, abs=1e-12)


def test_a_step_let_go_of_early_stops_early_and_is_spent(manual) -> None:
    guard, desk = manual.hall.facility.guard, manual.hall.desk
    start = guard.setpoint[0]
    hold(manual, 100, "IJT", "rail", "rail", 1, step=0.5, press=1)
    desk.release()
    manual.ticks(76)  # the ramp from full speed takes 75 cycles
    assert not guard.moving
    way = guard.setpoint[0] - start
    assert 0.01 < way < 0.2
    assert not any(hold(manual, 100, "IJT", "rail", "rail", 1, step=0.5, press=1))
    assert guard.setpoint[0] - start == way


def test_a_step_with_the_fence_opening_in_mid_way_slows_down_and_still_ends_on_its_amount(manual) -> None:
    guard, desk = manual.hall.facility.guard, manual.hall.desk
    start = guard.setpoint[0]
    hold(manual, 100, "IJT", "rail", "rail", 1, step=0.15, press=1)
    desk.interlock("fence", False)
    hold(manual, 75, "IJT", "rail", "rail", 1, step=0.15, press=1)
    assert guard.rate[0] <= 0.05 * (1 + 1e-9)
    hold(manual, 600, "IJT", "rail", "rail", 1, step=0.15, press=1)
    assert guard.setpoint[0] - start == pytest.approx(0.15, abs=1e-12)


@pytest.mark.parametrize(("hold_ms", "share"), [(60, 1.0), (60, 0.1), (20, 0.1), (200, 0.5)])
def test_braking_begins_when_the_last_heartbeat_has_run_out(manual, hold_ms: int, share: float) -> None:
    guard = manual.hall.facility.guard
    hold(manual, 120, "IJT", "rail", "rail", 1, share, hold_ms=hold_ms, press=1)
    full = guard.rate[0]
    assert full == pytest.approx(0.25 * share)
    cycles = hold_ms // 4  # the last of the 120 has used up one of them
    manual.ticks(cycles - 2)
    assert guard.rate[0] == pytest.approx(full)
    manual.ticks(1)
    assert guard.rate[0] < full - 0.003  # one cycle of the ramp: 0.0033 m/s
    manual.ticks(int(np.ceil(75 * share)))  # 0.3 s of ramp, proportional below full speed
    assert not guard.moving


def test_a_heartbeat_counts_from_when_it_was_sent(manual) -> None:
    """Fifty heartbeats that have waited, served one per cycle as from a queue: the motion ends at their own time."""
    guard, desk = manual.hall.facility.guard, manual.hall.desk
    start = guard.setpoint.copy()
    assert desk.jog("IJT", "rail", "rail", 1, hold_ms=60, press=1, age_ms=58.0) is False
    driven = 0
    for late in range(50):
        desk.jog("IJT", "rail", "rail", 1, 0.1, hold_ms=60, press=2, age_ms=20.0 + 4.0 * late)
        before = guard.rate[0]
        manual.ticks(1)
        driven += guard.rate[0] > before or guard.rate[0] == pytest.approx(0.025)
    assert not guard.moving
    assert guard.setpoint[0] > start[0]
    assert driven <= 10  # 40 ms were left when the first was served


def test_a_press_that_was_refused_or_stopped_does_not_begin_when_the_reason_is_gone(bench) -> None:
    """Held all the while: after a refusal, or stop, reset and select manual, the button must be pressed anew."""
    desk, facility = bench.ready().hall.desk, bench.hall.facility
    pressed = ("IJT", "rail", "rail", 1)
    with pytest.raises(Refused, match="select manual"):
        desk.jog(*pressed, press=1)
    desk.select("manual")
    assert not any(hold(bench, 20, *pressed, press=1))
    assert all(hold(bench, 20, *pressed, press=2))
    desk.safe_stop()
    bench.until(Mode.STOPPED)
    desk.reset()
    desk.select("manual")
    assert not any(hold(bench, 20, *pressed, press=2))
    assert not facility.guard.moving
    assert all(hold(bench, 20, *pressed, press=3))


def test_another_button_waits_for_the_fading_one_and_is_refused_beside_a_held_one(manual) -> None:
    desk, guard = manual.hall.desk, manual.hall.facility.guard
    hold(manual, 100, "IJT", "rail", "rail", 1, press=1)
    with pytest.raises(Refused, match="release it first"):
        desk.jog("IJT", "robot1", "a1", 1, press=2)
    desk.release()
    answers = hold(manual, 120, "IJT", "robot1", "a1", 1, press=3)
    assert answers[0] is False
    assert answers[-1] is True
    assert guard.rate[0] == 0.0
    assert guard.rate[1] > 0.0
    with pytest.raises(Refused, match="keeps its"):
        desk.jog("IJT", "robot1", "a1", -1, press=3)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"hold_ms": 19.0}, ("hold_ms 19", "20 … 200")),
        ({"hold_ms": 201.0}, ("hold_ms 201", "20 … 200")),
        ({"hold_ms": float("nan")}, ("hold_ms nan",)),
        ({"speed": 0.0}, ("speed 0",)),
        ({"step": 0.0, "press": 1}, ("step 0",)),
        ({"step": -0.001, "press": 1}, ("step -0.001",)),
        ({"step": float("inf"), "press": 1}, ("step inf",)),
        ({"step": float("nan"), "press": 1}, ("step nan",)),
        ({"step": 0.001}, ("press None", "numbered press")),
    ],
)
def test_absurd_heartbeats_are_refused_with_value_and_bound(bench, more: dict, words: tuple[str, ...]) -> None:
    bench.ready().hall.desk.select("manual")
    with pytest.raises(BadInput) as caught:
        bench.hall.desk.jog("IJT", "rail", "rail", 1, **more)
    for word in words:
        assert word in str(caught.value)
    bench.ticks(5)
    assert not bench.hall.facility.guard.moving


def test_random_presses_never_break_a_limit(manual, cell: Cell) -> None:
    """Buttons, steps, shares, holds, ages, releases and the fence at random: every cycle keeps speed and acceleration."""
    desk, facility, rng = manual.hall.desk, manual.hall.facility, np.random.default_rng(5)
    buttons = [("IJT", "rail", "rail"), ("IJT", "robot2", "a1"), ("GLC", "robot2", "z"), ("CLW", "robot2", "rx")]
    before, rate, began = facility.guard.setpoint.copy(), np.zeros(13), 0
    for press in range(150):
        pressed = (*buttons[rng.integers(4)], int(rng.choice([-1, 1])), rng.uniform(0.05, 1.0))
        step = float(10 ** rng.uniform(-5, -2)) if rng.integers(3) else None
        more = {"step": step, "press": press, "hold_ms": rng.uniform(20, 200), "age_ms": rng.uniform(0, 30)}
        desk.interlock("fence", bool(rng.integers(4)))
        for k in range(int(rng.integers(5, 120))):
            with contextlib.suppress(Refused):
                began += k % 5 == 0 and desk.jog(*pressed, **more)
            manual.ticks(1)
            new_rate = (facility.guard.setpoint - before) / DT
            assert (np.abs(new_rate) <= cell.hall["speed"][0] * (1 + 1e-9)).all()
            assert (np.abs(new_rate - rate) / DT <= cell.hall["acceleration"][0] * (1 + 1e-6)).all()
            before, rate = facility.guard.setpoint.copy(), new_rate
        if rng.integers(2):
            desk.release()
    assert facility.stop is None
    assert began > 300


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

    servicer, client = cell.mockups
    heavy = replace(servicer, load=replace(servicer.load, mass_kg=61.0))
    hall = build(replace(cell, mockups=(heavy, client)), LockstepClock(), seed=0, record=None)
    with pytest.raises(Refused, match=r"robot 1 payload: mass is 61 kg, Table 5 allows 60 kg.*; mount less"):
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
    for name, pose in told["poses"].items():
        np.testing.assert_allclose(pose, bench.hall.facility.pool.run(name), atol=1e-9)
    assert (told["trajectory"], told["jog"]) == (None, None)


def test_status_tells_the_loaded_trajectory_and_the_button_that_moves(bench, swing) -> None:
    desk = bench.ready().hall.desk
    bench.load(swing(System.CLW, 251))
    told = status(desk)["trajectory"]
    assert told == {"source": "swing CLW", "lines": 251, "duration_s": 1.0, "sha256": desk.checked.sha256}
    desk.select("manual")
    assert status(desk)["jog"] is None
    hold(bench, 5, "GLC", "robot1", "z", -1, step=0.1, press=4)
    assert status(desk)["jog"] == {
        "system": "GLC", "robot": "robot1", "component": "z", "direction": -1, "step": 0.1, "press": 4,
    }  # fmt: skip
    desk.safe_stop()
    assert status(desk)["jog"] is None  # nothing moves by it any more


def test_a_controller_fault_stops_everything_and_is_named(bench, swing) -> None:
    """Set-points that reach a controller past the guard (a defect of ours) still end in a named stop."""
    desk = bench.ready().hall.desk
    desk.select("manual")
    facility = bench.hall.facility
    facility.course.look = lambda: None  # which would have compared it with the robots before it was sent
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
    """An operator gone wild, 1500 requests: every cycle's set-point keeps speed and acceleration, and nothing crashes."""
    from proxops.core.clock import LockstepClock

    clock = LockstepClock()
    hall = build(cell, clock, seed=1, record=None)
    desk, facility, rng = hall.desk, hall.facility, np.random.default_rng(11)
    names = [i.name for i in cell.file.interlock]
    files = [preflighted(cell, swing(system, 300)) for system in System]
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
        lambda: desk.load(pick(files)),
        lambda: [
            desk.jog(pick(systems), pick(["robot1", "robot2"]), pick(components), pick([-1, 1])) for _ in range(3)
        ],
        lambda: desk.sine(pick(["rail", "robot1_a2", "robot2_a6"]), float(rng.normal() * 0.03), rng.uniform(0.1, 2), 3),
        lambda: desk.interlock(pick(names), bool(rng.integers(8))),
        lambda: [desk.interlock(name, True) for name in names],
    ]
    before, rate, seen = facility.guard.setpoint.copy(), np.zeros(13), set()
    speed, acceleration = cell.hall["speed"][0] * (1 + 1e-9), cell.hall["acceleration"][0] * (1 + 1e-6)
    for _ in range(1500):
        with contextlib.suppress(Refused, BadInput):
            pick(requests)()
        for _ in range(int(rng.integers(1, pick([3, 60, 300])))):
            facility.tick()
            assert keeps_limits(facility.guard.setpoint, before, rate, speed, acceleration, PERIOD_S)
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
    emergency_brake(facility, RuntimeError("of ours"))
    x = np.array(written)[:, 0]
    a = np.diff(np.concatenate([[x[0] - speed * DT], x]), 2) / DT**2
    assert np.abs(a).max() <= cell.hall["acceleration"][0][0] * (1 + 1e-6)
    for _ in range(200):
        write(facility.guard.setpoint)
    assert not facility.link.any_on
    assert np.abs(facility.link.rate).max() == 0.0
