"""Steps 2 to 5 of paper 004's figure 6: measured joints → satellite from the momentum → tool in inertial axes → law → joint
rates."""

from __future__ import annotations

import numpy as np

from proxops.applications.kube.bench import KubeBench
from proxops.arms.dynamics import Dynamics
from proxops.arms.model import N_BASE_Q, Floats
from proxops.lab.links.arm import Measured
from proxops.maths.rotation import quat_from_matrix
from proxops.onboard.dynamic_jacobian_law import DynamicJacobianLaw
from proxops.onboard.joint_rates import JointRates
from proxops.onboard.momentum_base import MomentumBase


class MomentumLoop:
    """Begins with everything at rest, as ``first`` was measured."""

    def __init__(self, bench: KubeBench, first: Measured, cycle_s: float) -> None:
        model, angles = bench.model, first.angles.copy()
        self._law, self._cycle_s = DynamicJacobianLaw(bench.law, bench.goal_p, bench.goal_quat), cycle_s
        self._base, self._dynamics = MomentumBase(model, angles), Dynamics(model)
        self._rates = JointRates(angles, first.t, bench.file.loop.rate_filter_hz)
        self._q, self._v = model.configuration(angles), np.zeros(model.pin.nv)
        self._tool_quat = np.zeros(4)

    def step(self, measured: Measured) -> Floats:
        """The joint rates to command."""
        q, base, dynamics = self._q, self._base, self._dynamics
        self._v[6:] = self._rates.step(measured.angles, measured.t)
        base.advance(measured.angles)
        q[0:3], q[3:6], q[6], q[N_BASE_Q:] = base.p, base.quat[1:], base.quat[0], measured.angles
        generalised = dynamics.update(q, self._v)
        self._v[:6] = generalised.base @ self._v[6:]
        self._tool_quat = quat_from_matrix(np.ascontiguousarray(dynamics.R))
        return self._law.step(generalised.jacobian, np.ascontiguousarray(dynamics.p), self._tool_quat, self._cycle_s)

    def put(self, row: np.void) -> None:
        """What the last step has found, into a row of the log."""
        law = self._law
        row["rates"], row["base_velocity"] = self._v[6:], self._v[:6]
        row["base_p"], row["base_quat"] = self._base.p, self._base.quat
        row["tool_p"], row["tool_quat"], row["error"] = self._dynamics.p, self._tool_quat, law.error
        row["least"], row["slowed"] = law.least, law.slowed
