"""What the input filter makes of packets that are known ahead of time, cycle by cycle, before the hall follows them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.filter_machine import Filter, silent_ns, step
from proxops.bridge.packet_history import History
from proxops.bridge.sample import FLAGS, SEQUENCE, PacketBlock
from proxops.core.bridge_datagram import VELOCITIES_VALID
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, copy_to
from proxops.safety.guarded_cycle import Bytes


class Heard(NamedTuple):
    """What comes out of the input filter in the cycles to come, row by row, and what is told of it."""

    samples: Array  # (n, 23), as in a ``PacketBlock``; worth something where
    fresh: NDArray[np.bool_]
    with_velocity: NDArray[np.bool_]
    states: Bytes
    sequence: NDArray[np.int64]
    counters: NDArray[np.uint32]  # (n, 6)


@kernel
def hear_ahead(
    filter: Filter, history: History, packets: PacketBlock, now_ns: int, period_ns: int, refused: int, heard: Heard
) -> int:
    """Packets of the next cycles through the input filter, the first at ``now_ns``, until the client is gone: for how many."""
    f = filter[0]
    cycles = len(packets.begins) - 1
    for k in range(cycles):
        fresh = step(filter, history, packets, k, now_ns + k * period_ns)
        if silent_ns(filter) > f.timeout_ns:
            return k
        heard.fresh[k] = fresh
        if fresh:
            copy_to(f.last, heard.samples[k])
            heard.with_velocity[k] = f.last_head[FLAGS] & VELOCITIES_VALID != 0
        heard.states[k], heard.sequence[k] = f.state, f.last_head[SEQUENCE] if f.passed else -1
        counters = heard.counters[k]
        counters[0], counters[1], counters[2], counters[3] = f.taken, f.lost, f.extrapolated_count, f.stale
        counters[4], counters[5] = refused, f.doubled
    return cycles
