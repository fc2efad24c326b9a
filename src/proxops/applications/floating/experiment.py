"""Experiment of the micro-gravity testbed: in lockstep, or by the wall's clock with pushes that come over the control channel."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from proxops.applications.floating.bench import RATE_HZ, SETTLE_S, FloatBench, prepare
from proxops.applications.floating.desk import FloatDesk
from proxops.applications.floating.loop import FloatLoop, row_dtype
from proxops.applications.floating.module_hand import Hand, VirtualModule
from proxops.applications.floating.result import series_of, sum_up
from proxops.applications.floating.tables import FloatFile
from proxops.arms.model import load_model
from proxops.core.channel import LOOPBACK
from proxops.core.errors import BadInput
from proxops.core.experiment import Experiment
from proxops.core.experiment_result import ExperimentResult, Progress
from proxops.core.force_source import ForceStream
from proxops.core.messages import PERIOD_S
from proxops.facility.interruption import noted_interrupt
from proxops.facility.loop_clock import LockstepLoopClock, LoopClock, WallLoopClock
from proxops.facility.progress import now_and_then
from proxops.facility.realtime import enter_real_time
from proxops.facility.virtual_force_sensor import put_fault, true_load
from proxops.ground.row_stream import RowStream
from proxops.lab.redundant_arm import SOLVED
from proxops.lab.virtual_arm import VirtualArm
from proxops.sensors.force_torque import ForceTorqueSensor
from proxops.space.floating_world import FloatingWorld
from proxops.touch.force_port import ForcePort
from proxops.touch.joint_follower import Following, JointFollower
from proxops.touch.joint_plan import JointPlan
from proxops.touch.push import Push

WARM_UP_S: Final = 1.0
TURN: Final = 100  # cycles until the course of a rehearsal turns back
TURNED_SHARE: Final = 0.05  # of the joints' speeds, on it
REHEARSED: Final = 5000  # physics steps at most until a module has met a wall


@dataclass(eq=False)
class FloatRan:
    """A run when it is over. ``timing``: what the machine granted and what was missed; empty in lockstep."""

    bench: FloatBench
    loop: FloatLoop
    timing: dict[str, Any]


def run(
    experiment: Experiment, progress: Progress, realtime: bool = False, seed: int | None = None, control: str | None = None,
    stream: RowStream | None = None,
) -> ExperimentResult:  # fmt: skip
    """Lockstep unless ``realtime``; the same seed gives the same run, bit for bit, in lockstep."""
    file = experiment.file
    assert isinstance(file, FloatFile)
    if control is not None and not realtime:
        raise BadInput("--control: in lockstep nobody can push", value=control, way_out="add --realtime")
    if file.sensor.source == "network" and not realtime:
        raise BadInput(
            "sensor.source: a sensor on the network keeps wall-clock time", value="network", way_out="add --realtime"
        )
    seed = file.seed if seed is None else seed
    model = load_model(experiment.model_path(), file.arm.tool, file.arm.joints)
    bench = prepare(file, model, experiment.source, np.random.default_rng(seed))
    if stream is not None:
        names = bench.arm.joints
        stream.begin(row_dtype(len(names)), lambda rows: series_of(rows, names))
    with noted_interrupt() as interrupted:
        if realtime:
            return sum_up(live(bench, seed, control, interrupted, stream))
        tell = now_and_then(progress, "float", file.flight_s + SETTLE_S)
        return sum_up(lockstep(bench, seed, tell, interrupted, stream))


def lockstep(
    bench: FloatBench, seed: int, tell: Callable[[float], None] = lambda t: None, stopped: Callable[[], bool] = lambda: False,
    stream: RowStream | None = None,
) -> FloatRan:  # fmt: skip
    """As fast as it goes."""
    loop = assemble(bench, seed, LockstepLoopClock(RATE_HZ), bench.file.flight_s)
    try:
        follow(loop, tell, stopped, stream)
    finally:
        loop.close()
    return FloatRan(bench, loop, {})


def live(
    bench: FloatBench, seed: int, control: str | None, stopped: Callable[[], bool], stream: RowStream | None = None
) -> FloatRan:
    """By the wall's clock. ``proxops ctl push`` reaches it by the name of ``control``."""
    rehearse(bench, seed)
    clock = WallLoopClock(RATE_HZ)
    hand = Hand(bench.pushes)
    desk = FloatDesk(hand, clock.now, control, virtual=bench.file.sensor.source == "virtual")
    granted, loop = enter_real_time(), None
    try:
        print(
            f"control channel {desk.sockets.control}: proxops ctl --control {desk.name} push",
            file=sys.stderr,
            flush=True,
        )
        loop = assemble(bench, seed, clock, bench.file.flight_s, hand, desk.serve, time.perf_counter)
        follow(loop, lambda t: None, lambda: stopped() or desk.stop_asked, stream)
    finally:
        granted.leave()
        desk.close()
        if loop is not None:
            loop.close()
    return FloatRan(bench, loop, {"granted": str(granted), "missed": clock.missed})


def follow(
    loop: FloatLoop, tell: Callable[[float], None], stopped: Callable[[], bool], stream: RowStream | None
) -> None:
    """Run it, its rows into the stream as they come."""

    def each_cycle(t: float) -> None:
        tell(t)
        if stream is not None:
            stream.take(loop.rows[: loop.count])

    loop.run(each_cycle, stopped)
    if stream is not None:
        stream.take(loop.rows[: loop.count], all_of_them=True)


def rehearse(bench: FloatBench, seed: int) -> None:
    """Everything once in lockstep, a push included, so that all is compiled before the clock runs. The sensor is a virtual one:
    nobody's real one keeps pace with lockstep."""
    touch_once(bench)
    bend_once(bench)
    sensor = bench.file.sensor.model_copy(update={"source": "virtual", "rate_hz": float(RATE_HZ), "fault": "none"})
    alone = replace(
        bench, file=bench.file.model_copy(update={"sensor": sensor}), stream=replace(bench.stream, rate_hz=float(RATE_HZ))
    )  # fmt: skip
    hand = Hand((Push(SETTLE_S + 0.2 * WARM_UP_S, (0.0, 0.0, 1.0), 1.0, 0.1),))
    assemble(alone, seed, LockstepLoopClock(RATE_HZ), WARM_UP_S, hand).run(lambda t: None)


def bend_once(bench: FloatBench) -> set[Following]:
    """Follow a course that turns back at once, over a bridge, so that bounces are compiled before the clock runs; what was
    done."""
    arm, follower, seen = bench.arm, JointFollower(bench.arm, bench.joints), set()
    inwards = np.sign(0.5 * (arm.lower + arm.upper) - bench.joints)
    k = np.arange(2 * TURN + 1)
    course = bench.joints + np.minimum(k, 2 * TURN - k)[:, None] * PERIOD_S * TURNED_SHARE * arm.speed * inwards
    for begin in range(TURN):
        ahead = course[begin : begin + TURN].copy()
        follower.step(JointPlan(ahead, np.zeros(len(ahead)), len(ahead), SOLVED, "", PERIOD_S))
        seen.add(follower.state)
    return seen


def touch_once(bench: FloatBench) -> None:
    """Drive a module of no consequence into a wall, so that contacts are compiled before the clock runs."""
    world = FloatingWorld(bench.scene, 1.0 / bench.file.plan.physics_hz, bench.file.plan.contact_rad_s)
    push = np.array([5.0 * bench.file.object.mass_kg, 0.0, 0.0, 0.0, 0.0, 0.0])
    for _ in range(REHEARSED):
        if world.touching:
            return
        world.step(push)


def assemble(
    bench: FloatBench, seed: int, clock: LoopClock, duration_s: float, hand: Hand | None = None,
    each_cycle: Callable[[float], None] = lambda t: None, timed: Callable[[], float] | None = None,
) -> FloatLoop:  # fmt: skip
    """Virtual arm, sensor of the scenario's choice, loop."""
    arm_rng, sensor_rng, load_rng = np.random.default_rng(seed).spawn(3)
    arm = VirtualArm(bench.traits, bench.joints, clock.now, arm_rng)
    s = bench.file.sensor
    if s.source == "network":
        source: ForceStream = ForcePort((LOOPBACK, s.port))
        return FloatLoop(bench, arm, source, None, clock, duration_s=duration_s, each_cycle=each_cycle, timed=timed)
    sensor = ForceTorqueSensor(bench.sensor, sensor_rng)
    module = VirtualModule(
        bench.arm,
        bench.T_world_base,
        bench.T_flange_object,
        true_load(bench.file.mock_up, load_rng),
        sensor,
        hand or Hand(bench.pushes),
    )

    def with_fault(t: float) -> None:
        put_fault(sensor, s, t - SETTLE_S)
        each_cycle(t)

    return FloatLoop(bench, arm, module, module, clock, duration_s=duration_s, each_cycle=with_fault, timed=timed)
