"""The chaser on robot 2: the same relative pose, shown the other way round."""

import math

import numpy as np
import pytest
from bridge_hall import IDENTITY, BridgeHall, at

from proxops.bridge.port import sample_of
from proxops.bridge.roles import exchange_pose
from proxops.bridge.settings import BridgeSettings, settings_of
from proxops.core.bridge_datagram import BridgeCommand, pack_command
from proxops.core.scenario import BridgeTable
from proxops.core.vocabulary import Phase
from proxops.lab.cell import Cell
from proxops.lab.coordinates import port_poses
from proxops.maths.rotation import matrix_from_quat, quat_from_matrix


def matrix(pose: np.ndarray) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = matrix_from_quat(pose[3:]), pose[:3]
    return T


def random_pose(rng: np.random.Generator) -> np.ndarray:
    q = rng.standard_normal(4)
    return np.array([*3.0 * rng.standard_normal(3), *q / np.linalg.norm(q)])


HALF = np.diag([-1.0, -1.0, 1.0, 1.0])


@pytest.mark.parametrize("seed", range(10))
def test_exchanging_is_what_the_page_says_and_twice_is_nothing(seed: int) -> None:
    pose, once, twice = random_pose(np.random.default_rng(seed)), np.empty(7), np.empty(7)
    exchange_pose(pose, once)
    np.testing.assert_allclose(matrix(once), HALF @ np.linalg.inv(matrix(pose)) @ HALF, atol=1e-14)
    exchange_pose(once, twice)
    np.testing.assert_allclose(matrix(twice), matrix(pose), atol=1e-14)


@pytest.mark.parametrize("seed", range(10))
def test_a_packet_is_exchanged_with_its_velocities(seed: int) -> None:
    """Against differences: both craft move for a millisecond."""
    rng = np.random.default_rng(seed)
    wire = [tuple(np.r_[p[:3], p[4:], p[3]]) for p in (random_pose(rng), random_pose(rng))]
    rates = rng.standard_normal((2, 6))

    def sample(after_s: float) -> tuple[np.ndarray, np.ndarray]:
        moved = []
        for pose, rate in zip(wire, rates, strict=True):
            R = matrix_from_quat(np.r_[pose[6], pose[3:6]])
            angle = after_s * float(np.linalg.norm(rate[3:]))
            axis = rate[3:] / np.linalg.norm(rate[3:])
            turn = matrix_from_quat(np.r_[math.cos(angle / 2), math.sin(angle / 2) * axis])
            q = quat_from_matrix(turn @ R)
            moved.append(tuple(np.r_[np.array(pose[:3]) + after_s * rate[:3], q[1:], q[0]]))
        found = sample_of(
            pack_command(BridgeCommand(1, 1, *moved, tuple(rates[0]), tuple(rates[1]))), 1.0, exchanged=True
        )
        assert found.velocity is not None
        return found.relative, found.velocity

    (before, velocity), (after, _) = sample(0.0), sample(1e-6)
    exchanged, straight = np.empty(7), sample_of(pack_command(BridgeCommand(1, 1, *wire)), 1.0).relative
    exchange_pose(straight, exchanged)
    np.testing.assert_allclose(matrix(before), matrix(exchanged), atol=1e-12)
    np.testing.assert_allclose((after[:3] - before[:3]) / 1e-6, velocity[:3], atol=1e-4)


def test_robot_2_shows_the_chaser_and_the_client_is_told_where_it_is(cell: Cell) -> None:
    settings = settings_of(BridgeTable(chaser_on=2))
    assert settings.exchanged and not BridgeSettings().exchanged
    hall = BridgeHall(cell, settings)
    try:
        chaser = at(5.0, 0.4, -0.2, 6.0)
        hall.until(Phase.FOLLOWING, chaser)
        hall.hold(chaser, 2.0)
        T1, T2 = port_poses(cell.hall, hall.facility.guard.setpoint)
        T_lab_target, T_lab_chaser = T1 @ HALF, T2 @ HALF
        shown = np.linalg.inv(T_lab_target) @ T_lab_chaser
        np.testing.assert_allclose(shown[:3, 3], chaser[:3], atol=1e-6)
        np.testing.assert_allclose(shown[:3, :3], matrix_from_quat(np.r_[chaser[6], chaser[3:6]]), atol=1e-6)
        status = hall.status
        assert status.converged
        np.testing.assert_allclose(status.chaser[:3], chaser[:3], atol=5e-3)
        np.testing.assert_allclose(status.target[:3], IDENTITY[:3], atol=5e-3)
        assert abs(np.dot(status.chaser[3:], chaser[3:])) > 1 - 1e-6 and abs(status.target[6]) > 1 - 1e-6
        hall.hold(at(7.0), 2.0)  # on the way there the client is told where the chaser is, not where it shall be
        status = hall.status
        assert status.phase is Phase.CONVERGING
        assert status.target == pytest.approx(IDENTITY, abs=1e-12)
        assert 5.0 < status.chaser[0] < 6.5
    finally:
        hall.close()
