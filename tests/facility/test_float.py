"""The micro-gravity testbed: a run, the same again bit for bit, pushes live and over the network, and what stops it."""

import json
import socket
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proxops.arms.model import load_model
from proxops.core.channel import LOOPBACK
from proxops.core.errors import BadInput
from proxops.core.experiment import Experiment, experiment_paths, parse_experiment
from proxops.core.experiment_float import FloatFile
from proxops.core.strict_table import judge_table
from proxops.facility.asking import ask
from proxops.facility.float_bench import FloatBench, prepare
from proxops.facility.float_desk import FloatDesk
from proxops.facility.float_experiment import FloatRan, assemble, lockstep
from proxops.facility.float_loop import Stage
from proxops.facility.float_result import sum_up, tracking_mm
from proxops.facility.loop_clock import LockstepLoopClock
from proxops.facility.module_hand import Hand
from proxops.safety.rules import Rule, Stop


def bench_of(**changes: Any) -> FloatBench:
    """The shipped scenario, shortened to its first push, with tables changed."""
    path = experiment_paths()["float"]
    values = json.loads(parse_experiment(path.read_text(), path).file.model_dump_json())
    values["push"], values["flight_s"] = values["push"][:1], 6.0
    for table, change in changes.items():
        values[table] = (
            {**values[table], **change} if isinstance(values[table], dict) and isinstance(change, dict) else change
        )
    file = judge_table(values, FloatFile, path)
    experiment = Experiment(file, path, "")
    return prepare(file, load_model(experiment.model_path(), file.arm.tool), path, np.random.default_rng(1))


@pytest.fixture(scope="module")
def pushed() -> FloatRan:
    return lockstep(bench_of(), 1)


def test_a_push_is_felt_and_the_arm_carries_on_the_new_motion(pushed: FloatRan) -> None:
    result = sum_up(pushed)
    assert result.passed, (result.failure, [c for c in result.criteria if not c.passed])
    assert result.figures["recognised"] == result.figures["pushes"] == 1
    assert result.figures["crossing_to_setpoint_cycles"] == [0]
    assert result.figures["bounces"] >= 1
    rows = pushed.loop.rows[: pushed.loop.count]
    push = pushed.bench.pushes[0].impulse[:3]
    before, after = (
        rows["velocity"][rows["t"] < 3.99][-1, :3],
        rows["velocity"][(rows["t"] > 4.2) & (rows["t"] < 4.3)][0, :3],
    )
    np.testing.assert_allclose(
        after - before,
        push / pushed.bench.file.object.mass_kg,
        atol=0.12 * np.linalg.norm(push) / pushed.bench.file.object.mass_kg,
    )


def test_the_arm_is_where_the_module_is(pushed: FloatRan) -> None:
    rows = pushed.loop.rows[: pushed.loop.count]
    floating = rows["stage"] == Stage.FLOAT
    assert np.median(tracking_mm(rows)[floating]) < 0.01


def test_set_points_stay_within_speed_and_acceleration(pushed: FloatRan) -> None:
    rows, traits = pushed.loop.rows[: pushed.loop.count], pushed.bench.traits
    assert (np.abs(rows["rates"]) <= traits.speed * (1.0 + 1e-6)).all()
    assert (np.abs(np.diff(rows["rates"], axis=0)) / 0.004 <= traits.acceleration * 1.001).all()
    assert ((rows["setpoint"] > traits.lower) & (rows["setpoint"] < traits.upper)).all()


def test_the_same_seed_gives_the_same_run(pushed: FloatRan) -> None:
    again = lockstep(bench_of(), 1)
    assert pushed.loop.rows[: pushed.loop.count].tobytes() == again.loop.rows[: again.loop.count].tobytes()


def test_nobody_pushes_and_nothing_is_invented() -> None:
    """Through wall contacts, where the arm accelerates and the load's compensation is put to the test."""
    ball = {
        "shape": "sphere",
        "size_m": [0.1],
        "speed_m_s": [0.02, 0.08, -0.04],
        "friction": 0.0,
    }  # it does not spin up
    ran = lockstep(bench_of(push=[], flight_s=15.0, object=ball, obstacle=[]), 3)
    assert not ran.loop.failure
    assert sum_up(ran).figures["bounces"] > 3
    assert ran.loop.reactions == []


@pytest.mark.parametrize(("fault", "words"), [("lost_cable", "lost cable"), ("stuck", "stuck"), ("nan", "no number")])
def test_a_sensor_that_fails_stops_the_arm_smoothly(fault: str, words: str) -> None:
    ran = lockstep(bench_of(sensor={"fault": fault, "fault_at_s": 2.0}), 1)
    assert "FORCE_SENSOR" in ran.loop.failure
    assert words in ran.loop.failure
    rows = ran.loop.rows[: ran.loop.count]
    assert not rows["rates"][-1].any()
    assert (np.abs(np.diff(rows["rates"], axis=0)) / 0.004 <= ran.bench.traits.acceleration * 1.001).all()


def test_too_hard_a_push_stops_the_arm() -> None:
    hard = {"at_s": 2.0, "direction": [0, 1, 0], "impulse_Ns": 12.0, "duration_ms": 60.0}
    assert "FORCE_LIMIT" in lockstep(bench_of(push=[hard]), 1).loop.failure


def test_a_module_that_leaves_the_arms_reach_is_let_go_and_the_arm_stops() -> None:
    ran = lockstep(
        bench_of(
            push=[], box={"size_m": [3.0, 3.0, 3.0], "centre_m": [0.8, 0.0, 0.4]}, object={"speed_m_s": [0.3, 0.0, 0.0]}
        ),
        1,
    )
    assert "cannot follow" in ran.loop.failure
    assert not ran.loop.rows[ran.loop.count - 1]["rates"].any()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"object": {"mass_kg": 0.0}}, "mass_kg"),
        ({"object": {"inertia_kg_m2": [1.0, 1.0, 5.0, 0.0, 0.0, 0.0]}}, "triangle"),
        ({"object": {"size_m": [0.6, 0.6, 0.6]}}, "larger than the box"),
        ({"object": {"place_m": [0.1, 0.0, 0.0]}}, "the arm says where"),
        ({"obstacle": [{"shape": "sphere", "size_m": [0.05], "place_m": [0.79, 0.0, 0.39]}]}, "inside"),
        ({"mock_up": {"inertia_kgm2": [0.01, 0.01, 0.09, 0.0, 0.0, 0.0]}}, "triangle"),
        ({"hand": {"start_deg": [0.0, -35.0, 0.0, 195.0, 0.0, 40.0, 0.0]}}, "start_deg"),
        ({"hand": {"jerk_rad_s3": [250.0]}}, "one number for each joint"),
    ],
)  # fmt: skip
def test_bad_input_is_named_and_nothing_moves(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(Exception, match=words):
        lockstep(bench_of(**changes), 1)


def test_a_push_over_the_control_channel_reaches_the_hand() -> None:
    hand = Hand(())
    desk = FloatDesk(hand, lambda: 12.0, 0)
    served = threading.Event()

    def serve() -> None:
        while not served.is_set():
            desk.serve(0.0)
            time.sleep(0.002)

    worker = threading.Thread(target=serve)
    worker.start()
    try:
        ask(desk.port, "push", x_Ns=0.0, y_Ns=2.0, z_Ns=0.0, duration_s=0.1)
        assert ask(desk.port, "status")["pushes"] == 1
        with pytest.raises(BadInput, match="at most"):
            ask(desk.port, "push", x_Ns=900.0, y_Ns=0.0, z_Ns=0.0, duration_s=0.1)
        with pytest.raises(BadInput, match="duration"):
            ask(desk.port, "push", x_Ns=1.0, y_Ns=0.0, z_Ns=0.0, duration_s=9.0)
        ask(desk.port, "shut_down")
        assert desk.stop_asked
    finally:
        served.set()
        worker.join()
        desk.close()
    (push,) = hand.pushes
    assert push.at_s == pytest.approx(12.008)
    np.testing.assert_allclose(push.impulse[:3], (0.0, 2.0, 0.0))


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.bind((LOOPBACK, 0))
        return int(line.getsockname()[1])


def test_a_users_own_force_sensor_is_listened_to_and_its_silence_stops_the_arm() -> None:
    """In lockstep nobody waits for a network: datagrams are sent for each cycle, then no more."""
    from proxops.core.force_datagram import ForceReading, pack_force

    port = free_port()
    bench = bench_of(push=[], object={"speed_m_s": [0.0, 0.0, 0.0]}, sensor={"source": "network", "port": port})
    line, rng, own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), np.random.default_rng(4), np.zeros(6)

    def send(t: float) -> None:
        if t < 3.0:
            k = round(t / 0.004)
            push = np.array([0.0, 25.0, 0.0, 0.0, 0.0, 0.0]) if 2.0 <= t < 2.08 else np.zeros(6)
            wrench = own + push + rng.standard_normal(6) * ([1.0] * 3 + [0.05] * 3)
            line.sendto(pack_force(ForceReading(k, k * 4_000_000, tuple(wrench.tolist()))), (LOOPBACK, port))

    loop = assemble(bench, 1, LockstepLoopClock(250), 6.0, each_cycle=send)
    own[:] = loop._load.wrench(bench.joints, np.zeros(7), np.zeros(7))  # what the module weighs on the sensor, about
    loop.run(lambda t: None)
    line.close()
    assert len(loop.reactions) >= 1
    assert abs(loop.reactions[0].crossed * 0.004 - 2.01) < 0.02
    assert "lost cable" in loop.failure


def test_the_guard_brakes_for_a_cause_from_outside(pushed: FloatRan) -> None:
    bench = bench_of(push=[])
    loop = assemble(bench, 1, LockstepLoopClock(250), 5.0)
    loop.run(lambda t: None, lambda: loop.count == 500)
    assert loop.failure.startswith("interrupted")
    assert str(loop.guard.stop) == str(Stop(Rule.OPERATOR))
    assert not loop.rows[loop.count - 1]["rates"].any()


def test_the_file_is_read_strictly() -> None:
    path = experiment_paths()["float"]
    with pytest.raises(BadInput, match="unknown key"):
        parse_experiment(path.read_text().replace("grip_m =", "grip ="), Path("mine.toml"))
