"""Sockets are read within bounds: by number, by time, and never beyond what waits. The clock is the test's own."""

from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import cast

import pytest

from proxops.core import drain as module
from proxops.core.drain import FLUSH_LIMIT, drain, flush

SENDER = ("127.0.0.1", 5000)
SECOND_NS = 1_000_000_000


class Waiting:
    """A socket in which ``count`` datagrams wait, an ICMP error in the place of those in ``closed``."""

    def __init__(self, count: int, closed: tuple[int, ...] = (), end: type[OSError] = BlockingIOError) -> None:
        self.count, self.closed, self.end, self.read = count, closed, end, 0

    def recvfrom(self, size: int) -> tuple[bytes, tuple[str, int]]:
        if self.read >= self.count:
            raise self.end
        self.read += 1
        if self.read - 1 in self.closed:
            raise ConnectionRefusedError
        return str(self.read - 1).encode(), SENDER

    def recv_into(self, scrap: bytearray) -> int:
        return len(self.recvfrom(len(scrap))[0])


class Reader:
    """Takes datagrams, each for ``cost_ns`` of a clock that nothing else moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, cost_ns: int = 0) -> None:
        self.taken: list[bytes] = []
        self.now_ns, self._cost_ns = 0, cost_ns
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic_ns=lambda: self.now_ns))

    def take(self, data: bytes, sender: tuple[str, int]) -> None:
        assert sender == SENDER
        self.taken.append(data)
        self.now_ns += self._cost_ns

    def drain(self, waiting: Waiting, limit: int = 64, time_ns: int = SECOND_NS, look_every: int = 16) -> int:
        return drain(cast(socket.socket, waiting), self.take, limit, time_ns, look_every)


@pytest.mark.parametrize("end", [BlockingIOError, InterruptedError])
@pytest.mark.parametrize("count", [0, 1, 63])
def test_what_waits_is_taken_in_order(monkeypatch: pytest.MonkeyPatch, count: int, end: type[OSError]) -> None:
    reader = Reader(monkeypatch)
    assert reader.drain(Waiting(count, end=end)) == 0
    assert reader.taken == [str(k).encode() for k in range(count)]


@pytest.mark.parametrize("count", [64, 65, 1000])
def test_no_more_than_the_limit_is_read_in_one_cycle(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    reader, waiting = Reader(monkeypatch), Waiting(count)
    assert reader.drain(waiting) == 64
    assert (len(reader.taken), waiting.read) == (64, 64)


def test_time_ends_it_at_the_next_look_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """20 ms each: beyond half a second after 26, which is seen after 32."""
    reader = Reader(monkeypatch, cost_ns=SECOND_NS // 50)
    assert reader.drain(Waiting(1000), time_ns=SECOND_NS // 2) == 32
    assert len(reader.taken) == 32


def test_time_that_is_just_used_up_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader(monkeypatch, cost_ns=SECOND_NS // 16)
    assert reader.drain(Waiting(1000)) == 32


def test_answers_of_the_system_are_no_datagrams_but_count_for_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader(monkeypatch)
    assert reader.drain(Waiting(10, closed=(0, 3, 9))) == 0
    assert reader.taken == [b"1", b"2", b"4", b"5", b"6", b"7", b"8"]
    flooded = Reader(monkeypatch)
    assert flooded.drain(Waiting(1000, closed=tuple(range(0, 1000, 2)))) == 64
    assert len(flooded.taken) == 32


def test_flush_throws_everything_away_and_counts() -> None:
    assert flush(cast(socket.socket, Waiting(100))) == 100
    flooded = Waiting(FLUSH_LIMIT + 100)
    assert flush(cast(socket.socket, flooded)) == FLUSH_LIMIT
    assert flooded.read == FLUSH_LIMIT
