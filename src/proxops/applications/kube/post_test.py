"""Analysis after a test with an arm in the loop (paper 004, sections 4.2 and 4.3).

Measured joint angles are smoothed; inverse dynamics of the free-floating system give the driving torques; with these, and
nothing else, the free-floating dynamics are run open loop from the start. The satellite in the loop came from the momentum
constraint, the one here comes from equations of motion: their difference tells whether the loop got it right. Then the torque
sensors against the arm's model on the ground.

Like is compared with like: satellite and tool at the readings that the loop evaluated, torques at every cycle that was recorded.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.applications.kube.post_test_figures import GroundTorques, PostTest, Trial
from proxops.applications.kube.recorded_loop import RecordedLoop
from proxops.applications.kube.tables import HardwareLoopFile
from proxops.arms.dynamics import Dynamics, base_pose
from proxops.arms.generalised import base_velocity
from proxops.arms.held_base import HeldArm
from proxops.arms.model import N_BASE, ArmModel, Floats
from proxops.core.errors import BadInput
from proxops.core.experiment_result import Progress
from proxops.ground.smoothing import PolynomialFit, Smooth, SplineFit
from proxops.maths.quaternion import way_between
from proxops.space.free_floating import Diverged, FreeFloating

KNOTS_S: Final = 0.02  # of the spline at least: a joint reaches its speed in some ten of these
MOST_KNOTS: Final = 1500  # a long test gets wider ones: the work grows with the cube
STEP_S: Final = 0.002  # of the simulation at most, however rare the readings (the paper's: 0.005 s)
LEFT_OUT_DEG: Final = (
    0.5  # by which the spline may miss a reading that it has not seen; more says nothing about accelerations
)


def analyse(
    model: ArmModel, true: ArmModel | None, file: HardwareLoopFile, loop: RecordedLoop, progress: Progress
) -> PostTest:
    """``model``: as the loop believed; ``true``: the arm as it was, where that is known to be another. Of the trials the better
    one comes first and is judged; the other is the paper's."""
    fit = spline(loop.t, loop.measured)
    demand_dense(loop.t, fit)
    trials = (
        _trial("spline", model, fit, loop, progress),
        _trial("polynomial", model, PolynomialFit(loop.t, loop.measured), loop, progress),
    )
    best, gravity = fit.at(loop.t), np.array(file.robot.gravity_m_s2)
    ground = _ground(model, gravity, best, loop.torque, friction=file.arm.friction)
    ground_true = _ground(true, gravity, best, loop.torque, friction=file.arm.friction) if true else None
    joints = tuple(name.upper() for name in model.joints)
    return PostTest(
        joints,
        loop.t,
        loop.measured,
        loop.t[loop.seen],
        loop.base,
        loop.tool,
        trials,
        ground,
        ground_true,
        fit.left_out,
    )


def _trial(name: str, model: ArmModel, fit: SplineFit | PolynomialFit, loop: RecordedLoop, progress: Progress) -> Trial:
    at = fit.at(loop.t)
    fine, rows = fine_times(loop.t)
    driving = _held_over_steps(model, fit, fine)
    joints, base, tool = _simulated(name, model, fine, fit.at(fine[:1]), driving, loop.base[0], progress)
    joints, base, tool = joints[rows], base[rows[loop.seen]], tool[rows[loop.seen]]
    return Trial(
        name, at.angles, at.angles - loop.measured, joints - loop.measured, base, tool, apart(loop.base, base),
        apart(loop.tool, tool),
    )  # fmt: skip


def spline(t: Floats, angles: Floats) -> SplineFit:
    return SplineFit(t, angles, max(KNOTS_S, float(t[-1] - t[0]) / MOST_KNOTS))


def demand_dense(t: Floats, fit: SplineFit) -> None:
    """BadInput where readings are too rare for the motion: whatever the curve does between them would be its own invention."""
    worst = math.degrees(np.abs(fit.left_out).max())
    if not worst <= LEFT_OUT_DEG:
        where = t[int(np.argmax(np.abs(fit.left_out).max(axis=1)))]
        raise BadInput(
            "too few readings for this motion: one that is left out is not predicted by the others",
            value=f"{worst:.3g} deg off at {where:.2f} s, readings every {1e3 * float(np.median(np.diff(t))):.3g} ms",
            bound=f"at most {LEFT_OUT_DEG:g} deg",
            way_out="record at a higher rate (loop.rate_hz up to 1000; a [computer] keeps the loop itself slow), or move slower",
        )  # fmt: skip


def fine_times(t: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Times of the simulation, no further apart than it needs, and which of them are those of ``t``."""
    steps = np.maximum(1, np.ceil(np.diff(t) / STEP_S - 1e-6).astype(np.intp))
    rows = np.concatenate([[0], np.cumsum(steps)])
    return np.interp(np.arange(rows[-1] + 1), rows, t), rows


def _held_over_steps(model: ArmModel, fit: SplineFit | PolynomialFit, t: Floats) -> Floats:
    """(rows - 1, n) mean torque of each step, by Simpson's rule. A torque from the middle would leave the joints with a rate that
    is off by the step squared, and open loop nothing takes it back."""
    rows, middle = driving_torques(model, fit.at(t)), driving_torques(model, fit.at(0.5 * (t[1:] + t[:-1])))
    return (rows[1:] + rows[:-1] + 4.0 * middle) / 6.0


def driving_torques(model: ArmModel, course: Smooth) -> Floats:
    """(rows, n) N m of the free-floating arm on this course at zero momentum; free of the satellite's pose."""
    dynamics = Dynamics(model)
    out = np.empty_like(course.angles)
    v, still = np.zeros(model.pin.nv), np.zeros(N_BASE)
    for i, (joints, rates, accelerations) in enumerate(
        zip(course.angles, course.rates, course.accelerations, strict=True)
    ):
        q = model.configuration(joints)
        base_velocity(dynamics.mass_matrix(q), still, np.ascontiguousarray(rates), v[:N_BASE])
        v[N_BASE:] = rates
        generalised = dynamics.update(q, v)
        out[i] = generalised.inertia @ accelerations + generalised.bias
    return out


def _simulated(
    name: str, model: ArmModel, t: Floats, start: Smooth, driving: Floats, base: Floats, progress: Progress
) -> tuple[Floats, Floats, Floats]:
    """Joint angles (rows, n), poses of satellite and tool (rows, 7) by the torques alone."""
    dynamics = Dynamics(model)
    q, v = model.configuration(start.angles[0], base[:3], base[3:]), np.zeros(model.pin.nv)
    v[N_BASE:] = start.rates[0]
    base_velocity(dynamics.mass_matrix(q), np.zeros(N_BASE), v[N_BASE:].copy(), v[:N_BASE])
    plant = FreeFloating(model, q, v)
    joints, bases, tools = np.empty((t.size, model.n)), np.empty((t.size, 7)), np.empty((t.size, 7))
    for i in range(t.size):
        if i:
            _step(plant, driving[i - 1], float(t[i] - t[i - 1]), name)
        joints[i], bases[i], tools[i] = plant.q[7:], base_pose(plant.q), dynamics.tool_pose(plant.q)
        if i % 500 == 0 or i == t.size - 1:
            progress(f"simulation, {name}", float(t[i] - t[0]), float(t[-1] - t[0]))
    return joints, bases, tools


def _step(plant: FreeFloating, torques: Floats, dt: float, name: str) -> None:
    try:
        plant.step(torques, dt)
    except Diverged as reason:
        raise Diverged(
            f"analysis: no motion by the driving torques of the {name} ({np.abs(torques).max():.3g} N m there): {reason}; look "
            "at the log's angles for a jump, and at --model"
        ) from reason


def apart(test: Floats, simulated: Floats) -> Floats:
    """(rows, 6) simulation less test: m, and rotation vector in inertial axes."""
    out = np.empty((len(test), 6))
    out[:, :3] = simulated[:, :3] - test[:, :3]
    for i in range(len(test)):
        way_between(test[i, 3:], simulated[i, 3:], out[i, 3:])
    return out


def _ground(model: ArmModel, gravity: Floats, course: Smooth, measured: Floats, *, friction: bool) -> GroundTorques:
    held = HeldArm(model, gravity)
    rows = range(len(measured))
    computed = np.array([held.torques(course.angles[i], course.rates[i], course.accelerations[i]) for i in rows])
    added = np.array([held.friction(course.rates[i]) for i in rows]) if friction else np.zeros_like(computed)
    return GroundTorques(measured, computed, added)
