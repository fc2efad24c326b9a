"""Packets of the cycles to come, where whoever sends them in lockstep knows them already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.input_filter import TAKEN_LIMIT
from proxops.bridge.relative import relative_sample
from proxops.bridge.roles import exchange_values
from proxops.bridge.sample import FLAGS, HEADS, NUMBERS, SENT_NS, SEQUENCE, Heads, PacketBlock
from proxops.bridge.settings import BridgeSettings
from proxops.core.bridge_datagram import SUN_VALID, VALUES, VALUES_AT, VELOCITIES_VALID, unpack_head
from proxops.core.datagram import LEAP_MAX, Malformed
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.stack import vector
from proxops.safety.guarded_cycle import MOST, Bytes

NOTHING_TOLD: Final[Bytes] = np.zeros((MOST, 0), np.uint8)
VALUES_END: Final = VALUES_AT + 8 * VALUES


class Arrivals(NamedTuple):
    """``packets``: of each cycle, as the port would hand them on. ``told``: what their sender writes into the pool in each cycle
    (n, bytes), from byte ``told_at`` on."""

    packets: PacketBlock
    told: Bytes = NOTHING_TOLD
    told_at: int = 0

    def in_order(self, sequence: int, sent_ns: int, most: int) -> int:
        """Cycles, up to ``most``, whose packets count on from ``sequence`` and ``sent_ns``: the port has nothing to say."""
        return int(_in_order(self.packets, sequence, sent_ns, min(most, self.packets.cycles)))


@kernel
def _in_order(packets: PacketBlock, sequence: int, sent_ns: int, most: int) -> int:
    heads, begins = packets.heads, packets.begins
    for cycle in range(most):
        if begins[cycle + 1] - begins[cycle] > TAKEN_LIMIT:
            return cycle
        for row in range(begins[cycle], begins[cycle + 1]):
            if not sequence < heads[row, SEQUENCE] <= sequence + LEAP_MAX or heads[row, SENT_NS] < sent_ns:
                return cycle
            sequence, sent_ns = heads[row, SEQUENCE], heads[row, SENT_NS]
    return most


@kernel
def _read_values(values: Array, heads: Heads, scale: float, exchanged: bool, out: Array) -> int:
    """As ``port.sample_of`` reads a packet, row by row; how many are sound, from the first on."""
    turned = vector(VALUES)
    for k in range(values.shape[0]):
        if exchanged:
            exchange_values(values[k], turned)
        else:
            for i in range(VALUES):
                turned[i] = values[k, i]
        flags = heads[k, FLAGS]
        if not relative_sample(turned, flags & VELOCITIES_VALID != 0, flags & SUN_VALID != 0, scale, out[k]):
            return k
        for i in range(3):
            out[k, 20 + i] = turned[26 + i]
    return len(values)


def one_each_cycle(values: Array, first: int, sent_ns: NDArray[np.int64], settings: BridgeSettings) -> PacketBlock:
    """Packets numbered from ``first`` on, of their 29 doubles as they would lie on the wire, velocities and sun included; up to
    the first that is not sound."""
    count = len(values)
    heads, numbers = np.empty((count, HEADS), np.int64), np.empty((count, NUMBERS))
    heads[:, SEQUENCE], heads[:, SENT_NS] = np.arange(first, first + count), sent_ns
    heads[:, FLAGS] = VELOCITIES_VALID | SUN_VALID
    sound = _read_values(values, heads, settings.scale, settings.exchanged, numbers)
    return PacketBlock(heads, numbers, np.arange(sound + 1))


def read_ahead(cycles: Sequence[Sequence[bytes]], settings: BridgeSettings) -> PacketBlock:
    """The datagrams of each cycle, up to the first cycle with one that is not sound: that is the port's to judge, in its time."""
    heads, bodies, begins = list[tuple[int, int, int]](), list[bytes](), [0]
    try:
        for datagrams in cycles:
            for data in datagrams:
                heads.append(unpack_head(data))
                bodies.append(data[VALUES_AT:VALUES_END])
            begins.append(len(bodies))
    except Malformed:
        pass
    count, numbers = begins[-1], np.empty((begins[-1], NUMBERS))
    read = np.array(heads[:count], np.int64).reshape(-1, HEADS)
    values = np.frombuffer(b"".join(bodies[:count]), "<f8").reshape(-1, VALUES)
    sound = _read_values(values, read, settings.scale, settings.exchanged, numbers)
    return PacketBlock(read, numbers, np.array([begin for begin in begins if begin <= sound]))
