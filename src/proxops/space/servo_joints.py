"""A free-floating arm whose joints follow a course by servos of their own: forward dynamics, PD torques held over a period.

As ROS's effort controllers do it in OnOrbitROS: p e + d Δe / Δt, the derivative by differences of the error, commands renewed at
a rate of their own, so that every new one kicks. A torque that is held for a period T comes T/2 late and takes p T/2 off the
damping: gains whose d does not exceed that put energy in, and are refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from proxops.arms.dynamics import Dynamics
from proxops.arms.model import N_BASE, N_BASE_Q, ArmModel, Floats
from proxops.core.errors import BadInput
from proxops.space.free_floating import FreeFloating, LinkForces

Course = Callable[[float, bool], tuple[Floats, Floats]]


@dataclass(frozen=True, eq=False)
class ServoGains:
    """Of each joint: ``p`` (N m/rad), ``d`` (N m s/rad). ``period_s``: of the torques; ``command_s``: of the commands."""

    p: Floats
    d: Floats
    period_s: float
    command_s: float


class ServoArm:
    """``q`` at ``t``. ``dynamics``: for whoever looks."""

    def __init__(
        self, model: ArmModel, course: Course, q: Floats, gains: ServoGains, t: float, forces: LinkForces | None = None
    ) -> None:
        judge_gains(model, q[N_BASE_Q:], gains)
        self._plant = FreeFloating(model, q, forces=forces)
        self._begin = self._plant.t = t
        self._course, self._gains, self._steps = course, gains, 0
        self._error = np.zeros(model.n)
        self._each = round(gains.command_s / gains.period_s)  # periods to a command
        self._command = course(t, False)[0]
        self.dynamics = Dynamics(model)

    @property
    def q(self) -> Floats:
        return self._plant.q

    def velocity(self) -> Floats:
        """(6 + n) now."""
        return self._plant.v

    def advance(self, until: float, dt: float, nodes: tuple[float, ...] = ()) -> None:
        """To ``until``, in periods of the servos; ``dt`` and ``nodes`` are those of prescribed joints."""
        g, plant = self._gains, self._plant
        while self._steps < round((until - self._begin) / g.period_s):
            if self._steps % self._each == 0:
                self._command = self._course(plant.t, False)[0]
            error = self._command - plant.q[N_BASE_Q:]
            plant.step(g.p * error + g.d * (error - self._error) / g.period_s, g.period_s)
            self._error = error
            self._steps += 1
            plant.t = self._begin + self._steps * g.period_s  # no rounding adds up


def judge_gains(model: ArmModel, joints: Floats, gains: ServoGains) -> None:
    """BadInput for gains that cannot hold the arm."""
    if gains.p.shape != (model.n,) or gains.d.shape != (model.n,):
        raise BadInput("servo: one p and one d for each joint", value=(len(gains.p), len(gains.d)), bound=str(model.n))
    each = gains.command_s / gains.period_s
    if not math.isclose(each, round(each), abs_tol=1e-6) or each < 1.0:
        raise BadInput("servo: commands come in whole periods", value=each, bound="a whole number of periods")
    inertia = Dynamics(model).update(model.configuration(joints), np.zeros(N_BASE + model.n)).inertia
    felt = 1.0 / np.diag(np.linalg.inv(inertia))  # what a joint moves at least, all others free
    for name, p, d, least in zip(model.joints, gains.p, gains.d, felt, strict=True):
        if not d > 0.5 * p * gains.period_s:
            raise BadInput(
                f"servo: {name} would swing up: a torque held for a period takes p period / 2 off its damping",
                value=f"d = {d:g} N m s/rad", bound=f"more than {0.5 * p * gains.period_s:g}",
                way_out="a shorter servo.period_ms",
            )  # fmt: skip
        if not d * gains.period_s < least:
            raise BadInput(
                f"servo: {name} is damped too hard for its period", value=f"d = {d:g} N m s/rad",
                bound=f"less than {least / gains.period_s:.4g}", way_out="a shorter servo.period_ms",
            )  # fmt: skip
