"""Following without incident: what the client will say goes through the input filter ahead of time, and the hall follows it for
some cycles in one call (``usual_following``). What the filter has heard too early is taken back."""

from __future__ import annotations

import numpy as np

from proxops.bridge.arrivals import Arrivals
from proxops.bridge.coupling import Coupling
from proxops.bridge.hearing import Hearing
from proxops.bridge.input_filter import U32, Sample
from proxops.bridge.port import BridgePort
from proxops.bridge.telemetry_views import TelemetryViews
from proxops.bridge.usual_following import Following, Heard, follow_usual
from proxops.bridge.zone_judge import ZoneJudge
from proxops.maths.rotation import Array
from proxops.safety.guarded_cycle import MOST, GuardedCycle, Passing


class Cruise:
    """``follow`` instead of a step, while all is usual."""

    def __init__(
        self, hearing: Hearing, coupling: Coupling, zones: ZoneJudge, port: BridgePort, views: TelemetryViews
    ) -> None:
        self._hearing, self._zones, self._port = hearing, zones, port
        self._following = Following(hearing.estimate, hearing.pose, coupling.parts, zones.parts, views)
        self._heard = Heard(
            np.zeros((MOST, 20)), np.zeros(MOST, np.bool_), np.zeros(MOST, np.bool_), np.zeros(MOST, np.uint8),
            np.zeros(MOST, np.int64), np.zeros((MOST, 6), np.uint32), np.zeros((MOST, 0), np.uint8), 0,
        )  # fmt: skip

    def follow(self, cycle: GuardedCycle, p: Passing, most: int) -> int:
        """The client's packets of the next cycles, ``most`` at most; how many of these have passed."""
        arrivals, port, hearing = self._port.arrivals, self._port, self._hearing
        count = port.foreseen(min(most, self._zones.unwatched_cycles))
        if arrivals is None or count < 2:
            return 0
        before, sample = hearing.filter.kept(), hearing.sample
        now_ns = p.tick * p.period_ns
        there = self._hear(arrivals, now_ns, p.period_ns, count)
        heard = self._heard._replace(told=arrivals.told, told_at=arrivals.told_at)
        passed, layer_m = follow_usual(cycle, self._following, heard, p, there)
        if passed < count:
            hearing.filter.restore(before)
            hearing.sample = sample
            self._hear(arrivals, now_ns, p.period_ns, passed)
        if passed:
            self._zones.remain_clear()
            self._zones.yellow_m = layer_m
            port.hear(arrivals.packets[:passed], now_ns, p.period_ns)
        return passed

    def _hear(self, arrivals: Arrivals, now_ns: int, period_ns: int, count: int) -> int:
        """Rows of what goes out of the filter, until the client is gone; how many."""
        samples = arrivals.samples
        if count and samples is not None and self._hear_at_once(arrivals.packets, samples, now_ns, count):
            return count
        heard, hearing, filter_ = self._heard, self._hearing, self._hearing.filter
        for k in range(count):
            sample = filter_.step(arrivals.packets[k], now_ns + k * period_ns)
            if filter_.gone:
                return k
            heard.fresh[k] = sample is not None
            if sample is not None:
                hearing.sample, row = sample, heard.samples[k]
                row[:7], row[7:14] = sample.relative, sample.T_client_target
                heard.with_velocity[k] = sample.velocity is not None
                if sample.velocity is not None:
                    row[14:] = sample.velocity
            heard.states[k] = filter_.state
            heard.sequence[k] = hearing.sample.sequence if hearing.sample else -1
            heard.counters[k] = filter_.counters(self._port.refused)
        return count

    def _hear_at_once(self, cycles: list[list[Sample]], samples: Array, now_ns: int, count: int) -> bool:
        """The same where a packet each cycle goes straight through; False, and nothing heard, where it does not."""
        heard, filter_, packets = self._heard, self._hearing.filter, [packets[0] for packets in cycles[:count]]
        if not filter_.pass_on(packets, samples[:count], now_ns):
            return False
        self._hearing.sample, numbers = packets[-1], np.arange(1 - count, 1)  # up to the last
        heard.samples[:count], heard.fresh[:count], heard.with_velocity[:count] = samples[:count], True, True
        heard.states[:count], heard.sequence[:count] = filter_.state, packets[-1].sequence + numbers
        heard.counters[:count] = filter_.counters(self._port.refused)
        heard.counters[:count, 0] = (filter_.taken + numbers) & U32
        return True
