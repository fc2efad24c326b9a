"""Generalised quantities of a free-floating arm against differences of its motion, the momentum and the full dynamics."""

import numpy as np
import pinocchio
import pytest

from proxops.arms.dynamics import Dynamics
from proxops.arms.model import ArmModel, load_model


@pytest.fixture(scope="module", params=["one arm", "both arms", "six joints"])
def arm(request: pytest.FixtureRequest) -> ArmModel:
    """Both arms: half of the joints do not move the tool directly, only through the base."""
    if request.param == "six joints":
        return load_model("ets7_a", "tool")
    joints = tuple(f"arm_right_{i}" for i in range(1, 8)) if request.param == "one arm" else None
    return load_model("humanoid", "hand_right", joints)


def states(arm: ArmModel, count: int = 5) -> list[tuple[np.ndarray, np.ndarray]]:
    """Base anywhere, joints within limits, all of it moving: momentum is not zero."""
    rng, out = np.random.default_rng(12), []
    for _ in range(count):
        quat = rng.normal(size=4)
        joints = arm.lower + (arm.upper - arm.lower) * rng.uniform(0.1, 0.9, arm.n)
        out.append(
            (arm.configuration(joints, rng.normal(size=3), quat / np.linalg.norm(quat)), rng.normal(size=arm.pin.nv))
        )
    return out


def test_the_jacobian_is_the_derivative_of_the_tool_at_zero_momentum(arm: ArmModel) -> None:
    dynamics, rng, h = Dynamics(arm), np.random.default_rng(1), 1e-6
    for q, _ in states(arm):
        g, rates = dynamics.update(q, np.zeros(arm.pin.nv)), rng.normal(size=arm.n)
        expected = g.jacobian @ rates
        v = np.concatenate([g.base @ rates, rates])
        assert np.abs(dynamics.momentum(q, v)).max() < 1e-10 * arm.mass_kg  # the base's part of it is the momentum's
        poses = []
        for sign in (-1.0, 1.0):
            dynamics.update(pinocchio.integrate(arm.pin, q, sign * h * v), v)
            poses.append((dynamics.p.copy(), dynamics.R.copy()))
        linear = (poses[1][0] - poses[0][0]) / (2 * h)
        angular = pinocchio.log3(poses[1][1] @ poses[0][1].T) / (2 * h)
        assert np.concatenate([linear, angular]) == pytest.approx(expected, abs=1e-7)  # h², and 1e-16 / h


def test_the_twist_is_what_joints_and_momentum_make_of_it(arm: ArmModel) -> None:
    """ṗ = Jg q̇ + v_gm, and v_gm is what the tool does when the whole is locked and has this momentum."""
    dynamics = Dynamics(arm)
    for q, v in states(arm):
        g = dynamics.update(q, v)
        assert g.jacobian @ v[6:] + g.carried == pytest.approx(dynamics.twist, abs=1e-10)
        momentum = dynamics.momentum(q, v)
        locked = np.zeros(arm.pin.nv)
        locked[:6] = v[:6] - g.base @ v[6:]
        assert dynamics.momentum(q, locked) == pytest.approx(momentum, abs=1e-10 * np.abs(momentum).max())
        dynamics.update(q, locked)
        assert dynamics.twist == pytest.approx(g.carried, abs=1e-9)


def test_the_drift_is_what_differences_see_at_any_momentum(arm: ArmModel) -> None:
    """d/dt (Jg q̇ + v_gm) with q̈ = 0, along the true motion: base accelerations from forward dynamics under the torques
    that make it."""
    dynamics, h = Dynamics(arm), 1e-5
    for q, v in states(arm):
        g = dynamics.update(q, v)
        drift, bias = g.drift.copy(), g.bias.copy()
        a = dynamics.forward(q, v, np.concatenate([np.zeros(6), bias]))
        assert a[6:] == pytest.approx(np.zeros(arm.n), abs=1e-7)  # τ = C* holds the joint rates
        twists = []
        for sign in (-1.0, 1.0):
            at = pinocchio.integrate(arm.pin, q, sign * h * (v + 0.5 * sign * h * a))
            g = dynamics.update(at, v + sign * h * a)
            twists.append(g.jacobian @ v[6:] + g.carried)
        assert (twists[1] - twists[0]) / (2 * h) == pytest.approx(drift, abs=1e-6 * max(1.0, np.abs(drift).max()))


def test_the_jacobians_rate_is_its_derivative(arm: ArmModel) -> None:
    dynamics, h = Dynamics(arm), 1e-6
    for q, v in states(arm):
        plain = [part.copy() for part in dynamics.update(q, v)]
        tool = dynamics.tool.copy()
        g, rate = dynamics.update_with_rate(q, v), dynamics.rate.copy()
        # Coriolis' matrix times v and columns' rates times v are the same numbers.
        for one, other in zip(plain, g, strict=True):
            assert other == pytest.approx(one, abs=1e-9 * max(1.0, np.abs(one).max()))
        assert dynamics.tool == pytest.approx(tool, abs=1e-9)
        ends = [dynamics.update(pinocchio.integrate(arm.pin, q, s * h * v), v).jacobian.copy() for s in (-1.0, 1.0)]
        assert (ends[1] - ends[0]) / (2 * h) == pytest.approx(rate, abs=1e-7 * max(1.0, np.abs(rate).max()))


def test_inverse_and_forward_dynamics_are_inverses(arm: ArmModel) -> None:
    dynamics, rng = Dynamics(arm), np.random.default_rng(3)
    for q, v in states(arm):
        a = rng.normal(size=arm.pin.nv)
        forces = dynamics.inverse(q, v, a).copy()
        assert dynamics.forward(q, v, forces) == pytest.approx(a, abs=1e-8)


def test_generalised_inertia_and_bias_are_the_free_dynamics_of_the_joints(arm: ArmModel) -> None:
    """q̈ of the articulated-body algorithm with nothing on the base = M*⁻¹ (τ − C*)."""
    dynamics, rng = Dynamics(arm), np.random.default_rng(4)
    for q, v in states(arm):
        torques = rng.normal(size=arm.n)
        g = dynamics.update(q, v)
        a = dynamics.forward(q, v, np.concatenate([np.zeros(6), torques]))
        assert np.linalg.solve(g.inertia, torques - g.bias) == pytest.approx(a[6:], rel=1e-8, abs=1e-8)
        assert g.inertia == pytest.approx(g.inertia.T)
        # And with known forces on base and joints told to ``update``:
        forces = rng.normal(size=arm.pin.nv)
        g = dynamics.update(q, v, forces)
        drift = g.drift.copy()
        a = dynamics.forward(q, v, forces + np.concatenate([np.zeros(6), torques]))
        assert np.linalg.solve(g.inertia, torques - g.bias) == pytest.approx(a[6:], rel=1e-8, abs=1e-8)
        assert dynamics.J @ a + dynamics.drift == pytest.approx(g.jacobian @ a[6:] + drift, rel=1e-8, abs=1e-8)


def test_the_tool_is_where_pinocchio_has_it(arm: ArmModel) -> None:
    """Pose, Jacobian, twist and J̇ v from the compiled shortcut against Pinocchio's own functions for a frame."""
    dynamics, data, aligned = Dynamics(arm), arm.pin.createData(), pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
    for q, v in states(arm):
        dynamics.update(q, v)
        pinocchio.forwardKinematics(arm.pin, data, q, v, np.zeros(arm.pin.nv))
        place = pinocchio.updateFramePlacement(arm.pin, data, arm.tool_id)
        pinocchio.computeJointJacobians(arm.pin, data, q)
        assert dynamics.p == pytest.approx(place.translation, abs=1e-12)
        assert pytest.approx(place.rotation, abs=1e-12) == dynamics.R
        assert pytest.approx(pinocchio.getFrameJacobian(arm.pin, data, arm.tool_id, aligned), abs=1e-12) == dynamics.J
        assert dynamics.twist == pytest.approx(
            pinocchio.getFrameVelocity(arm.pin, data, arm.tool_id, aligned).vector, abs=1e-11
        )
        drift = pinocchio.getFrameClassicalAcceleration(arm.pin, data, arm.tool_id, aligned).vector
        assert dynamics.drift == pytest.approx(drift, abs=1e-10)
