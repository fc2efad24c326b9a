"""Ports age by the clock: a facility that stood still finds its clients silent, and what waited in the sockets is old."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import numpy as np
import pytest
from bridge_hall import IDENTITY, BridgeHall, at

from proxops.bridge.input_filter import TIMEOUT_NS, InputFilter
from proxops.bridge.sample import Sample
from proxops.client import SyncClient
from proxops.core.bridge_datagram import BridgeCommand, pack_command
from proxops.core.messages import PERIOD_NS
from proxops.core.vocabulary import InputState, Mode, Phase, Severity, System
from proxops.facility.sources import Supply, SyncSource
from proxops.facility.sync import SyncPort
from proxops.lab.any_cell import load_cell
from proxops.safety.rules import Rule, Stop

STALL = 5 * 250  # cycles
ANYWHERE = ("127.0.0.1", 0)


def sample(number: int) -> Sample:
    return Sample(number, number * PERIOD_NS, np.array([5.0, 0, 0, 1, 0, 0, 0]), np.array([0.0, 0, 0, 1, 0, 0, 0]))


def test_what_waits_in_the_filter_does_not_go_out_after_a_stall() -> None:
    filter = InputFilter()
    for n in range(20):
        filter.step([sample(n)], n * PERIOD_NS)
    filter.step([sample(20), sample(21)], 20 * PERIOD_NS)
    assert filter.state is InputState.BUFFERED
    assert filter.step([], (20 + STALL) * PERIOD_NS) is None
    assert filter.gone and filter.state is InputState.DRY
    assert filter.silent_ns == STALL * PERIOD_NS > TIMEOUT_NS


# --- the bridge ---


class Stalled:
    """A hall that follows a client on a real socket, then stands still while that goes on sending."""

    def __init__(self) -> None:
        self.hall = BridgeHall(load_cell(), bind=ANYWHERE)
        self.line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.line.connect(self.hall.port.address)
        self.number = 0

    def send(self, x: float) -> None:
        self.number += 1
        self.line.send(pack_command(BridgeCommand(self.number, self.number * PERIOD_NS, at(x), IDENTITY)))

    def follow(self) -> None:
        for _ in range(60 * 250):
            self.send(5.0)
            self.hall.cycle()
            if self.hall.phase is Phase.FOLLOWING:
                return
        raise AssertionError(self.hall.bridge.cause.name)

    def stall(self, packets: int) -> None:
        """The client moves 2 mm a packet meanwhile."""
        for k in range(packets):
            self.send(5.0 - 0.002 * k)
        self.hall.clock.tick += STALL


@pytest.fixture
def stalled() -> Iterator[Stalled]:
    made = Stalled()
    yield made
    made.line.close()
    made.hall.close()


def test_a_stall_is_silence_of_the_bridges_client(stalled: Stalled) -> None:
    stalled.follow()
    stalled.stall(0)
    stalled.hall.cycle()
    assert not stalled.hall.bridge.hearing.client
    assert stalled.hall.facility.mode is Mode.HALTING
    assert stalled.hall.port.master is None  # and its place is free


def test_a_thousand_packets_that_waited_move_nothing(stalled: Stalled) -> None:
    """Silence halts the hall; the first packets after the stall bring it back."""
    hall = stalled.hall
    stalled.follow()
    before, taken = hall.facility.guard.setpoint.copy(), hall.bridge.hearing.filter.taken
    stalled.stall(1000)
    for _ in range(20):
        hall.cycle()
        assert not hall.port.samples
    assert np.abs(hall.facility.guard.setpoint - before).max() < 1e-3  # what braking takes
    assert hall.bridge.hearing.filter.taken == taken
    stalled.follow()


def test_a_short_stall_loses_nothing(stalled: Stalled) -> None:
    hall = stalled.hall
    stalled.follow()
    for _ in range(10):
        stalled.send(5.0)
    hall.clock.tick += 9
    hall.cycle()
    assert len(hall.port.samples) == 10 and hall.phase is Phase.FOLLOWING


# --- the synchronous interface ---


class Desk:
    """The port, its source, and a client."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.port = SyncPort(ANYWHERE, self._tell)
        self.source = SyncSource(self.port, 0.02)
        self.client = SyncClient(self.port.address, 0.0)
        self.now_ns = 10**15

    def _tell(self, severity: Severity, code: str, text: str) -> None:
        self.events.append(code)

    def poll(self, cycles: int = 1, running: bool = True) -> None:
        self.now_ns += cycles * PERIOD_NS
        self.port.poll(True, running, self.now_ns)

    def close(self) -> None:
        self.port.close()
        self.client.close()


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.close()


def test_a_stall_is_silence_of_the_master(desk: Desk) -> None:
    desk.poll()
    desk.client.send(System.IJT, (0.0,) * 22)
    desk.poll()
    assert desk.source.latest() is Supply.FRESH
    desk.poll(5)
    assert desk.source.latest() is Supply.COAST
    desk.poll()
    stop = desk.source.latest()
    assert isinstance(stop, Stop) and stop.rule is Rule.SILENCE and stop.value == pytest.approx(0.024)
    desk.poll(STALL, running=False)
    assert desk.port.master is None


def test_commands_that_waited_through_a_stall_are_not_fresh(desk: Desk) -> None:
    desk.poll()
    desk.client.send(System.IJT, (0.0,) * 22)
    desk.poll()
    for _ in range(300):
        desk.client.send(System.IJT, (1.0,) * 22)
    desk.poll(STALL)
    assert not desk.port.fresh and isinstance(desk.source.latest(), Stop)
    assert "sync.stall" in desk.events
    desk.client.send(System.IJT, (0.0,) * 22)
    desk.poll()
    assert desk.port.fresh


def test_the_same_refusal_is_told_once_a_second_of_the_clock(desk: Desk) -> None:
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for cycles, told in ((1, 1), (1, 1), (STALL, 2), (1, 2), (247, 2), (1, 2), (2, 3)):
        desk.poll(cycles - 1) if cycles > 1 else None
        line.sendto(b"nonsense", desk.port.address)
        desk.poll()
        assert desk.events.count("sync.magic") == told, (cycles, told)
    line.close()


def test_a_stranger_cannot_go_on_with_a_run(desk: Desk) -> None:
    """In a run the master's place is never free, however long it is silent; outside of one the new master's command must be moved
    to and confirmed."""
    stranger = SyncClient(desk.port.address, 0.0)
    stranger.sequence = 1000
    desk.poll()
    desk.client.send(System.IJT, (0.0,) * 22)
    desk.poll()
    for _ in range(1000):
        stranger.send(System.IJT, (0.0,) * 22)
        desk.poll()
        assert not desk.port.fresh
    assert isinstance(desk.source.latest(), Stop)
    stranger.close()
