"""A replayed course of the joints: what the base does, and checks of the run that do not use its own integrals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pinocchio

from proxops.arms.dynamics import Dynamics
from proxops.arms.joint_course import LinearCourse
from proxops.arms.model import N_BASE, N_BASE_Q, ArmModel, Floats
from proxops.core.earth import MU_M3_S2
from proxops.maths.rotation import abc_from_matrix, matrix_from_quat
from proxops.space.link_gravity import CircularOrbit, LinkGravity
from proxops.space.prescribed_joints import PrescribedArm
from proxops.space.servo_joints import ServoArm, ServoGains


@dataclass(frozen=True, eq=False)
class Replayed:
    """(rows, …) over time; inertial axes."""

    attitude: Floats  # (rows, 3) roll, pitch, yaw of the base, R = Rz Ry Rx
    turn: Floats  # (rows, 3, 3) that R
    place: Floats  # (rows, 3) of the base's origin
    centre: Floats  # (rows, 3) of the common mass centre
    momentum: Floats  # (rows, 6) from the velocities: linear, angular about the mass centre
    arm: Floats  # (rows, 6) of the joints' motion alone: linear, angular about the base's origin, its axes
    torque: Floats  # (rows, 3) of gravity on all links about the mass centre, summed link by link
    whole: Floats  # (rows, 3) the same of the composite body: 3 μ/R³ e × I e
    joints: Floats  # (rows, n) rad, as they were


class Moved(Protocol):
    """An arm that is moved through its course: by prescribed joints, or by servos that follow it."""

    dynamics: Dynamics

    @property
    def q(self) -> Floats: ...

    def advance(self, until: float, dt: float, nodes: tuple[float, ...] = ()) -> None: ...

    def velocity(self) -> Floats: ...


def orbit_from(radius_m: float, start_s: float, *, turns: bool = True) -> CircularOrbit:
    """Whose local frame at ``start_s`` gives the inertial axes: x up, y along the flight, z normal; if not ``turns``, always."""
    if not turns:
        return CircularOrbit(radius_m, turns=False)
    turned = CircularOrbit(radius_m).rate * start_s
    return CircularOrbit(radius_m, up=(math.cos(turned), -math.sin(turned), 0.0))


def at_rest(model: ArmModel, joints: Floats, quat: Floats) -> Floats:
    """Configuration with the common mass centre in the origin."""
    q = model.configuration(joints, quat=quat)
    q[:3] -= pinocchio.centerOfMass(model.pin, model.pin.createData(), q)
    return q


def replay(
    model: ArmModel, course: LinearCourse, t: Floats, q: Floats, step_s: float, orbit: CircularOrbit,
    gravity: LinkGravity | None = None, servo: ServoGains | None = None,
) -> Replayed:  # fmt: skip
    """From ``q`` at t[0], no momentum, through all of ``t``. ``orbit``: where up is, also when gravity does not act. ``servo``:
    the joints are not prescribed but follow the course."""
    arm: Moved
    if servo is None:
        arm = PrescribedArm(model, course, q, t=float(t[0]), gravity=gravity)
    else:
        arm = ServoArm(model, course, q, servo, float(t[0]), gravity)
    share = MU_M3_S2 / orbit.radius_m**3
    shapes = ((3,), (3, 3), (3,), (3,), (6,), (6,), (3,), (3,), (model.n,))
    out = Replayed(*(np.zeros((len(t), *shape)) for shape in shapes))
    for row, now in enumerate(t):
        arm.advance(float(now), step_s, course.nodes)
        q, v = arm.q, arm.velocity()
        out.turn[row] = matrix_from_quat(np.array([q[6], q[3], q[4], q[5]]))
        out.attitude[row] = abc_from_matrix(out.turn[row])[::-1]
        out.place[row] = q[:3]
        data = arm.dynamics.data
        pinocchio.ccrba(model.pin, data, q, v)
        out.momentum[row] = data.hg.vector
        out.centre[row] = data.com[0]
        out.joints[row] = q[N_BASE_Q:]
        out.arm[row] = arm.dynamics.arm_momentum(q, v[N_BASE:])
        if gravity is not None:
            up = orbit.up_at(float(now))
            out.whole[row] = 3.0 * share * np.cross(up, data.Ig.inertia @ up)
            pinocchio.forwardKinematics(model.pin, data, q)
            pull = gravity.total(float(now), data)
            out.torque[row] = pull[3:] - np.cross(out.centre[row], pull[:3])
    return out


def there_and_back(
    model: ArmModel, course: LinearCourse, begin_s: float, end_s: float, q: Floats, step_s: float
) -> Floats:
    """(3, 3) how the base has turned after the course and then the same course backwards; no momentum, no gravity."""
    both = course.and_back(end_s)
    arm = PrescribedArm(model, both, q, t=begin_s)
    arm.advance(2.0 * end_s - begin_s, step_s, both.nodes)
    first, last = (matrix_from_quat(np.array([x[6], x[3], x[4], x[5]])) for x in (q, arm.q))
    return np.asarray(first.T @ last)


def nodes_of(model: ArmModel, t_s: Floats, angles: dict[str, Floats]) -> LinearCourse:
    """Course of all joints; those not named stay at zero."""
    table = np.zeros((len(t_s), model.pin.nq - N_BASE_Q))
    for name, values in angles.items():
        table[:, model.joints.index(name)] = values
    return LinearCourse(t_s, table)
