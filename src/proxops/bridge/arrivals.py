"""Packets of the cycles to come, where whoever sends them in lockstep knows them already."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from proxops.bridge.input_filter import Sample
from proxops.bridge.relative import relative_sample
from proxops.bridge.roles import exchange_values
from proxops.bridge.settings import BridgeSettings
from proxops.core.datagram import LEAP_MAX
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.safety.guarded_cycle import MOST, Bytes

NOTHING_TOLD: Final[Bytes] = np.zeros((MOST, 0), np.uint8)


class Arrivals(NamedTuple):
    """``packets``: of each cycle, as the port would hand them on. ``told``: what their sender writes into the pool in each cycle
    (n, bytes), from byte ``told_at`` on."""

    packets: list[list[Sample]]
    told: Bytes = NOTHING_TOLD
    told_at: int = 0
    samples: Array | None = None  # of one packet each cycle, as ``relative_sample`` gives them, velocities included

    def in_order(self, sequence: int, sent_ns: int, most: int) -> int:
        """Cycles, up to ``most``, whose packets count on from ``sequence`` and ``sent_ns``: the port has nothing to say."""
        for cycle, packets in enumerate(self.packets[:most]):
            for sample in packets:
                if not sequence < sample.sequence <= sequence + LEAP_MAX or sample.sent_ns < sent_ns:
                    return cycle
                sequence, sent_ns = sample.sequence, sample.sent_ns
        return min(most, len(self.packets))


@kernel
def _relative_samples(values: Array, scale: float, exchanged: bool, out: Array) -> int:
    """As ``port.sample_of`` reads packets with velocities and sun, row by row; how many are sound, from the first on."""
    turned = np.empty(values.shape[1])
    for k in range(values.shape[0]):
        if exchanged:
            exchange_values(values[k], turned)
        else:
            turned[:] = values[k]
        if not relative_sample(turned, True, True, scale, out[k]):
            return k
    return len(values)


def samples_of(values: Array, first: int, sent_ns: Callable[[int], int], settings: BridgeSettings) -> Arrivals:
    """One packet each cycle, numbered from ``first`` on, of its 29 doubles as they would lie on the wire; up to the first that is
    not sound."""
    rows = np.empty((len(values), 20))
    sound = _relative_samples(values, settings.scale, settings.exchanged, rows)
    packets = [
        [Sample(first + k, sent_ns(first + k), row[0:7], row[7:14], row[14:20], values[k, 26:29])]
        for k, row in enumerate(rows[:sound])
    ]
    return Arrivals(packets, samples=rows[:sound])
