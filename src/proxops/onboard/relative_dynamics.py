"""How relative motion, the client's attitude and their covariance go on in time: one step of the relative filter.

d²r/dt² = G r + A 1 + U κ,  G = μ/R³ (3 eeᵀ − 1), e up, half-way between the craft (there it has no second order),
                            A: accelerations by the thrust along the chaser's three axes, κ: errors of scale of the thrusters that
                            push to either side of each, U: what those push, and a share of the whole, since they push unevenly
dω/dt = J⁻¹ (Jω × ω + τ),   τ: torque of the gravity gradient. About the principal axis i that is k_i (u_j u_k − g_i) with u the
                            rates about the three, g_i the gradient's element jk in these axes, and k_i = (I_j − I_k)/I_i,
                            which changes with s, the relative errors of the moments, in standard deviations.
                            Air and sunlight add their torque (``surface_force``), which the error of the target's mass
                            centre changes by its lever and s by the moment that it turns
"""

from __future__ import annotations

import math

import numpy as np

from proxops.core.flight import Floats
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import length, put_unit, quat_product
from proxops.maths.rotation import matrix_from_quat, quat_from_rotation_vector
from proxops.maths.small_matrix import applied, product, skew
from proxops.maths.stack import matrix, vector
from proxops.maths.triple import inverse, quad, rotated, triple
from proxops.onboard.local_orbit import gravity_gradient
from proxops.onboard.relative_model import (
    CENTRE,
    E_Q,
    E_S,
    E_SLOW,
    E_V,
    E_W,
    INERTIA_TIME_S,
    N_ERROR,
    N_SCALE,
    N_SLOW,
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
    """State and covariance over ``dt`` (at most about 0.1 s) in place. ``thrust``: (3, 3) A above, ``uneven``: (3, 6) U above;
    columns in eci axes. ``p_eci``: where the chaser is."""
    a_eci = applied(thrust, np.ones(3)) + applied(uneven, x[SLOW + SCALE : SLOW + SCALE + N_SCALE])
    G = np.empty((3, 3))
    gravity_gradient(p_eci - 0.5 * x[0:3], G)
    translation = translation_transition(G, uneven, dt)
    g = model.pull * gradient_pull(x[Q : Q + 4], G, model.axes)
    rotation = rotation_transition(x, g, dt, model)
    away = length(x[0:3])
    times = model.near_time if away < model.near_m else model.far_time if away > model.far_m else model.slow_time
    decay = np.exp(-dt / times)
    move(x, G, a_eci, dt)
    rotate(x, g, dt, model)
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
def gradient_pull(q_eci_target: Floats, G: Floats, axes: Floats) -> Floats:
    """(3) 1/s²: the elements yz, zx, xy of the gravity gradient ``G`` (eci axes) in the target's principal axes. They act against
    the products of the rates: 3μ/r³ r̂ × J r̂ is about the principal axis i −(I_j − I_k) 3μ/r³ r̂_j r̂_k."""
    M = product(matrix_from_quat(q_eci_target), axes)
    out = np.empty(3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] = 0.0
        for a in range(3):
            out[i] += M[a, j] * (G[a, 0] * M[0, k] + G[a, 1] * M[1, k] + G[a, 2] * M[2, k])
    return out


@kernel
def ratios(s: Floats, model: RelativeModel) -> Floats:
    """(3) (I_j − I_k)/I_i of moments of inertia that are wrong by s; 0 of a client whose control does what is needed. To first
    order in s it would not do: what is left turns a client of 2 deg/s by a degree in five minutes."""
    out, moments = np.empty(3), model.moments * (1.0 + model.moment_share * s)
    for i in range(3):
        out[i] = model.free * (moments[(i + 1) % 3] - moments[(i + 2) % 3]) / moments[i]
    return out


@kernel
def ratio_slope(s: Floats, model: RelativeModel) -> Floats:
    """(3, 3) how ``ratios``, rows, change with s, columns."""
    out, moments, k = np.zeros((3, 3)), model.moments * (1.0 + model.moment_share * s), ratios(s, model)
    for i in range(3):
        j, h = (i + 1) % 3, (i + 2) % 3
        share = model.moment_share / moments[i]
        out[i, j], out[i, h] = model.free * share * model.moments[j], -model.free * share * model.moments[h]
        out[i, i] = -share * model.moments[i] * k[i]
    return out


@kernel
def angular_acceleration(u: tuple[float, float, float], k: Floats, g: Floats) -> tuple[float, float, float]:
    """Euler's equations with the gravity gradient, about principal axes."""
    return k[0] * (u[1] * u[2] - g[0]), k[1] * (u[2] * u[0] - g[1]), k[2] * (u[0] * u[1] - g[2])


@kernel
def ahead(u: tuple[float, float, float], h: float, a: tuple[float, float, float]) -> tuple[float, float, float]:
    return u[0] + h * a[0], u[1] + h * a[1], u[2] + h * a[2]


@kernel
def rotate(x: Floats, g: Floats, dt: float, model: RelativeModel) -> None:
    """Attitude, rate and errors of inertia over ``dt``: Runge-Kutta for the rate, its mean for the attitude. ``g``: see
    ``gradient_pull``; in a step it turns by 1e-3 of itself at most. Air and sunlight (1e-7 rad/s²) turn the rate alone."""
    k, first = ratios(x[S : S + 3], model), applied(model.axes.T, x[W : W + 3])
    u = first[0], first[1], first[2]
    k1 = angular_acceleration(u, k, g)
    k2 = angular_acceleration(ahead(u, 0.5 * dt, k1), k, g)
    k3 = angular_acceleration(ahead(u, 0.5 * dt, k2), k, g)
    k4 = angular_acceleration(ahead(u, dt, k3), k, g)
    middle, last, push = np.empty(3), np.empty(3), surface_acceleration(x, model)
    for i in range(3):
        middle[i] = dt * (u[i] + dt / 6.0 * (k1[i] + k2[i] + k3[i]))
        last[i] = u[i] + dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])
        last[i] += dt * push[i] * (1.0 - model.moment_share * x[S + i])
    put_unit(quat_product(x[Q : Q + 4], quat_from_rotation_vector(applied(model.axes, middle))), x[Q : Q + 4])
    decay = math.exp(-dt / INERTIA_TIME_S)
    for i in range(3):
        x[W + i] = model.axes[i, 0] * last[0] + model.axes[i, 1] * last[1] + model.axes[i, 2] * last[2]
        x[S + i] *= decay


@kernel
def force_in_target(x: Floats, model: RelativeModel) -> Floats:
    """(3) N of air and sunlight, in the target's frame."""
    out = np.empty(3)
    out[0], out[1], out[2] = rotated(inverse(quad(x, Q)), triple(model.force, 0))
    return out


@kernel
def surface_acceleration(x: Floats, model: RelativeModel) -> Floats:
    """(3) rad/s² about principal axes by air and sunlight, with nominal moments: their lever is as wrong as the mass centre."""
    force = force_in_target(x, model)
    off = applied(skew(force), x[SLOW + CENTRE : SLOW + CENTRE + 3])
    return applied(model.axes.T, applied(model.surface, force) + applied(model.by_torque, off))


@kernel
def translation_transition(G: Floats, thrust: Floats, dt: float) -> Floats:
    """(6, 12) to position and velocity, of them and the thrust's scales."""
    out = np.zeros((6, 6 + N_SCALE))
    for i in range(3):
        for j in range(3):
            out[i, j] = out[3 + i, 3 + j] = 0.5 * dt * dt * G[i, j]
            out[3 + i, j] = dt * G[i, j]
        for j in range(N_SCALE):
            out[i, 6 + j] = 0.5 * dt * dt * thrust[i, j]
            out[3 + i, 6 + j] = dt * thrust[i, j]
        out[i, i] += 1.0
        out[3 + i, 3 + i] += 1.0
        out[i, 3 + i] = dt
    return out


@kernel
def rotation_transition(x: Floats, g: Floats, dt: float, model: RelativeModel) -> Floats:
    """(9, 12) to δθ, δω, δs, of them and the error of the mass centre: 1 + F dt + F² dt²/2. That torques change with δθ is left
    out: of 0.1 deg the gradient's makes 1e-9 rad/s²."""
    w, u, k = x[W : W + 3], applied(model.axes.T, x[W : W + 3]), ratios(x[S : S + 3], model)
    push = surface_acceleration(x, model)
    by_rate, by_moments, slope = np.zeros((3, 3)), np.empty((3, 3)), ratio_slope(x[S : S + 3], model)
    for i in range(3):
        j, h = (i + 1) % 3, (i + 2) % 3
        by_rate[i, j], by_rate[i, h] = k[i] * u[h], k[i] * u[j]
        for m in range(3):
            by_moments[i, m] = (u[j] * u[h] - g[i]) * slope[i, m]
        by_moments[i, i] -= model.moment_share * push[i]
    F = np.zeros((9, 9))
    F[0:3, 0:3] = -skew(w)
    F[3:6, 3:6] = product(product(model.axes, by_rate), model.axes.T)
    F[3:6, 6:9] = product(model.axes, by_moments)
    for i in range(3):
        F[i, 3 + i] = 1.0
        F[6 + i, 6 + i] = -1.0 / INERTIA_TIME_S
    out = np.zeros((9, 12))
    for i in range(9):
        for h in range(9):
            if F[i, h] != 0.0:  # a third of them
                for j in range(9):
                    out[i, j] += F[i, h] * F[h, j]
    for i in range(9):
        for j in range(9):
            out[i, j] = 0.5 * dt * dt * out[i, j] + dt * F[i, j] + (1.0 if i == j else 0.0)
    out[3:6, 9:12] = dt * product(model.by_torque, skew(force_in_target(x, model)))
    return out


@kernel
def spread(P: Floats, translation: Floats, rotation: Floats, decay: Floats) -> None:
    """P := Φ P Φᵀ in place, block by block: of the slow errors the thrust's scales act on the translation, and the target's mass
    centre on its rate."""
    M, more = matrix(N_ERROR, N_ERROR), vector(N_ERROR)
    for _ in range(2):  # twice ΦM transposed: (Φ (Φ P)ᵀ)ᵀ
        for i in range(E_Q):
            _put_rows(translation[i], 0, 6, P, 0, M[i])
            _put_rows(translation[i], 6, N_SCALE, P, E_SLOW + SCALE, more)
            for j in range(N_ERROR):
                M[i, j] += more[j]
        for i in range(E_SLOW - E_Q):
            _put_rows(rotation[i], 0, E_SLOW - E_Q, P, E_Q, M[E_Q + i])
        for i in range(3):
            _put_rows(rotation[3 + i], E_SLOW - E_Q, 3, P, E_SLOW + CENTRE, more)
            for j in range(N_ERROR):
                M[E_W + i, j] += more[j]
        for i in range(N_SLOW):
            for j in range(N_ERROR):
                M[E_SLOW + i, j] = decay[i] * P[E_SLOW + i, j]
        for i in range(N_ERROR):
            for j in range(N_ERROR):
                P[i, j] = M[j, i]


@kernel
def _put_rows(a: Floats, first: int, count: int, P: Floats, at: int, out: Floats) -> None:
    """``out`` := ``count`` elements of ``a``, three by three, times as many rows of P, from ``at`` on. Half of the threes are
    zero and left out."""
    for j in range(N_ERROR):
        out[j] = 0.0
    for h in range(0, count, 3):
        x, y, z = a[first + h], a[first + h + 1], a[first + h + 2]
        if x != 0.0 or y != 0.0 or z != 0.0:
            p, q, r = P[at + h], P[at + h + 1], P[at + h + 2]
            for j in range(N_ERROR):
                out[j] = out[j] + x * p[j] + y * q[j] + z * r[j]


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
        P[E_W + i, E_W + i] += model.rate_walk * model.rate_walk * dt
        P[E_S + i, E_S + i] += 1.0 - math.exp(-2.0 * dt / INERTIA_TIME_S)
    for i in range(N_SLOW):
        P[E_SLOW + i, E_SLOW + i] += model.slow_sigma[i] ** 2 * (1.0 - decay[i] * decay[i])
