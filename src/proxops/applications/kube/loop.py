"""The loop with an arm in it (paper 004, figure 6): measure, satellite from the momentum, law, guard, command; one row per cycle.

Which arm is behind the link, and whose time passes, is none of its business. However it ends, the guard brings the arm to rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import numpy as np

from proxops.arms.dynamics import Dynamics
from proxops.arms.model import N_BASE_Q, ArmModel, Floats
from proxops.core.clock import STALL_S
from proxops.facility.arm_brake import brake_arm
from proxops.facility.loop_clock import LoopClock
from proxops.lab.arm_link import ArmLink, Measured
from proxops.maths.rotation import quat_from_matrix
from proxops.onboard.dynamic_jacobian_law import DynamicJacobianLaw
from proxops.onboard.joint_rates import JointRates
from proxops.onboard.momentum_base import MomentumBase
from proxops.safety.arm_guard import ArmGuard
from proxops.safety.measured_joints import MeasuredJoints
from proxops.safety.rules import Rule, Stop

AFTER_HALT_S: Final = 0.5  # for the arm to come to rest


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


class HardwareLoop:
    """``run`` fills ``rows``; ``failure`` says why it ended early. ``timed``: rows carry the time of evaluation. ``patience_s``:
    without a new measurement; ``encoder_error``: the most by which two readings of a joint at rest differ, rad."""

    def __init__(
        self, model: ArmModel, link: ArmLink, law: DynamicJacobianLaw, guard: ArmGuard, clock: LoopClock, *, rate_hz: int,
        duration_s: float, filter_hz: float, timed: bool, patience_s: float = 0.05, encoder_error: float = 1e-4,
    ) -> None:  # fmt: skip
        self._link, self._law, self._guard, self._clock, self._timed = link, law, guard, clock, timed
        self._period, self._duration = 1.0 / rate_hz, duration_s
        self._dynamics = Dynamics(model)
        first = link.read()
        self._base = MomentumBase(model, first.angles)
        self._rates = JointRates(first.angles, first.t, filter_hz)
        self._q, self._v = model.configuration(first.angles), np.zeros(model.pin.nv)
        self._rows = np.zeros(round(duration_s * rate_hz) + 1, row_dtype(model.n))
        self._count = 0
        self._measured = MeasuredJoints(model.joints, model.speed, encoder_error, first.t, first.angles)
        self._seen = first.t
        self._unchanged, self._patience = 0, max(1, round(patience_s * rate_hz))  # cycles
        self._rest = np.zeros(model.n)
        self._doubt = self._measured.first_fault()  # why measurements are not trusted any more
        self.failure = self._doubt

    @property
    def rows(self) -> np.ndarray[tuple[int], np.dtype[np.void]]:
        return self._rows[: self._count]

    def run(self, progress: Callable[[float], None], stopped: Callable[[], bool] = lambda: False) -> None:
        """To the end of the time, until the arm has halted, its measurements cannot be trusted, or it is ``stopped``."""
        if self.failure:  # nothing has moved
            self._link.command(self._rest, self._seen)
            return
        try:
            self._follow(progress, stopped)
        except BaseException:  # Ctrl-C too: what ended the loop is what is told
            self._brake()
            raise
        if trouble := self._brake():
            raise trouble

    def _follow(self, progress: Callable[[float], None], stopped: Callable[[], bool]) -> None:
        lateness, until = 0.0, self._duration
        while True:
            measured = self._cycle(lateness) if not self._doubt else self._link.read()
            if self._doubt:
                self.failure = self.failure or self._doubt
                return
            if (measured.halted or self._guard.stop) and not self.failure:
                self.failure = f"the arm halted: {measured.halted}" if measured.halted else str(self._guard.stop)
                until = min(until, measured.t + AFTER_HALT_S)
            if measured.t >= until - 0.5 * self._period or self._count == len(self._rows):
                return
            if stopped():
                raise KeyboardInterrupt
            progress(measured.t)
            lateness = self._clock.advance()
            if lateness > STALL_S:
                self._doubt = str(Stop(Rule.STALL, value=lateness, bound=STALL_S))

    def _cycle(self, lateness: float) -> Measured:
        measured = self._link.read()
        if self._count and measured.t <= self._seen:
            self._wait()  # nothing new: the cycle before was held up between its begin and its reading
            return measured
        began = time.perf_counter_ns()
        self._doubt = self._measured.fault(measured.angles, measured.t)
        if self._doubt:
            return measured
        cycles = round((measured.t - self._seen) / self._period)
        self._unchanged, self._seen = 0, measured.t
        asked, tool_quat = self.evaluate(measured)
        rates = self._guard.judge_rates(asked, measured.angles, cycles)
        self._link.command(rates, measured.t)
        evaluation = (time.perf_counter_ns() - began) * 1e-9 if self._timed else 0.0
        self._keep(measured, rates, tool_quat, evaluation, lateness)
        return measured

    def _wait(self) -> None:
        self._unchanged += 1
        if self._unchanged > self._patience:
            self._doubt = (
                f"no new measurement for {self._unchanged} cycles of the loop, allowed {self._patience}: the arm's time stands "
                f"at {self._seen:.3f} s"
            )

    def _brake(self) -> Exception | None:
        """Within the accelerations, whatever has happened. No rows: what comes now may not be trusted."""

        def read() -> float:
            return self._link.read().t

        def send(answers: float) -> None:
            self._link.command(self._guard.rates, answers)

        return brake_arm(self._guard, read, send, self._clock.advance, seen=self._seen, settle_s=AFTER_HALT_S)

    def evaluate(self, measured: Measured) -> tuple[Floats, Floats]:
        """Steps 2 to 5 of figure 6: joint rates to command, and the tool's quaternion on the way."""
        q, base, dynamics = self._q, self._base, self._dynamics
        self._v[6:] = self._rates.step(measured.angles, measured.t)
        base.advance(measured.angles)
        q[0:3], q[3:6], q[6], q[N_BASE_Q:] = base.p, base.quat[1:], base.quat[0], measured.angles
        generalised = dynamics.update(q, self._v)
        self._v[:6] = generalised.base @ self._v[6:]
        tool_quat = quat_from_matrix(np.ascontiguousarray(dynamics.R))
        rates = self._law.step(generalised.jacobian, np.ascontiguousarray(dynamics.p), tool_quat, self._period)
        return rates, tool_quat

    def _keep(
        self, measured: Measured, commanded: Floats, tool_quat: Floats, evaluation: float, lateness: float
    ) -> None:
        row, law = self._rows[self._count], self._law
        row["t"], row["angles"], row["torques"] = measured.t, measured.angles, measured.torques
        row["rates"], row["commanded"] = self._v[6:], commanded
        row["base_p"], row["base_quat"], row["base_velocity"] = self._base.p, self._base.quat, self._v[:6]
        row["tool_p"], row["tool_quat"], row["error"] = self._dynamics.p, tool_quat, law.error
        row["least"], row["slowed"], row["evaluation"], row["lateness"] = law.least, law.slowed, evaluation, lateness
        self._count += 1
