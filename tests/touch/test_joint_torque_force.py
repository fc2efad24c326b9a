"""Force from the torques of the joints: exact with a true model; with a wrong one an error that stays while the arm stands."""

import numpy as np
import pytest

from proxops.arms.model import ArmModel, load_model
from proxops.arms.model_error import mistaken
from proxops.touch.joint_torque_force import FlangeJacobian, JointTorqueForce, noise_of_wrench
from proxops.touch.tool_load import GRAVITY

HOME = np.radians([0.0, -35.0, 10.0, 95.0, 20.0, 40.0, -15.0])
STILL = np.zeros(7)
NOTHING = np.zeros(6)


@pytest.fixture(scope="module")
def model() -> ArmModel:
    return load_model("lwr_4plus", "flange")


def told(model: ArmModel, true: ArmModel, offset: float = 0.0, noise: float = 0.0) -> JointTorqueForce:
    return JointTorqueForce(model, true, GRAVITY, np.full(7, offset), noise, np.random.default_rng(3))


def test_a_true_model_tells_the_wrench_whatever_the_motion(model: ArmModel) -> None:
    sense, rng = told(model, model), np.random.default_rng(1)
    for _ in range(20):
        joints, rates, accelerations = HOME + rng.uniform(-0.3, 0.3, 7), rng.uniform(-1, 1, 7), rng.uniform(-5, 5, 7)
        wrench = rng.uniform(-30.0, 30.0, 6)
        np.testing.assert_allclose(sense.read(joints, rates, accelerations, accelerations, wrench), wrench, atol=1e-9)


def test_an_acceleration_that_nobody_commanded_is_taken_for_a_force(model: ArmModel) -> None:
    """As the swing of an arm that gives way is: the joints' inertia times it, as a wrench."""
    swing = np.array([0.3, -0.2, 0.1, 0.4, -0.5, 0.2, 0.6])
    read = told(model, model).read(HOME, STILL, swing, STILL, NOTHING)
    assert np.linalg.norm(read[:3]) > 0.5


def test_the_error_of_a_wrong_model_stays_with_the_posture_and_changes_with_it(model: ArmModel) -> None:
    sense = told(model, mistaken(model, 0.1, np.random.default_rng(7)), offset=0.1)
    first = sense.read(HOME, STILL, STILL, STILL, NOTHING)
    assert np.linalg.norm(first[:3]) > 0.2
    np.testing.assert_array_equal(sense.read(HOME, STILL, STILL, STILL, NOTHING), first)
    pushed = np.array([0.0, 20.0, 0.0, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(sense.read(HOME, STILL, STILL, STILL, pushed) - first, pushed, atol=1e-9)
    elsewhere = sense.read(HOME + 0.2, STILL, STILL, STILL, NOTHING)
    assert np.linalg.norm((elsewhere - first)[:3]) > 0.1


def test_the_noise_that_is_foretold_is_the_noise_that_comes(model: ArmModel) -> None:
    sense = told(model, model, noise=0.05)
    readings = np.array([sense.read(HOME, STILL, STILL, STILL, NOTHING) for _ in range(2000)])
    force, torque = noise_of_wrench(FlangeJacobian(model).at(HOME), 0.05)
    assert readings[:, :3].std(axis=0).max() == pytest.approx(force, rel=0.06)  # 4 sigma of 2000
    assert readings[:, 3:].std(axis=0).max() == pytest.approx(torque, rel=0.06)
