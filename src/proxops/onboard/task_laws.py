"""Torques that make the tool follow a demanded motion: the four task-space laws of paper 003 (Table 1), as compiled algebra.

With e the task error (position; rotation vector of R_d Rᵀ, inertial axes), p̈_r = p̈_d + Kd ė + Kp e, d = J̇g q̇ + v̇gm the
exact drift, N = 1 − Jg⁺ Jg and v_a = Kps (q_s − q) − Kds q̇:

    1  τ = M* q̈_r + C* + Kd (q̇_r − q̇)          q̇_r = Jg⁺ (ṗ_d + Kp e − v_gm) + N α Kps (q_s − q)
    2  τ = M* (Jg⁺ (p̈_r − d) + N v_a) + C*
    3  τ = M* Jg⁺ (p̈_r − d) + N v_a + C*
    4  τ = Jgᵀ Λ (p̈_r − d + Jg M*⁻¹ C*) + (1 − Jgᵀ J̄ᵀ) v_a      Λ = (Jg M*⁻¹ Jgᵀ)⁻¹,  J̄ = M*⁻¹ Jgᵀ Λ

Where the paper is left: the posture term of law 1 pulls (plus; eq. 17's minus repels), its q̈_r is the derivative of q̇_r in
closed form (eq. 20 takes differences of samples), and law 4's drift has v̇_gm (eq. 35 lacks it). Since Jg q̇_r = ṗ_r − v_gm
holds at all times, Jg q̈_r = p̈_r − v̇_gm − J̇g q̇_r: against the drift of the motion itself that is less by J̇g (q̇_r −
q̇), of second order in errors; but q̈_r also has a part in the null space, N J̇gᵀ (Jg Jgᵀ)⁻¹ (…), of first order, and
without it Kd's damping drags the tool along (on the path of ``humanoid`` 1 mm instead of 14 µm; differences of samples: 27
µm). That part takes the matrix J̇g and not only its product with q̇. Known forces (gravity gradient, wheels) are in C* and d.

In law 2 Kps and Kds are 1/s² and 1/s, in laws 3 and 4 N m/rad and N m s/rad.
"""

from __future__ import annotations

import numpy as np

from proxops.arms.generalised import Parts
from proxops.arms.model import N_BASE, N_BASE_Q, Floats
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import rotation_vector
from proxops.maths.rotation import quat_from_matrix
from proxops.onboard.damped_inverse import prepare, prepare_weighted, pull, push, solve

# Rows of the gains' table: task stiffness, damping (of the joints in law 1), posture stiffness and damping.
KP, KD, KPS, KDS = 0, 1, 2, 3


@kernel
def velocity_law(
    g: Parts, rate: Floats, tool: Floats, demand: Floats, q: Floats, v: Floats, gains: Floats, posture: Floats,
    u: Floats, out: Floats,
) -> float:  # fmt: skip
    """Law 1. ``rate``: J̇g. Near singularities λ counts as constant in q̈_r. Returns σ_min of Jg, as all laws do."""
    inertia, bias, J, drift, carried, _ = g
    n = posture.shape[0]
    L, error = np.empty((6, 6)), np.empty(6)
    sigma = prepare(J, u, L)
    task_error(tool, demand, error)
    wish, wish_rate, part = np.empty(n), np.empty(n), np.empty(n)
    for i in range(n):
        wish[i] = gains[KPS, i] * (posture[i] - q[N_BASE_Q + i])
        wish_rate[i] = -gains[KPS, i] * v[N_BASE + i]
    # q̇_r = wish + Jᵀ w, w = (J Jᵀ)⁻¹ (ṗ_r − v_gm − J wish)
    w, w_rate, pushed = np.empty(6), np.empty(6), np.empty(6)
    push(J, wish, pushed)
    for i in range(6):
        w[i] = demand[12 + i] + gains[KP, i] * error[i] - carried[i] - pushed[i]
    speed, acceleration = np.empty(n), np.empty(n)
    pull(J, L, w, speed)
    for j in range(n):
        total = 0.0
        for i in range(6):
            total += rate[i, j] * w[i]
        part[j] = wish_rate[j] + total  # with J̇ᵀ w
        speed[j] += wish[j]
    # q̈_r = part + Jᵀ ẇ, J q̈_r = p̈_r − v̇_gm − J̇ q̇_r, v̇_gm = drift − J̇ q̇
    push(J, part, pushed)
    for i in range(6):
        total = demand[18 + i] + gains[KP, i] * (demand[12 + i] - tool[12 + i]) - drift[i] - pushed[i]
        for j in range(n):
            total -= rate[i, j] * (speed[j] - v[N_BASE + j])
        w_rate[i] = total
    pull(J, L, w_rate, acceleration)
    for i in range(n):
        acceleration[i] += part[i]
    put_torques(inertia, bias, acceleration, out)
    for i in range(n):
        out[i] += gains[KD, i] * (speed[i] - v[N_BASE + i])
    return sigma


@kernel
def acceleration_law(
    g: Parts, tool: Floats, demand: Floats, q: Floats, v: Floats, gains: Floats, posture: Floats, weighted: bool,
    u: Floats, out: Floats,
) -> float:  # fmt: skip
    """Laws 2 (``weighted``: the posture's wish is an acceleration) and 3 (it is a torque, and couples: eq. 32)."""
    inertia, bias, J, drift, _, _ = g
    n = posture.shape[0]
    L, task, pushed = np.empty((6, 6)), np.empty(6), np.empty(6)
    sigma = prepare(J, u, L)
    reference(tool, demand, gains, drift, task)
    wish, acceleration, away = np.empty(n), np.empty(n), np.empty(n)
    posture_wish(q, v, gains, posture, wish)
    push(J, wish, pushed)
    pull(J, L, task, acceleration)
    pull(J, L, pushed, away)
    for i in range(n):
        wish[i] -= away[i]
        if weighted:
            acceleration[i] += wish[i]
    put_torques(inertia, bias, acceleration, out)
    if not weighted:
        for i in range(n):
            out[i] += wish[i]
    return sigma


@kernel
def force_law(
    g: Parts, tool: Floats, demand: Floats, q: Floats, v: Floats, gains: Floats, posture: Floats, u: Floats,
    out: Floats,
) -> float:  # fmt: skip
    """Law 4: τ = v_a + Jᵀ Λ (p̈_r − d + J M*⁻¹ (C* − v_a))."""
    inertia, bias, J, drift, _, _ = g
    n = posture.shape[0]
    L, W, task = np.empty((6, 6)), np.empty((6, n)), np.empty(6)
    sigma = prepare_weighted(J, inertia, u, L, W)
    reference(tool, demand, gains, drift, task)
    wish = np.empty(n)
    posture_wish(q, v, gains, posture, wish)
    for i in range(6):
        for j in range(n):
            task[i] += W[i, j] * (bias[j] - wish[j])
    solve(L, task)
    for j in range(n):
        out[j] = wish[j]
        for i in range(6):
            out[j] += J[i, j] * task[i]
    return sigma


@kernel
def task_error(tool: Floats, demand: Floats, out: Floats) -> None:
    """(6) position, and rotation vector of R_d Rᵀ; ``tool`` and ``demand`` begin with position and attitude (R by rows)."""
    turn = np.empty((3, 3))
    for i in range(3):
        out[i] = demand[i] - tool[i]
        for j in range(3):
            a, b = 3 + 3 * i, 3 + 3 * j
            turn[i, j] = demand[a] * tool[b] + demand[a + 1] * tool[b + 1] + demand[a + 2] * tool[b + 2]
    rotation_vector(quat_from_matrix(turn), out[3:])


@kernel
def reference(tool: Floats, demand: Floats, gains: Floats, drift: Floats, out: Floats) -> None:
    """(6) p̈_d + Kd ė + Kp e − drift."""
    task_error(tool, demand, out)
    for i in range(6):
        damped = gains[KD, i] * (demand[12 + i] - tool[12 + i])
        out[i] = demand[18 + i] + damped + gains[KP, i] * out[i] - drift[i]


@kernel
def posture_wish(q: Floats, v: Floats, gains: Floats, posture: Floats, out: Floats) -> None:
    """(n) Kps (q_s − q) − Kds q̇."""
    for i in range(posture.shape[0]):
        out[i] = gains[KPS, i] * (posture[i] - q[N_BASE_Q + i]) - gains[KDS, i] * v[N_BASE + i]


@kernel
def put_torques(inertia: Floats, bias: Floats, acceleration: Floats, out: Floats) -> None:
    """(n) M* q̈ + C*."""
    for i in range(out.shape[0]):
        total = bias[i]
        for j in range(out.shape[0]):
            total += inertia[i, j] * acceleration[j]
        out[i] = total
