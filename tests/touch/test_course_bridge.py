"""Kinks of a course are found, and crossed between the motions at both ends within the limits."""

import numpy as np
import pytest

from proxops.maths.rotation import Array
from proxops.touch.course_bridge import CourseBridge, crossing, kink, put_motion, put_soft_crossings, within_limits

DT = 0.004
LIMITS = np.array([[1.8], [6.0], [250.0]])  # speed, acceleration, jerk of one joint


def motion(x: float, v: float, a: float, c: tuple[float, float, float], t: float) -> Array:
    poly = np.polynomial.Polynomial([x, v, 0.5 * a, *c])
    return np.array([poly.deriv(k)(t) if k else poly(t) for k in range(4)])


def bounce(before: float, after: float, at: float, cycles: int = 90) -> Array:
    """A joint that turns round from one rate to another, at once."""
    t = DT * np.arange(cycles)
    course: Array = np.where(t < at, before * (t - at), after * (t - at))[:, None]
    return course


@pytest.mark.parametrize("seed", range(20))
def test_a_crossing_joins_two_motions_and_is_the_same_from_any_of_its_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x0, v0, a0, x1, v1, a1 = rng.uniform(-1, 1, 6)
    T = rng.uniform(0.05, 0.5)
    way = crossing(x0, v0, a0, x1, v1, a1, T)
    assert motion(x0, v0, a0, way, T)[:3] == pytest.approx([x1, v1, a1], abs=1e-8)
    on = motion(x0, v0, a0, way, 0.3 * T)
    rest = crossing(on[0], on[1], on[2], x1, v1, a1, 0.7 * T)
    assert motion(on[0], on[1], on[2], rest, 0.2 * T) == pytest.approx(
        motion(x0, v0, a0, way, 0.5 * T), rel=1e-6, abs=1e-6
    )


@pytest.mark.parametrize("seed", range(40))
def test_the_extremes_of_a_crossing_are_those_of_a_fine_grid(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x0, v0, a0, x1, v1, a1 = rng.uniform(-1, 1, 6) * [0.1, 1, 5, 0.1, 1, 5]
    T = rng.uniform(0.1, 0.5)
    way = crossing(x0, v0, a0, x1, v1, a1, T)
    grid = np.array([np.abs(motion(x0, v0, a0, way, t)) for t in np.linspace(0, T, 1000)]).max(axis=0)
    large = 1e9
    for speed, most, jerk in ((large, grid[2], large), (large, large, grid[3])):
        assert within_limits(v0, a0, *way, T, 1.001 * speed, 1.001 * most, 1.001 * jerk)
        assert not within_limits(v0, a0, *way, T, 0.999 * speed, 0.999 * most, 0.999 * jerk)
    assert within_limits(v0, a0, *way, T, 1.001 * grid[1], large, large)
    assert not within_limits(v0, a0, *way, T, 0.9 * grid[1], large, large)  # of the rate there are samples only


def test_a_kink_is_where_the_course_turns() -> None:
    first, behind = kink(bounce(0.5, -0.5, 0.2), LIMITS, DT)
    assert (first, behind) == (48, 50)  # four points from the cycle on are looked at: the turn is at point 50
    assert kink(bounce(0.5, 0.4999, 0.2), LIMITS, DT) == (-1, -1)
    assert kink(bounce(0.5, -0.5, 1.0), LIMITS, DT) == (-1, -1)


@pytest.mark.parametrize(("before", "after"), [(0.4, -0.4), (0.6, 0.0), (-0.2, 0.5), (0.9, -0.1)])
def test_a_foreseen_turn_costs_a_quarter_of_one_from_the_kink_on(before: float, after: float) -> None:
    """The turn by V with acceleration A from the kink on is behind by V²/(2 A), half of it before the kink by V²/(8 A); the
    jerk makes it longer by A/J, a polynomial has half as much acceleration again as its mean, and limits are kept to 0.9."""
    arm, at, cycles = np.array([[-0.22 * before], [before], [0.0]]), 0.22, 130
    bridge, after_ = CourseBridge(LIMITS, DT), np.zeros((3, 1))
    whole = bounce(before, after, at, cycles + 100)
    gap, rows, begun = [], [arm.copy()], -1
    for k in range(cycles):
        course = whole[k : k + 90]
        ahead = kink(course, LIMITS, DT)
        if bridge.renew(course, arm, after_) or (ahead[0] >= 0 and bridge.due(course, ahead, arm, False, after_) == 0):
            begun = k if begun < 0 else begun
        else:
            put_motion(course, 1, DT, after_)
            assert begun < 0 or k > begun
        arm = after_.copy()
        rows.append(arm.copy())
        gap.append(abs(arm[0, 0] - whole[k + 1, 0]))
    path = np.array(rows)[:, :, 0]
    jerk = np.diff(path[:, 2]) / DT
    turn = abs(after - before)
    least = turn * turn / (8.0 * LIMITS[1, 0])
    assert 0.9 * least < max(gap) < 1.9 * least
    assert gap[-1] < 1e-9
    assert np.abs(path[:, 2]).max() <= LIMITS[1, 0] and np.abs(jerk).max() <= LIMITS[2, 0] * (1.0 + 1e-9)
    # One motion.
    assert np.abs(np.diff(path[:, 0]) - DT * 0.5 * (path[1:, 1] + path[:-1, 1])).max() < LIMITS[2, 0] * DT**3


def test_soft_crossings_say_which_joints_cannot() -> None:
    limits = np.repeat(LIMITS, 2, axis=1)
    start, goal = np.zeros((3, 2)), np.array([[0.01, 0.5], [0.1, 0.1], [0.0, 0.0]])
    after, sharp = np.zeros((3, 2)), np.zeros(2, np.bool_)
    assert put_soft_crossings(start, goal, 0.2, DT, limits, 1.0, after, sharp)
    assert sharp.tolist() == [False, True]
