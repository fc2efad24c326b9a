"""Task-space laws: closed loops against what theory says, gains that cannot be, singular arms."""

import numpy as np
import pytest

from proxops.arms.dynamics import Dynamics
from proxops.arms.model import ArmModel, load_model
from proxops.arms.model_error import mistaken
from proxops.core.errors import BadInput
from proxops.onboard.damped_inverse import THRESHOLD, prepare, prepare_weighted, project, pull, solve
from proxops.onboard.path_preview import preview
from proxops.onboard.pose_path import PoseDemand, PosePath
from proxops.onboard.task_controller import TaskController, TaskGains, check_damping, damping_bound
from proxops.onboard.task_laws import task_error

START = np.radians([25.0, -110.0, -10.0, -85.0, 85.0, 0.0, -5.0])
GAINS = {
    1: TaskGains(0.1, 0.5, 0.5),
    2: TaskGains(0.5, 10.0, 1.0, 2.0),
    3: TaskGains(0.5, 10.0, 0.01, 0.02),
    4: TaskGains(0.5, 10.0, 0.5, 0.5),
}


@pytest.fixture(scope="module")
def arm() -> ArmModel:
    return load_model("humanoid", "hand_right", tuple(f"arm_right_{i}" for i in range(1, 8)))


def some_state(arm: ArmModel, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Turned base, joints near the start, everything moving: the momentum is not zero."""
    quat = rng.normal(size=4)
    q = arm.configuration(START + 0.2 * rng.normal(size=arm.n), rng.normal(size=3), quat / np.linalg.norm(quat))
    return q, 0.3 * rng.normal(size=arm.pin.nv)


def some_demand(dynamics: Dynamics, rng: np.random.Generator, far: float = 0.05) -> PoseDemand:
    path = PosePath(
        dynamics.p, dynamics.R, np.array([0.0, 2.0]), np.vstack([np.zeros(3), far * rng.normal(size=3)]),
        np.vstack([np.zeros(3), far * rng.normal(size=3)]),
    )  # fmt: skip
    return path.at(0.8)


def acceleration_of_tool(arm: ArmModel, q: np.ndarray, v: np.ndarray, torques: np.ndarray) -> np.ndarray:
    """What the tool really does: accelerations of base and joints by forward dynamics, then J a + J̇ v."""
    dynamics = Dynamics(arm)
    dynamics.update(q, v)
    a = dynamics.forward(q, v, np.concatenate([np.zeros(6), torques]))
    return dynamics.J @ a + dynamics.drift


@pytest.mark.parametrize("law", [2, 4])
def test_laws_2_and_4_give_the_tool_exactly_the_acceleration_they_ask_for(arm: ArmModel, law: int) -> None:
    """Eqs. 28 and 39, at non-zero momentum: p̈ = p̈_d + Kd ė + Kp e."""
    rng = np.random.default_rng(law)
    controller, dynamics, error = TaskController(arm, law, GAINS[law], START, 1e-3), Dynamics(arm), np.zeros(6)
    for _ in range(5):
        q, v = some_state(arm, rng)
        dynamics.update(q, v)
        demand = some_demand(dynamics, rng)
        torques = controller.step(q, v, demand)
        assert controller.sigma > THRESHOLD
        task_error(dynamics.tool, demand.flat, error)
        asked = demand.acceleration + 10.0 * (demand.twist - dynamics.twist) + 0.5 * error
        # Rounding: condition of J Jᵀ (up to 1e3) and of M* (1e3), times 1e-16, times accelerations of 10.
        assert acceleration_of_tool(arm, q, v, torques) == pytest.approx(asked, abs=1e-8)


def test_law_1_makes_the_joints_follow_the_reference_rates(arm: ArmModel) -> None:
    """M* (q̈_r − q̈) + Kd (q̇_r − q̇) = 0 with q̈_r the derivative of q̇_r along the motion: here by differences along it."""
    import pinocchio

    rng = np.random.default_rng(5)
    controller = TaskController(arm, 1, GAINS[1], START, 1e-3)
    q, v = some_state(arm, rng)
    dynamics = Dynamics(arm)
    dynamics.update(q, v)
    turn = np.vstack([np.zeros(3), 0.1 * rng.normal(size=3)])
    path = PosePath(
        dynamics.p, dynamics.R, np.array([0.0, 2.0]), np.vstack([np.zeros(3), 0.1 * rng.normal(size=3)]), turn
    )
    torques = controller.step(q, v, path.at(0.8)).copy()
    a = dynamics.forward(q, v, np.concatenate([np.zeros(6), torques]))

    def reference(h: float) -> np.ndarray:
        # q along the true motion to second order; the base's velocity is in its own frame, hence the middle velocity.
        q_h = pinocchio.integrate(arm.pin, q, h * (v + 0.5 * h * a))
        g = dynamics.update(q_h, v + h * a)
        demand, error = path.at(0.8 + h), np.zeros(6)
        task_error(dynamics.tool, demand.flat, error)
        inverse = np.linalg.pinv(g.jacobian)
        return inverse @ (demand.twist + 0.1 * error - g.carried) + (np.eye(7) - inverse @ g.jacobian) @ (
            0.5 * (START - q_h[7:])
        )

    g = dynamics.update(q, v)
    inertia = g.inertia.copy()
    rate = (reference(1e-4) - reference(-1e-4)) / 2e-4
    left = inertia @ (rate - a[6:]) + 0.5 * (reference(0.0) - v[6:])
    # The rotation error's derivative is taken as ω_d − ω: off by |e| |ω| / 2 (0.05 · 0.5), times Kp 0.1 and inertias of 0.5.
    assert left == pytest.approx(np.zeros(7), abs=3e-3)
    assert np.linalg.norm(inertia @ rate) > 0.05  # what is compared is not small itself


def test_demanded_rates_give_the_tool_the_demanded_twist(arm: ArmModel) -> None:
    """At any momentum, and with nothing in the null space."""
    rng, controller = np.random.default_rng(31), TaskController(arm, 2, TaskGains(0.5, 10.0, 1.0, 2.0), START, 1e-3)
    for _ in range(5):
        q, v = some_state(arm, rng)
        demand = some_demand(controller.dynamics, rng)
        controller.step(q, v, demand)
        g, rates = controller.dynamics.generalised, controller.demanded_rates(demand)
        assert g.jacobian @ rates + g.carried == pytest.approx(demand.flat[12:18], abs=1e-9)
        null = np.linalg.svd(g.jacobian)[2][-1]
        assert abs(null @ rates) < 1e-9 * np.linalg.norm(rates)


def test_with_the_printed_sign_of_equation_17_law_1_pushes_away_from_the_posture(arm: ArmModel) -> None:
    """As a posture on the other side would pull."""
    q, v = some_state(arm, np.random.default_rng(32))
    joints = q[7:].copy()
    away = np.full(7, 0.05)
    demand = some_demand(Dynamics(arm), np.random.default_rng(33))
    pushed = TaskController(arm, 1, TaskGains(0.1, 0.5, 0.5, pushes=True), joints + away, 1e-3).step(q, v * 0.0, demand)
    pulled = TaskController(arm, 1, TaskGains(0.1, 0.5, 0.5), joints - away, 1e-3).step(q, v * 0.0, demand)
    assert pushed == pytest.approx(pulled, abs=1e-12)
    other = TaskController(arm, 1, TaskGains(0.1, 0.5, 0.5), joints + away, 1e-3).step(q, v * 0.0, demand)
    assert np.abs(pushed - other).max() > 1e-4


def test_laws_2_and_4_differ_only_in_the_null_space(arm: ArmModel) -> None:
    rng = np.random.default_rng(8)
    q, v = some_state(arm, rng)
    two, four = (TaskController(arm, law, GAINS[law], START, 1e-3) for law in (2, 4))
    dynamics = Dynamics(arm)
    g = dynamics.update(q, v)
    demand = some_demand(dynamics, rng)
    apart = np.linalg.solve(g.inertia, two.step(q, v, demand) - four.step(q, v, demand))
    assert np.linalg.norm(apart) > 1e-3
    assert np.linalg.norm(g.jacobian @ apart) < 1e-9 * np.linalg.norm(apart) * 1e2


@pytest.mark.parametrize("law", [1, 2, 3, 4])
def test_known_forces_are_made_up_for(arm: ArmModel, law: int) -> None:
    """With forces on base and joints told, the tool does what it does without any."""
    rng = np.random.default_rng(20 + law)
    q, v = some_state(arm, rng)
    forces = 0.1 * rng.normal(size=arm.pin.nv)
    controller, dynamics = TaskController(arm, law, GAINS[law], START, 1e-3), Dynamics(arm)
    dynamics.update(q, v)
    demand = some_demand(dynamics, rng)
    free = acceleration_of_tool(arm, q, v, controller.step(q, v, demand))
    told = controller.step(q, v, demand, forces)
    a = dynamics.forward(q, v, forces + np.concatenate([np.zeros(6), told]))
    dynamics.update(q, v)
    assert dynamics.J @ a + dynamics.drift == pytest.approx(free, abs=1e-8)


def test_the_error_is_the_turn_that_is_left(arm: ArmModel) -> None:
    """Position, and the rotation vector in inertial axes that takes the tool's attitude to the demanded one."""
    from scipy.spatial.transform import Rotation

    rng = np.random.default_rng(2)
    tool, demand, error = np.zeros(24), PoseDemand(), np.zeros(6)
    for angle in (1e-9, 0.3, 3.0):
        way = rng.normal(size=3)
        way *= angle / np.linalg.norm(way)
        own = Rotation.random(random_state=3)
        tool[:3], tool[3:12] = rng.normal(size=3), own.as_matrix().ravel()
        demand.p[:] = rng.normal(size=3)
        demand.R[:] = (Rotation.from_rotvec(way) * own).as_matrix()
        task_error(tool, demand.flat, error)
        assert error == pytest.approx(np.concatenate([demand.p - tool[:3], way]), abs=1e-12)


# --- the inverses ---


def weak_jacobian(sigma: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """(6, 7) with this smallest singular value, and its direction in the task."""
    left, right = (np.linalg.qr(rng.normal(size=(n, n)))[0] for n in (6, 7))
    return left @ np.diag([1.2, 1.0, 0.8, 0.7, 0.5, sigma]) @ right[:, :6].T, left[:, 5]


def test_the_weakest_direction_is_found_and_kept() -> None:
    rng = np.random.default_rng(1)
    J, direction = weak_jacobian(0.1, rng)
    u, L = np.zeros(6), np.zeros((6, 6))
    sigma = prepare(J, u, L)
    assert sigma == pytest.approx(0.1, rel=1e-9)
    assert abs(u @ direction) == pytest.approx(1.0, abs=1e-9)
    # It goes along when the Jacobian changes: 2 rounds shrink what is off by (0.1 / 0.5)⁴ = 2e-3.
    for k in range(50):
        angle = 0.01 * k
        turn = np.eye(6)
        turn[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        assert prepare(turn @ J, u, L) == pytest.approx(0.1, rel=1e-6)


def test_above_the_threshold_it_is_the_pseudo_inverse() -> None:
    rng = np.random.default_rng(2)
    J, _ = weak_jacobian(1.01 * THRESHOLD, rng)
    u, L, out, task = np.zeros(6), np.zeros((6, 6)), np.zeros(7), rng.normal(size=6)
    prepare(J, u, L)
    pull(J, L, task.copy(), out)
    assert out == pytest.approx(np.linalg.pinv(J) @ task, rel=1e-9)


@pytest.mark.parametrize("sigma", [0.0, 1e-9, 0.01, 0.04])
def test_below_it_rates_stay_bounded_and_other_directions_exact(sigma: float) -> None:
    rng = np.random.default_rng(3)
    J, weak = weak_jacobian(sigma, rng)
    u, L, out = np.zeros(6), np.zeros((6, 6)), np.zeros(7)
    for _ in range(5):
        prepare(J, u, L)
    strong = rng.normal(size=6)
    strong -= (strong @ weak) * weak
    pull(J, L, strong.copy(), out)
    assert J @ out == pytest.approx(strong, abs=1e-6)
    pull(J, L, weak.copy(), out)
    assert np.linalg.norm(out) < 1.05 / THRESHOLD  # what it is at the threshold; undamped: 1/σ


def test_damping_sets_in_smoothly() -> None:
    rng = np.random.default_rng(4)
    gains = []
    for sigma in THRESHOLD * np.linspace(0.9, 1.1, 41):
        J, weak = weak_jacobian(float(sigma), np.random.default_rng(4))
        u, L, out = weak + 0.1 * rng.normal(size=6), np.zeros((6, 6)), np.zeros(7)
        for _ in range(5):
            prepare(J, u, L)
        pull(J, L, weak.copy(), out)
        gains.append(np.linalg.norm(out))
    steps = np.diff(gains)
    assert np.max(np.abs(np.diff(steps))) < 0.02 * np.ptp(gains)  # no corner: a jump of slope would be 0.05


def test_the_weighted_inverse_has_the_least_kinetic_energy() -> None:
    rng = np.random.default_rng(6)
    J, _ = weak_jacobian(0.3, rng)
    root = rng.normal(size=(7, 7))
    M = root @ root.T + 0.1 * np.eye(7)
    u, L, W, task = np.zeros(6), np.zeros((6, 6)), np.zeros((6, 7)), rng.normal(size=6)
    prepare_weighted(J, M, u, L, W)
    x = task.copy()
    solve(L, x)
    rates = W.T @ x  # J̄ task
    assert J @ rates == pytest.approx(task, abs=1e-9)
    null = np.linalg.svd(J)[2][6]
    assert abs(null @ M @ rates) < 1e-9 * np.linalg.norm(M @ rates)  # stationary along the null space


def test_the_projector_changes_nothing_in_the_task() -> None:
    rng = np.random.default_rng(7)
    J, _ = weak_jacobian(0.2, rng)
    u, L, out, wish = np.zeros(6), np.zeros((6, 6)), np.zeros(7), rng.normal(size=7)
    prepare(J, u, L)
    project(J, L, wish, out)
    null = np.linalg.svd(J)[2][6]
    assert out == pytest.approx((null @ wish) * null, abs=1e-13)


# --- paths ---


def test_a_path_passes_its_way_points_and_its_rates_are_its_derivatives() -> None:
    from scipy.spatial.transform import Rotation

    rng = np.random.default_rng(9)
    p, R = rng.normal(size=3), Rotation.random(random_state=1).as_matrix()
    times = np.array([0.0, 2.0, 3.5, 6.0])
    places, turns = (np.vstack([np.zeros(3), rng.normal(size=(3, 3))]) for _ in range(2))
    path = PosePath(p, R, times, places, turns)

    def pose(t: float) -> tuple[np.ndarray, Rotation, np.ndarray]:
        demand = path.at(t)
        return demand.p.copy(), Rotation.from_matrix(demand.R.copy()), demand.flat[12:].copy()

    for t, place, turn in zip(times, places, turns, strict=True):
        at, attitude, _ = pose(float(t))
        assert at == pytest.approx(p + place, abs=1e-12)
        assert (attitude * Rotation.from_matrix(R).inv()).as_matrix() == pytest.approx(
            Rotation.from_rotvec(turn).as_matrix(), abs=1e-12
        )
    h = 1e-5
    for t in (0.003, 0.7, 2.0, 3.4999, 5.9):
        (p0, R0, w0), (_, _, w), (p1, R1, w1) = pose(t - h), pose(t), pose(t + h)
        numeric = np.concatenate([p1 - p0, (R1 * R0.inv()).as_rotvec()]) / (2 * h)
        assert w[:6] == pytest.approx(numeric, abs=1e-8)  # h² · jerk, and 1e-16 / h
        assert w[6:] == pytest.approx((w1[:6] - w0[:6]) / (2 * h), abs=1e-7)
    assert np.abs(pose(0.0)[2]).max() < 1e-9 and np.abs(pose(6.0)[2]).max() < 1e-9  # at rest
    assert np.abs(pose(7.0)[2]).max() == 0.0 and pose(7.0)[0] == pytest.approx(p + places[-1], abs=1e-12)


def test_a_path_keeps_its_start_when_the_caller_moves_on() -> None:
    p, R = np.zeros(3), np.eye(3)
    path = PosePath(p, R, np.array([0.0, 1.0]), np.zeros((2, 3)), np.zeros((2, 3)))
    p += 1.0
    R[:] = 0.0
    assert pytest.approx(np.eye(3)) == path.at(0.5).R and not path.at(0.5).p.any()


# --- what cannot be ---


@pytest.mark.parametrize(
    ("law", "gains", "named"),
    [
        (2, TaskGains(np.ones(7), 10.0, 1.0, 2.0), "kp"),
        (2, TaskGains(np.eye(6), 10.0, 1.0, 2.0), "kp"),
        (1, TaskGains(0.1, np.ones(6), 0.5), "kd"),
        (3, TaskGains(0.5, -10.0, 0.01, 0.02), "kd"),
        (3, TaskGains(0.5, 10.0, 0.0, 0.02), "posture_kp"),
        (4, TaskGains(0.5, 10.0, 0.5, 0.0), "posture_kd"),
        (4, TaskGains(float("nan"), 10.0, 0.5, 0.5), "kp"),
        (1, TaskGains(0.1, 0.5, 0.5, alpha=-1.0), "alpha"),
    ],
)
def test_gains_of_the_wrong_shape_or_sign_are_named(arm: ArmModel, law: int, gains: TaskGains, named: str) -> None:
    with pytest.raises(BadInput, match=named):
        TaskController(arm, law, gains, START, 1e-3)


def test_no_fifth_law_and_no_posture_beyond_the_limits(arm: ArmModel) -> None:
    with pytest.raises(BadInput, match="1, 2, 3, 4"):
        TaskController(arm, 5, GAINS[2], START, 1e-3)
    with pytest.raises(BadInput, match="arm_right_4"):
        TaskController(arm, 2, GAINS[2], START + np.array([0, 0, 0, 3.0, 0, 0, 0]), 1e-3)


def test_damping_above_its_bound_is_refused_and_really_unstable(arm: ArmModel) -> None:
    g = Dynamics(arm).update(arm.configuration(START), np.zeros(arm.pin.nv))
    bound = damping_bound(g.inertia, 1e-3)
    assert bound == pytest.approx(2.0 * np.min(np.linalg.eigvals(g.inertia).real) / 1e-3)
    bad = TaskController(arm, 3, TaskGains(0.5, 10.0, 0.01, 1.02 * bound), START, 1e-3)
    with pytest.raises(BadInput, match=r"law 3: posture_kd.*2 λ_min"):
        check_damping(bad, g.inertia)
    assert check_damping(TaskController(arm, 3, GAINS[3], START, 1e-3), g.inertia) == pytest.approx((0.02, bound))
    # M* q̈ = −K q̇ held over dt: q̇ := (1 − dt M*⁻¹ K) q̇. Just below the bound it shrinks, just above it grows.
    for factor, grows in ((0.98, False), (1.02, True)):
        step = np.eye(7) - 1e-3 * factor * bound * np.linalg.inv(g.inertia)
        assert bool(np.max(np.abs(np.linalg.eigvals(step))) > 1.0) is grows


def test_paths_that_cannot_be_followed_are_told_before(arm: ArmModel) -> None:
    def look(joints: np.ndarray, move: tuple[float, float, float]) -> None:
        q, dynamics = arm.configuration(joints), Dynamics(arm)
        dynamics.update(q, np.zeros(arm.pin.nv))
        path = PosePath(
            dynamics.p, dynamics.R, np.array([0.0, 3.0]), np.array([(0.0, 0.0, 0.0), move]), np.zeros((2, 3))
        )
        preview(arm, q, path, joints)

    look(START, (0.05, 0.05, 0.0))
    with pytest.raises(BadInput, match=r"out of reach|beyond its limits"):
        look(START, (1.5, 0.0, 0.0))
    singular = np.radians([10.0, -1.5, 0.0, -127.0, 30.0, 70.0, -20.0])
    with pytest.raises(BadInput, match="singular start"):
        look(singular, (0.0, 0.05, 0.0))


def test_way_points_that_make_no_path() -> None:
    p, R, none = np.zeros(3), np.eye(3), np.zeros((2, 3))
    with pytest.raises(BadInput, match="increasing"):
        PosePath(p, R, np.array([0.0, 0.0]), none, none)
    with pytest.raises(BadInput, match="start itself"):
        PosePath(p, R, np.array([0.0, 1.0]), none + 1.0, none)
    with pytest.raises(BadInput, match="turn from the start"):
        PosePath(p, R, np.array([0.0, 1.0]), none, np.array([[0.0, 0.0, 0.0], [3.2, 0.0, 0.0]]))


def test_a_mistaken_model_has_physical_bodies_within_the_share(arm: ArmModel) -> None:
    wrong = mistaken(arm, 0.1, np.random.default_rng(3))
    for right, body in zip(list(arm.pin.inertias)[1:], list(wrong.pin.inertias)[1:], strict=True):
        of_mass, of_inertia = body.mass / right.mass, np.trace(body.inertia) / np.trace(right.inertia)
        assert 0.9 <= of_mass <= 1.1 and 0.9 <= of_inertia <= 1.1 and of_mass != of_inertia
        a, b, c = np.linalg.eigvalsh(body.inertia)
        assert a > 0.0 and a + b >= c * (1.0 - 1e-9)
    assert wrong.joints == arm.joints and wrong.mass_kg != arm.mass_kg
