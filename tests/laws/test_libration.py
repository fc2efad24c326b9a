"""A body on a circular orbit swings in pitch under the gravity gradient, with the period of theory."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from proxops.core.earth import MU_M3_S2
from proxops.space.gravity import gravity_gradient_torque

Array = NDArray[np.float64]
R = 7.0e6
RATE = math.sqrt(MU_M3_S2 / R**3)
INERTIA = np.diag([1100.0, 1200.0, 300.0])  # a long body that stands upright (z to the Earth)


def q_eci_lvlh(t: float) -> Rotation:
    """In the plane of the equator: x along the flight, y to the south, z to the Earth."""
    c, s = math.cos(RATE * t), math.sin(RATE * t)
    return Rotation.from_matrix([[-s, 0, -c], [c, 0, -s], [0, -1, 0]])


def slope(t: float, state: Array) -> Array:
    """Of quaternion (scalar first) and rate, by Euler's equations in three dimensions."""
    q_eci_body, w = Rotation.from_quat(state[:4], scalar_first=True), state[4:]
    p_eci = q_eci_lvlh(t).apply([0.0, 0.0, -R])
    torque = np.empty(3)
    gravity_gradient_torque(q_eci_body.inv().apply(p_eci), INERTIA, torque)
    turning = (torque - np.cross(w, INERTIA @ w)) / np.diag(INERTIA)
    s, v = state[0], state[1:4]
    return np.concatenate([[-0.5 * v @ w], 0.5 * (s * w + np.cross(v, w)), turning])


def pitch(t: float, state: Array) -> float:
    turn = q_eci_lvlh(t).inv() * Rotation.from_quat(state[:4], scalar_first=True)
    return float(turn.as_rotvec()[1])


def test_pitch_swings_with_the_period_of_theory() -> None:
    """2 pi / (n sqrt(3 (Ix - Iz) / Iy)). An amplitude of 0.2 degrees lengthens it by amplitude^2 / 4 = 3e-6, as a pendulum's."""
    first = (q_eci_lvlh(0.0) * Rotation.from_rotvec([0.0, math.radians(0.2), 0.0])).as_quat(scalar_first=True)
    period = 2 * math.pi / (RATE * math.sqrt(3.0 * (INERTIA[0, 0] - INERTIA[2, 2]) / INERTIA[1, 1]))
    swung = solve_ivp(
        slope, (0.0, 2.1 * period), np.concatenate([first, [0.0, -RATE, 0.0]]),
        method="DOP853", rtol=1e-10, atol=1e-12, events=pitch,
    )  # fmt: skip
    crossings = swung.t_events[0]
    assert len(crossings) == 4
    assert crossings[2] - crossings[0] == pytest.approx(period, rel=1e-5)
    assert crossings[3] - crossings[1] == pytest.approx(period, rel=1e-5)
    # and it stays in the plane of the orbit
    turn = q_eci_lvlh(swung.t[-1]).inv() * Rotation.from_quat(swung.y[:4, -1], scalar_first=True)
    assert np.abs(turn.as_rotvec()[[0, 2]]).max() < 1e-9
