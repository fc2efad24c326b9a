"""A flight of the micro-gravity testbed in lockstep, and what it leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from proxops.applications.floating.application import FloatApplication
from proxops.applications.floating.bench import FloatBench
from proxops.applications.floating.parts import FloatParts
from proxops.applications.floating.result import sum_up
from proxops.core.clock import LockstepClock
from proxops.core.errors import ProxopsError
from proxops.core.experiment_result import LEAST_ROWS
from proxops.core.vocabulary import Mode
from proxops.facility.build import Installation, build
from proxops.facility.loop import Loop, Stopped
from proxops.ground.row_stream import RowStream
from proxops.runs.row_groups import conclude


@dataclass(eq=False)
class FloatRan:
    """A run when it is over. ``timing``: what the machine granted and what was missed; empty in lockstep. ``recorder_code``: None
    if nothing was recorded."""

    bench: FloatBench
    application: FloatApplication
    timing: dict[str, Any]
    recorder_code: int | None = None


def lockstep(
    parts: FloatParts, tell: Callable[[float], None] = lambda t: None, stream: RowStream | None = None,
    clock: LockstepClock | None = None, each_cycle: Callable[[FloatApplication], None] = lambda application: None,
) -> FloatRan:  # fmt: skip
    """As fast as it goes. ``each_cycle`` is called before every cycle of the flight."""
    time = clock or LockstepClock()
    hall = build(
        parts.cell, time, seed=parts.seed, record=stream.path if stream else None, metadata=stream.metadata if stream else None,
        link=parts.link(time), groups=parts.told.groups, last_words=True,
    )  # fmt: skip
    application, loop = parts.application(hall), Loop(hall)
    ran = FloatRan(parts.bench, application, {})

    def work() -> None:
        hall.desk.drives(True)
        try:
            loop.until(Mode.READY, "drives on")
        except Stopped:
            raise ProxopsError(f"stopped before the flight began: {hall.facility.stop}") from None
        hall.desk.begin(application)
        while not application.over:
            each_cycle(application)
            loop.cycle()
            tell(application.t)
            if application.full and not hall.facility.still:
                hall.desk.safe_stop("nothing more can be kept")

    closing = (application.close, lambda: tell_result(hall, ran, stream))
    code = loop.run(work, closing=closing).recorder_code
    return replace(ran, recorder_code=code if stream else None)


def tell_result(hall: Installation, ran: FloatRan, stream: RowStream | None) -> None:
    """What came of it joins the log."""
    ran.application.notice_stop()  # the cause may be that it could not notice
    if stream is not None and ran.application.count >= LEAST_ROWS:
        conclude(hall, sum_up(ran), ran.bench.file.notes, stream)
