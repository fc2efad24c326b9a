"""What a run of one arm through the facility is assembled from, and what it leaves."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from proxops.core.clock import Clock
from proxops.core.errors import ProxopsError
from proxops.core.experiment_result import LEAST_ROWS, ExperimentResult
from proxops.facility.installation import Installation
from proxops.ground.row_stream import RowStream
from proxops.lab.arm_cell import ArmCell
from proxops.lab.links.link import Link
from proxops.runs.arm_application import ArmApplication
from proxops.runs.row_groups import RowGroups, conclude

A = TypeVar("A", bound=ArmApplication)


class ArmParts(Protocol[A]):
    """What a run is assembled from."""

    cell: ArmCell
    seed: int
    told: RowGroups
    notes: tuple[str, ...]  # of the scenario, for the log

    def link(self, clock: Clock) -> Link: ...
    def application(self, hall: Installation) -> A:
        """Attached to the facility."""
        ...

    def sum_up(self, ran: ArmRan[A]) -> ExperimentResult: ...


@dataclass(eq=False)
class ArmRan(Generic[A]):
    """A run when it is over. ``timing``: what the machine granted and what was missed; empty in lockstep. ``recorder_code``: None
    if nothing was recorded."""

    application: A
    timing: dict[str, Any] = field(default_factory=dict)
    recorder_code: int | None = None


def judged(parts: ArmParts[A], ran: ArmRan[A]) -> ExperimentResult:
    """What came of it, or a word why there is nothing to judge."""
    if ran.application.count < LEAST_ROWS:
        raise ProxopsError(f"{ran.application.failure or 'ended at once'}; nothing was recorded that could be judged")
    return replace(parts.sum_up(ran), recorder_code=ran.recorder_code)


def tell_result(hall: Installation, parts: ArmParts[A], ran: ArmRan[A], stream: RowStream | None) -> None:
    """What came of it joins the log."""
    ran.application.notice_stop()  # the cause may be that it could not notice
    if stream is not None and ran.application.count >= LEAST_ROWS:
        conclude(hall, parts.sum_up(ran), parts.notes, stream)
