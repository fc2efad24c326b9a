"""A keeper that is gone or hangs is told, and started again once the hall stands, not too often."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from proxops.core.clock import LockstepClock
from proxops.core.messages import EVENT_DTYPE
from proxops.core.restarts import RESTARTS
from proxops.core.ring import Ring
from proxops.facility.events import EventLog
from proxops.facility.surroundings import look_every
from proxops.runs.console_watch import ConsoleWatch


class Keeper:
    """A stand-in for the process."""

    def __init__(self) -> None:
        self.living, self.hangs, self.answers, self.starts = True, False, True, 0
        self.news: list[str] = []

    def alive(self) -> bool:
        return self.living

    def listen(self, now_s: float) -> list[str]:
        told, self.news = self.news, []
        return told

    def start_again(self, now_s: float) -> None:
        self.starts += 1
        self.living, self.hangs, self.answers = True, False, False


class Hall:
    def __init__(self) -> None:
        self.keeper, self.still, self.clock = Keeper(), True, LockstepClock()
        self.ring = Ring.create("test-events", EVENT_DTYPE, 64)
        self.events = EventLog(self.ring, self.clock)
        self.watch = ConsoleWatch(self.keeper, self.events, self.clock, lambda: self.still)

    def seconds(self, count: float) -> None:
        for _ in range(round(count * 250)):
            self.clock.advance()
            if self.clock.tick % look_every(self.clock.period_ns) == 0:
                self.watch.look()

    @property
    def alarm(self) -> bool:
        return "console_lost" in self.events.alarm_names

    @property
    def told(self) -> list[str]:
        records, _, _ = self.ring.read(0)
        return [r["text"].decode() for r in records if r["name"] == b"console"]


@pytest.fixture
def hall() -> Iterator[Hall]:
    made = Hall()
    yield made
    made.ring.close()


def test_a_keeper_that_answers_is_left_alone(hall: Hall) -> None:
    hall.seconds(100)
    assert not hall.events.raised and not hall.keeper.starts


@pytest.mark.parametrize("how", ["living", "hangs"])
def test_lost_in_motion_it_is_told_at_once_and_started_at_standstill(hall: Hall, how: str) -> None:
    hall.still = False
    setattr(hall.keeper, how, how == "hangs")
    hall.seconds(0.2)
    assert hall.alarm
    hall.seconds(60)
    assert hall.alarm and not hall.keeper.starts
    hall.still = True
    hall.seconds(0.2)
    assert hall.keeper.starts == 1 and "a new one was asked for" in hall.told[-1]
    assert hall.alarm  # until the new one is heard of
    hall.keeper.answers = True
    hall.seconds(0.2)
    assert not hall.alarm


def test_not_more_than_three_in_a_minute(hall: Hall) -> None:
    for _ in range(240):
        hall.keeper.living = False
        hall.seconds(0.25)
    assert hall.keeper.starts == RESTARTS
    hall.seconds(2)
    assert hall.keeper.starts == RESTARTS + 1


def test_what_the_keeper_tells_becomes_an_event(hall: Hall) -> None:
    hall.keeper.news = ["the console has not moved for 3.2 s: killed"]
    hall.seconds(0.2)
    assert hall.told == ["the console has not moved for 3.2 s: killed"]
