"""Phases of a catch, as a table: an unlisted pair of phase and event changes nothing; a bad measurement or too much force wins
from anywhere."""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class Phase(IntEnum):
    """What the arm is at."""

    LOOK = 0  # at rest, until the handle's motion is known
    APPROACH = 1  # to the bar, with its motion
    CLOSE = 2  # on along the bar's foreseen motion, fingers closing
    HOLD = 3  # both fingers pull at the bar: the joints give way softly while the grip firms up
    DAMP = 4  # the joints brake what is left of the motion
    MISSED = 5  # nothing between the fingers: they open, the joints come to rest
    STOPPED = 6  # too much force: the same
    HALTED = 7  # a measurement is no number: brakes


class Event(IntEnum):
    SEEN = 0
    CLOSE_DUE = 1
    GRIPPED = 2
    EMPTY = 3
    FIRM = 4
    OVERLOAD = 5
    BAD_MEASUREMENT = 6


NEXT: Final = {
    (Phase.LOOK, Event.SEEN): Phase.APPROACH,
    (Phase.APPROACH, Event.CLOSE_DUE): Phase.CLOSE,
    (Phase.CLOSE, Event.GRIPPED): Phase.HOLD,
    (Phase.CLOSE, Event.EMPTY): Phase.MISSED,
    (Phase.HOLD, Event.FIRM): Phase.DAMP,
    (Phase.HOLD, Event.EMPTY): Phase.MISSED,
    (Phase.DAMP, Event.EMPTY): Phase.MISSED,
}
FINGERS_CLOSE: Final = frozenset({Phase.CLOSE, Phase.HOLD, Phase.DAMP})
HOLDS: Final = frozenset({Phase.HOLD, Phase.DAMP})
FOLLOWS_PATH: Final = frozenset({Phase.LOOK, Phase.APPROACH, Phase.CLOSE})


def next_phase(phase: Phase, event: Event) -> Phase:
    if event is Event.BAD_MEASUREMENT or phase is Phase.HALTED:
        return Phase.HALTED
    if event is Event.OVERLOAD:
        return Phase.STOPPED
    return NEXT.get((phase, event), phase)
