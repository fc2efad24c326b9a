"""A look ahead along a path before anything moves: reach, singularities, joint limits, and how light the arm gets.

The motion without dynamics: joint rates by the damped inverse, the base carried along at zero momentum, joints drawn to the
posture in the null space. What it finds is what a law that follows the path will meet, up to its own null-space motion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pinocchio

from proxops.arms.dynamics import Dynamics
from proxops.arms.model import N_BASE, N_BASE_Q, ArmModel, Floats
from proxops.core.errors import BadInput
from proxops.onboard.damped_inverse import THRESHOLD, prepare, project, pull
from proxops.onboard.pose_path import PosePath
from proxops.onboard.task_controller import check_joints_enough
from proxops.onboard.task_laws import task_error

STEP_S: Final = 0.01
PULL_BACK: Final = 5.0  # 1/s, of the error that steps and damping leave
OUT_OF_REACH_M: Final = 1e-3  # metres or radians


@dataclass(frozen=True, eq=False)
class Preview:
    sigma_min: float  # of the generalised Jacobian, along the path
    manipulability: tuple[float, float]  # √det(Jg Jgᵀ): at the start, smallest
    lightest: float  # kg m2: smallest eigenvalue of M* along the path
    margin_rad: float  # smallest distance of a joint to its limits
    closest_joint: str
    inertia: Floats  # M* where it is lightest


def preview(model: ArmModel, q_start: Floats, path: PosePath, posture: Floats, pull_to_posture: float = 1.0) -> Preview:
    """BadInput where the path cannot be followed."""
    check_joints_enough(model)
    dynamics, q = Dynamics(model), q_start.copy()
    v, rates, aside = np.zeros(model.pin.nv), np.zeros(model.n), np.zeros(model.n)
    u, L, error = np.zeros(6), np.zeros((6, 6)), np.zeros(6)
    sigmas, measures, lightest, margins = [], [], (np.inf, np.eye(model.n)), []
    for i in range(round(path.duration_s / STEP_S) + 1):
        t = i * STEP_S
        g, demand = dynamics.update(q, np.zeros(model.pin.nv)), path.at(t)
        sigma = prepare(g.jacobian, u, L)
        if i == 0 and sigma < THRESHOLD:
            raise BadInput(
                "singular start: the arm cannot move its tool every way", value=f"σ_min {sigma:.3g}",
                bound=f"at least {THRESHOLD}", way_out="choose other start angles",
            )  # fmt: skip
        task_error(dynamics.tool, demand.flat, error)
        margins.append(_margins(model, q[N_BASE_Q:], t))
        _check_reach(error, sigma, t)
        light = float(np.linalg.eigvalsh(g.inertia)[0])
        if light < lightest[0]:
            lightest = (light, g.inertia.copy())
        sigmas.append(sigma)
        measures.append(float(np.sqrt(max(np.linalg.det(g.jacobian @ g.jacobian.T), 0.0))))
        pull(g.jacobian, L, demand.twist + PULL_BACK * error, rates)
        project(g.jacobian, L, pull_to_posture * (posture - q[N_BASE_Q:]), aside)
        v[N_BASE:] = rates + aside
        v[:N_BASE] = g.base @ v[N_BASE:]
        q = pinocchio.integrate(model.pin, q, STEP_S * v)
    worst = np.argmin([margin for margin, _ in margins])
    return Preview(
        min(sigmas), (measures[0], min(measures)), lightest[0], margins[worst][0], margins[worst][1], lightest[1]
    )


def _margins(model: ArmModel, joints: Floats, t: float) -> tuple[float, str]:
    room = np.minimum(joints - model.lower, model.upper - joints)
    worst = int(np.argmin(room))
    if room[worst] < 0.0:
        raise BadInput(
            f"the path takes {model.joints[worst]} beyond its limits at {t:.2f} s", value=f"{np.degrees(joints[worst]):.1f} deg",
            bound=f"{np.degrees(model.lower[worst]):.1f} … {np.degrees(model.upper[worst]):.1f} deg",
        )  # fmt: skip
    return float(room[worst]), model.joints[worst]


def _check_reach(error: Floats, sigma: float, t: float) -> None:
    # Above the threshold an error is only the preview's own step; damped, the tool falls behind for good.
    size = float(np.linalg.norm(error))
    if not np.isfinite(size) or (sigma < THRESHOLD and size > OUT_OF_REACH_M) or size > 0.05:
        raise BadInput(
            f"the path is out of reach: the tool falls behind at {t:.2f} s", value=f"error {size:.3g}, σ_min {sigma:.3g}",
            bound=f"σ_min at least {THRESHOLD}", way_out="shorten the way-points' moves or turns",
        )  # fmt: skip
