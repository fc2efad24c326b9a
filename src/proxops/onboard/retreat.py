"""Passively safe retreat: one burn after which the chaser coasts away and, whatever fails then, does not come back.

Coasting is linear about the target's orbit: the transition matrix is integrated along that orbit in inertial axes (on a circle
it is Clohessy and Wiltshire's, on an ellipse it stays right). Burns are searched over directions and sizes; the smallest one
whose path, with three sigma taken off, is safe for two orbits wins. Reference: Fehse, sections 4.1 and 4.4 (passive safety).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.earth import MU_M3_S2, STANDARD_GRAVITY
from proxops.core.flight import Estimate, Floats, OnboardData
from proxops.maths.kernel import kernel
from proxops.onboard.local_orbit import gravity_gradient

RESERVE: Final = 1.5  # times the propellant of the largest retreat
ORBITS: Final = 2.0
STEP_S: Final = 15.0
FIRST_S: Final = 3.0  # step while it leaves
FIRST_STEPS: Final = 60
DIRECTIONS: Final = 400  # some 10 degrees from one to the next
SIZES: Final = 10
SIGMAS: Final = 3.0
BURN_ERROR: Final = 0.02  # one sigma, of the burn's size
# Share of the farthest distance so far: what the linear model may be wrong by when it comes near again.
LINEAR_SHARE: Final = 0.01
FAILED: Final = -1e9  # m: added to the merit of a path that fails, below that of any that leaves
OUTWARDS_M_S: Final = 0.01  # least speed away right after the burn
# Least share of that speed in the whole, inside the keep-out sphere: within 45 deg, so that bodies do not touch.
STRAIGHT: Final = 0.7


@dataclass(frozen=True)
class Burn:
    """Change of velocity in eci axes; ``clearance_m``: least distance, less three sigma, from when it has left the keep-out
    sphere for good; ``safe``: whether that stays outside of the sphere. If not, the clearance is without the sigmas."""

    dv: Floats
    clearance_m: float
    safe: bool


def retreat_burn(
    p_eci_target: Floats, v_eci_target: Floats, estimate: Estimate, keep_out_m: float, most_m_s: float
) -> Burn:
    """The smallest safe burn, or the one with the greatest least distance if none is."""
    r, v = float(np.linalg.norm(p_eci_target)), float(np.linalg.norm(v_eci_target))
    axis_m = 1.0 / (2.0 / r - v * v / MU_M3_S2)
    orbit_s = 2.0 * math.pi * math.sqrt(axis_m**3 / MU_M3_S2)
    steps = np.full(FIRST_STEPS + math.ceil(ORBITS * orbit_s / STEP_S), STEP_S)
    steps[:FIRST_STEPS] = FIRST_S
    table = np.empty((steps.size, 6, 6))
    transition_table(p_eci_target, v_eci_target, steps, table)
    state = np.concatenate((estimate.position, estimate.velocity))
    dv, result = np.empty(3), np.empty(2)
    covariance, directions = estimate.covariance[:6, :6].copy(), _directions()
    search(table, state, covariance, directions, keep_out_m, most_m_s, 1, dv, result)
    safe = bool(result[1] > 0.0)
    if not safe:  # nothing is certain: then as far away as the estimate itself says
        search(table, state, np.zeros((6, 6)), directions, keep_out_m, most_m_s, SIZES, dv, result)
    return Burn(dv, float(result[0]), safe)


def reserve_kg(data: OnboardData, most_m_s: float) -> float:
    """Propellant below which an approach is given up, lest none is left for the largest retreat."""
    return RESERVE * data.mass_kg * most_m_s / (data.specific_impulse_s * STANDARD_GRAVITY)


def _directions() -> Floats:
    """(n, 3) evenly over the sphere (Fibonacci's spiral)."""
    k = np.arange(DIRECTIONS) + 0.5
    z = 1.0 - 2.0 * k / DIRECTIONS
    turn = math.pi * (1.0 + math.sqrt(5.0)) * k
    flat = np.sqrt(1.0 - z * z)
    return np.column_stack((flat * np.cos(turn), flat * np.sin(turn), z))


@kernel
def _slope(y: Floats, out: Floats) -> None:
    """Of (8, 6): rows 0 and 1 hold the target's position and velocity in their first three, rows 2-7 the transition matrix."""
    r2 = y[0, 0] ** 2 + y[0, 1] ** 2 + y[0, 2] ** 2
    k = -MU_M3_S2 / (r2 * math.sqrt(r2))
    gradient = np.empty((3, 3))
    gravity_gradient(y[0, :3], gradient)
    for i in range(3):
        out[0, i] = y[1, i]
        out[1, i] = k * y[0, i]
        for j in range(6):
            out[2 + i, j] = y[5 + i, j]
            out[5 + i, j] = 0.0
            for m in range(3):
                out[5 + i, j] += gradient[i, m] * y[2 + m, j]


@kernel
def transition_table(p: Floats, v: Floats, steps: Floats, table: Floats) -> None:
    """``table`` (n, 6, 6): of relative position and velocity, inertial axes, from now to each step's end (RK4)."""
    y, k1, k2, k3, k4 = np.zeros((8, 6)), np.zeros((8, 6)), np.zeros((8, 6)), np.zeros((8, 6)), np.zeros((8, 6))
    for i in range(3):
        y[0, i], y[1, i] = p[i], v[i]
    for i in range(6):
        y[2 + i, i] = 1.0
    for n in range(steps.size):
        dt = steps[n]
        _slope(y, k1)
        _slope(y + 0.5 * dt * k1, k2)
        _slope(y + 0.5 * dt * k2, k3)
        _slope(y + dt * k3, k4)
        y = y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        table[n] = y[2:]


@kernel
def _position_covariances(table: Floats, covariance: Floats, out: Floats) -> None:
    """``out`` (n, 2, 3, 3): of the position at each step, by the estimate and per (m/s)^2 of the burn."""
    for n in range(table.shape[0]):
        for i in range(3):
            for j in range(3):
                whole = burnt = 0.0
                for a in range(6):
                    for b in range(6):
                        whole += table[n, i, a] * covariance[a, b] * table[n, j, b]
                for a in range(3, 6):
                    burnt += table[n, i, a] * table[n, j, a]
                out[n, 0, i, j] = whole
                out[n, 1, i, j] = burnt


@kernel
def search(
    table: Floats, state: Floats, covariance: Floats, directions: Floats, keep_out: float, most: float, first: int,
    dv: Floats, result: Floats,
) -> None:  # fmt: skip
    """``dv`` := the burn, ``result`` := its clearance and whether it is safe (1) or not (0); sizes from ``first`` on."""
    spread = np.empty((table.shape[0], 2, 3, 3))
    _position_covariances(table, covariance, spread)
    result[0], result[1] = -np.inf, 0.0
    after = state.copy()
    for size in range(first, SIZES + 1):
        burn = most * size / SIZES
        for d in range(directions.shape[0]):
            for i in range(3):
                after[3 + i] = state[3 + i] + burn * directions[d, i]
            clearance = coast(table, spread, after, burn, keep_out, result[0])
            if clearance > result[0]:
                result[0] = clearance
                for i in range(3):
                    dv[i] = burn * directions[d, i]
        if result[0] >= keep_out:
            result[1] = 1.0
            return


@kernel
def coast(table: Floats, spread: Floats, state: Floats, burn: float, keep_out: float, enough: float) -> float:
    """Least distance less its uncertainty along a coasting path once it has left the sphere; before, the way has to lead
    outwards, or the path counts by how badly it fails (negative). Given up as soon as it is worse than ``enough``."""
    last, here = state[:3].copy(), np.empty(3)
    before: float = math.sqrt(last[0] ** 2 + last[1] ** 2 + last[2] ** 2)
    away: float = (last[0] * state[3] + last[1] * state[4] + last[2] * state[5]) / before
    speed = math.sqrt(state[3] ** 2 + state[4] ** 2 + state[5] ** 2)
    if away < OUTWARDS_M_S or (before < keep_out and away < STRAIGHT * speed):
        return 2.0 * FAILED + away - speed
    left, least, farthest = False, np.inf, before
    for n in range(table.shape[0]):
        for i in range(3):
            here[i] = 0.0
            for j in range(6):
                here[i] += table[n, i, j] * state[j]
        distance = math.sqrt(here[0] ** 2 + here[1] ** 2 + here[2] ** 2)
        doubt = SIGMAS * _sigma(spread[n], here, distance, burn) + LINEAR_SHARE * (farthest - min(distance, keep_out))
        if left:
            least = min(least, _nearest(last, here) - doubt)
            if least < enough:
                return least
        elif distance - doubt > keep_out:
            left, least = True, distance - doubt
        elif distance < before:  # turned back before it was out
            return FAILED + before
        farthest = max(farthest, distance)
        before = distance
        for i in range(3):
            last[i] = here[i]
    return least if left else FAILED + farthest


@kernel
def _sigma(spread: Floats, here: Floats, distance: float, burn: float) -> float:
    """m, along the line to the target."""
    variance = 0.0
    for i in range(3):
        for j in range(3):
            variance += here[i] * here[j] * (spread[0, i, j] + (BURN_ERROR * burn) ** 2 * spread[1, i, j])
    return math.sqrt(max(variance, 0.0)) / distance


@kernel
def _nearest(a: Floats, b: Floats) -> float:
    """Least distance from the origin on the way from a to b, taken as straight: in 15 s LVLH turns by one degree."""
    along = square = 0.0
    for i in range(3):
        along -= a[i] * (b[i] - a[i])
        square += (b[i] - a[i]) ** 2
    x = min(max(along / square, 0.0), 1.0) if square > 0.0 else 0.0
    total = 0.0
    for i in range(3):
        total += (a[i] + x * (b[i] - a[i])) ** 2
    return math.sqrt(total)
