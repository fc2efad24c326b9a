"""Regression of a contact law on samples: Gauss-Newton steps from the law before, priors, and the choice of samples.

Which samples count is decided by the force that the law before foretells and not by the reading, whose noise would choose
the high ones. Hidden samples do not count, not even as bounds: a damped contact begins with a jump, so that a reading of
zero says nothing of the force a little further in. Within one solve the choice stands and the law is taken without its
edge, so that the cost is smooth; contact begins before the first sample that is plainly felt, and damping is never below zero.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.small_matrix import cholesky, lower_solved
from proxops.touch.bounded_step import Chosen, bounded_step
from proxops.touch.contact_samples import CAPACITY, FELT, ZETA_MEAN, Fit

P: Final = 4  # parameters: log of the force at the reference depth, damping, contact point, exponent
PASSES: Final = 8  # Gauss-Newton steps in one solve, at most
SETTLED: Final = 1e-7  # step, in the parameters' own units, that ends them
FIRST_ROUNDS: Final = 3
ZETA_SD: Final = 0.15  # how far the damping ratio may be from what is expected
N_MEAN, N_SD = 1.15, 0.25  # what is thought of the exponent, where it is not declared
N_LEAST, N_MOST = 0.9, 2.5
COUNTS: Final = 2.5  # noise deviations beyond the dead zone at which a foretold force counts as seen by the sensor
SLOPE: Final = 5.0  # deviations by which the first stiffness has to stand above zero
FLOOR: Final = 2e-3  # of the force: what a sample is trusted to at best, noise or not
SPIKE: Final = 6.0  # deviations (and a tenth of the force) beyond which a residual loses weight


@kernel
def solve_fit(fit: Fit) -> bool:
    """The law of all samples so far, into the fit's own numbers; False while there is none (or no number)."""
    f = fit[0]
    if f.valid == 1:
        return _solve_once(fit)
    found = _begin(fit)
    for _ in range(FIRST_ROUNDS):  # a first law chooses its samples by their readings, the next ones by the law
        found = found and _solve_once(fit)
    return found


@kernel
def _solve_once(fit: Fit) -> bool:
    """Gauss-Newton from the law before, with the samples that it chooses."""
    f = fit[0]
    use = np.zeros(CAPACITY, np.bool_)
    d_ref = _choose(fit, use)
    if not d_ref > 0.0:
        return bool(f.valid == 1)
    peak = f.k * d_ref**f.n
    c_ref = math.sqrt(peak / d_ref * f.mass)
    theta = np.array([math.log(peak), f.c / c_ref, f.d0 / d_ref, f.n])
    low = np.array([-math.inf, 0.0, -math.inf, N_LEAST])
    high = np.array([math.inf, math.inf, _first_felt(fit) / d_ref, N_MOST])
    A, g, trial, A2, g2 = np.empty((P, P)), np.empty(P), np.empty(P), np.empty((P, P)), np.empty(P)
    cost = _sums(fit, use, theta, d_ref, c_ref, peak, A, g)
    for _ in range(PASSES):
        if not bounded_step(A, g, theta, low, high, trial):
            return bool(f.valid == 1)
        moved = np.max(np.abs(trial - theta))
        new = _sums(fit, use, trial, d_ref, c_ref, peak, A2, g2)
        for _halving in range(3):
            if new <= cost:
                break
            trial[:] = 0.5 * (theta + trial)
            new = _sums(fit, use, trial, d_ref, c_ref, peak, A2, g2)
        if not new <= cost:
            break
        theta[:], cost = trial, new
        A[:, :], g[:] = A2, g2
        if moved < SETTLED:
            break
    return _keep(fit, theta, d_ref, c_ref, A)


@kernel
def _keep(fit: Fit, theta: Array, d_ref: float, c_ref: float, A: Array) -> bool:
    f = fit[0]
    k = math.exp(theta[0]) / d_ref ** theta[3]
    if not (math.isfinite(k) and math.isfinite(theta[1]) and math.isfinite(theta[2])):
        return bool(f.valid == 1)
    f.k, f.c, f.d0, f.n, f.valid = k, theta[1] * c_ref, theta[2] * d_ref, theta[3], 1
    scale = np.array([1.0, c_ref, d_ref, 1.0])
    inverse = lower_solved(cholesky(A), np.eye(P))
    for a in range(P):
        total = 0.0
        for b in range(P):
            total += inverse[b, a] ** 2
        f.sd[a] = scale[a] * math.sqrt(total)
    return True


@kernel
def _begin(fit: Fit) -> bool:
    """First law: a straight line through the samples that are felt; False while its slope may be noise."""
    f = fit[0]
    sx, sy, sxx, sxy, w = 0.0, 0.0, 0.0, 0.0, 0.0
    least = f.dead + COUNTS * f.noise
    for i in range(f.count):
        if f.hidden[i] == 0 and f.force[i] > least:
            w += f.weight[i]
            sx += f.weight[i] * f.x[i]
            sy += f.weight[i] * f.force[i]
            sxx += f.weight[i] * f.x[i] ** 2
            sxy += f.weight[i] * f.x[i] * f.force[i]
    if w == 0.0:
        return False
    noise = max(f.noise, FLOOR * f.largest)
    if f.prior_k > 0.0:
        if not sy > (FELT + 2.0) * noise * math.sqrt(w):
            return False
        f.k, f.d0 = f.prior_k, sx / w - sy / w / f.prior_k
    elif w >= 2.0:
        spread = sxx - sx * sx / w
        slope = (sxy - sx * sy / w) / spread if spread > 0.0 else 0.0
        if not slope * math.sqrt(spread) > SLOPE * noise:
            return False
        f.k, f.d0 = slope, sx / w - sy / w / slope
    else:
        return False
    f.c, f.n = 2.0 * ZETA_MEAN * math.sqrt(f.k * f.mass), 1.0
    return True


@kernel
def _choose(fit: Fit, use: Chosen) -> float:
    """Which samples count, by the law before. Returns the reference depth: the greatest of them."""
    f = fit[0]
    least, deepest = f.dead + COUNTS * f.noise if f.dead > 0.0 else 0.0, 0.0
    for i in range(f.count):
        d = f.x[i] - f.d0
        foretold = f.k * d**f.n + f.c * f.rate[i] if d > 0.0 else 0.0
        felt_first = f.valid == 0 and f.force[i] > f.dead + COUNTS * f.noise
        # Plainly felt where nothing is foretold: the contact point is wrong.
        misplaced = f.force[i] > f.dead + (COUNTS + 2.0) * f.noise + 0.02 * f.largest
        use[i] = f.hidden[i] == 0 and (foretold > least or felt_first or misplaced)
        if use[i]:
            deepest = max(deepest, d)
    return deepest


@kernel
def _first_felt(fit: Fit) -> float:
    """m, the least position with a force that is plainly none of noise: contact begins before it."""
    f = fit[0]
    least, x = f.dead + (FELT + 1.0) * f.noise, math.inf
    for i in range(f.count):
        if f.hidden[i] == 0 and f.force[i] > least:
            x = min(x, f.x[i])
    return x


@kernel
def _sums(fit: Fit, use: Chosen, theta: Array, d_ref: float, c_ref: float, peak: float, A: Array, g: Array) -> float:
    """Normal matrix, gradient and cost at ``theta`` = (log force at d_ref, c / c_ref, d0 / d_ref, n); ``peak``: force (N) at
    d_ref of the law before, the scale of floor and spikes."""
    f = fit[0]
    A[:, :], g[:], cost = 0.0, 0.0, 0.0
    noise = max(f.noise, FLOOR * peak)
    spike = max(SPIKE * noise, 0.1 * peak)
    f_ref, n = math.exp(theta[0]), theta[3]
    J = np.empty(P)
    for i in range(f.count):
        if not use[i]:
            continue
        u = (f.x[i] - theta[2] * d_ref) / d_ref
        s = max(abs(u), 1e-3)
        steep = f_ref * s ** (n - 1.0) if n != 1.0 else f_ref
        spring = steep * u
        J[0], J[1], J[2], J[3] = spring, c_ref * f.rate[i], -n * steep, spring * math.log(s)
        value = spring + theta[1] * J[1]
        r = f.force[i] - value
        size = abs(r)
        w = f.weight[i] / (noise * noise) * (1.0 if size < spike else spike / size)
        cost += 0.5 * w * r * r if size < spike else w * (r * r - 0.5 * spike * size)
        for a in range(P):
            g[a] += w * J[a] * r
            for b in range(a + 1):
                A[a, b] += w * J[a] * J[b]
    return cost + _priors(fit, theta, d_ref, c_ref, A, g)


@kernel
def _priors(fit: Fit, theta: Array, d_ref: float, c_ref: float, A: Array, g: Array) -> float:
    """What is believed before the samples, as one more set of them; fixes the exponent where it is declared."""
    f = fit[0]
    sd = np.array([math.inf, 2.0 * ZETA_SD, math.inf, N_SD if f.free_n == 1 else 1e-6])
    mean = np.array([0.0, 2.0 * ZETA_MEAN, 0.0, N_MEAN if f.free_n == 1 else 1.0])
    if f.prior_k > 0.0:  # a declared stiffness speaks of the secant at the depth reached so far
        mean[0], sd[0] = math.log(f.prior_k * d_ref), f.prior_k_sd
    if f.prior_d0_sd < math.inf:
        mean[2], sd[2] = f.prior_d0 / d_ref, f.prior_d0_sd / d_ref
    cost = 0.0
    for a in range(P):
        w = 1.0 / (sd[a] * sd[a])
        r = mean[a] - theta[a]
        if w > 0.0:
            A[a, a] += w
            g[a] += w * r
            cost += 0.5 * w * r * r
        for b in range(a):
            A[b, a] = A[a, b]
    return cost
