"""The loop with an arm in it (paper 004, figure 6) as a motion: measured joints → satellite from the momentum → law → joint rates
for the guard.

Which arm is behind the link, and whose time passes, is none of its business. With a computer that takes its time the loop goes on
by the readings that it takes, and its rates reach the guard when it has done; every cycle is recorded all the same.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.applications.kube.bench import KubeBench
from proxops.applications.kube.computer import SlowComputer
from proxops.applications.kube.direct_servo import KukaDirectServo
from proxops.applications.kube.momentum_loop import MomentumLoop
from proxops.facility.facility import Facility
from proxops.lab.links.arm import Measured
from proxops.lab.links.arm_velocity import ArmVelocityLink
from proxops.runs.arm_application import AFTER_STOP_S, ArmApplication
from proxops.runs.row_groups import RowGroups
from proxops.safety.measured_joints import MeasuredJoints
from proxops.safety.motion import Rest, Wish
from proxops.safety.rules import Rule, Stop

COMPUTER: Final = 1  # of the seed's streams: the arm has the seed itself


def row_dtype(n: int) -> np.dtype[np.void]:
    """What one cycle leaves behind. SI, rad; inertial axes, but the satellite's velocity is in its own. ``answers``: time of the
    reading that satellite, tool, error and law belong to; ``evaluation``: how long that took."""
    return np.dtype(
        [
            ("t", "f8"), ("angles", "f8", (n,)), ("rates", "f8", (n,)), ("torques", "f8", (n,)), ("commanded", "f8", (n,)),
            ("base_p", "f8", (3,)), ("base_quat", "f8", (4,)), ("base_velocity", "f8", (6,)), ("tool_p", "f8", (3,)),
            ("tool_quat", "f8", (4,)), ("error", "f8", (6,)), ("least", "f8"), ("slowed", "f8"), ("evaluation", "f8"),
            ("lateness", "f8"), ("answers", "f8"),
        ]
    )  # fmt: skip


class KubeApplication(ArmApplication):
    """Begins where the joints are measured to be when it is asked for the first time."""

    def __init__(
        self,
        bench: KubeBench,
        facility: Facility,
        link: ArmVelocityLink,
        told: RowGroups,
        *,
        duration_s: float,
        seed: int,
    ) -> None:
        model = bench.model
        super().__init__(facility, link.arm, told, row_dtype(model.n), duration_s + bench.time_to_rest_s + AFTER_STOP_S)
        self.bench, self._link, self._duration = bench, link, duration_s
        self._asked, self._wish = np.zeros(model.n), np.zeros(model.n)
        self._t = self._t_first = self._evaluation = self._answers = 0.0
        self._computer = self._servo = None
        if table := bench.file.computer:
            self._computer = SlowComputer(table, np.random.default_rng((seed, COMPUTER)))
            self._servo = KukaDirectServo(bench.law.speed, bench.law.acceleration, table.hold_ms * 1e-3)
        self._pending = np.zeros(model.n)  # what the computer is about to send
        self._worked = False  # in this cycle, on something new

    @property
    def t(self) -> float:
        """By the arm's own clock."""
        return self._t

    # ------------------------------------------------------------------ one cycle
    def step(self) -> Wish:
        measured = self._link.measured
        if not self.begun:
            self._start(measured)
        objection = self._work()
        if objection is not None:
            return objection
        if self._t >= self._duration - 0.5 * self.cycle_s:
            return Rest.DONE
        np.multiply(self._asked, self.cycle_s, out=self._wish)
        self._wish += self._f.guard.wish
        return self._wish

    def _start(self, measured: Measured) -> None:
        bench, model = self.bench, self.bench.model
        self._loop = MomentumLoop(bench, measured, bench.evaluation_s)
        self._measured = MeasuredJoints(
            model.joints, model.speed, bench.encoder_error, measured.t, measured.angles, bench.longest_s
        )
        self._t_first = measured.t
        self.begin()

    def _work(self) -> Stop | None:
        """Satellite and law go on by what is measured, if it is new; a reading that no joint can have come to is a stop."""
        began, measured = self._f.clock.spent_s(), self._link.measured
        if self.count and measured.t - self._t_first == self._t:
            return None  # the rates of the cycle before hold
        if fault := self._measured.fault(measured.angles, measured.t):
            return Stop(Rule.FOLLOWING, detail=fault)
        self._t, self._worked = measured.t - self._t_first, True
        if self._computer is None or self._servo is None:
            self._asked[:], self._answers = self._loop.step(measured), self._t
            self._evaluation = self._f.clock.spent_s() - began
        else:
            self._serve(self._computer, self._servo, measured)
        return None

    def _serve(self, computer: SlowComputer, servo: KukaDirectServo, measured: Measured) -> None:
        """An answer that has come is taken, and the next reading sent to the computer."""
        if computer.due(self._t):
            if self._t > 0.0:
                servo.take(self._pending, self._t - self._answers)
            self._pending[:], self._answers = self._loop.step(measured), self._t
            self._evaluation = computer.begin(self._t)
        self._asked[:] = servo.step(self.cycle_s)

    @property
    def _looked_at_long_enough(self) -> bool:
        """At the goal nothing more is to be seen; what was stopped is followed to its rest."""
        return self.ended and (not self.failure or super()._looked_at_long_enough)

    def _keep_cycle(self) -> None:
        if self.ended and not self.failure:
            return
        if not self._worked and self.ended:
            self._work()
        if not self._worked:
            return
        self._worked = False
        self._keep(self.rows[self.count])
        self.count += 1
        if self._t >= self._duration - 0.5 * self.cycle_s:
            self._end()

    def _keep(self, row: np.void) -> None:
        measured = self._link.measured
        row["t"], row["angles"], row["torques"] = self._t, measured.angles, measured.torques
        row["commanded"], row["evaluation"], row["lateness"] = self._f.guard.rate, self._evaluation, self._f.lateness
        row["answers"] = self._answers
        self._loop.put(row)
