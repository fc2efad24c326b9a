"""The error-state Kalman filter of relative motion: through the history of inputs, then the measurement, gated as a whole."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.flight import Floats, RelativeMeasurement
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import length, put_unit, quat_product
from proxops.maths.rotation import matrix_from_quat, quat_from_rotation_vector
from proxops.maths.small_matrix import applied, cholesky, lower_solved, product
from proxops.onboard.input_history import ATTITUDE, PLACE, T, attitude_at, row_at, thrust_at
from proxops.onboard.relative_dynamics import propagate
from proxops.onboard.relative_model import (
    E_Q,
    E_SLOW,
    E_V,
    E_W,
    N_ERROR,
    N_SCALE,
    N_STATE,
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


class RelativeFilter:
    """State, covariance and the time they belong to. Begins with one measurement: it sets position and attitude about a wide
    prior and is then taken in like any other, which makes the covariance with all its correlations to the slow errors."""

    def __init__(
        self, model: RelativeModel, seen: RelativeMeasurement, history: Floats, exposure_period_s: float
    ) -> None:
        self.model = model
        self.t = seen.t
        self.x: Floats = np.zeros(N_STATE)
        self.P: Floats = np.zeros((N_ERROR, N_ERROR))
        self.taken = 0  # measurements
        # Of the next row of the history, once something beyond it was predicted; NaN: nothing.
        self._ahead_s, self._x_ahead, self._P_ahead = math.nan, np.empty(N_STATE), np.empty((N_ERROR, N_ERROR))
        rate = min(FIRST_RATE, FIRST_TURN / exposure_period_s)
        begin(self.x, self.P, seen.p_sensor_target, seen.q_sensor_target, attitude_at(history, seen.t)[0], rate, model)
        self.take(seen, history)

    def advance(self, t: float, history: Floats) -> None:
        """Predict to ``t``, later than now."""
        if t == self._ahead_s:  # on its way to a later time it was there already
            self.x[:], self.P[:] = self._x_ahead, self._P_ahead
        else:
            advance(self.x, self.P, self.t, t, history, self.model)
        self.t, self._ahead_s = t, math.nan

    def take(self, seen: RelativeMeasurement, history: Floats) -> bool:
        """Take in a measurement exposed now or later; False: it does not fit, the filter has only gone on to its time."""
        self.advance(seen.t, history)
        fits = take(self.x, self.P, seen.t, seen.p_sensor_target, seen.q_sensor_target, history, self.model)
        self.taken += fits
        return fits

    def predicted(self, t: float, history: Floats) -> tuple[Floats, Floats]:
        """State and covariance at ``t``; the filter itself stays where it is. As it will have to go there soon, it keeps
        what it meets at the next row of the history."""
        x, P = np.empty(N_STATE), np.empty((N_ERROR, N_ERROR))
        self._ahead_s = predict(
            self.x, self.P, self.t, t, history, self.model, self._x_ahead, self._P_ahead, x, P
        )  # fmt: skip
        return x, P


@kernel
def begin(x: Floats, P: Floats, p: Floats, q: Floats, q_eci_chaser: Floats, rate: float, model: RelativeModel) -> None:
    """First state and prior; ``rate``: rad/s, one standard deviation of the client's unknown rate."""
    placed(x, p, q, q_eci_chaser, model)
    for i in range(3):
        P[i, i] = FIRST_SIGMA[0] ** 2
        P[E_V + i, E_V + i] = FIRST_SIGMA[1] ** 2
        P[E_Q + i, E_Q + i] = FIRST_SIGMA[2] ** 2
        P[E_W + i, E_W + i] = rate * rate
        P[E_W + 3 + i, E_W + 3 + i] = 1.0
    for i in range(N_ERROR - E_SLOW):
        P[E_SLOW + i, E_SLOW + i] = model.slow_sigma[i] ** 2


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
    x: Floats, P: Floats, t: float, until: float, history: Floats, model: RelativeModel, x_next: Floats, P_next: Floats,
    x_out: Floats, P_out: Floats,
) -> float:  # fmt: skip
    """``x_out``, ``P_out`` := ``advance`` to ``until``; ``x_next``, ``P_next`` := to the first row of the history after ``t``,
    whose time is returned, NaN if there is none."""
    i, last = row_at(history, t), history.shape[0] - 1
    if t >= history[i, T] and i < last:
        i += 1
    first = until if i == last else min(until, history[i, T])
    x_next[:], P_next[:] = x, P
    advance(x_next, P_next, t, first, history, model)
    x_out[:], P_out[:] = x_next, P_next
    advance(x_out, P_out, first, until, history, model)
    return first if first <= history[last, T] else math.nan


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
def take(x: Floats, P: Floats, t: float, p: Floats, q: Floats, history: Floats, model: RelativeModel) -> bool:
    """Kalman's update in place, if the squared distance z S⁻¹ z of the innovation passes the gate; NaN never does."""
    q_eci_chaser, w_eci_chaser = attitude_at(history, t)
    p_expected, q_expected, H = observe(x, q_eci_chaser, w_eci_chaser, model)
    z = residual(p, q, p_expected, q_expected)
    HP = product(H, P)
    L = cholesky(product(HP, H.T) + noise(p_expected, model))
    whitened = lower_solved(L, z.reshape(6, 1))[:, 0]
    if not np.sum(whitened * whitened) <= GATE:
        return False
    V = lower_solved(L, HP)  # K z = Vᵀ L⁻¹ z,  K S Kᵀ = Vᵀ V
    correct(x, applied(V.T, whitened))
    for k in range(V.shape[0]):
        for i in range(N_ERROR):
            share = V[k, i]
            for j in range(N_ERROR):
                P[i, j] -= share * V[k, j]
    for i in range(N_ERROR):
        for j in range(i):
            P[i, j] = P[j, i] = 0.5 * (P[i, j] + P[j, i])
    return True


@kernel
def correct(x: Floats, e: Floats) -> None:
    """Put the estimated error into the state."""
    for i in range(E_Q):
        x[i] += e[i]
    put_unit(quat_product(x[Q : Q + 4], quat_from_rotation_vector(e[E_Q : E_Q + 3])), x[Q : Q + 4])
    for i in range(N_ERROR - E_W):
        x[W + i] += e[E_W + i]


assert SLOW - W == E_SLOW - E_W  # correct() counts on it
