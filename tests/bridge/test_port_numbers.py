"""Every number that arrives is judged: no well-formed datagram, however extreme, raises in a tick or makes the hall jump."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

import numpy as np
import pytest
from bridge_hall import IDENTITY, BridgeHall, at, parked_cell
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proxops.core.bridge_datagram import BridgeCommand
from proxops.core.bridge_datagram import pack_command as pack_bridge
from proxops.core.clock import LockstepClock
from proxops.core.datagram import LEAP_MAX, SEQUENCE_MAX, TIME_MAX_NS, Command, Refusal, pack_command
from proxops.core.errors import ProxopsError
from proxops.core.force_datagram import ForceReading, pack_force
from proxops.core.vocabulary import Mode, Phase, System
from proxops.facility.build import build
from proxops.facility.installation import Installation
from proxops.lab.any_cell import load_cell
from proxops.touch.force_port import ForcePort

QUIET = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
INT63, UINT64 = 2**63 - 1, 2**64 - 1
EDGES = [
    0,
    1,
    999,
    1000,
    LEAP_MAX - 1,
    LEAP_MAX,
    LEAP_MAX + 1,
    2**53,
    SEQUENCE_MAX - 1,
    SEQUENCE_MAX,
    SEQUENCE_MAX + 1,
    INT63,
]
sequences = st.sampled_from([*EDGES, 2**63, UINT64]) | st.integers(0, UINT64)
times = st.sampled_from([-(2**63), -TIME_MAX_NS - 1, -TIME_MAX_NS, -1, *EDGES]) | st.integers(-(2**63), INT63)
numbers = st.sampled_from([0.0, -0.0, 5e-324, 2e-308, 1e-9, 1.0, 5.0, 1e9, 1e12, 1e300, 1.7e308, -1e308]) | st.floats()
turns = st.sampled_from([(0.0, 0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, -1.0), (0.5, 0.5, 0.5, 0.5)])
poses = st.tuples(numbers, numbers, numbers, turns).map(lambda p: (*p[:3], *p[3])) | st.just(at(5.0))
velocities = st.none() | st.tuples(st.tuples(*[numbers] * 6), st.tuples(*[numbers] * 6))
suns = st.none() | st.sampled_from([(0.0, 0.0, 1.0), (1e300, 0.0, 0.0), (0.0, 0.0, 0.0)])


@pytest.fixture
def hall() -> Iterator[BridgeHall]:
    made = BridgeHall(parked_cell())
    made.until(Phase.FOLLOWING, at(5.0))
    yield made
    made.close()


def named(hall: BridgeHall) -> dict[str, int]:
    return {refusal.name: count for refusal, count in hall.port.counts.items() if count}


@pytest.mark.parametrize(
    ("sequence", "sent_ns", "refusal"),
    [
        (INT63, 0, "SEQUENCE"), (SEQUENCE_MAX + 3, 0, "SEQUENCE"), (SEQUENCE_MAX, 0, "LEAP"), (10**6 + LEAP_MAX, 0, "LEAP"),
        (10**6, INT63, "TIME"), (10**6, TIME_MAX_NS + 1, "TIME"), (10**6, -TIME_MAX_NS - 1, "TIME"),
    ],
)  # fmt: skip
def test_numbers_near_the_end_and_then_silence(hall: BridgeHall, sequence: int, sent_ns: int, refusal: str) -> None:
    """The cubic counts on from the last packet: there the numbers left what the log and the status can hold."""
    for k in range(3):
        hall.cycle([pack_bridge(BridgeCommand(sequence - k, sent_ns, at(5.0), IDENTITY))])
    hall.silence(0.2)
    assert set(named(hall)) == {refusal}
    assert hall.status.refusal is Refusal.NONE


def test_the_last_numbers_of_all_are_good(hall: BridgeHall) -> None:
    """A client may count and tell the time as high as is allowed; extrapolation goes beyond, and nothing breaks."""
    hall.silence(3.0)  # its place is free: any numbering may begin
    for k in range(10, -1, -1):
        hall.cycle([pack_bridge(BridgeCommand(SEQUENCE_MAX - k, TIME_MAX_NS - 4_000_000 * k, at(5.0), IDENTITY))])
    hall.silence(0.2)
    assert named(hall) == {}
    assert hall.bridge.hearing.filter.extrapolated_count >= 5
    assert hall.bridge.hearing.sample is not None and hall.bridge.hearing.sample.sequence > SEQUENCE_MAX


steps = st.lists(
    st.tuples(sequences, times, poses, poses | st.just(IDENTITY), velocities, suns), min_size=1, max_size=6
)


@given(st.lists(st.tuples(steps, st.integers(0, 30)), min_size=1, max_size=6))
@QUIET
def test_extreme_packets_and_then_silence_never_raise(story: list[tuple[list, int]]) -> None:
    """Through whole ticks; ``BridgeHall`` checks speeds, accelerations and zones in each."""
    hall = shared_hall()
    for packets, silent in story:
        for sequence, sent_ns, chaser, target, velocity, sun in packets:
            one, two = velocity or (None, None)
            hall.cycle([pack_bridge(BridgeCommand(sequence, sent_ns, chaser, target, one, two, sun))])
            hall.status  # noqa: B018 (packing it is what is tried)
        for _ in range(silent):
            hall.cycle()
            hall.status  # noqa: B018
    assert hall.facility.mode in (Mode.BRIDGED, Mode.HALTING)


_halls: list[BridgeHall] = []


def shared_hall() -> BridgeHall:
    """One for all examples, on its way: building one takes a while."""
    if not _halls:
        _halls.append(BridgeHall(parked_cell()))
        _halls[0].until(Phase.FOLLOWING, at(5.0))
    return _halls[0]


def teardown_module() -> None:
    for made in (*_halls, *_walls):
        made.close()


# --- the synchronous interface ---


class SyncWalk:
    """A facility in lockstep whose synchronous interface is real."""

    def __init__(self) -> None:
        cell = load_cell()
        self.clock = LockstepClock()
        self.hall: Installation = build(cell, self.clock, seed=0, record=None, sync=("127.0.0.1", 0))
        self.line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.limit = cell.hall[0]["speed"]
        assert self.hall.desk.sync
        self.line.connect(self.hall.desk.sync.address)

    def cycle(self, *packets: bytes) -> None:
        facility = self.hall.facility
        for data in packets:
            self.line.send(data)
        before = facility.guard.setpoint.copy()
        facility.tick()
        assert (np.abs(facility.guard.setpoint - before) <= self.limit * 0.004 * (1 + 1e-6)).all()

    def home(self, system: System) -> tuple[float, ...]:
        return tuple(self.hall.facility.told.answer_in(int(system)).tolist())

    def close(self) -> None:
        self.line.close()
        self.hall.close()


_walls: list[SyncWalk] = []
values = st.lists(numbers, min_size=22, max_size=22) | st.just([0.0] * 22)


@given(
    st.sampled_from(System), st.booleans(),
    st.lists(st.tuples(st.sampled_from(System), sequences, st.integers(0, UINT64), values), min_size=1, max_size=5),
)  # fmt: skip
@QUIET
def test_extreme_commands_never_raise(system: System, run: bool, packets: list) -> None:
    """Before the move to start, on it, and in a run."""
    if not _walls:
        _walls.append(SyncWalk())
    walk = _walls[0]
    desk, facility = walk.hall.desk, walk.hall.facility
    with contextlib.suppress(ProxopsError):
        desk.reset()
    for _ in range(200):
        if facility.mode is Mode.STANDBY:
            desk.drives(True)
        if facility.mode is Mode.READY:
            break
        walk.cycle()
    desk.select("sync")
    start = pack_command(Command(int(system), 1, 0, walk.home(system)))
    walk.cycle(start)
    if run:
        with contextlib.suppress(ProxopsError):
            desk.move_to_start("rail,robot1,robot2")
            for k in range(100):
                walk.cycle(pack_command(Command(int(system), 2 + k, 0, walk.home(system))))
            desk.confirm()
    for kind, sequence, sent_ns, numbers_ in packets:
        walk.cycle(pack_command(Command(int(kind), sequence, sent_ns, tuple(numbers_))))
        if not run:
            with contextlib.suppress(ProxopsError):
                desk.move_to_start("rail,robot1,robot2")
    for _ in range(10):
        walk.cycle()
    with contextlib.suppress(ProxopsError):
        desk.select("none")
    if facility.mode not in (Mode.READY, Mode.STANDBY, Mode.STOPPED, Mode.STOPPING):
        desk.safe_stop()
    for _ in range(2000):
        if facility.mode in (Mode.READY, Mode.STANDBY, Mode.STOPPED):
            return
        walk.cycle()
    raise AssertionError(facility.mode.name)


# --- a user's force sensor ---


@given(st.lists(st.tuples(sequences, times, st.tuples(*[numbers] * 6)), min_size=1, max_size=20))
@QUIET
def test_extreme_readings_never_raise(readings: list) -> None:
    port, newest = ForcePort(None), -1
    for k, (sequence, measured_ns, wrench) in enumerate(readings):
        port.take(pack_force(ForceReading(sequence, measured_ns, wrench)), 0.004 * k)
        sample = port.latest(0.004 * k)
        if sample is not None:
            assert newest <= sample.sequence <= SEQUENCE_MAX
            assert newest < 0 or sample.sequence - newest <= LEAP_MAX
            newest = sample.sequence
    assert port.taken + port.old + port.doubled + sum(port.refused.values()) == len(readings)
