"""A log as the arrays that summary and plots work on: time, modes, axes, and where the run lies in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby, pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import AXES, PERIOD_S, POSE
from proxops.core.vocabulary import Mode
from proxops.ground.log import Log
from proxops.lab.coordinates import HallRecord, port_poses
from proxops.maths.kernel import kernel
from proxops.maths.pose import pack_pose
from proxops.maths.rotation import Array

Floats = NDArray[np.float64]
Ports = tuple[Floats, Floats]
"""T_lab_port1 and T_lab_port2 as rows x y z qw qx qy qz."""
NOTHING: Final = slice(0, 0)


class MotionKind(Enum):
    """What made the hall move: commands for its axes and ports, or a relative pose that the bridge turned into such."""

    PLAYED = "played"
    BRIDGED = "bridged"


KINDS: Final = {Mode.RUNNING: MotionKind.PLAYED, Mode.BRIDGED: MotionKind.BRIDGED, Mode.HALTING: MotionKind.BRIDGED}


@dataclass(frozen=True)
class ModeSpan:
    """A stretch of the log in one mode: records ``rows``, times in seconds since the first record."""

    mode: Mode
    rows: slice
    begin: float
    end: float

    @property
    def duration(self) -> float:
        return self.end - self.begin


@dataclass(frozen=True)
class RecordedRun:
    """A stretch of the log in modes of one kind; a bridge that halts and goes on is one run."""

    kind: MotionKind
    rows: slice
    begin: float
    end: float


@dataclass(frozen=True)
class Recorded:
    """Arrays of a log, one row each cycle. ``run`` holds the rows of the last run, empty when nothing ran."""

    t: Floats  # s since the first record, by the UTC stamps
    wish: Floats
    setpoint: Floats
    actual: Floats
    phases: tuple[ModeSpan, ...]
    run: slice
    runs: tuple[RecordedRun, ...] = ()

    @property
    def kind(self) -> MotionKind | None:
        """Of the last run."""
        return self.runs[-1].kind if self.runs else None

    @property
    def ran(self) -> bool:
        return bool(self.run.stop > self.run.start)

    @property
    def before_run(self) -> slice:
        """The run with the record before it, for differences between cycles."""
        return slice(max(self.run.start - 1, 0), self.run.stop)


def recorded(log: Log) -> Recorded:
    """Arrays of ``log``; BadInput when it lacks a variable."""
    utc = log.values("clock.utc_ns")
    t = (utc - utc[0]) * 1e-9 if utc.size else np.empty(0)
    phases = _phases(t, log.values("state.mode"))
    runs = _runs(phases)
    wish, setpoint, actual = (stacked(log, group, AXES) for group in ("wish", "setpoint", "actual"))
    return Recorded(t, wish, setpoint, actual, phases, runs[-1].rows if runs else NOTHING, runs)


def stacked(log: Log, group: str, names: Sequence[str]) -> Floats:
    """Variables of one group side by side, (cycles, names)."""
    return log.table(group, names)


def recorded_poses(log: Log, group: str) -> Floats:
    """Rows x y z qw qx qy qz of a recorded pose."""
    return stacked(log, group, POSE)


def _phases(t: Floats, modes: NDArray[np.uint8]) -> tuple[ModeSpan, ...]:
    """Stretches of equal mode; each lasts until the next begins, the last one to the end of its cycle."""
    if not modes.size:
        return ()
    starts = np.concatenate([[0], np.flatnonzero(np.diff(modes)) + 1, [modes.size]]).tolist()
    end = np.append(t, t[-1] + PERIOD_S)
    return tuple(ModeSpan(Mode(int(modes[a])), slice(a, b), float(end[a]), float(end[b])) for a, b in pairwise(starts))


def _runs(phases: tuple[ModeSpan, ...]) -> tuple[RecordedRun, ...]:
    """Neighbouring phases of one kind, put together."""
    runs = []
    for kind, group in groupby(phases, lambda phase: KINDS.get(phase.mode)):
        parts = list(group)
        if kind is not None:
            rows = slice(parts[0].rows.start, parts[-1].rows.stop)
            runs.append(RecordedRun(kind, rows, parts[0].begin, parts[-1].end))
    return tuple(runs)


@kernel
def _ports(hall: HallRecord, q: Array, port1: Array, port2: Array) -> None:
    for k in range(q.shape[0]):
        T_lab_port1, T_lab_port2 = port_poses(hall, q[k])
        pack_pose(T_lab_port1, port1[k])
        pack_pose(T_lab_port2, port2[k])


def ports_of_axes(hall: HallRecord, q: Floats) -> Ports:
    """Of axes (n, 13)."""
    ports = np.empty((len(q), 7)), np.empty((len(q), 7))
    _ports(hall, np.ascontiguousarray(q), *ports)
    return ports
