"""Phases of a catch, as a table: an unlisted pair of phase and event changes nothing; a bad measurement or too much force wins
from anywhere."""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class GraspPhase(IntEnum):
    """What the arm is at."""

    LOOK = 0  # at rest, until the handle's motion is known
    APPROACH = 1  # to the bar, with its motion
    CLOSE = 2  # on along the bar's foreseen motion, fingers closing
    HOLD = 3  # both fingers pull at the bar: the joints give way softly while the grip firms up
    DAMP = 4  # the joints brake what is left of the motion
    MISSED = 5  # nothing between the fingers: they open, the joints come to rest
    STOPPED = 6  # too much force: the same
    HALTED = 7  # a measurement is no number: brakes


class GraspEvent(IntEnum):
    SEEN = 0
    CLOSE_DUE = 1
    GRIPPED = 2
    EMPTY = 3
    FIRM = 4
    OVERLOAD = 5
    BAD_MEASUREMENT = 6


NEXT: Final = {
    (GraspPhase.LOOK, GraspEvent.SEEN): GraspPhase.APPROACH,
    (GraspPhase.APPROACH, GraspEvent.CLOSE_DUE): GraspPhase.CLOSE,
    (GraspPhase.CLOSE, GraspEvent.GRIPPED): GraspPhase.HOLD,
    (GraspPhase.CLOSE, GraspEvent.EMPTY): GraspPhase.MISSED,
    (GraspPhase.HOLD, GraspEvent.FIRM): GraspPhase.DAMP,
    (GraspPhase.HOLD, GraspEvent.EMPTY): GraspPhase.MISSED,
    (GraspPhase.DAMP, GraspEvent.EMPTY): GraspPhase.MISSED,
}
FINGERS_CLOSE: Final = frozenset({GraspPhase.CLOSE, GraspPhase.HOLD, GraspPhase.DAMP})
HOLDS: Final = frozenset({GraspPhase.HOLD, GraspPhase.DAMP})
FOLLOWS_PATH: Final = frozenset({GraspPhase.LOOK, GraspPhase.APPROACH, GraspPhase.CLOSE})


def next_phase(phase: GraspPhase, event: GraspEvent) -> GraspPhase:
    if event is GraspEvent.BAD_MEASUREMENT or phase is GraspPhase.HALTED:
        return GraspPhase.HALTED
    if event is GraspEvent.OVERLOAD:
        return GraspPhase.STOPPED
    return NEXT.get((phase, event), phase)
