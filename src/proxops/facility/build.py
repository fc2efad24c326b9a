"""Wires a facility by hand, in reading order: cell, virtual robots, clock, rings, recorder, desk."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import numpy as np

import proxops
from proxops.bridge.end import BridgeEnd
from proxops.bridge.hall_state import HallState
from proxops.bridge.settings import BridgeSettings
from proxops.core.abandoned_rings import remove_abandoned
from proxops.core.channel import Address
from proxops.core.clock import Clock, LockstepClock
from proxops.core.ending import DONE, Ending
from proxops.core.errors import BadInput
from proxops.core.messages import EVENT_DTYPE, Group, pool_dtype
from proxops.core.ring import Ring
from proxops.core.vocabulary import Mode, Source
from proxops.facility.desk import Desk
from proxops.facility.facility import Facility
from proxops.facility.publication import hall_told
from proxops.facility.recorder_watch import RecorderWatch
from proxops.facility.sync import SyncPort
from proxops.ground.hall_stage import stage_of
from proxops.ground.recorder import EXIT_LOST, Recorder
from proxops.lab.any_cell import AnyCell, demand_hall, pool_of
from proxops.lab.cell import Cell
from proxops.lab.links.link import Link
from proxops.lab.links.remote import RemoteHall
from proxops.lab.links.virtual import VirtualHall
from proxops.lab.user_tool import UserTool

BEHIND_NS = 40_000_000_000  # that the recorder may fall behind
EVENT_SLOTS = 1024
FINISH_S = 60.0  # patience with the recorder at the end of a run


@dataclass
class LastWords:
    """What is known only when a run is over and joins its log then: of an application that has said it would have some."""

    metadata: dict[str, str] = field(default_factory=dict)
    attachments: dict[str, bytes] = field(default_factory=dict)


@dataclass
class Installation:
    """A facility that is ready to tick, with what must be closed afterwards."""

    facility: Facility
    desk: Desk
    recorder: Recorder | None
    rings: tuple[Ring, Ring]
    remote: RemoteHall | None = None
    last_words: LastWords = field(default_factory=LastWords)
    groups: tuple[Group, ...] = ()  # of the pool, that an application has added

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
            code = self.recorder.finish(FINISH_S, self.last_words.metadata, self.last_words.attachments)
            return code or (EXIT_LOST if any(ring.lost for ring in self.rings) else 0)
        for ring in self.rings:
            ring.close()
        return 0


def build(
    cell: AnyCell, clock: Clock, *, seed: int, record: Path | None,
    sync: Address | None = None, bridge: BridgeSettings | None = None, bridge_at: Address | None = None,
    key: bytes | None = None, metadata: Mapping[str, str] | None = None, remote: RemoteHall | None = None,
    link: Link | None = None, groups: tuple[Group, ...] = (), last_words: bool = False,
) -> Installation:  # fmt: skip
    """A virtual hall at home with its drives off. ``record`` names the log; None records nothing (benchmarks, tests).
    With ``bridge`` it has one: on a socket at ``bridge_at``, or in lockstep. ``key``: both ports demand it. ``remote``: the
    robots' controllers and the watchdog live in a process of their own, as every live hall has it; otherwise ``link`` leads to
    the robots, or they are virtual ones and stepped by the tick. ``groups``: what an application adds to the pool.
    ``last_words``: and to the log, when all is over."""
    if clock.period_ns != cell.period_ns:
        raise ValueError(f"a clock of {clock.period_ns} ns for a cell of {cell.period_ns} ns")
    remove_abandoned()
    if remote:
        remote.wait_ready(clock)
    if sync or bridge:
        demand_hall(cell, "the synchronous interface" if sync else "the bridge")
    table = (*pool_of(cell), *groups)
    rings = (
        Ring.create("pool", pool_dtype(table), BEHIND_NS // cell.period_ns),
        Ring.create("events", EVENT_DTYPE, EVENT_SLOTS),
    )
    facility = Facility(cell, remote or link or VirtualHall(cell, np.random.default_rng(seed)), clock, *rings, groups)
    try:
        port = _synchronous(facility, sync, key) if sync else None
        end = _bridge(facility, bridge, bridge_at, key) if bridge else None
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
            **(_tool(cell.tool) if isinstance(cell, Cell) else {}),
            **(metadata or {}),
        }
        live = not isinstance(clock, LockstepClock)
        recorder = Recorder.start(
            *rings, record, about, replace=True, durable=live, watchdog=remote.events if remote else None,
            stage=stage_of(cell), groups=table, last_words=last_words,
        )  # fmt: skip
        recorder.wait_ready()
        facility.surroundings.evidence = RecorderWatch(recorder, rings[0], facility.events, clock, by_time=live)
        if isinstance(clock, LockstepClock):
            clock.wait = recorder.let_it_keep_up
    return Installation(facility, Desk(facility, port, end), recorder, rings, remote, groups=groups)


def _tool(tool: UserTool) -> dict[str, str]:
    return {
        "user_tool": tool.source,
        "T_flange_port1": json.dumps(tool.T_flange_port1.tolist()),
        "T_flange_port2": json.dumps(tool.T_flange_port2.tolist()),
    }


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
    facility.duties.attach("bridge", poll=end.poll, publish=end.publish, answer=end.answer)
    return end
