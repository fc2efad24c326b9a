"""The stop socket: any message is a stop, a flood of them costs a bounded number, no load elsewhere is in the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.shared.control_bench import Bench, Person, bench_of, request

from proxops.facility.control.stop_port import CONNECTIONS, IN_A_ROW, NAMES


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with bench_of() as made:
        yield made


@pytest.mark.parametrize(
    ("data", "by"),
    [
        (b'{"by": "Anna"}', "Anna"),
        (b'{"do": "safe_stop", "with": {"by": "Ben"}}', "Ben"),
        (b"{}", ""),
        (b"\xff\x00nonsense", ""),
        (b"[" * 1000, ""),
        (b"x" * 30_000, ""),
        (b'{"by": 7, "sequence": "x"}', ""),
        (b'{"by": "' + b"a" * 500 + b'"}', "a" * 40),
    ],
)
def test_any_message_is_a_stop(bench: Bench, data: bytes, by: str) -> None:
    person = bench.person(stop=True)
    assert person.send(data)
    bench.control.serve_stops()
    assert bench.desk.stops == [by]
    assert [answer["ok"] for answer in person.heard()] == [True]


def test_the_answer_carries_the_number(bench: Bench) -> None:
    person = bench.person(stop=True)
    person.send(b'{"sequence": 12}')
    bench.control.serve_stops()
    assert person.heard() == [{"sequence": 12, "ok": True, "result": None, "mode": "READY"}]


def test_a_connection_that_ends_is_no_stop(bench: Bench) -> None:
    bench.person(stop=True)
    bench.cycle()
    bench.people.pop().socket.close()
    bench.cycle(2)
    assert not bench.desk.stops
    assert not bench.control.stops.listening.connections


def test_a_stop_waits_for_nobody_who_floods(bench: Bench) -> None:
    """All sockets full to the brim, a full house at the stop's door: the one who stops is heard in the first cycle."""
    held = bench.person(stop=True)
    bench.cycle()
    flooders = [bench.person() for _ in range(40)]
    for _ in range(12):
        bench.cycle()
    while True:
        for flooder in flooders:
            flooder.flood(request("status"))
        try:
            bench.person(stop=True)  # until no more find room at the door
        except BlockingIOError:
            break
    held.send(b'{"by": "Anna"}')
    bench.control.serve_stops()
    assert bench.desk.stops == ["Anna"]
    assert held.heard()[0]["ok"]


def test_who_has_just_connected_is_heard_at_once(bench: Bench) -> None:
    bench.person(stop=True).send(b"stop")
    bench.control.serve_stops()
    assert bench.desk.stops == [""]


def test_a_flood_of_stops_is_one_stop_a_cycle(bench: Bench) -> None:
    flooders = [bench.person(stop=True) for _ in range(6)]
    bench.cycle(2)
    for k, flooder in enumerate(flooders):
        flooder.flood(f'{{"by": "{k}"}}'.encode())
    for _ in range(20):
        done, counted = len(bench.desk.stops), bench.control.stops.stops
        bench.control.serve_stops()
        assert 1 <= len(bench.desk.stops) - done <= NAMES
        assert bench.control.stops.stops - counted <= len(flooders) * IN_A_ROW


def test_a_full_house_loses_no_stop(bench: Bench) -> None:
    """Whoever is evicted is heard before: also the one that has been silent for longest and speaks just now."""
    first = bench.person(stop=True)
    bench.cycle()
    while len(bench.control.stops.listening.connections) < CONNECTIONS:
        bench.person(stop=True)
        bench.cycle()
    first.send(b'{"by": "first"}')
    listening = bench.control.stops.listening
    listening._evict(lambda silent: bench.control.stops._hear(silent, 0))
    assert bench.desk.stops == ["first"]
    assert first.gone
    for _ in range(9):
        bench.person(stop=True)
        bench.cycle()
    assert len(listening.connections) == CONNECTIONS


def test_a_crowd_does_not_evict_who_waits_for_the_moment(bench: Bench) -> None:
    """A console holds its connection for hours without a word."""
    held = Person.elsewhere(bench.control.sockets.stop)
    bench.people.append(held)
    bench.cycle()
    for _ in range(3 * CONNECTIONS):
        bench.person(stop=True)
        bench.cycle()
    held.send(b'{"by": "Anna"}')
    bench.cycle()
    assert bench.desk.stops == ["Anna"]


def test_a_stop_on_the_control_socket_works_too(bench: Bench) -> None:
    told = bench.ask(bench.person(), b'{"do": "safe_stop", "sequence": 3, "with": {"by": "Anna"}}')
    assert told["ok"] and told["sequence"] == 3
    assert bench.desk.stops == ["Anna"]
