"""Experiment of the micro-gravity testbed: in lockstep, or by the wall's clock with pushes that come over the control channel."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from proxops.arms.model import load_model
from proxops.core.channel import LOOPBACK
from proxops.core.experiment import Experiment
from proxops.core.experiment_float import FloatFile
from proxops.core.experiment_result import ExperimentResult, Progress
from proxops.core.force_source import ForceSource
from proxops.core.messages import PERIOD_S
from proxops.facility.float_bench import SETTLE_S, FloatBench, prepare
from proxops.facility.float_desk import FloatDesk
from proxops.facility.float_loop import FloatLoop
from proxops.facility.float_result import sum_up
from proxops.facility.interruption import noted_interrupt
from proxops.facility.loop_clock import LockstepLoopClock, LoopClock, WallLoopClock
from proxops.facility.module_hand import Hand, VirtualModule
from proxops.facility.progress import now_and_then
from proxops.facility.realtime import enter_real_time
from proxops.facility.virtual_force_sensor import put_fault, true_load
from proxops.lab.virtual_arm import VirtualArm
from proxops.sensors.force_torque import ForceTorqueSensor
from proxops.space.floating_world import FloatingWorld
from proxops.touch.force_port import ForcePort
from proxops.touch.push import Push

RATE_HZ: Final = round(1.0 / PERIOD_S)
WARM_UP_S: Final = 1.0
REHEARSED: Final = 5000  # physics steps at most until a module has met a wall


@dataclass(eq=False)
class FloatRan:
    """A run when it is over. ``timing``: what the machine granted and what was missed; empty in lockstep."""

    bench: FloatBench
    loop: FloatLoop
    timing: dict[str, Any]


def run(
    experiment: Experiment, progress: Progress, realtime: bool = False, seed: int | None = None, control_port: int | None = None
) -> ExperimentResult:  # fmt: skip
    """Lockstep unless ``realtime``; the same seed gives the same run, bit for bit, in lockstep."""
    file = experiment.file
    assert isinstance(file, FloatFile)
    seed = file.seed if seed is None else seed
    model = load_model(experiment.model_path(), file.arm.tool, file.arm.joints)
    bench = prepare(file, model, experiment.source, np.random.default_rng(seed))
    with noted_interrupt() as interrupted:
        if not realtime:
            return sum_up(lockstep(bench, seed, now_and_then(progress, "float", file.flight_s + SETTLE_S), interrupted))
        return sum_up(live(bench, seed, control_port, interrupted))


def lockstep(
    bench: FloatBench, seed: int, tell: Callable[[float], None] = lambda t: None, stopped: Callable[[], bool] = lambda: False
) -> FloatRan:  # fmt: skip
    """As fast as it goes."""
    loop = assemble(bench, seed, LockstepLoopClock(RATE_HZ), bench.file.flight_s)
    loop.run(tell, stopped)
    return FloatRan(bench, loop, {})


def live(bench: FloatBench, seed: int, control_port: int | None, stopped: Callable[[], bool]) -> FloatRan:
    """By the wall's clock. ``proxops ctl push`` reaches it on the control port."""
    touch_once(bench)
    rehearsal = Hand((Push(SETTLE_S + 0.2 * WARM_UP_S, (0.0, 0.0, 1.0), 1.0, 0.1),))
    assemble(bench, seed, LockstepLoopClock(RATE_HZ), WARM_UP_S, rehearsal).run(
        lambda t: None
    )  # all compiled from here on
    clock = WallLoopClock(RATE_HZ)
    hand = Hand(bench.pushes)
    desk = FloatDesk(hand, clock.now, control_port)
    granted = enter_real_time()
    try:
        print(f"control channel {LOOPBACK}:{desk.port}: proxops ctl push --control-port {desk.port}", flush=True)
        loop = assemble(bench, seed, clock, bench.file.flight_s, hand, desk.serve, time.perf_counter)
        loop.run(lambda t: None, lambda: stopped() or desk.stop_asked)
    finally:
        granted.leave()
        desk.close()
    return FloatRan(bench, loop, {"granted": str(granted), "missed": clock.missed})


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
        source: ForceSource = ForcePort((LOOPBACK, s.port))
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
