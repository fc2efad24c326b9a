"""The micro-gravity testbed: a run, the same again bit for bit, pushes live and over the network, and what stops it."""

import json
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proxops.applications.catalogue import experiment_paths, parse_experiment
from proxops.applications.floating import live_flight
from proxops.applications.floating.application import FloatApplication, FloatingStage
from proxops.applications.floating.bench import FloatBench, prepare
from proxops.applications.floating.flange_load import FlangeLoad
from proxops.applications.floating.live_flight import fly_live
from proxops.applications.floating.module_hand import Hand
from proxops.applications.floating.parts import FloatParts
from proxops.applications.floating.push_verb import push_verb
from proxops.applications.floating.pushes import matches
from proxops.applications.floating.rehearsal import bend_once
from proxops.applications.floating.result import sum_up, tracking_mm
from proxops.applications.floating.tables import FloatFile
from proxops.arms.model import load_model
from proxops.core.channel import LOOPBACK
from proxops.core.clock import LockstepClock
from proxops.core.errors import BadInput, ProxopsError, Refused
from proxops.core.experiment import Experiment
from proxops.core.strict_table import judge_table
from proxops.core.vocabulary import Mode
from proxops.facility.build import build
from proxops.facility.control import ANY
from proxops.facility.desk import Desk
from proxops.facility.robots import AT_REST
from proxops.ground.log import Log
from proxops.ground.row_stream import RowStream
from proxops.lab.any_cell import read_any_cell
from proxops.lab.virtual_arm import VirtualArm
from proxops.runs.arm_parts import ArmRan
from proxops.runs.arm_run import lockstep
from proxops.safety.motion import Motion
from proxops.safety.rules import Rule, Stop
from proxops.touch.joint_follower import FollowerState


def bench_of(**changes: Any) -> FloatBench:
    """The shipped scenario, shortened to its first push, with tables changed."""
    path = experiment_paths()["float"]
    values = json.loads(parse_experiment(path.read_text(), path).file.model_dump_json())
    values["push"], values["flight_s"] = values["push"][:1], 4.5
    for table, change in changes.items():
        values[table] = (
            {**values[table], **change} if isinstance(values[table], dict) and isinstance(change, dict) else change
        )
    file = judge_table(values, FloatFile, path)
    whole = Experiment(file, path, "")
    return prepare(file, load_model(whole.model_path(), file.arm.tool), path, np.random.default_rng(1))


def flown(bench: FloatBench, seed: int = 1) -> ArmRan[FloatApplication]:
    return lockstep(FloatParts(bench, seed))


@pytest.fixture(scope="module")
def pushed() -> ArmRan[FloatApplication]:
    return flown(bench_of())


def test_a_push_is_felt_and_the_arm_carries_on_the_new_motion(pushed: ArmRan[FloatApplication]) -> None:
    result = sum_up(pushed)
    assert result.passed, (result.failure, [c for c in result.criteria if not c.passed])
    assert result.figures["recognised"] == result.figures["pushes"] == 1
    assert result.figures["bounces"] >= 1
    rows = pushed.application.rows[: pushed.application.count]
    push = pushed.application.bench.pushes[0].impulse[:3]
    before, after = (
        rows["velocity"][rows["t"] < 3.99][-1, :3],
        rows["velocity"][(rows["t"] > 4.2) & (rows["t"] < 4.3)][0, :3],
    )
    np.testing.assert_allclose(
        after - before,
        push / pushed.application.bench.file.object.mass_kg,
        atol=0.12 * np.linalg.norm(push) / pushed.application.bench.file.object.mass_kg,
    )


def test_the_arm_is_where_the_module_is(pushed: ArmRan[FloatApplication]) -> None:
    rows = pushed.application.rows[: pushed.application.count]
    floating = rows["stage"] == FloatingStage.FLOAT
    assert np.median(tracking_mm(rows)[floating]) < 0.01


def test_set_points_stay_within_speed_and_acceleration(pushed: ArmRan[FloatApplication]) -> None:
    rows, traits = pushed.application.rows[: pushed.application.count], pushed.application.bench.traits
    assert (np.abs(rows["rates"]) <= traits.speed * (1.0 + 1e-6)).all()
    assert (np.abs(np.diff(rows["rates"], axis=0)) / 0.004 <= traits.acceleration * 1.001).all()
    assert ((rows["setpoint"] > traits.lower) & (rows["setpoint"] < traits.upper)).all()


def test_the_same_seed_gives_the_same_run(pushed: ArmRan[FloatApplication]) -> None:
    again = flown(bench_of())
    first, second = (ran.application.rows[: ran.application.count].tobytes() for ran in (pushed, again))
    assert first == second


def test_nobody_pushes_and_nothing_is_invented() -> None:
    """Through wall contacts, where the arm accelerates and the load's compensation is put to the test."""
    ball = {
        "shape": "sphere",
        "size_m": [0.1],
        "speed_m_s": [0.04, 0.16, -0.08],
        "friction": 0.0,
    }  # it does not spin up
    ran = flown(bench_of(push=[], flight_s=7.5, object=ball, obstacle=[]), 3)
    assert not ran.application.failure
    assert sum_up(ran).figures["bounces"] > 3
    assert ran.application.felt.reactions == []


@pytest.mark.parametrize(("fault", "words"), [("lost_cable", "lost cable"), ("stuck", "stuck"), ("nan", "no number")])
def test_a_sensor_that_fails_stops_the_arm_smoothly(fault: str, words: str) -> None:
    ran = flown(bench_of(sensor={"fault": fault, "fault_at_s": 0.6}))
    assert "FORCE_SENSOR" in ran.application.failure
    assert words in ran.application.failure
    assert np.isnan(ran.application.rows["read"][ran.application.count - 1]).all()  # nobody knows: never zero
    assert not sum_up(ran).passed
    rows = ran.application.rows[: ran.application.count]
    assert not rows["rates"][-1].any()
    assert (np.abs(np.diff(rows["rates"], axis=0)) / 0.004 <= ran.application.bench.traits.acceleration * 1.001).all()


class Lean(Hand):
    """Leans on the module, ever harder, from a time on: N/s along y of the world."""

    def __init__(self, rate_N_s: float, from_s: float, level_N: float = 0.0) -> None:
        super().__init__(())
        self._rate, self._from, self._level = rate_N_s, from_s, level_N

    def force(self, t: float) -> float:
        return self._level + self._rate * (t - self._from) if t >= self._from else 0.0

    def wrench(self, t: float) -> np.ndarray[Any, Any]:
        return np.array([0.0, self.force(t), 0.0, 0.0, 0.0, 0.0])


def leaned(hand: Lean, **sensor: float) -> tuple[FloatApplication, float]:
    """The run when it is over, and the force at which the arm was told to stop."""
    still = {"speed_m_s": [0.0, 0.0, 0.0], "mass_kg": 4000.0}  # whatever of it is taken for a push moves it little
    bench = bench_of(push=[], object=still, sensor=sensor)
    loop = lockstep(FloatParts(bench, 1, hand=hand, duration_s=40.0)).application
    rows = loop.rows[: loop.count]
    return loop, hand.force(float(rows["t"][rows["stage"] < FloatingStage.STOP][-1]))


def test_who_leans_on_the_module_is_stopped_at_the_limit() -> None:
    """3 N/s is no push to the detector, or several, and its line through the past follows: limits must not be judged on that."""
    loop, force = leaned(Lean(-3.0, 1.5), stop_N=30.0)
    assert "FORCE_LIMIT" in loop.failure
    assert 25.0 < abs(force) < 32.5
    assert loop.rows["felt"][: loop.count, :3].max() < 20.0  # what the detector is left with


def test_limits_hold_before_the_module_is_let_go_and_a_zero_under_a_hand_is_refused() -> None:
    loop, force = leaned(Lean(300.0, 0.2), stop_N=60.0)
    assert "FORCE_LIMIT" in loop.failure
    assert abs(force) < 70.0
    loop, _ = leaned(Lean(0.0, 0.0, 40.0), stop_N=60.0)
    assert "FORCE_SENSOR" in loop.failure
    assert "let go of the module" in loop.failure
    assert not (loop.rows["stage"][: loop.count] == FloatingStage.FLOAT).any()


def test_too_hard_a_push_stops_the_arm() -> None:
    hard = {"at_s": 2.0, "direction": [0, 1, 0], "impulse_Ns": 12.0, "duration_ms": 60.0}
    assert "FORCE_LIMIT" in flown(bench_of(push=[hard])).application.failure


def test_a_module_that_leaves_the_arms_reach_is_let_go_and_the_arm_stops() -> None:
    large = {"size_m": [3.0, 3.0, 3.0], "centre_m": [0.8, 0.0, 0.4]}
    ran = flown(bench_of(push=[], box=large, object={"speed_m_s": [0.3, 0.0, 0.0]}))
    assert "cannot follow" in ran.application.failure
    assert not ran.application.rows[ran.application.count - 1]["rates"].any()


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
        flown(bench_of(**changes))


def test_a_push_that_is_asked_for_reaches_the_hand() -> None:
    hand = Hand(())
    push = push_verb(hand, lambda: 12.0, virtual=True)
    push({"x_Ns": 0.0, "y_Ns": 2.0, "z_Ns": 0.0, "duration_s": 0.1})
    with pytest.raises(BadInput, match="at most"):
        push({"x_Ns": 900.0, "y_Ns": 0.0, "z_Ns": 0.0, "duration_s": 0.1})
    with pytest.raises(BadInput, match="duration"):
        push({"x_Ns": 1.0, "y_Ns": 0.0, "z_Ns": 0.0, "duration_s": 9.0})
    with pytest.raises(Refused, match="a real one"):
        push_verb(hand, lambda: 12.0, virtual=False)({})
    (only,) = hand.pushes
    assert only.at_s == pytest.approx(12.008)
    np.testing.assert_allclose(only.impulse[:3], (0.0, 2.0, 0.0))


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

    def send(flight: FloatApplication) -> None:
        t = flight.count * 0.004
        if t < 3.0:
            k = round(t / 0.004)
            push = np.array([0.0, 25.0, 0.0, 0.0, 0.0, 0.0]) if 2.0 <= t < 2.08 else np.zeros(6)
            wrench = own + push + rng.standard_normal(6) * ([1.0] * 3 + [0.05] * 3)
            line.sendto(pack_force(ForceReading(k, k * 4_000_000, tuple(wrench.tolist()))), (LOOPBACK, port))

    own[:] = FlangeLoad(bench.arm, bench.T_world_base, bench.load).wrench(bench.joints, np.zeros(7), np.zeros(7))
    loop = lockstep(FloatParts(bench, 1, duration_s=6.0), each_cycle=send).application
    line.close()
    assert len(loop.felt.reactions) >= 1
    assert abs(loop.felt.reactions[0].crossed * 0.004 - 2.01) < 0.02
    assert "lost cable" in loop.failure


def test_the_guard_brakes_for_a_cause_from_outside() -> None:
    def press(flight: FloatApplication) -> None:
        if flight.count == 500:
            flight._f.trip(Stop(Rule.OPERATOR))

    flight = lockstep(FloatParts(bench_of(push=[]), 1, duration_s=5.0), each_cycle=press).application
    assert flight.failure.startswith("interrupted")
    assert flight._f.mode is Mode.STOPPED
    rates = flight.rows["rates"][: flight.count]
    assert np.abs(rates[500]).max() > 1e-4
    assert not rates[-1].any()


def test_a_wish_beyond_a_limit_is_refused_by_the_guard_with_the_arms_own_checks_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever the physics asks for: the virtual arm takes everything here, as a controller that trusts its client would."""
    monkeypatch.setattr(VirtualArm, "_objection", lambda self, wish: "")
    parts = FloatParts(bench_of(push=[]), 1, duration_s=3.0)

    def spoil(flight: FloatApplication) -> None:
        if flight.count == 500:
            follow = flight.floating._follower.step
            flight.floating._follower.step = lambda plan: (follow(plan)[0] + 0.5, True)  # type: ignore[method-assign]

    flight = lockstep(parts, each_cycle=spoil).application
    assert "JUMP" in flight.failure
    steps = np.abs(np.diff(flight.rows["setpoint"][: flight.count], axis=0))
    assert (steps <= parts.bench.traits.speed * 0.004 * (1.0 + 1e-6)).all()


def test_the_file_is_read_strictly() -> None:
    path = experiment_paths()["float"]
    with pytest.raises(BadInput, match="unknown key"):
        parse_experiment(path.read_text().replace("grip_m =", "grip ="), Path("mine.toml"))


def first_difference(a: ArmRan[FloatApplication], b: ArmRan[FloatApplication], least: float) -> int:
    """Cycle of the first set-points that are farther apart."""
    n = min(a.application.count, b.application.count)
    return int(
        np.argmax(np.abs(a.application.rows["setpoint"][:n] - b.application.rows["setpoint"][:n]).max(axis=1) > least)
    )


@pytest.mark.parametrize("at_s", [2.0, 3.44])  # on course, and while the arm catches up after the push before
def test_a_set_point_has_changed_when_it_differs_from_the_same_run_without_the_push(at_s: float) -> None:
    """The same seed gives the same noise: until the crossing both runs are the same to the bit."""
    first = {"at_s": 3.0, "direction": [0, -1, 0.3], "impulse_Ns": 3.0, "duration_ms": 60.0}
    push = {"at_s": at_s, "direction": [0.3, 1, 0], "impulse_Ns": 2.0, "duration_ms": 80.0}
    before, flight_s = [first] if at_s > 3.0 else [], at_s - 0.4
    ran, without = (flown(bench_of(push=pushes, flight_s=flight_s)) for pushes in ([*before, push], before))
    reaction = next(r for r in ran.application.felt.reactions if r.crossed * 0.004 >= at_s)
    assert first_difference(ran, without, 0.0) == reaction.crossed
    assert reaction.crossed <= reaction.changed <= reaction.crossed + 2
    truly = first_difference(ran, without, 1e-6)
    assert abs(reaction.changed - truly) <= 1
    assert reaction.shown - reaction.crossed >= 2  # jerk is bounded: 0.2 mrad takes a while
    assert 3 <= reaction.moved - reaction.shown <= 5


def test_without_a_reaction_the_run_does_not_pass(
    pushed: ArmRan[FloatApplication], monkeypatch: pytest.MonkeyPatch
) -> None:
    (reaction,) = pushed.application.felt.reactions
    monkeypatch.setattr(reaction, "changed", -1)
    failed = [c.name for c in sum_up(pushed).criteria if not c.passed]
    assert failed == ["from crossing to another set-point, cycles", "from crossing to motion, cycles"]
    monkeypatch.setattr(reaction, "changed", reaction.crossed + 3)
    assert not sum_up(pushed).passed


def test_the_time_budget_is_the_sum_of_what_was_recorded(pushed: ArmRan[FloatApplication]) -> None:
    (r,), figures = pushed.application.felt.reactions, sum_up(pushed).figures
    latency = (pushed.application.rows["t"][r.crossed] - pushed.application.bench.pushes[0].at_s) * 1e3
    assert figures["latency_ms"] == [pytest.approx(latency)]
    parts = latency + 4.0 * (r.changed - r.crossed + r.moved - r.shown)
    assert figures["push_to_motion_ms"] == [pytest.approx(parts)]
    assert parts <= latency + 8.0 + 4.0 * (pushed.application.lead + 1)


def test_an_arm_too_weak_to_follow_does_not_pass_and_comes_to_rest_all_the_same() -> None:
    ran = flown(bench_of(hand={"acceleration_rad_s2": [0.05] * 7}, flight_s=6.0))
    result = sum_up(ran)
    failed = {c.name for c in result.criteria if not c.passed}
    assert {"on course, share of the flight", "module shown from module computed, worst"} <= failed
    last = ran.application.rows[ran.application.count - 1]
    assert last["stage"] == FloatingStage.STOP
    assert not last["rates"].any()
    np.testing.assert_allclose(last["measured"], last["setpoint"], atol=2e-5)  # the arm itself, by its encoders
    assert ran.application.count * 0.004 > 7.5  # more than was once recorded after the stop


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
    push = {"at_s": 2.0, "direction": [0, -1, 0.3], "impulse_Ns": 2.0, "duration_ms": 60.0}
    ran = flown(bench_of(flight_s=2.5, push=[push], **changes))
    result = sum_up(ran)
    assert result.passed, (result.failure, [c for c in result.criteria if not c.passed])
    own = result.figures["robot_delay_ms"][0]
    assert abs(own - (ran.application.bench.traits.delay_s + 0.004) * 1e3) <= 16.0


def test_one_push_found_twice_is_spurious_once(
    pushed: ArmRan[FloatApplication], monkeypatch: pytest.MonkeyPatch
) -> None:
    (reaction,) = pushed.application.felt.reactions
    monkeypatch.setattr(pushed.application.felt, "reactions", [reaction, reaction])
    assert [m.push is None for m in matches(pushed.application)] == [False, True]
    assert [c.name for c in sum_up(pushed).criteria if not c.passed] == ["pushes invented"]


def test_a_pure_twist_is_scored_by_its_torque() -> None:
    twist = {"at_s": 1.8, "direction": [0, 0, 0], "twist_Nms": [0.0, 0.0, 0.1], "duration_ms": 120.0}
    ran = flown(bench_of(push=[twist], flight_s=2.0))
    result = sum_up(ran)
    assert result.passed, (result.failure, [c for c in result.criteria if not c.passed])
    (m,) = matches(ran.application)
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
    feed = Feed(rate_hz, own, push, skipped)
    ran = lockstep(FloatParts(bench, 1, source=feed.port), each_cycle=lambda flight: feed.send(flight.count * 0.004))
    loop, result = ran.application, sum_up(ran)
    assert result.passed, (result.failure, [c for c in result.criteria if not c.passed])
    (reaction,) = loop.felt.reactions
    assert reaction.impulse is not None
    assert np.linalg.norm(reaction.impulse.impulse[:3]) == pytest.approx(2.0, rel=0.08)
    assert abs(reaction.impulse.t_start - 2.0) < 0.03
    velocity = loop.rows["velocity"][: loop.count][loop.rows["stage"][: loop.count] == FloatingStage.FLOAT][-1, :3]
    assert np.linalg.norm(velocity) == pytest.approx(2.0 / bench.file.object.mass_kg, rel=0.1)  # and in the physics
    assert not any("push" in c.name.split(" ")[0] for c in result.criteria)
    assert "nobody knows" in result.tables[0][2][0]


class LosingClock(LockstepClock):
    """Loses three cycles at some time, as a wall's clock may."""

    def advance(self) -> float:
        lost = 3 if self.tick == 500 else 0
        self.tick, self.missed = self.tick + lost, self.missed + lost
        return super().advance()


def test_time_is_the_clocks_when_cycles_are_lost() -> None:
    """A push by the clock is found at the clock's time, and the run is over when the clock says so."""
    loop = lockstep(FloatParts(bench_of(flight_s=4.0), 1), clock=LosingClock()).application
    rows = loop.rows[: loop.count]
    np.testing.assert_allclose(np.diff(rows["t"]).max(), 0.016)
    assert rows["t"][-1] == pytest.approx((loop.count - 1 + 3) * 0.004)
    assert rows["t"][rows["stage"] == FloatingStage.FLOAT][-1] == pytest.approx(4.996)
    (found,) = matches(loop)
    assert found.push is not None
    assert found.reaction.impulse is not None
    assert abs(found.reaction.impulse.t_start - 4.0) < 0.03
    assert abs(rows["t"][found.reaction.crossed] - 4.004) < 0.01


def test_a_live_run_has_rehearsed_a_bridge() -> None:
    """Else the first bounce would load its kernels while the clock runs: 69 ms, and the arm gives up after 20."""
    assert {FollowerState.CATCHING_UP, FollowerState.BRIDGING} <= bend_once(bench_of())


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
    """An exception from anywhere round the loop, in full motion."""
    parts, seen = FloatParts(bench_of(), 1), list[FloatApplication]()

    def fails(flight: FloatApplication) -> None:
        if flight.t > 4.3:  # after the push
            seen.append(flight)
            raise OSError("terminal gone")

    with pytest.raises(OSError, match="terminal gone"):
        lockstep(parts, each_cycle=fails)
    (flight,) = seen
    assert np.abs(flight.rows["rates"][: flight.count]).max() > 1e-3
    assert not flight._f.guard.moving
    assert np.abs(parts.arm.rates).max() < AT_REST


def test_an_error_of_ours_is_a_named_stop_and_the_run_is_recorded(tmp_path: Path) -> None:
    stream = RowStream(tmp_path / "run.mcap", {"kind": "float"}, live=False)

    def fails(flight: FloatApplication) -> None:
        if flight.count == 400:
            flight.floating._follower.step = lambda plan: 1 / 0  # type: ignore[method-assign,assignment,return-value]

    ran = lockstep(FloatParts(bench_of(push=[]), 1), stream=stream, each_cycle=fails)
    assert "INTERNAL_ERROR" in ran.application.failure and "ZeroDivisionError" in ran.application.failure
    log = Log.open(stream.path)
    assert log.complete and log.metadata["experiment"]
    assert np.nanmax(log.pool["loop"]["t"]) == pytest.approx(ran.application.rows["t"][ran.application.count - 1])


def test_an_interlock_that_is_open_lets_no_flight_begin() -> None:
    parts = FloatParts(bench_of(push=[]), 1)
    door = next(each.name for each in parts.cell.file.interlock if each.kind == "door")
    time = LockstepClock()
    hall = build(parts.cell, time, seed=1, record=None, link=parts.link(time), groups=parts.told.groups)
    application = parts.application(hall)
    hall.desk.drives(True)
    while hall.facility.mode is not Mode.READY:
        hall.facility.tick()
    hall.desk.interlock(door, healthy=False)
    with pytest.raises(Refused, match="DOOR"):
        hall.desk.begin(application)
    hall.facility.tick()
    assert hall.facility.mode is Mode.READY and not application.begun
    hall.close()


def test_an_emergency_stop_cuts_the_drives_and_is_the_only_cause(tmp_path: Path) -> None:
    """Drives that were switched off are no fault of the controller's."""
    parts = FloatParts(bench_of(push=[]), 1, duration_s=3.0)
    estop = next(each.name for each in parts.cell.file.interlock if each.kind == "estop")
    stream = RowStream(tmp_path / "run.mcap", {"kind": "float"}, live=False)

    def press(flight: FloatApplication) -> None:
        if flight.count == 500:
            flight._f.interlocks.set(estop, False)

    flight = lockstep(parts, stream=stream, each_cycle=press).application
    assert "ESTOP" in flight.failure and not flight._f.link.all_on
    stops = {event["name"].decode() for event in Log.open(stream.path).events if event["name"].startswith(b"stop.")}
    assert stops == {"stop.estop"}


def test_a_cell_of_another_arm_is_refused() -> None:
    for cell, words in (("kube", "not the arm of the cell"), ("epos", "one arm")):
        with pytest.raises(BadInput, match=words):
            FloatParts(bench_of(), 1, read_any_cell(cell))


@pytest.mark.parametrize("part", ["_keep", "_feel"])
@pytest.mark.parametrize("cycle", [0, 400])
def test_a_run_that_can_keep_nothing_any_more_ends_all_the_same(part: str, cycle: int) -> None:
    """Telemetry fails in every cycle: the arm stood, and the loop went on for ever, deaf to Ctrl-C."""

    def fails(flight: FloatApplication) -> None:
        if flight.count == cycle:
            setattr(flight, part, lambda *given: 1 / 0)
        assert flight._f.clock.tick < 1500

    flight = lockstep(FloatParts(bench_of(push=[]), 1, duration_s=3.0), each_cycle=fails).application
    assert "ZeroDivisionError" in flight.failure
    assert flight._f.mode is Mode.STOPPED and flight._arm.at_rest


@pytest.mark.parametrize("part", ["ring", "link"])
def test_a_failing_tick_ends_with_the_arm_at_rest(part: str) -> None:
    """Its set-point stood, and the arm behind it was still on its way when the last resort was over."""
    parts = FloatParts(bench_of(push=[]), 1, duration_s=3.0)

    def breaks(flight: FloatApplication) -> None:
        if flight.count == 500:
            owner, name = (flight._f.ring, "push") if part == "ring" else (flight._f.link, "write")
            setattr(owner, name, lambda *given: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        lockstep(parts, each_cycle=breaks)
    assert np.abs(parts.arm.rates).max() < AT_REST


def test_a_live_run_that_may_not_begin_says_why_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """It waited in READY for ever: a motion is asked for once."""

    def refuse(desk: Desk, motion: Motion) -> None:
        raise Refused("begin: the recorder is behind")

    monkeypatch.setattr(live_flight, "rehearse", lambda bench, seed: None)
    monkeypatch.setattr(Desk, "begin", refuse)
    with pytest.raises(ProxopsError, match="did not begin: begin: the recorder is behind"):
        fly_live(FloatParts(bench_of(push=[]), 1), ANY)
