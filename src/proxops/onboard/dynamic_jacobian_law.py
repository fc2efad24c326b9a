"""Joint rates that bring the tool of a free-floating arm to a pose at rest in inertial axes (paper 004, equations 9 to 11).

    rates = Jd# [Kv (r_des - r_act); Kw φ],   φ = rotation vector of R_des R_actᵀ

φ stands where the paper has T_Θ⁻¹ (Θ_des - Θ_act): the same to first order, without gimbal lock, and it takes the shortest way.
Jd# is the pseudo-inverse, damped near singularities only (``damped_inverse``). Limits scale the whole vector: the tool keeps its
direction and gets slower.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.arms.model import Floats
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import way_between
from proxops.onboard.damped_inverse import prepare, pull

SETTLING: Final = 8  # searches for the weakest direction at the first step; later ones go on from there


@dataclass(frozen=True)
class LawSettings:
    """Gains per axis of the inertial frame, 1/s; limits per joint."""

    position_gain: Floats  # (3)
    attitude_gain: Floats  # (3)
    speed: Floats  # (n) rad/s
    acceleration: Floats  # (n) rad/s2


class DynamicJacobianLaw:
    """``step`` once per cycle; then ``error`` (6), ``rates`` (n), ``least`` singular value, ``slowed`` (1: not at all)."""

    def __init__(self, settings: LawSettings, goal_p: Floats, goal_quat: Floats) -> None:
        self.settings, self._p, self._quat = settings, np.array(goal_p, float), np.array(goal_quat, float)
        n = settings.speed.size
        self.error: Floats = np.zeros(6)
        self.rates: Floats = np.zeros(n)
        self._wish, self._twist = np.zeros(n), np.zeros(6)
        self._weakest, self._factor = np.ones(6), np.zeros((6, 6))
        self._gains = np.concatenate([settings.position_gain, settings.attitude_gain])
        self.least, self.slowed = math.nan, 1.0

    def step(self, jacobian: Floats, p: Floats, quat: Floats, dt: float) -> Floats:
        """``jacobian``: (6, n) dynamic (generalised) one; ``p``, ``quat``: of the tool, inertial axes."""
        s = self.settings
        put_error(p, quat, self._p, self._quat, self.error)
        for _ in range(SETTLING if math.isnan(self.least) else 1):
            self.least = prepare(jacobian, self._weakest, self._factor)
        np.multiply(self._gains, self.error, out=self._twist)
        pull(jacobian, self._factor, self._twist, self._wish)
        self.slowed = limit(self._wish, s.speed, s.acceleration, dt, self.rates)
        return self.rates


@kernel
def put_error(p: Floats, quat: Floats, goal_p: Floats, goal_quat: Floats, out: Floats) -> None:
    """(6) way to the goal: m, and rotation vector in inertial axes."""
    for i in range(3):
        out[i] = goal_p[i] - p[i]
    way_between(quat, goal_quat, out[3:])


@kernel
def limit(wish: Floats, speed: Floats, acceleration: Floats, dt: float, rates: Floats) -> float:
    """``rates`` := towards ``wish`` as far as one cycle may change them, all joints together. Returns the share of ``wish`` that
    its speeds allow. NaN in the wish comes out as NaN: who takes the rates must stop."""
    share = 1.0
    for i in range(wish.shape[0]):
        if abs(wish[i]) > speed[i]:
            share = min(share, speed[i] / abs(wish[i]))
    part = 1.0
    for i in range(wish.shape[0]):
        change = abs(share * wish[i] - rates[i])
        if change > acceleration[i] * dt:
            part = min(part, acceleration[i] * dt / change)
    for i in range(wish.shape[0]):
        rates[i] += part * (share * wish[i] - rates[i])
    return share
