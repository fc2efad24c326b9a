"""The micro-gravity testbed as a motion: force → push → physics, corrected in the past → predicted poses → joints for the guard.

Which arm and which sensor are there, and whose time passes, is none of its business.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from proxops.applications.floating.bench import FloatBench
from proxops.applications.floating.felt_pushes import FeltPushes
from proxops.applications.floating.float_row import Floats, keep_row, row_dtype
from proxops.applications.floating.floating_motion import FloatingMotion
from proxops.applications.floating.module_hand import NO_PUSH, VirtualModule
from proxops.applications.floating.tables import SETTLE_S
from proxops.core.force_source import ForceStream
from proxops.core.messages import PERIOD_NS, PERIOD_S
from proxops.facility.facility import Facility
from proxops.lab.virtual_arm import VirtualArm
from proxops.runs.arm_application import AFTER_STOP_S, ArmApplication
from proxops.runs.row_groups import Columns, RowGroups, columns_of
from proxops.safety.motion import Rest, Wish
from proxops.safety.rules import Rule, Stop


class FloatingStage(IntEnum):
    """What is being done."""

    SETTLE = 0
    FLOAT = 1
    STOP = 2


class FloatApplication(ArmApplication):
    """``arm``: the true one, for what hangs on it."""

    row_dtype = staticmethod(row_dtype)  # what a cycle leaves behind

    _arm: VirtualArm

    def __init__(
        self, bench: FloatBench, facility: Facility, arm: VirtualArm, source: ForceStream, module: VirtualModule | None,
        told: RowGroups, *, duration_s: float,
    ) -> None:  # fmt: skip
        most = duration_s + SETTLE_S + AFTER_STOP_S + bench.time_to_rest(SETTLE_S + duration_s)
        super().__init__(facility, arm, told, row_dtype(len(bench.arm.joints)), most)
        self.bench, self._source, self.module = bench, source, module
        self._faulty = module if bench.file.sensor.fault != "none" else None  # in some cycle of the run
        self._doubles = self.rows.view(np.float64).reshape(len(self.rows), -1)
        self._shown_by = bench.shown_by(arm.angles)
        self._columns, self._spare = columns_of(self.rows), columns_of(self.rows[:1].copy())
        self._twin = VirtualArm(bench.twin_traits, bench.joints, self.now, np.random.default_rng(0))
        self.floating, self.lead = FloatingMotion(bench), bench.lead
        self.felt = FeltPushes(bench, source, self._twin, self.floating.timeline, self.floating.foresee_unpushed)
        self.stage = FloatingStage.SETTLE
        self._tick = 0  # whole cycles by the clock since the first
        self._worked = False  # in this cycle
        self._objection: Stop | None = None  # ours, to going on
        self._duration = duration_s

    @property
    def t(self) -> float:
        return self._tick * PERIOD_S

    def close(self) -> None:
        """The sensor is not asked again."""
        self._source.close()

    def rotation_at(self, cycle: int) -> Floats:
        """R_world_flange of a recorded cycle, by the encoders."""
        T = self.bench.T_world_base @ self.bench.arm.flange(self.rows[cycle]["measured"].copy())
        rotation: Floats = T[:3, :3]
        return rotation

    def poll(self) -> None:
        super().poll()
        if self._faulty is not None:
            self._faulty.put_fault(self.bench.file.sensor, self.now() - SETTLE_S)

    # ------------------------------------------------------------------ one cycle
    def step(self) -> Wish:
        self.begin()
        joints = self._work()
        if self._objection is not None:
            return self._objection
        return Rest.DONE if self.stage is FloatingStage.STOP else joints

    def _keep_cycle(self) -> None:
        if not self._worked:
            self._work()
        self._worked = False
        setpoint, measured = self._f.guard.setpoint, self._f.actual
        self._twin.command(setpoint, self._twin.t)
        for reaction in self.felt.reactions[-2:]:
            if not reaction.over(self.count, self.lead + 1):
                # A hand moves the joints of an arm that gives way by itself: that is no reaction.
                answered = measured - (self._arm.angles - self._arm.driven)
                reaction.notice(self.count, setpoint, answered, self.lead + 1)
        self._keep(self.count, measured, setpoint)
        self.count += 1
        if self.stage is FloatingStage.FLOAT and (self._tick + 1) * PERIOD_S >= SETTLE_S + self._duration:
            self._end()

    def _work(self) -> Floats:
        """Sensor and physics go on by a cycle; the joints that follow."""
        columns, row = (self._spare, 0) if self.full else (self._columns, self.count)
        self._worked = True
        self._tick = (self._f.clock.now_ns() - self._began_ns) // PERIOD_NS
        self._twin.go_on()
        self._feel(columns, row)
        if self.stage is FloatingStage.SETTLE and self.t >= SETTLE_S:
            self._let_go()
        return self._settle() if self.stage is FloatingStage.SETTLE else self._float(columns, row)

    def _end(self) -> None:
        super()._end()
        self.stage = FloatingStage.STOP

    def _stop(self, stop: Stop) -> None:
        """Brake; the first cause stays."""
        if self.stage is not FloatingStage.STOP:
            self._objection = stop
            self._end()

    def _feel(self, columns: Columns, row: int) -> None:
        """Sensor and pushes."""
        if self.module is not None:
            arm = self._arm
            self.module.feel(self.t, arm.angles, arm.rates, arm.accelerations, self._twin.accelerations)
        stop = self.felt.step(self.t, self.count, columns, row, floating=self.stage is FloatingStage.FLOAT)
        if stop is not None:
            self._stop(stop)

    def _let_go(self) -> None:
        """The module floats from now on, if the sensor's zero is known."""
        if objection := self.felt.settle():
            self._stop(Stop(Rule.FORCE_SENSOR, detail=objection))
        else:
            self.stage = FloatingStage.FLOAT

    def _settle(self) -> Floats:
        """Standing still. Physics looks ahead meanwhile, so that the first plan is a whole one."""
        if objection := self.floating.look_ahead():
            self._stop(objection)
        return self.bench.joints

    def _float(self, columns: Columns, row: int) -> Floats:
        """Physics on by a cycle, and joints that follow it."""
        joints, objection = self.floating.step(self.count, columns, row, self._f.guard.setpoint)
        if objection:
            self._stop(objection)
        return joints

    def _keep(self, row: int, measured: Floats, setpoint: Floats) -> None:
        kept, f = self._columns, self._f
        kept["t"][row], kept["stage"][row], kept["phase"][row] = self.t, self.stage, self.felt.phase
        kept["work"][row], kept["lateness"][row] = f.work, f.lateness
        keep_row(self._doubles[row], measured, setpoint, f.guard.rate, *self._shown_by, self.felt.applied)
        if self.module is not None and self.module.pushed is not NO_PUSH:  # else the row has zeros
            kept["pushed"][row] = self.module.pushed
