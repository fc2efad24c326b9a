"""Wheels and thrusters of a base: conservation, limits, on and off; and the attitude law that uses them."""

import numpy as np
import pytest

from proxops.arms.model import ArmModel, load_model
from proxops.core.errors import BadInput
from proxops.onboard.base_attitude import BaseAttitude
from proxops.space.base_actuators import BaseActuator, ReactionWheels, ThrusterPairs
from proxops.space.free_floating import FreeFloating, JointHardware

DT = 1e-3
PUSH = np.array([0.5, 0.5, 0.2, 0.2, 0.02, 0.02, 0.02])  # N m, as the joints' inertias


@pytest.fixture(scope="module")
def arm() -> ArmModel:
    return load_model("ets7_a", "tool")


def small_arm() -> ArmModel:
    return load_model("humanoid", "hand_right", tuple(f"arm_right_{i}" for i in range(1, 8)))


def start(model: ArmModel) -> np.ndarray:
    return model.configuration(np.clip(0.5 * (model.lower + model.upper), -1.0, 1.0))


def test_wheels_exchange_momentum_and_keep_the_total() -> None:
    """Vigorous torques on a turning base with full wheels: Runge-Kutta sees the wheels' gyroscopic torque at every stage."""
    model, rng = small_arm(), np.random.default_rng(1)
    v = np.concatenate([0.05 * rng.normal(size=6), 0.3 * rng.normal(size=7)])
    # Without stops: they are stiff, and not the matter here.
    endless = JointHardware(
        np.zeros(7), np.zeros(7), np.full(7, -np.inf), np.full(7, np.inf), np.full(7, np.inf), np.full(7, np.inf)
    )
    plant = FreeFloating(model, start(model), v, endless)
    plant.rotors[:] = (2.0, -1.0, 3.0)
    before, first = plant.momentum(), plant.rotors.copy()
    peak = np.linalg.norm(before)
    for i in range(2000):
        torques = PUSH * np.sin(0.01 * i + np.arange(7))
        plant.step(torques, DT, drive=0.3 * np.cos(0.005 * i + np.arange(3)))
    assert np.linalg.norm(plant.rotors - first) > 0.05
    assert np.abs(plant.momentum() - before).max() < 1e-10 * peak
    # With the gyroscopic torque left out (rotors at rest relative to inertial space) it would not be kept.
    assert np.linalg.norm(np.cross(plant.v[3:6], plant.rotors)) > 1e-3


def test_wheels_stop_at_their_limits() -> None:
    wheels = ReactionWheels(0.2, 1.0)
    assert wheels.act(np.array([5.0, -5.0, 0.1]), np.zeros(3), DT)[1] == pytest.approx([0.2, -0.2, 0.1])
    _, drive = wheels.act(np.array([0.2, -0.2, -0.2]), np.array([-1.0, 1.0, 0.99995]), DT)
    assert drive == pytest.approx([0.0, 0.0, -0.05])  # the third has room for 5e-5 N m s in this step
    _, back = wheels.act(np.array([-0.2, 0.2, 0.0]), np.array([-1.0, 1.0, 0.0]), DT)
    assert back == pytest.approx([-0.2, 0.2, 0.0])  # and they come back out


def test_thrusters_are_on_or_off_and_give_the_impulse_asked_for_in_the_mean() -> None:
    pairs, wish = ThrusterPairs(0.5, 0.01, 0.1), np.array([0.2, -0.013, 2.0])
    given = []
    for _ in range(10_000):
        on_base, drive = pairs.act(wish, np.zeros(3), DT)
        assert drive is None and on_base is not None and not on_base[:3].any()
        given.append(on_base[3:])
    torques = np.array(given)
    assert set(np.unique(np.abs(torques)).tolist()) == {0.0, 0.5}
    assert torques[:, :2].mean(axis=0) == pytest.approx(wish[:2], rel=0.01)
    assert torques[:, 2].mean() == pytest.approx(0.5)  # saturated
    for column in torques[:, :2].T:  # no pulse shorter than 10 ms
        edges = np.flatnonzero(np.diff(np.concatenate([[0.0], np.abs(column), [0.0]])))
        assert np.min(edges[1::2] - edges[::2]) >= 10


@pytest.mark.parametrize("actuator", [None, ReactionWheels(0.5, 10.0), ThrusterPairs(0.5, 0.01, 0.05)])
def test_the_attitude_is_held_against_the_arm(actuator: BaseActuator | None) -> None:
    """A rest-to-rest swing of the shoulder turns a free base by degrees; held, it stays within a fraction of that."""
    model = small_arm()
    q = start(model)
    plant, law, worst = FreeFloating(model, q), BaseAttitude(model, q, 2.0), 0.0
    for i in range(4000):
        torques = np.zeros(7)
        torques[0] = 0.15 * np.sign(np.sin(np.pi * i / 2000)) if i else 0.0
        wish = law.torque(plant.q, plant.v)
        on_base, drive = (None, None) if actuator is None else actuator.act(wish, plant.rotors, DT)
        plant.step(torques, DT, on_base, drive)
        worst = max(worst, 2.0 * float(np.linalg.norm(plant.q[3:6])))
    if actuator is None:
        assert worst > np.radians(2.0)
    else:
        assert worst < np.radians(1.0)
        assert 2.0 * np.linalg.norm(plant.q[3:6]) < np.radians(0.6)


def test_the_attitude_law_is_a_spring_and_damper_of_the_whole_craft(arm: ArmModel) -> None:
    """Locked joints: with torque I (ω_n² θ − 2 ζ ω_n ω) a small turn dies out as e^(−ω_n t)(1 + ω_n t)."""
    q = start(arm)
    law = BaseAttitude(arm, q, 0.5)
    turned = q.copy()
    turned[3:7] = [np.sin(0.01), 0.0, 0.0, np.cos(0.01)]
    torque = law.torque(turned, np.zeros(arm.pin.nv))
    assert torque == pytest.approx(-0.25 * law.inertia @ np.array([0.02, 0.0, 0.0]), rel=1e-9)
    rates = np.zeros(arm.pin.nv)
    rates[3:6] = (0.0, 0.01, 0.0)
    assert law.torque(q, rates) == pytest.approx(-1.0 * law.inertia @ np.array([0.0, 0.01, 0.0]), rel=1e-9)
    assert np.linalg.eigvalsh(law.inertia).min() > 0.0


def test_a_bandwidth_that_cannot_be(arm: ArmModel) -> None:
    with pytest.raises(BadInput, match="bandwidth"):
        BaseAttitude(arm, start(arm), 0.0)
