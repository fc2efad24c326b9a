"""Analysis after a test with an arm in the loop (paper 004, sections 4.2 and 4.3).

Measured joint angles are smoothed; inverse dynamics of the free-floating system give the driving torques; with these, and
nothing else, the free-floating dynamics are run open loop from the start. The satellite in the loop came from the momentum
constraint, the one here comes from equations of motion: their difference tells whether the loop got it right. Then the torque
sensors against the arm's model on the ground.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.applications.kube.post_test_figures import GroundTorques, PostTest, Trial
from proxops.applications.kube.tables import HardwareLoopFile
from proxops.arms.dynamics import Dynamics, base_pose
from proxops.arms.generalised import base_velocity
from proxops.arms.held_base import HeldArm
from proxops.arms.model import N_BASE, ArmModel, Floats
from proxops.core.experiment_result import Progress
from proxops.ground.smoothing import PolynomialFit, Smooth, SplineFit
from proxops.maths.quaternion import way_between
from proxops.space.free_floating import Diverged, FreeFloating

KNOTS_S: Final = 0.02  # of the spline: a joint reaches its speed in some ten of these
MOST_KNOTS: Final = 1500  # a long test gets wider ones: the work grows with the cube
METHODS: Final = ("spline", "polynomial")  # the better one first: it is the one that is judged


def analyse(
    model: ArmModel, file: HardwareLoopFile, t: Floats, angles: Floats, torques: Floats, base: Floats, tool: Floats,
    progress: Progress,
) -> PostTest:  # fmt: skip
    """``angles``, ``torques``: (rows, n) measured; ``base``, ``tool``: (rows, 7) poses as the loop had them."""
    trials = tuple(_trial(name, model, t, angles, base, tool, progress) for name in METHODS)
    best = spline(t, angles).at(t)
    ground = _ground(model, np.array(file.robot.gravity_m_s2), best, torques, friction=file.arm.friction)
    return PostTest(tuple(name.upper() for name in model.joints), t, angles, base, tool, trials, ground)


def _trial(
    name: str, model: ArmModel, t: Floats, angles: Floats, base: Floats, tool: Floats, progress: Progress
) -> Trial:
    fit = spline(t, angles) if name == "spline" else PolynomialFit(t, angles)
    at = fit.at(t)
    driving = _held_over_steps(model, fit, t)
    joints, base_now, tool_now = _simulated(name, model, t, at, driving, base[0], progress)
    return Trial(
        name, at.angles, at.angles - angles, driving, joints - angles, base_now, tool_now, apart(base, base_now),
        apart(tool, tool_now),
    )  # fmt: skip


def spline(t: Floats, angles: Floats) -> SplineFit:
    return SplineFit(t, angles, max(KNOTS_S, float(t[-1] - t[0]) / MOST_KNOTS))


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
    name: str, model: ArmModel, t: Floats, course: Smooth, driving: Floats, base: Floats, progress: Progress
) -> tuple[Floats, Floats, Floats]:
    """Joint angles (rows, n), poses of satellite and tool (rows, 7) by the torques alone."""
    dynamics = Dynamics(model)
    q, v = model.configuration(course.angles[0], base[:3], base[3:]), np.zeros(model.pin.nv)
    v[N_BASE:] = course.rates[0]
    base_velocity(dynamics.mass_matrix(q), np.zeros(N_BASE), v[N_BASE:].copy(), v[:N_BASE])
    plant = FreeFloating(model, q, v)
    joints, bases, tools = np.empty_like(course.angles), np.empty((t.size, 7)), np.empty((t.size, 7))
    for i in range(t.size):
        if i:
            _step(plant, driving[i - 1], float(t[i] - t[i - 1]), name)
        joints[i], bases[i], tools[i] = plant.q[7:], base_pose(plant.q), dynamics.tool_pose(plant.q)
        if i % 500 == 0:
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
