"""Joining: ports keep the operator's speed and rate along the whole leg, at the slowest that a scenario may ask for too."""

import itertools
import math

import numpy as np
import pytest

from proxops.bridge.joiner import Joiner, port_gains
from proxops.core.messages import PERIOD_S
from proxops.lab.cell import Cell
from proxops.lab.coordinates import port_poses
from proxops.maths.rotation import angle_between

SLOWEST_M_S, SLOWEST_RAD_S = 0.005, math.radians(0.2)  # of [bridge] in a scenario


def far(cell: Cell) -> np.ndarray:
    """Along the whole rail, every wrist axis far round."""
    goal = cell.home.copy()
    goal[0] = 1.0 if cell.home[0] > 12.0 else 24.0
    goal[4:7] += np.radians([170.0, 60.0, 340.0])
    goal[10:13] += np.radians([170.0, 60.0, 340.0])
    return goal


@pytest.mark.parametrize(
    ("speed", "rate"),
    [(math.inf, math.inf), (0.1, math.inf), (math.inf, math.radians(3.0)), (SLOWEST_M_S, SLOWEST_RAD_S)],
)
def test_ports_keep_what_they_are_allowed(cell: Cell, speed: float, rate: float) -> None:
    joiner = Joiner(cell, cell.home.copy(), [far(cell)], speed, rate)
    ways = [joiner.step().copy() for _ in range(3000)]
    ports = [port_poses(cell.hall, q) for q in ways[::10]]
    for before, after in itertools.pairwise(ports):
        for a, b in zip(before, after, strict=True):
            assert math.dist(a[:3, 3], b[:3, 3]) <= speed * 10 * PERIOD_S * (1 + 1e-6)
            assert angle_between(a[:3, :3], b[:3, :3]) <= rate * 10 * PERIOD_S * (1 + 1e-6)
    assert np.abs(ways[-1] - ways[0]).max() > 1e-3


def test_a_leg_is_driven_on_the_line_that_was_looked_at(cell: Cell) -> None:
    """All axes in phase, though each has limits of its own; and each keeps them."""
    start, goal = cell.home.copy(), far(cell)
    goal[1:4] += np.radians([40.0, -25.0, 15.0])
    joiner, driven = Joiner(cell, start, [goal], math.inf, math.inf), [start]
    while (q := joiner.step()) is not None:
        driven.append(q.copy())
    way = np.array(driven) - start
    share = way @ (goal - start) / ((goal - start) @ (goal - start))
    assert np.abs(way - np.outer(share, goal - start)).max() < 1e-9
    assert (driven[-1] == goal).all() and np.diff(share).min() > -1e-12
    usual = cell.file.limits.move_to_start_share
    speed = np.abs(np.diff(driven, axis=0)).max(axis=0) / PERIOD_S
    assert (speed <= usual * cell.guarded.speed * (1 + 1e-6)).all()
    assert (speed / (usual * cell.guarded.speed)).max() > 0.99


def test_gains_of_a_leg_along_the_rail_alone(cell: Cell) -> None:
    goal = cell.home.copy()
    goal[0] += 3.0
    moved_m, turned_rad = port_gains(cell, cell.home, goal)
    assert moved_m == pytest.approx(3.0) and turned_rad < 1e-12
