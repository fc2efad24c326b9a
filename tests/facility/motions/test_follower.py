"""Following commands of the network: losses are coasted over at the sender's pace, silence and nonsense end the run."""

from __future__ import annotations

import numpy as np
import pytest

from proxops.facility.motions.follower import Follower
from proxops.facility.sources import Supply
from proxops.safety.motion import Rest
from proxops.safety.rules import Rule, Stop


class Script:
    """A source that says what the test wrote: a rail position in mm, a loss, an end or a stop."""

    system, name = 3, "seq"

    def __init__(self, *says: float | Supply | Stop) -> None:
        self._says = list(says)
        self.values, self.steps, self.sequence = np.zeros(22), 1, 0

    def ready(self) -> Stop | None:
        return None

    def latest(self) -> Supply | Stop:
        said = self._says.pop(0)
        if isinstance(said, Supply | Stop):
            return said
        self.values[21] = said
        return Supply.FRESH


def rail(follower: Follower) -> float:
    wish = follower.step()
    assert isinstance(wish, np.ndarray)
    return float(wish[0]) * 1e3


def follower(cell, *says: float | Supply | Stop) -> Follower:
    return Follower(cell, Script(*says), np.zeros(13))


def test_losses_are_bridged_at_the_pace_of_the_sender(cell) -> None:
    """1 mm a cycle, two lost, one received (three steps on), one lost: the pace stays 1 mm a cycle throughout."""
    made = follower(cell, 1.0, 2.0, Supply.COAST, Supply.COAST, 5.0, Supply.COAST, 7.0)
    seen = []
    for k in range(7):
        made._commands.steps = 1 if k < 4 else (3 if k < 6 else 2)  # as the network source counts sequence numbers
        seen.append(rail(made))
    assert seen == pytest.approx([1, 2, 3, 4, 5, 6, 7])


def test_an_end_and_a_stop_are_passed_on(cell) -> None:
    stop = Stop(Rule.SILENCE)
    made = follower(cell, Supply.END, stop)
    assert made.step() is Rest.DONE
    assert made.step() is stop


def test_a_pose_beyond_reach_is_a_stop_with_its_name(cell) -> None:
    made = follower(cell, 1.0)
    made._commands.system = 4  # IDC: all zeros puts the flange into the base
    made._commands.values[:3] = 9000.0
    stop = made.step()
    assert isinstance(stop, Stop)
    assert stop.rule is Rule.UNREACHABLE
    assert "robot 1" in str(stop)
