"""A run of one arm through the facility, in lockstep or by the wall's clock: drives on, the application's motion, rest, the log's
end. What moves, and what came of it, is the application's."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from proxops.runs.arm_application import ArmApplication
from proxops.core.channel import CONTROL_NAME
from proxops.core.clock import Clock, LockstepClock
from proxops.core.errors import BadInput, ProxopsError, Refused
from proxops.core.experiment_result import LEAST_ROWS, ExperimentResult
from proxops.core.vocabulary import Mode
from proxops.runs.announcement import Launch, announcement, processes_beside
from proxops.facility.build import Installation, build
from proxops.facility.control import ControlSettings, Verb
from proxops.facility.live import LiveFacility
from proxops.facility.loop import Loop, Stopped
from proxops.facility.realtime import RealTime
from proxops.runs.row_groups import RowGroups, conclude
from proxops.ground.row_stream import RowStream
from proxops.lab.arm_cell import ArmCell
from proxops.lab.links.link import Link

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


def demand_realtime(control: str | None, console: Launch | None) -> None:
    """BadInput of what makes no sense in lockstep."""
    if control is not None:
        raise BadInput("--control: in lockstep there is no time to ask", value=control, way_out="add --realtime")
    if console is not None:
        raise BadInput("--console: in lockstep there is nothing to watch", way_out="add --realtime")


def lockstep(
    parts: ArmParts[A], tell: Callable[[float], None] = lambda t: None, stream: RowStream | None = None,
    clock: LockstepClock | None = None, each_cycle: Callable[[A], None] = lambda application: None,
) -> ArmRan[A]:  # fmt: skip
    """As fast as it goes. ``each_cycle`` is called before every cycle of the run."""
    time = clock or LockstepClock(period_ns=parts.cell.period_ns)
    hall = build(
        parts.cell, time, seed=parts.seed, record=stream.path if stream else None, metadata=stream.metadata if stream else None,
        link=parts.link(time), groups=parts.told.groups, last_words=True,
    )  # fmt: skip
    application, loop = parts.application(hall), Loop(hall)
    ran = ArmRan(application)

    def work() -> None:
        hall.desk.drives(True)
        with suppress(Stopped):
            loop.until(Mode.READY, "drives on")
            hall.desk.begin(application)
        while not application.over:
            if hall.facility.mode is Mode.STOPPED and not application.begun:
                raise ProxopsError(f"stopped before the run began: {hall.facility.stop}")
            each_cycle(application)
            loop.cycle()
            tell(application.t)
            if application.full and not hall.facility.still:
                hall.desk.safe_stop("nothing more can be kept")

    closing = (application.close, lambda: _tell_result(hall, parts, ran, stream))
    code = loop.run(work, closing=closing).recorder_code
    return _with_rows(replace(ran, recorder_code=code if stream else None))


def live(
    parts: ArmParts[A], control: str | None, stream: RowStream | None = None, console: Launch | None = None,
    verbs: dict[str, Verb] | None = None, announce: Callable[[str], None] = lambda control: None,
) -> ArmRan[A]:  # fmt: skip
    """By the wall's clock. ``proxops ctl`` reaches it by the name of ``control``, with ``verbs`` of its own; the ``console``
    shows it. ``announce`` is called with that name once the machine has granted what real time needs."""
    granted, refused = list[RealTime](), list[str]()
    facility = LiveFacility(
        parts.cell, stream.path if stream else None, sync=None, control=ControlSettings(control or CONTROL_NAME), seed=parts.seed,
        metadata=stream.metadata if stream else None, link=parts.link, groups=parts.told.groups, last_words=True, verbs=verbs,
    )  # fmt: skip
    hall, application = facility.hall, parts.application(facility.hall)
    ran = ArmRan(application)

    def announced(real_time: RealTime) -> None:
        granted.append(real_time)
        announce(facility.control.name)
        if stream is not None:
            announcement(facility, stream.path.parent, console, beside)(real_time)

    def tell_all() -> None:
        ran.timing.update(granted=str(granted[0]) if granted else "", missed=hall.facility.clock.missed)
        _tell_result(hall, parts, ran, stream)

    def begin() -> None:
        try:
            hall.desk.begin(application)
        except Refused as reason:
            refused.append(str(reason))
            raise

    def over() -> bool:
        cannot = refused or hall.facility.mode in (Mode.STANDBY, Mode.STOPPED)
        return application.over or application.full or (not application.begun and bool(cannot))

    with processes_beside() as beside:
        code = facility.run(announced, begin=begin, until=over, closing=(application.close, tell_all)).recorder_code
    if not application.count:
        why = refused[0] if refused else str(hall.facility.stop or "its drives did not go on")
        raise ProxopsError(f"the run did not begin: {why}")
    return _with_rows(replace(ran, recorder_code=code if stream else None))


def _with_rows(ran: ArmRan[A]) -> ArmRan[A]:
    """With enough of them to be judged, or a word why not."""
    if ran.application.count < LEAST_ROWS:
        raise ProxopsError(f"{ran.application.failure or 'ended at once'}; nothing was recorded that could be judged")
    return ran


def _tell_result(hall: Installation, parts: ArmParts[A], ran: ArmRan[A], stream: RowStream | None) -> None:
    """What came of it joins the log."""
    ran.application.notice_stop()  # the cause may be that it could not notice
    if stream is not None and ran.application.count >= LEAST_ROWS:
        conclude(hall, parts.sum_up(ran), parts.notes, stream)
