"""The bridge in the hall: it starts by itself, halts, returns, keeps every limit, and never enters red, whatever arrives."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from bridge_hall import IDENTITY, BridgeHall, at, parked_cell
from tight_posture import tight_posture

from proxops.bridge.settings import BridgeSettings
from proxops.core.bridge_datagram import finish_status, for_others, unpack_status
from proxops.core.datagram import Refusal
from proxops.core.errors import Refused
from proxops.core.messages import PERIOD_S
from proxops.core.vocabulary import Mode, Phase, Standstill, Zone
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell
from proxops.maths.rotation import matrix_from_quat
from proxops.safety.reserve import RESERVE_M
from proxops.safety.zone_watch import ZoneWatch


@pytest.fixture(scope="module")
def cell() -> Cell:
    return load_cell()


@pytest.fixture
def hall(cell: Cell) -> Iterator[BridgeHall]:
    """At home, from which it joins."""
    hall = BridgeHall(cell)
    yield hall
    hall.close()


@pytest.fixture
def near() -> Iterator[BridgeHall]:
    """Nobody sends yet; what is shown first is not far."""
    hall = BridgeHall(parked_cell())
    yield hall
    hall.close()


@pytest.fixture
def following(near: BridgeHall) -> BridgeHall:
    """Converged at 5 m."""
    near.until(Phase.FOLLOWING, at(5.0))
    return near


def test_a_client_that_sends_is_all_it_takes(hall: BridgeHall) -> None:
    assert hall.phase is Phase.WAITING and hall.bridge.cause is Standstill.NO_CLIENT
    hall.until(Phase.FOLLOWING, at(5.0))
    hall.hold(at(5.0), 1.0)
    status = hall.status
    assert status.converged and status.cause is Standstill.NONE and status.mode is Mode.BRIDGED
    assert status.left_m < 1e-4 and status.left_rad < math.radians(0.005)
    assert status.chaser[:3] == pytest.approx((5.0, 0.0, 0.0), abs=1e-3)  # the robots' repeatability


def test_it_follows_an_approach_in_eci_and_answers_in_eci(near: BridgeHall) -> None:
    """Both craft at 7,000 km and 7.5 km/s: the relative motion is all that counts."""
    hall = near
    hall.until(Phase.FOLLOWING, at(6.0))
    for k in range(1500):
        t = k * PERIOD_S
        target = (7.0e6 * math.cos(1e-3 * t), 7.0e6 * math.sin(1e-3 * t), 0.0)
        chaser = (target[0] + 6.0 - 0.05 * t, target[1], target[2])
        hall.cycle([hall.packet((*chaser, 0.0, 0.0, 0.0, 1.0), (*target, 0.0, 0.0, 0.0, 1.0))])
    status = hall.status
    assert status.converged
    assert status.target[:3] == pytest.approx(target, abs=1e-6)
    # The robots trail by their delay (about 50 ms at 5 cm/s).
    assert np.subtract(status.chaser[:3], chaser) == pytest.approx((0.05 * 0.05, 0.0, 0.0), abs=2e-3)


def test_silence_halts_smoothly_and_a_return_goes_on(following: BridgeHall) -> None:
    hall = following
    hall.follow(lambda t: at(5.0 - 0.1 * t), 3.0)
    hall.silence(2.0)
    assert hall.phase is Phase.WAITING and hall.bridge.cause is Standstill.SILENCE
    assert hall.facility.mode is Mode.BRIDGED and not hall.facility.guard.moving
    took = hall.until(Phase.FOLLOWING, at(6.0, 0.5, -0.3, 20.0))
    assert took < 20.0


def test_a_command_beyond_the_hall_is_waited_for(hall: BridgeHall) -> None:
    hall.hold(at(26.5), 4.0)
    assert hall.phase in (Phase.STANDING, Phase.SEARCHING) and hall.bridge.cause is Standstill.OUT_OF_REACH
    assert hall.bridge.zones.commanded is Zone.RED
    hall.until(Phase.FOLLOWING, at(8.0))


def test_an_overshoot_is_halted_in_yellow_and_recovered_from(following: BridgeHall) -> None:
    hall = following
    for k in range(round(40.0 / PERIOD_S)):
        t = k * PERIOD_S
        inside = at(5.0 - 0.25 * min(t, 12.0) - 0.05 * max(t - 12.0, 0.0))
        hall.cycle([hall.packet(inside)])
        if hall.bridge.cause is Standstill.COMMANDED_RED:
            break
    hall.hold(inside, 2.0)
    assert hall.phase in (Phase.STANDING, Phase.SEARCHING)
    assert hall.bridge.cause is Standstill.COMMANDED_RED
    assert hall.bridge.zones.actual is Zone.YELLOW
    assert 0.0 < hall.bridge.zones.actual_clearance_m < 0.1
    hall.until(Phase.FOLLOWING, at(3.0))  # the command has left yellow: by themselves


def test_a_step_of_two_metres_and_sixty_degrees_is_converged_to(following: BridgeHall) -> None:
    hall = following
    goal = at(5.0 * math.cos(1.0) + 2.0, 5.0 * math.sin(1.0), 0.0, 57.3)
    hall.until(Phase.CONVERGING, goal)
    hall.until(Phase.FOLLOWING, goal)


def test_to_the_other_side_the_robots_join_anew(following: BridgeHall) -> None:
    """The straight way in the target's frame leads through the target: halted, a posture is searched, the axes go round."""
    hall = following
    goal = at(5.0 * math.cos(math.radians(80)), 5.0 * math.sin(math.radians(80)), 0.0, 80.0)
    hall.until(Phase.FOLLOWING, goal)
    other = at(5.0 * math.cos(math.radians(-80)), 5.0 * math.sin(math.radians(-80)), 0.0, -80.0)
    hall.until(Phase.FOLLOWING, other, 120.0)


def test_select_and_let_go(following: BridgeHall) -> None:
    hall = following
    hall.follow(lambda t: at(5.0 - 0.2 * t), 2.0)
    hall.desk.select("none")
    assert hall.facility.mode is Mode.ENDING
    hall.silence(3.0)
    assert hall.facility.mode is Mode.READY
    assert hall.status.phase is Phase.IDLE and hall.status.cause is Standstill.NOT_SELECTED
    hall.desk.select("bridge")
    hall.until(Phase.FOLLOWING, at(5.0))


def test_a_door_stops_the_bridge_and_stays_latched(following: BridgeHall) -> None:
    hall = following
    hall.desk.interlock("door", healthy=False)
    hall.hold(at(5.0), 1.0)
    assert hall.facility.mode is Mode.STOPPED
    assert hall.status.cause is Standstill.NOT_SELECTED and hall.status.rule == hall.facility.rule_number != 0
    with pytest.raises(Refused):
        hall.desk.select("bridge")


def test_red_leads_out_by_hand_only(cell: Cell) -> None:
    """Robots put into red (jogged there): the bridge is refused; a bridge that finds itself in red stops, latched."""
    hall = BridgeHall(cell)
    try:
        hall.until(Phase.FOLLOWING, at(1.24))
        q = hall.facility.guard.setpoint.copy()
        q[0] -= 0.12  # the rail moves the chaser's box into the target's
        hall.facility.actual[:] = q
        hall.facility.link.read().__setitem__(slice(None), q)  # what the robots report
        hall.facility.tick()
        assert hall.facility.mode is Mode.STOPPING
        assert hall.facility.stop is not None and hall.facility.stop.rule.name == "COLLISION_ZONE"
    finally:
        hall.close()


# ------------------------------------------------------------------ bad input
def crc(body: bytes) -> bytes:
    return body + struct.pack("<I", zlib.crc32(body))


def broken(hall: BridgeHall, at_byte: int, value: float) -> bytes:
    """A packet with one double replaced and a good checksum."""
    data = bytearray(hall.packet(at(5.0)))
    struct.pack_into("<d", data, at_byte, value)
    return crc(bytes(data[:-4]))


@pytest.mark.parametrize(
    ("byte", "value", "name"),
    [
        (24, math.nan, "NOT_FINITE"), (24, math.inf, "NOT_FINITE"), (24, 1e13, "ABSURD"), (72, 0.0, "NOT_UNIT"),
        (72, 2.0, "NOT_UNIT"), (80, math.nan, "NOT_FINITE"),
    ],
)  # fmt: skip
def test_nonsense_is_named_counted_and_survived(following: BridgeHall, byte: int, value: float, name: str) -> None:
    hall = following
    for _ in range(10):
        hall.cycle([broken(hall, byte, value)])
    assert hall.status.refusal.name == name
    assert {r.name: n for r, n in hall.port.counts.items() if n} == {name: 10}
    hall.until(Phase.FOLLOWING, at(5.0))


def test_a_second_client_is_refused_by_name(following: BridgeHall) -> None:
    hall = following
    hall.cycle_of((hall.packet(at(3.0)), ("intruder", 1)))
    assert {r.name: n for r, n in hall.port.counts.items() if n} == {"NOT_MASTER": 1}
    hall.hold(at(5.0), 0.5)
    assert hall.phase is Phase.FOLLOWING


@pytest.mark.parametrize("distance", [0.0, 1e-9, 0.2, 30.0, 1e9])
def test_distances_that_cannot_be_shown_are_waited_out(following: BridgeHall, distance: float) -> None:
    hall = following
    hall.hold(at(distance), 4.0)
    assert hall.phase in (Phase.STANDING, Phase.SEARCHING)
    assert hall.bridge.cause is not Standstill.NONE
    hall.until(Phase.FOLLOWING, at(5.0), 90.0)


def test_time_and_numbers_that_run_backwards_do_not_move_the_robots_back(following: BridgeHall) -> None:
    hall = following
    kept = [hall.packet(at(5.0 - 0.001 * k)) for k in range(50)]
    for data in kept:
        hall.cycle([data])
    before, stale = hall.bridge.hearing.sample, hall.bridge.hearing.filter.stale
    for data in list(reversed(kept))[:20]:
        hall.cycle([data])
        assert hall.bridge.hearing.sample is not None and before is not None
        assert hall.bridge.hearing.sample.sequence >= before.sequence
    assert hall.bridge.hearing.filter.stale == stale + 20
    hall.until(Phase.FOLLOWING, at(4.95))


def test_a_client_that_starts_its_numbers_anew_is_taken_after_a_halt(following: BridgeHall) -> None:
    """A restarted simulator counts from zero: old numbers are stale until the time-out, then it is a new client."""
    hall = following
    hall.sequence = 0
    hall.hold(at(5.5), 0.3)
    assert hall.bridge.hearing.filter.stale > 0
    hall.until(Phase.FOLLOWING, at(5.5))


def test_a_burst_after_silence(following: BridgeHall) -> None:
    hall = following
    kept = [hall.packet(at(5.0 - 0.0002 * k)) for k in range(200)]
    hall.silence(0.5)
    hall.cycle(kept)
    hall.until(Phase.FOLLOWING, at(4.96))


def test_frames_that_jump_are_no_motion(following: BridgeHall) -> None:
    """Another origin and attitude of the client's frame every cycle: the relative pose is the same, the robots stand."""
    hall, rng = following, np.random.default_rng(3)
    hall.hold(at(5.0), 0.5)
    for _ in range(500):
        axis = rng.normal(size=4)
        x, y, z, w = axis / np.linalg.norm(axis)
        R = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        origin = rng.uniform(-7e6, 7e6, 3)
        chaser = origin + R @ [5.0, 0.0, 0.0]
        hall.cycle([hall.packet((*chaser, x, y, z, w), (*origin, x, y, z, w))])
        assert np.abs(hall.facility.pool.run("shown_relative") - [5.0, 0, 0, 1, 0, 0, 0]).max() < 1e-6
    assert hall.phase is Phase.FOLLOWING


def test_slow_packets_with_velocity(near: BridgeHall) -> None:
    hall = near
    hall.until(Phase.FOLLOWING, at(6.0))
    for k in range(2500):
        t = k * PERIOD_S
        packets = []
        if k % 5 == 0:
            velocity = (-0.1, 0.0, 0.0, 0.0, 0.0, 0.0)
            packets = [hall.packet(at(6.0 - 0.1 * t), chaser_velocity=velocity, target_velocity=(0.0,) * 6)]
        hall.cycle(packets)
    assert hall.phase is Phase.FOLLOWING and hall.status.velocities_used
    assert hall.bridge.left[0] < 1e-4


def test_scale_shortens_distances_and_gives_them_back(cell: Cell) -> None:
    hall = BridgeHall(cell, BridgeSettings(scale=0.25))
    try:
        hall.until(Phase.FOLLOWING, at(20.0))
        hall.hold(at(20.0), 1.0)
        pose = hall.facility.pool.run("shown_relative")
        assert pose[0] == pytest.approx(5.0, abs=1e-6)
        assert hall.status.chaser[0] == pytest.approx(20.0, abs=5e-3)
    finally:
        hall.close()


def test_phi_turns_towards_the_sun_when_asked(cell: Cell) -> None:
    """The sun across the line of sight: the best that a roll can do is the lamp's share across that line."""
    lamp = np.array(cell.file.lamp.towards_lab)
    lamp = lamp / np.linalg.norm(lamp)
    share = {}
    for weight in (0.0, 3.0):
        hall = BridgeHall(cell, BridgeSettings(sun_weight=weight))
        try:
            while hall.phase is not Phase.FOLLOWING and hall.sequence < 15.0 / PERIOD_S:
                hall.cycle([hall.packet(at(5.0), IDENTITY, sun=(0.0, 0.6, 0.8))])
            assert hall.phase is Phase.FOLLOWING  # joined after 10 s: the posture that was searched has it
            R_lab_port1 = matrix_from_quat(hall.facility.pool.run("commanded_port1")[3:].copy())
            sun, line = R_lab_port1 @ [0.0, 0.6, 0.8], R_lab_port1 @ [1.0, 0.0, 0.0]
            share[weight] = float(sun @ lamp) / math.sqrt(1.0 - float(line @ lamp) ** 2)
        finally:
            hall.close()
    assert share[3.0] > 0.95 > share[0.0]


def test_without_a_sun_in_the_packets_nothing_pulls_to_the_lamp(cell: Cell) -> None:
    """The same axes, cycle by cycle, with a weight and without; and a sun that is gone pulls no longer."""
    axes = {}
    for weight in (0.0, 3.0):
        hall = BridgeHall(cell, BridgeSettings(sun_weight=weight))
        try:
            hall.until(Phase.FOLLOWING, at(5.0))
            hall.hold(at(5.0), 1.0)
            axes[weight] = hall.facility.guard.setpoint.copy()
            if weight:
                cost = hall.bridge.coupling.command_cost[0]
                hall.cycle([hall.packet(at(5.0), IDENTITY, sun=(0.0, 0.6, 0.8))])
                assert cost["sun_weight"] == weight
                hall.cycle([hall.packet(at(5.0))])
                assert cost["sun_weight"] == 0.0
        finally:
            hall.close()
    np.testing.assert_array_equal(axes[0.0], axes[3.0])


# ------------------------------------------------------------------ what a reviewer broke once
def look(x: float, y: float) -> tuple[float, ...]:
    """A chaser in the plane z = 0 that looks at the target."""
    return at(x, y, 0.0, math.degrees(math.atan2(y, x)))


@pytest.mark.parametrize(("distance", "angle_deg"), [(3.043, 87.43), (2.95, 86.5), (3.2, 88.5)])
def test_a_way_past_the_target_leads_through_yellow_and_never_into_red(
    hall: BridgeHall, distance: float, angle_deg: float
) -> None:
    """The command is green on both sides, the clutch's way between them is not."""
    c, s = distance * math.cos(math.radians(angle_deg)), distance * math.sin(math.radians(angle_deg))
    hall.until(Phase.FOLLOWING, look(c, s))
    zones = set()
    for _ in range(round(13.0 / PERIOD_S)):
        hall.cycle([hall.packet(look(c, -s))])
        zones.add(hall.bridge.zones.actual)
    assert Zone.YELLOW in zones
    hall.until(Phase.FOLLOWING, at(5.0), 120.0)


@pytest.mark.parametrize(
    ("start", "goal"), [((0.1, -3.0), (1.0, 1.0)), ((0.1, 3.0), (1.0, -1.0)), ((0.5, -3.0), (1.0, 1.0))]
)
def test_a_way_that_is_blocked_is_left_with_a_reserve(
    hall: BridgeHall, start: tuple[float, float], goal: tuple[float, float]
) -> None:
    """Where the clutch's way round a green command leads into red: the stop begins so early that it ends before the reserve."""
    hall.until(Phase.FOLLOWING, look(*start))
    hall.until(Phase.STANDING, look(*goal))
    assert hall.bridge.cause is Standstill.WAY_BLOCKED
    assert hall.bridge.zones.actual is Zone.YELLOW
    hall.hold(look(*goal), 0.3)  # the drives have arrived
    assert RESERVE_M < hall.bridge.zones.actual_clearance_m < RESERVE_M + 0.005
    hall.until(Phase.JOINING, at(5.0))
    while hall.bridge.zones.actual is Zone.YELLOW:  # out of it in one go
        hall.cycle([hall.packet(at(5.0))])
        assert hall.phase is Phase.JOINING


@pytest.mark.parametrize(("seed", "joins"), [(16, True), (29, False)])
def test_out_of_a_tight_place_the_hall_joins_or_stands(cell: Cell, seed: int, joins: bool) -> None:
    """8 mm from red, an arm folded against itself: within 15 s the hall is on its way, or has said that there is none and has not
    moved; there is no to and fro."""
    start = tight_posture(cell, ZoneWatch(cell), np.random.default_rng(seed), 0.008)
    hall = BridgeHall(replace(cell, home=start))
    try:
        hall.until(Phase.JOINING if joins else Phase.STANDING, at(5.0), 15.0)
        assert hall.bridge.cause is (Standstill.NONE if joins else Standstill.NO_POSTURE)
        while joins and hall.bridge.zones.actual is Zone.YELLOW:
            hall.cycle([hall.packet(at(5.0))])
            assert hall.phase is Phase.JOINING
        assert joins or (hall.facility.guard.setpoint == start).all()
    finally:
        hall.close()


def test_from_where_its_way_was_blocked_the_hall_goes_elsewhere(hall: BridgeHall) -> None:
    hall.until(Phase.FOLLOWING, look(0.1, 3.0))
    hall.until(Phase.STANDING, look(1.0, -1.0))
    assert hall.bridge.cause is Standstill.WAY_BLOCKED and hall.bridge.zones.actual is Zone.YELLOW
    hall.until(Phase.FOLLOWING, at(3.0), 20.0)


def test_a_limit_of_the_guard_is_told_in_its_own_cycle_and_halts_unlatched(following: BridgeHall) -> None:
    """A target that turns across the line of sight runs robot 2 to the end of Table 3; the set-point never differs from what
    is told (asserted every cycle)."""
    hall, causes = following, set()
    begun = math.radians(75.0)
    hall.until(Phase.FOLLOWING, look(5.0 * math.cos(begun), -5.0 * math.sin(begun)))
    for k in range(round(25.0 / PERIOD_S)):  # at the limit after 10 s and after 22 s, then beyond the hall
        angle = begun + math.radians(3.0) * k * PERIOD_S
        hall.cycle([hall.packet(look(5.0 * math.cos(angle), -5.0 * math.sin(angle)))])
        causes.add(hall.bridge.cause)
        assert hall.phase is Phase.HALTING or hall.facility.mode is not Mode.HALTING
    assert Standstill.LIMIT in causes
    assert hall.facility.stop is None
    hall.until(Phase.FOLLOWING, at(5.0), 120.0)


@pytest.mark.parametrize(
    "lie", [(0.2, 0, 0, 0, 0, 0), (-1.0, 0, 0, 0, 0, 0), (40.0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0.2)]
)
def test_velocities_that_disagree_with_the_poses_are_not_believed(
    following: BridgeHall, lie: tuple[float, ...]
) -> None:
    hall = following
    worst = 0.0
    for k in range(1000):
        hall.cycle([hall.packet(at(5.0), chaser_velocity=lie, target_velocity=(0.0,) * 6)])
        pose = hall.facility.pool.run("shown_relative")
        worst = max(worst, float(np.abs(pose[:3] - [5.0, 0.0, 0.0]).max()) if not np.isnan(pose[0]) else 0.0)
        if k > 500:
            assert hall.phase is Phase.FOLLOWING
            assert np.abs(pose - [5.0, 0, 0, 1, 0, 0, 0]).max() < 1e-3
    assert worst < 0.05


def test_single_bad_packets_are_no_velocity_and_no_halt(following: BridgeHall) -> None:
    hall = following
    for k in range(2500):
        hall.cycle([hall.packet(at(5.05) if k % 250 == 100 else at(5.0))])
        assert hall.phase in (Phase.FOLLOWING, Phase.CONVERGING)
    assert np.abs(hall.facility.pool.run("shown_relative")[:3] - [5.0, 0.0, 0.0]).max() < 1e-3


def test_who_is_not_master_is_told_nothing_of_the_motion(following: BridgeHall) -> None:
    hall = following
    other = unpack_status(finish_status(for_others(hall.end.status()), False, Refusal.NOT_MASTER))
    assert not other.converged and not other.master and other.refusal is Refusal.NOT_MASTER
    assert math.isnan(other.left_m) and all(map(math.isnan, (*other.chaser, *other.target)))
    assert hall.status.converged and hall.status.master


class Doubtful:
    """A recorder that is in trouble, or not."""

    trouble = ""

    def look(self) -> None:
        pass


def test_a_bridge_that_stands_does_not_move_what_would_not_be_recorded(hall: BridgeHall) -> None:
    hall.facility.surroundings.evidence = evidence = Doubtful()
    evidence.trouble = "recorder_hung"
    before = hall.facility.guard.setpoint.copy()
    hall.hold(at(5.0), 5.0)
    assert (hall.phase, hall.bridge.cause) == (Phase.STANDING, Standstill.NOT_RECORDED)
    assert (hall.facility.guard.setpoint == before).all()
    evidence.trouble = ""
    hall.until(Phase.FOLLOWING, at(5.0))


def test_a_bridge_that_moves_goes_on_until_it_stands(following: BridgeHall) -> None:
    following.facility.surroundings.evidence = evidence = Doubtful()
    evidence.trouble = "recorder_late"
    following.follow(lambda t: at(5.0 - 0.02 * t), 3.0)
    assert following.phase is Phase.FOLLOWING
    following.silence(3.0)
    following.hold(at(4.94), 3.0)
    assert (following.phase, following.bridge.cause) == (Phase.STANDING, Standstill.NOT_RECORDED)


def test_the_bridge_is_not_selected_either(following: BridgeHall) -> None:
    following.hall.desk.select("none")
    while following.facility.mode is not Mode.READY:
        following.cycle()
    following.facility.surroundings.evidence = evidence = Doubtful()
    evidence.trouble = "no motion begins"
    with pytest.raises(Refused, match="select bridge: no motion begins"):
        following.hall.desk.select("bridge")
