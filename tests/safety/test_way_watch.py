"""A way that was looked at and found free is one that the guard lets pass, wherever it begins."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from tight_posture import tight_posture

from proxops.bridge.joiner import Joiner
from proxops.lab.cell import Cell
from proxops.safety.guard import Guard
from proxops.safety.reserve import RESERVE_M
from proxops.safety.way_watch import WayWatch
from proxops.safety.zone_watch import ZoneWatch

Axes = NDArray[np.float64]
WAYS = 5


@pytest.fixture(scope="module")
def zones(cell: Cell) -> ZoneWatch:
    return ZoneWatch(cell)


def free(way: WayWatch, goal: Axes) -> bool:
    portions = way.leads_to(goal)
    while True:
        try:
            next(portions)
        except StopIteration as end:
            return bool(end.value)


@pytest.mark.parametrize("clearance_m", [0.012, 0.0202, 0.04])
def test_what_is_found_free_the_guard_lets_pass(cell: Cell, zones: ZoneWatch, clearance_m: float) -> None:
    """Legs into all directions from tight places: in the reserve, at its edge, in yellow."""
    rng = np.random.default_rng(round(1e5 * clearance_m))
    found = []
    for _ in range(WAYS):
        start = tight_posture(cell, zones, rng, clearance_m)
        goal = start + rng.normal(size=13) * rng.choice([0.0, 0.1], 13)
        guard = Guard(cell, np.zeros(6), zones)
        guard.stand(start)
        found.append(guard.slow_way()(goal) is None and free(zones.way_from(start), goal))
        if found[-1]:
            joiner, course = Joiner(cell, start, [goal], np.inf, np.inf), [start]
            while (q := joiner.step()) is not None:
                course.append(q.copy())
            done, stop = guard.judge_run(np.array(course))
            assert stop is None, done
    assert 0 < sum(found) < WAYS


def test_a_dip_between_two_places_that_are_free_is_seen(cell: Cell, zones: ZoneWatch) -> None:
    """The way between two places with room may have none."""
    rng = np.random.default_rng(3)
    start = tight_posture(cell, zones, rng, RESERVE_M + 0.001)
    into = tight_posture(cell, zones, rng, RESERVE_M - 0.001)
    zones.stand(start)
    assert not free(zones.way_from(start), into)
    zones.stand(cell.home)
    assert not free(zones.way_from(cell.home), into)
    assert free(zones.way_from(cell.home), cell.home)
