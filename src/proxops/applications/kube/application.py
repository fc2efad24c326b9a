"""The loop with an arm in it (paper 004, figure 6) as a motion: measured joints → satellite from the momentum → law → joint rates
for the guard.

Which arm is behind the link, and whose time passes, is none of its business.
"""

from __future__ import annotations

import numpy as np

from proxops.applications.kube.bench import KubeBench
from proxops.arms.dynamics import Dynamics
from proxops.arms.model import N_BASE_Q, Floats
from proxops.facility.facility import Facility
from proxops.lab.links.arm import Measured
from proxops.lab.links.arm_velocity import ArmVelocityLink
from proxops.maths.rotation import quat_from_matrix
from proxops.onboard.dynamic_jacobian_law import DynamicJacobianLaw
from proxops.onboard.joint_rates import JointRates
from proxops.onboard.momentum_base import MomentumBase
from proxops.runs.arm_application import AFTER_STOP_S, ArmApplication
from proxops.runs.row_groups import RowGroups
from proxops.safety.measured_joints import MeasuredJoints
from proxops.safety.motion import Rest, Wish
from proxops.safety.rules import Rule, Stop


def row_dtype(n: int) -> np.dtype[np.void]:
    """What one cycle leaves behind. SI, rad; inertial axes, but the satellite's velocity is in its own."""
    return np.dtype(
        [
            ("t", "f8"), ("angles", "f8", (n,)), ("rates", "f8", (n,)), ("torques", "f8", (n,)), ("commanded", "f8", (n,)),
            ("base_p", "f8", (3,)), ("base_quat", "f8", (4,)), ("base_velocity", "f8", (6,)), ("tool_p", "f8", (3,)),
            ("tool_quat", "f8", (4,)), ("error", "f8", (6,)), ("least", "f8"), ("slowed", "f8"), ("evaluation", "f8"),
            ("lateness", "f8"),
        ]
    )  # fmt: skip


class KubeApplication(ArmApplication):
    """Begins where the joints are measured to be when it is asked for the first time."""

    def __init__(
        self, bench: KubeBench, facility: Facility, link: ArmVelocityLink, told: RowGroups, *, duration_s: float
    ) -> None:
        model = bench.model
        super().__init__(facility, link.arm, told, row_dtype(model.n), duration_s + bench.time_to_rest_s + AFTER_STOP_S)
        self.bench, self._link, self._duration = bench, link, duration_s
        self._law = DynamicJacobianLaw(bench.law, bench.goal_p, bench.goal_quat)
        self._dynamics, self._v = Dynamics(model), np.zeros(model.pin.nv)
        self._asked, self._wish, self._tool_quat = np.zeros(model.n), np.zeros(model.n), np.zeros(4)
        self._t = self._t_first = self._evaluation = 0.0
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
        bench, angles = self.bench, measured.angles.copy()
        self._base = MomentumBase(bench.model, angles)
        self._rates = JointRates(angles, measured.t, bench.file.loop.rate_filter_hz)
        self._q = bench.model.configuration(angles)
        self._measured = MeasuredJoints(bench.model.joints, bench.model.speed, bench.encoder_error, measured.t, angles)
        self._t_first = measured.t
        self.begin()

    def _work(self) -> Stop | None:
        """Satellite and law go on by what is measured, if it is new; a reading that no joint can have come to is a stop."""
        began, measured = self._f.clock.spent_s(), self._link.measured
        if self.count and measured.t - self._t_first <= self._t:
            return None  # the rates of the cycle before hold
        if fault := self._measured.fault(measured.angles, measured.t):
            return Stop(Rule.FOLLOWING, detail=fault)
        self._t, self._worked = measured.t - self._t_first, True
        self._asked[:] = self.evaluate(measured)
        self._evaluation = self._f.clock.spent_s() - began
        return None

    def evaluate(self, measured: Measured) -> Floats:
        """Steps 2 to 5 of figure 6: the joint rates to command."""
        q, base, dynamics = self._q, self._base, self._dynamics
        self._v[6:] = self._rates.step(measured.angles, measured.t)
        base.advance(measured.angles)
        q[0:3], q[3:6], q[6], q[N_BASE_Q:] = base.p, base.quat[1:], base.quat[0], measured.angles
        generalised = dynamics.update(q, self._v)
        self._v[:6] = generalised.base @ self._v[6:]
        self._tool_quat = quat_from_matrix(np.ascontiguousarray(dynamics.R))
        return self._law.step(generalised.jacobian, np.ascontiguousarray(dynamics.p), self._tool_quat, self.cycle_s)

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
        measured, law = self._link.measured, self._law
        row["t"], row["angles"], row["torques"] = self._t, measured.angles, measured.torques
        row["rates"], row["commanded"] = self._v[6:], self._f.guard.rate
        row["base_p"], row["base_quat"], row["base_velocity"] = self._base.p, self._base.quat, self._v[:6]
        row["tool_p"], row["tool_quat"], row["error"] = self._dynamics.p, self._tool_quat, law.error
        row["least"], row["slowed"], row["evaluation"] = law.least, law.slowed, self._evaluation
        row["lateness"] = self._f.lateness
