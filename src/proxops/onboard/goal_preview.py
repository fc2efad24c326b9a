"""A look ahead to a goal before anything moves: does the dynamic-Jacobian law get there, within the joints' ranges and in time?

The motion without an arm's lag and without ramps: joint rates as the law wants them, the base carried along at zero momentum.
Limits of speed scale the whole vector of rates, so they change the time that a stretch takes, not the way; that time is counted.
A step goes a fiftieth of the way that is left (20 ms at unit gains), whatever the gains.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.arms.dynamics import Dynamics
from proxops.arms.model import ArmModel, Floats
from proxops.core.errors import BadInput
from proxops.maths.rotation import quat_from_matrix
from proxops.onboard.damped_inverse import prepare, pull
from proxops.onboard.dynamic_jacobian_law import LawSettings, put_error
from proxops.onboard.momentum_base import MomentumBase

SHARE: Final = 0.02  # of the way that is left, for one step
MOST_STEPS: Final = 10_000  # undamped some 500 are enough; a way that is left after these does not go away


@dataclass(frozen=True)
class Goal:
    """Of the tool in inertial axes (quaternion with the scalar first), and how near is there: m, rad."""

    p: Floats
    quat: Floats
    near_m: float
    near_rad: float


@dataclass(frozen=True)
class GoalPreview:
    """Where the law gets: after ``t`` (s) the goal is reached, or the time is over; ``error`` (6) is left: m, rotation vector."""

    t: float
    error: Floats
    reached: bool


def preview_goal(
    model: ArmModel, joints: Floats, goal: Goal, law: LawSettings, duration_s: float, margin: float = 0.0
) -> float:
    """When the goal is reached, s. BadInput where a joint comes within ``margin`` (rad) of the end of its range, or the time is
    over before."""
    found = outlook(model, joints, goal, law, duration_s, margin)
    if not found.reached:
        refuse(found, goal, duration_s)
    return found.t


def outlook(
    model: ArmModel, joints: Floats, goal: Goal, law: LawSettings, duration_s: float, margin: float = 0.0
) -> GoalPreview:
    """The same, but a goal that is not reached in time is no error."""
    dynamics, base, still = Dynamics(model), MomentumBase(model, joints), np.zeros(model.pin.nv)
    gains = np.concatenate([law.position_gain, law.attitude_gain])
    u, L, error, move = np.zeros(6), np.zeros((6, 6)), np.zeros(6), np.zeros(model.n)
    angles, t = np.array(joints, float), 0.0
    for _ in range(MOST_STEPS):
        q = model.configuration(angles, base.p, base.quat)
        jacobian = dynamics.update(q, still).jacobian
        put_error(
            np.ascontiguousarray(dynamics.p), quat_from_matrix(np.ascontiguousarray(dynamics.R)), goal.p, goal.quat, error
        )  # fmt: skip
        if _there(error, goal):
            return GoalPreview(t, error, True)
        if not t < duration_s:
            break
        prepare(jacobian, u, L)
        dt = min(SHARE * float(np.linalg.norm(error) / np.linalg.norm(gains * error)), duration_s - t)
        pull(jacobian, L, -np.expm1(-gains * dt) * error, move)  # exact for a gain that is fast against the step
        t += max(dt, float((np.abs(move) / law.speed).max()))
        angles += move
        _check_range(model, angles, move, t, margin)
        base.advance(angles)
    return GoalPreview(t, error, False)


def _there(error: Floats, goal: Goal) -> bool:
    return bool(np.linalg.norm(error[:3]) <= goal.near_m and np.linalg.norm(error[3:]) <= goal.near_rad)


def _check_range(model: ArmModel, angles: Floats, move: Floats, t: float, margin: float) -> None:
    room = np.where(move > 0.0, model.upper - angles, angles - model.lower)  # ahead: away from an end is free
    worst = int(np.argmin(room))
    if not room[worst] >= margin:
        raise BadInput(
            f"goal: on the way there {model.joints[worst]} comes to the end of its range at {t:.2f} s",
            value=f"{math.degrees(angles[worst]):.1f} deg",
            bound=f"{math.degrees(model.lower[worst] + margin):.1f} … {math.degrees(model.upper[worst] - margin):.1f} deg",
            way_out="another goal, or other start angles",
        )  # fmt: skip


def refuse(found: GoalPreview, goal: Goal, duration_s: float) -> None:
    """BadInput: what is left, and what may be."""
    way_mm, turn_deg = 1e3 * float(np.linalg.norm(found.error[:3])), math.degrees(np.linalg.norm(found.error[3:]))
    raise BadInput(
        f"goal: not reached within the duration of {duration_s:g} s",
        value=f"{way_mm:.3g} mm and {turn_deg:.3g} deg at {found.t:.2f} s",
        bound=f"{1e3 * goal.near_m:g} mm and {math.degrees(goal.near_rad):g} deg",
        way_out="a longer loop.duration_s, higher gains, a nearer goal, or loop.goal = \"approach\"",
    )  # fmt: skip
