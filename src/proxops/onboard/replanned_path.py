"""A path of the tool that is planned anew whenever its goal is seen to have moved: one quintic at a time, nothing jumps.

Six coordinates, position and rotation vector from the attitude at the time of planning, run from what is demanded now
(place, speed and acceleration) to the goal, where they arrive with the goal's own speed. At a rotation vector of zero
ω = θ̇ and ω̇ = θ̈, so a new plan goes on from the old one up to the acceleration, whatever either of them turns.
"""

from __future__ import annotations

import numpy as np

from proxops.arms.model import Floats
from proxops.core.errors import BadInput
from proxops.maths.quaternion import way_between
from proxops.maths.rotation import quat_from_matrix
from proxops.onboard.pose_path import PoseDemand, put_demand


class ReplannedPath:
    """Rests at its start until the first ``lead``."""

    def __init__(self, p: Floats, R: Floats) -> None:
        self._demand = PoseDemand()
        self._demand.p[:], self._demand.R[:] = p, R
        self._times, self._coefficients = np.array([0.0, 1.0]), np.zeros((1, 6, 6))
        self._p, self._R = np.array(p, dtype=np.float64), np.array(R, dtype=np.float64, order="C")

    @property
    def ends_s(self) -> float:
        """When the present plan is over: from then on the tool is asked to rest."""
        return float(self._times[1])

    def at(self, t: float) -> PoseDemand:
        """Memory is used again."""
        put_demand(self._times, self._coefficients, self._p, self._R, t, self._demand.flat)
        return self._demand

    def lead(self, t: float, T_goal: Floats, twist: Floats, duration_s: float) -> None:
        """From ``t`` on: in ``duration_s`` to ``T_goal`` (4, 4), where the goal will be by then, moving with ``twist`` (6)."""
        now = self.at(t)
        end = np.empty(6)
        end[:3] = T_goal[:3, 3] - now.p
        way_between(quat_from_matrix(now.R), quat_from_matrix(T_goal), end[3:])
        speed = twist.copy()
        speed[3:] = rate_of_vector(end[3:], twist[3:])
        self._begin(t, duration_s, end, speed)

    def stop(self, t: float, duration_s: float) -> None:
        """To rest in ``duration_s``, as far as that takes: the speed falls as a cubic, so it does not swing back."""
        now = self.at(t)
        end = duration_s * (0.5 * now.twist + duration_s / 12.0 * now.acceleration)
        self._begin(t, duration_s, end, np.zeros(6))

    def _begin(self, t: float, duration_s: float, end: Floats, end_speed: Floats) -> None:
        if not (duration_s > 0.0 and np.isfinite(end).all() and np.isfinite(end_speed).all()):
            raise BadInput(
                "path to a goal: duration and goal", value=(duration_s, end.tolist()), bound="positive, finite"
            )
        now = self._demand
        self._coefficients[0] = quintic(now.twist, now.acceleration, end, end_speed, duration_s)
        self._p, self._R = now.p.copy(), now.R.copy()
        self._times = np.array([t, t + duration_s])


def quintic(speed: Floats, acceleration: Floats, end: Floats, end_speed: Floats, h: float) -> Floats:
    """(6, d) coefficients, rising powers: from zero with this speed and acceleration to ``end`` at ``h`` with ``end_speed``
    and no acceleration."""
    place = end - h * (speed + 0.5 * h * acceleration)
    rate = end_speed - speed - h * acceleration
    c3 = (10.0 * place - 4.0 * h * rate - 0.5 * h * h * acceleration) / h**3
    c4 = (-15.0 * place + 7.0 * h * rate + h * h * acceleration) / h**4
    c5 = (6.0 * place - 3.0 * h * rate - 0.5 * h * h * acceleration) / h**5
    return np.array([np.zeros_like(end), speed, 0.5 * acceleration, c3, c4, c5])


def rate_of_vector(v: Floats, w: Floats) -> Floats:
    """θ̇ of R = exp([θ]×) that turns with ω: the inverse of the left Jacobian, 1 − ½ [θ]× + d [θ]×²."""
    square = float(v @ v)
    angle = np.sqrt(square)
    d = 1.0 / 12.0 + square / 720.0 if angle < 1e-2 else (1.0 - 0.5 * angle / np.tan(0.5 * angle)) / square
    once = np.cross(v, w)
    out: Floats = w - 0.5 * once + d * np.cross(v, once)
    return out
