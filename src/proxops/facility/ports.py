"""The ports through which others move a hall, the synchronous interface and the bridge: polled and answered in every tick."""

from __future__ import annotations

from contextlib import ExitStack
from typing import NamedTuple, cast

from proxops.bridge.end import BridgeEnd
from proxops.bridge.hall_state import HallState
from proxops.bridge.settings import BridgeSettings
from proxops.core.channel import Address
from proxops.core.vocabulary import Mode, Source
from proxops.facility.facility import Facility
from proxops.facility.publication import hall_told
from proxops.facility.sync import SyncPort
from proxops.lab.any_cell import demand_hall


class Ports(NamedTuple):
    """Those that a run has."""

    sync: SyncPort | None
    bridge: BridgeEnd | None

    def close(self) -> None:
        with ExitStack() as closing:  # whatever fails, the rest is closed
            if self.bridge:
                closing.callback(self.bridge.port.close)
            if self.sync:
                closing.callback(self.sync.close)


def open_ports(
    facility: Facility, sync: Address | None, bridge: BridgeSettings | None, bridge_at: Address | None, key: bytes | None
) -> Ports:  # fmt: skip
    """The synchronous interface at ``sync``, a bridge on a socket at ``bridge_at`` or, without one, in lockstep. BadInput where
    they cannot be, or the cell is no hall. ``key``: both demand it."""
    if sync or bridge:
        demand_hall(facility.cell, "the synchronous interface" if sync else "the bridge")
    with ExitStack() as undo:
        port = _synchronous(facility, sync, key) if sync else None
        if port:
            undo.callback(port.close)
        ports = Ports(port, _bridge(facility, bridge, bridge_at, key) if bridge else None)
        undo.pop_all()
    return ports


def _synchronous(facility: Facility, bind: Address, key: bytes | None) -> SyncPort:
    clock, told = facility.clock, hall_told(facility.told)
    port = SyncPort(bind, facility.events.tell, key, facility.cell.file.link.stall_ns)

    def poll() -> None:
        port.poll(facility.source is Source.SYNC, facility.mode is Mode.RUNNING, clock.now_ns())

    def answer() -> None:
        port.answer(told.answer_in, facility.mode, facility.rule_number, clock.utc_ns())

    facility.duties.attach("synchronous interface", poll=poll, answer=answer)
    return port


def _bridge(facility: Facility, settings: BridgeSettings, bind: Address | None, key: bytes | None) -> BridgeEnd:
    hall = cast(HallState, facility)  # its cell is one: built for halls only
    end = BridgeEnd(hall, facility.pool, facility.events.tell, settings, bind, key)
    facility.duties.attach("bridge", poll=end.poll, publish=end.publish, answer=end.answer, ahead=end)
    return end
