"""What a run of the bridge was: its phases with their causes, the zones, and what it was asked to show and showed.

Arrays hold the run only, one row each cycle. Poses are rows x y z qw qx qy qz, NaN where there is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.vocabulary import Phase, Standstill, Zone
from proxops.ground.log import Log
from proxops.ground.pose_rows import composed, relative
from proxops.ground.recorded import Floats, Recorded, recorded_poses

Words = NDArray[np.int64]
UNJUDGED: Final = -1  # a zone that nobody could judge, because no client sent
STALE: Final = (Standstill.NONE, Standstill.NO_CLIENT, Standstill.SILENCE, Standstill.NOT_RECORDED)
"""Causes that a search no longer has."""


@dataclass(frozen=True)
class PhaseSpan:
    """Cycles of one phase with one cause: rows of the run, seconds since the start of the log."""

    phase: Phase
    cause: Standstill
    rows: slice
    begin: float
    end: float

    @property
    def duration(self) -> float:
        return self.end - self.begin


@dataclass(frozen=True)
class BridgeRun:
    """The last run, when the bridge made it."""

    t: Floats
    told_phase: Words  # as recorded
    phase: Words  # a search is part of standing: it comes and goes with no change of what moves
    cause: Words
    commanded_zone: Words
    actual_zone: Words
    stretches: tuple[PhaseSpan, ...]
    commanded: Floats  # T_port2_port1 that the client commands
    shown: Floats  # T_port2_port1 of the clutch
    setpoint: Floats  # T_port2_port1 of the set-points sent to the robots
    actual: Floats  # T_port2_port1 of the robots
    chaser: Floats  # T_lab_port1 of the robots
    asked: Floats  # T_lab_port1 that the commanded pose asks for
    beside_target: Floats  # T_lab_port1 at the commanded pose from the target as it stands, where it has no place

    @property
    def following(self) -> NDArray[np.bool_]:
        return np.equal(self.phase, Phase.FOLLOWING)

    @property
    def clutched(self) -> NDArray[np.bool_]:
        """Where the clutch moves the hall: what is shown is defined."""
        return np.isfinite(self.shown[:, 0])

    @property
    def halts(self) -> tuple[PhaseSpan, ...]:
        return tuple(stretch for stretch in self.stretches if stretch.phase is Phase.HALTING)


def bridge_run(log: Log, data: Recorded) -> BridgeRun:
    """The last run of ``log``; BadInput when the log has no variables of the bridge."""

    def words(name: str) -> Words:
        return log.values(f"bridge.{name}")[data.run].astype(np.int64)

    def pose(group: str) -> Floats:
        return recorded_poses(log, group)[data.run]

    told, commanded, target = words("phase"), pose("commanded_relative"), pose("actual_port2")
    phase = np.where(told == Phase.SEARCHING, int(Phase.STANDING), told)
    cause = _causes(told, words("cause"))
    client = np.isfinite(commanded[:, 0])
    placed = client & (words("placed") == 1) & (cause != Standstill.OUT_OF_REACH)
    zone = words("commanded_zone")
    judged = client & (np.isfinite(log.values("bridge.commanded_clearance")[data.run]) | (zone != Zone.GREEN))
    t, chaser = data.t[data.run], pose("actual_port1")
    asked = _settled(pose("asked_port1"), phase)
    return BridgeRun(
        t, told, phase, cause, np.where(judged, zone, UNJUDGED), words("actual_zone"),
        _stretches(t, phase, cause, data.runs[-1].end), commanded, pose("shown_relative"),
        relative(pose("commanded_port2"), pose("commanded_port1")), relative(target, chaser), chaser,
        np.where(placed[:, None], asked, np.nan),
        np.where((client & ~placed)[:, None], composed(target, commanded), np.nan),
    )  # fmt: skip


def _causes(told: Words, cause: Words) -> Words:
    """Causes as they hold in each cycle: a search names itself, a halt what it is named for when it has ended."""
    cause = np.where((told == Phase.SEARCHING) & np.isin(cause, STALE), int(Standstill.NO_POSTURE), cause)
    unnamed = np.flatnonzero((told == Phase.HALTING) & (cause == Standstill.NONE))
    stood = np.flatnonzero((told != Phase.HALTING) & (cause != Standstill.NONE))
    later = np.searchsorted(stood, unnamed)
    known = later < stood.size
    cause[unnamed[known]] = cause[stood[later[known]]]
    return cause


def _settled(asked: Floats, phase: Words) -> Floats:
    """Where the commanded pose asks the chaser to be once that is worked out. At standstill the bridge tries again and
    again from where the robots are, over a few cycles: until it has the answer, the last one holds. In the cycle in which
    the clutch closes it has not looked yet."""
    begun = np.append(False, (phase[1:] == Phase.CONVERGING) & (phase[:-1] != Phase.CONVERGING))
    moved = np.append(True, (asked[1:, :3] != asked[:-1, :3]).any(axis=1))
    trying = begun | ((phase == Phase.STANDING) & moved & np.isfinite(asked[:, 0]))
    last = np.maximum.accumulate(np.where(trying, 0, np.arange(len(asked))))
    return asked[last]


def _stretches(t: Floats, phase: Words, cause: Words, end: float) -> tuple[PhaseSpan, ...]:
    """Cycles of equal phase and cause, each until the next begins."""
    if not t.size:
        return ()
    starts = np.flatnonzero((np.diff(phase) != 0) | (np.diff(cause) != 0)) + 1
    times = np.append(t, end)
    return tuple(
        PhaseSpan(Phase(int(phase[a])), Standstill(int(cause[a])), slice(a, b), float(times[a]), float(times[b]))
        for a, b in pairwise([0, *starts.tolist(), t.size])
    )
