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
from proxops.applications.docking.felt_force import FeltForce
from proxops.applications.docking.hardware import DockingHardware
from proxops.applications.docking.judge import DockingJudge
from proxops.applications.docking.taught_ports import TaughtPorts
from proxops.core.messages import PERIOD_S
from proxops.facility.facility import Facility
from proxops.facility.sources import Supply
from proxops.maths.rotation import Array
from proxops.safety.rules import Rule, Stop
from proxops.touch.docking_loop import DockingLoop, Felt
from proxops.touch.force_limits import Overload
from proxops.touch.loop_delay import LoopDelay, measure_delay
from proxops.touch.retreat import Retreat

STRANGE: Final = 5  # cycles with a force from nowhere that are no coincidence
HELD_S: Final = 4.0  # after a capture, then the run is over
AWAY_M: Final = 0.05  # from the hardware, after a bounce, then it is over as well


class DockingStage(IntEnum):
    """What is being done."""

    SETTLE = 0
    WAVE = 1  # finding the delay
    FLIGHT = 2
    RETREAT = 3
    OVER = 4


class DockingApplication:
    """A ``CommandSource``. ``rows`` has one record for each cycle; ``failure`` says why it ended early."""

    steps = 1
    system = TaughtPorts.system

    def __init__(self, bench: DockingBench, facility: Facility, hardware: DockingHardware) -> None:
        self.file, self.bench, self.hardware = bench.file, bench, hardware
        self.ports, self._force = TaughtPorts(bench, facility), FeltForce(bench, facility, hardware)
        self.loop: DockingLoop | None = None
        self.stage, self.failure = DockingStage.SETTLE, ""
        self.judge = DockingJudge(bench)
        self.delay: LoopDelay | None = None
        self.sequence = -1
        self._felt = Felt(self.ports.pose, self.ports.twist, np.zeros(6), False)
        self.values = self.ports.values
        self._command = bench.start.copy()
        self._wave: list[tuple[float, float]] = []
        self._retreat: Retreat | None = None
        self._held = self._strange = 0  # cycles in the latch; cycles with a force from nowhere
        self.rows = np.zeros(bench.cycles, bench.row)
        self._kept = {name: self.rows[name] for name in bench.row.names or ()}  # its columns, seen once
        self.count = 0
        self.ports.put(self._command)

    # ------------------------------------------------------------------ as a source
    @property
    def name(self) -> str:
        return f"cycle {self.sequence}"

    def ready(self) -> Stop | None:
        return None

    def latest(self) -> Supply | Stop:
        """Fly one cycle with the force that is felt: whether there is a new pose to show, or why to stop."""
        self.sequence += 1
        stop = self._feel()
        if stop is None:
            stop = self._go_on()
        if stop is not None:
            self.failure = self.failure or str(stop)
            return stop
        if self.stage is DockingStage.OVER or self.count == len(self.rows):
            return Supply.END
        self.ports.put(self._command)
        self._keep()
        return Supply.FRESH

    @property
    def retreated(self) -> bool:
        return self._retreat is not None

    def begin(self) -> None:
        """The start as teaching in has it."""
        self.ports.put(self._command)

    @property
    def flight_s(self) -> float:
        """Since the spacecraft fly."""
        return self.loop.cycle * PERIOD_S if self.loop else 0.0

    def _feel(self) -> Stop | None:
        """Pose, velocity and force of this cycle's stamp into ``_felt``."""
        sensor = self.ports.look()
        fault = self._force.step(self.sequence * PERIOD_S, sensor, self.ports.pose[3:7], self._free_flight)
        if fault:
            return self._withdraw(fault)
        if not self._force.fresh:
            self._felt = self._felt._replace(fresh=False)
            return None
        self._felt = Felt(self.ports.pose, self.ports.twist, self._force.wrench, self.hardware.latched)
        return self._judge_force(self._felt.wrench)

    @property
    def _free_flight(self) -> bool:
        """Nothing can touch: the only time in which a zero may be followed."""
        clear = self._felt.pose[0] - self.bench.reach_m > 0.0
        return self.stage in (DockingStage.SETTLE, DockingStage.WAVE) or (self.stage is DockingStage.FLIGHT and clear)

    def _judge_force(self, wrench: Array) -> Stop | None:
        """Limits in every stage; and where nothing can touch there may be no force, and no latch that has closed."""
        verdict = self._force.verdict()
        if verdict.level is Overload.STOP:
            return Stop(Rule.FORCE_LIMIT, detail=str(verdict))
        if verdict.level is Overload.RETRACT:
            return self._withdraw(Stop(Rule.FORCE_LIMIT, detail=str(verdict)))
        feels = self.stage is not DockingStage.SETTLE and math.hypot(*wrench[:3].tolist()) > self.bench.threshold_n
        self._strange = self._strange + 1 if feels and self._free_flight else 0
        if self._strange >= STRANGE:
            said = f"{math.hypot(*wrench[:3].tolist()):.3g} N where nothing can touch, allowed {self.bench.threshold_n:.3g} N"
            return self._withdraw(Stop(Rule.FORCE_SENSOR, detail=said))
        if self.stage in (DockingStage.SETTLE, DockingStage.WAVE) and self.hardware.latched:
            return Stop(Rule.FORCE_LIMIT, detail="the latch has closed before the flight")
        return None

    # ------------------------------------------------------------------ the stages
    def _go_on(self) -> Stop | None:
        t = self.sequence * PERIOD_S
        if self.stage is DockingStage.SETTLE and t >= SETTLE_S:
            self.stage = DockingStage.WAVE
            self._force.rezero()
        if self.stage is DockingStage.WAVE:
            self._wave_on(t - SETTLE_S)
        elif self.stage is DockingStage.FLIGHT:
            return self._fly()
        elif self._retreat is not None:
            if self._retreat.step():
                self.stage = DockingStage.OVER
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
            self.failure, self.stage = refused, DockingStage.OVER
            return
        self.loop = self.bench.loop(self.delay.delay)
        self.stage = DockingStage.FLIGHT

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
            self.stage = DockingStage.OVER

    # ------------------------------------------------------------------ away from it
    def _withdraw(self, cause: Stop) -> Stop | None:
        """Back along the docking axis from wherever the command is; the cause stands. Nobody pulls at a closed latch, and
        before the flight nothing is near: there the hall stops where it is."""
        if self.stage in (DockingStage.SETTLE, DockingStage.WAVE) or self.hardware.latched:
            return cause
        if self._retreat is None:
            self.failure, self.stage = str(cause), DockingStage.RETREAT
            before = self.rows[max(self.count - 2, 0)]["command"]
            self._retreat = Retreat(before, self.rows[self.count - 1]["command"])
        return None

    # ------------------------------------------------------------------ out
    def _keep(self) -> None:
        kept, row, hw = self._kept, self.count, self.hardware
        kept["t"][row], kept["stage"][row] = self.sequence * PERIOD_S, self.stage
        kept["command"][row], kept["shown"][row] = self._command, self._felt.pose
        kept["shown_twist"][row], kept["felt"][row] = self._felt.twist, self._felt.wrench
        kept["true"][row], kept["true_depth"][row] = hw.wrench, hw.depth
        kept["bias"][row], kept["latched"][row] = self._force.bias, hw.latched
        if self.loop is not None:
            self.loop.tell(kept, row)
        self.count += 1
