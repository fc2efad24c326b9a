"""The cycle of the micro-gravity testbed: force → push → physics, corrected in the past → predicted poses → joints → arm.

Which arm and which sensor are there, and whose time passes, is none of its business. However it ends, the arm comes to rest.
Time is the clock's, in whole cycles: where cycles are lost, time goes on without them.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from enum import IntEnum
from typing import Final

import numpy as np

from proxops.applications.floating.bench import SETTLE_S, FloatBench
from proxops.applications.floating.module_hand import FlangeLoad, VirtualModule
from proxops.applications.floating.reaction import Reaction, Unpushed
from proxops.applications.floating.tables import FloatSensorTable
from proxops.core.clock import STALL_S
from proxops.core.errors import ProxopsError
from proxops.core.force_source import ForceStream
from proxops.core.messages import PERIOD_S
from proxops.facility.arm_brake import brake_arm
from proxops.facility.loop_clock import LoopClock
from proxops.facility.virtual_force_sensor import TORQUE_SHARE_M
from proxops.lab.virtual_arm import ArmTraits, VirtualArm
from proxops.maths.pose import pack_pose
from proxops.maths.rotation import Array
from proxops.safety.arm_guard import ArmGuard
from proxops.safety.braking import braking_time
from proxops.safety.rules import Rule, Stop
from proxops.sensors.force_torque import wrench_of
from proxops.space.floating_world import FloatingWorld
from proxops.space.timeline import Timeline
from proxops.touch.force_intake import ForceIntake
from proxops.touch.force_limits import ForceLimits, Overload
from proxops.touch.impulse_detector import Impulse, ImpulseDetector, ImpulseSettings, Phase, Verdict
from proxops.touch.joint_follower import JointFollower
from proxops.touch.joint_plan import JointPlan
from proxops.touch.outside_force import OutsideForce
from proxops.touch.relative_motion import wrench_at

AFTER_STOP_S: Final = 0.5  # recorded after the arm has been told to stop
LAGS_TO_REST: Final = 20.0  # time constants after which nothing is left of a motion
REMEMBERED: Final = 32  # readings of which the flange's attitude is kept, for pushes in the past
DATED: Final = 512  # readings of which the time is kept: more than the longest push has


WAY_OUT: Final = (
    "a smaller box, a heavier or rounder object, gentler pushes or another hand.start_deg keep it within reach"
)


class Stage(IntEnum):
    """What is being done."""

    SETTLE = 0
    FLOAT = 1
    STOP = 2


def row_dtype(n: int) -> np.dtype[np.void]:
    """What one cycle leaves behind. SI, world axes; the sensor's wrenches in its own."""
    return np.dtype(
        [
            ("t", "f8"), ("stage", "f8"), ("phase", "f8"), ("measured", "f8", (n,)), ("setpoint", "f8", (n,)),
            ("rates", "f8", (n,)),
            ("pose", "f8", (7,)), ("velocity", "f8", (6,)), ("shown", "f8", (7,)), ("read", "f8", (6,)), ("residual", "f8", (6,)),
            ("felt", "f8", (6,)), ("outside", "f8", (6,)), ("applied", "f8", (6,)), ("pushed", "f8", (6,)),
            ("energy", "f8"), ("touching", "f8"), ("following", "f8"), ("ahead_s", "f8"), ("arm_angle", "f8"),
            ("work", "f8"), ("lateness", "f8"),
        ]
    )  # fmt: skip


def stated_errors(sensor: FloatSensorTable) -> tuple[Array, Array, Array]:
    """Largest offset (6), largest drift (6, per second) and noise (6) that the scenario states."""
    drift = wrench_of(sensor.drift_N_s, TORQUE_SHARE_M * sensor.drift_N_s)
    return wrench_of(sensor.offset_N, sensor.offset_Nm), drift, wrench_of(sensor.noise_N, sensor.noise_Nm)


def time_to_rest(traits: ArmTraits, duration_s: float) -> float:
    """s, from the greatest speed that the arm can have reached by then."""
    fastest = np.minimum(traits.speed, traits.acceleration * (SETTLE_S + duration_s))
    return braking_time(fastest, traits.acceleration) + traits.delay_s + LAGS_TO_REST * traits.lag_s


class FloatLoop:
    """``run`` fills ``rows``; ``failure`` says why it ended early."""

    def __init__(
        self, bench: FloatBench, arm: VirtualArm, source: ForceStream, module: VirtualModule | None, clock: LoopClock, *,
        duration_s: float, each_cycle: Callable[[float], None] = lambda t: None, timed: Callable[[], float] | None = None,
    ) -> None:  # fmt: skip
        file, s = bench.file, bench.file.sensor
        self.bench, self._arm, self._source, self.module, self._clock = bench, arm, source, module, clock
        self._each_cycle, self._timed = each_cycle, timed
        self._twin = VirtualArm(bench.twin_traits, bench.joints, clock.now, np.random.default_rng(0))
        self._load = FlangeLoad(bench.arm, bench.T_world_base, bench.load)
        self._intake = ForceIntake(source, bench.stream)
        self._outside = OutsideForce(ForceLimits(s.stop_N, s.stop_N, s.stop_Nm, s.stop_Nm), *stated_errors(s))
        self.detector = ImpulseDetector(ImpulseSettings(force_noise_N=s.noise_N, torque_noise_Nm=s.noise_Nm))
        self.world = FloatingWorld(bench.scene, 1.0 / file.plan.physics_hz, file.plan.contact_rad_s)
        self.lead, self._budget = bench.lead, bench.cycles_foreseen * round(PERIOD_S / self.world.dt)
        self._planner, self._follower = bench.planner(), JointFollower(bench.arm, bench.joints)
        self._unpushed = Unpushed(bench.planner(), JointFollower(bench.arm, bench.joints))
        self.timeline = Timeline(self.world, ahead_s=(self._planner.longest - 1 + self.lead) * PERIOD_S)
        traits = bench.traits
        self.guard = ArmGuard(
            traits.joints, traits.lower, traits.upper, traits.speed, traits.acceleration, bench.joints,
            trailing_s=traits.delay_s,
        )  # fmt: skip
        self._grip = (
            bench.T_flange_object[:3, 3] + bench.T_flange_object[:3, :3] @ bench.com
        )  # the module's mass centre on the flange
        self._felt_in: deque[tuple[int, Array]] = deque(maxlen=REMEMBERED)  # cycle and q_world_flange of every reading
        self._dated, self._readings = np.zeros(DATED), 0
        most = duration_s + SETTLE_S + AFTER_STOP_S + time_to_rest(traits, duration_s)
        self.rows = np.zeros(round(most / PERIOD_S) + 2, row_dtype(len(bench.arm.joints)))
        self.count, self.stage, self.failure = 0, Stage.SETTLE, ""
        self._tick = 0  # whole cycles by the clock
        self._duration, self._stopped_at = duration_s, -1
        self.reactions: list[Reaction] = []
        self._phase = Phase.QUIET
        self.applied = np.zeros(6)

    @property
    def t(self) -> float:
        """s, when this cycle began."""
        return self._tick * PERIOD_S

    def close(self) -> None:
        """The sensor is not asked again."""
        self._source.close()

    def rotation_at(self, cycle: int) -> Array:
        """R_world_flange of a recorded cycle, by the encoders."""
        T = self.bench.T_world_base @ self.bench.arm.flange(self.rows[cycle]["measured"].copy())
        rotation: Array = T[:3, :3]
        return rotation

    # ------------------------------------------------------------------ to the end
    def run(self, progress: Callable[[float], None], stopped: Callable[[], bool] = lambda: False) -> None:
        """Until the time is over, or the arm had to stop and stands. However it ends, the arm is brought to rest."""
        try:
            self._follow(progress, stopped)
        except BaseException:
            brake_arm(
                self.guard, lambda: self._arm.read().t, lambda t: self._arm.command(self.guard.joints, t), self._clock.advance,
                seen=self._arm.t, settle_s=AFTER_STOP_S,
            )  # fmt: skip
            raise

    def _follow(self, progress: Callable[[float], None], stopped: Callable[[], bool]) -> None:
        lateness = 0.0
        while self.count < len(self.rows):
            began = self._timed() if self._timed else 0.0
            self._tick = math.floor(self._clock.now() / PERIOD_S + 1e-6)  # as the arm counts
            self._each_cycle(self.t)
            if stopped() and not self.failure:
                self._stop(Stop(Rule.OPERATOR), f"interrupted after {self.t:.3f} s")
            self._cycle()
            row = self.rows[self.count]
            row["work"], row["lateness"] = (self._timed() - began if self._timed else 0.0), lateness
            self.count += 1
            if self._over():
                return
            progress(self.t)
            lateness = self._clock.advance()
            if lateness > STALL_S:
                self._stop(Stop(Rule.STALL, value=lateness, bound=STALL_S))

    def _over(self) -> bool:
        if self.stage is Stage.STOP:
            long_enough = self.count - self._stopped_at > AFTER_STOP_S / PERIOD_S
            return long_enough and self.guard.at_rest and self._arm.at_rest
        if self.stage is Stage.FLOAT and (self._tick + 1) * PERIOD_S >= SETTLE_S + self._duration:
            self._stop(Stop(Rule.OPERATOR), "")
        return False

    def _stop(self, stop: Stop, why: str | None = None) -> None:
        """Brake; the first cause stays."""
        if self.stage is not Stage.STOP:
            self.stage, self._stopped_at = Stage.STOP, self.count
            self.failure = str(stop) if why is None else why
        self.guard.brake(stop)

    # ------------------------------------------------------------------ one cycle
    def _cycle(self) -> None:
        row = self.rows[self.count]
        measured = self._arm.read()
        self._twin.read()
        if measured.halted:
            self._stop(Stop(Rule.CONTROLLER_FAULT, detail=measured.halted))
        self._feel(row)
        if self.stage is Stage.SETTLE and self.t >= SETTLE_S:
            self._let_go()
        wish = self._settle() if self.stage is Stage.SETTLE else self._float(row)
        self.guard.notice(measured.angles)
        setpoint = self.guard.judge(wish)
        if self.guard.stop is not None and self.stage is not Stage.STOP:
            self._stop(self.guard.stop)
        self._arm.command(setpoint, measured.t)
        self._twin.command(setpoint, self._twin.t)
        for reaction in self.reactions[-2:]:
            if not reaction.over(self.count, self.lead + 1):
                reaction.notice(self.count, setpoint, measured.angles, self.lead + 1)
        self._keep(row, measured.angles, setpoint)

    def _let_go(self) -> None:
        """The module floats from now on, if the sensor's zero is known."""
        if objection := self._outside.settle():
            self._stop(Stop(Rule.FORCE_SENSOR, detail=objection))
        else:
            self.stage = Stage.FLOAT

    def _feel(self, row: np.void) -> None:
        """The reading, less what the module's own weight and inertia are believed to be; pushes go into the physics."""
        arm, twin = self._arm, self._twin
        if self.module is not None:
            self.module.feel(self.t, arm.angles, arm.rates, arm.accelerations)
        fault, wrench, cycles = self._intake.step(self.t)
        own = self._load.wrench(twin.angles, twin.rates, twin.accelerations)
        self.applied[:] = 0.0
        if fault:
            self._phase = Phase.QUIET
            for name in ("read", "residual", "felt", "outside"):
                row[name] = np.nan  # nobody knows; never zero
            self._stop(Stop(Rule.FORCE_SENSOR, detail=fault))
        elif (
            cycles == 0
        ):  # nothing new: nothing happens to detector, limits, physics; the record shows what was last known
            before = self.rows[self.count - 1] if self.count else row
            for name in ("read", "residual", "felt", "outside"):
                row[name] = before[name]
        else:
            row["read"], row["residual"] = wrench, wrench - own
            for _ in range(cycles):
                self._recognise(row["residual"])
            row["felt"], row["outside"] = self.detector.recent(1)[0], self._outside.wrench

    def _recognise(self, residual: Array) -> None:
        """One reading for the detector, which draws its own line through the past, and for the limits, which do not."""
        verdict = self.detector.step(residual)
        self._felt_in.append((self.count, self._load.quat.copy()))
        self._dated[self._readings % DATED] = self.t
        self._readings += 1
        self._phase = verdict.phase
        judged = self._outside.step(residual, verdict.phase is Phase.QUIET)
        if judged.level is not Overload.NONE:
            self._stop(Stop(Rule.FORCE_LIMIT, detail=str(judged)))
        if self.stage is Stage.FLOAT:
            self._push(verdict)

    def _push(self, verdict: Verdict) -> None:
        """Into the physics: what is certain now at its time in the past, what goes on as it comes, what was missed at the end."""
        if verdict.began >= 0:
            self._push_late(verdict.began)
        elif verdict.phase is Phase.PUSH:
            self._apply(self._in_world(verdict.wrench, self._felt_in[-1][1]))
        if verdict.ended is not None and self.reactions:
            self.reactions[-1].impulse = self._by_the_clock(verdict.ended)
            self._apply(self._in_world(verdict.ended.correction / PERIOD_S, self._felt_in[-1][1]))

    def _apply(self, wrench: Array) -> None:
        self.applied += wrench
        self.timeline.push(wrench)

    def _push_late(self, began: int) -> None:
        """The readings since ``began`` readings ago, each at the cycle in which it came, as far back as physics goes; what came
        before the module floated has moved nothing."""
        timeline = self.timeline
        felt = list(self._felt_in)[-1 - began :]
        back = min(self.count - felt[0][0], timeline.past, timeline.now)
        past = np.zeros((back + 1, 6))
        for wrench, (cycle, attitude) in zip(self.detector.recent(began + 1), felt, strict=True):
            ago = self.count - cycle
            if ago <= timeline.now:
                past[back - min(ago, back)] += self._in_world(wrench, attitude)
        self.reactions.append(Reaction(self.count, back))
        self._foresee_unpushed()
        timeline.push_late(back, past)
        self.applied += past[-1]

    def _foresee_unpushed(self) -> None:
        """What the set-points would be without the push that is about to be applied: to see what it changes."""
        self.timeline.catch_up(self._budget)
        poses = self.timeline.predicted(self._planner.longest + self.lead)[self.lead :]
        self._unpushed.begin(self.reactions[-1], self._planner, self._follower, poses)

    def _by_the_clock(self, ended: Impulse) -> Impulse:
        """Its times, which the detector counts in readings."""
        start, crossed, end = (
            float(self._dated[round(t / PERIOD_S) % DATED]) for t in (ended.t_start, ended.t_crossed, ended.t_end)
        )
        return replace(ended, t_start=start, t_crossed=crossed, t_end=end)

    def _in_world(self, wrench: Array, q_world_flange: Array) -> Array:
        """On the module at its mass centre, world axes, of a wrench at the sensor in its own."""
        return wrench_at(wrench, q_world_flange, self._grip)

    def _settle(self) -> Array:
        """Standing still. Physics looks ahead meanwhile, so that the first plan is a whole one."""
        try:
            self.timeline.catch_up(self._budget)
        except ProxopsError as error:
            self._stop(Stop(Rule.BAD_COMMAND, detail=str(error)))
        return self.bench.joints

    def _float(self, row: np.void) -> Array:
        """Physics on by a cycle, and joints that follow it."""
        timeline, planner = self.timeline, self._planner
        try:
            timeline.catch_up(self._budget)
            poses = timeline.predicted(planner.longest + self.lead)[self.lead :]
            plan: JointPlan | None = planner.plan(poses) if len(poses) > planner.spacing else None
        except ProxopsError as error:
            self._stop(Stop(Rule.BAD_COMMAND, detail=str(error)))
            return self.guard.joints
        joints, _ = self._follower.step(plan)
        self._unpushed.step(self.count, len(poses))
        if self._follower.reason and self.stage is Stage.FLOAT:
            self._stop(Stop(Rule.UNREACHABLE), f"the arm cannot follow the module: {self._follower.reason}; {WAY_OUT}")
        if plan is not None:
            row["arm_angle"] = plan.arm_angles[0]
        row["pose"], row["velocity"], row["energy"] = timeline.pose_now, timeline.velocity_now, timeline.energy_now
        row["touching"], row["ahead_s"], row["following"] = (
            timeline.touching_now,
            timeline.ahead_s,
            self._follower.state,
        )
        timeline.advance()
        return joints

    def _keep(self, row: np.void, measured: Array, setpoint: Array) -> None:
        row["t"], row["stage"], row["phase"] = self.t, self.stage, self._phase
        row["measured"], row["setpoint"], row["rates"] = measured, setpoint, self.guard.rates
        pack_pose(self.bench.object_at(self._arm.angles), row["shown"])
        row["applied"] = self.applied
        if self.module is not None:
            row["pushed"] = self.module.pushed
