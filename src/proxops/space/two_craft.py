"""Two spacecraft: the equations of motion of orbit and attitude, and one step of them (RK4).

The target's centre of mass is integrated in ECI (or prescribed); the chaser's as a difference from it, in the non-rotating
frame that moves with the target: differential gravity is computed without cancellation (``gravity.central_difference``), so
metres at 7,000 km keep all their digits. No apparent forces: the axes do not turn. The chaser's wheels are counted by their
whole axial momentum h (rotor inertia times its inertial rate about its axis), with the body's inertia free of that part:

    I dw/dt = -w x (I w + A h) - A u + torque,    dh/dt = u   (u: motor torque on the rotors)

Ledgers run along with the state (work and impulse of all that is not in the potential): ``audit.py`` compares.
Propellant leaves at the body's own rate and shrinks the inertia in proportion to mass: the ledgers account for that too.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.earth import MU_M3_S2, STANDARD_GRAVITY
from proxops.core.messages import MAX_WHEELS
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, copy_to
from proxops.maths.triple import Quad, Quaternion, Triple, Vector, quad, triple
from proxops.space.drag import drag
from proxops.space.gravity import central_difference, gravity_gradient_torque, zonal
from proxops.space.sunlight import pressure
from proxops.space.third_body import third_body

# The state vector.
P, V, D, DV = slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 12)  # target in eci; chaser from target, eci axes
Q_T, W_T, Q_C, W_C = slice(12, 16), slice(16, 19), slice(19, 23), slice(23, 26)  # q_eci_body, rates in body axes
H_W: Final = slice(26, 26 + MAX_WHEELS)
MASS: Final = 30
WORK_T, WORK_C = 31, 32  # per unit mass, of what is not in the potential
IMPULSE_T, IMPULSE_C = slice(33, 36), slice(36, 39)  # of torques, eci axes
SPIN_WORK_T, SPIN_WORK_C = 39, 40
SIZE: Final = 41

CRAFT_DTYPE: Final = np.dtype(
    [
        ("inertia", "f8", (3, 3)), ("inverse", "f8", (3, 3)),
        ("drag", "f8"), ("sunlit", "f8"),  # area x coefficient: m^2
        ("lever", "f8", (3,)),  # from the centre of mass to the centre of pressure, body axes
    ]
)  # fmt: skip
WORLD_DTYPE: Final = np.dtype(
    [
        ("target", CRAFT_DTYPE), ("chaser", CRAFT_DTYPE),
        ("target_mass", "f8"), ("first_mass", "f8"), ("exhaust", "f8"),  # exhaust speed, m/s
        ("axes", "f8", (MAX_WHEELS, 3)), ("rotor", "f8"), ("wheel_torque", "f8"), ("wheel_momentum", "f8"), ("wheels", "i8"),
        ("degree", "i8"), ("gradient", "i8"), ("pressure", "i8"), ("third", "i8", (2,)), ("prescribed", "i8"),
        # Held over one step: what changes by the minute, and what the actuators do.
        ("sun", "f8", (3,)), ("moon", "f8", (3,)), ("mu_third", "f8", (2,)), ("density", "f8"), ("sunlight", "f8", (2,)),
        ("force", "f8", (3,)), ("torque", "f8", (3,)), ("thrust", "f8"),  # body axes; thrust: sum of all jets, N
        ("motor", "f8", (MAX_WHEELS,)), ("push", "f8", (3,)),  # N m asked for; m/s^2 in eci axes
        ("drive", "f8", (MAX_WHEELS,)),  # N m that the motors give in this step
        ("reference", "f8", (3, 6)),  # prescribed orbit at the beginning, middle and end of the step
        ("k", "f8", (5, SIZE)), ("room", "f8", (8, 3)),  # scratch of the step
    ]
)  # fmt: skip
World = NDArray[np.void]
NOTHING: Final = (0.0, 0.0, 0.0)  # N m s of wheels that are not there


@kernel
def into_body(q: Quaternion, v: Vector, out: Array) -> None:
    """Components of v in the body, of q_eci_body."""
    t0, t1, t2 = 2.0 * (q[3] * v[1] - q[2] * v[2]), 2.0 * (q[1] * v[2] - q[3] * v[0]), 2.0 * (q[2] * v[0] - q[1] * v[1])
    out[0] = v[0] + q[0] * t0 + q[3] * t1 - q[2] * t2
    out[1] = v[1] + q[0] * t1 + q[1] * t2 - q[3] * t0
    out[2] = v[2] + q[0] * t2 + q[2] * t0 - q[1] * t1


@kernel
def out_of_body(q: Quaternion, v: Vector, out: Array) -> None:
    """Components of v in eci, of q_eci_body."""
    t0, t1, t2 = 2.0 * (q[2] * v[2] - q[3] * v[1]), 2.0 * (q[3] * v[0] - q[1] * v[2]), 2.0 * (q[1] * v[1] - q[2] * v[0])
    out[0] = v[0] + q[0] * t0 + q[2] * t2 - q[3] * t1
    out[1] = v[1] + q[0] * t1 + q[3] * t0 - q[1] * t2
    out[2] = v[2] + q[0] * t2 + q[1] * t1 - q[2] * t0


@kernel
def _surface(craft: Any, w: Any, mass: float, p: Triple, v: Triple, share: float, out: Array, room: Array) -> None:
    """Acceleration by air and sunlight, eci axes."""
    out[:] = 0.0
    if w.density > 0.0:
        drag(p, v, w.density, craft.drag / mass, out)
    if w.pressure and share > 0.0:
        pressure(p, triple(w.sun, 0), share, craft.sunlit / mass, room)
        for i in range(3):
            out[i] += room[i]


@kernel
def _sky(w: Any, p: Triple, out: Array, room: Array) -> None:
    """Adds what Sun and Moon do to a craft against the Earth."""
    for body in range(2):
        if w.third[body]:
            third_body(p, triple(w.sun, 0) if body == 0 else triple(w.moon, 0), w.mu_third[body], room)
            for i in range(3):
                out[i] += room[i]


@kernel
def _turning(
    q: Quad,
    rate: Triple,
    craft: Any,
    scale: float,
    h: Triple,
    torque: Triple,
    shrink: float,
    dq: Array,
    dw: Array,
    impulse: Array,
) -> float:
    """Derivatives of attitude and rate under ``torque`` (body axes, motor reaction included) with stored momentum ``h``;
    ``shrink`` is the rate of the inertia's scale. Returns the power of what propellant carries away."""
    x, y, z = rate[0], rate[1], rate[2]
    dq[0] = 0.5 * (-q[1] * x - q[2] * y - q[3] * z)
    dq[1] = 0.5 * (q[0] * x + q[2] * z - q[3] * y)
    dq[2] = 0.5 * (q[0] * y + q[3] * x - q[1] * z)
    dq[3] = 0.5 * (q[0] * z + q[1] * y - q[2] * x)
    J = craft.inertia
    a = J[0, 0] * x + J[0, 1] * y + J[0, 2] * z
    b = J[1, 0] * x + J[1, 1] * y + J[1, 2] * z
    c = J[2, 0] * x + J[2, 1] * y + J[2, 2] * z
    l0, l1, l2 = scale * a + h[0], scale * b + h[1], scale * c + h[2]
    t0, t1, t2 = torque[0] - (y * l2 - z * l1), torque[1] - (z * l0 - x * l2), torque[2] - (x * l1 - y * l0)
    M, shrunk = craft.inverse, 1.0 / scale
    for i in range(3):
        dw[i] = (M[i, 0] * t0 + M[i, 1] * t1 + M[i, 2] * t2) * shrunk
    impulse[0], impulse[1], impulse[2] = shrink * a, shrink * b, shrink * c
    power: float = 0.5 * shrink * (x * a + y * b + z * c)
    return power


@kernel
def derivative(y: Array, world: World, stage: int, dy: Array) -> None:
    """Of the whole state. ``stage`` 0, 1, 2 picks the prescribed orbit at the step's beginning, middle, end."""
    w = world[0]
    p, v, d, dv, room = triple(y, 0), triple(y, 3), triple(y, 6), triple(y, 9), w.room
    if w.prescribed:
        p, v = triple(w.reference[stage], 0), triple(w.reference[stage], 3)
    here = room[0]
    mass, scale = y[MASS], y[MASS] / w.first_mass
    flow = -w.thrust / w.exhaust
    there = (p[0] + d[0], p[1] + d[1], p[2] + d[2])
    speed = (v[0] + dv[0], v[1] + dv[1], v[2] + dv[2])
    # Forces on both, as accelerations in eci axes: not in the potential (rows 3, 4), then all of it.
    own, other = room[3], room[4]
    _surface(w.target, w, w.target_mass, p, v, w.sunlight[0], own, here)
    _surface(w.chaser, w, mass, there, speed, w.sunlight[1], other, here)
    q_t, q_c = quad(y, 12), quad(y, 19)
    _pressure_torque(w.target, w.target_mass, q_t, triple(own, 0), room[5])
    _pressure_torque(w.chaser, mass, q_c, triple(other, 0), room[6])
    _sky(w, p, own, here)
    _sky(w, there, other, here)
    out_of_body(q_c, triple(w.force, 0), here)
    for i in range(3):
        other[i] += here[i] / mass + w.push[i]
    dy[WORK_T] = own[0] * v[0] + own[1] * v[1] + own[2] * v[2]
    dy[WORK_C] = other[0] * speed[0] + other[1] * speed[1] + other[2] * speed[2]
    central_difference(p, d, here)
    bulge, bulge_there = room[1], room[2]
    zonal(p, w.degree, bulge)
    zonal(there, w.degree, bulge_there)
    r2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2]
    pull = -MU_M3_S2 / (r2 * math.sqrt(r2))
    for i in range(3):
        dy[6 + i], dy[9 + i] = dv[i], here[i] + other[i] - own[i] + bulge_there[i] - bulge[i]
        dy[i], dy[3 + i] = v[i], pull * p[i] + bulge[i] + own[i]
    if w.prescribed:
        dy[0:6] = 0.0
        dy[WORK_C] = dy[9] * dv[0] + dy[10] * dv[1] + dy[11] * dv[2]
    _attitudes(y, w, p, there, scale, flow, dy)


@kernel
def _pressure_torque(craft: Any, mass: float, q: Quad, acceleration: Triple, out: Array) -> None:
    """Of air and sunlight at the centre of pressure, body axes."""
    if acceleration[0] == 0.0 and acceleration[1] == 0.0 and acceleration[2] == 0.0:
        out[:] = 0.0
        return
    into_body(q, acceleration, out)
    a, r = triple(out, 0), triple(craft.lever, 0)
    x, y, z = r[1] * a[2] - r[2] * a[1], r[2] * a[0] - r[0] * a[2], r[0] * a[1] - r[1] * a[0]
    out[0], out[1], out[2] = mass * x, mass * y, mass * z


@kernel
def _attitudes(y: Array, w: Any, p: Triple, there: Triple, scale: float, flow: float, dy: Array) -> None:
    """Derivatives of both attitudes, the wheels, the mass and their ledgers. Rows 5, 6 of ``room`` hold surface torques."""
    room = w.room
    torque_t, torque_c, body, h = room[5], room[6], room[0], room[2]
    q_t, q_c, rate_t, rate_c = quad(y, 12), quad(y, 19), triple(y, 16), triple(y, 23)
    if w.gradient:
        into_body(q_t, p, body)
        gravity_gradient_torque(triple(body, 0), w.target.inertia, room[7])
        for i in range(3):
            torque_t[i] += room[7, i]
        into_body(q_c, there, body)
        gravity_gradient_torque(triple(body, 0), w.chaser.inertia, room[7])
        for i in range(3):
            torque_c[i] += scale * room[7, i]
    given = triple(torque_t, 0)
    lost = _turning(q_t, rate_t, w.target, 1.0, NOTHING, given, 0.0, dy[12:16], dy[16:19], body)
    out_of_body(q_t, given, dy[33:36])
    dy[SPIN_WORK_T] = given[0] * rate_t[0] + given[1] * rate_t[1] + given[2] * rate_t[2]
    h[:] = 0.0
    power = 0.0
    reaction = room[7]
    for i in range(3):
        torque_c[i] += w.torque[i]
        reaction[i] = torque_c[i]
    for k in range(w.wheels):
        u, momentum = w.drive[k], y[26 + k]
        dy[26 + k] = u
        along = 0.0
        for i in range(3):
            h[i] += w.axes[k, i] * momentum
            reaction[i] -= w.axes[k, i] * u
            along += w.axes[k, i] * rate_c[i]
        power += u * (momentum / w.rotor - along)
    dy[MASS] = flow
    lost = _turning(
        q_c, rate_c, w.chaser, scale, triple(h, 0), triple(reaction, 0), flow / w.first_mass, dy[19:23], dy[23:26], body
    )
    given = triple(torque_c, 0)
    out_of_body(q_c, (body[0] + given[0], body[1] + given[1], body[2] + given[2]), dy[36:39])
    dy[SPIN_WORK_C] = power + lost + given[0] * rate_c[0] + given[1] * rate_c[1] + given[2] * rate_c[2]


@kernel
def wheel_torque(asked: float, momentum: float, most: float, limit: float, dt: float) -> float:
    """What the motor gives in a step: bounded, and no more than brings the wheel to its greatest momentum. Constant over the
    step: a torque that jumps within would cost RK4 its accuracy."""
    u = min(max(asked, -most), most)
    return min(max(u, min(-limit - momentum, 0.0) / dt), max(limit - momentum, 0.0) / dt)


@kernel
def step(y: Array, world: World, dt: float) -> None:
    """One step of RK4 in place. A prescribed orbit must be given for its three moments."""
    w = world[0]
    k = w.k
    z = k[4]
    if w.prescribed:
        copy_to(w.reference[0], y[0:6])
    for n in range(w.wheels):
        w.drive[n] = wheel_torque(w.motor[n], y[26 + n], w.wheel_torque, w.wheel_momentum, dt)
    derivative(y, world, 0, k[0])
    for i in range(SIZE):
        z[i] = y[i] + 0.5 * dt * k[0, i]
    derivative(z, world, 1, k[1])
    for i in range(SIZE):
        z[i] = y[i] + 0.5 * dt * k[1, i]
    derivative(z, world, 1, k[2])
    for i in range(SIZE):
        z[i] = y[i] + dt * k[2, i]
    derivative(z, world, 2, k[3])
    for i in range(SIZE):
        y[i] += dt / 6.0 * (k[0, i] + 2.0 * (k[1, i] + k[2, i]) + k[3, i])
    _normalise(y[12:16])
    _normalise(y[19:23])
    if w.prescribed:
        copy_to(w.reference[2], y[0:6])


@kernel
def _normalise(q: Array) -> None:
    k = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    for i in range(4):
        q[i] *= k


@kernel
def wheel_rates(y: Array, world: World, out: Array) -> None:
    """``out`` := of the rotors against the craft, rad/s."""
    w: Any = world[0]
    for k in range(out.size):
        along = w.axes[k, 0] * y[23] + w.axes[k, 1] * y[24] + w.axes[k, 2] * y[25]
        out[k] = y[26 + k] / w.rotor - along


def exhaust_speed(specific_impulse_s: float) -> float:
    """m/s."""
    return specific_impulse_s * STANDARD_GRAVITY
