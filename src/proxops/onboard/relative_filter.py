"""The error-state Kalman filter of relative motion: through the history of inputs, then the measurement, gated as a whole.

The error of a pose from an image lasts: light and shape that are not as they are believed make nearly the same of it until the
view has changed. So one image is judged by the covariance R that comes with it, and counts as one of n that err alike:

    z S⁻¹ z ≤ gate with S = H P Hᵀ + R,     then Kalman's update with n R.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.core.flight import N_ERRORS, Estimate, Floats, RelativeMeasurement
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import length, put_unit, quat_product
from proxops.maths.rotation import copy_to, matrix_from_quat, quat_from_rotation_vector
from proxops.maths.small_matrix import applied, cholesky, lower_solved, product
from proxops.maths.stack import matrix
from proxops.onboard.input_history import ATTITUDE, PLACE, T, attitude_at, row_at, thrust_at
from proxops.onboard.relative_dynamics import propagate
from proxops.onboard.relative_model import (
    E_Q,
    E_SLOW,
    E_V,
    E_W,
    LEARNT,
    N_ERROR,
    N_SCALE,
    N_SOURCES,
    N_STATE,
    NOISE,
    NOISE_KNOWN,
    NOISE_LEAST,
    NOISE_MEMORY,
    NOISE_MOST,
    NOISE_SETTLE,
    SLOW,
    UNEVEN,
    Q,
    RelativeModel,
    W,
)
from proxops.onboard.relative_observation import noise, observe, placed, residual

GATE: Final = 27.8563  # chi-square of 6 degrees of freedom, 99.99 %
LONGEST_STEP_S: Final = 0.101  # of one propagation; 0.1 s is the usual cycle
# Before the first measurement nothing is known. Position and attitude are so wide that the measurement decides alone.
FIRST_SIGMA: Final = (100.0, 1.0, 1.0)  # m, m/s, rad
FIRST_RATE: Final = math.radians(10.0)  # rad/s
FIRST_TURN: Final = 0.7  # rad between two exposures at most, else their difference could be misread


ALL_DIFFER: Final = (1.0,) * N_SOURCES
NO_COVARIANCE: Final = np.zeros((6, 6))


class FilterState(NamedTuple):
    """At time ``t``; ``taken`` measurements are in it."""

    t: float
    x: Floats
    P: Floats
    taken: int


class RelativeFilter:
    """State, covariance and the time they belong to. Begins with one measurement: it sets position and attitude about a wide
    prior and is then taken in like any other, which makes the covariance with all its correlations to the slow errors."""

    def __init__(
        self, model: NDArray[np.void], seen: RelativeMeasurement, history: Floats, exposure_period_s: float,
        alike: tuple[float, ...] = ALL_DIFFER,
    ) -> None:  # fmt: skip
        """``model``: see ``record_of``; ``alike``: how many measurements of each source err alike."""
        self.model, self._alike = model, alike
        self.t = seen.t
        self.x: Floats = np.zeros(N_STATE)
        self.P: Floats = np.zeros((N_ERROR, N_ERROR))
        self.taken = 0  # measurements
        # Of the next row of the history, once something beyond it was predicted; NaN: nothing.
        self._ahead_s, self._x_ahead, self._P_ahead = math.nan, np.empty(N_STATE), np.empty((N_ERROR, N_ERROR))
        # The last prediction; from there the next one goes on, unless a measurement has come (NaN) or the history begins later.
        self._now_s, self._x_now, self._P_now = math.nan, np.empty(N_STATE), np.empty((N_ERROR, N_ERROR))
        rate = min(FIRST_RATE, FIRST_TURN / exposure_period_s)
        begin(self.x, self.P, seen.t, seen.p_sensor_target, seen.q_sensor_target, history, rate, model)
        self.take(seen, history)

    def advance(self, t: float, history: Floats) -> None:
        """Predict to ``t``, later than now."""
        go_on(self.x, self.P, self._x_ahead, self._P_ahead, self.t, self._ahead_s, t, history, self.model)
        self.t, self._ahead_s = t, math.nan

    def take(self, seen: RelativeMeasurement, history: Floats) -> bool:
        """Take in a measurement exposed now or later; False: it does not fit, the filter has only gone on to its time."""
        covariance, own = (NO_COVARIANCE, False) if seen.covariance is None else (seen.covariance, True)
        fits = take_in(
            self.x, self.P, self._x_ahead, self._P_ahead, self.t, self._ahead_s, seen.t, seen.p_sensor_target,
            seen.q_sensor_target, covariance, own, seen.source, self._alike[seen.source],
            history, self.model,
        )  # fmt: skip
        self.t, self._ahead_s, self._now_s = seen.t, math.nan, math.nan
        self.taken += fits
        return fits

    def copy(self) -> FilterState:
        """As it is now, to come ``back`` to."""
        return FilterState(self.t, self.x.copy(), self.P.copy(), self.taken)

    def back(self, before: FilterState) -> None:
        self.t, self.taken, self._ahead_s, self._now_s = before.t, before.taken, math.nan, math.nan
        self.x[:], self.P[:] = before.x, before.P

    def model_changed(self) -> None:
        """The next prediction is made as a whole: it depends on nobody's having asked for one before."""
        self._now_s = math.nan

    def predicted(self, t: float, history: Floats) -> Estimate:
        """At ``t``; the filter itself stays where it is. As it will have to go there soon, it keeps what it meets at the next
        row of the history."""
        if history[0, T] <= self._now_s <= t:
            predict_on(self._x_now, self._P_now, self._now_s, t, history, self.model)
        else:
            self._ahead_s = predict(
                self.x, self.P, self.t, t, history, self.model, self._x_ahead, self._P_ahead, self._x_now, self._P_now
            )
        self._now_s = t if t <= history[-1, T] else math.nan  # beyond it nobody knows the inputs yet
        estimate = Estimate(np.empty(3), np.empty(3), np.empty(4), np.empty(3), np.empty((N_ERRORS, N_ERRORS)))
        tell(
            self._x_now, self._P_now, estimate.position, estimate.velocity, estimate.q_eci_target, estimate.w_eci_target,
            estimate.covariance,
        )  # fmt: skip
        return estimate


@kernel
def begin(
    x: Floats, P: Floats, t: float, p: Floats, q: Floats, history: Floats, rate: float, models: NDArray[np.void]
) -> None:
    """First state and prior; ``rate``: rad/s, one standard deviation of the client's unknown rate."""
    model = models[0]
    placed(x, p, q, attitude_at(history, t)[0], model)
    for i in range(3):
        P[i, i] = FIRST_SIGMA[0] ** 2
        P[E_V + i, E_V + i] = FIRST_SIGMA[1] ** 2
        P[E_Q + i, E_Q + i] = FIRST_SIGMA[2] ** 2
        P[E_W + i, E_W + i] = rate * rate
        P[E_W + 3 + i, E_W + 3 + i] = 1.0
    for i in range(N_ERROR - E_SLOW):
        P[E_SLOW + i, E_SLOW + i] = model.slow_sigma[i] ** 2


@kernel
def go_on(
    x: Floats, P: Floats, x_ahead: Floats, P_ahead: Floats, t: float, ahead: float, until: float, history: Floats,
    models: NDArray[np.void],
) -> None:  # fmt: skip
    """Predict in place; on the way to a later time the filter may have been there already."""
    if until == ahead:
        copy_to(x_ahead, x)
        copy_matrix(P_ahead, P)
    else:
        advance(x, P, t, until, history, models[0])


@kernel
def take_in(
    x: Floats, P: Floats, x_ahead: Floats, P_ahead: Floats, t: float, ahead: float, seen: float, p: Floats, q: Floats,
    covariance: Floats, own: bool, source: int, alike: float, history: Floats, models: NDArray[np.void],
) -> bool:  # fmt: skip
    """Go on to when it was ``seen``, and ``take`` it."""
    go_on(x, P, x_ahead, P_ahead, t, ahead, seen, history, models)
    return take(x, P, seen, p, q, covariance, own, source, alike, history, models[0])


@kernel
def copy_matrix(values: Floats, out: Floats) -> None:
    """``out`` := ``values``."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            out[i, j] = values[i, j]


@kernel
def advance(x: Floats, P: Floats, t: float, until: float, history: Floats, model: RelativeModel) -> None:
    """Predict in place, interval by interval of the history; beyond its ends the first or last inputs are held."""
    i = row_at(history, t)
    last = history.shape[0] - 1
    while t < until:
        if t >= history[i, T] and i < last:
            i += 1
            continue
        end = until if i == last else min(until, history[i, T])
        thrust = thrust_at(history, i)
        uneven = scaled(thrust, matrix_from_quat(history[i, ATTITUDE : ATTITUDE + 4]))
        steps = max(1, math.ceil((end - t) / LONGEST_STEP_S))
        for _ in range(steps):
            propagate(x, P, thrust, uneven, history[i, PLACE : PLACE + 3], (end - t) / steps, model)
        t = end


@kernel
def predict(
    x: Floats, P: Floats, t: float, until: float, history: Floats, models: NDArray[np.void], x_next: Floats, P_next: Floats,
    x_now: Floats, P_now: Floats,
) -> float:  # fmt: skip
    """``x_now``, ``P_now`` := ``advance`` to ``until``; ``x_next``, ``P_next`` := to the first row of the history after ``t``,
    whose time is returned, NaN if there is none."""
    i, last, model = row_at(history, t), history.shape[0] - 1, models[0]
    if t >= history[i, T] and i < last:
        i += 1
    first = until if i == last else min(until, history[i, T])
    copy_to(x, x_next)
    copy_matrix(P, P_next)
    advance(x_next, P_next, t, first, history, model)
    copy_to(x_next, x_now)
    copy_matrix(P_next, P_now)
    advance(x_now, P_now, first, until, history, model)
    return first if first <= history[last, T] else math.nan


@kernel
def predict_on(x: Floats, P: Floats, t: float, until: float, history: Floats, models: NDArray[np.void]) -> None:
    """``advance`` with the model as the filter has it."""
    advance(x, P, t, until, history, models[0])


@kernel
def tell(x: Floats, P: Floats, position: Floats, velocity: Floats, q: Floats, w: Floats, covariance: Floats) -> None:
    """What is an ``Estimate`` of a state."""
    copy_to(x[0:3], position)
    copy_to(x[3:6], velocity)
    copy_to(x[Q : Q + 4], q)
    copy_to(x[W : W + 3], w)
    copy_matrix(P[:N_ERRORS, :N_ERRORS], covariance)


@kernel
def scaled(thrust: Floats, R_eci_chaser: Floats) -> Floats:
    """(3, 6) m/s²: what a scale of one of those that push along +x, +y, +z, -x, -y, -z adds, eci axes. Along an axis one of
    its two sides pushes; what the whole does across itself is either's."""
    across = UNEVEN * length(applied(thrust, np.ones(3)))
    out = np.empty((3, N_SCALE))
    for j in range(3):
        along = 0.0
        for i in range(3):
            along += thrust[i, j] * R_eci_chaser[i, j]
        pushing = j if along >= 0.0 else 3 + j
        for i in range(3):
            out[i, j] = out[i, 3 + j] = across * R_eci_chaser[i, j]
            out[i, pushing] += thrust[i, j]
    return out


@kernel
def take(
    x: Floats, P: Floats, t: float, p: Floats, q: Floats, covariance: Floats, own: bool, source: int, alike: float,
    history: Floats, model: RelativeModel,
) -> bool:  # fmt: skip
    """Kalman's update in place, if the squared distance z S⁻¹ z of the innovation passes the gate; NaN never does.
    ``covariance``: of the measurement if it says its ``own``, else as the pose sensor's data sheet has it."""
    q_eci_chaser, w_eci_chaser = attitude_at(history, t)
    p_expected, q_expected, H = observe(x, q_eci_chaser, w_eci_chaser, model)
    z = residual(p, q, p_expected, q_expected)
    HP = matrix(6, N_ERROR)
    sparse_product(H, P, HP)
    learnt = x[NOISE + source]
    R = (1.0 + learnt) * (covariance if own else noise(p_expected, model))
    believed = product(HP, H.T)
    L = cholesky(believed + R)
    whitened = lower_solved(L, z.reshape(6, 1))[:, 0]
    off = np.sum(whitened * whitened)
    # A sensor that was learnt to be quieter than its data sheet may become as that says again: it is not shut out for it.
    if not off * min(1.0, 1.0 + learnt) <= GATE:
        return False
    learn_noise(x, source, off)
    if alike > 1.0:
        L = cholesky(believed + alike * R)
        whitened = lower_solved(L, z.reshape(6, 1))[:, 0]
    V = lower_solved(L, HP)  # K z = Vᵀ L⁻¹ z,  K S Kᵀ = Vᵀ V
    correct(x, applied(V.T, whitened))
    for i in range(N_ERROR):
        for k in range(0, 6, 3):
            take_off(V[k, i], V[k], V[k + 1, i], V[k + 1], V[k + 2, i], V[k + 2], P[i])
    for i in range(N_ERROR):
        for j in range(i):
            P[i, j] = P[j, i] = 0.5 * (P[i, j] + P[j, i])
    return True


@kernel
def learn_noise(x: Floats, source: int, off: float) -> None:
    """From the squared distance of an innovation: nearly all of it is noise, many measurements knowing the state far better."""
    learnt, scale = LEARNT + source, NOISE + source
    x[learnt] = min(x[learnt] + 1.0, NOISE_SETTLE + NOISE_MEMORY)
    if x[learnt] > NOISE_SETTLE:
        gain = (1.0 + x[scale]) / (x[learnt] - NOISE_SETTLE + NOISE_KNOWN)
        x[scale] = min(max(x[scale] + gain * (off / 6.0 - 1.0), NOISE_LEAST), NOISE_MOST)


@kernel
def sparse_product(a: Floats, b: Floats, out: Floats) -> None:
    """``out`` := a b, where more than half of a is zero."""
    for i in range(a.shape[0]):
        row = out[i]
        for j in range(N_ERROR):
            row[j] = 0.0
        for h in range(a.shape[1]):
            share, other = a[i, h], b[h]
            if share != 0.0:
                for j in range(N_ERROR):
                    row[j] += share * other[j]


@kernel
def take_off(x: float, a: Floats, y: float, b: Floats, z: float, c: Floats, row: Floats) -> None:
    """``row`` -= x a, y b and z c."""
    for j in range(N_ERROR):
        row[j] = row[j] - x * a[j] - y * b[j] - z * c[j]


@kernel
def correct(x: Floats, e: Floats) -> None:
    """Put the estimated error into the state."""
    for i in range(E_Q):
        x[i] += e[i]
    put_unit(quat_product(x[Q : Q + 4], quat_from_rotation_vector(e[E_Q : E_Q + 3])), x[Q : Q + 4])
    for i in range(N_ERROR - E_W):
        x[W + i] += e[E_W + i]


assert SLOW - W == E_SLOW - E_W  # correct() counts on it
