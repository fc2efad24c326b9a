"""What a mission was: the rows of the log that belong to it, and its arrays at the rates at which they were told.

Truth is told every 20 ms, flight software each of its steps; in between the log holds the last values. Frames: ``lvlh`` (origin
at the target's centre of mass; x along the flight, y against the orbit's normal, z to the Earth), ``target``, ``chaser``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.applications.mission.report.eyes_record import EyeRecord, eye_records
from proxops.applications.mission.report.vision_record import VisionRecord, vision_records
from proxops.core.messages import PERIOD_S, TRUTH_EVERY, XYZ
from proxops.core.mission import FinalStep, MissionFile, parse_mission
from proxops.core.vocabulary import AbortCause, MissionEnd, MissionPhase
from proxops.ground.log import Log
from proxops.ground.recorded import Floats, stacked

Words = NDArray[np.int64]
Rows = NDArray[np.intp]
TWELVE: Final = tuple(f"{what}_{axis}" for what in ("position", "velocity", "attitude", "rate") for axis in XYZ)
IN_CORRIDOR: Final = (MissionPhase.APPROACH, MissionPhase.FINAL)  # elsewhere it is the way off the reference
P: Final = tuple(f"p_{axis}" for axis in XYZ)
V: Final = tuple(f"v_{axis}" for axis in XYZ)


@dataclass(frozen=True)
class PhaseStretch:
    """Time in one phase of the flight software, seconds of the mission."""

    phase: MissionPhase
    begin: float
    end: float


@dataclass(frozen=True)
class MissionRun:
    """Rows of ``log`` from the mission's first cycle to its last; none when it never began."""

    log: Log
    file: MissionFile
    cycles: slice  # rows of the mission, every cycle
    cycle: Words  # number of each of them, from 0
    truth: Rows  # rows of the log with new truth; the last is the mission's last
    steps: Rows  # rows of the log with what a step of the flight software gave; free-running: with an answer taken

    @property
    def began(self) -> bool:
        return self.truth.size > 0

    @cached_property
    def end(self) -> MissionEnd:
        return MissionEnd(int(self.of("end", self.truth[-1:])[0])) if self.began else MissionEnd.UNDER_WAY

    @cached_property
    def abort(self) -> AbortCause:
        told = self.of("abort", self.truth)
        told = told[told != AbortCause.NONE]
        return AbortCause(int(told[0])) if told.size else AbortCause.NONE

    @cached_property
    def aborted(self) -> NDArray[np.bool_]:
        """Truth from the abort on."""
        return np.logical_or.accumulate(self.of("abort", self.truth) != AbortCause.NONE)

    @property
    def wants_contact(self) -> bool:
        return isinstance(self.file.plan[-1], FinalStep)

    @cached_property
    def t(self) -> Floats:
        """s since the mission began, of ``truth``."""
        return self.of("t", self.truth)

    @cached_property
    def t_steps(self) -> Floats:
        """s, of ``steps``: the record of a step is that of the cycle after it began."""
        out: Floats = (self.cycle[self.steps - self.cycles.start] - 1) * PERIOD_S
        return out

    @cached_property
    def t_cycles(self) -> Floats:
        return np.asarray(self.cycle * PERIOD_S, np.float64)

    @cached_property
    def p_lvlh(self) -> Floats:
        """(truth, 3) m, chaser's centre of mass from the target's."""
        return self.table("relative", P, self.truth)

    @cached_property
    def distance(self) -> Floats:
        """(truth) m between the centres of mass."""
        return np.asarray(np.linalg.norm(self.p_lvlh, axis=1))

    @cached_property
    def error(self) -> Floats:
        """(steps, 12) estimate minus truth, NaN before there is one."""
        known = self.table("estimate_sigma", TWELVE, self.steps)[:, :1] > 0.0
        return np.where(known, self.table("estimate_error", TWELVE, self.steps), np.nan)

    @cached_property
    def sigma(self) -> Floats:
        """(steps, 12) claimed, NaN before there is an estimate."""
        told = self.table("estimate_sigma", TWELVE, self.steps)
        return np.where(told[:, :1] > 0.0, told, np.nan)

    @cached_property
    def nees(self) -> Floats:
        """(steps) NaN before there is an estimate."""
        return np.where(np.isfinite(self.sigma[:, 0]), self.of("nees", self.steps), np.nan)

    @cached_property
    def step_distance(self) -> Floats:
        """(steps) m between the centres of mass."""
        return np.asarray(np.linalg.norm(self.table("relative", P, self.steps), axis=1))

    @cached_property
    def thrusters(self) -> NDArray[np.bool_]:
        """(cycles, thrusters) which fired."""
        names = [f"on{i + 1}" for i in range(len(self.file.chaser.thrusters.places))]
        on = [self.log.values(f"thrusters.{name}")[self.cycles] != 0 for name in names]
        return np.stack(on, axis=1) if on else np.empty((self.cycle.size, 0), bool)

    @cached_property
    def wheels(self) -> Floats:
        """(truth, wheels) N m s."""
        count = len(self.file.chaser.wheels.axes)
        return self.table("wheels", tuple(f"h{i + 1}" for i in range(count)), self.truth)

    @cached_property
    def phases(self) -> tuple[PhaseStretch, ...]:
        """What the flight software did, one after the other."""
        told = self.log.values("mission.phase")[self.cycles].astype(np.int64)
        if not told.size:
            return ()
        edges = [0, *(np.flatnonzero(np.diff(told)) + 1).tolist(), told.size]
        times = np.append(self.t_cycles, self.t_cycles[-1] + PERIOD_S)
        return tuple(
            PhaseStretch(MissionPhase(int(told[a])), float(times[a]), float(times[b])) for a, b in pairwise(edges)
        )

    @cached_property
    def eyes(self) -> tuple[EyeRecord, ...]:
        """The imaging sensors; none in a log without images."""
        return eye_records(self.log, self.file, self.uses_hall)

    @cached_property
    def vision(self) -> tuple[VisionRecord, ...]:
        """Of the sensors that are looked through; none in a mission where nobody looks."""
        return vision_records(self.log, self.file, self.uses_hall)

    @property
    def uses_hall(self) -> bool:
        return self.log.metadata.get("hall", str(self.file.hall.use)) == "True"

    @cached_property
    def lateness(self) -> Floats:
        """(steps) s of wall time from sending measurements to taking their answer; of a free-running mission."""
        return np.asarray(self.log.values("flight_line.lateness")[self.steps], np.float64)

    def of(self, name: str, rows: Rows) -> Floats:
        """A variable of the group ``mission``."""
        return np.asarray(self.log.values(f"mission.{name}")[rows], np.float64)

    def table(self, group: str, names: tuple[str, ...], rows: Rows) -> Floats:
        """Variables of a group side by side (rows, names)."""
        return np.stack([self.log.values(f"{group}.{name}")[rows] for name in names], axis=1).astype(np.float64)


def mission_run(log: Log) -> MissionRun | None:
    """The mission of a log; None when it has none."""
    if log.metadata.get("mission") != "true":
        return None
    file = parse_mission(log.metadata["scenario_file"], Path(log.metadata.get("scenario", "mission"))).file
    cycles = _cycles(log)
    tick = log.values("clock.tick")[cycles].astype(np.int64)
    cycle = tick - tick[0] if tick.size else tick
    every = max(1, round(1.0 / file.flight.rate_hz / PERIOD_S))
    due = cycle % TRUTH_EVERY == 0
    due[-1:] = True
    rows = np.arange(cycles.start, cycles.stop)
    steps = cycle % every == 1 if file.flight.waits else _answered(log, cycles)
    return MissionRun(log, file, cycles, cycle, rows[due], rows[steps])


def _answered(log: Log, cycles: slice) -> NDArray[np.bool_]:
    """Rows of the mission in which a computer that is not waited for had answered."""
    taken = log.values("flight_line.taken")[cycles].astype(np.int64)
    out: NDArray[np.bool_] = np.diff(taken, prepend=0) > 0
    return out


def _cycles(log: Log) -> slice:
    """From the first row of the mission to that in which it ended, or the last in which its time went on. Before the
    application has said anything, and after it is gone, its part of the log is empty: it is nowhere in its orbit."""
    t, end = log.values("mission.t"), log.values("mission.end")
    begun = np.flatnonzero((t >= 0.0) & (stacked(log, "orbit", P) != 0.0).any(axis=1))
    if not begun.size:
        return slice(0, 0)
    start = int(begun[0])
    ended = np.flatnonzero(end[start:] != MissionEnd.UNDER_WAY)
    if ended.size:
        return slice(start, start + int(ended[0]) + 1)
    last = int(begun[-1]) + 1
    going = np.flatnonzero(np.diff(t[start:last]) != 0.0)
    return slice(start, min(start + int(going[-1]) + 1 + TRUTH_EVERY if going.size else start + 1, last))
