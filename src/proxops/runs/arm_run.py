"""A run of one arm through the facility in lockstep: drives on, the application's motion, rest, the log's end. What moves, and
what came of it, is the application's."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from proxops.core.clock import LockstepClock
from proxops.core.errors import BadInput, ProxopsError
from proxops.core.vocabulary import Mode
from proxops.facility.build import build
from proxops.facility.loop import Loop, Stopped
from proxops.ground.row_stream import RowStream
from proxops.runs.announcement import Launch
from proxops.runs.arm_parts import A, ArmParts, ArmRan, tell_result


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

    closing = (application.close, lambda: tell_result(hall, parts, ran, stream))
    code = loop.run(work, closing=closing).recorder_code
    return replace(ran, recorder_code=code if stream else None)
