"""The rig frame: there and back, and that its rates are those of the ports in the lab."""

import math

import numpy as np
import pytest

from proxops.bridge.mapping import N_FREE, OK, PLACE_DTYPE, place, rig_of
from proxops.bridge.rig_frame import line_and_reference, pose_in_rig, rig_coordinates
from proxops.lab.cell import Cell
from proxops.maths.quaternion import turn, way_between
from proxops.maths.rotation import angle_between

DEG = math.radians(1.0)
ONE = np.array([1.0, 0.0, 0.0, 0.0])


def random_pose(rng: np.random.Generator, distance_m: float) -> np.ndarray:
    q = rng.standard_normal(4)
    direction = rng.standard_normal(3)
    return np.array([*distance_m * direction / np.linalg.norm(direction), *q / np.linalg.norm(q)])


@pytest.mark.parametrize("seed", range(20))
def test_there_and_back(cell: Cell, seed: int) -> None:
    rng, rig = np.random.default_rng(seed), rig_of(cell)
    pose, again = random_pose(rng, rng.uniform(3.0, 25.0)), np.empty(7)
    line, reference = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    chaser, target = np.empty(4), np.empty(4)
    L = rig_coordinates(rig, pose, line, reference, chaser, target)
    pose_in_rig(rig, L, chaser, target, again)
    assert again[:3] == pytest.approx(pose[:3], abs=1e-13)
    assert way_between(pose[3:], again[3:], np.empty(3)) < 1e-13
    found = np.empty((2, 3))
    line_and_reference(chaser, found[0], found[1])
    assert found[0] == pytest.approx(line, abs=1e-14) and found[1] == pytest.approx(reference, abs=1e-14)


def test_where_the_wrist_centres_meet_the_line_stays(cell: Cell) -> None:
    rig = rig_of(cell)
    pose = np.array([*(rig[0]["c2"] - rig[0]["c1"]), *ONE])
    line, reference = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    assert rig_coordinates(rig, pose, line, reference, np.empty(4), np.empty(4)) == pytest.approx(0.0, abs=1e-15)
    assert line.tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("which", ["chaser", "target"])
def test_a_turn_in_the_rig_is_the_same_turn_of_one_port_in_the_lab(cell: Cell, which: str) -> None:
    """With the free parameters at rest. The other port stands still, and so does the rail."""
    rig = rig_of(cell)
    free = np.zeros(N_FREE)
    free[:6] = np.r_[cell.home[1:4], cell.home[7:10]]
    pose, line, reference = np.array([8.0, 0.3, -0.2, *ONE]), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    q = {"chaser": np.empty(4), "target": np.empty(4)}
    L = rig_coordinates(rig, pose, line, reference, q["chaser"], q["target"])
    before, after = np.zeros(1, PLACE_DTYPE), np.zeros(1, PLACE_DTYPE)
    assert place(cell.hall, rig, pose, free, reference, cell.home, before) == OK
    turn(q[which], np.array([0.3, -0.5, 0.4]) * DEG)
    pose_in_rig(rig, L, q["chaser"], q["target"], pose)
    line_and_reference(q["chaser"], line, reference)
    assert place(cell.hall, rig, pose, free, reference, before[0]["q"], after) == OK
    angles = {n: angle_between(before[0][R], after[0][R]) for n, R in (("chaser", "R1"), ("target", "R2"))}
    assert angles.pop(which) == pytest.approx(math.sqrt(0.5) * DEG, rel=1e-9)
    assert next(iter(angles.values())) < 1e-12
    assert after[0]["q"][0] == pytest.approx(before[0]["q"][0], abs=1e-12)
