"""The planar experiment: base and joints simulated twice, by the dynamics and by the momentum, against the closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from proxops.applications.turn.tables import TurnCase, TurnFile
from proxops.arms.joint_course import RestToRest
from proxops.arms.model import N_BASE, ArmModel, Floats, load_model
from proxops.arms.planar import PlanarChain, planar_chain
from proxops.core.criterion import Criterion
from proxops.core.experiment import Experiment
from proxops.core.experiment_result import ExperimentResult, Progress, Series
from proxops.space.free_floating import Diverged, FreeFloating, hardware_of
from proxops.space.prescribed_joints import PrescribedArm

DT: Final = 1e-3  # s, of the dynamics and of its controller
EVERY: Final = 20  # steps for one record
COARSE: Final = DT * EVERY  # s, a step of the momentum form
STIFFNESS, DAMPING = 100.0, 20.0  # 1/s², 1/s: of the joints' errors, critically damped

# Torques held for a millisecond let the joints stray from their course by some 1e-6 rad, and the base turns by less
# than its joints do; at the end, at rest again, the strayed way differs by the area beside the path only.
# Runge-Kutta errs by less than 1e-9 itself; a wrong sign or a term left out shows in the first digit.
STRAYED, ENDED, COMPUTED = 1e-5, 1e-6, 1e-9  # rad
KEPT: Final = 1e-9  # of the arm's peak momentum

CONVENTIONS: Final = (
    "All motion in the x-y plane, angles positive from x to y. Base angle: from inertial x to the base's x, "
    "counted on over whole "
    "turns, zero at the start. Joint angles: of each link against the body before it.",
    "Base and joints start at rest: linear and angular momentum are zero in the inertial frame and stay so; no "
    "forces from outside.",
    "dynamics: forward dynamics (RK4, 1 kHz) under torques of a computed-torque law, held over each "
    "millisecond. momentum: joints "
    "prescribed, base velocity from the momentum. closed form: the integral of dθ = −Σ hj dqj / h0 (docs/arms.md).",
)


@dataclass(frozen=True, eq=False)
class Turned:
    """One case, sampled."""

    case: TurnCase
    joints: Floats  # (rows, n) commanded
    followed: Floats  # (rows, n) by the dynamics; NaN behind a divergence
    angles: Floats  # (rows, 3) of the base: dynamics (likewise), momentum, closed form
    closed: float  # rad, at the end
    drift: float  # of the momentum, over the arm's peak
    out_of_plane: float  # m or rad
    failure: str  # why the dynamics ended early


def run(experiment: Experiment, progress: Progress) -> ExperimentResult:
    """All cases, up to one that diverges: what was computed until then is told."""
    file = experiment.file
    assert isinstance(file, TurnFile)
    rows = round(file.course_s / COARSE) + 1
    t = np.linspace(0.0, COARSE * (rows - 1), rows)
    done = []
    for number, case in enumerate(file.cases):

        def told(seconds: float, number: int = number, case: TurnCase = case) -> None:
            progress("simulated", number * file.course_s + seconds, len(file.cases) * file.course_s)

        done.append(_turned(experiment, case, t, told))
        if done[-1].failure:
            break
    whole = [one for one in done if not one.failure]
    return ExperimentResult(
        t, tuple(_series(one) for one in done), _figures(done), tuple(c for one in whole for c in _criteria(one)), CONVENTIONS,
        (_table(whole),), "".join(f"{one.case.name}: {one.failure}" for one in done if one.failure),
    )  # fmt: skip


def _turned(experiment: Experiment, case: TurnCase, t: Floats, told: Any) -> Turned:
    arm = case.arm or experiment.arm
    model = load_model(experiment.model_path(arm), arm.tool, arm.joints)
    path = np.radians(case.path_deg)
    for node in path:
        model.check_joints(node, f"case {case.name}, path_deg")
    course = RestToRest(np.linspace(0.0, float(t[-1]), len(path)), path)
    chain = planar_chain(model)
    joints = np.array([course.at(now)[0] for now in t])
    closed = np.array([_closed_until(chain, course.nodes, path, now, at) for now, at in zip(t, joints, strict=True)])
    by_dynamics, followed, drift, out, failure = _by_dynamics(model, course, t, arm.friction, told)
    angles = np.column_stack([by_dynamics, _by_momentum(model, course, t), closed])
    return Turned(case, joints, followed, angles, chain.turn_along(path), drift, out, failure)


def _closed_until(chain: PlanarChain, nodes: tuple[float, ...], path: Floats, now: float, joints: Floats) -> float:
    """The closed form along the path up to where the joints are now."""
    passed = int(np.searchsorted(nodes, now, side="right"))
    before = path[: min(passed, len(path) - 1)]
    return chain.turn_along(np.vstack([before, joints])) if np.any(joints != before[-1]) else chain.turn_along(before)


def _by_dynamics(
    model: ArmModel, course: RestToRest, t: Floats, friction: bool, told: Any
) -> tuple[Floats, Floats, float, float, str]:
    """Base angle, joint angles; drift of the momentum over the arm's peak; how far the motion leaves the plane; why it ended."""
    plant = FreeFloating(model, model.configuration(course.at(0.0)[0]), hardware=hardware_of(model, friction=friction))
    angles, joints = np.full(len(t), np.nan), np.full((len(t), model.n), np.nan)
    peak, worst, out, failure = 0.0, 0.0, 0.0, ""
    for row, now in enumerate(t):
        joints[row], angles[row] = plant.q[7:], _angle(plant.q, angles[row - 1] if row else 0.0)
        worst = max(worst, _size(plant.dynamics.momentum(plant.q, plant.v)))
        peak = max(peak, _size(plant.dynamics.arm_momentum(plant.q, plant.v[N_BASE:])))
        out = max(out, float(np.abs(plant.q[[2, 3, 4]]).max()))
        if row % 50 == 0:
            told(float(now))
        try:
            for _ in range(EVERY if row + 1 < len(t) else 0):
                plant.step(_torques(plant, course), DT)
        except Diverged as reason:
            failure = str(reason)
            break
    return angles, joints, worst / peak if peak > 0.0 else math.nan, out, failure


def _torques(plant: FreeFloating, course: RestToRest) -> Floats:
    """Computed torque on the generalised inertia: the joints' errors die away as a critically damped oscillator's."""
    wanted, rates, _ = course.at(plant.t)
    ahead = course.at(plant.t + 0.5 * DT)[2]  # of the middle of the step over which the torques are held
    q, v = plant.q, plant.v
    about = plant.dynamics.update(q, v)
    wish = ahead + DAMPING * (rates - v[N_BASE:]) + STIFFNESS * (wanted - q[7:])
    return np.asarray(about.inertia @ wish + about.bias)


def _by_momentum(model: ArmModel, course: RestToRest, t: Floats) -> Floats:
    arm = PrescribedArm(model, course, model.configuration(course.at(0.0)[0]))
    angles = np.zeros(len(t))
    for row, now in enumerate(t[1:], start=1):
        arm.advance(float(now), COARSE, course.nodes)
        angles[row] = _angle(arm.q, angles[row - 1])
    return angles


def _angle(q: Floats, before: float) -> float:
    """About z, counted on from ``before``."""
    angle = 2.0 * math.atan2(q[5], q[6])
    return angle + 2.0 * math.pi * round((before - angle) / (2.0 * math.pi))


def _size(momentum: Floats) -> float:
    """The greater of linear (N s) and angular (N m s): both are of the same order for arms of metres."""
    return max(float(np.linalg.norm(momentum[:3])), float(np.linalg.norm(momentum[3:])))


def _series(one: Turned) -> Series:
    n = one.joints.shape[1]
    columns = [(f"joint_{j + 1}", "rad") for j in range(n)] + [(f"joint_{j + 1}_followed", "rad") for j in range(n)]
    columns += [("base_dynamics", "rad"), ("base_momentum", "rad"), ("base_closed", "rad")]
    return Series(one.case.name, one.case.about, tuple(columns), np.hstack([one.joints, one.followed, one.angles]))


def _errors(one: Turned) -> tuple[float, float]:
    """Greatest difference from the closed form on the whole way: dynamics, momentum form."""
    apart = np.abs(one.angles[:, :2] - one.angles[:, 2:]).max(axis=0)
    return float(apart[0]), float(apart[1])


def _criteria(one: Turned) -> tuple[Criterion, ...]:
    name, (dynamics, momentum) = one.case.name, _errors(one)
    return (
        Criterion(
            f"{name}: dynamics against the closed form, at the end",
            abs(float(one.angles[-1, 0]) - one.closed),
            ENDED,
            unit="rad",
        ),
        Criterion(f"{name}: dynamics against the closed form, whole way", dynamics, STRAYED, unit="rad"),
        Criterion(f"{name}: momentum form against the closed form, whole way", momentum, COMPUTED, unit="rad"),
        Criterion(f"{name}: momentum, of the arm's peak", one.drift, KEPT),
        Criterion(f"{name}: out of the plane", one.out_of_plane, KEPT, unit="m or rad"),
    )


def _figures(done: list[Turned]) -> dict[str, Any]:
    return {
        one.case.name: {"closed_form_rad": one.closed, "momentum_rad": float(one.angles[-1, 1])}
        if one.failure
        else {
            "closed_form_rad": one.closed, "dynamics_rad": float(one.angles[-1, 0]), "momentum_rad": float(one.angles[-1, 1]),
            "joints_lag_rad": float(np.abs(one.followed - one.joints).max()), "momentum_drift": one.drift,
        }
        for one in done
    }  # fmt: skip


def _table(done: list[Turned]) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    rows = tuple(
        (one.case.about or one.case.name, f"{one.closed:.12f}", f"{one.angles[-1, 0] - one.closed:+.1e}",
         f"{one.angles[-1, 1] - one.closed:+.1e}", f"{math.degrees(one.closed):.4f}")
        for one in done
    )  # fmt: skip
    head = ("case", "base turns, closed form [rad]", "dynamics − that [rad]", "momentum form − that [rad]", "[deg]")
    return "How far the base turns", head, rows
