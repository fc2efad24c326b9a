"""A client that never looks at the hall: what it will send in the next cycles can be asked of it at any time."""

from __future__ import annotations

from collections import deque

from proxops.bridge.arrivals import Arrivals
from proxops.bridge.input_filter import Sample
from proxops.bridge.port import sample_of
from proxops.bridge.settings import BridgeSettings
from proxops.core.datagram import Malformed
from proxops.core.messages import PERIOD_S
from proxops.runs.bridged_run import Client


class BlindClient:
    """Asks ``client`` ahead of time and hands out what it has got, each packet in its cycle."""

    def __init__(self, client: Client, settings: BridgeSettings) -> None:
        self._client, self._settings = client, settings
        self._packets, self._samples = deque[list[bytes]](), deque[list[Sample]]()  # of the cycles to come
        self._failed: Exception | None = None

    @property
    def over(self) -> bool:
        return self._client.over and not self._packets

    def advance(self, t: float) -> list[bytes]:
        if not self._packets:
            failed, self._failed = self._failed, None
            if failed is not None:
                raise failed
            return self._client.advance(t)
        packets = self._packets[0]
        self.passed(1)
        return packets

    def foretell(self, cycle: int, most: int) -> Arrivals | None:
        """As far as its packets are sound; the first that is not is the port's to judge, in its own cycle."""
        try:
            while len(self._packets) < most and self._failed is None:
                self._packets.append(self._client.advance((cycle + len(self._packets)) * PERIOD_S))
        except Exception as error:  # of a cycle to come: raised there
            self._failed = error
        try:
            for packets in list(self._packets)[len(self._samples) :]:
                self._samples.append(
                    [sample_of(data, self._settings.scale, self._settings.exchanged) for data in packets]
                )
        except Malformed:
            pass
        return Arrivals(list(self._samples)[:most])

    def passed(self, count: int) -> None:
        for _ in range(count):
            self._packets.popleft()
            if self._samples:
                self._samples.popleft()
