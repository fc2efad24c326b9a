"""Closed-form kinematics of arms with seven joints: against Pinocchio from the URDFs, in all branches, and near
singular places."""

import math

import numpy as np
import pinocchio
import pytest

from proxops.arms.model import load_model
from proxops.lab.redundant_arm import BELOW_SHOULDER, N_BRANCHES, NOT_FINITE, SOLVED, TOO_FAR, TOO_NEAR, SrsArm
from proxops.maths.rotation import Array, matrix_from_rotation_vector

LIKE_LWR = (np.array([0.3105, 0.4, 0.39, 0.078]), np.array([1.0, -1, 1, 1, 1, -1, 1]))
LIKE_IIWA = (np.array([0.36, 0.42, 0.4, 0.126]), np.array([1.0, 1, 1, -1, 1, 1, 1]))
ARMS = {"lwr_4plus": ("base", *LIKE_LWR), "iiwa_satellite": ("arm_base", *LIKE_IIWA)}


def made(name: str) -> SrsArm:
    model = load_model(name, "flange")
    most = np.ones(7)
    return SrsArm(model.joints, ARMS[name][1], ARMS[name][2], model.lower, model.upper, model.speed, most, most)


def pinocchio_flange(name: str, q: Array) -> Array:
    """T_base_flange from the URDF."""
    model = load_model(name, "flange")
    data = model.pin.createData()
    pinocchio.framesForwardKinematics(model.pin, data, model.configuration(q))
    foot = data.oMf[model.pin.getFrameId(ARMS[name][0])]
    out: Array = (foot.inverse() * data.oMf[model.tool_id]).homogeneous
    return out


LWR = made("lwr_4plus")


def configurations(arm: SrsArm, n: int, seed: int) -> Array:
    return np.random.default_rng(seed).uniform(arm.lower, arm.upper, (n, 7))


@pytest.mark.parametrize("name", ARMS)
def test_flange_is_where_pinocchio_has_it(name: str) -> None:
    arm = made(name)
    for q in configurations(arm, 10, 1):
        assert arm.flange(q) == pytest.approx(pinocchio_flange(name, q), abs=1e-12)


@pytest.mark.parametrize("name", ARMS)
def test_all_eight_solutions_lead_to_the_pose_and_one_of_them_back_to_the_joints(name: str) -> None:
    arm = made(name)
    for q in configurations(arm, 300, 2):
        T, angle = arm.flange(q), arm.arm_angle(q)
        for branch in range(N_BRANCHES):
            code, found = arm.solve(T, angle, branch, near=q)
            assert code == SOLVED
            assert arm.branch(found) == branch
            assert arm.flange(found) == pytest.approx(T, abs=1e-12)
            assert math.remainder(arm.arm_angle(found) - angle, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-9)
        same = arm.solve(T, angle, arm.branch(q), near=q)[1]
        assert same == pytest.approx(q, abs=1e-9)  # joints are worse known than poses near singular places


def test_every_arm_angle_keeps_the_pose_and_turns_the_elbow_about_the_line_by_as_much() -> None:
    q = np.radians([10, 30, 20, -70, 10, 60, 30.0])
    T, angle, branch = LWR.flange(q), LWR.arm_angle(q), LWR.branch(q)
    shoulder, wrist = np.array([0, 0, 0.3105]), T[:3, 3] - 0.078 * T[:3, 2]
    line = (wrist - shoulder) / np.linalg.norm(wrist - shoulder)

    def elbow(joints: Array) -> Array:
        """From the shoulder: along the upper arm, which A1 and A2 point."""
        t1, t2 = joints[0], -joints[1]
        return 0.4 * np.array([math.cos(t1) * math.sin(t2), math.sin(t1) * math.sin(t2), math.cos(t2)])

    for turn in np.radians([-170, -60, -5, 5, 60, 170]):
        code, found = LWR.solve(T, angle + turn, branch)
        assert code == SOLVED
        assert LWR.flange(found) == pytest.approx(T, abs=1e-12)
        assert elbow(found) == pytest.approx(matrix_from_rotation_vector(turn * line) @ elbow(q), abs=1e-12)


def test_the_arm_angle_has_no_gap_over_the_shoulder() -> None:
    """The wrist goes straight through the vertical line over the shoulder; the joints move as little as it does."""
    T = np.eye(4)
    T[:3, :3] = matrix_from_rotation_vector(np.array([0.0, 2.0, 0.0]))
    before = None
    for x in np.linspace(-1e-3, 1e-3, 21):
        T[:3, 3] = np.array([x, 0.0, 0.3105 + 0.6]) + 0.078 * T[:3, 2]
        code, q = LWR.solve(T, 1.0, 0)
        assert code == SOLVED
        if before is not None:
            assert np.abs(q - before).max() < 10.0 * 1e-4  # a step of 0.1 mm, levers above 0.1 m
        before = q


@pytest.mark.parametrize(
    "q_deg", [[0] * 7, [10, 0, 20, -40, 5, 30, 7], [10, 30, 20, 0, 5, 30, 7], [10, 30, 20, -40, 5, 0, 7]]
)
def test_at_singular_places_the_pose_is_still_met(q_deg: list[float]) -> None:
    q = np.radians(np.array(q_deg, float))
    T, angle = LWR.flange(q), LWR.arm_angle(q)
    code, found = LWR.solve(T, angle, LWR.branch(q))
    assert code == SOLVED
    # A stretched arm is long by the square of what its elbow is bent: rounding of 1e-16 m counts as 1e-8 rad there.
    assert LWR.flange(found) == pytest.approx(T, abs=1e-12 if q_deg[3] else 1e-7)


def test_joints_stay_next_to_the_configuration_before() -> None:
    q = np.radians([200, 30, -190, -70, 10, 60, 400.0])
    code, found = LWR.solve(LWR.flange(q), LWR.arm_angle(q), LWR.branch(q), near=q + 0.1)
    assert code == SOLVED
    assert found == pytest.approx(q, abs=1e-12)


def test_what_has_no_solution_is_named() -> None:
    T = np.eye(4)
    for place, code in (([0, 0, 1.3], TOO_FAR), ([0.004, 0, 0.3105 + 0.078], TOO_NEAR), ([0, 0, -0.1], BELOW_SHOULDER)):
        T[:3, 3] = place
        assert LWR.solve(T, 0.0, 0)[0] == code
    T[:3, 3] = [0.4, 0.0, 0.6]
    assert LWR.solve(T, 0.0, 0)[0] == SOLVED
    assert LWR.solve(T, math.nan, 0)[0] == NOT_FINITE
    for i, j in np.ndindex(3, 4):
        bad = T.copy()
        bad[i, j] = math.nan
        assert LWR.solve(bad, 0.0, 0)[0] == NOT_FINITE
