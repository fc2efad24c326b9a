"""Time of a client in real time, against a clock that the test moves."""

from __future__ import annotations

import pytest

from proxops.runs import client_time
from proxops.runs.client_time import LONGEST_GAP_S, ClientTime


class Wall:
    """A monotonic clock that goes when told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.t_s = 1234.0
        monkeypatch.setattr(client_time.time, "monotonic", lambda: self.t_s)


def test_it_goes_with_the_wall_and_catches_up_with_short_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    wall = Wall(monkeypatch)
    clock = ClientTime()
    for step_s in (0.0005, 0.004, 0.0, 0.9 * LONGEST_GAP_S):
        before, wall.t_s = clock.now(), wall.t_s + step_s
        assert clock.now() - before == pytest.approx(step_s, abs=1e-9)  # rounding of 1234 s


@pytest.mark.parametrize("away_s", [1.1 * LONGEST_GAP_S, 2.0, 86_400.0])
def test_a_stop_does_not_count(away_s: float, monkeypatch: pytest.MonkeyPatch) -> None:
    wall = Wall(monkeypatch)
    clock = ClientTime()
    wall.t_s += 0.05
    before = clock.now()
    wall.t_s += away_s
    assert clock.now() == before
    wall.t_s += 0.004
    assert clock.now() - before == pytest.approx(0.004, abs=1e-9)


def test_what_is_skipped_does_not_count_however_short(monkeypatch: pytest.MonkeyPatch) -> None:
    wall = Wall(monkeypatch)
    clock = ClientTime()
    wall.t_s += 0.05
    clock.skip()
    assert clock.now() == 0.0
