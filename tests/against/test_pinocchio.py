"""Kinematics of both arms against Pinocchio on the same URDF: our closed form knows six lengths, Pinocchio the file."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pinocchio as pin
import pytest
from numba import njit
from numpy.typing import NDArray

from proxops.lab.cell import builtin
from proxops.lab.kinematics import forward, inverse
from proxops.lab.urdf import read_arm

Array = NDArray[np.float64]
AGREE = 1e-10
TURN = 2.0 * math.pi
HOME = np.radians([0.0, -90.0, 90.0, 0.0, 0.0, 0.0])


# Without a cache on disk: Numba would not notice a change of the kernels that these loops call.
@njit(error_model="numpy")
def forward_all(lengths: Array, q: Array) -> Array:
    out = np.empty((q.shape[0], 4, 4))
    for k in range(q.shape[0]):
        out[k] = forward(lengths, q[k])
    return out


@njit(error_model="numpy")
def inverse_all(lengths: Array, poses: Array, a4: Array, out: Array) -> Array:
    beyond = np.empty(poses.shape[0])
    for k in range(poses.shape[0]):
        beyond[k] = inverse(lengths, poses[k], a4[k], out[k])
    return beyond


@dataclass(frozen=True)
class Arm:
    """One arm, known to both sides."""

    name: str
    lengths: Array
    lower: Array
    upper: Array
    theirs: Callable[[Array], Array]  # (n, 6) → (n, 4, 4), Pinocchio's flange


@pytest.fixture(scope="module", params=["kr_100_ha", "kr_240_2"])
def arm(request: pytest.FixtureRequest) -> Arm:
    path = builtin("models", f"{request.param}.urdf")
    ours = read_arm(path)
    model = pin.buildModelFromUrdf(str(path))
    data, flange = model.createData(), model.getFrameId("flange")

    def theirs(q: Array) -> Array:
        out = np.empty((len(q), 4, 4))
        for k, row in enumerate(q):
            pin.framesForwardKinematics(model, data, row)
            out[k] = data.oMf[flange].homogeneous
        return out

    limits = np.array([(a.lower, a.upper) for a in ours.axes])
    return Arm(request.param, np.array(ours.lengths), limits[:, 0], limits[:, 1], theirs)


def worst(found: Array, expected: Array) -> float:
    return float(np.abs(found - expected).max())


def nearest_branch(branches: Array, q: Array) -> Array:
    """For each configuration: distance (largest axis, whole turns ignored) of the nearest branch."""
    off = (branches - q[:, None, :] + math.pi) % TURN - math.pi
    away: Array = np.nanmin(np.abs(off).max(axis=2), axis=1)
    return away


def test_forward_over_a_hundred_thousand_configurations(arm: Arm) -> None:
    """Inside the axis ranges, and far outside them (endless axes count many turns)."""
    rng = np.random.default_rng(11)
    inside = rng.uniform(arm.lower, arm.upper, (70_000, 6))
    anywhere = rng.uniform(-10 * TURN, 10 * TURN, (30_000, 6))
    q = np.concatenate((inside, anywhere))
    assert worst(forward_all(arm.lengths, q), arm.theirs(q)) < AGREE


def test_forward_at_round_angles(arm: Arm) -> None:
    """All postures with every axis at a multiple of 90 deg: signs and axes that random numbers could average away."""
    grid = np.array(np.meshgrid(*[[-math.pi / 2, 0.0, math.pi / 2]] * 6)).reshape(6, -1).T.copy()
    assert worst(forward_all(arm.lengths, grid), arm.theirs(grid)) < 1e-13


def test_every_inverse_branch_leads_back_in_pinocchio(arm: Arm) -> None:
    rng = np.random.default_rng(12)
    q = rng.uniform(arm.lower, arm.upper, (10_000, 6))
    poses = arm.theirs(q)
    branches = np.empty((len(q), 8, 6))
    beyond = inverse_all(arm.lengths, poses, q[:, 3].copy(), branches)
    assert (beyond <= 1e-12).all()
    which, branch = np.nonzero(~np.isnan(branches[:, :, 0]))
    assert worst(arm.theirs(branches[which, branch]), poses[which]) < AGREE


def test_inverse_of_forward_over_a_hundred_thousand_configurations(arm: Arm) -> None:
    rng = np.random.default_rng(13)
    q = rng.uniform(arm.lower, arm.upper, (100_000, 6))
    poses = forward_all(arm.lengths, q)
    branches = np.empty((len(q), 8, 6))
    inverse_all(arm.lengths, poses, q[:, 3].copy(), branches)
    which, branch = np.nonzero(~np.isnan(branches[:, :, 0]))
    assert worst(forward_all(arm.lengths, branches[which, branch]), poses[which]) < AGREE
    assert nearest_branch(branches, q).max() < 1e-9  # the configuration that we came from is among them


def test_the_number_of_branches_is_what_geometry_allows(arm: Arm) -> None:
    """Four for each shoulder that can reach the wrist centre; all different; numbered as documented."""
    a1, d1, a2, a3, d4, d6 = arm.lengths
    rng = np.random.default_rng(14)
    q = rng.uniform(arm.lower, arm.upper, (10_000, 6))
    poses = arm.theirs(q)
    wrist = poses[:, :3, 3] - d6 * poses[:, :3, 2]
    radius = np.hypot(wrist[:, 0], wrist[:, 1])
    forearm = math.hypot(a3, d4)
    branches = np.empty((len(q), 8, 6))
    inverse_all(arm.lengths, poses, q[:, 3].copy(), branches)
    for shoulder, u in ((0, radius - a1), (1, -radius - a1)):
        distance = np.hypot(u, wrist[:, 2] - d1)
        reachable = (distance <= a2 + forearm) & (distance >= abs(a2 - forearm))
        rows = branches[:, 4 * shoulder : 4 * shoulder + 4]
        np.testing.assert_array_equal(~np.isnan(rows).any(axis=2), np.repeat(reachable[:, None], 4, axis=1))
        if shoulder == 1:  # both cases occur: some postures can also be reached over the head, some cannot
            assert 0 < reachable.sum() < len(q)
        rows = rows[reachable]
        assert (rows[:, (0, 2), 4] >= 0).all()  # wrist 0 has A5 > 0 …
        assert (rows[:, (1, 3), 4] <= 0).all()  # … wrist 1 A5 < 0
        bend = rows[:, :, 2] + math.atan2(-a3, d4)
        assert (bend[:, :2] >= 0).all()
        assert (bend[:, 2:] <= 0).all()
        facing = np.cos(-rows[:, :, 0]) * wrist[reachable, None, 0] + np.sin(-rows[:, :, 0]) * wrist[reachable, None, 1]
        assert (facing * (1 - 2 * shoulder) >= -1e-9).all()
    complete = branches[~np.isnan(branches).any(axis=(1, 2))]
    for i in range(8):
        for j in range(i):
            apart = np.abs((complete[:, i] - complete[:, j] + math.pi) % TURN - math.pi).max(axis=1)
            assert np.median(apart) > 0.1


@pytest.mark.parametrize("a5", [0.0, 1e-300, 1e-16, 1e-12, 4e-10, 6e-10, 1e-9, 1e-6, 1e-3, -1e-12, -1e-9, -1e-4])
def test_every_branch_is_exact_at_the_wrist_singularity(arm: Arm, a5: float) -> None:
    rng = np.random.default_rng(15)
    q = rng.uniform(arm.lower, arm.upper, (100, 6))
    q[:, 4] = a5
    q[0, :4] = HOME[:4]
    _all_branches_lead_back(arm, q, 1e-9)


@pytest.mark.parametrize("away", [0.0, 1e-16, 1e-12, 1e-9, 1e-6, 1e-3])
def test_every_branch_is_exact_at_the_stretched_elbow(arm: Arm, away: float) -> None:
    """Straight at A3 = atan2(a3, d4). Rounding of the distance must not put the pose out of reach."""
    rng = np.random.default_rng(16)
    q = rng.uniform(arm.lower, arm.upper, (2000, 6))
    q[:, 2] = math.atan2(arm.lengths[3], arm.lengths[4]) + away * rng.choice((-1.0, 1.0), 2000)
    # Near the stretched arm the distance depends on the bend by its square only: 1e-16 of it is 1e-8 of the bend,
    # but the hand moves by the distance error alone.
    _all_branches_lead_back(arm, q, AGREE)


@pytest.mark.parametrize("away", [0.0, 1e-16, 1e-12, 1e-9, 1e-6, 1e-3])
def test_every_branch_is_exact_with_the_wrist_above_axis_1(arm: Arm, away: float) -> None:
    """Shoulder singularity: the wrist centre on axis 1, where A1 is free."""
    a1, _, a2, a3, d4, _ = arm.lengths
    forearm, bend0 = math.hypot(a3, d4), math.atan2(-a3, d4)
    rng = np.random.default_rng(17)
    q = rng.uniform(arm.lower, arm.upper, (500, 6))
    cosine = (away - a1 - a2 * np.cos(q[:, 1])) / forearm  # of the forearm's true direction against the horizontal
    q = q[np.abs(cosine) < 1]
    q[:, 2] = np.arccos(cosine[np.abs(cosine) < 1]) - q[:, 1] - bend0
    assert len(q) > 100
    _all_branches_lead_back(arm, q, AGREE)


def _all_branches_lead_back(arm: Arm, q: Array, tolerance: float) -> None:
    poses = arm.theirs(q)
    branches = np.empty((len(q), 8, 6))
    beyond = inverse_all(arm.lengths, poses, q[:, 3].copy(), branches)
    assert (beyond <= 1e-12).all()
    which, branch = np.nonzero(~np.isnan(branches).any(axis=2))
    assert set(which) == set(range(len(q)))
    assert worst(arm.theirs(branches[which, branch]), poses[which]) < tolerance
