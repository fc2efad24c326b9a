"""The facility's modes: one table. A trip wins from anywhere; a pair that is not listed changes nothing and is refused."""

from __future__ import annotations

from enum import Enum
from typing import Final

from proxops.core.vocabulary import Mode


class Event(Enum):
    """What can happen to the facility: an operator's wish, or something it notices itself."""

    DRIVES_ON = "drives on"
    DRIVES_OFF = "drives off"
    SELECT_SYNC = "select sync"
    SELECT_ASYNC = "select async"
    SELECT_MANUAL = "select manual"
    SELECT_SINE = "select sine"
    SELECT_BRIDGE = "select bridge"
    BEGIN = "begin"  # an application moves the robots from where they stand
    DESELECT = "select none"
    MOVE_TO_START = "move to start"
    CONFIRM = "confirm"
    RESET = "reset"
    RESET_OFF = "reset, drives off"  # after a stop that took the drives' power
    RELEASED = "released"  # all brakes are open
    ARRIVED = "arrived"  # move to start has come to its end
    FINISHED = "finished"  # the source has no more to say
    TRIP = "trip"  # a rule was broken, or the operator's safe stop
    HALT = "halt"  # the bridge cannot go on for now
    STANDSTILL = "standstill"  # braking is over


M, E = Mode, Event

NEXT: Final[dict[tuple[Mode, Event], Mode]] = {
    (M.STANDBY, E.DRIVES_ON): M.RELEASING,
    (M.RELEASING, E.RELEASED): M.READY,
    (M.RELEASING, E.DRIVES_OFF): M.STANDBY,
    (M.READY, E.DRIVES_OFF): M.STANDBY,
    (M.READY, E.SELECT_SYNC): M.ARMED,
    (M.READY, E.SELECT_ASYNC): M.ARMED,
    (M.READY, E.SELECT_MANUAL): M.MANUAL,
    (M.READY, E.SELECT_SINE): M.SINE,
    (M.READY, E.SELECT_BRIDGE): M.BRIDGED,
    (M.READY, E.BEGIN): M.RUNNING,
    (M.BRIDGED, E.HALT): M.HALTING,
    (M.HALTING, E.STANDSTILL): M.BRIDGED,  # not latched: the bridge goes on as soon as it can
    (M.BRIDGED, E.DESELECT): M.ENDING,
    (M.HALTING, E.DESELECT): M.ENDING,
    (M.MANUAL, E.DESELECT): M.ENDING,
    (M.SINE, E.DESELECT): M.ENDING,
    (M.SINE, E.FINISHED): M.ENDING,
    (M.ARMED, E.DESELECT): M.READY,
    (M.ARMED, E.MOVE_TO_START): M.MOVING_TO_START,
    (M.MOVING_TO_START, E.ARRIVED): M.AT_START,
    (M.AT_START, E.CONFIRM): M.RUNNING,
    (M.AT_START, E.MOVE_TO_START): M.MOVING_TO_START,  # the command has moved on meanwhile
    (M.AT_START, E.DESELECT): M.READY,
    (M.RUNNING, E.FINISHED): M.ENDING,
    (M.ENDING, E.STANDSTILL): M.READY,
    (M.STOPPING, E.STANDSTILL): M.STOPPED,
    (M.STOPPED, E.RESET): M.READY,
    (M.STOPPED, E.RESET_OFF): M.STANDBY,
    **{(mode, E.TRIP): M.STOPPING for mode in M if mode not in (M.STANDBY, M.RELEASING, M.STOPPED)},
    (M.STANDBY, E.TRIP): M.STOPPED,  # nothing moves: latched at once
    (M.RELEASING, E.TRIP): M.STOPPED,
    (M.STOPPED, E.TRIP): M.STOPPED,  # the first cause stands, further ones are told
}

OWN: Final = frozenset({E.TRIP, E.RELEASED, E.ARRIVED, E.FINISHED, E.HALT, E.STANDSTILL, E.RESET_OFF, E.BEGIN})
"""Events that the facility or an application raises; an operator cannot ask for them by name."""

OF_A_HALL: Final = frozenset({E.SELECT_SYNC, E.SELECT_ASYNC, E.SELECT_BRIDGE})
"""Events whose commands are those of two arms and a rail; other cells do not offer them."""

BRAKING: Final = frozenset({M.STOPPING, M.ENDING, M.HALTING})
"""Modes in which the set-point brakes; ENDING and HALTING are not latched."""

STILL: Final = frozenset({M.STANDBY, M.RELEASING, M.READY, M.ARMED, M.AT_START, M.STOPPED})
"""Modes in which the set-point stands."""


def next_mode(mode: Mode, event: Event) -> Mode | None:
    """The mode after ``event``, or None when the table does not list the pair."""
    return NEXT.get((mode, event))


def allowed(mode: Mode, *, hall: bool) -> list[str]:
    """What an operator can ask for in ``mode``, for the message of a refusal. ``hall``: the cell is two arms and a rail."""
    never = OWN if hall else OWN | OF_A_HALL
    return sorted(event.value for (m, event) in NEXT if m == mode and event not in never)
