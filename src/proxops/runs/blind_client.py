"""A client that never looks at the hall: what it will send in the next cycles can be asked of it at any time."""

from __future__ import annotations

from proxops.bridge.arrivals import Arrivals, read_ahead
from proxops.bridge.sample import NO_PACKETS
from proxops.bridge.settings import BridgeSettings
from proxops.core.messages import PERIOD_S
from proxops.runs.bridged_run import PacketSource
from proxops.safety.guarded_cycle import MOST


class BlindClient:
    """Asks ``client`` ahead of time and hands out what it has got, each packet in its cycle."""

    def __init__(self, client: PacketSource, settings: BridgeSettings) -> None:
        self._client, self._settings = client, settings
        # Of the cycles to come, from the first that was asked for.
        self._datagrams, self._handed_out = list[list[bytes]](), 0
        self._packets = NO_PACKETS  # the same, as far as they are sound
        self._failed: Exception | None = None

    @property
    def over(self) -> bool:
        return self._client.over and not self._left

    @property
    def _left(self) -> int:
        return len(self._datagrams) - self._handed_out

    def advance(self, t: float) -> list[bytes]:
        if not self._left:
            failed, self._failed = self._failed, None
            if failed is not None:
                raise failed
            return self._client.advance(t)
        self.passed(1)
        return self._datagrams[self._handed_out - 1]

    def foretell(self, cycle: int, most: int) -> Arrivals | None:
        """As far as its packets are sound; the first that is not is the port's to judge, in its own cycle."""
        if not self._left:
            self._ask(cycle)
        begin = self._handed_out
        end = min(begin + most, self._packets.cycles)
        return Arrivals(self._packets.part(begin, end)) if end > begin else None

    def _ask(self, cycle: int) -> None:
        """For a whole stretch, from ``cycle`` on."""
        self._datagrams, self._handed_out = [], 0
        try:
            while len(self._datagrams) < MOST and self._failed is None:
                self._datagrams.append(self._client.advance((cycle + len(self._datagrams)) * PERIOD_S))
        except Exception as error:  # of a cycle to come: raised there
            self._failed = error
        self._packets = read_ahead(self._datagrams, self._settings)

    def passed(self, count: int) -> None:
        self._handed_out += count
