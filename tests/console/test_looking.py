"""Each page takes what sensors see at its own pace: the newest, as often as it asked, one at a time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from proxops.console import looking as module
from proxops.console.gallery import Gallery
from proxops.console.looking import MOST_HZ, Looking
from proxops.console.sight import HungSight


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(module.time, "monotonic", made.monotonic)
    return made


@pytest.fixture
def gallery() -> Gallery:
    return Gallery()


def hang(gallery: Gallery, sensor: str, number: int, what: str = "image", payload: bytes | None = None) -> None:
    payload = f"{sensor} {number}".encode() if payload is None else payload
    gallery.hang(HungSight(sensor, what, number, {}, payload, {}), 0.0)


def shown(data: bytes | None) -> str:
    assert data is not None
    return data.rpartition(b"}")[2].strip().decode()


def taken(looking: Looking, gallery: Gallery) -> str:
    """The next sight, which the page takes at once."""
    text = shown(looking.next())
    looking.seen(max(hung.serial for hung in gallery.newest.values() if hung.sight.payload == text.encode()))
    return text


def test_nothing_is_sent_to_who_does_not_look(clock: Clock, gallery: Gallery) -> None:
    looking = Looking(gallery)
    hang(gallery, "near", 1)
    assert looking.next() is None and not looking.waiting()
    looking.look_at({"far": 10.0, "near": 0.0})
    assert looking.next() is None
    looking.look_at({"near": 10.0})
    assert looking.waiting() and shown(looking.next()) == "near 1"  # what was seen before, at once


def test_one_at_a_time_and_the_newest(clock: Clock, gallery: Gallery) -> None:
    """A slow page: whatever came meanwhile, it gets the newest, and nothing has waited."""
    looking = Looking(gallery)
    looking.look_at({"near": 10.0})
    for number in range(1, 100):
        hang(gallery, "near", number)
        assert (looking.next() is not None) == (number == 1)
        clock.now += 0.1
    looking.seen(1)
    assert looking.next() is None  # it took ten seconds, which now are others'
    clock.now += 10.0
    assert shown(looking.next()) == "near 99" and len(gallery.newest) == 1


def test_what_was_not_sent_cannot_be_acknowledged(clock: Clock, gallery: Gallery) -> None:
    looking = Looking(gallery)
    looking.look_at({"near": 10.0})
    hang(gallery, "near", 1)
    looking.next()
    hang(gallery, "near", 2)
    looking.seen(2)
    clock.now += 1.0
    assert looking.next() is None


@pytest.mark.parametrize(("hz", "expected"), [(2.0, 20), (MOST_HZ, 100), (90.0, 100)])
def test_as_often_as_it_asked_and_no_more(clock: Clock, gallery: Gallery, hz: float, expected: int) -> None:
    looking, count = Looking(gallery), 0
    looking.look_at({"near": hz})
    for number in range(1000):  # ten seconds at 100 Hz
        hang(gallery, "near", number)
        if looking.waiting():
            count += 1
            taken(looking, gallery)
        clock.now += 0.01
    assert expected * 0.9 <= count <= expected + 1


def test_all_that_is_looked_at_has_its_turn(clock: Clock, gallery: Gallery) -> None:
    looking = Looking(gallery)
    looking.look_at({"near": 10.0, "tof": 10.0})
    seen: list[str] = []
    for number in range(60):
        for sensor, what in (("near", "image"), ("tof", "depth"), ("tof", "intensity")):
            hang(gallery, sensor, number, what, f"{sensor} {what} {number}".encode())
        seen.append(taken(looking, gallery).rpartition(" ")[0])
        clock.now += 0.1
    assert {name: seen.count(name) for name in seen} == {"near image": 20, "tof depth": 20, "tof intensity": 20}


def test_a_sensor_that_repeats_itself_is_counted(gallery: Gallery) -> None:
    same: Callable[[], int] = lambda: gallery.newest["near", "image"].sight.facts["same"]  # noqa: E731
    for expected in range(4):
        hang(gallery, "near", expected, payload=b"always")
        assert same() == expected
    hang(gallery, "near", 9)
    assert same() == 0


def test_facts_find_their_image_before_and_after(gallery: Gallery) -> None:
    facts = lambda: gallery.newest["near", "image"].sight.facts  # noqa: E731
    gallery.learn("near", 1, {"number": 41})
    hang(gallery, "near", 1)
    assert facts()["number"] == 41
    hang(gallery, "near", 2)
    assert "number" not in facts()
    before = gallery.newest["near", "image"].serial
    gallery.learn("near", 2, {"number": 42})
    assert facts()["number"] == 42 and facts()["serial"] > before  # it is sent again
    gallery.learn("near", 1, {"number": 41})
    assert facts()["number"] == 42
