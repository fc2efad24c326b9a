"""A run of one arm through the facility by the wall's clock, with a control channel and, if wanted, the console."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from proxops.core.channel import CONTROL_NAME
from proxops.core.errors import ProxopsError, Refused
from proxops.core.vocabulary import Mode
from proxops.facility.control import ControlSettings, Verb
from proxops.facility.live import Additions, LiveFacility
from proxops.facility.realtime import RealTime
from proxops.ground.row_stream import RowStream
from proxops.runs.announcement import Launch, announcement, processes_beside
from proxops.runs.arm_parts import A, ArmParts, ArmRan, tell_result


def live(
    parts: ArmParts[A], control: str | None, stream: RowStream | None = None, console: Launch | None = None,
    verbs: dict[str, Verb] | None = None, announce: Callable[[str], None] = lambda control: None,
) -> ArmRan[A]:  # fmt: skip
    """By the wall's clock. ``proxops ctl`` reaches it by the name of ``control``, with ``verbs`` of its own; the ``console``
    shows it. ``announce`` is called with that name once the machine has granted what real time needs."""
    granted, refused = list[RealTime](), list[str]()
    facility = LiveFacility(
        parts.cell, stream.path if stream else None, sync=None, control=ControlSettings(control or CONTROL_NAME), seed=parts.seed,
        metadata=stream.metadata if stream else None, link=parts.link,
        additions=Additions(parts.told.groups, last_words=True, verbs=verbs or {}),
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
        tell_result(hall, parts, ran, stream)

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
    return replace(ran, recorder_code=code if stream else None)
