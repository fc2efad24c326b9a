"""What an attempt to get going hands on to the next: a posture that has failed is not tried again before it got going."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from bridge_hall import BridgeHall, at

from proxops.bridge.start import Attempt, Decision
from proxops.core.vocabulary import Phase, Standstill, Zone
from proxops.lab.any_cell import load_cell


@pytest.fixture(scope="module")
def hall() -> Iterator[BridgeHall]:
    made = BridgeHall(load_cell())
    yield made
    made.close()


def decided(attempt: Attempt) -> Decision:
    while True:
        try:
            next(attempt)
        except StopIteration as end:
            assert isinstance(end.value, Decision)
            return end.value


@pytest.mark.parametrize("failed", [False, True])
@pytest.mark.parametrize("cause", [Standstill.OUT_OF_REACH, Standstill.NO_POSTURE, Standstill.COMMANDED_RED])
def test_a_search_in_vain_hands_on_whether_the_posture_has_failed(
    hall: BridgeHall, cause: Standstill, failed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall.cycle([hall.packet(at(26.5 if cause is Standstill.OUT_OF_REACH else 5.0))])
    start = hall.bridge._start
    if cause is Standstill.NO_POSTURE:
        monkeypatch.setattr("proxops.bridge.start.ways", lambda cell, start, goal: [])
    if cause is Standstill.COMMANDED_RED:
        monkeypatch.setattr(start, "_settle", lambda: iter(()))  # without a word on whether it will do
        monkeypatch.setattr(type(hall.bridge.zones), "allowed", False)
        monkeypatch.setattr(hall.bridge.zones, "see_command", lambda *given: None)
        monkeypatch.setattr(hall.bridge.zones, "commanded", Zone.RED)
    decision = decided(start.attempt(failed))
    assert (decision.phase, decision.cause) == (Phase.STANDING, cause)
    assert decision.search_next is failed
    assert decision.wait > 0


@pytest.mark.parametrize("failed", [False, True])
def test_joining_hands_on_whether_the_posture_has_failed(hall: BridgeHall, failed: bool) -> None:
    """Until it has got going: a joining that is broken off searches again, and does not go back to what failed."""
    hall.cycle([hall.packet(at(5.0))])
    decision = decided(hall.bridge._start.attempt(failed))
    assert decision.phase is Phase.JOINING and decision.joiner is not None
    assert decision.search_next is failed


def test_a_valley_in_red_does_not_hide_a_green_one(hall: BridgeHall, monkeypatch: pytest.MonkeyPatch) -> None:
    """The four pairs of A5's signs show the spacecraft at one place: where that is in a wall, the next place is looked at."""
    hall.cycle([hall.packet(at(5.0))])
    zones, looks = hall.bridge.zones, 0

    def see(*given: object) -> None:
        nonlocal looks
        looks += 1
        zones.commanded = Zone.RED if looks <= 4 else Zone.GREEN

    monkeypatch.setattr(zones, "see_command", see)
    decision = decided(hall.bridge._start.attempt(True))
    assert decision.phase is Phase.JOINING and decision.joiner is not None
    assert looks > 4
