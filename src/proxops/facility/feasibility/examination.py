"""A whole motion on the hall: stretches that are followed and pauses between them, as the bridge would go about it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.cost import Cost
from proxops.bridge.feasibility import Seat, seat_from, seat_of
from proxops.bridge.posture import START_ROOM, Posture, PostureSearch, nearest_miss
from proxops.bridge.reach import LATERAL, WRIST
from proxops.core.vocabulary import Standstill
from proxops.facility.feasibility.motion import ExaminedMotion
from proxops.facility.feasibility.stretch import HaltCause, Speeds, Stretch, TrialHall, halting
from proxops.safety.rules import AXIS_TEXT

Floats = NDArray[np.float64]
REJOIN_S: Final = 2.0  # at least, from a halt until the hall may go on: braking, and the search for a posture
SCAN_S: Final = 1.0  # between two attempts while it waits …
SCANS: Final = 25  # … and at most so many in each part
SETTLED_S: Final = 0.1  # to which the moment is found when it can go on
GO_ON_FROM: Final = frozenset({Standstill.COMMANDED_YELLOW, Standstill.COMMANDED_RED})  # the posture is still good
ROOM_TEXT: Final = (*AXIS_TEXT, "wrist", "rail root")  # as reach.smallest_room counts
METRES: Final = frozenset({1, 14, 15, 16, 20, 21, 22, LATERAL})
assert (ROOM_TEXT[WRIST], ROOM_TEXT[LATERAL]) == ("wrist", "rail root")


@dataclass(frozen=True)
class Pause:
    """Samples ``begin`` to ``end`` (exclusive) in which the hall does not show the motion, and why."""

    begin: int
    end: int
    cause: HaltCause


@dataclass(frozen=True)
class TrialStart:
    """How the hall begins: its seat, the cost it slides on, and whether phi is held there."""

    seat: Seat
    cost: Cost
    phi_held: bool


@dataclass(frozen=True)
class Opening:
    """The first sample at which the hall can follow (again), how it begins there, and the pauses before. No start: never."""

    sample: int
    start: TrialStart | None
    pauses: tuple[Pause, ...]


@dataclass(frozen=True)
class Examination:
    """What becomes of a motion; only up to the first trouble, if no more was asked for."""

    motion: ExaminedMotion
    opening: Opening
    stretches: tuple[Stretch, ...]
    pauses: tuple[Pause, ...]

    @property
    def lagging(self) -> NDArray[np.bool_]:
        """Samples at which the motion is too fast and the bridge falls behind."""
        out = np.zeros(len(self.motion), np.bool_)
        for s in self.stretches:
            out[s.begin : s.end] = s.use > 1.0
        return out

    @property
    def standing(self) -> NDArray[np.bool_]:
        """Samples at which the hall stands although the client sends."""
        out = np.zeros(len(self.motion), np.bool_)
        for p in self.pauses:
            out[p.begin : p.end] = p.cause.word is not Standstill.SILENCE
        return out

    @property
    def trouble(self) -> NDArray[np.bool_]:
        """Samples that should be shown and are not."""
        return (self.lagging | self.standing) & self.motion.counts

    @property
    def fits(self) -> bool:
        return not bool(self.trouble.any())


class Examiner:
    """Takes a hall through motions."""

    def __init__(self, hall: TrialHall) -> None:
        self.hall = hall
        phi = hall.settings.phi_rad
        self._phi_deg = None if phi is None else math.degrees(phi)
        self._cost = hall.cost(phi is not None)

    def fits(self, motion: ExaminedMotion) -> bool:
        """Whether all of a motion is shown, from the hall's own choice of posture: first looked at quickly."""
        return all(self.examine(motion, strict=True, quick=quick).fits for quick in (True, False))

    def examine(
        self, motion: ExaminedMotion, opening: Opening | None = None, strict: bool = False, quick: bool = False
    ) -> Examination:
        """The whole motion, beginning with ``opening`` if it is given. ``strict``: no further than the first trouble."""
        first = opening = opening or self._open(motion, [], strict)
        stretches: list[Stretch] = []
        pauses = [*opening.pauses]
        while opening.start is not None:
            start, last = opening.start, _last(stretches)
            stretch = self.hall.follow(motion, opening.sample, start.seat, start.cost, last, quick=quick)
            stretches.append(stretch)
            if stretch.end >= len(motion) or (strict and not _so_far(motion, first, stretches, pauses).fits):
                break
            opening = self._open(motion, stretches, strict)
            pauses += opening.pauses
            if strict and not _so_far(motion, first, stretches, pauses).fits:
                break
        return _so_far(motion, first, stretches, pauses)

    # ------------------------------------------------------------------ where it can begin, or go on
    def _open(self, motion: ExaminedMotion, stretches: list[Stretch], strict: bool) -> Opening:
        """Where the hall can follow, after the stretches so far."""
        tries: list[tuple[int, HaltCause]] = []
        k, cause = (stretches[-1].end, stretches[-1].cause) if stretches else (0, None)
        if cause:
            tries.append((k, cause))
            k = min(len(motion), k + max(1, round(REJOIN_S / motion.step_s)))
        last = _last(stretches)
        near = last.course.q[-1] if last else None
        here = near if cause is None or cause.word in GO_ON_FROM else None
        seen, failed = b"", -1
        for i in _scan(motion, k):
            key = np.append(motion.pose[i], motion.relative[i]).round(9).tobytes() if motion.sending[i] else b""
            if not motion.sending[i]:
                tries.append((i, HaltCause(Standstill.SILENCE, "")))
            elif key != seen:
                found = self._begin(motion, i, here, near)
                if isinstance(found, TrialStart):
                    i, found = self._settle(motion, failed, i, found, here, near)
                    return Opening(i, found, tuple(_pauses(tries, i)))
                tries.append((i, found))
                if strict and motion.counts[i]:
                    break
            seen, failed = key, i if motion.sending[i] else -1
        return Opening(len(motion), None, tuple(_pauses(tries, len(motion))))

    def _settle(
        self, motion: ExaminedMotion, failed: int, i: int, found: TrialStart, here: Floats | None, near: Floats | None
    ) -> tuple[int, TrialStart]:
        """When the hall can first begin, between the last attempt that failed (-1: none) and ``i``."""
        while failed >= 0 and i - failed > max(1, round(SETTLED_S / motion.step_s)):
            middle = (i + failed) // 2
            earlier = self._begin(motion, middle, here, near)
            if isinstance(earlier, TrialStart):
                i, found = middle, earlier
            else:
                failed = middle
        return i, found

    def _begin(
        self, motion: ExaminedMotion, i: int, here: Floats | None, near: Floats | None
    ) -> TrialStart | HaltCause:
        """At sample ``i`` from the posture that there is (``here``), or from the best one that a search finds."""
        pose, speeds, held = motion.pose[i], self.hall.speeds(motion, i), self._phi_deg is not None
        if here is not None:
            seat = seat_from(self.hall.cell, self._cost, here, pose)
            if seat is not None:
                return halting(self.hall.look(seat.q, None, speeds)) or TrialStart(seat, self._cost, held)
        near = self.hall.cell.home if near is None else near
        search = self.search(pose, near, self._phi_deg)
        roomy = search.best(near)
        if not roomy:
            return _out_of_reach(search.found)
        found = self.first_green(roomy, speeds)
        if isinstance(found, HaltCause):
            return found
        return TrialStart(seat_of(self.hall.cell, pose, found), self._cost, held)

    def search(self, pose: Floats, near: Floats, phi_deg: float | None) -> PostureSearch:
        """All postures for a pose."""
        search = PostureSearch(self.hall.cell, self.hall.cost(phi_deg is not None), pose, near, phi_deg)
        search.run()
        return search

    def first_green(self, postures: Sequence[Posture], speeds: Speeds) -> Posture | HaltCause:
        """The first in green, or why the first of all is not."""
        first: HaltCause | None = None
        for posture in postures:
            cause = halting(self.hall.look(posture.q, None, speeds))
            if cause is None:
                return posture
            first = first or cause
        assert first is not None  # there are postures
        return first


def _last(stretches: list[Stretch]) -> Stretch | None:
    """The last one in which the hall moved."""
    return next((s for s in reversed(stretches) if len(s.course)), None)


def _so_far(motion: ExaminedMotion, opening: Opening, stretches: list[Stretch], pauses: list[Pause]) -> Examination:
    return Examination(motion, opening, tuple(stretches), tuple(pauses))


def _out_of_reach(found: list[Posture]) -> HaltCause:
    """What keeps a pose from being shown that has no posture with room."""
    miss = nearest_miss(found)
    if miss is None:
        return HaltCause(Standstill.OUT_OF_REACH, "wrists too near each other or too far across the rail")
    short = START_ROOM - miss.room
    size = f"{short:.2f} m" if miss.nearest in METRES else f"{math.degrees(short):.1f} deg"
    return HaltCause(Standstill.OUT_OF_REACH, f"{ROOM_TEXT[miss.nearest]}: {size} short")


def _scan(motion: ExaminedMotion, k: int) -> Iterator[int]:
    """Samples at which to try, from ``k`` on: every second, fewer in a long part."""
    while k < len(motion):
        other = motion.part[k:] != motion.part[k]
        end = k + int(other.argmax()) if other.any() else len(motion)
        step = max(round(SCAN_S / motion.step_s), math.ceil((end - k) / SCANS), 1)
        yield from range(k, end, step)
        if (end - 1 - k) % step:
            yield end - 1
        k = end


def _pauses(tries: list[tuple[int, HaltCause]], end: int) -> Iterator[Pause]:
    """Pauses from attempts that failed: from the first one for a reason to the first one for another."""
    starts = [k for k in range(len(tries)) if k == 0 or tries[k][1].word is not tries[k - 1][1].word]
    ends = [tries[k][0] for k in starts[1:]] + [end]
    for k, last in zip(starts, ends, strict=False):
        yield Pause(tries[k][0], last, tries[k][1])
