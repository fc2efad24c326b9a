"""Laws of the mapping: the relative pose is exact whatever the free parameters do, and the gradient is the cost's.

Then the motions that the hall must be able to show, with an ideal clutch: the paper's fly-around, a spinning target for half
an hour, a fast approach. Set-points are judged tick by tick.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from proxops.bridge.cost import cost_gradient, cost_of, value_of
from proxops.bridge.descent import ACCELERATION, FREE_DTYPE, RATE, begin, follow_line, slide
from proxops.bridge.mapping import (
    LATERAL_MAX,
    NO_ROOT,
    OK,
    PLACE_DTYPE,
    TOO_NEAR,
    carry,
    line_in_chaser,
    place,
    rig_of,
    square_across,
)
from proxops.bridge.posture import PostureSearch
from proxops.bridge.reach import rooms
from proxops.core.messages import PERIOD_S
from proxops.lab.any_cell import load_cell
from proxops.lab.coordinates import port_poses
from proxops.maths.kernel import kernel
from proxops.maths.pose import compose, inverse_pose, pose_from_packed
from proxops.maths.rotation import angle_between, matrix_from_rotation_vector, quat_from_matrix
from proxops.maths.small_matrix import product

Array = NDArray[np.float64]
CELL = load_cell()
HALL = CELL.hall[0]
DEG = math.pi / 180.0
LEAST, MOST = np.array([-60.0, -130.0, 50.0]), np.array([60.0, -40.0, 140.0])  # deg, of an arm's free parameters


def random_case(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """A pose, free parameters and a reference across the line."""
    free = np.empty(7)
    free[:3], free[3:6], free[6] = rng.uniform(LEAST, MOST), rng.uniform(LEAST, MOST), rng.uniform(-180, 180)
    attitude = rng.normal(size=4)
    pose = np.array([*rng.normal(size=3) * 6.0, *attitude / np.linalg.norm(attitude)])
    return pose, free * DEG, rng.normal(size=3)


def test_the_relative_pose_is_exact_whatever_the_free_parameters_do() -> None:
    """10,000 random poses all round, random parameters, both signs of both wrists; 1e-12 is what the arithmetic leaves."""
    rng, shown = np.random.default_rng(5), 0
    out = np.zeros(1, PLACE_DTYPE)
    rigs = [rig_of(CELL, ((-1.0) ** k, (-1.0) ** (k // 2))) for k in range(4)]
    for k in range(10_000):
        rig = rigs[k % 4]
        pose, free, reference = random_case(rng)
        line = np.zeros(3)
        line_in_chaser(rig, pose, line)
        square_across(line, reference)
        if place(CELL.hall, rig, pose, free, reference, CELL.home, out) != OK:
            continue
        shown += 1
        q = out[0]["q"]
        T1, T2 = port_poses(CELL.hall, q)
        found, wanted = compose(inverse_pose(T2), T1), pose_from_packed(pose)
        assert np.abs(found[:3, 3] - wanted[:3, 3]).max() < 1e-12
        assert angle_between(found[:3, :3].copy(), wanted[:3, :3].copy()) < 1e-12
        assert np.array_equal(q[1:4], free[:3]) and np.array_equal(q[7:10], free[3:6])
        assert math.copysign(1.0, q[5]) == rig[0]["sign1"] and math.copysign(1.0, q[11]) == rig[0]["sign2"]
        assert out[0]["d"][0] > 0.0  # the chaser is on +x of the target
    assert shown > 5000


def test_no_root_and_no_line_are_refused_never_clamped() -> None:
    rig, out = rig_of(CELL), np.zeros(1, PLACE_DTYPE)
    free = np.array([-60.0, -90, 90, -60.0, -90, 90, 0]) * DEG  # arms turned apart, across the rail
    reference = np.array([0.0, 1.0, 0.0])
    pose = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    assert place(CELL.hall, rig, pose, free, reference, CELL.home, out) == NO_ROOT
    c1, c2 = rig[0]["c1"], rig[0]["c2"]
    pose[:3] = c2 - c1  # wrist centres in one point
    assert place(CELL.hall, rig, pose, free, reference, CELL.home, out) == TOO_NEAR
    assert LATERAL_MAX == 0.8


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_gradient_is_that_of_the_cost(seed: int) -> None:
    """Analytic against central differences (h = 1e-6): 1e-5 of the largest slope, away from the plates' gimbal lock."""
    rng = np.random.default_rng(seed)
    rig, cost, out = rig_of(CELL), cost_of(CELL), np.zeros(1, PLACE_DTYPE)
    cost[0]["sun_weight"], cost[0]["sun"] = 1.5, (0.6, 0.48, 0.64)
    pose, free, reference = random_case(rng)
    line = np.zeros(3)
    line_in_chaser(rig, pose, line)
    square_across(line, reference)
    if place(CELL.hall, rig, pose, free, reference, CELL.home, out) != OK:
        return
    q = out[0]["q"].copy()
    room, roll = np.zeros(27), np.zeros(2)
    rooms(CELL.hall, out, roll, room)
    pitches = room[[17, 23]]  # to Table 3's 90 deg, where roll and yaw are one
    if min(abs(math.sin(q[5])), abs(math.sin(q[11]))) < 0.05 or pitches.min() < 5 * DEG or room[26] < 0.01:
        return
    gradient = np.zeros(7)
    cost_gradient(CELL.hall, cost, out, gradient)
    h, differences = 1e-6, np.zeros(7)
    for j in range(7):
        step = np.zeros(7)
        step[j] = h
        values = []
        for sign in (1.0, -1.0):
            assert place(CELL.hall, rig, pose, free + sign * step, reference, q, out) == OK
            values.append(value_of(CELL.hall, cost, out))
        differences[j] = (values[0] - values[1]) / (2 * h)
    assert np.abs(gradient - differences).max() < 1e-5 * (1.0 + np.abs(differences).max())


def test_a_reference_carried_round_a_loop_turns_by_the_solid_angle() -> None:
    """Parallel transport on the sphere (Gauss-Bonnet): a cone of half angle a encloses 2 pi (1 - cos a)."""
    for half in (0.2, 0.7, 1.3):
        angles = np.linspace(0.0, 2.0 * math.pi, 20_001)
        lines = np.stack(
            [np.full_like(angles, math.cos(half)), math.sin(half) * np.cos(angles), math.sin(half) * np.sin(angles)],
            axis=1,
        )
        reference = np.array([0.0, 0.0, 1.0])
        square_across(lines[0], reference)
        start = reference.copy()
        for before, after in pairwise(lines):
            carry(after, before, reference)
        turned = math.atan2(float(np.cross(start, reference) @ lines[0]), float(start @ reference))
        wanted = 2.0 * math.pi * (1.0 - math.cos(half))
        assert math.cos(turned - wanted) == pytest.approx(1.0, abs=1e-6)


# ------------------------------------------------------------------ what the hall can show
class Shown(NamedTuple):
    """A motion with an ideal clutch: axes, ports, lateral share of every tick; free parameters."""

    q: Array
    port1: Array
    free: Array
    room: Array


@kernel
def _ride(hall: Array, rig: Array, cost: Array, poses: Array, free: Array, near: Array, out: Array, rows: Array) -> int:
    gradient, f, o = np.empty(7), free[0], out[0]
    roll, room = np.zeros(2), np.empty(27)
    for k in range(poses.shape[0]):
        follow_line(rig, poses[k], free)
        if place(hall, rig, poses[k], f.x, f.reference, near, out) != 0:
            return k
        cost_gradient(hall, cost, out, gradient)
        near[:] = o.q
        rooms(hall, out, roll, room)
        rows[k, 0:13], rows[k, 13:16], rows[k, 16:23], rows[k, 23:50] = o.q, o.P1, f.x, room
        slide(gradient, 1.0, f.x, f.v)
    return poses.shape[0]


def show(poses: Array) -> Shown:
    """From the best posture of the search, settled for 20 s at the first pose."""
    poses = np.concatenate([np.tile(poses[0], (5000, 1)), poses])
    cost = cost_of(CELL)
    best = PostureSearch(CELL, cost, poses[0], CELL.home)
    best.run()
    posture = best.best(CELL.home)[0]
    rig, free = rig_of(CELL, posture.signs), np.zeros(1, FREE_DTYPE)
    begin(rig, poses[0], posture.free, free)
    rows = np.zeros((len(poses), 50))
    done = _ride(CELL.hall, rig, cost, poses, free, posture.q.copy(), np.zeros(1, PLACE_DTYPE), rows)  # type: ignore[arg-type]
    assert done == len(poses)
    rows = rows[5000:]
    return Shown(rows[:, :13], rows[:, 13:16], rows[:, 16:23], rows[:, 23:])


def keep_limits(shown: Shown) -> None:
    """Ranges, Table 3, wrists never through zero, speeds and accelerations of every axis, bounds of the free parameters."""
    assert shown.room.min() > 0.0
    v = np.diff(shown.q, axis=0) / PERIOD_S
    assert (np.abs(v) <= HALL["speed"]).all()
    assert (np.abs(np.diff(v, axis=0)) / PERIOD_S <= HALL["acceleration"]).all()
    rate = np.diff(shown.free, axis=0) / PERIOD_S
    assert np.abs(rate).max() <= RATE * (1 + 1e-9)
    assert np.abs(np.diff(rate, axis=0)).max() <= ACCELERATION * PERIOD_S * (1 + 1e-6)
    for a5 in (5, 11):
        assert np.abs(shown.q[:, a5]).min() > 20 * DEG  # no flip
    assert np.abs(np.diff(shown.q[:, 1:], axis=0)).max() < 0.02  # no turn is ever unwound, no branch changed


def soft(t: Array, duration: float, ramp: float = 2.0) -> Array:
    """Seconds passed on a clock that starts and stops softly."""
    pace = np.clip(np.minimum(t, duration - t) / ramp, 0.0, 1.0)
    return np.cumsum(pace) * PERIOD_S


@kernel
def turned(distance: float, angle: Array, axis: Array) -> Array:
    """Chaser at ``distance`` that looks at the target from directions turned about ``axis``."""
    out = np.empty((angle.size, 7))
    for k in range(angle.size):
        R = matrix_from_rotation_vector(angle[k] * axis)
        out[k, :3], out[k, 3:] = distance * R[:, 0], quat_from_matrix(R)
    return out


@pytest.mark.parametrize("axis", [(0, 0, 1), (0, 0, -1), (0, 1, 0), (0, -1, 0)], ids=str)
def test_the_papers_fly_around_needs_little_room(axis: tuple[int, int, int]) -> None:
    """90 deg about the target at 5 m and 1 deg/s, about a vertical and a horizontal axis, both ways: the chaser's port moves
    at most 35 cm in lab y and z (the paper: 20 to 30 cm)."""
    t = np.arange(0.0, 92.0, PERIOD_S)
    shown = show(turned(5.0, soft(t, 92.0) * DEG, np.array(axis, float)))
    keep_limits(shown)
    assert np.ptp(shown.port1[:, 1]) < 0.35 and np.ptp(shown.port1[:, 2]) < 0.35


@kernel
def _nutating(clock: Array, distance: float) -> Array:
    """Poses (n, 7) of a chaser that stands at ``distance`` while the target spins at 5 deg/s and nutates by 10 deg at 1 deg/s."""
    out, tilt = np.empty((clock.size, 7)), matrix_from_rotation_vector(np.array([0.0, 0.0, 10.0 * DEG]))
    for i in range(clock.size):
        spin = matrix_from_rotation_vector(np.array([5.0 * DEG * clock[i], 0.0, 0.0]))
        back = matrix_from_rotation_vector(np.array([-1.0 * DEG * clock[i], 0.0, 0.0]))
        R_target_inertial = np.ascontiguousarray(product(product(spin, tilt), back).T)
        out[i, :3], out[i, 3:] = distance * R_target_inertial[:, 0], quat_from_matrix(R_target_inertial)
    return out


@pytest.mark.parametrize("distance", [5.0, 1.5])
def test_a_spinning_target_runs_for_half_an_hour(distance: float) -> None:
    """5 deg/s about an axis near the line of approach with 10 deg of nutation: 25 turns of robot 2's endless axes."""
    t = np.arange(0.0, 1800.0, PERIOD_S)
    poses = _nutating(np.cumsum(np.clip(t / 2.0, 0.0, 1.0)) * PERIOD_S, distance)
    shown = show(poses)
    keep_limits(shown)
    travelled = np.abs(shown.q[-1, [10, 12]] - shown.q[0, [10, 12]]).max()
    assert travelled > 15 * 2 * math.pi  # they never unwind


def test_an_approach_from_20_to_1_m_at_half_a_metre_per_second() -> None:
    duration = 19.0 / 0.5 + 2.0
    t = np.arange(0.0, duration, PERIOD_S)
    poses = np.zeros((len(t), 7))
    poses[:, 3] = 1.0
    poses[:, 0] = 20.0 - 0.5 * soft(t, duration)
    keep_limits(show(poses))
