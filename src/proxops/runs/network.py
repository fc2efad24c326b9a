"""Emulated network between a client and the bridge: delay, jitter, losses, doubles and overtaking, from a seed.

A switch keeps order, so jitter alone never reorders: a packet waits for the one before it. Only packets picked by
``reorder`` leave the queue and come later than those behind them. Losses come in runs (Gilbert's model): a packet is
lost while the line is bad; lengths of runs are geometric.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, fields

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.scenario import NetworkTable


@dataclass(frozen=True)
class NetworkSpec:
    """What the line does to packets. Shares are of the packets sent."""

    delay_ms: float = 0.2  # least time on the way
    jitter_ms: float = 0.0  # added to it: uniform from 0 to this
    loss: float = 0.0  # share that never arrives
    burst: float = 1.0  # mean length of a run of losses
    duplicate: float = 0.0  # share that arrives twice
    reorder: float = 0.0  # share that is held back and may be overtaken ...
    reorder_ms: float = 6.0  # ... for this long

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = 1.0 if field.name == "burst" else 0.0
            most = 1.0 if field.name in ("loss", "duplicate", "reorder") else math.inf
            if not (least <= value <= most and math.isfinite(value)):
                raise BadInput(f"network: {field.name}", value=value, bound=f"{least:g} to {most:g}, finite")
        if self.loss != 1.0 and self._turns_bad > 1.0 + 1e-12:
            raise BadInput(
                "network: loss is too high for runs so short",
                value=f"loss {self.loss:g} with burst {self.burst:g}",
                bound=f"burst at least {self.loss / (1.0 - self.loss):g}, or loss 1",
            )

    @property
    def _turns_bad(self) -> float:
        """Chance that a good line is bad for the next packet, so that ``loss`` is the share of bad ones in the long run."""
        return 1.0 if self.loss == 1.0 else self.loss / (1.0 - self.loss) / self.burst

    @property
    def turns(self) -> tuple[float, float]:
        """Chances of the line per packet: good to bad, bad to good."""
        return self._turns_bad, 0.0 if self.loss == 1.0 else 1.0 / self.burst


class Network:
    """One direction of the line. Packets are opaque; ``t_s`` is any clock that does not run backwards."""

    def __init__(self, spec: NetworkSpec, rng: np.random.Generator) -> None:
        self.spec, self._rng = spec, rng
        self._turns_bad, self._turns_good = spec.turns
        self._bad = False
        self._queue: list[tuple[float, int, bytes]] = []  # delivery time, order of sending, packet
        self._sent = 0
        self._last_s = -math.inf  # delivery time of the last packet that kept its place

    def send(self, data: bytes, t_s: float) -> None:
        """Put a packet on the line at time ``t_s``."""
        # Five numbers for each packet, used or not: what happens to it does not depend on the other settings.
        turn, jitter, held, twice, jitter_twice = self._rng.random(5).tolist()
        self._bad = turn >= self._turns_good if self._bad else turn < self._turns_bad
        if self._bad:
            return
        self._deliver(data, t_s, jitter, held < self.spec.reorder)
        if twice < self.spec.duplicate:
            self._deliver(data, t_s, jitter_twice, False)

    def _deliver(self, data: bytes, t_s: float, jitter: float, held: bool) -> None:
        at_s = t_s + (self.spec.delay_ms + jitter * self.spec.jitter_ms) * 1e-3
        if held:
            at_s += self.spec.reorder_ms * 1e-3
        else:
            at_s = self._last_s = max(at_s, self._last_s)
        heapq.heappush(self._queue, (at_s, self._sent, data))
        self._sent += 1

    def due(self, t_s: float) -> list[bytes]:
        """Packets delivered up to ``t_s`` that were not asked for before, in order of delivery."""
        out = []
        while self._queue and self._queue[0][0] <= t_s:
            out.append(heapq.heappop(self._queue)[2])
        return out


def network_of(n: NetworkTable, rng: np.random.Generator) -> Network:
    """The line that a scenario describes."""
    return Network(NetworkSpec(n.delay_ms, n.jitter_ms, n.loss, n.burst, n.duplicate, n.reorder, n.reorder_ms), rng)
