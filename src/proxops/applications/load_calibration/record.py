"""What a calibration keeps of every cycle, as groups beside the facility's: encoders and set-points are the facility's own."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np

from proxops.arms.model import Floats
from proxops.core.experiment_result import WRENCH, Series
from proxops.core.force_source import ForceSample
from proxops.core.pool import Pool
from proxops.ground.log import Log
from proxops.ground.row_stream import Rows
from proxops.runs.row_groups import RowGroups

ROW: Final = np.dtype(
    [("t", "f8"), ("stage", "f8"), ("begin", "f8"), ("missed", "f8"), ("stamp", "f8"), ("read", "f8", (6,))]
)


class CalibrationStage(IntEnum):
    """What the arm is doing."""

    WAIT = 0  # for the sensor's first reading
    STAND = 1
    MOVE = 2


@dataclass(frozen=True, eq=False)
class CalibrationSamples:
    """Encoders at the arm's times, readings at the sensor's; ``begin_s``: when the set-points began to move."""

    t: Floats
    encoders: Floats
    stamp: Floats
    readings: Floats
    begin_s: float
    missed: int  # cycles of ours


def series_of(rows: Rows) -> tuple[Series, ...]:
    state = np.stack([rows[name] for name in ("t", "stage", "begin", "missed")], axis=1)
    columns = (("t", "s"), ("stage", ""), ("begin", "s"), ("missed", ""))
    stamped = np.column_stack([rows["stamp"], rows["read"]])
    return (
        Series("calibration", "the arm's time, wait 0 stand 1 move 2, when it began to move, lost cycles", columns, state),
        Series("reading", "of the force sensor, its axes, with its own time; none in cycles without a new one",
               (("stamp", "s"), *WRENCH), stamped),
    )  # fmt: skip


class CalibrationRecord:
    """``keep`` once in a cycle of the calibration; ``publish`` in every one of the facility."""

    def __init__(self, cycles: int) -> None:
        """``cycles``: as many as there can be."""
        self._rows, self._count, self._told = np.full(cycles, np.nan, ROW), 0, RowGroups(ROW, series_of)
        self.groups = self._told.groups

    def attach(self, pool: Pool) -> None:
        self._told.attach(pool, self._rows)

    def keep(self, t: float, stage: CalibrationStage, begin_s: float, missed: int, fresh: ForceSample | None) -> None:
        if self._count == len(self._rows):
            return
        row = self._rows[self._count]
        row["t"], row["stage"], row["begin"], row["missed"] = t, stage, begin_s if begin_s >= 0.0 else np.nan, missed
        if fresh is not None:
            row["stamp"], row["read"] = fresh.t, fresh.wrench
        self._count += 1

    def publish(self) -> None:
        self._told.show(self._count)


def recorded_in(log: Log) -> CalibrationSamples:
    """What the calibration had, again."""
    ours = np.isfinite(log.values("calibration.t"))
    actual, read = (log.table(group) for group in ("actual", "reading"))
    read = read[np.isfinite(read[:, 0])]
    began, missed = log.values("calibration.begin")[ours], log.values("calibration.missed")[ours]
    return CalibrationSamples(
        log.values("calibration.t")[ours], actual[ours], read[:, 0], read[:, 1:],
        float(began[-1]), int(missed[-1]),
    )  # fmt: skip
