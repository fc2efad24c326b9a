"""The clutch: what it limits is what moves in the hall. Whatever is commanded, no tick exceeds the limits; what the robots can
show is shown, however fast it is in the target's frame; and when it counts as converged."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from bridge_hall import BridgeHall, at
from numpy.typing import NDArray
from spinning_client import Spin, show

from proxops.bridge import clutch, estimate
from proxops.bridge.clutch import CLUTCH_DTYPE, HOLD
from proxops.bridge.estimate import ESTIMATE_DTYPE
from proxops.bridge.mapping import rig_of
from proxops.bridge.settings import BridgeSettings
from proxops.core.messages import PERIOD_S as DT
from proxops.core.vocabulary import Phase
from proxops.lab.cell import Cell
from proxops.lab.coordinates import port_poses
from proxops.maths.quaternion import turn, way_between
from proxops.maths.rotation import angle_between

Array = NDArray[np.float64]
Record = NDArray[np.void]
Shares = dict[Phase, Array]
DEG = math.radians(1.0)
ONE = np.array([1.0, 0.0, 0.0, 0.0])
LIMITS = np.array([0.5, 0.25, 20 * DEG, 20 * DEG])
ATTITUDES = (("q_rig_chaser", "w_rig_chaser"), ("q_rig_target", "w_rig_target"))


def seated(rig: Record, pose: Array) -> tuple[Record, Record]:
    """Estimate and clutch, both at rest at one pose."""
    est, shown = np.zeros(1, ESTIMATE_DTYPE), np.zeros(1, CLUTCH_DTYPE)
    estimate.seat(est, pose, np.zeros(6), False)
    clutch.seat(rig, shown, pose, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    return est, shown


def random_pose(rng: np.random.Generator, size: float) -> Array:
    q = rng.standard_normal(4)
    return np.array([*size * rng.standard_normal(3), *q / np.linalg.norm(q)])


def check(before: Record, shown: Record, limits: Array) -> None:
    """Speeds and accelerations of a tick in the rig, from what it shows."""
    rate = (shown[0]["L"][0] - before[0]["L"][0]) / DT
    rounding = 1e-12 + 1e-15 * shown[0]["L"][0] / DT
    assert abs(rate) <= max(limits[0], abs(before[0]["L_rate"][0]) - limits[1] * DT) * (1 + 1e-9) + rounding
    assert abs(rate - before[0]["L_rate"][0]) <= limits[1] * DT * (1 + 1e-9) + 2 * rounding
    for q, w in ATTITUDES:
        way = np.empty(3)
        way_between(before[0][q], shown[0][q], way)
        fast = float(np.linalg.norm(before[0][w]))
        assert np.linalg.norm(way) / DT <= max(limits[2], fast - limits[3] * DT) * (1 + 1e-9) + 1e-12
        assert np.linalg.norm(way / DT - before[0][w]) <= limits[3] * DT * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_limits_hold_on_random_walks(cell: Cell, seed: int) -> None:
    """Teleports, wild velocities, noise, lost packets; limits, pace and throttle that change and shrink."""
    rng, rig = np.random.default_rng(seed), rig_of(cell)
    est, shown = seated(rig, random_pose(rng, 5.0))
    pose, rates, limits = random_pose(rng, 5.0), np.zeros(6), LIMITS.copy()
    pace = throttle = 1.0
    for _ in range(1200):
        if rng.random() < 0.01:
            pose = random_pose(rng, rng.choice([0.5, 5.0, 20.0]))
        if rng.random() < 0.01:
            rates = rng.choice([0.0, 0.1, 3.0]) * rng.standard_normal(6)
        if rng.random() < 0.02:
            limits, pace, throttle = (
                LIMITS * 10.0 ** rng.uniform(-2.0, 1.0, 4),
                rng.uniform(0.02, 1),
                rng.uniform(0.02, 1),
            )
        pose[:3] += rates[:3] * DT
        turn(pose[3:], rates[3:] * DT)
        estimate.predict(est)
        if rng.random() < 0.5:
            estimate.observe(est, pose + rng.choice([0.0, 1e-4]) * rng.standard_normal(7), rates, bool(seed % 2))
        before = shown.copy()
        clutch.advance(rig, shown, est, limits, pace, throttle)
        check(before, shown, limits)
        assert np.isfinite(shown[0]["pose"]).all() and not math.isnan(shown[0]["left_s"])


def test_what_stands_is_reached_without_overshoot_and_kept(cell: Cell) -> None:
    """A step of distance and both attitudes: none of the three passes its goal, and the pose is the command's in the end."""
    rig = rig_of(cell)
    _, shown = seated(rig, np.array([8.0, 0.5, -0.3, *ONE]))
    goal = np.array([6.0, -2.0, 1.0, *ONE])
    turn(goal[3:], np.array([20.0, 30.0, -40.0]) * DEG)
    est, there = seated(rig, goal)
    clutch.advance(rig, there, est, LIMITS, 1.0, 1.0)
    left = []
    for _ in range(3000):
        clutch.advance(rig, shown, est, LIMITS, 1.0, 1.0)
        left.append(shown[0]["L"][0] - there[0]["L"][0])
    assert min(left) > -1e-6 and abs(left[-1]) < 1e-12
    assert shown[0]["converged"] and shown[0]["left_m"] < 1e-12 and shown[0]["left_rad"] < 1e-12


def test_the_way_to_the_other_side_leads_round_the_target(cell: Cell) -> None:
    """A chaser commanded from the front to behind the target never comes nearer than either."""
    rig = rig_of(cell)
    est, shown = seated(rig, np.array([6.0, 0.0, 0.0, *ONE]))
    behind = np.array([-6.0, 0.5, 0.0, 0.0, 0.0, 0.0, 1.0])
    estimate.seat(est, behind, np.zeros(6), False)
    nearest = math.inf
    for _ in range(6000):
        clutch.advance(rig, shown, est, LIMITS, 1.0, 1.0)
        nearest = min(nearest, float(np.linalg.norm(shown[0]["pose"][:3])))
    assert shown[0]["converged"]
    assert nearest > 4.0


# --- in the hall ---


@pytest.mark.parametrize(
    "spin",
    [Spin(20.0, 40.0, 6.0), Spin(5.0, 90.0, 10.0)],
    ids=["20 m, 40 deg off, 6 deg/s", "5 m, 90 deg off, 10 deg/s"],
)
def test_what_the_robots_can_show_is_shown(cell: Cell, spin: Spin) -> None:
    """Fast in the target's frame (1.35 and 0.87 m/s), while robot 2 turns one axis: it stood 5.5 m behind when relative speeds
    were limited to 1 m/s. Once it follows, it does so to the end."""
    home = np.r_[spin.distance_m + 1.0, cell.home[1:]]  # near by: joining is not what is tested
    hall = BridgeHall(replace(cell, home=home))
    try:
        joined = show(hall, Spin(spin.distance_m, spin.off_deg, 0.0), 10.0)
        assert joined.following[-1]
        shown = show(hall, spin, 20.0)
        assert shown.following[-2500:].all()
        assert np.nanmax(shown.left_m[-2500:]) < 2e-4
    finally:
        hall.close()


def test_what_takes_most_of_a_limit_by_itself_leaves_the_rest_its_pace(cell: Cell) -> None:
    """A target that spins about the line of sight at 16 of 20 deg/s: the hall catches up with it, and with a step of the
    distance."""
    hall = BridgeHall(replace(cell, home=np.r_[6.0, cell.home[1:]]))
    try:
        assert show(hall, Spin(5.0, 0.0, 0.0), 12.0).following[-1]
        assert show(hall, Spin(5.0, 0.0, 16.0), 15.0).following[-1]
        assert show(hall, Spin(6.5, 0.0, 16.0), 10.0, begun_s=15.0).following[-1]
    finally:
        hall.close()


def shares_used(hall: BridgeHall, path: Callable[[float], bytes | None], seconds: float, limits: Array) -> Shares:
    """Most of the limits (m/s, rad/s) that either port used in the lab, phase by phase, while a client sent ``path(t)``."""
    shares: Shares = {}
    ports = port_poses(hall.cell.hall, hall.facility.guard.setpoint)
    for k in range(round(seconds / DT)):
        data = path(k * DT)
        hall.cycle([] if data is None else [data])
        new = port_poses(hall.cell.hall, hall.facility.guard.setpoint)
        for a, b in zip(ports, new, strict=True):
            used = np.array([math.dist(a[:3, 3], b[:3, 3]), angle_between(a[:3, :3], b[:3, :3])]) / (DT * limits)
            shares[hall.phase] = np.maximum(shares.get(hall.phase, 0.0), used)
        ports = new
    return shares


def test_the_operators_speed_and_rate_bind_in_every_phase(cell: Cell) -> None:
    """Joining; following a client that gets faster until it is faster than allowed; converging behind it; the halt from there
    when it falls silent; the return. Both ports in the lab, every cycle, and each phase uses most of what it may."""
    limits = np.array([0.2, 16.0 * DEG])
    hall = BridgeHall(cell, BridgeSettings(speed_m_s=limits[0], rate_rad_s=limits[1]))
    begun, silent, back = 13.2, 16.2, 17.0

    def path(t: float) -> bytes | None:
        half_square = 0.5 * max(0.0, t - begun) ** 2
        if t < silent:
            return hall.packet(at(4.2 + 0.1 * half_square, 0.0, 0.0, 8.0 * half_square))
        return hall.packet(at(4.8, 0.3, 0.0, 8.0)) if t >= back else None

    try:
        shares = shares_used(hall, path, 21.0, limits)
        assert hall.phase is Phase.FOLLOWING
    finally:
        hall.close()
    for phase in (Phase.JOINING, Phase.CONVERGING, Phase.FOLLOWING, Phase.HALTING):
        assert (shares[phase] > 0.5).all(), phase
    assert all((used <= 1 + 1e-6).all() for used in shares.values())


# --- converged ---

FROZEN = np.array([1.0, 0.0, 1.0, 0.0])
HOME = np.array([6.0, 0.0, 0.0, *ONE])


def beside(cell: Cell, off: float, home: Array = HOME) -> tuple[Record, Record, Record]:
    """An estimate at rest, and a clutch that is ``off`` further away than it and cannot move."""
    rig = rig_of(cell)
    est, shown = seated(rig, home)
    estimate.seat(est, home - np.array([off, 0, 0, 0, 0, 0, 0]), np.zeros(6), False)
    return rig, est, shown


@pytest.mark.parametrize(
    ("distance_m", "leave_m"), [(6.0, 1e-3), (20.0, 2e-3)]
)  # beyond 10 m the bounds are shares of it
def test_converged_after_25_ticks_in_a_row_and_left_only_far_out(cell: Cell, distance_m: float, leave_m: float) -> None:
    rig, est, shown = beside(cell, 0.09 * leave_m, np.r_[distance_m, HOME[1:]])
    for k in range(HOLD):
        assert not shown[0]["converged"], k
        clutch.advance(rig, shown, est, FROZEN, 1.0, 1.0)
    assert shown[0]["converged"]
    for off, still in ((0.9 * leave_m, True), (1.1 * leave_m, False), (0.2 * leave_m, False)):
        est[0]["p"][0] = shown[0]["pose"][0] + off
        for _ in range(2 * HOLD):
            clutch.advance(rig, shown, est, FROZEN, 1.0, 1.0)
        assert shown[0]["converged"] == still
        assert shown[0]["left_m"] == pytest.approx(off, rel=1e-6)


def test_noise_widens_the_bounds_to_a_millimetre_at_any_distance(cell: Cell) -> None:
    """A command whose usual innovation is 5 mm, 20 m away: reached within 1 mm, left beyond 3 mm."""
    rig, est, shown = beside(cell, 0.9e-3, np.r_[20.0, HOME[1:]])
    est[0]["rms_m"] = 5e-3
    for off, still in ((1.1e-3, False), (0.9e-3, True), (2.9e-3, True), (3.1e-3, False)):
        est[0]["p"][0] = shown[0]["pose"][0] + off
        for _ in range(2 * HOLD):
            clutch.advance(rig, shown, est, FROZEN, 1.0, 1.0)
        assert shown[0]["converged"] == still, off


def test_passing_by_is_not_converging(cell: Cell) -> None:
    """Within 0.1 mm for more than 25 ticks, but drifting through."""
    rig, est, shown = beside(cell, 1e-4)
    shown[0]["L_rate"][0] = -1.5e-3
    for _ in range(30):
        clutch.advance(rig, shown, est, FROZEN, 1.0, 1.0)
        assert not shown[0]["converged"]
    assert shown[0]["left_m"] < 1e-4
