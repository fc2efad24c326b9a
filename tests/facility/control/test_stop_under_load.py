"""No load on any port delays a stop beyond two cycles: the live facility's loop with every socket full, counted in cycles."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.shared.control_bench import Person, request

from proxops.bridge.settings import BridgeSettings
from proxops.core.clock import LiveClock
from proxops.core.messages import PERIOD_NS
from proxops.facility import live as live_module
from proxops.facility import loop as loop_module
from proxops.facility.control.channel import ControlSettings
from proxops.facility.control.lock import ANY
from proxops.facility.live import LiveFacility
from proxops.lab.any_cell import load_cell
from proxops.safety.rules import Rule

FILL = 300  # datagrams to each UDP port before every cycle: more than it reads in one
CYCLES = 60


class SteppedClock(LiveClock):
    """Passes one period a cycle without waiting, and lets the test act between cycles."""

    between: Callable[[int], None] = staticmethod(lambda tick: None)

    def advance(self) -> float:
        self.tick += 1
        self._deadline += PERIOD_NS
        SteppedClock.between(self.tick)
        return 0.0


class Flood:
    """Fills every port of a facility before every cycle."""

    def __init__(self, live: LiveFacility) -> None:
        sockets, sync, bridge = live.control.sockets, live.hall.desk.sync, live.hall.desk.bridge
        assert sync is not None and bridge is not None and live.control.network is not None
        network = live.control.network.address
        self._udp = [sync.address, bridge.port.address, network, (network[0], network[1] + 1)]
        self._sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._people = [Person(sockets.control) for _ in range(30)]
        self._knocking: list[Person] = []
        self._sockets = sockets

    def pour(self) -> None:
        for address in self._udp:
            for _ in range(FILL):
                self._sender.sendto(os.urandom(216), address)
        for person in self._people:
            person.heard()
            person.flood(request("status"))
        with contextlib.suppress(BlockingIOError):
            while True:
                self._knocking.append(Person(self._sockets.stop))

    def end(self) -> None:
        for person in (*self._people, *self._knocking):
            person.socket.close()
        self._sender.close()


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> LiveFacility:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(live_module, "LiveClock", SteppedClock)
    monkeypatch.setattr(loop_module, "enter_real_time", lambda: SimpleNamespace(leave=lambda: None))
    here = ("127.0.0.1", 0)
    return LiveFacility(
        load_cell(), None, sync=here, control=ControlSettings(ANY, bind=here, key=b"a key of the test"),
        bridge=BridgeSettings(), bridge_at=here,
    )  # fmt: skip


def test_a_stop_is_carried_out_within_two_cycles_whatever_floods(live: LiveFacility) -> None:
    facility, flood = live.hall.facility, Flood(live)
    held = Person.elsewhere(live.control.sockets.stop)
    stopped_at: list[int] = []

    def between(tick: int) -> None:
        if facility.stop is not None and not stopped_at:
            stopped_at.append(tick - 1)
        if tick > 20:
            flood.pour()
        if tick == 40:
            assert facility.stop is None
            assert held.send(b'{"by": "Anna"}')

    SteppedClock.between = staticmethod(between)
    try:
        live.run(lambda real_time: None, for_s=CYCLES * 0.004)
    finally:
        SteppedClock.between = staticmethod(lambda tick: None)
        flood.end()
        held.socket.close()
    assert stopped_at and stopped_at[0] - 40 < 2
    assert facility.stop is not None and (facility.stop.rule, facility.stop.detail) == (Rule.OPERATOR, "Anna")
