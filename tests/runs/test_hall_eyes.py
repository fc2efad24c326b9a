"""The process that looks into a served hall, by the ring that it reads."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from proxops.runs import hall_eyes


class PaperRing:
    """A facility that shows nothing, and closes after some looks at it."""

    def __init__(self, looks: int) -> None:
        self.head, self.left = 0, looks

    @property
    def closed(self) -> bool:
        self.left -= 1
        return self.left < 0

    def latest(self) -> Any:
        return None


def watched(monkeypatch: pytest.MonkeyPatch, ring: PaperRing, step_s: float) -> float:
    """Seconds, when each look takes so long."""
    now = [0.0]

    def sleep(_: float) -> None:
        now[0] += step_s

    clock: Callable[[], float] = lambda: now[0]  # noqa: E731
    monkeypatch.setattr(hall_eyes, "time", SimpleNamespace(monotonic=clock, sleep=sleep))
    hall_eyes.watch(ring, SimpleNamespace(poll=lambda: None, look=lambda t, moment: []), None)  # type: ignore[arg-type]
    return now[0]


def test_a_facility_that_takes_its_time_to_begin_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert watched(monkeypatch, PaperRing(20), 1.0) == 20.0


def test_one_that_never_begins_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert watched(monkeypatch, PaperRing(10**6), 1.0) <= hall_eyes.BEGUN_S + 1.0
    assert "sensors end" in capfd.readouterr().err


class HeldRing(PaperRing):
    """A new record after each look; whoever looks is held for longer than a facility may be silent."""

    @property
    def closed(self) -> bool:
        self.head += 1
        vars(hall_eyes)["time"].sleep(0.0)  # the paper one
        return super().closed

    def latest(self) -> Any:
        return {"clock": {"t_sim": 0.0, "utc_ns": 0, "tick": self.head}}


def test_who_was_held_himself_goes_on_looking(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert watched(monkeypatch, HeldRing(5), 2.0 * hall_eyes.CLOSED_S) == 12.0 * hall_eyes.CLOSED_S
    assert not capfd.readouterr().err
