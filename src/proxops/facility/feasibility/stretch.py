"""A stretch of motion that the hall follows in one go: from a seat until it ends, or until the hall would halt, and why."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.cost import Cost, cost_of
from proxops.bridge.feasibility import LIMIT, Course, Seat, course_of
from proxops.bridge.joiner import PORT_SHARE, port_gains
from proxops.bridge.mapping import OK, TOO_NEAR
from proxops.bridge.rate_use import rate_use
from proxops.bridge.settings import BridgeSettings
from proxops.core.vocabulary import Standstill, Zone
from proxops.facility.feasibility.motion import ExaminedMotion
from proxops.lab.cell import Cell
from proxops.lab.port_components import port_components
from proxops.safety.rules import AXIS_TEXT
from proxops.safety.zone_watch import ZoneWatch

Floats = NDArray[np.float64]
LOOK_S: Final = 0.1  # between two looks at the zones
JOINING_LOOKS: Final = 200  # along the way to a posture, at the roll of the plates
SHOWN_CLEARANCE_M: Final = 0.5  # clearances are found exactly up to here


@dataclass(frozen=True)
class HaltCause:
    """Why the hall does not move: the bridge's own word, and what it is of."""

    word: Standstill
    what: str
    clearance_m: float = math.nan  # of zones
    layer_m: float = math.nan  # of yellow


@dataclass(frozen=True)
class Look:
    """The zone of one sample."""

    zone: Zone
    clearance_m: float
    layer_m: float
    pair: str
    blocked: bool


@dataclass(frozen=True)
class Stretch:
    """Samples ``begin`` to ``end`` (exclusive) of a motion, followed from ``seat``; then ``cause``, if the hall halts."""

    begin: int
    end: int
    seat: Seat
    course: Course
    use: Floats  # greatest use of a rate at each sample
    used: NDArray[np.int64]  # which one, as rate_use orders them
    looked: NDArray[np.int64]  # samples at which zones were looked at
    looks: tuple[Look, ...]
    cause: HaltCause | None


Speeds = tuple[float, float]
"""Closing speed (m/s) and turning rate (rad/s) of a commanded pose."""


class TrialHall:
    """What a motion is tried on: the cell, the bridge's settings, its cost and the zones."""

    def __init__(self, cell: Cell, settings: BridgeSettings) -> None:
        self.cell, self.settings = cell, settings
        self._zones = ZoneWatch(cell)
        self.minimum_layer_m = self._zones.minimum_m

    def cost(self, phi_fixed: bool) -> Cost:
        """The bridge's cost."""
        cost = cost_of(self.cell)
        cost[0]["sun_weight"], cost[0]["phi_fixed"] = self.settings.sun_weight, phi_fixed
        return cost

    def speeds(self, motion: ExaminedMotion, k: int) -> Speeds:
        """How fast the commanded pose closes in and turns at sample ``k``: the bridge makes its yellow layers of that."""
        p, v, w = motion.pose[k, :3], motion.relative[k, :3], motion.relative[k, 3:]
        return -float(p @ v) / max(math.sqrt(float(p @ p)), 1e-9), math.sqrt(float(w @ w))

    def look(self, q: Floats, rate: Floats | None, speeds: Speeds) -> Look:
        """The commanded zone of axes ``q``; with ``rate`` also whether a stop from there would end in red."""
        self._zones.expect(*speeds)
        judged = self._zones.commanded(q)
        near = self._zones.path.at(q, SHOWN_CLEARANCE_M) if judged.zone is Zone.GREEN else judged.finding
        blocked = rate is not None and self._zones.blocked(q, rate) is not None
        return Look(judged.zone, near.distance_m, judged.finding.layer_m, near.pair, blocked)

    def roll_at(self, q: Floats, before: Stretch | None) -> Floats:
        """Roll of the plates as the guard counts it, once the hall has joined ``q`` in a straight line: from home, or from
        where the stretch before has ended."""
        start = before.course.q[-1] if before else self.cell.home
        roll = before.course.roll[-1].copy() if before else np.zeros(2)
        values, ports = np.empty((2, 6)), np.empty((2, 4, 4))
        for share in np.linspace(0.0, 1.0, JOINING_LOOKS):
            port_components(self.cell.hall, start + share * (q - start), roll, values, ports)
        return roll

    def joining_s(self, q: Floats) -> float:
        """About how long the hall needs from home to ``q``."""
        share, h = self.cell.file.limits.move_to_start_share, self.cell.hall[0]
        speed, acceleration = share * h["speed"], share * h["acceleration"]
        axes_s = float(np.max(np.abs(q - self.cell.home) / speed + speed / acceleration))
        moved_m, turned_rad = port_gains(self.cell, self.cell.home, q)
        port_speed, port_rate = self.settings.joining_limits
        return max(axes_s, moved_m / (PORT_SHARE * port_speed), turned_rad / (PORT_SHARE * port_rate))

    def follow(
        self, motion: ExaminedMotion, begin: int, seat: Seat, cost: Cost, before: Stretch | None = None,
        with_zones: bool = True, quick: bool = False,
    ) -> Stretch:  # fmt: skip
        """From sample ``begin`` to the next new beginning, or as far as it goes; ``before``: the last one that was followed."""
        new = motion.fresh[begin + 1 :] | ~motion.sending[begin + 1 :]
        end = begin + 1 + int(new.argmax()) if new.any() else len(motion)
        pose = motion.pose[begin:end]
        roll = self.roll_at(seat.q, before)
        course = course_of(self.cell, cost, pose, motion.sun[begin:end], motion.step_s, seat, roll, quick)
        cause, done = _ended(course), len(course)
        use = rate_use(self.cell, self.settings.limits, course.q, course.rate, motion.step_s)
        looked: list[int] = []
        looks: list[Look] = []
        if with_zones and done:
            looked, looks = self._looks(course, motion, begin)
            found = halting(looks[-1])
            if found:
                cause, done = found, looked.pop()
                looks.pop()
        peak = use[:done].max(axis=1) if done else np.empty(0)
        which = use[:done].argmax(axis=1) if done else np.empty(0, np.int64)
        return Stretch(
            begin, begin + done, seat, course.until(done), peak, which, np.array(looked, np.int64), tuple(looks), cause
        )  # fmt: skip

    def _looks(self, course: Course, motion: ExaminedMotion, begin: int) -> tuple[list[int], list[Look]]:
        """Zones every ``LOOK_S``; the last one is the first sample that halts the hall, if there is one."""
        stride, n = max(1, round(LOOK_S / motion.step_s)), len(course)

        def look_at(k: int) -> Look:
            return self.look(course.q[k], course.rate[k], self.speeds(motion, begin + k))

        looked: list[int] = []
        looks: list[Look] = []
        for k in [*range(0, n - 1, stride), n - 1]:
            look = look_at(k)
            if halting(look) and looked:
                for j in range(looked[-1] + 1, k):
                    earlier = look_at(j)
                    if halting(earlier):
                        k, look = j, earlier
                        break
            looked.append(k)
            looks.append(look)
            if halting(look):
                break
        return looked, looks


def halting(look: Look) -> HaltCause | None:
    """What the bridge does in a zone: it goes on in green only."""
    if look.zone is Zone.RED:
        return HaltCause(Standstill.COMMANDED_RED, look.pair, look.clearance_m, look.layer_m)
    if look.zone is Zone.YELLOW:
        return HaltCause(Standstill.COMMANDED_YELLOW, look.pair, look.clearance_m, look.layer_m)
    return HaltCause(Standstill.WAY_BLOCKED, look.pair, look.clearance_m, look.layer_m) if look.blocked else None


def _ended(course: Course) -> HaltCause | None:
    if course.code == OK:
        return None
    if course.code == LIMIT:
        return HaltCause(Standstill.LIMIT, AXIS_TEXT[course.limit])
    near = course.code == TOO_NEAR
    return HaltCause(
        Standstill.OUT_OF_REACH, "wrists too near each other" if near else "wrists too far across the rail"
    )
