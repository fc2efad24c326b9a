"""Allocation: on-times of the thrusters for an impulse and an angular impulse wanted in one cycle.

Bounded least squares by an active set (Stark and Parker, Bounded-Variable Least-Squares, 1995; after Lawson and Hanson's
NNLS), with a small price on propellant that decides between the many ways of giving the same wrench.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.flight import Floats, OnboardData
from proxops.core.messages import PERIOD_S
from proxops.maths.kernel import kernel
from proxops.maths.rotation import copy_to
from proxops.maths.stack import vector

PRICE: Final = 1e-6  # s: of propellant, against errors of the wrench (scaled to seconds of one thruster)
RIDGE: Final = 1e-7  # keeps columns that depend on each other solvable
ROUNDS: Final = 200  # far more than 24 thrusters ever took
CARRY_PULSES: Final = 8.0  # smallest pulses' worth of impulse that may wait for later cycles


class Allocation:
    """Thruster pulses. What is too short to fire waits as impulse (three numbers, not one per thruster: noise to and fro
    cancels before it costs propellant). Torque waits only while it is asked for: otherwise the wheels take what pulses leave.

    ``plume_deg`` and ``plume_within_m``: thrusters that blow within this cone about the chaser's -x are not used this near the
    target, as long as the others can do without them.
    """

    def __init__(self, data: OnboardData, plume_deg: float = 30.0, plume_within_m: float = 3.0) -> None:
        force = data.thruster_force_n * data.thruster_directions
        self.wrench = np.vstack((force.T, np.cross(data.thruster_places, force).T))  # (6, n) N, N m at full thrust
        self._period_s, self._min_on_s = data.period_s, data.min_on_s
        self._carried = np.zeros(6)
        arm = float(np.max(np.abs(self.wrench[3:]))) / data.thruster_force_n
        self._most = CARRY_PULSES * data.thruster_force_n * data.min_on_s * np.array([1.0, 1.0, 1.0, arm, arm, arm])
        self._plume_within_m = plume_within_m
        self._blows = data.thruster_directions[:, 0] > math.cos(math.radians(plume_deg))
        self._spared, self._spared_do = (
            np.zeros(0, dtype=np.bool_),
            False,
        )  # those that do not blow there; if they are enough

    @property
    def parts(self) -> tuple[Floats, float, Floats, Floats]:
        """For kernels."""
        return self.wrench, self._min_on_s, self._carried, self._most

    def usable(self, healthy: NDArray[np.bool_], distance_m: float) -> NDArray[np.bool_]:
        """Those that may fire at this distance of the centres of mass."""
        if not (distance_m < self._plume_within_m and self._blows.any()):
            return healthy
        spared = healthy & ~self._blows
        if not np.array_equal(spared, self._spared):  # asked once for each set of them, not in every cycle
            self._spared, self._spared_do = spared, pushes_all_ways(self.wrench, spared)
        return spared if self._spared_do else healthy

    def pulses(self, force: Floats, torque: Floats, usable: NDArray[np.bool_]) -> Floats:
        """On-times (n) s of this cycle for the mean force (N) and torque (N m) in the chaser's frame."""
        on = np.empty(self.wrench.shape[1])
        pulse(self.wrench, force, torque, usable, self._period_s, self._min_on_s, self._carried, self._most, on)
        return on

    def forget(self) -> None:
        """Let go of what waits, as when the thrusters are switched off."""
        self._carried[:] = 0.0


@kernel
def pulse(
    wrench: Floats, force: Floats, torque: Floats, usable: NDArray[np.bool_], period_s: float, min_on_s: float, carried: Floats,
    most: Floats, on: Floats,
) -> None:  # fmt: skip
    """``on`` := pulses for the wish and for what was ``carried``, which is then what they leave, ``most`` at most."""
    wanted, no_torque = vector(6), torque[0] == 0.0 and torque[1] == 0.0 and torque[2] == 0.0
    for k in range(3):
        wanted[k] = force[k] * period_s + carried[k]
        wanted[3 + k] = 0.0 if no_torque else torque[k] * period_s + carried[3 + k]
    allocate(wrench, wanted, usable, period_s, on)
    quantise(on, min_on_s, period_s)
    for k in range(6):
        left = wanted[k]
        for i in range(on.size):
            left -= wrench[k, i] * on[i]
        carried[k] = min(max(left, -most[k]), most[k])


@kernel
def quantise(on: Floats, min_on_s: float, period_s: float) -> None:
    """To whole ticks, nothing below the shortest pulse nor above the cycle."""
    for i in range(on.size):
        ticks = math.floor(on[i] / PERIOD_S + 0.5)
        on[i] = min(ticks * PERIOD_S, period_s)
        if on[i] < min_on_s - 1e-9:
            on[i] = 0.0


def pushes_all_ways(wrench: Floats, usable: NDArray[np.bool_]) -> bool:
    """Whether these thrusters push along +-x, +-y and +-z without turning the craft."""
    on = np.zeros(wrench.shape[1])
    size = float(np.max(np.abs(wrench[:3])))
    for axis in range(3):
        for sign in (-1.0, 1.0):
            wanted = np.zeros(6)
            wanted[axis] = sign * size
            allocate(wrench, wanted, usable, 100.0, on)
            if float(np.linalg.norm(wrench @ on - wanted)) > 0.02 * size:
                return False
    return True


@kernel
def allocate(wrench: Floats, wanted: Floats, usable: NDArray[np.bool_], max_on: float, out: Floats) -> None:
    """``out`` (n) := on-times in 0 … max_on whose impulse ``wrench @ out`` comes nearest to ``wanted`` (N s, N m s)."""
    n = wrench.shape[1]
    a, b = np.empty((6, n)), vector(6)
    force = torque = 1e-12  # scales: newtons and newton metres become comparable
    for i in range(n):
        for k in range(3):
            force = max(force, abs(wrench[k, i]))
            torque = max(torque, abs(wrench[3 + k, i]))
    for k in range(6):
        scale = force if k < 3 else torque
        b[k] = wanted[k] / scale
        for i in range(n):
            a[k, i] = wrench[k, i] / scale
    where = np.full(n, -1)  # -1 closed, 0 free, 1 open all the time; 2 not usable
    for i in range(n):
        out[i] = 0.0
        if not usable[i]:
            where[i] = 2
    trial, free, low, y = np.zeros(n), np.empty(n, np.int64), np.empty((n, n)), np.empty(n)
    for _ in range(ROUNDS):
        if not _let_free(a, b, where, out):
            break
        for _ in range(n + 1):
            _least_squares(a, b, where, out, PRICE, trial, free, low, y)
            if not _walk(where, out, trial, max_on):
                break
    # Once it is known who fires: without the price, which would take a little off every wish.
    _least_squares(a, b, where, out, 0.0, trial, free, low, y)
    _settle(where, out, max_on, trial)


@kernel
def _let_free(a: Floats, b: Floats, where: NDArray[np.int64], on: Floats) -> bool:
    """Free the bound thruster that improves most when it moves off its bound; False if none does."""
    left = vector(6)
    copy_to(b, left)
    for i in range(on.size):
        for k in range(6):
            left[k] -= a[k, i] * on[i]
    best, which = 1e-9, -1
    for i in range(on.size):
        if where[i] == -1 or where[i] == 1:
            gain = -PRICE
            for k in range(6):
                gain += a[k, i] * left[k]
            gain *= -float(where[i])
            if gain > best:
                best, which = gain, i
    if which >= 0:
        where[which] = 0
    return which >= 0


@kernel
def _least_squares(
    a: Floats, b: Floats, where: NDArray[np.int64], on: Floats, price: float, trial: Floats, free: NDArray[np.int64], low: Floats,
    y: Floats,
) -> None:  # fmt: skip
    """``trial`` of the free thrusters := the least squares with the others where they are (normal equations, Cholesky). ``free``,
    ``low``, ``y``: room for their numbers, the triangle and the right side."""
    m = 0
    for i in range(on.size):
        if where[i] == 0:
            free[m] = i
            m += 1
    left = vector(6)
    copy_to(b, left)
    for i in range(on.size):
        if where[i] == 1:
            for k in range(6):
                left[k] -= a[k, i] * on[i]
    for p in range(m):
        y[p] = -price
        for k in range(6):
            y[p] += a[k, free[p]] * left[k]
        for q in range(p + 1):
            s = RIDGE if p == q else 0.0
            for k in range(6):
                s += a[k, free[p]] * a[k, free[q]]
            for r in range(q):
                s -= low[p, r] * low[q, r]
            low[p, q] = math.sqrt(max(s, 1e-15)) if p == q else s / low[q, q]
    for p in range(m):
        for r in range(p):
            y[p] -= low[p, r] * y[r]
        y[p] /= low[p, p]
    for p in range(m - 1, -1, -1):
        for r in range(p + 1, m):
            y[p] -= low[r, p] * y[r]
        y[p] /= low[p, p]
        trial[free[p]] = y[p]


@kernel
def _walk(where: NDArray[np.int64], on: Floats, trial: Floats, max_on: float) -> bool:
    """Go from ``on`` towards ``trial`` as far as all stay in bounds; True if one met its bound and is bound now."""
    share, which = 1.0, -1
    for i in range(on.size):
        if where[i] == 0 and (trial[i] < 0.0 or trial[i] > max_on):
            bound = 0.0 if trial[i] < 0.0 else max_on
            part = (bound - on[i]) / (trial[i] - on[i]) if trial[i] != on[i] else 0.0
            if part <= share:
                share, which = max(part, 0.0), i
    for i in range(on.size):
        if where[i] == 0:
            on[i] = min(max(on[i] + share * (trial[i] - on[i]), 0.0), max_on)
    if which >= 0:
        where[which] = -1 if trial[which] < 0.0 else 1
        on[which] = 0.0 if trial[which] < 0.0 else max_on
    return which >= 0


@kernel
def _settle(where: NDArray[np.int64], on: Floats, max_on: float, trial: Floats) -> None:
    """Take over ``trial`` of the free thrusters if it is within bounds."""
    for i in range(on.size):
        if where[i] == 0 and not 0.0 <= trial[i] <= max_on:
            return
    for i in range(on.size):
        if where[i] == 0:
            on[i] = trial[i]
