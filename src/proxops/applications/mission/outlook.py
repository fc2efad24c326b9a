"""Cycles of a mission that are flown before the hall has shown them: what each sends, and tells of itself.

Between two looks of the sensor at the hall nothing in space depends on it. So the mission may fly on to the next moment at which
something is measured or decided, and hand out cycle by cycle what it has flown.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from proxops.applications.mission.record import INTERFACES, MissionRecord
from proxops.applications.mission.record import Kept as RecordKept
from proxops.applications.mission.transmitter import SUN, Origins, Transmitter, packet
from proxops.applications.mission.truth import Told, both_in_inertial_axes, tell_truth
from proxops.core.bridge_datagram import VALUES
from proxops.core.messages import MISSION_DTYPE, PERIOD_S
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.safety.guarded_cycle import MOST, Bytes
from proxops.space.coasting import Given, Looks, contact_near, fly
from proxops.space.pair import Kept as PairKept
from proxops.space.pair import SpacecraftPair
from proxops.space.two_craft import MASS, World

GAP, LATERAL = INTERFACES.start, INTERFACES.start + 1  # among the doubles of truth


@kernel
def coast_and_tell(
    y: Array, world: World, bank: NDArray[np.void], given: Given, cycle: int, cycles: int, looks: Looks, gap: float, told: Told,
    origins: Origins, values: Array, records: Bytes,
) -> tuple[int, float]:  # fmt: skip
    """As ``pair.coast``, and of each cycle the packet's doubles and the record; but for the record of the last one, which is the
    caller's to tell. How many cycles it was, and the gap at the look before the last."""
    w: Any = world[0]
    b: Any = bank[0]
    for k in range(cycles):
        fly(y, world, bank, given, cycle + k, 1)
        both_in_inertial_axes(y, origins.chaser, origins.target, True, values[k])
        if k == cycles - 1:
            break
        for i in range(told.thrusters.shape[0]):
            told.thrusters[i] = b.on[i]
        now = cycle + k + 1
        if now % looks.every == 0:
            tell_truth(
                now * PERIOD_S, y, given.degree, w.sunlight[0], w.density, y[MASS] - given.dry_mass, looks.interface_t,
                looks.interface_c, told.truth,
            )  # fmt: skip
            for i in range(told.wheels.shape[0]):
                told.wheels[i] = y[26 + i]
            if contact_near(y, told.truth[GAP], told.truth[LATERAL], looks):
                return k + 1, gap
            gap = told.truth[GAP]
        for i in range(told.bytes.shape[0]):
            records[k, i] = told.bytes[i]
    return cycles, gap


class Outlook:
    """Cycles that are flown but not handed out yet. ``begin`` anew when all are."""

    def __init__(self) -> None:
        self.records = np.zeros((MOST, MISSION_DTYPE.itemsize), np.uint8)
        self.values = np.zeros((MOST, VALUES))
        self.flown = self.handed_out = self.first = 0  # first: number of the first packet
        self._kept = 0  # rows that are whole
        self.t = 0.0  # s, of the first cycle's end
        self._departed: tuple[PairKept, RecordKept, float] | None = None

    def begin(self, first: int, pair: SpacecraftPair, record: MissionRecord, gap: float) -> None:
        """At packet number ``first``; ``gap``: of the interfaces, as it was looked at last. From here on only the craft move."""
        self.first, self.flown, self.handed_out = first, 0, 0
        self.t = (pair.cycle + 1) * PERIOD_S
        self.values = np.zeros((MOST, VALUES))  # who has heard the last ones may keep them
        self._departed = pair.kept(), record.kept(), gap

    def restore(self, pair: SpacecraftPair, record: MissionRecord) -> float:
        """Both as they were when it began; and the gap."""
        assert self._departed is not None
        was, told, gap = self._departed
        pair.restore(was)
        record.restore(told)
        return gap

    def coast(self, pair: SpacecraftPair, cycles: int, looks: Looks, gap: float, told: Told, origins: Origins) -> float:
        """Fly on, as ``pair.coast``; then the last cycle's record is told, and all of it is to be kept (``keep``)."""
        pair.look_round()
        flown, gap = coast_and_tell(
            pair.y, pair.world, pair.bank.row, pair.given, pair.cycle, cycles, looks, gap, told, origins,
            self.values[self.flown :], self.records[self.flown :],
        )  # fmt: skip
        pair.flown(flown)
        self._kept, self.flown = self.flown, self.flown + flown
        return gap

    def keep(self, sun: Array, record: memoryview) -> None:
        """Direction of the sun in the cycles that were coasted last, and what is told of the last one."""
        self.values[self._kept : self.flown, SUN] = sun
        self.records[self.flown - 1] = np.frombuffer(record, np.uint8)

    def stand(self, pair: SpacecraftPair, line: Transmitter, record: memoryview) -> None:
        """The last cycle is one in which nothing moves; the first, if none was flown."""
        if self.flown == 0:
            self.flown, self._kept = 1, 0
            self.values[0, SUN] = line.look_at_sun()
            line.sent += 1
        both_in_inertial_axes(pair.y, *line.origins, False, self.values[self.flown - 1])
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
