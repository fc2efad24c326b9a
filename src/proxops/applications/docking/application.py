"""A docking as a source of commands: finds the loop's delay, flies two free spacecraft, feels the contact, retracts if it
must.

Each cycle: what the robots report → pose and force of one stamp → the loop (``touch/docking_loop``) → the next pose. The
client's robot stands; robot 1 shows the whole relative motion with its arm, which is quicker than the rail."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Final

import numpy as np

from proxops.applications.docking.bench import PREPARED_S, SETTLE_S, WAVE_HZ, WAVE_M, WAVE_S, DockingBench
from proxops.applications.docking.hardware import DockingHardware, ToolMotion
from proxops.applications.docking.judge import DockingJudge
from proxops.applications.docking.tables import DockingFile
from proxops.core.errors import BadInput
from proxops.core.messages import N_AXES, PERIOD_S
from proxops.core.vocabulary import System
from proxops.facility.facility import Facility
from proxops.facility.sources import Supply
from proxops.lab.any_cell import demand_hall
from proxops.lab.coordinates import LIN, OK, POV, ROB1, ROB2, axes_from_values
from proxops.lab.hall_motion import port_motion
from proxops.maths.pose import compose, inverse_pose, pack_pose, pose_from_packed
from proxops.maths.quaternion import cross, quat_inverse, turned
from proxops.maths.rotation import Array
from proxops.safety.rules import Rule, Stop
from proxops.touch.docking_loop import DockingLoop, Felt
from proxops.touch.force_limits import ForceLimits, Overload
from proxops.touch.force_watch import ForceWatch
from proxops.touch.loop_delay import LoopDelay, measure_delay
from proxops.touch.relative_motion import seen_from, wrench_at
from proxops.touch.retreat import Retreat
from proxops.touch.zeroing import Zeroing

STRANGE: Final = 5  # cycles with a force from nowhere that are no coincidence
HELD_S: Final = 4.0  # after a capture, then the run is over
AWAY_M: Final = 0.05  # from the hardware, after a bounce, then it is over as well


class Stage(IntEnum):
    """What is being done."""

    SETTLE = 0
    WAVE = 1  # finding the delay
    FLIGHT = 2
    RETREAT = 3
    OVER = 4


class DockingApplication:
    """A ``CommandSource``. ``rows`` has one record for each cycle; ``failure`` says why it ended early."""

    steps = 1
    system = int(System.CLW)

    def __init__(self, file: DockingFile, bench: DockingBench, facility: Facility, hardware: DockingHardware) -> None:
        self.file, self.bench, self.hardware, self._facility = file, bench, hardware, facility
        self._hall = demand_hall(facility.cell, "docking").hall
        self.loop: DockingLoop | None = None
        self.stage, self.failure = Stage.SETTLE, ""
        self.judge = DockingJudge(bench)
        self.delay: LoopDelay | None = None
        self.sequence = -1
        self._watch = ForceWatch(bench.stream)
        self._limits = ForceLimits(
            file.limits.retract_N, file.limits.stop_N, file.limits.retract_Nm, file.limits.stop_Nm
        )
        self._zero = Zeroing(np.zeros(6), time_constant_s=1.0, drift_goes_on=True)
        self._motion = ToolMotion()
        self._poses, self._twists = np.zeros((2, 7)), np.zeros((2, 6))
        self._felt = Felt(np.zeros(7), np.zeros(6), np.zeros(6), False)
        self._T_nominal_taught = np.eye(4)  # what teaching in has found: nominal pose of a taught one
        self.values = np.zeros(22)
        self._command = bench.start.copy()
        self._wave: list[tuple[float, float]] = []
        self._retreat: Retreat | None = None
        self._held = self._strange = 0  # cycles in the latch; cycles with a force from nowhere
        self.rows = np.zeros(bench.cycles, bench.row)
        self.count = 0
        self._put(self._command)

    # ------------------------------------------------------------------ as a source
    @property
    def name(self) -> str:
        return f"cycle {self.sequence}"

    def ready(self) -> Stop | None:
        return None

    def latest(self) -> Supply | Stop:
        """One cycle."""
        self.sequence += 1
        stop = self._feel()
        if stop is None:
            stop = self._go_on()
        if stop is not None:
            self.failure = self.failure or str(stop)
            return stop
        if self.stage is Stage.OVER or self.count == len(self.rows):
            return Supply.END
        self._put(self._command)
        self._keep()
        return Supply.FRESH

    # ------------------------------------------------------------------ what the hall tells
    def teach_in(self, taught: Array) -> None:
        """``taught``: T_port2_port1 as it truly is at the start, found with the accuracy that the scenario states, packed."""
        port_motion(self._hall, self._facility.actual, self._facility.actual_rate, self._poses, self._twists)
        nominal = compose(inverse_pose(pose_from_packed(self._poses[1])), pose_from_packed(self._poses[0]))
        self._T_nominal_taught = compose(nominal, inverse_pose(pose_from_packed(taught)))

    def check_way(self) -> None:
        """BadInput unless the hall can show the free flight up to the hardware, and some way past it."""
        f, start, pose = self._facility, np.zeros(N_AXES), self.bench.start.copy()
        axes_from_values(self._hall, self.system, self.values, f.cell.home.copy(), True, start)
        for share in (0.25, 0.5, 0.75, 1.0, 1.1):
            pose[:3] = self.bench.start[:3] + share * self.bench.way
            self._put(pose)
            code, beyond = axes_from_values(self._hall, self.system, self.values, start, False, np.zeros(N_AXES))
            if code != OK:
                raise BadInput(
                    "approach: the hall cannot show the whole way",
                    value=f"{beyond * 1e3:.0f} mm beyond reach at {share:.0%}",
                )
        self._put(self._command)

    @property
    def retreated(self) -> bool:
        return self._retreat is not None

    def begin(self) -> None:
        """The start as teaching in has it."""
        self._put(self._command)

    @property
    def flight_s(self) -> float:
        """Since the spacecraft fly."""
        return self.loop.cycle * PERIOD_S if self.loop else 0.0

    def _feel(self) -> Stop | None:
        """Pose, velocity and force of this cycle's stamp into ``_felt``."""
        f, t, tip = self._facility, self.sequence * PERIOD_S, self.bench.pair[0]["tip"]
        reading = self.hardware.touch(t, f.actual, f.actual_rate, f.link.positioning_error)
        fault = self._watch.step(t, self.hardware.sensor.latest(t))
        port_motion(self._hall, f.actual, f.actual_rate, self._poses, self._twists)
        self._motion.step(self._poses[0], self._twists[0])
        felt = self._felt
        seen_from(self._poses[0], self._twists[0], self._poses[1], self._twists[1], np.zeros(3), felt.pose, felt.twist)
        taught = compose(inverse_pose(self._T_nominal_taught), pose_from_packed(felt.pose))
        pack_pose(taught, felt.pose)
        felt.pose[:3] += turned(felt.pose[3:7], tip)
        arm = turned(quat_inverse(self._poses[1][3:7]), turned(self._poses[0][3:7], tip))
        felt.twist[:3] += cross(felt.twist[3:].copy(), arm)
        if fault:
            return self._withdraw(Stop(Rule.FORCE_SENSOR, detail=fault))
        if reading is None:  # not long enough for a fault: the last one is held, nothing is learnt from it
            self._felt = felt._replace(fresh=False)
            return None
        residual = reading - self._motion.load(self.bench.load)
        external = self._zero.step(residual, self._free_flight)
        self._felt = felt._replace(
            wrench=wrench_at(external, felt.pose[3:7], tip), latched=self.hardware.latched, fresh=True
        )
        return self._judge_force(self._felt.wrench)

    @property
    def _free_flight(self) -> bool:
        """Nothing can touch: the only time in which a zero may be followed."""
        clear = self._felt.pose[0] - self.bench.reach_m > 0.0
        return self.stage in (Stage.SETTLE, Stage.WAVE) or (self.stage is Stage.FLIGHT and clear)

    def _judge_force(self, wrench: Array) -> Stop | None:
        """Limits in every stage; and where nothing can touch there may be no force, and no latch that has closed."""
        verdict = self._limits.judge(wrench)
        if verdict.level is Overload.STOP:
            return Stop(Rule.FORCE_LIMIT, detail=str(verdict))
        if verdict.level is Overload.RETRACT:
            return self._withdraw(Stop(Rule.FORCE_LIMIT, detail=str(verdict)))
        feels = self.stage is not Stage.SETTLE and float(np.linalg.norm(wrench[:3])) > self.bench.threshold_n
        self._strange = self._strange + 1 if feels and self._free_flight else 0
        if self._strange >= STRANGE:
            said = f"{float(np.linalg.norm(wrench[:3])):.3g} N where nothing can touch, allowed {self.bench.threshold_n:.3g} N"
            return self._withdraw(Stop(Rule.FORCE_SENSOR, detail=said))
        if self.stage in (Stage.SETTLE, Stage.WAVE) and self.hardware.latched:
            return Stop(Rule.FORCE_LIMIT, detail="the latch has closed before the flight")
        return None

    # ------------------------------------------------------------------ the stages
    def _go_on(self) -> Stop | None:
        t = self.sequence * PERIOD_S
        if self.stage is Stage.SETTLE and t >= SETTLE_S:
            self.stage = Stage.WAVE
            self._zero.rezero()
        if self.stage is Stage.WAVE:
            self._wave_on(t - SETTLE_S)
        elif self.stage is Stage.FLIGHT:
            return self._fly()
        elif self._retreat is not None:
            if self._retreat.step():
                self.stage = Stage.OVER
            self._command[:] = self._retreat.pose
        return None

    def _wave_on(self, t: float) -> None:
        """A sine that swells and dies away: no jump in speed at either end."""
        swell = math.sin(math.pi * min(t / WAVE_S, 1.0)) ** 2
        self._command[0] = self.bench.start[0] + WAVE_M * swell * math.sin(2.0 * math.pi * WAVE_HZ * t)
        self._wave.append((self._command[0], float(self._felt.pose[0])))
        if t >= PREPARED_S - SETTLE_S:
            commanded, actual = np.array(self._wave).T
            self.delay = measure_delay(commanded[: round(WAVE_S / PERIOD_S)], actual[: round(WAVE_S / PERIOD_S)])
            self._release()

    def _release(self) -> None:
        """From the start into free flight, if the loop may be closed."""
        assert self.delay is not None
        refused = self.judge.before(self.delay.delay)
        if refused:
            self.failure, self.stage = refused, Stage.OVER
            return
        self.loop = self.bench.loop(self.delay.delay)
        self.stage = Stage.FLIGHT

    def _fly(self) -> Stop | None:
        loop = self.loop
        assert loop is not None
        loop.step(self._felt)
        self._command[:] = loop.command
        assert self.delay is not None
        refused = self.judge.while_touching(loop, self.delay.delay)
        if refused:
            return self._withdraw(Stop(Rule.FORCE_LIMIT, detail=refused))
        self._look_for_end(loop)
        return None

    def _look_for_end(self, loop: DockingLoop) -> None:
        self._held = self._held + 1 if loop.latched else 0
        apart = loop.touches and loop.touches[-1].ended >= 0 and loop.clearance_m > AWAY_M
        if self._held * PERIOD_S >= HELD_S or apart or (self.sequence + 1) * PERIOD_S >= self.bench.longest_s:
            self.stage = Stage.OVER

    # ------------------------------------------------------------------ away from it
    def _withdraw(self, cause: Stop) -> Stop | None:
        """Back along the docking axis from wherever the command is; the cause stands. Nobody pulls at a closed latch, and
        before the flight nothing is near: there the hall stops where it is."""
        if self.stage in (Stage.SETTLE, Stage.WAVE) or self.hardware.latched:
            return cause
        if self._retreat is None:
            self.failure, self.stage = str(cause), Stage.RETREAT
            before = self.rows[max(self.count - 2, 0)]["command"]
            self._retreat = Retreat(before, self.rows[self.count - 1]["command"])
        return None

    # ------------------------------------------------------------------ out
    def _put(self, command: Array) -> None:
        """T_port2_port1 as the 22 doubles: point of view in the client's port, the rail held where it is."""
        T = compose(self._T_nominal_taught, pose_from_packed(command))
        packed, v = np.zeros(7), self.values
        pack_pose(T, packed)
        v[ROB1 : ROB1 + 3], v[ROB1 + 3 : ROB1 + 6], v[ROB1 + 6] = packed[:3], packed[4:], packed[3]
        v[ROB2 : ROB2 + 7] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
        v[POV : POV + 3], v[POV + 3 : POV + 7] = self.bench.client_lab, (0.0, 0.0, 0.0, 1.0)
        v[LIN] = self.bench.lin_of(T)

    def _keep(self) -> None:
        row, loop, hw = self.rows[self.count], self.loop, self.hardware
        row["t"], row["stage"] = self.sequence * PERIOD_S, self.stage
        row["command"], row["shown"], row["shown_twist"] = self._command, self._felt.pose, self._felt.twist
        row["felt"], row["true"], row["true_depth"] = self._felt.wrench, hw.wrench, hw.depth
        row["bias"], row["latched"] = self._zero.bias, hw.latched
        if loop is not None:
            loop.tell(row)
        self.count += 1
