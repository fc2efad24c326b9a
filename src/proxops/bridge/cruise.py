"""Following without incident: what the client will say goes through the input filter ahead of time, and the hall follows it for
some cycles in one call (``usual_following``). What the filter has heard too early is taken back."""

from __future__ import annotations

import numpy as np

from proxops.bridge.coupling import Coupling
from proxops.bridge.heard import Heard, hear_ahead
from proxops.bridge.hearing import Hearing
from proxops.bridge.port import BridgePort
from proxops.bridge.sample import NUMBERS, PacketBlock
from proxops.bridge.telemetry_views import TelemetryViews
from proxops.bridge.usual_following import CLEARANCES, FollowingParts, SenderRows, follow_usual
from proxops.bridge.zone_judge import ZoneJudge
from proxops.safety.guarded_cycle import MOST, GuardedCycle, Passing


class Cruise:
    """``follow`` instead of a step, while all is usual."""

    def __init__(
        self, hearing: Hearing, coupling: Coupling, zones: ZoneJudge, port: BridgePort, views: TelemetryViews
    ) -> None:
        self._hearing, self._zones, self._port = hearing, zones, port
        self._following = FollowingParts(hearing.estimate, hearing.pose, coupling.parts, zones.parts, views)
        self._heard = Heard(
            np.zeros((MOST, NUMBERS)), np.zeros(MOST, np.bool_), np.zeros(MOST, np.bool_), np.zeros(MOST, np.uint8),
            np.zeros(MOST, np.int64), np.zeros((MOST, 6), np.uint32),
        )  # fmt: skip

    def follow(self, cycle: GuardedCycle, p: Passing, most: int) -> int:
        """The client's packets of the next cycles, ``most`` at most; how many of these have passed."""
        arrivals, port, hearing, zones = self._port.arrivals, self._port, self._hearing, self._zones
        count = port.foreseen(min(most, zones.until_shown))
        if arrivals is None or count < 2:
            return 0
        shown, packets = count == zones.until_shown, arrivals.packets.part(0, count)
        told, now_ns = SenderRows(arrivals.told, arrivals.told_at), p.tick * p.period_ns
        before = hearing.filter.kept()
        there = self._hear(packets, now_ns, p.period_ns)
        passed, layer_m = follow_usual(cycle, self._following, self._heard, told, p, there)
        if passed < count:
            hearing.filter.restore(before)
            packets = packets.part(0, passed)
            self._hear(packets, now_ns, p.period_ns)
        if passed:
            hearing.sample = hearing.filter.last
            zones.remain_clear()
            zones.yellow_m = layer_m
            port.hear(packets, now_ns, p.period_ns)
            if shown and passed == count:
                self._following.views.numbers[CLEARANCES] = zones.show(cycle.wish)
        return passed

    def _hear(self, packets: PacketBlock, now_ns: int, period_ns: int) -> int:
        """Rows of what goes out of the filter, until the client is gone; how many."""
        filter_ = self._hearing.filter
        return int(
            hear_ahead(filter_.machine, filter_.history, packets, now_ns, period_ns, self._port.refused, self._heard)
        )
