"""The last resort when the tick itself has failed: the robots come to rest with nothing but guard and link."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from proxops.core.clock import LockstepClock
from proxops.core.vocabulary import Mode, Severity
from proxops.facility.facility import Facility
from proxops.facility.failure import failure

TRAILING_NS: Final = 2_000_000_000  # at most, that are waited for robots which trail a set-point at rest


def emergency_brake(facility: Facility, error: Exception) -> None:
    """Brake, whatever else fails, and record every cycle of it as long as that works."""
    facility.motion = facility.commands = None
    facility.duties.forget()
    if isinstance(facility.clock, LockstepClock):
        facility.clock.wait = None  # for a recorder that may be the very part that has failed
    _go_on_from_what_was_sent(facility)
    facility.guard.begin_braking()
    trailing = TRAILING_NS // facility.clock.period_ns
    if facility.mode not in (Mode.STOPPING, Mode.STOPPED):
        facility.mode = Mode.STOPPING
        with suppress(Exception):  # braking comes before telling
            facility.stop = failure("tick", error)
            facility.events.tell(Severity.ERROR, f"stop.{facility.stop.rule.name.lower()}", str(facility.stop))
    while not facility.guard.brake():
        _cycle(facility)
        _go_on_from_what_was_sent(facility)
    for _ in range(trailing):  # servos come behind their set-point, and brakes are hard on what moves
        if facility.robots.at_rest:
            break
        facility.guard.brake()  # whatever rates an arm was led on by, the set-point stands
        _cycle(facility)
    with suppress(Exception):  # as in ``_cycle``
        facility.link.drives_off()
    facility.mode = Mode.STOPPED
    for _ in range(trailing):
        _cycle(facility)
        if facility.robots.at_rest:
            return


def _go_on_from_what_was_sent(facility: Facility) -> None:
    """A set-point that has not reached its link would be made up for within a cycle by an arm that takes rates, twice as fast."""
    with suppress(Exception):  # as in ``_cycle``
        if facility.link.drift is not None and facility.link.all_on:
            facility.guard.carry(facility.link.standing - facility.guard.setpoint)


def _cycle(facility: Facility) -> None:
    """One cycle of the set-point; whatever fails, the next one brakes on."""
    facility.lateness = facility.clock.advance()
    with suppress(Exception):  # each may be the very part that has failed
        facility.robots.read()
    with suppress(Exception):
        facility.link.write(facility.guard.setpoint)
    with suppress(Exception):
        facility.publish()
