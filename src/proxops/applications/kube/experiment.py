"""Experiment with an arm in the loop: checks, virtual arm, loop in lockstep or by the wall's clock, and what came of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from proxops.applications.kube.loop import HardwareLoop, row_dtype
from proxops.applications.kube.result import ATTITUDE_BOUND_DEG, POSITION_BOUND_MM, series_of, sum_up
from proxops.applications.kube.tables import HardwareLoopFile, PoseTable
from proxops.arms.dynamics import Dynamics
from proxops.arms.held_base import HeldArm
from proxops.arms.model import ArmModel, Floats, load_model
from proxops.arms.reach import reach_m
from proxops.core.errors import BadInput, ProxopsError
from proxops.core.experiment import Experiment
from proxops.core.experiment_result import LEAST_ROWS, ExperimentResult, Progress
from proxops.core.interruption import noted_interrupt
from proxops.facility.loop_clock import LockstepLoopClock, LoopClock, WallLoopClock
from proxops.facility.realtime import enter_real_time
from proxops.ground.row_stream import RowStream
from proxops.lab.virtual_iiwa import IiwaTraits, VirtualIiwa
from proxops.maths.rotation import matrix_from_abc, quat_from_matrix
from proxops.onboard.dynamic_jacobian_law import DynamicJacobianLaw, LawSettings
from proxops.onboard.goal_preview import Goal, preview_goal
from proxops.runs.progress import now_and_then
from proxops.safety.arm_guard import ArmGuard

ROBOT_CYCLE_S: Final = 1e-3
SINGULAR: Final = 1e-3  # least singular value of the dynamic Jacobian at the start, m and rad
EMPTY_S: Final = 2.0  # of the same loop without work, to tell the machine's lateness from ours
WARM_UP_S: Final = 0.05
RANGE_MARGIN: Final = math.radians(1.0)  # of the guard: twice that of the robot itself, which has no reason to act then
ENCODER_SIGMAS: Final = 12.0  # two readings, six standard deviations each: one in 1e9


@dataclass(frozen=True)
class KubeBench:
    """What a run is made of."""

    file: HardwareLoopFile
    model: ArmModel
    joints: Floats
    goal_p: Floats
    goal_quat: Floats
    law: LawSettings
    traits: IiwaTraits


def run(
    experiment: Experiment, progress: Progress, realtime: bool = False, seed: int | None = None,
    stream: RowStream | None = None,
) -> ExperimentResult:  # fmt: skip
    """Lockstep unless ``realtime``; the same seed gives the same run, bit for bit, in lockstep."""
    file = experiment.file
    assert isinstance(file, HardwareLoopFile)
    bench = prepare(file, load_model(experiment.model_path(), file.arm.tool, file.arm.joints))
    look_ahead(bench)
    seed = file.seed if seed is None else seed
    # Once gone through, everything is compiled.
    _loop(bench, LockstepLoopClock(file.loop.rate_hz), seed, WARM_UP_S, timed=True).run(lambda t: None)
    if stream is not None:
        stream.begin(row_dtype(bench.model.n), lambda rows: series_of(bench.model, rows, realtime))
    if not realtime:
        loop = _loop(bench, LockstepLoopClock(file.loop.rate_hz), seed, file.duration_s, timed=False)
        with noted_interrupt() as stopped:
            follow(loop, now_and_then(progress, "loop", file.duration_s), stopped, stream)
            return sum_up(bench.file, bench.model, loop.rows, loop.failure, {})
    empty = empty_loop(file.loop.rate_hz)
    with noted_interrupt() as stopped:
        loop, missed, granted = wall_run(bench, seed, stopped, stream)
        timing: dict[str, Any] = {"granted": granted, "missed": missed, "empty": empty}
        return sum_up(bench.file, bench.model, loop.rows, loop.failure, timing)


def wall_run(
    bench: KubeBench, seed: int, stopped: Callable[[], bool] = lambda: False, stream: RowStream | None = None
) -> tuple[HardwareLoop, int, str]:
    """By the wall's clock: the loop when it is over, cycles that it lost, and what rights the machine gave it."""
    granted = enter_real_time()
    try:
        clock = WallLoopClock(bench.file.loop.rate_hz)
        loop = _loop(bench, clock, seed, bench.file.duration_s, timed=True)
        follow(loop, lambda t: None, stopped, stream)
    finally:
        granted.leave()
    return loop, clock.missed, str(granted)


def follow(
    loop: HardwareLoop, tell: Callable[[float], None], stopped: Callable[[], bool], stream: RowStream | None = None
) -> None:
    """Run it. Ctrl-C ends it as a failure: what was recorded until then is kept, if it is anything."""

    def each_cycle(t: float) -> None:
        tell(t)
        if stream is not None:
            stream.take(loop.rows)

    try:
        loop.run(each_cycle, stopped)
    except KeyboardInterrupt:
        if len(loop.rows) < LEAST_ROWS:
            raise
        loop.failure = loop.failure or f"interrupted after {loop.rows['t'][-1]:.3f} s"
    if len(loop.rows) < LEAST_ROWS:
        raise ProxopsError(f"{loop.failure}; nothing was recorded")
    if stream is not None:
        stream.take(loop.rows, all_of_them=True)


def look_ahead(bench: KubeBench) -> float:
    """BadInput if the goal is not reached, within the joints' ranges and the time; when it will be, s."""
    goal = Goal(bench.goal_p, bench.goal_quat, 1e-3 * POSITION_BOUND_MM, math.radians(ATTITUDE_BOUND_DEG))
    return preview_goal(bench.model, bench.joints, goal, bench.law, bench.file.duration_s, RANGE_MARGIN)


def prepare(file: HardwareLoopFile, model: ArmModel) -> KubeBench:
    """Everything that can be judged before anything moves."""
    joints = model.angles(file.start.joints_deg, "start.joints_deg")
    if len(file.robot.acceleration_rad_s2) != model.n:
        raise BadInput(
            "robot.acceleration_rad_s2: one number for each joint", value=len(file.robot.acceleration_rad_s2),
            bound=str(model.n),
        )  # fmt: skip
    if file.robot.patience_ms < 2e3 / file.loop.rate_hz:
        raise BadInput(
            "robot.patience_ms: less than two cycles of the loop", value=file.robot.patience_ms,
            bound=f"at least {2e3 / file.loop.rate_hz:g} ms",
        )  # fmt: skip
    goal_p, goal_quat = pose_of(file.goal)
    _check_reach(model, joints, goal_p)
    _check_start(model, joints)
    acceleration = np.array(file.robot.acceleration_rad_s2)
    law = LawSettings(
        np.array(file.law.position_gain_per_s), np.array(file.law.attitude_gain_per_s), file.law.speed_share * model.speed,
        file.law.acceleration_share * acceleration,
    )  # fmt: skip
    return KubeBench(file, model, joints, goal_p, goal_quat, law, _traits(file, model, acceleration))


def pose_of(pose: PoseTable) -> tuple[Floats, Floats]:
    """Position, and quaternion with the scalar first."""
    angles = pose.orientation_deg if pose.order == "zyx" else pose.orientation_deg[::-1]
    a, b, c = (math.radians(angle) for angle in angles)
    return np.array(pose.position_m), quat_from_matrix(matrix_from_abc(a, b, c))


def empty_loop(rate_hz: int) -> Floats:
    """Lateness of cycles that do nothing, with the same rights, s."""
    out = np.zeros(round(EMPTY_S * rate_hz))
    granted = enter_real_time()
    try:
        clock = WallLoopClock(rate_hz)
        for i in range(out.size):
            out[i] = clock.advance()
    finally:
        granted.leave()
    return out


def _traits(file: HardwareLoopFile, model: ArmModel, acceleration: Floats) -> IiwaTraits:
    robot = file.robot
    return IiwaTraits(
        model.joints, model.lower, model.upper, model.speed, acceleration, ROBOT_CYCLE_S, robot.lag_ms * 1e-3,
        round(robot.dead_time_ms * 1e-3 / ROBOT_CYCLE_S), robot.patience_ms * 1e-3, robot.encoder_step_urad * 1e-6,
        robot.encoder_noise_urad * 1e-6, robot.torque_noise_Nm, robot.torque_offset_Nm,
    )  # fmt: skip


def _check_reach(model: ArmModel, joints: Floats, goal_p: Floats) -> None:
    """Necessary, not sufficient: the sphere about the centre of mass of the whole, which rests."""
    dynamics = Dynamics(model)
    dynamics.momentum(model.configuration(joints), np.zeros(model.pin.nv))
    away = float(np.linalg.norm(goal_p - np.array(dynamics.data.com[0])))
    reach = reach_m(model)
    if away > reach:
        raise BadInput(
            "goal.position_m: out of reach", value=f"{away:.3f} m from the centre of mass of satellite and arm",
            bound=f"at most {reach:.3f} m", way_out=f"bring it {away - reach:.3f} m nearer",
        )  # fmt: skip


def _check_start(model: ArmModel, joints: Floats) -> None:
    """Near a singularity the inverse is damped; in one there is no way to tell where to go."""
    jacobian = Dynamics(model).update(model.configuration(joints), np.zeros(model.pin.nv)).jacobian
    least = float(np.linalg.svd(jacobian, compute_uv=False)[-1])
    if least < SINGULAR:
        raise BadInput(
            "start.joints_deg: singular, the tool cannot move in every direction", value=f"least singular value {least:.2g}",
            bound=f"at least {SINGULAR:g}", way_out="bend the arm a little",
        )  # fmt: skip


def _loop(bench: KubeBench, clock: LoopClock, seed: int, duration_s: float, *, timed: bool) -> HardwareLoop:
    """The loop around a virtual arm."""
    file = bench.file
    held = HeldArm(bench.model, np.array(file.robot.gravity_m_s2))

    def net(angles: Floats, rates: Floats, accelerations: Floats) -> Floats:
        torques = held.torques(angles, rates, accelerations)
        return torques + held.friction(rates) if file.arm.friction else torques

    arm = VirtualIiwa(bench.traits, bench.joints, net, clock.now, np.random.default_rng(seed))
    law = DynamicJacobianLaw(bench.law, bench.goal_p, bench.goal_quat)
    traits = bench.traits
    guard = ArmGuard(
        traits.joints, traits.lower + RANGE_MARGIN, traits.upper - RANGE_MARGIN, traits.speed, traits.acceleration, bench.joints,
        1.0 / file.loop.rate_hz, traits.lag_s + traits.dead_cycles * traits.cycle_s,
    )  # fmt: skip
    return HardwareLoop(
        bench.model, arm, law, guard, clock, rate_hz=file.loop.rate_hz, duration_s=duration_s, filter_hz=file.loop.rate_filter_hz,
        timed=timed, patience_s=traits.patience_s, encoder_error=traits.encoder_step + ENCODER_SIGMAS * traits.encoder_noise,
    )  # fmt: skip
