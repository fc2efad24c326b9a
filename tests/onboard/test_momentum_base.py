"""The satellite from measured joints alone, against motion integrated from the momentum and from the equations of motion."""

import math

import numpy as np
import pytest

from proxops.arms.dynamics import base_pose
from proxops.arms.model import load_model
from proxops.maths.quaternion import way_between
from proxops.onboard.joint_rates import JointRates
from proxops.onboard.momentum_base import MomentumBase
from proxops.space.free_floating import FreeFloating
from proxops.space.prescribed_joints import PrescribedArm

IIWA = load_model("iiwa_satellite", "flange")
START = np.radians([-26.25, 65.96, 0.72, 67.57, -63.15, -2.56, 140.79])
SWING = np.array([0.6, -0.9, 0.5, 0.7, -1.1, 1.0, 0.8])
PACE = np.linspace(1.0, 2.2, 7)


def course(t: float, before: bool = False) -> tuple[np.ndarray, np.ndarray]:
    return START + SWING * (1.0 - np.cos(PACE * t)), SWING * PACE * np.sin(PACE * t)


def apart(base: MomentumBase, pose: np.ndarray) -> tuple[float, float]:
    """m, rad."""
    return float(np.linalg.norm(base.p - pose[:3])), way_between(base.quat, pose[3:], np.zeros(3))


def followed(steps: int) -> MomentumBase:
    base = MomentumBase(IIWA, START)
    for k in range(1, steps + 1):
        base.advance(course(2.0 * k / steps)[0])
    return base


def test_second_order_and_right() -> None:
    truth = PrescribedArm(IIWA, course, IIWA.configuration(START))
    truth.advance(2.0, 5e-3)  # fourth order: 1e-10 at this step
    errors = np.array([apart(followed(steps), base_pose(truth.q)) for steps in (50, 100, 200, 2000)])
    assert errors[0].min() > 1e-6  # there is something to converge
    assert errors[:2, 1] / errors[1:3, 1] == pytest.approx([4.0, 4.0], rel=0.1)
    assert errors[-1, 0] < 1e-7
    assert errors[-1, 1] < 1e-6


def test_full_turn_of_one_joint_in_closed_form() -> None:
    planar = load_model("planar_one", "tip", ("joint_1",))
    base = MomentumBase(planar, np.array([-math.pi]))
    for angle in np.linspace(-math.pi, math.pi, 4001)[1:]:
        base.advance(np.array([angle]))
    turned = 2.0 * math.atan2(base.quat[3], base.quat[0])
    # Base 100 kg, 10 kg m2; link 20 kg, 1 kg m2; half a metre each way: docs/arms.md has the integral.
    assert turned == pytest.approx(-1.520836718150573, abs=1e-6)


def test_follows_the_equations_of_motion() -> None:
    """Joints driven by torques on the free-floating plant, seen every millisecond."""
    plant = FreeFloating(IIWA, IIWA.configuration(START))
    base = MomentumBase(IIWA, START)
    for k in range(600):
        plant.step(np.array([3.0, -4.0, 2.0, 2.0, 0.5, 0.3, 0.05]) * math.cos(6.0 * k * 1e-3), 1e-3)
        base.advance(plant.q[7:])
    p, angle = apart(base, base_pose(plant.q))
    assert np.linalg.norm(plant.q[:3]) > 1e-3  # it has moved
    # Joints at several rad/s in steps of 1 ms: the midpoint rule's h²; a rule of the first order is a thousand times off.
    assert p < 3e-6
    assert angle < 3e-6


def test_noise_of_standing_joints_does_not_add_up() -> None:
    rng, base = np.random.default_rng(5), MomentumBase(IIWA, START)
    for _ in range(3000):
        base.advance(START + 1e-5 * rng.standard_normal(7))
    # A random walk of 3000 steps of such rates would be sqrt(3000) times what one reading moves it.
    assert apart(base, np.array([0.0, 0, 0, 1, 0, 0, 0]))[1] < 2e-5


def test_rates_from_differences_lag_as_the_filter_says() -> None:
    rates = JointRates(np.zeros(2), 0.0, 10.0)
    for k in range(1, 2001):
        rates.step(np.array([0.3, -0.2]) * k * 1e-3, k * 1e-3)
        if k == 16:  # one time constant, 1 / (2 pi 10 Hz)
            assert rates.rates[0] == pytest.approx(0.3 * (1.0 - math.exp(-2.0 * math.pi * 10.0 * 0.016)), rel=1e-9)
    assert rates.rates == pytest.approx([0.3, -0.2], abs=1e-12)
    before = rates.rates.copy()
    assert (rates.step(np.array([9.0, 9.0]), 2.0) == before).all()  # the same time again: nothing
