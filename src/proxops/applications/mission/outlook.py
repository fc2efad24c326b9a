"""Cycles of a mission that are flown before the hall has shown them: what each sends, and tells of itself.

Between two looks of the sensor at the hall nothing in space depends on it. So the mission may fly on to the next moment at which
something is measured or decided, and hand out cycle by cycle what it has flown.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.applications.mission.record import INTERFACES, MissionRecord
from proxops.applications.mission.telling import TRUTH, Told, tell_cycle
from proxops.applications.mission.transmitter import SUN, Sent, Transmitter, packet
from proxops.applications.mission.truth import both_in_inertial_axes
from proxops.core.bridge_datagram import VALUES
from proxops.core.messages import MISSION_DTYPE, PERIOD_S, TRUTH_EVERY
from proxops.core.vocabulary import MissionEnd
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, copy_to
from proxops.safety.guarded_cycle import MOST
from proxops.space.audit import FIGURES
from proxops.space.coasting import Given, Kept, Looks, contact_near, fly, keep, room_for_craft
from proxops.space.pair import SpacecraftPair
from proxops.space.two_craft import World

SUN_AT = SUN.start
GAP, LATERAL = TRUTH + INTERFACES.start, TRUTH + INTERFACES.start + 1  # among the doubles of a record


class Departed(NamedTuple):
    """As all was before the first cycle."""

    craft: Kept
    doubles: Array  # of the record
    worst: Array


@kernel
def coast_and_tell(
    y: Array, world: World, bank: NDArray[np.void], given: Given, cycle: int, cycles: int, looks: Looks, gap: float, told: Told,
    sent: Sent, departed: Departed, begin: int, values: Array, records: Array,
) -> tuple[int, float, bool]:  # fmt: skip
    """As ``coast``, and of each cycle the packet's doubles and the record, from row ``begin`` on. What was before row 0 is
    kept."""
    if begin == 0:
        keep(departed.craft, y, world, bank)
        copy_to(told.doubles, departed.doubles)
        copy_to(told.worst, departed.worst)
    for k in range(begin, begin + cycles):
        now = cycle + k - begin + 1
        fly(y, world, bank, given, now - 1, 1)
        both_in_inertial_axes(y, sent.chaser, sent.target, True, values[k])
        copy_to(sent.sun, values[k, SUN_AT:])
        tell_cycle(y, world, bank, given, looks, told, now, 0, False)
        copy_to(told.doubles, records[k])
        if now % TRUTH_EVERY == 0:
            if contact_near(y, told.doubles[GAP], told.doubles[LATERAL], looks):
                return k - begin + 1, gap, True
            gap = told.doubles[GAP]
    return cycles, gap, False


class Outlook:
    """Cycles that are flown but not handed out yet. ``begin`` anew when all are."""

    def __init__(self) -> None:
        self._records = np.zeros((MOST, MISSION_DTYPE.itemsize // 8))
        self.records = self._records.view(np.uint8)
        self.values = np.zeros((MOST, VALUES))
        self.flown = self.handed_out = self.first = 0  # first: number of the first packet
        self.coasted = False  # the craft have moved since it began, so they can be taken back
        self.t = 0.0  # s, of the first cycle's end
        self._departed = Departed(room_for_craft(), np.zeros(MISSION_DTYPE.itemsize // 8), np.zeros(FIGURES))
        self._cycle, self._gap, self._measured = 0, 0.0, 0  # then

    def begin(self, first: int, pair: SpacecraftPair, record: MissionRecord, gap: float) -> None:
        """At packet number ``first``; ``gap``: of the interfaces, as it was looked at last. From here on only the craft move."""
        self.first, self.flown, self.handed_out, self.coasted = first, 0, 0, False
        self.t = (pair.cycle + 1) * PERIOD_S
        self.values = np.empty((MOST, VALUES))  # who has heard the last ones may keep them
        self._cycle, self._gap, self._measured = pair.cycle, gap, record.measured

    def restore(self, pair: SpacecraftPair, record: MissionRecord) -> float:
        """Both as they were before the first cycle; and the gap."""
        was = self._departed
        pair.restore(was.craft, self._cycle)
        record.restore(was.doubles, was.worst, self._measured)
        return self._gap

    def coast(
        self, pair: SpacecraftPair, cycles: int, looks: Looks, gap: float, record: MissionRecord, line: Transmitter
    ) -> tuple[float, bool]:
        """Fly on, as ``pair.coast``, and send and tell what each cycle has to."""
        pair.push()
        told, begin, anew = record.to_tell(MissionEnd.UNDER_WAY), self.flown, line.sun_due_in
        flown, gap, near = coast_and_tell(
            pair.y, pair.world, pair.bank.row, pair.given, pair.cycle, cycles, looks, gap, told, line.fixed, self._departed,
            begin, self.values, self._records,
        )  # fmt: skip
        pair.flown(flown)
        self.coasted = True
        self.flown += flown
        if anew < flown:
            self.values[begin + anew : self.flown, SUN] = line.look_at_sun()
        line.sent += flown
        return gap, near

    def stand(self, line: Transmitter, record: memoryview) -> None:
        """The last cycle is one in which nothing moves; the first, if none was flown."""
        if self.flown == 0:
            self.values[0, SUN] = line.look_at_sun() if line.sun_due_in == 0 else line.fixed.sun
            self.flown, line.sent = 1, line.sent + 1
        line.write(False, self.values[self.flown - 1])
        self.records[self.flown - 1] = np.frombuffer(record, np.uint8)

    @property
    def room(self) -> int:
        """Cycles that it can hold."""
        return len(self.values)

    @property
    def left(self) -> int:
        return self.flown - self.handed_out

    @property
    def next_number(self) -> int:
        """Of the packet that is handed out next."""
        return self.first + self.handed_out

    def packet(self) -> bytes:
        """The next one."""
        return packet(self.next_number, self.values[self.handed_out])
