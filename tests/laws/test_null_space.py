"""The null space is null where theory says so: in laws 2 and 4 the posture never moves the tool, in law 3 by exactly eq. 32."""

import numpy as np
import pytest

from proxops.arms.dynamics import Dynamics
from proxops.arms.model import ArmModel, load_model
from proxops.onboard.damped_inverse import THRESHOLD, prepare, project
from proxops.onboard.pose_path import PosePath
from proxops.onboard.task_controller import TaskController, TaskGains

MIDDLE = np.radians([25.0, -110.0, -10.0, -85.0, 85.0, 0.0, -5.0])


@pytest.fixture(scope="module")
def arm() -> ArmModel:
    return load_model("humanoid", "hand_right", tuple(f"arm_right_{i}" for i in range(1, 8)))


def states(arm: ArmModel, count: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Anywhere in space and about the middle of the joints, moving, away from singularities."""
    rng, out = np.random.default_rng(seed), []
    dynamics = Dynamics(arm)
    while len(out) < count:
        quat = rng.normal(size=4)
        q = arm.configuration(MIDDLE + 0.3 * rng.normal(size=7), rng.normal(size=3), quat / np.linalg.norm(quat))
        v = 0.3 * rng.normal(size=arm.pin.nv)
        if np.linalg.svd(dynamics.update(q, v).jacobian)[1][-1] > 1.5 * THRESHOLD:
            out.append((q, v))
    return out


def test_projected_rates_do_not_move_the_tool(arm: ArmModel) -> None:
    dynamics, rng = Dynamics(arm), np.random.default_rng(1)
    u, L, out = np.zeros(6), np.zeros((6, 6)), np.zeros(7)
    for q, v in states(arm, 20, 1):
        g, wish = dynamics.update(q, v), rng.normal(size=7)
        prepare(g.jacobian, u, L)
        project(g.jacobian, L, wish, out)
        assert np.linalg.norm(out) > 1e-3
        # Rounding of a Cholesky solve: 1e-16 times the condition of Jg Jgᵀ, at most (1.5 / 0.075)² = 400.
        assert np.abs(g.jacobian @ out).max() < 1e-12


def tool_acceleration(arm: ArmModel, q: np.ndarray, v: np.ndarray, torques: np.ndarray) -> np.ndarray:
    dynamics = Dynamics(arm)
    dynamics.update(q, v)
    a = dynamics.forward(q, v, np.concatenate([np.zeros(6), torques]))
    return dynamics.J @ a + dynamics.drift


def by_posture(arm: ArmModel, law: int, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Change of the tool's and of the joints' acceleration when the posture is another; and v_a's own change."""
    kps, kds = (1.0, 2.0) if law == 2 else (0.5, 0.3)
    dynamics = Dynamics(arm)
    dynamics.update(q, v)
    path = PosePath(
        dynamics.p, dynamics.R, np.array([0.0, 1.0]), np.array([[0, 0, 0], [0.1, 0, 0.0]]), np.zeros((2, 3))
    )
    other = MIDDLE + np.array([0.3, -0.2, 0.4, 0.1, -0.3, 0.2, 0.1])
    torques = []
    for posture in (MIDDLE, other):
        controller = TaskController(arm, law, TaskGains(0.5, 10.0, kps, kds), posture, 1e-3)
        torques.append(controller.step(q, v, path.at(0.4)).copy())
    moved = tool_acceleration(arm, q, v, torques[1]) - tool_acceleration(arm, q, v, torques[0])
    joints = np.linalg.solve(dynamics.generalised.inertia, torques[1] - torques[0])
    return moved, joints, kps * (other - MIDDLE)


@pytest.mark.parametrize("law", [2, 4])
def test_posture_and_tool_are_decoupled(arm: ArmModel, law: int) -> None:
    for q, v in states(arm, 6, 10 + law):
        moved, joints, _ = by_posture(arm, law, q, v)
        assert np.linalg.norm(joints) > 0.01
        # Law 4 goes through M*⁻¹, whose condition is about 1e3.
        assert np.abs(moved).max() < 1e-10 * max(1.0, float(np.linalg.norm(joints)))


def test_law_3_couples_by_the_term_of_equation_32(arm: ArmModel) -> None:
    dynamics = Dynamics(arm)
    for q, v in states(arm, 6, 3):
        moved, _, wish = by_posture(arm, 3, q, v)
        g = dynamics.update(q, v)
        projector = np.eye(7) - np.linalg.pinv(g.jacobian) @ g.jacobian
        expected = g.jacobian @ np.linalg.solve(g.inertia, projector @ wish)
        assert np.linalg.norm(expected) > 0.01  # it does couple
        assert moved == pytest.approx(expected, abs=1e-9 * float(np.linalg.norm(expected)) + 1e-10)


@pytest.mark.parametrize("law", [2, 3, 4])
def test_where_viscous_friction_rules_law_3_is_the_one_that_decouples(arm: ArmModel, law: int) -> None:
    """Joints with equal viscous friction d and slow motion follow d q̇ = τ: what moves the tool is Jg τ, and the projector that
    belongs to it is the plain one, law 3's. Those of laws 2 and 4 belong to the inertia and couple here, each by its share."""
    dynamics = Dynamics(arm)
    for q, v in states(arm, 6, 20 + law):
        _, joints, _ = by_posture(arm, law, q, v)
        g = dynamics.update(q, v)
        torques = g.inertia @ joints
        crept = np.linalg.norm(g.jacobian @ torques) / (np.linalg.norm(g.jacobian, 2) * np.linalg.norm(torques))
        assert crept < 1e-10 if law == 3 else crept > 0.01


def test_near_a_singularity_the_projector_of_a_damped_inverse_leaks_only_along_the_weak_direction(
    arm: ArmModel,
) -> None:
    """And says so: σ_min is below the threshold then."""
    dynamics, rng = Dynamics(arm), np.random.default_rng(4)
    q = arm.configuration(np.radians([10.0, -1.5, 0.0, -127.0, 30.0, 70.0, -20.0]))
    g = dynamics.update(q, np.zeros(arm.pin.nv))
    u, L, out = np.zeros(6), np.zeros((6, 6)), np.zeros(7)
    sigma = prepare(g.jacobian, u, L)
    assert sigma < THRESHOLD
    project(g.jacobian, L, rng.normal(size=7), out)
    leak = g.jacobian @ out
    values, directions = np.linalg.eigh(g.jacobian @ g.jacobian.T)
    assert np.linalg.norm(directions[:, np.sqrt(values) >= THRESHOLD].T @ leak) < 1e-9
    assert np.linalg.norm(leak) < sigma * np.linalg.norm(out) + 1e-12
