"""A flight by the wall's clock: pushed over the control channel, watched with the console."""

from __future__ import annotations

import sys
from dataclasses import replace

from proxops.applications.floating.flight import FloatRan, tell_result
from proxops.applications.floating.parts import FloatParts
from proxops.applications.floating.push_verb import push_verb
from proxops.applications.floating.rehearsal import rehearse
from proxops.core.channel import CONTROL_NAME
from proxops.core.errors import ProxopsError, Refused
from proxops.core.vocabulary import Mode
from proxops.facility.control import ControlSettings
from proxops.facility.live import LiveFacility
from proxops.facility.realtime import RealTime
from proxops.ground.row_stream import RowStream
from proxops.runs.announcement import Launch, announcement, processes_beside


def live(
    parts: FloatParts, control: str | None, stream: RowStream | None = None, console: Launch | None = None
) -> FloatRan:
    """By the wall's clock. ``proxops ctl push`` reaches it by the name of ``control``; the ``console`` shows it."""
    bench, granted, refused = parts.bench, list[RealTime](), list[str]()
    rehearse(bench, parts.seed)
    virtual = bench.file.sensor.source == "virtual"
    facility = LiveFacility(
        parts.cell, stream.path if stream else None, sync=None, control=ControlSettings(control or CONTROL_NAME), seed=parts.seed,
        metadata=stream.metadata if stream else None, link=parts.link, groups=parts.told.groups, last_words=True,
        verbs={"push": push_verb(parts.hand, lambda: application.now(), virtual=virtual)},
    )  # fmt: skip
    hall, name = facility.hall, facility.control.name
    application = parts.application(hall)
    ran = FloatRan(bench, application, {})

    def announce(real_time: RealTime) -> None:
        granted.append(real_time)
        print(f"push with: proxops ctl --control {name} push", file=sys.stderr, flush=True)
        if stream is not None:
            announcement(facility, stream.path.parent, console, beside)(real_time)

    def tell_all() -> None:
        ran.timing.update(granted=str(granted[0]) if granted else "", missed=hall.facility.clock.missed)
        tell_result(hall, ran, stream)

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
        code = facility.run(announce, begin=begin, until=over, closing=(application.close, tell_all)).recorder_code
    if not application.count:
        why = refused[0] if refused else str(hall.facility.stop or "its drives did not go on")
        raise ProxopsError(f"the flight did not begin: {why}")
    return replace(ran, recorder_code=code if stream else None)
