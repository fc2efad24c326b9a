"""An arm driven along a calibration motion by the facility, recorded with what came of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from proxops.applications.load_calibration.drive import CalibrationDrive, most_cycles
from proxops.applications.load_calibration.record import CalibrationRecord, CalibrationSamples
from proxops.applications.load_calibration.result import Calibration, nothing_found, result_of
from proxops.applications.load_calibration.sensing_arm import Hang, sensing_arm
from proxops.arms.model import ArmModel, Floats
from proxops.core.clock import Clock
from proxops.core.errors import BadInput, Refused
from proxops.core.vocabulary import Mode
from proxops.facility.build import build
from proxops.facility.loop import Loop, Stopped
from proxops.ground.row_stream import RowStream
from proxops.runs.folder import tell_of_log
from proxops.runs.row_groups import conclude
from proxops.touch.force_watch import StreamTraits


def driven(
    model: ArmModel, q: Floats, rng: np.random.Generator, hang: Hang, stream: StreamTraits, clock: Clock,
    log: RowStream | None = None, found: Callable[[CalibrationSamples], Calibration] | None = None,
) -> CalibrationSamples:  # fmt: skip
    """Move the arm of the FZI cell, which is virtual, along ``q`` by the facility. Refused, with the arm at rest, by whatever is
    wrong with the sensor or the arm, and by Ctrl-C. ``found`` says what comes of it, before the log is closed; what it raises
    is raised, and told there."""
    arm, record = sensing_arm(model, q[0], rng, hang, clock), CalibrationRecord(most_cycles(q))
    hall = build(
        arm.cell, clock, seed=0, record=log.path if log else None, metadata=log.metadata if log else None, link=arm.link,
        groups=record.groups, last_words=log is not None,
    )  # fmt: skip
    record.attach(hall.facility.pool)
    hall.facility.duties.attach("load calibration", publish=record.publish)
    loop = Loop(hall)
    drives: list[CalibrationDrive] = []
    refused: list[BadInput | Refused] = []

    def work() -> None:
        hall.desk.drives(True)
        try:
            loop.until(Mode.READY, "drives on")
            drives.append(CalibrationDrive(arm.link, arm.source, stream, q, clock, record))
            hall.desk.begin(drives[0])
            loop.until(Mode.READY, "calibration")
        except Stopped:
            pass

    def tell_result() -> None:
        why = "interrupted" if loop.asked else (drives[0].fault if drives else "") or str(hall.facility.stop or "")
        try:
            if why:
                raise Refused(f"load calibration: {why}")
            result = result_of(found(drives[0].recorded(clock.missed))) if found else None
        except (BadInput, Refused) as error:
            refused.append(error)
            result = nothing_found(str(error))
        if result is not None and log is not None:
            conclude(hall, result, (), log)

    ran = loop.run(work, closing=(tell_result,))
    if log is not None:
        tell_of_log(ran.recorder_code)
    if refused:
        raise refused[0]
    return drives[0].recorded(ran.missed)
