"""The micro-gravity testbed: a run, the same again bit for bit, pushes live and over the network, and what stops it."""

import json
import socket
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proxops.applications.catalogue import experiment_paths, parse_experiment
from proxops.applications.floating.bench import FloatBench, prepare
from proxops.applications.floating.desk import FloatDesk
from proxops.applications.floating.experiment import FloatRan, assemble, bend_once, lockstep
from proxops.applications.floating.loop import FloatLoop, Stage
from proxops.applications.floating.module_hand import FlangeLoad, Hand
from proxops.applications.floating.pushes import matches
from proxops.applications.floating.result import sum_up, tracking_mm
from proxops.applications.floating.tables import FloatFile
from proxops.arms.model import load_model
from proxops.client import ControlClient
from proxops.core.channel import LOOPBACK
from proxops.core.errors import BadInput
from proxops.core.experiment import Experiment
from proxops.core.strict_table import judge_table
from proxops.facility.loop_clock import LockstepLoopClock
from proxops.lab.virtual_arm import VirtualArm
from proxops.safety.rules import Rule, Stop
from proxops.touch.joint_follower import Following


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
    assert np.isnan(ran.loop.rows["read"][ran.loop.count - 1]).all()  # nobody knows: never zero
    assert not sum_up(ran).passed
    rows = ran.loop.rows[: ran.loop.count]
    assert not rows["rates"][-1].any()
    assert (np.abs(np.diff(rows["rates"], axis=0)) / 0.004 <= ran.bench.traits.acceleration * 1.001).all()


class Lean(Hand):
    """Leans on the module, ever harder, from a time on: N/s along y of the world."""

    def __init__(self, rate_N_s: float, from_s: float, level_N: float = 0.0) -> None:
        super().__init__(())
        self._rate, self._from, self._level = rate_N_s, from_s, level_N

    def force(self, t: float) -> float:
        return self._level + self._rate * (t - self._from) if t >= self._from else 0.0

    def wrench(self, t: float) -> np.ndarray[Any, Any]:
        return np.array([0.0, self.force(t), 0.0, 0.0, 0.0, 0.0])


def leaned(hand: Lean, **sensor: float) -> tuple[FloatLoop, float]:
    """The loop when it is over, and the force at which the arm was told to stop."""
    still = {"speed_m_s": [0.0, 0.0, 0.0], "mass_kg": 4000.0}  # whatever of it is taken for a push moves it little
    loop = assemble(bench_of(push=[], object=still, sensor=sensor), 1, LockstepLoopClock(250), 40.0, hand)
    loop.run(lambda t: None)
    rows = loop.rows[: loop.count]
    return loop, hand.force(float(rows["t"][rows["stage"] < Stage.STOP][-1]))


def test_who_leans_on_the_module_is_stopped_at_the_limit() -> None:
    """3 N/s is no push to the detector, or several, and its line through the past follows: limits must not be judged on that."""
    loop, force = leaned(Lean(-3.0, 1.5), stop_N=60.0)
    assert "FORCE_LIMIT" in loop.failure
    assert 50.0 < abs(force) < 65.0
    assert loop.rows["felt"][: loop.count, :3].max() < 40.0  # what the detector is left with


def test_limits_hold_before_the_module_is_let_go_and_a_zero_under_a_hand_is_refused() -> None:
    loop, force = leaned(Lean(300.0, 0.2), stop_N=60.0)
    assert "FORCE_LIMIT" in loop.failure
    assert abs(force) < 70.0
    loop, _ = leaned(Lean(0.0, 0.0, 40.0), stop_N=60.0)
    assert "FORCE_SENSOR" in loop.failure
    assert "let go of the module" in loop.failure
    assert not (loop.rows["stage"][: loop.count] == Stage.FLOAT).any()


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
        ({"plan": {"physics_hz": 1100}}, "multiples of 250"),
        ({"sensor": {"rate_hz": 1000.0}}, "virtual sensor reads once a cycle"),
        ({"push": [{"at_s": 2.0, "direction": [0.0, 1.0, 0.0]}]}, "neither impulse_Ns nor twist_Nms"),
        ({"object": {"mass_kg": 0.0}}, "mass_kg"),
        ({"object": {"inertia_kg_m2": [1.0, 1.0, 5.0, 0.0, 0.0, 0.0]}}, "triangle"),
        ({"object": {"size_m": [0.6, 0.6, 0.6]}}, "larger than the box"),
        ({"object": {"place_m": [0.1, 0.0, 0.0]}}, "the arm says where"),
        ({"obstacle": [{"shape": "sphere", "size_m": [0.05], "place_m": [0.79, 0.0, 0.39]}]}, "inside"),
        ({"mock_up": {"inertia_kgm2": [0.01, 0.01, 0.09, 0.0, 0.0, 0.0]}}, "triangle"),
        ({"hand": {"start_deg": [0.0, -35.0, 0.0, 195.0, 0.0, 40.0, 0.0]}}, "start_deg"),
        ({"hand": {"jerk_rad_s3": [250.0]}}, "one number for each joint"),
        ({"push": [{"at_s": 0.2, "direction": [1.0, 0.0, 0.0], "impulse_Ns": 1.0}]}, "does not float then"),
        ({"push": [{"at_s": 3.0, "direction": [0.0, 0.0, 0.0], "impulse_Ns": 1.0}]}, "direction"),
        ({"sensor": {"source": "network"}}, "no virtual hand"),
    ],
)  # fmt: skip
def test_bad_input_is_named_and_nothing_moves(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(Exception, match=words):
        lockstep(bench_of(**changes), 1)


def test_a_push_over_the_control_channel_reaches_the_hand() -> None:
    hand = Hand(())
    desk = FloatDesk(hand, lambda: 12.0, "0")
    served = threading.Event()

    def serve() -> None:
        while not served.is_set():
            desk.serve(0.0)
            time.sleep(0.002)

    worker = threading.Thread(target=serve)
    worker.start()
    try:
        ask = ControlClient(desk.name).ask
        ask("push", x_Ns=0.0, y_Ns=2.0, z_Ns=0.0, duration_s=0.1)
        assert ask("status")["pushes"] == 1
        with pytest.raises(BadInput, match="at most"):
            ask("push", x_Ns=900.0, y_Ns=0.0, z_Ns=0.0, duration_s=0.1)
        with pytest.raises(BadInput, match="duration"):
            ask("push", x_Ns=1.0, y_Ns=0.0, z_Ns=0.0, duration_s=9.0)
        ask("shut_down")
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


def first_difference(a: FloatRan, b: FloatRan, least: float) -> int:
    """Cycle of the first set-points that are farther apart."""
    n = min(a.loop.count, b.loop.count)
    return int(np.argmax(np.abs(a.loop.rows["setpoint"][:n] - b.loop.rows["setpoint"][:n]).max(axis=1) > least))


@pytest.mark.parametrize("at_s", [4.0, 5.44])  # on course, and while the arm catches up after the push before
def test_a_set_point_has_changed_when_it_differs_from_the_same_run_without_the_push(at_s: float) -> None:
    """The same seed gives the same noise: until the crossing both runs are the same to the bit."""
    first = {"at_s": 5.0, "direction": [0, -1, 0.3], "impulse_Ns": 3.0, "duration_ms": 60.0}
    push = {"at_s": at_s, "direction": [0.3, 1, 0], "impulse_Ns": 2.0, "duration_ms": 80.0}
    before = [first] if at_s > 5.0 else []
    ran, without = lockstep(bench_of(push=[*before, push]), 1), lockstep(bench_of(push=before), 1)
    reaction = next(r for r in ran.loop.reactions if r.crossed * 0.004 >= at_s)
    assert first_difference(ran, without, 0.0) == reaction.crossed
    assert reaction.crossed <= reaction.changed <= reaction.crossed + 2
    truly = first_difference(ran, without, 1e-6)
    assert abs(reaction.changed - truly) <= 1
    assert reaction.shown - reaction.crossed >= 2  # jerk is bounded: 0.2 mrad takes a while
    assert 3 <= reaction.moved - reaction.shown <= 5


def test_without_a_reaction_the_run_does_not_pass(pushed: FloatRan, monkeypatch: pytest.MonkeyPatch) -> None:
    (reaction,) = pushed.loop.reactions
    monkeypatch.setattr(reaction, "changed", -1)
    failed = [c.name for c in sum_up(pushed).criteria if not c.passed]
    assert failed == ["from crossing to another set-point, cycles", "from crossing to motion, cycles"]
    monkeypatch.setattr(reaction, "changed", reaction.crossed + 3)
    assert not sum_up(pushed).passed


def test_the_time_budget_is_the_sum_of_what_was_recorded(pushed: FloatRan) -> None:
    (r,), figures = pushed.loop.reactions, sum_up(pushed).figures
    latency = (pushed.loop.rows["t"][r.crossed] - pushed.bench.pushes[0].at_s) * 1e3
    assert figures["latency_ms"] == [pytest.approx(latency)]
    parts = latency + 4.0 * (r.changed - r.crossed + r.moved - r.shown)
    assert figures["push_to_motion_ms"] == [pytest.approx(parts)]
    assert parts <= latency + 8.0 + 4.0 * (pushed.loop.lead + 1)


def test_an_arm_too_weak_to_follow_does_not_pass_and_comes_to_rest_all_the_same() -> None:
    ran = lockstep(bench_of(hand={"acceleration_rad_s2": [0.05] * 7}, flight_s=12.0), 1)
    result = sum_up(ran)
    failed = {c.name for c in result.criteria if not c.passed}
    assert {"on course, share of the flight", "module shown from module computed, worst"} <= failed
    last = ran.loop.rows[ran.loop.count - 1]
    assert last["stage"] == Stage.STOP
    assert not last["rates"].any()
    np.testing.assert_allclose(last["measured"], last["setpoint"], atol=2e-5)  # the arm itself, by its encoders
    assert ran.loop.count * 0.004 > 13.5  # more than was once recorded after the stop


@pytest.mark.parametrize(
    "changes",
    [
        {"plan": {"physics_hz": 2000}},
        {"hand": {"dead_cycles": 65}},
        {"hand": {"lag_ms": 50.0}},
        {"plan": {"ahead_s": 2.0, "rows": 2}},
        {"plan": {"ahead_s": 0.05, "rows": 40}},
    ],
    ids=["physics", "dead_time_of_FZI", "lag", "ahead", "short"],
)
def test_what_is_allowed_can_be_run(changes: dict[str, Any]) -> None:
    ran = lockstep(bench_of(flight_s=4.5, **changes), 1)
    result = sum_up(ran)
    assert result.passed, (result.failure, [c for c in result.criteria if not c.passed])
    own = result.figures["robot_delay_ms"][0]
    assert abs(own - (ran.bench.traits.delay_s + 0.004) * 1e3) <= 16.0


def test_one_push_found_twice_is_spurious_once(pushed: FloatRan, monkeypatch: pytest.MonkeyPatch) -> None:
    (reaction,) = pushed.loop.reactions
    monkeypatch.setattr(pushed.loop, "reactions", [reaction, reaction])
    assert [m.push is None for m in matches(pushed.loop)] == [False, True]
    assert [c.name for c in sum_up(pushed).criteria if not c.passed] == ["pushes invented"]


def test_a_pure_twist_is_scored_by_its_torque() -> None:
    twist = {"at_s": 3.0, "direction": [0, 0, 0], "twist_Nms": [0.0, 0.0, 0.1], "duration_ms": 120.0}
    ran = lockstep(bench_of(push=[twist], flight_s=4.0), 1)
    result = sum_up(ran)
    assert result.passed, (result.failure, [c for c in result.criteria if not c.passed])
    (m,) = matches(ran.loop)
    assert m.unit == "N m s"
    np.testing.assert_allclose(m.found[3:], (0.0, 0.0, 0.1), atol=0.012)
    assert "N m s" in result.tables[0][2][0][1]


class Feed:
    """A sensor on the network as the loop sees it: readings at its own rate, some cycles without any."""

    def __init__(self, rate_hz: float, own: np.ndarray[Any, Any], push: np.ndarray[Any, Any], skipped: int) -> None:
        from proxops.touch.force_port import ForcePort

        self.port, self._rate, self._own, self._skipped = ForcePort(None), rate_hz, own, skipped
        self._push = push
        self._rng, self._k = np.random.default_rng(4), 0

    def send(self, t: float) -> None:
        """Up to ``t``; every ``skipped``-th cycle nothing, what was left out comes in the next."""
        from proxops.core.force_datagram import ForceReading, pack_force

        if self._skipped and round(t / 0.004) % self._skipped == self._skipped - 1:
            return
        while self._k / self._rate <= t + 1e-9:
            at = self._k / self._rate
            wrench = (
                self._own + self._push * (2.0 <= at < 2.08) + self._rng.standard_normal(6) * ([1.0] * 3 + [0.05] * 3)
            )
            self.port.take(pack_force(ForceReading(self._k, round(at * 1e9), tuple(wrench.tolist()))), t)
            self._k += 1


@pytest.mark.parametrize(("rate_hz", "skipped"), [(250.0, 0), (250.0, 2), (500.0, 0), (1000.0, 3)])
def test_a_users_sensor_of_any_rate_and_jitter_weighs_pushes_alike(rate_hz: float, skipped: int) -> None:
    """25 N for 80 ms are 2 N s; sums of single readings' noise are 1 N * 4 ms * sqrt(20), 1 % of that."""
    heavy = {"speed_m_s": [0.0, 0.0, 0.0], "mass_kg": 4000.0}  # the arm hardly accelerates: the load is its weight
    bench = bench_of(push=[], object=heavy, flight_s=2.0, sensor={"source": "network", "rate_hz": rate_hz})
    own = FlangeLoad(bench.arm, bench.T_world_base, bench.load).wrench(bench.joints, np.zeros(7), np.zeros(7))
    force = np.array([0.0, 25.0, 0.0])
    push = np.concatenate([force, np.cross(bench.T_flange_object[:3, 3], force)])  # through the module's middle
    feed, clock = Feed(rate_hz, own, push, skipped), LockstepLoopClock(250)
    arm = VirtualArm(bench.traits, bench.joints, clock.now, np.random.default_rng(1))
    loop = FloatLoop(bench, arm, feed.port, None, clock, duration_s=2.0, each_cycle=feed.send)
    loop.run(lambda t: None)
    result = sum_up(FloatRan(bench, loop, {}))
    assert result.passed, (result.failure, [c for c in result.criteria if not c.passed])
    (reaction,) = loop.reactions
    assert reaction.impulse is not None
    assert np.linalg.norm(reaction.impulse.impulse[:3]) == pytest.approx(2.0, rel=0.08)
    assert abs(reaction.impulse.t_start - 2.0) < 0.03
    velocity = loop.rows["velocity"][: loop.count][loop.rows["stage"][: loop.count] == Stage.FLOAT][-1, :3]
    assert np.linalg.norm(velocity) == pytest.approx(2.0 / bench.file.object.mass_kg, rel=0.1)  # and in the physics
    assert not any("push" in c.name.split(" ")[0] for c in result.criteria)
    assert "nobody knows" in result.tables[0][2][0]


class LosingClock:
    """Loses three cycles at some time, as a wall's clock may."""

    def __init__(self, at: int) -> None:
        self._cycle, self._at, self.missed = 0, at, 0

    def now(self) -> float:
        return self._cycle * 0.004 + 0.0003

    def advance(self) -> float:
        lost = 3 if self._cycle == self._at else 0
        self._cycle, self.missed = self._cycle + 1 + lost, self.missed + lost
        return 0.0


def test_time_is_the_clocks_when_cycles_are_lost() -> None:
    """A push by the clock is found at the clock's time, and the run is over when the clock says so."""
    loop = assemble(bench_of(flight_s=4.0), 1, LosingClock(500), 4.0)
    loop.run(lambda t: None)
    rows = loop.rows[: loop.count]
    np.testing.assert_allclose(np.diff(rows["t"]).max(), 0.016)
    assert rows["t"][-1] == pytest.approx((loop.count - 1 + 3) * 0.004)
    assert rows["t"][rows["stage"] == Stage.FLOAT][-1] == pytest.approx(4.996)
    (found,) = matches(loop)
    assert found.push is not None
    assert found.reaction.impulse is not None
    assert abs(found.reaction.impulse.t_start - 4.0) < 0.03
    assert abs(rows["t"][found.reaction.crossed] - 4.004) < 0.01


def test_a_live_run_has_rehearsed_a_bridge() -> None:
    """Else the first bounce would load its kernels while the clock runs: 69 ms, and the arm gives up after 20."""
    assert {Following.CATCHING_UP, Following.BRIDGING} <= bend_once(bench_of())


def test_a_control_name_is_for_live_runs() -> None:
    from proxops.applications.experiments import carry_out

    def run(name: str, **options: Any) -> None:
        path = experiment_paths()[name]
        carry_out(parse_experiment(path.read_text(), path), lambda what, done, of: None, **options)

    with pytest.raises(BadInput, match="add --realtime"):
        run("float", control="hall")
    with pytest.raises(BadInput, match="--control: this experiment has no use"):
        run("grasp", control="hall")


def test_whatever_fails_the_arm_is_brought_to_rest() -> None:
    """An exception from anywhere in the loop, in full motion."""
    loop = assemble(bench_of(), 1, LockstepLoopClock(250), 6.0)
    before = len(loop.rows)

    def fails(t: float) -> None:
        if t > 4.3:  # after the push
            raise OSError("terminal gone")

    with pytest.raises(OSError, match="terminal gone"):
        loop.run(fails)
    rows = loop.rows[: loop.count]
    assert np.abs(rows["rates"][-1]).max() > 1e-3 and loop.count < before
    assert loop.guard.at_rest and loop._arm.at_rest and loop._arm.halted == ""
