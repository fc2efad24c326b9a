"""Differential gravity on the links of an arm: together it is that of the composite body, and it makes the known motions."""

import math

import numpy as np
import pinocchio
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from proxops.arms.joint_course import LinearCourse
from proxops.arms.model import ArmModel, load_model
from proxops.core.earth import MU_M3_S2
from proxops.space.free_floating import FreeFloating, JointHardware
from proxops.space.link_gravity import CircularOrbit, LinkGravity
from proxops.space.prescribed_joints import PrescribedArm

Array = NDArray[np.float64]
RADIUS = 6.878e6
SHARE = MU_M3_S2 / RADIUS**3
ORBIT = CircularOrbit(RADIUS)
MODELS = [("ets7_a", "tool"), ("ets7_b", "tool"), ("humanoid", "hand_left"), ("iiwa_satellite", "flange")]


def anywhere(model: ArmModel, rng: np.random.Generator) -> Array:
    quat = rng.normal(size=4)
    return model.configuration(
        rng.uniform(model.lower, model.upper), rng.uniform(-5, 5, 3), quat / np.linalg.norm(quat)
    )


@pytest.mark.parametrize(("name", "tool"), MODELS)
def test_links_add_up_to_the_composite_body(name: str, tool: str) -> None:
    """Force m G r of the common mass centre, torque 3 μ/R³ e × I e about it with the composite's inertia: equal to rounding."""
    model = load_model(name, tool)
    gravity, data, rng = LinkGravity(model, ORBIT), model.pin.createData(), np.random.default_rng(5)
    for _ in range(50):
        q, t = anywhere(model, rng), rng.uniform(0.0, 6000.0)
        pinocchio.forwardKinematics(model.pin, data, q)
        total, up = gravity.total(t, data).copy(), ORBIT.up_at(t)
        pinocchio.ccrba(model.pin, data, q, np.zeros(model.pin.nv))
        centre, inertia = np.array(data.com[0]), np.array(data.Ig.inertia)
        force = model.mass_kg * SHARE * (3.0 * up * (up @ centre) - centre)
        torque = 3.0 * SHARE * np.cross(up, inertia @ up)
        assert total[:3] == pytest.approx(force, abs=1e-12 * model.mass_kg * SHARE * 10.0)
        about = total[3:] - np.cross(centre, total[:3])
        assert about == pytest.approx(torque, abs=1e-12 * model.mass_kg * SHARE * 100.0)  # levers of 10 m cancel


def test_a_link_feels_the_difference_of_newtons_attraction() -> None:
    """Against − μ p / p³ at both places, in 1 m: linear terms only, off by 1.5 r / R = 2e-7."""
    model = load_model("planar_one", "tip")
    gravity, data = LinkGravity(model, ORBIT), model.pin.createData()
    place, t = np.array([0.6, -0.8, 0.3]), 1234.0
    pinocchio.forwardKinematics(model.pin, data, model.configuration(np.zeros(1), place))
    reference = RADIUS * ORBIT.up_at(t)
    base = gravity.wrenches(t, data)[1]
    there = reference + place
    # The difference of two attractions of 8.4 m/s2 loses nine digits: rounding leaves 1e-15 m/s2, 1e-9 of the tide.
    exact = -MU_M3_S2 * (there / np.linalg.norm(there) ** 3 - reference / np.linalg.norm(reference) ** 3)
    assert base[:3] / 100.0 == pytest.approx(exact, abs=1e-6 * SHARE)


def test_nothing_before_it_begins() -> None:
    model = load_model("planar_one", "tip")
    gravity, data = LinkGravity(model, ORBIT, begin_s=10.0), model.pin.createData()
    pinocchio.forwardKinematics(model.pin, data, model.configuration(np.zeros(1), np.ones(3)))
    assert not gravity.total(9.999, data).any()
    assert gravity.total(10.0, data).any()


def test_up_turns_with_the_orbit() -> None:
    period = 2.0 * math.pi / ORBIT.rate
    assert ORBIT.up_at(0.25 * period) == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)
    assert ORBIT.rate == pytest.approx(math.sqrt(MU_M3_S2 / RADIUS**3), rel=1e-15)


def test_a_craft_with_a_held_arm_swings_with_the_period_of_theory() -> None:
    """Pitch about the orbit's normal near the upright: ω² = 3 n² (I_along − I_up) / I_normal; amplitude 0.2 deg
    lengthens it by 3e-6. The base's cube has no gradient of its own: the arm's links alone, at their places, make the torque."""
    model = load_model("planar_one", "tip")
    hold = LinearCourse(np.array([0.0, 1.0]), np.zeros((2, 1)))
    q = model.configuration(np.zeros(1))
    data = model.pin.createData()
    pinocchio.ccrba(model.pin, data, q, np.zeros(model.pin.nv))
    inertia, centre = np.array(data.Ig.inertia), np.array(data.com[0])
    swing = math.radians(0.2)
    turned = Rotation.from_euler("z", swing)
    q = model.configuration(np.zeros(1), -turned.apply(centre), turned.as_quat(scalar_first=True))
    momentum = np.concatenate([np.zeros(3), [0.0, 0.0, inertia[2, 2] * ORBIT.rate]])  # it turns with the orbit
    arm = PrescribedArm(model, hold, q, momentum, gravity=LinkGravity(model, ORBIT))
    period = 2.0 * math.pi / (ORBIT.rate * math.sqrt(3.0 * (inertia[1, 1] - inertia[0, 0]) / inertia[2, 2]))
    times, angles = [], []
    for t in np.linspace(0.0, period, 200):
        arm.advance(float(t), 10.0)
        attitude = Rotation.from_quat(arm.q[3:7])  # scalar last here
        times.append(t)
        angles.append((Rotation.from_euler("z", -ORBIT.rate * t) * attitude).as_euler("ZYX")[0])
    expected = swing * np.cos(2.0 * math.pi * np.array(times) / period)
    assert np.array(angles) == pytest.approx(expected, abs=1e-4 * swing)


def test_momentum_form_and_full_dynamics_agree_under_gravity() -> None:
    """The same arm with its joints held, by course and by friction: 200 s of falling and turning in both forms."""
    model = load_model("ets7_a", "tool")
    joints = np.array([0.3, 0.4, -0.6, 0.2, 0.1, -0.4])
    q = model.configuration(joints, np.array([3.0, -2.0, 1.0]))
    gravity = LinkGravity(model, ORBIT)
    held = PrescribedArm(model, LinearCourse(np.array([0.0, 1.0]), np.vstack([joints, joints])), q, gravity=gravity)
    held.advance(200.0, 1.0)
    brakes = JointHardware(np.zeros(6), np.full(6, 10.0), model.lower, model.upper, model.effort, model.speed)
    plant = FreeFloating(model, q, hardware=brakes, forces=LinkGravity(model, ORBIT))
    for _ in range(2000):
        plant.step(np.zeros(6), 0.1)
    assert plant.q[7:] == pytest.approx(joints, abs=1e-7)
    assert np.abs(held.q[:3] - q[:3]).max() > 1e-2  # it moved
    assert plant.q[:7] == pytest.approx(held.q[:7], abs=1e-8)


def test_torques_alone_are_the_tide_without_its_forces_and_a_fixed_frame_does_not_turn() -> None:
    """At an attitude where every link is turned; as published they differ: the direction is turned the other way."""
    import pinocchio

    from proxops.arms.model import load_model
    from proxops.space.link_gravity import CircularOrbit, LinkGravity, Pull

    model = load_model("ets7_b", "tool")
    q = model.configuration(np.linspace(-0.5, 0.7, 6), quat=np.array([0.9, 0.1, -0.3, 0.3]))
    q[3:7] /= np.linalg.norm(q[3:7])
    data = model.pin.createData()
    pinocchio.forwardKinematics(model.pin, data, q)
    orbit = CircularOrbit(6.878e6, turns=False)
    np.testing.assert_array_equal(orbit.up_at(1e4), orbit.up_at(0.0))
    whole, alone, published = (LinkGravity(model, orbit, 0.0, pull).wrenches(5.0, data).copy() for pull in Pull)
    centres = np.array([body.lever for body in model.pin.inertias])
    np.testing.assert_allclose(alone[:, 3:], whole[:, 3:] - np.cross(centres, whole[:, :3]), atol=1e-15)
    assert not alone[:, :3].any()
    assert not published[:, :3].any()
    assert np.abs(published[1:, 3:] - alone[1:, 3:]).max() > 1e-6
