"""The figures of a run: known delays come back, errors agree with a row worked out by hand."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest
from changed_log import with_records

from proxops.core.messages import AXES, EVENT_DTYPE, PERIOD_S
from proxops.ground.following import UNITS, fit_delay
from proxops.ground.hall_run import HallRun
from proxops.ground.log import Log
from proxops.ground.pose_rows import distance_and_angle
from proxops.ground.recorded import Floats, Recorded, ports_of_axes, recorded
from proxops.ground.summary import summarise
from proxops.lab.cell import Cell
from proxops.lab.coordinates import port_poses
from proxops.maths.rotation import angle_between


def made_up_run(delay: float, amplitude: float, seconds: float = 4.0) -> Recorded:
    """A second of rest, then a wish on a sine that the axes follow exactly, ``delay`` later."""
    t = np.arange(0.0, 1.0 + seconds, PERIOD_S)

    def path(t: Floats) -> Floats:
        return np.outer(amplitude * (1.0 - np.cos(np.maximum(t - 1.0, 0.0) * 3.0)), np.ones(13))

    start = int(np.searchsorted(t, 1.0 - 1e-9))
    return Recorded(t, path(t), path(t), path(t - delay), (), slice(start, t.size))


@pytest.mark.parametrize("delay", (0.0, 0.0031, 0.0177, 0.051, 0.2))
def test_delay_is_found_between_samples(delay: float) -> None:
    found, sure = fit_delay(made_up_run(delay, 0.1), UNITS["robot1"])
    assert sure
    assert found == pytest.approx(delay, abs=2e-6)


def test_axes_that_stand_still_show_no_delay() -> None:
    assert fit_delay(made_up_run(0.02, 0.0), UNITS["rail"]) == (0.0, False)


def test_motion_that_drowns_in_noise_shows_no_delay() -> None:
    run = made_up_run(0.02, 1e-6)
    noisy = dataclasses.replace(run, actual=run.actual + np.random.default_rng(5).normal(0.0, 1e-4, run.actual.shape))
    assert not fit_delay(noisy, UNITS["rail"])[1]


def test_delays_of_the_virtual_controllers_are_recovered(swung: Log, cell: Cell) -> None:
    """Dead time, lag of the servo and one cycle of interpolation; its 1 ms steps are the tolerance."""
    figures = summarise(HallRun(swung, cell))
    file = cell.file
    servos = {"rail": file.rail.servo, "robot1": file.robot1.servo, "robot2": file.robot2.servo}
    for unit, servo in servos.items():
        told = (servo.dead_time_ms + servo.time_constant_ms) * 1e-3 + PERIOD_S
        assert figures[f"{unit}_delay_s"] == pytest.approx(told, abs=1.5e-3), unit


def test_errors_agree_with_one_row_worked_out_by_hand(swung: Log, cell: Cell) -> None:
    data = recorded(swung)
    errors, row = HallRun(swung, cell).following.direct, data.run.start + 200
    wished, actual = port_poses(cell.hall, data.wish[row]), port_poses(cell.hall, data.actual[row])
    for robot in (0, 1):
        apart = np.linalg.norm(wished[robot][:3, 3] - actual[robot][:3, 3])
        assert errors.position[200, robot] == pytest.approx(apart, rel=1e-9)
        turned = angle_between(wished[robot][:3, :3], actual[robot][:3, :3])
        assert errors.attitude[200, robot] == pytest.approx(turned, rel=1e-6)
    figures = summarise(HallRun(swung, cell))
    assert figures["robot1_position_error_max_m"] == errors.position[:, 0].max()
    assert figures["robot2_attitude_error_rms_rad"] == pytest.approx(math.sqrt(np.mean(errors.attitude[:, 1] ** 2)))
    assert figures["rail_error_max_m"] == np.abs(data.wish - data.actual)[data.run, 0].max()


def test_taking_the_delay_off_leaves_little(swung: Log, cell: Cell) -> None:
    figures = summarise(HallRun(swung, cell))
    for robot in ("robot1", "robot2"):
        left = figures[f"{robot}_position_error_delay_removed_rms_m"]
        assert left < 0.1 * figures[f"{robot}_position_error_rms_m"]
        assert left < 0.2e-3


def test_course_of_a_finished_run(swung: Log, cell: Cell) -> None:
    figures = summarise(HallRun(swung, cell))
    assert (figures["final_mode"], figures["run_ended"], figures["runs"]) == ("READY", "finished", 1)
    assert figures["stop"] is None
    assert (figures["seed"], figures["cell"], figures["clock"]) == (3, "epos", "lockstep")
    assert figures["sample_period_s"] == pytest.approx(PERIOD_S)
    assert figures["last_command"] == figures["lines"] == 751
    assert 3.0 <= figures["run_s"] < 3.5  # the last cycles wait for the axes to rest
    assert figures["duration_s"] == pytest.approx(sum(p["duration_s"] for p in figures["phases"]))
    assert figures["missed_cycles"] is None
    assert figures["passed"]


def test_motion_agrees_with_the_trajectory(swung: Log, cell: Cell) -> None:
    figures = summarise(HallRun(swung, cell))
    omega, amplitude = 2.0 * math.pi / 3.0, 0.5 * 0.15
    assert figures["setpoint_speed_max"]["rail"] == pytest.approx(amplitude * omega, rel=1e-3)
    assert figures["setpoint_acceleration_max"]["rail"] == pytest.approx(amplitude * omega**2, rel=2e-2)
    share = figures["setpoint_speed_max"]["robot2_a6"] / cell.hall["speed"][0][12]
    assert figures["setpoint_speed_share"]["robot2_a6"] == pytest.approx(share)
    assert set(figures["axis_error_max"]) == set(AXES)
    assert figures["limiter_lag_max"]["robot1_a1"] < 1e-9
    assert figures["distance_start_m"] == pytest.approx(figures["distance_end_m"], abs=1e-3)
    assert abs(figures["robot2_a6_turns"]) < 1e-3


def test_stop_is_told_with_its_rule(stopped: Log, cell: Cell) -> None:
    figures = summarise(HallRun(stopped, cell))
    assert (figures["run_ended"], figures["final_mode"], figures["stops"]) == ("stopped", "STOPPED", 1)
    assert (figures["stop"]["rule"], figures["stop"]["number"]) == ("DOOR", 3)
    assert "door_main" in figures["stop"]["text"]
    assert not figures["passed"]
    assert [row["name"] for row in figures["criteria"] if not row["passed"]] == [
        "run finished",
        "stops in the run",
    ]


def test_figures_are_json(swung: Log, stopped: Log, cell: Cell) -> None:
    for log in (swung, stopped):
        assert json.loads(json.dumps(summarise(HallRun(log, cell)), allow_nan=False))["cell"] == "epos"


@pytest.mark.parametrize("cycles", (0, 1, 2, 51))
def test_what_does_not_exist_is_none(swung: Log, cell: Cell, cycles: int) -> None:
    short = with_records(swung, swung.pool[:cycles], events=np.empty(0, EVENT_DTYPE), complete=False)
    figures = summarise(HallRun(short, cell))
    json.dumps(figures, allow_nan=False)
    assert figures["cycles"] == cycles
    for name in (
        "run_ended",
        "robot1_delay_s",
        "robot1_position_error_max_m",
        "distance_end_m",
        "margin_wrist_min_rad",
    ):
        assert figures[name] is None, name
    assert figures["axis_error_max"] == dict.fromkeys(AXES)
    assert not figures["passed"]


def test_a_log_that_ends_in_the_run_says_so(swung: Log, cell: Cell) -> None:
    run = recorded(swung).run
    figures = summarise(HallRun(with_records(swung, swung.pool[: run.stop - 100]), cell))
    assert (figures["run_ended"], figures["final_mode"]) == ("cut off", "RUNNING")


def test_missing_cycles_are_counted(swung: Log, cell: Cell) -> None:
    run = recorded(swung).run
    holed = with_records(swung, np.delete(swung.pool, np.arange(run.start + 50, run.start + 57)))
    figures = summarise(HallRun(holed, cell))
    assert (figures["gaps"], figures["lost_ticks"]) == (1, 7)
    assert not figures["passed"]


def test_a_wrong_tool_is_noticed(swung: Log, cell: Cell) -> None:
    hall = cell.hall.copy()
    hall["port1"][0][:3, 3] += 0.01
    figures = summarise(HallRun(swung, dataclasses.replace(cell, hall=hall)))
    assert figures["cell_matches_log"] is False
    assert not figures["passed"]


def test_distance_and_angle_of_small_turns() -> None:
    half = 0.5e-8
    a = np.array([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
    b = np.array([[3.0, 4.0, 0.0, -math.cos(half), 0.0, -math.sin(half), 0.0]])
    apart, turned = distance_and_angle(a, b)
    assert apart[0] == 5.0
    assert turned[0] == pytest.approx(1e-8, rel=1e-6)


def test_ports_of_axes_are_those_that_were_recorded(swung: Log, cell: Cell) -> None:
    data = recorded(swung)
    port1, _ = ports_of_axes(cell.hall, data.actual)
    np.testing.assert_allclose(port1[:, 0], swung.values("actual_port1.x"), atol=1e-12)
