"""The arm on the ground: weight from its potential energy, motion from the same dynamics as in orbit with the base held."""

import numpy as np
import pytest

from proxops.arms.dynamics import Dynamics
from proxops.arms.held_base import HeldArm
from proxops.arms.model import load_model

IIWA = load_model("iiwa_satellite", "flange")
DOWN = np.array([0.0, 0.0, -9.81])


def energy(joints: np.ndarray) -> float:
    """Potential, J."""
    dynamics = Dynamics(IIWA)
    dynamics.momentum(IIWA.configuration(joints), np.zeros(13))
    return -IIWA.mass_kg * float(DOWN @ np.array(dynamics.data.com[0]))


def test_weight_is_the_slope_of_the_potential_energy() -> None:
    rng, still, h = np.random.default_rng(1), np.zeros(7), 1e-5
    for _ in range(5):
        joints = rng.uniform(-1.5, 1.5, 7)
        slope = [(energy(joints + h * row) - energy(joints - h * row)) / (2.0 * h) for row in np.eye(7)]
        assert HeldArm(IIWA, DOWN).torques(joints, still, still) == pytest.approx(slope, abs=1e-6)


def test_inertia_is_that_of_the_arm_alone_and_the_model_keeps_no_gravity() -> None:
    joints, a = np.linspace(-0.5, 0.9, 7), np.linspace(1.0, -2.0, 7)
    held = HeldArm(IIWA, np.zeros(3)).torques(joints, np.zeros(7), a)
    M = Dynamics(IIWA).mass_matrix(IIWA.configuration(joints))
    M = np.triu(M) + np.triu(M, 1).T
    assert held == pytest.approx(M[6:, 6:] @ a, abs=1e-10)
    HeldArm(IIWA, DOWN)
    assert not np.any(IIWA.pin.gravity.vector)


def test_friction_opposes_and_is_smooth_through_zero() -> None:
    held = HeldArm(IIWA, DOWN)
    rates = np.full(7, 0.5)
    assert held.friction(rates) == pytest.approx(0.5 * IIWA.damping + IIWA.friction, abs=1e-12)
    assert (held.friction(-rates) == -held.friction(rates)).all()
    assert not held.friction(np.zeros(7)).any()
