"""The facility's end of the bridge: the port, the motion while it has the hall, and what is told of both every cycle."""

from __future__ import annotations

from proxops.bridge.bridged import Bridged
from proxops.bridge.cruise import Cruise
from proxops.bridge.hall_state import HallState
from proxops.bridge.port import BridgePort
from proxops.bridge.settings import BridgeSettings
from proxops.bridge.telemetry import BridgeTelemetry
from proxops.bridge.telemetry_views import TelemetryViews
from proxops.core.channel import Address
from proxops.core.pool import Pool
from proxops.core.vocabulary import Tell
from proxops.safety.zone_watch import ZoneWatch


class BridgeEnd:
    """``poll``, ``publish`` and ``answer`` are the facility's to call, in every cycle."""

    def __init__(
        self, state: HallState, pool: Pool, tell: Tell, settings: BridgeSettings, bind: Address | None, key: bytes | None = None
    ) -> None:  # fmt: skip
        self._state, self._tell, self.settings = state, tell, settings
        ask = state.cell.file.clients.new == "ask"
        self.port = BridgePort(
            bind, tell, settings.scale, timeout_ns=settings.timeout_ns, ask=ask, key=key, exchanged=settings.exchanged
        )
        self._motion: Bridged | None = None
        self._views = TelemetryViews.of(pool)
        self._telemetry = BridgeTelemetry(state, pool, self.port)
        self.publish()

    def take_hall(self, zones: ZoneWatch) -> Bridged:
        """A motion for the client that is there, or else the next one."""
        self.port.place.select()
        self._motion = Bridged(self._state, self.port, self.settings, zones, self._tell)
        hearing, coupling, judge = self._motion.hearing, self._motion.coupling, self._motion.zones
        self._motion.cruise = Cruise(hearing, coupling, judge, self.port, self._views)
        return self._motion

    @property
    def motion(self) -> Bridged | None:
        """The motion while it has the hall."""
        return self._motion if self._motion is not None and self._state.motion is self._motion else None

    def poll(self) -> None:
        """Read what has come since the last cycle."""
        self.port.poll(self._state.clock.now_ns(), self.motion is not None)

    def ahead(self, most: int) -> int:
        """Whether cycles may pass without a poll: where nothing comes but through ``port.arrivals``."""
        return most if self.port.alone else 0

    def passed(self, count: int) -> None:
        """They have; the motion has told the port of it."""

    def publish(self) -> None:
        """Fill the bridge's part of the pool."""
        self._telemetry.publish(self.motion)

    def answer(self) -> None:
        """The status of this cycle, to the client; in lockstep there is nobody to send it to."""
        if self.port.listening:
            self.port.answer(self.status())

    def status(self) -> bytes:
        """The status of this cycle but for its address."""
        return self._telemetry.status(self.motion)
