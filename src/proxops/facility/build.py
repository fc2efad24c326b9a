"""Wires a facility by hand, in reading order: cell, virtual robots, clock, rings, recorder, desk."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import proxops
from proxops.bridge.settings import BridgeSettings
from proxops.core.abandoned_rings import remove_abandoned
from proxops.core.clock import Clock, LockstepClock
from proxops.core.ending import DONE, Ending
from proxops.core.errors import BadInput
from proxops.core.messages import EVENT_DTYPE, POOL_DTYPE
from proxops.core.ring import Ring
from proxops.facility.bridge_end import BridgeEnd
from proxops.facility.desk import Desk
from proxops.facility.facility import Facility, Link
from proxops.facility.recorder_watch import RecorderWatch
from proxops.facility.sync import Address, SyncPort
from proxops.ground.hall_stage import stage_of
from proxops.ground.recorder import EXIT_LOST, Recorder
from proxops.lab.cell import Cell
from proxops.lab.links.remote import RemoteHall
from proxops.lab.links.virtual import VirtualHall

POOL_SLOTS = 250 * 40  # forty seconds that the recorder may fall behind
EVENT_SLOTS = 1024
FINISH_S = 60.0  # patience with the recorder at the end of a run


@dataclass
class Hall:
    """A facility that is ready to tick, with what must be closed afterwards."""

    facility: Facility
    desk: Desk
    recorder: Recorder | None
    rings: tuple[Ring, Ring]
    remote: RemoteHall | None = None

    def farewell(self) -> None:
        """No set-point will follow, and that is as it should be: to be said before anything that takes time."""
        if self.remote:
            self.remote.farewell()

    def close(self, ended: Ending = DONE) -> int:
        """Say how it ended and finish the log: 0 when it is whole, else the recorder's exit code or ``EXIT_LOST``."""
        codes: list[int] = []
        with ExitStack() as closing:  # whatever fails, the rest is closed; the log last
            closing.callback(lambda: codes.append(self._finish_log()))
            if self.desk.bridge:
                closing.callback(self.desk.bridge.port.close)
            if self.desk.sync:
                closing.callback(self.desk.sync.close)
            if self.remote:
                closing.callback(self.remote.close)
            self.facility.events.end(ended)
        return codes[0]

    def _finish_log(self) -> int:
        if self.recorder:
            code = self.recorder.finish(FINISH_S)
            return code or (EXIT_LOST if any(ring.lost for ring in self.rings) else 0)
        for ring in self.rings:
            ring.close()
        return 0


def build(
    cell: Cell, clock: Clock, *, seed: int, record: Path | None,
    sync: Address | None = None, bridge: BridgeSettings | None = None, bridge_at: Address | None = None,
    key: bytes | None = None, metadata: dict[str, str] | None = None, remote: RemoteHall | None = None,
) -> Hall:  # fmt: skip
    """A virtual hall at home with its drives off. ``record`` names the log; None records nothing (benchmarks, tests).
    With ``bridge`` it has one: on a socket at ``bridge_at``, or in lockstep. ``key``: both ports demand it. ``remote``: the
    robots' controllers and the watchdog live in a process of their own, as every live run has it; otherwise they are stepped by
    the tick."""
    remove_abandoned()
    if remote:
        remote.wait_ready(clock)
    rings = Ring.create("pool", POOL_DTYPE, POOL_SLOTS), Ring.create("events", EVENT_DTYPE, EVENT_SLOTS)
    link: Link = remote or VirtualHall(cell, np.random.default_rng(seed))
    facility = Facility(cell, link, clock, *rings)
    try:
        port = SyncPort(sync, facility.events.tell, key, cell.file.link.stall_ns) if sync else None
        end = BridgeEnd(facility, bridge, bridge_at, key) if bridge else None
    except BadInput:
        if remote:
            remote.close()
        for ring in rings:
            ring.close()
        raise
    recorder = None
    if record is not None:
        about = {
            "proxops_version": proxops.__version__,
            "cell": cell.file.name,
            "seed": str(seed),
            "user_tool": cell.tool.source,
            "T_flange_port1": json.dumps(cell.tool.T_flange_port1.tolist()),
            "T_flange_port2": json.dumps(cell.tool.T_flange_port2.tolist()),
            **(metadata or {}),
        }
        live = not isinstance(clock, LockstepClock)
        recorder = Recorder.start(
            *rings, record, about, replace=True, durable=live, watchdog=remote.events if remote else None,
            stage=stage_of(cell),
        )  # fmt: skip
        recorder.wait_ready()
        facility.evidence = RecorderWatch(recorder, rings[0], facility.events, clock, by_time=live)
    return Hall(facility, Desk(facility, port, end), recorder, rings, remote)
