"""What a client says: in one packet, and in packets of cycles to come that are known ahead of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.core.bridge_datagram import SUN_VALID, VELOCITIES_VALID
from proxops.maths.rotation import Array

SEQUENCE, SENT_NS, FLAGS = range(3)
HEADS: Final = 3  # integers of a packet: number, send time, flags
NUMBERS: Final = 23  # doubles: relative pose, T_client_target, relative velocity, sun
Heads = NDArray[np.int64]


class Sample(NamedTuple):
    """What the client says in one packet. Poses packed (x, y, z, qw, qx, qy, qz), finite, quaternions of length 1."""

    sequence: int
    sent_ns: int  # client's clock, within TIME_MAX_NS of zero
    relative: Array  # T_target_chaser
    T_client_target: Array  # in the client's frame, whatever that is
    velocity: Array | None = None  # v, w of the chaser relative to the target, in the target's frame
    sun: Array | None = None  # direction in the client's frame

    @classmethod
    def of(cls, head: Heads, numbers: Array) -> Sample:
        """Of one row of a ``PacketBlock``, which it keeps a view of."""
        sequence, sent_ns, flags = head.tolist()
        velocity = numbers[14:20] if flags & VELOCITIES_VALID else None
        return cls(
            sequence,
            sent_ns,
            numbers[0:7],
            numbers[7:14],
            velocity,
            numbers[20:23] if flags & SUN_VALID else None,
        )


class PacketBlock(NamedTuple):
    """Packets, a row each, and in which cycles they come: in cycle k those from row ``begins[k]`` to ``begins[k + 1]``."""

    heads: Heads  # (n, 3)
    numbers: Array  # (n, 23); velocity and sun are worth something where the flags say so
    begins: NDArray[np.int64]

    @classmethod
    def room(cls, packets: int) -> PacketBlock:
        """For so many, of one cycle."""
        return cls(np.zeros((packets, HEADS), np.int64), np.zeros((packets, NUMBERS)), np.zeros(2, np.int64))

    @property
    def cycles(self) -> int:
        return len(self.begins) - 1

    def part(self, begin: int, end: int) -> PacketBlock:
        """Cycles from ``begin`` on, before ``end``."""
        return PacketBlock(self.heads, self.numbers, self.begins[begin : end + 1])

    def of(self, cycle: int) -> list[Sample]:
        """What comes in it."""
        first, end = self.begins[cycle : cycle + 2].tolist()
        return [Sample.of(self.heads[k], self.numbers[k]) for k in range(first, end)]

    def fill(self, samples: Sequence[Sample]) -> None:
        """The packets of one cycle."""
        for k, sample in enumerate(samples):
            row, flags = self.numbers[k], 0
            row[0:7], row[7:14] = sample.relative, sample.T_client_target
            if sample.velocity is not None:
                row[14:20], flags = sample.velocity, VELOCITIES_VALID
            if sample.sun is not None:
                row[20:23], flags = sample.sun, flags | SUN_VALID
            self.heads[k] = sample.sequence, sample.sent_ns, flags
        self.begins[1] = len(samples)


NO_PACKETS: Final = PacketBlock(np.zeros((0, HEADS), np.int64), np.zeros((0, NUMBERS)), np.zeros(1, np.int64))
