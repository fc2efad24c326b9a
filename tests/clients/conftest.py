"""A hall that is nothing but a socket: takes what a client sends and answers what the test wants."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from proxops.core.bridge_datagram import BridgeStatus
from proxops.core.datagram import Refusal
from proxops.core.vocabulary import InputState, Mode, Phase, Standstill, Zone

STATUS = BridgeStatus(
    Phase.CONVERGING, InputState.BUFFERED, Zone.GREEN, Zone.YELLOW, Standstill.LIMIT, Mode.BRIDGED, 14, Refusal.ABSURD,
    2**63 + 1, -(2**62), 1_700_000_000_123_456_789, 2**40 + 1, 0.1, -0.0, float("inf"), float("nan"), 5e-324, 0.6,
    (7e6, -1.5, 1e-9, 0.1, 0.2, 0.3, 0.9), (7e6, 2.5, -1e-9, -0.1, -0.2, -0.3, -0.9),
    1, 2**32 - 1, 3, 2**31, 5, 6, converged=True, moving=False, master=True, velocities_used=False,
)  # fmt: skip


class Hall:
    """The facility's end of the wire."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.settimeout(10.0)
        self.address: tuple[str, int] = self._socket.getsockname()
        self.client: tuple[str, int] = ("", 0)

    def take(self) -> bytes:
        """The next command; its sender is whom answers go to."""
        data, self.client = self._socket.recvfrom(4096)
        return data

    def answer(self, *datagrams: bytes) -> None:
        for data in datagrams:
            self._socket.sendto(data, self.client)

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def hall() -> Iterator[Hall]:
    end = Hall()
    yield end
    end.close()


@pytest.fixture
def status() -> BridgeStatus:
    """One of every kind of number that is easily got wrong: signs, infinity, NaN, the smallest double, full counters."""
    return STATUS
