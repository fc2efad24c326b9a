"""How relative motion, the client's attitude and their covariance go on in time: one step of the relative filter.

d²r/dt² = G r + A 1 + U κ,  G = μ/R³ (3 eeᵀ − 1), e up, half-way between the craft (there it has no second order),
                            A: accelerations by the thrust along the chaser's three axes, κ: their errors of scale,
                            U: A and a share of the whole on each axis, since thrusters that push together push unevenly
dω/dt = J⁻¹ (Jω × ω) + D(ω) s,  s: relative errors of the principal moments of inertia, in standard deviations
"""

from __future__ import annotations

import math

import numpy as np

from proxops.core.flight import Floats
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import cross, put_unit, quat_product
from proxops.maths.rotation import quat_from_rotation_vector
from proxops.maths.small_matrix import applied, product, skew
from proxops.onboard.local_orbit import gravity_gradient
from proxops.onboard.relative_model import (
    E_Q,
    E_S,
    E_SLOW,
    E_V,
    E_W,
    INERTIA_TIME_S,
    N_ERROR,
    N_SLOW,
    RATE_WALK,
    SCALE,
    SLOW,
    THRUST_ANGLE,
    THRUST_SHARE,
    VELOCITY_WALK,
    Q,
    RelativeModel,
    S,
    W,
)


@kernel
def propagate(
    x: Floats, P: Floats, thrust: Floats, uneven: Floats, p_eci: Floats, dt: float, model: RelativeModel
) -> None:
    """State and covariance over ``dt`` (at most about 0.1 s) in place. ``thrust``: (3, 3) A above, ``uneven``: U above;
    columns in eci axes. ``p_eci``: where the chaser is."""
    a_eci = applied(thrust, np.ones(3)) + applied(uneven, x[SLOW + SCALE : SLOW + SCALE + 3])
    G = np.empty((3, 3))
    gravity_gradient(p_eci - 0.5 * x[0:3], G)
    translation = translation_transition(G, uneven, dt)
    rotation = rotation_transition(x, dt, model)
    decay = np.exp(-dt / model.slow_time)
    move(x, G, a_eci, dt)
    rotate(x, dt, model)
    for i in range(N_SLOW):
        x[SLOW + i] *= decay[i]
    spread(P, translation, rotation, decay)
    add_noise(P, a_eci, decay, dt, model)


@kernel
def move(x: Floats, G: Floats, a: Floats, dt: float) -> None:
    """Position and velocity over ``dt``, to the third order in dt."""
    g = np.empty(3)
    j = np.empty(3)
    for i in range(3):
        g[i] = G[i, 0] * x[0] + G[i, 1] * x[1] + G[i, 2] * x[2] + a[i]
        j[i] = G[i, 0] * x[E_V] + G[i, 1] * x[E_V + 1] + G[i, 2] * x[E_V + 2]
    for i in range(3):
        x[i] += dt * x[E_V + i] + 0.5 * dt * dt * g[i]
        x[E_V + i] += dt * g[i] + 0.5 * dt * dt * j[i]


@kernel
def angular_acceleration(w: Floats, s: Floats, model: RelativeModel) -> Floats:
    """Euler's equations with moments of inertia that are wrong by s, target's frame."""
    out = applied(model.inverse_inertia, cross(applied(model.inertia, w), w))
    return out + applied(inertia_effect(w, model), s)


@kernel
def inertia_effect(w: Floats, model: RelativeModel) -> Floats:
    """(3, 3) rad/s²: how the angular acceleration changes with s, one standard deviation of each principal moment. About the
    principal axis i it is (I_j − I_k)/I_i u_j u_k, whose first factor changes by ``model.torque_slope``."""
    u = applied(model.axes.T, w)
    local = np.empty((3, 3))
    for i in range(3):
        local[i] = u[(i + 1) % 3] * u[(i + 2) % 3] * model.torque_slope[i]
    return product(model.axes, local)


@kernel
def inertia_slope(w: Floats, s: Floats, model: RelativeModel) -> Floats:
    """(3, 3) 1/s: how ``inertia_effect`` times s changes with the rate."""
    u = applied(model.axes.T, w)
    share = applied(model.torque_slope, s)
    local = np.zeros((3, 3))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        local[i, j], local[i, k] = share[i] * u[k], share[i] * u[j]
    return product(product(model.axes, local), model.axes.T)


@kernel
def rotate(x: Floats, dt: float, model: RelativeModel) -> None:
    """Attitude, rate and torque error over ``dt``: Runge-Kutta for the rate, its mean for the attitude."""
    w, s = x[W : W + 3].copy(), x[S : S + 3].copy()
    k1 = angular_acceleration(w, s, model)
    k2 = angular_acceleration(w + 0.5 * dt * k1, s, model)
    k3 = angular_acceleration(w + 0.5 * dt * k2, s, model)
    k4 = angular_acceleration(w + dt * k3, s, model)
    middle = w + dt / 6.0 * (k1 + k2 + k3)
    put_unit(quat_product(x[Q : Q + 4], quat_from_rotation_vector(middle * dt)), x[Q : Q + 4])
    decay = math.exp(-dt / INERTIA_TIME_S)
    for i in range(3):
        x[W + i] = w[i] + dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])
        x[S + i] = decay * s[i]


@kernel
def translation_transition(G: Floats, thrust: Floats, dt: float) -> Floats:
    """(6, 9) to position and velocity, of them and the thrust's scales."""
    out = np.zeros((6, 9))
    for i in range(3):
        for j in range(3):
            out[i, j] = out[3 + i, 3 + j] = 0.5 * dt * dt * G[i, j]
            out[3 + i, j] = dt * G[i, j]
            out[i, 6 + j] = 0.5 * dt * dt * thrust[i, j]
            out[3 + i, 6 + j] = dt * thrust[i, j]
        out[i, i] += 1.0
        out[3 + i, 3 + i] += 1.0
        out[i, 3 + i] = dt
    return out


@kernel
def rotation_transition(x: Floats, dt: float, model: RelativeModel) -> Floats:
    """(9, 9) of δθ, δω, δs: 1 + F dt + F² dt²/2."""
    w, s = x[W : W + 3], x[S : S + 3]
    F = np.zeros((9, 9))
    F[0:3, 0:3] = -skew(w)
    turn = skew(applied(model.inertia, w)) - product(skew(w), model.inertia)  # ∂(Jω × ω)/∂ω
    F[3:6, 3:6] = product(model.inverse_inertia, turn) + inertia_slope(w, s, model)
    F[3:6, 6:9] = inertia_effect(w, model)
    for i in range(3):
        F[i, 3 + i] = 1.0
        F[6 + i, 6 + i] = -1.0 / INERTIA_TIME_S
    out = 0.5 * dt * dt * product(F, F) + dt * F
    for i in range(9):
        out[i, i] += 1.0
    return out


@kernel
def spread(P: Floats, translation: Floats, rotation: Floats, decay: Floats) -> None:
    """P := Φ P Φᵀ in place, block by block: of the slow errors only the thrust's scales act on others, on the translation."""
    M = np.empty((N_ERROR, N_ERROR))
    for _ in range(2):  # twice ΦM transposed: (Φ (Φ P)ᵀ)ᵀ
        M[:] = 0.0
        for i in range(E_Q):
            _add_rows(translation, i, 0, 6, P, 0, M, i)
            by_scales = np.zeros((1, N_ERROR))
            _add_rows(translation, i, 6, 3, P, E_SLOW + SCALE, by_scales, 0)
            for j in range(N_ERROR):
                M[i, j] += by_scales[0, j]
        for i in range(E_SLOW - E_Q):
            _add_rows(rotation, i, 0, E_SLOW - E_Q, P, E_Q, M, E_Q + i)
        for i in range(N_SLOW):
            for j in range(N_ERROR):
                M[E_SLOW + i, j] = decay[i] * P[E_SLOW + i, j]
        for i in range(N_ERROR):
            for j in range(N_ERROR):
                P[i, j] = M[j, i]


@kernel
def _add_rows(a: Floats, row: int, first: int, count: int, P: Floats, at: int, out: Floats, to: int) -> None:
    """Row ``to`` of ``out`` += ``count`` columns of a's row times as many rows of P, from ``at`` on."""
    for h in range(count):
        for j in range(N_ERROR):
            out[to, j] += a[row, first + h] * P[at + h, j]


@kernel
def add_noise(P: Floats, a: Floats, decay: Floats, dt: float, model: RelativeModel) -> None:
    """Process noise of ``dt``."""
    a2 = a[0] * a[0] + a[1] * a[1] + a[2] * a[2]
    across = THRUST_ANGLE * THRUST_ANGLE
    along = THRUST_SHARE * THRUST_SHARE - across
    k = model.period_s * dt  # the share of this step in the impulse's variance of a whole cycle
    for i in range(3):
        for j in range(3):
            q = k * along * a[i] * a[j]
            if i == j:
                q += k * across * a2 + VELOCITY_WALK * VELOCITY_WALK * dt
            P[i, j] += q * dt * dt / 3.0
            P[i, E_V + j] += q * dt / 2.0
            P[E_V + i, j] += q * dt / 2.0
            P[E_V + i, E_V + j] += q
        P[E_W + i, E_W + i] += RATE_WALK * RATE_WALK * dt
        P[E_S + i, E_S + i] += 1.0 - math.exp(-2.0 * dt / INERTIA_TIME_S)
    for i in range(N_SLOW):
        P[E_SLOW + i, E_SLOW + i] += model.slow_sigma[i] ** 2 * (1.0 - decay[i] * decay[i])
