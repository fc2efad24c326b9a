"""The equations of motion of two spacecraft as textbooks write them, in plain numpy, for an integrator of SciPy's.

Independent of ``proxops.space`` but for its constants: positions from the Earth's centre for both craft, gravity as the
gradient of the potential by numpy's Legendre polynomials, SciPy's rotation matrices, a linear solver for Euler's equations.
What is held over a step there (Sun, Moon, air, light, actuators) is held over the whole flight here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from proxops.core import earth

Array = NDArray[np.float64]
ZONAL = (0.0, 0.0, earth.J2, earth.J3, earth.J4, earth.J5, earth.J6)


@dataclass(frozen=True)
class Surroundings:
    """What acts on both craft."""

    degree: int
    gradient: bool
    density: float
    sun: Array
    moon: Array
    third: tuple[bool, bool]
    sunlight: tuple[float, float] | None  # of target and chaser; None: light does not press


@dataclass(frozen=True)
class Craft:
    """A rigid body with what acts on it alone; body axes."""

    mass: float
    inertia: Array
    drag_m2: float
    sunlit_m2: float
    lever: Array
    force: Array
    torque: Array
    flow: float  # kg/s, propellant
    push: Array  # m/s^2, eci
    axes: Array  # (n, 3) of wheels
    motor: Array  # (n) torque on rotors


def gravity(p: Array, degree: int) -> Array:
    """Gradient of U = mu / r (1 - sum J_n (R / r)^n P_n(z / r))."""
    r = float(np.linalg.norm(p))
    s = p[2] / r
    radial, by_s = -earth.MU_M3_S2 / r**2, 0.0
    for n in range(2, degree + 1):
        unit = [0.0] * n + [1.0]
        strength = earth.MU_M3_S2 / r * ZONAL[n] * (earth.RADIUS_M / r) ** n
        radial += (n + 1) * strength / r * legendre.legval(s, unit)
        by_s -= strength * legendre.legval(s, legendre.legder(unit))
    grad_s = np.array([-p[0] * p[2], -p[1] * p[2], r * r - p[2] ** 2]) / r**3
    pulled: Array = radial * p / r + by_s * grad_s
    return pulled


def surface_force(p: Array, v: Array, craft: Craft, around: Surroundings, share: float) -> Array:
    """Of air and sunlight, N, eci."""
    wind = v - np.cross([0.0, 0.0, earth.TURN_RATE], p)
    force: Array = -0.5 * around.density * craft.drag_m2 * np.linalg.norm(wind) * wind
    if around.sunlight is not None:
        away = p - around.sun
        d = float(np.linalg.norm(away))
        force = force + earth.SUNLIGHT_N_M2 * (earth.AU_M / d) ** 2 * share * craft.sunlit_m2 * away / d
    return force


def third_bodies(p: Array, around: Surroundings) -> Array:
    """m/s^2 against the Earth's own acceleration."""
    total = np.zeros(3)
    bodies = ((around.sun, earth.MU_SUN_M3_S2), (around.moon, earth.MU_MOON_M3_S2))
    for on, (s, mu) in zip(around.third, bodies, strict=True):
        if on:
            total += mu * ((s - p) / np.linalg.norm(s - p) ** 3 - s / np.linalg.norm(s) ** 3)
    return total


def craft_rates(x: Array, craft: Craft, around: Surroundings, share: float) -> Array:
    """Derivative of p, v, q_eci_body, w (body), mass, wheel momenta: one craft."""
    p, v, q, w, mass, h = x[0:3], x[3:6], x[6:10], x[10:13], x[13], x[14:]
    R = Rotation.from_quat(q / np.linalg.norm(q), scalar_first=True).as_matrix()
    inertia = craft.inertia * mass / craft.mass  # propellant is spread as the rest
    surface = surface_force(p, v, craft, around, share)
    dv = gravity(p, around.degree) + (surface + R @ craft.force) / mass + third_bodies(p, around) + craft.push
    torque = craft.torque + np.cross(craft.lever, R.T @ surface)
    if around.gradient:
        up, r = R.T @ p / np.linalg.norm(p), np.linalg.norm(p)
        torque = torque + 3.0 * earth.MU_M3_S2 / r**3 * np.cross(up, inertia @ up)
    stored = craft.axes.T @ h
    dw = np.linalg.solve(inertia, torque - craft.axes.T @ craft.motor - np.cross(w, inertia @ w + stored))
    dq = 0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])
    return np.concatenate((v, dv, dq, dw, [-craft.flow], craft.motor))
