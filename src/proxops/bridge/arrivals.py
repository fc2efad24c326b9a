"""Packets of the cycles to come, where whoever sends them in lockstep knows them already."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from proxops.bridge.input_filter import Sample
from proxops.core.datagram import LEAP_MAX
from proxops.safety.guarded_cycle import MOST, Bytes

NOTHING_TOLD: Final[Bytes] = np.zeros((MOST, 0), np.uint8)


class Arrivals(NamedTuple):
    """``packets``: of each cycle, as the port would hand them on. ``told``: what their sender writes into the pool in each cycle
    (n, bytes), from byte ``told_at`` on."""

    packets: list[list[Sample]]
    told: Bytes = NOTHING_TOLD
    told_at: int = 0

    def in_order(self, sequence: int, sent_ns: int, most: int) -> int:
        """Cycles, up to ``most``, whose packets count on from ``sequence`` and ``sent_ns``: the port has nothing to say of them."""
        for cycle, packets in enumerate(self.packets[:most]):
            for sample in packets:
                if not sequence < sample.sequence <= sequence + LEAP_MAX or sample.sent_ns < sent_ns:
                    return cycle
                sequence, sent_ns = sample.sequence, sample.sent_ns
        return min(most, len(self.packets))
