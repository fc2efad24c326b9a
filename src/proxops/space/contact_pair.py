"""Two free rigid bodies that touch: a ball on the chaser in the client's drogue, friction, and a latch that holds what it
has caught.

Inertial axes; no gravity: contacts last seconds. Whatever one body feels in a point the other feels there with the other
sign, so linear and angular momentum stay whatever the law. RK4; steps must resolve the contact (omega h of some hundredths).
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.quaternion import cross, quat_inverse, quat_product, rotation_vector, turned
from proxops.maths.rotation import Array, matrix_from_quat
from proxops.maths.small_matrix import applied, product
from proxops.maths.triple import Triple, composed, crossed, difference, inverse, mapped, quad, rotated, triple
from proxops.space.contact_law import contact_force
from proxops.space.drogue import DROGUE_DTYPE, depth

# The state: centres of mass, attitudes (q_inertial_body), velocities, rates in body axes; chaser first.
BODY: Final = 13
P, Q, V, W = 0, 3, 7, 10
SIZE: Final = 2 * BODY

# ``com``: in the body's own frame, whose origin is the port.
BODY_DTYPE: Final = np.dtype(
    [("mass", "f8"), ("inertia", "f8", (3, 3)), ("inverse", "f8", (3, 3)), ("com", "f8", (3,))]
)
# ``offset``: depth at which the force begins, less than the shape says; ``creep``: sliding speed below which friction is viscous.
LAW_DTYPE: Final = np.dtype(
    [("stiffness", "f8"), ("damping", "f8"), ("exponent", "f8"), ("offset", "f8"), ("friction", "f8"), ("creep", "f8")]
)
LATCH_DTYPE: Final = np.dtype(
    [
        ("on", "i8"),
        ("stiffness", "f8"),
        ("damping", "f8"),
        ("turn_stiffness", "f8"),
        ("turn_damping", "f8"),
        ("rest", "f8", (7,)),
    ]
)  # rest: ball and attitude of the chaser in the client's frame where it closed
PAIR_DTYPE: Final = np.dtype(
    [
        ("chaser", BODY_DTYPE), ("client", BODY_DTYPE), ("tip", "f8", (3,)), ("drogue", DROGUE_DTYPE, (1,)), ("law", LAW_DTYPE),
        ("latch", LATCH_DTYPE), ("extra", "f8", (6,)),
    ]
)  # fmt: skip
"""``tip``: centre of the ball in the chaser's frame. ``extra``: force and couple on the chaser at the ball, client axes,
besides."""

Pair = NDArray[np.void]


@kernel
def relative(pair: Pair, y: Array, pose: Array, twist: Array) -> None:
    """``pose`` (7): ball's centre and chaser's attitude in the client's frame; ``twist`` (6): velocity of the ball and rate
    of the chaser seen from the client, client axes."""
    r = pair[0]
    q_c, q_t = quad(y, Q), quad(y, BODY + Q)
    q_client_i = inverse(q_t)
    arm = rotated(q_c, difference(triple(r.tip, 0), triple(r.chaser.com, 0)))
    w_c, w_t = rotated(q_c, triple(y, W)), rotated(q_t, triple(y, BODY + W))
    p_t, v = triple(y, BODY + P), difference(triple(y, V), triple(y, BODY + V))
    gap = (y[P] + arm[0] - p_t[0], y[P + 1] + arm[1] - p_t[1], y[P + 2] + arm[2] - p_t[2])
    swing = crossed(w_t, gap)
    speed = (
        v[0] + w_c[1] * arm[2] - w_c[2] * arm[1] - swing[0],
        v[1] + w_c[2] * arm[0] - w_c[0] * arm[2] - swing[1],
        v[2] + w_c[0] * arm[1] - w_c[1] * arm[0] - swing[2],
    )
    pose[0], pose[1], pose[2] = rotated(q_client_i, gap)
    pose[3], pose[4], pose[5], pose[6] = composed(q_client_i, q_c)
    twist[0], twist[1], twist[2] = rotated(q_client_i, speed)
    twist[3], twist[4], twist[5] = rotated(q_client_i, difference(w_c, w_t))
    for i in range(3):
        pose[i] += r.client.com[i]


@kernel
def contact_wrench(pair: Pair, pose: Array, twist: Array, out: Array) -> float:
    """Force and couple (6) on the chaser at the ball's centre, client axes, by the hardware at this relative ``pose`` and
    ``twist``; the depth, m. ``extra`` is not in it."""
    return _put_wrench(pair, pose, twist, np.empty(3), out)


@kernel
def _put_wrench(pair: Pair, pose: Array, twist: Array, normal: Array, out: Array) -> float:
    """The same, with room for the normal."""
    r = pair[0]
    out[:] = 0.0
    deep = depth(r.drogue, pose, normal) - r.law.offset
    if deep > 0.0:
        n, v = triple(normal, 0), triple(twist, 0)
        rate = -(v[0] * n[0] + v[1] * n[1] + v[2] * n[2])
        push = contact_force(deep, rate, r.law.stiffness, r.law.damping, r.law.exponent)
        slip = (v[0] + rate * n[0], v[1] + rate * n[1], v[2] + rate * n[2])
        pace = math.sqrt(slip[0] ** 2 + slip[1] ** 2 + slip[2] ** 2)
        drag = r.law.friction * push / max(pace, r.law.creep)
        out[0], out[1], out[2] = (
            push * n[0] - drag * slip[0],
            push * n[1] - drag * slip[1],
            push * n[2] - drag * slip[2],
        )
    if r.latch.on:
        _hold(pair, pose, twist, out)
    return float(deep)


@kernel
def _hold(pair: Pair, pose: Array, twist: Array, out: Array) -> None:
    """What the latch adds: spring and damper about where it closed."""
    latch = pair[0].latch
    way = np.empty(3)
    rotation_vector(quat_product(pose[3:7], quat_inverse(latch.rest[3:7])), way)
    for i in range(3):
        out[i] -= latch.stiffness * (pose[i] - latch.rest[i]) + latch.damping * twist[i]
        out[3 + i] -= latch.turn_stiffness * way[i] + latch.turn_damping * twist[3 + i]


@kernel
def _slope(pair: Pair, y: Array, room: Array, out: Array) -> None:
    """``room`` (4, 7): pose, twist, normal and wrench of the contact are put there."""
    r, pose, twist, wrench = pair[0], room[0], room[1], room[3]
    relative(pair, y, pose, twist)
    _put_wrench(pair, pose, twist, room[2], wrench)
    for i in range(6):
        wrench[i] += r.extra[i]
    q_t = quad(y, BODY + Q)
    force, couple = rotated(q_t, triple(wrench, 0)), rotated(q_t, triple(wrench, 3))
    arm = rotated(quad(y, Q), difference(triple(r.tip, 0), triple(r.chaser.com, 0)))
    ball = (y[P] + arm[0], y[P + 1] + arm[1], y[P + 2] + arm[2])
    _put_body_slope(y, 0, r.chaser.mass, r.chaser.inertia, r.chaser.inverse, ball, force, couple, 1.0, out)
    _put_body_slope(y, BODY, r.client.mass, r.client.inertia, r.client.inverse, ball, force, couple, -1.0, out)


@kernel
def _put_body_slope(
    y: Array, s: int, mass: float, inertia: Array, inverse_inertia: Array, at: Triple, force: Triple, couple: Triple,
    sign: float, out: Array,
) -> None:  # fmt: skip
    """Of the body from ``s`` on under ``sign`` times a force at ``at`` and a couple, inertial axes."""
    q, w = quad(y, s + Q), triple(y, s + W)
    for i in range(3):
        out[s + P + i] = y[s + V + i]
    out[s + V], out[s + V + 1], out[s + V + 2] = sign * force[0] / mass, sign * force[1] / mass, sign * force[2] / mass
    turn = crossed(difference(at, triple(y, s + P)), force)
    turn = (sign * (turn[0] + couple[0]), sign * (turn[1] + couple[1]), sign * (turn[2] + couple[2]))
    torque = difference(rotated(inverse(q), turn), crossed(w, mapped(inertia, w)))
    out[s + W], out[s + W + 1], out[s + W + 2] = mapped(inverse_inertia, torque)
    out[s + Q] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2])
    out[s + Q + 1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1])
    out[s + Q + 2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2])
    out[s + Q + 3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0])


@kernel
def advance(pair: Pair, y: Array, h: float, steps: int) -> None:
    """``steps`` of RK4 in place."""
    k, mid, total, room = np.empty(SIZE), np.empty(SIZE), np.empty(SIZE), np.empty((4, 7))
    for _ in range(steps):
        _slope(pair, y, room, k)
        for i in range(SIZE):
            total[i], mid[i] = k[i], y[i] + 0.5 * h * k[i]
        for share in (0.5, 1.0):
            _slope(pair, mid, room, k)
            for i in range(SIZE):
                total[i] += 2.0 * k[i]
                mid[i] = y[i] + share * h * k[i]
        _slope(pair, mid, room, k)
        for i in range(SIZE):
            y[i] += h / 6.0 * (total[i] + k[i])
        for start in (Q, BODY + Q):
            norm = math.sqrt(y[start] ** 2 + y[start + 1] ** 2 + y[start + 2] ** 2 + y[start + 3] ** 2)
            for i in range(4):
                y[start + i] /= norm


@kernel
def kick(pair: Pair, y: Array, impulse: Array) -> None:
    """Apply an impulse (N s, client axes) to the chaser at the ball's centre, and its opposite to the client there."""
    r = pair[0]
    force, ball = turned(y[BODY + Q : BODY + Q + 4], impulse), turned(y[Q : Q + 4], r.tip - r.chaser.com)
    for i in range(3):
        ball[i] += y[P + i]
    for b in range(2):
        s, sign = b * BODY, 1.0 - 2.0 * b
        mass = r.chaser.mass if b == 0 else r.client.mass
        inverse = r.chaser.inverse if b == 0 else r.client.inverse
        turn = np.empty(3)
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            turn[i] = sign * ((ball[j] - y[s + P + j]) * force[k] - (ball[k] - y[s + P + k]) * force[j])
            y[s + V + i] += sign * force[i] / mass
        turn = turned(quat_inverse(y[s + Q : s + Q + 4]), turn)
        for i in range(3):
            for j in range(3):
                y[s + W + i] += inverse[i, j] * turn[j]


@kernel
def softness(pair: Pair, y: Array, normal: Array) -> float:
    """1/kg: speed of the ball against the client along a unit vector (client axes) that an impulse of 1 N s along it gives."""
    pose, before, after = np.empty(7), np.empty(6), np.empty(6)
    relative(pair, y, pose, before)
    kicked = y.copy()
    kick(pair, kicked, normal)
    relative(pair, kicked, pose, after)
    gained = 0.0
    for i in range(3):
        gained += (after[i] - before[i]) * normal[i]
    return gained


@kernel
def _solved(A: Array, b: Array) -> Array:
    """A⁻¹ b of a symmetric matrix (3, 3)."""
    rows = np.empty((3, 3))
    rows[0], rows[1], rows[2] = cross(A[1], A[2]), cross(A[2], A[0]), cross(A[0], A[1])
    whole = A[0, 0] * rows[0, 0] + A[0, 1] * rows[0, 1] + A[0, 2] * rows[0, 2]
    out = applied(rows, b)
    for i in range(3):
        out[i] /= whole
    return out


@kernel
def towards_rigid(pair: Pair, y: Array, share: float) -> None:
    """Keep ``share`` of all motion of the bodies against each other. What is left at zero is the motion of one rigid body
    with the same linear and angular momentum, so both are kept, and no state of this momentum has less energy."""
    r = pair[0]
    mass = (r.chaser.mass, r.client.mass)
    whole = mass[0] + mass[1]
    centre, velocity, spin, inertia = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros((3, 3))
    for b in range(2):
        for i in range(3):
            centre[i] += mass[b] / whole * y[b * BODY + P + i]
            velocity[i] += mass[b] / whole * y[b * BODY + V + i]
    for b in range(2):
        s = b * BODY
        own = r.chaser.inertia if b == 0 else r.client.inertia
        R = matrix_from_quat(y[s + Q : s + Q + 4])
        J = product(product(R, own), R.T)
        arm, speed = y[s + P : s + P + 3] - centre, y[s + V : s + V + 3] - velocity
        swing = cross(arm, speed)
        turns = applied(J, turned(y[s + Q : s + Q + 4], y[s + W : s + W + 3]))
        for i in range(3):
            spin[i] += turns[i] + mass[b] * swing[i]
            for j in range(3):
                inertia[i, j] += J[i, j] - mass[b] * arm[i] * arm[j]
            inertia[i, i] += mass[b] * (arm[0] ** 2 + arm[1] ** 2 + arm[2] ** 2)
    w = _solved(inertia, spin)
    for b in range(2):
        s = b * BODY
        rigid = cross(w, y[s + P : s + P + 3] - centre)
        w_body = turned(quat_inverse(y[s + Q : s + Q + 4]), w)
        for i in range(3):
            alike = velocity[i] + rigid[i]
            y[s + V + i] = alike + share * (y[s + V + i] - alike)
            y[s + W + i] = w_body[i] + share * (y[s + W + i] - w_body[i])


@kernel
def books(pair: Pair, y: Array, out: Array) -> None:
    """``out`` (8): linear momentum, angular momentum about the inertial origin, kinetic energy of the whole, and that part
    of it which the contact can reach (kinetic energy less that of the common centre of mass)."""
    r = pair[0]
    out[:] = 0.0
    mass = (r.chaser.mass, r.client.mass)
    for b in range(2):
        s = b * BODY
        inertia = r.chaser.inertia if b == 0 else r.client.inertia
        spin = np.zeros(3)
        for i in range(3):
            for j in range(3):
                spin[i] += inertia[i, j] * y[s + W + j]
            out[6] += 0.5 * (mass[b] * y[s + V + i] ** 2 + spin[i] * y[s + W + i])
            out[i] += mass[b] * y[s + V + i]
        spin = turned(y[s + Q : s + Q + 4], spin)
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            out[3 + i] += spin[i] + mass[b] * (y[s + P + j] * y[s + V + k] - y[s + P + k] * y[s + V + j])
    out[7] = out[6] - 0.5 * (out[0] ** 2 + out[1] ** 2 + out[2] ** 2) / (mass[0] + mass[1])
