"""All that belongs to the bridge in a facility: port, telemetry, and the motion when it is selected."""

from __future__ import annotations

from proxops.bridge.settings import BridgeSettings
from proxops.facility.bridge_port import BridgePort
from proxops.facility.bridge_telemetry import BridgeTelemetry
from proxops.facility.bridged import Bridged
from proxops.facility.facility import Facility
from proxops.facility.sync import Address


class BridgeEnd:
    """The facility's end of the bridge. ``begin_cycle`` before each tick, ``end_cycle`` after it."""

    def __init__(
        self, facility: Facility, settings: BridgeSettings, bind: Address | None, key: bytes | None = None
    ) -> None:
        self._f, self.settings = facility, settings
        ask = facility.cell.file.clients.new == "ask"
        self.port = BridgePort(
            bind, facility.events.tell, settings.scale, timeout_ns=settings.timeout_ns, ask=ask, key=key
        )
        self.telemetry = BridgeTelemetry(facility, self.port)
        facility.telemetry = self.telemetry

    def motion(self, facility: Facility) -> Bridged:
        """A bridge that has the hall from now on, for the client that is there or else the next one."""
        self.port.place.select()
        return Bridged(facility, self.port, self.settings, facility.zones)

    def begin_cycle(self) -> None:
        self.port.begin_cycle(self._f.clock.now_ns(), isinstance(self._f.motion, Bridged))

    def end_cycle(self) -> None:
        self.telemetry.answer()
