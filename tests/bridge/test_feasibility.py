"""The pass of ``proxops check``: against forward kinematics, against the ride itself, and on closed forms of its rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.bridge import clutch, estimate
from proxops.bridge.clutch import CLUTCH_DTYPE
from proxops.bridge.cost import Cost, cost_of
from proxops.bridge.descent import FREE_DTYPE
from proxops.bridge.estimate import ESTIMATE_DTYPE
from proxops.bridge.feasibility import LIMIT, ROOT, SMALLEST_STEP_S, WRIST, Course, Seat, course_of, seat_from, seat_of
from proxops.bridge.mapping import OK, PLACE_DTYPE, TOO_NEAR, rig_of
from proxops.bridge.posture import PostureSearch
from proxops.bridge.rate_use import WINDOW_S, changes, port_use, pose_rates, rate_use, rates
from proxops.bridge.ride import FULL, RIDE_DTYPE, ride_tick, seat_ride
from proxops.bridge.settings import BridgeSettings
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell
from proxops.lab.coordinates import port_poses

Floats = NDArray[np.float64]
STEP = SMALLEST_STEP_S
SUN = np.array([1.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def cell() -> Cell:
    return load_cell()


@pytest.fixture(scope="module")
def cost(cell: Cell) -> Cost:
    return cost_of(cell)


def straight(distances: Floats) -> Floats:
    """Poses along the target's x axis, axes parallel."""
    poses = np.zeros((len(distances), 7))
    poses[:, 0], poses[:, 3] = distances, 1.0
    return poses


def around(radius: float, angles: Floats) -> Floats:
    """A fly-around about z: the chaser keeps looking at the target."""
    poses = np.zeros((len(angles), 7))
    poses[:, 0], poses[:, 1] = radius * np.cos(angles), radius * np.sin(angles)
    poses[:, 3], poses[:, 6] = np.cos(angles / 2), np.sin(angles / 2)
    return poses


def seat(cell: Cell, cost: Cost, pose: Floats) -> Seat:
    search = PostureSearch(cell, cost.copy(), pose, cell.home)
    search.run()
    return seat_of(cell, pose, search.best(cell.home)[0])


def follow(cell: Cell, cost: Cost, poses: Floats, quick: bool = False) -> Course:
    return course_of(cell, cost, poses, np.tile(SUN, (len(poses), 1)), STEP, seat(cell, cost, poses[0]), quick=quick)


def matrix(pose: Floats) -> Floats:
    """4 x 4 from a packed pose."""
    w, x, y, z = pose[3:]
    T = np.eye(4)
    T[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    T[:3, 3] = pose[:3]
    return T


def test_every_sample_shows_its_pose_and_tells_its_own_room(cell: Cell, cost: Cost) -> None:
    poses = around(5.0, np.radians(np.linspace(0.0, 40.0, 1000)))
    course = follow(cell, cost, poses)
    assert course.code == OK
    assert len(course) == len(poses)
    lower, upper = cell.axes.lower, cell.axes.upper
    for k in range(0, len(poses), 111):
        T1, T2 = port_poses(cell.hall, course.q[k])
        np.testing.assert_allclose(np.linalg.inv(T2) @ T1, matrix(poses[k]), atol=1e-9)
        q = course.q[k]
        np.testing.assert_allclose(course.margins[k, :13], np.minimum(q - lower, upper - q))
        x, y, z = T2[:3, 3]  # Table 3, robot 2
        np.testing.assert_allclose(
            course.margins[k, 19:22], [2.5 - abs(x), min(y + 1.0, 4.0 - y), min(z + 0.5, 1.5 - z)]
        )
        assert course.margins[k, WRIST] == pytest.approx(min(abs(q[5]), abs(q[11])))
    finite = np.isfinite(upper)
    np.testing.assert_allclose(
        course.shares[:, :13][:, finite], course.margins[:, :13][:, finite] / (0.5 * (upper - lower)[finite])
    )
    assert np.all(course.shares[:, :13][:, ~finite] == np.inf)
    assert np.all((course.shares[:, ROOT] > 0.0) & (course.shares[:, ROOT] <= 1.0))


def test_the_pass_is_the_ride(cell: Cell, cost: Cost) -> None:
    """A client that stands still, a posture that is not relaxed: tick by tick the same axes as ``ride_tick`` gives."""
    poses = straight(np.full(101, 5.0))
    relaxed = seat(cell, cost, poses[0])
    free = relaxed.free.copy()
    free[0]["x"] += np.radians([4.0, -6.0, 5.0, -3.0, 6.0, -4.0, 8.0])
    first = course_of(cell, cost, poses[:1], SUN[None], STEP, Seat(relaxed.signs, free, relaxed.q))
    start = Seat(relaxed.signs, free, first.q[0])
    course = course_of(cell, cost, poses, np.tile(SUN, (101, 1)), STEP, start)

    rig, ride_free = rig_of(cell), np.zeros(1, FREE_DTYPE)
    ride, place = np.zeros(1, RIDE_DTYPE), np.zeros(1, PLACE_DTYPE)
    est, lever = np.zeros(1, ESTIMATE_DTYPE), np.zeros(1, CLUTCH_DTYPE)
    own, limits = cost.copy(), BridgeSettings().limits
    q, v = start.q.copy(), np.zeros(13)
    assert seat_ride(cell.hall, rig, q, ride_free, ride, place) == OK
    ride[0]["pace"] = 1.0
    estimate.seat(est, poses[0], np.zeros(6), True)
    clutch.seat(rig, lever, poses[0], ride_free[0]["line"], ride_free[0]["reference"])
    shown = []
    for _ in range(501):  # the ride's first tick only looks at the cost, so it is one behind
        assert ride_tick(cell.hall, rig, own, est, lever, limits, ride_free, ride, q, v, place) == OK
        v[:] = (place[0]["q"] - q) / 0.004
        q[:] = place[0]["q"]
        shown.append(q.copy())
    assert np.abs(course.q[-1] - course.q[0]).max() > math.radians(2.0)
    np.testing.assert_allclose(course.q, np.array(shown)[::5], atol=1e-9)


def test_a_quick_pass_ends_near_a_full_one(cell: Cell, cost: Cost) -> None:
    poses = straight(np.linspace(10.0, 8.0, 1000))
    full, quick = follow(cell, cost, poses), follow(cell, cost, poses, quick=True)
    assert np.abs(full.q - quick.q).max() < 0.02
    assert not np.array_equal(full.q, quick.q)


def test_leaving_the_hall_names_the_range_and_stops_before_it(cell: Cell, cost: Cost) -> None:
    slow, fast = (follow(cell, cost, straight(np.arange(22.0, 26.0, speed * STEP))) for speed in (0.02, 0.5))
    for course in (slow, fast):
        assert course.code == LIMIT
        assert course.limit in (1, 14)  # the rail, or robot 1's x
        assert course.margins[:, :25].min() >= 0.0
    assert slow.margins[-1, slow.limit - 1] < 0.01
    # The guard brakes all axes together, in the time that the slowest needs: v(t) = v (1 + cos(pi t / T)) / 2.
    assert fast.limit == 1
    braking_s = 0.5 * math.pi * float(np.max(np.abs(fast.rate[-1]) / cell.hall[0]["acceleration"]))
    way = 0.5 * braking_s * fast.rate[-1, 0]
    assert way > 0.05
    assert way <= fast.margins[-1, 0] < way + 0.02


def test_flying_through_the_target_ends_where_the_wrists_meet(cell: Cell, cost: Cost) -> None:
    course = follow(cell, cost, straight(np.arange(2.0, -2.0, -0.01)))
    assert course.code in (TOO_NEAR, LIMIT, 1)
    assert 0 < len(course) < 400


def test_a_seat_from_a_posture_shows_another_pose(cell: Cell, cost: Cost) -> None:
    here, there = straight(np.array([5.0]))[0], around(5.5, np.array([0.1]))[0]
    found = seat_from(cell, cost, seat(cell, cost, here).q, there)
    assert found is not None
    T1, T2 = port_poses(cell.hall, found.q)
    np.testing.assert_allclose(np.linalg.inv(T2) @ T1, matrix(there), atol=1e-9)
    assert seat_from(cell, cost, cell.home, there) is None  # A5 = 0: no sign to go on with
    assert seat_from(cell, cost, found.q, straight(np.array([40.0]))[0]) is None


# --- rates ---


def test_relative_rates_of_a_turn_are_exact(cell: Cell) -> None:
    rate = math.radians(30.0)
    t = STEP * np.arange(200)
    poses = around(5.0, rate * t)
    poses[::2, 3:] *= -1.0  # the same attitudes
    found = pose_rates(poses, STEP)
    np.testing.assert_allclose(found[:, 3:], np.tile([0.0, 0.0, rate], (200, 1)), atol=1e-9)
    chord = 2.0 * 5.0 * math.sin(0.5 * rate * STEP) / STEP
    np.testing.assert_allclose(np.linalg.norm(found[:, :3], axis=1), chord, rtol=1e-9)


def test_a_step_of_speed_counts_over_half_a_second(cell: Cell) -> None:
    t = STEP * np.arange(200)
    q = np.tile(cell.home, (200, 1))
    q[:, 0] = 10.0 - 0.09 * np.maximum(t - 2.0, 0.0)  # the rail carries port 1
    use = port_use(cell, np.array([1.0, 0.3, 1.0, 1.0]), q, STEP)
    assert use[:, 0].max() == pytest.approx(0.09)  # of 1 m/s
    assert use[:, 2].max() == pytest.approx(0.09 / WINDOW_S / 0.3)
    assert np.delete(use, [0, 2], axis=1).max() < 1e-12
    moving_from_the_start = pose_rates(straight(10.0 - 0.09 * t), STEP)
    assert np.abs(changes(moving_from_the_start, STEP)).max() < 1e-9


def test_axis_rates_count_against_the_share_at_which_the_ride_slows_down(cell: Cell) -> None:
    q = np.zeros((100, 13))
    q[:, 4] = 1.0 * STEP * np.arange(100)  # 1 rad/s
    use = rate_use(cell, np.ones(4), q, rates(q, STEP), STEP)
    assert use[:, 4] == pytest.approx(1.0 / (FULL * cell.hall[0]["speed"][4]))
    assert np.delete(use[:, :26], 4, axis=1).max() < 1e-9
    assert use[:, 30] == pytest.approx(1.0, rel=1e-4)  # port 1 turns with it, at 1 rad/s of 1
    assert not rates(q[:1], STEP).any()
