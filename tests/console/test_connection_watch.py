"""Connections without progress are cut, those with some are left alone."""

from __future__ import annotations

from dataclasses import dataclass, field

from proxops.console.connection_watch import CLOSING_S, HEADERS_S, READING_S, SILENT, ConnectionWatch


@dataclass
class Wire:
    closing: bool = False
    left: int = 0
    cut: bool = False

    def is_closing(self) -> bool:
        return self.closing

    def get_write_buffer_size(self) -> int:
        return self.left

    def abort(self) -> None:
        self.cut = True


@dataclass(eq=False)
class Cycle:
    """A request and its answer."""

    response_complete: bool


@dataclass(eq=False)
class Http:
    cycle: Cycle | None = None
    transport: Wire = field(default_factory=Wire)


@dataclass(eq=False)
class Socket:
    transport: Wire = field(default_factory=Wire)


class Watched:
    """A watch with a clock of its own."""

    def __init__(self, *connections: Http | Socket) -> None:
        self.now, self.connections = 0.0, list(connections)
        self.watch = ConnectionWatch(lambda: self.now)
        self.watch.look(self.connections)

    def after(self, seconds: float) -> list[bool]:
        self.now += seconds
        self.watch.look(self.connections)
        return [each.transport.cut for each in self.connections]


def test_silence_and_requests_that_never_end() -> None:
    silent, busy, page = Http(), Http(Cycle(False)), Socket()
    watched = Watched(silent, busy, page)
    assert watched.after(HEADERS_S - 0.1) == [False] * 3
    assert watched.after(0.2) == [True, False, False]
    assert watched.after(3600.0)[1:] == [False, False]


def test_each_request_has_its_own_time() -> None:
    kept = Http(Cycle(True))
    watched = Watched(kept)
    for _ in range(5):
        assert watched.after(HEADERS_S - 0.5) == [False]
        kept.cycle = Cycle(True)  # another one has been answered since
    assert watched.after(0.0) == [False]
    assert watched.after(HEADERS_S + 0.1) == [True]


def test_who_does_not_read_is_cut_but_not_who_reads_slowly() -> None:
    stalled, slow = Socket(Wire(left=1000)), Http(Cycle(False), Wire(left=1000))
    watched = Watched(stalled, slow)
    for _ in range(4):
        slow.transport.left -= 100
        cut = watched.after(READING_S / 4 + 0.1)
    assert cut == [True, False]


def test_a_closing_that_does_not_come_to_an_end() -> None:
    closing = Socket(Wire(closing=True, left=1000))
    watched = Watched(closing)
    assert watched.after(CLOSING_S - 0.1) == [False]
    assert watched.after(0.2) == [True]


def test_of_too_many_silent_ones_the_oldest_go_at_once() -> None:
    watched = Watched(Socket(), *(Http() for _ in range(5)))
    watched.connections += [Http() for _ in range(SILENT)]
    assert watched.after(0.1) == [False] + [True] * 5 + [False] * SILENT


def test_nothing_is_kept_of_those_who_are_gone() -> None:
    watched = Watched(*(Http() for _ in range(5)))
    watched.connections.clear()
    watched.after(0.1)
    assert not watched.watch._since
