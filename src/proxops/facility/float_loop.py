"""The cycle of the micro-gravity testbed: force → push → physics, corrected in the past → predicted poses → joints → arm.

Which arm and which sensor are there, and whose time passes, is none of its business. However it ends, the arm comes to rest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

import numpy as np

from proxops.core.errors import ProxopsError
from proxops.core.force_source import ForceSource
from proxops.core.messages import PERIOD_S
from proxops.facility.float_bench import SETTLE_S, FloatBench
from proxops.facility.loop_clock import LoopClock
from proxops.facility.module_hand import FlangeLoad, VirtualModule
from proxops.lab.virtual_arm import VirtualArm
from proxops.maths.pose import pack_pose
from proxops.maths.rotation import Array
from proxops.safety.arm_guard import ArmGuard
from proxops.safety.rules import Rule, Stop
from proxops.space.floating_world import FloatingWorld
from proxops.space.timeline import Timeline
from proxops.touch.force_limits import ForceLimits, Overload
from proxops.touch.force_watch import ForceWatch
from proxops.touch.impulse_detector import Impulse, ImpulseDetector, ImpulseSettings, Phase
from proxops.touch.joint_follower import JointFollower
from proxops.touch.joint_plan import JointPlan, JointPlanner
from proxops.touch.relative_motion import wrench_at

STEPS_A_CYCLE: Final = 72  # physics steps into the future in one cycle: a bound on its time
AFTER_STOP_S: Final = 0.5  # recorded after the arm has been told to stop
MOVED_RAD: Final = 2e-4  # of a joint from its course: ten times what encoders and drives are off in steady motion
REMEMBERED: Final = 32  # cycles of the flange's attitude, for pushes in the past


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
            ("felt", "f8", (6,)), ("applied", "f8", (6,)), ("pushed", "f8", (6,)), ("energy", "f8"), ("touching", "f8"),
            ("following", "f8"), ("ahead_s", "f8"), ("arm_angle", "f8"),
            ("work", "f8"), ("lateness", "f8"),
        ]
    )  # fmt: skip


@dataclass
class Reaction:
    """One push from the detector's point of view; cycles count from the start of the loop."""

    crossed: int
    began: int  # cycles before that
    rewind: int  # cycles that the physics went back
    changed: int = -1  # first cycle with another set-point than was planned before
    shown: int = -1  # first cycle in which it differs by as much as encoders can show
    moved: int = -1  # first cycle in which they do
    impulse: Impulse | None = None
    course: Array = field(default_factory=lambda: np.zeros((0, 7)))  # planned before it was known


class FloatLoop:
    """``run`` fills ``rows``; ``failure`` says why it ended early."""

    def __init__(
        self, bench: FloatBench, arm: VirtualArm, source: ForceSource, module: VirtualModule | None, clock: LoopClock, *,
        duration_s: float, each_cycle: Callable[[float], None] = lambda t: None, timed: Callable[[], float] | None = None,
    ) -> None:  # fmt: skip
        file, s = bench.file, bench.file.sensor
        self.bench, self._arm, self._source, self.module, self._clock = bench, arm, source, module, clock
        self._each_cycle, self._timed = each_cycle, timed
        self._twin = VirtualArm(bench.twin_traits, bench.joints, clock.now, np.random.default_rng(0))
        self._load = FlangeLoad(bench.arm, bench.T_world_base, bench.load)
        self._watch = ForceWatch(bench.stream)
        self._limits = ForceLimits(s.stop_N, s.stop_N, s.stop_Nm, s.stop_Nm)
        self.detector = ImpulseDetector(ImpulseSettings(force_noise_N=s.noise_N, torque_noise_Nm=s.noise_Nm))
        self.world = FloatingWorld(bench.scene, 1.0 / file.plan.physics_hz, file.plan.contact_rad_s)
        self.lead = round(bench.traits.delay_s / PERIOD_S)
        self.timeline = Timeline(self.world, ahead_s=file.plan.ahead_s + self.lead * PERIOD_S)
        spacing = max(1, round(file.plan.ahead_s / PERIOD_S / file.plan.rows))
        self._planner = JointPlanner(
            bench.arm, bench.T_world_base, bench.T_flange_object, file.plan.columns, file.plan.rows, spacing
        )
        self._planner.start(bench.joints)
        self._follower = JointFollower(bench.arm, bench.joints)
        traits = bench.traits
        self.guard = ArmGuard(
            traits.joints, traits.lower, traits.upper, traits.speed, traits.acceleration, bench.joints
        )
        self._grip = (
            bench.T_flange_object[:3, 3] + bench.T_flange_object[:3, :3] @ bench.com
        )  # the module's mass centre on the flange
        self._attitudes: deque[Array] = deque(maxlen=REMEMBERED)
        self.rows = np.zeros(
            round((duration_s + SETTLE_S + AFTER_STOP_S) / PERIOD_S) + 2, row_dtype(len(bench.arm.joints))
        )
        self.count, self.stage, self.failure = 0, Stage.SETTLE, ""
        self._duration, self._stopped_at = duration_s, -1
        self.reactions: list[Reaction] = []
        self._course = np.zeros((0, 7))
        self._own = np.zeros(6)
        self.applied = np.zeros(6)

    def rotation_at(self, cycle: int) -> Array:
        """R_world_flange of a recorded cycle, by the encoders."""
        T = self.bench.T_world_base @ self.bench.arm.flange(self.rows[cycle]["measured"].copy())
        rotation: Array = T[:3, :3]
        return rotation

    # ------------------------------------------------------------------ to the end
    def run(self, progress: Callable[[float], None], stopped: Callable[[], bool] = lambda: False) -> None:
        """Until the time is over, or the arm had to stop and stands."""
        lateness = 0.0
        while self.count < len(self.rows):
            began = self._timed() if self._timed else 0.0
            self._each_cycle(self.count * PERIOD_S)
            if stopped() and not self.failure:
                self._stop(Stop(Rule.OPERATOR), f"interrupted after {self.count * PERIOD_S:.3f} s")
            self._cycle()
            row = self.rows[self.count]
            row["work"], row["lateness"] = (self._timed() - began if self._timed else 0.0), lateness
            self.count += 1
            if self._over():
                return
            progress(self.count * PERIOD_S)
            lateness = self._clock.advance()

    def _over(self) -> bool:
        if self.stage is Stage.STOP:
            return self.count - self._stopped_at > AFTER_STOP_S / PERIOD_S and self.guard.at_rest
        if self.stage is Stage.FLOAT and self.count * PERIOD_S >= SETTLE_S + self._duration:
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
        t, row = self.count * PERIOD_S, self.rows[self.count]
        measured = self._arm.read()
        self._twin.read()
        if measured.halted:
            self._stop(Stop(Rule.CONTROLLER_FAULT, detail=measured.halted))
        phase = self._feel(t, row)
        if self.stage is Stage.SETTLE and t >= SETTLE_S:
            self.stage = Stage.FLOAT
        wish = self.bench.joints if self.stage is Stage.SETTLE else self._float(row)
        setpoint = self.guard.judge(wish)
        if self.guard.stop is not None and self.stage is not Stage.STOP:
            self._stop(self.guard.stop)
        self._arm.command(setpoint, measured.t)
        self._twin.command(setpoint, self._twin.t)
        self._notice(measured.angles, setpoint)
        self._keep(row, t, phase, measured.angles, setpoint)

    def _feel(self, t: float, row: np.void) -> Phase:
        """The reading, less what the module's own weight and inertia are believed to be; pushes go into the physics."""
        arm = self._arm
        if self.module is not None:
            self.module.feel(t, arm.angles, arm.rates, arm.accelerations)
        sample = self._source.latest(t)
        fault = self._watch.step(t, sample)
        twin = self._twin
        self._own = self._load.wrench(twin.angles, twin.rates, twin.accelerations)
        self._attitudes.append(self._load.quat.copy())
        self.applied[:] = 0.0
        if fault:
            self._stop(Stop(Rule.FORCE_SENSOR, detail=fault))
            return Phase.QUIET
        if sample is None:
            return Phase.QUIET
        residual = sample.wrench - self._own
        row["read"], row["residual"] = sample.wrench, residual
        verdict = self.detector.step(residual)
        row["felt"] = self.detector.recent(1)[0]
        self._judge(row["felt"], verdict.phase)
        if self.stage is Stage.FLOAT:
            self._push(verdict.began, verdict.wrench, verdict.phase, verdict.ended)
        return verdict.phase

    def _judge(self, felt: Array, phase: Phase) -> None:
        verdict = self._limits.judge(felt)
        if verdict.level is not Overload.NONE and self.stage is Stage.FLOAT:
            self._stop(Stop(Rule.FORCE_LIMIT, detail=str(verdict)))

    def _push(self, began: int, wrench: Array, phase: Phase, ended: Impulse | None) -> None:
        """Into the physics: what is certain now at its time in the past, what goes on as it comes, what was missed at the end."""
        timeline = self.timeline
        if began >= 0:
            back = min(began, timeline.past, timeline.now)
            recent = self.detector.recent(back + 1)
            past = np.array([self._in_world(w, self._attitudes[-1 - back + i]) for i, w in enumerate(recent)])
            self.reactions.append(Reaction(self.count, began, back, course=self._course.copy()))
            timeline.push_late(back, past)
            self.applied[:] = past[-1]
        elif phase is Phase.PUSH:
            self.applied[:] = self._in_world(wrench, self._attitudes[-1])
            timeline.push(self.applied)
        if ended is not None and self.reactions:
            self.reactions[-1].impulse = ended
            rest = self._in_world(ended.correction / PERIOD_S, self._attitudes[-1])
            self.applied += rest
            timeline.push(rest)

    def _in_world(self, wrench: Array, q_world_flange: Array) -> Array:
        """On the module at its mass centre, world axes, of a wrench at the sensor in its own."""
        return wrench_at(wrench, q_world_flange, self._grip)

    def _float(self, row: np.void) -> Array:
        """Physics on by a cycle, and joints that follow it."""
        timeline, planner = self.timeline, self._planner
        try:
            timeline.catch_up(STEPS_A_CYCLE)
            poses = timeline.predicted(planner.longest + self.lead)[self.lead :]
            plan: JointPlan | None = planner.plan(poses) if len(poses) > planner.spacing else None
        except ProxopsError as error:
            self._stop(Stop(Rule.BAD_COMMAND, detail=str(error)))
            return self.guard.joints
        joints, _ = self._follower.step(plan)
        if self._follower.reason and self.stage is Stage.FLOAT:
            self._stop(Stop(Rule.UNREACHABLE), f"the arm cannot follow the module: {self._follower.reason}")
        if plan is not None:
            self._course = plan.joints[: plan.cycles].copy()
            row["arm_angle"] = plan.arm_angles[0]
        row["pose"], row["velocity"], row["energy"] = timeline.pose_now, timeline.velocity_now, timeline.energy_now
        row["touching"], row["ahead_s"], row["following"] = (
            timeline.touching_now,
            timeline.ahead_s,
            self._follower.state,
        )
        timeline.advance()
        return joints

    def _notice(self, measured: Array, setpoint: Array) -> None:
        """When the newest push has shown in set-points, and when in the encoders."""
        if not self.reactions or self.reactions[-1].moved >= 0:
            return
        r = self.reactions[-1]
        after = self.count - r.crossed
        if after + 2 < len(
            r.course
        ):  # the course was planned a cycle before, and its first row is for the set-point before that
            off = np.abs(setpoint - r.course[after + 2]).max()
            if r.changed < 0 and off > 1e-9:
                r.changed = self.count
            if r.shown < 0 and off > MOVED_RAD:
                r.shown = self.count
        late = after + 1 - self.lead
        if r.shown >= 0 and 0 <= late < len(r.course) and np.abs(measured - r.course[late]).max() > MOVED_RAD:
            r.moved = self.count

    def _keep(self, row: np.void, t: float, phase: Phase, measured: Array, setpoint: Array) -> None:
        row["t"], row["stage"], row["phase"] = t, self.stage, phase
        row["measured"], row["setpoint"], row["rates"] = measured, setpoint, self.guard.rates
        pack_pose(self.bench.object_at(self._arm.angles), row["shown"])
        row["applied"] = self.applied
        if self.module is not None:
            row["pushed"] = self.module.pushed
