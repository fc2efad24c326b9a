"""Wires a facility by hand, in reading order: robots, clock, pool and rings, ports, recorder, desk."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from proxops.bridge.settings import BridgeSettings
from proxops.core.channel import Address
from proxops.core.clock import Clock
from proxops.core.messages import Group
from proxops.facility.facility import Facility
from proxops.facility.installation import Installation
from proxops.facility.ports import open_ports
from proxops.facility.recording import about_run, start_recorder
from proxops.facility.records import Records, SensorChannels
from proxops.facility.robots import GuardedRobots
from proxops.lab.any_cell import AnyCell
from proxops.lab.links.link import Link
from proxops.lab.links.remote import RemoteHall
from proxops.lab.links.virtual import VirtualHall


def build(
    cell: AnyCell, clock: Clock, *, seed: int, record: Path | None,
    sync: Address | None = None, bridge: BridgeSettings | None = None, bridge_at: Address | None = None,
    key: bytes | None = None, metadata: Mapping[str, str] | None = None, remote: RemoteHall | None = None,
    link: Link | None = None, groups: tuple[Group, ...] = (), last_words: bool = False,
    sensors: SensorChannels | None = None,
) -> Installation:  # fmt: skip
    """A virtual hall at home with its drives off. ``record`` names the log; None records nothing (benchmarks, tests).
    With ``bridge`` it has one: on a socket at ``bridge_at``, or in lockstep. ``key``: both ports demand it. ``remote``: the
    robots' controllers and the watchdog live in a process of their own, as every live hall has it; otherwise ``link`` leads to
    the robots, or they are virtual ones and stepped by the tick. ``groups``: what an application adds to the pool.
    ``last_words``: and to the log, when all is over. ``sensors``: whose images are recorded; they go into ``Records.viewer``."""
    if clock.period_ns != cell.period_ns:
        raise ValueError(f"a clock of {clock.period_ns} ns for a cell of {cell.period_ns} ns")
    with ExitStack() as undo:  # of what is there already when the next part cannot be had
        if remote:
            undo.callback(remote.close)
            remote.wait_ready(clock)
        records = Records.create(cell, groups, sensors.slots if sensors and record else 0)
        undo.callback(records.close)
        reached = remote or link or VirtualHall(cell, np.random.default_rng(seed))
        facility = Facility(GuardedRobots(cell, reached, records.pool), clock, records)
        ports = open_ports(facility, sync, bridge, bridge_at, key)
        undo.callback(ports.close)
        recorder = None
        if record is not None:
            about, watchdog = about_run(cell, seed, metadata), remote.events if remote else None
            recorder = start_recorder(
                facility, records, record, about, watchdog=watchdog, last_words=last_words,
                viewer_channels=sensors.channels if sensors else (),
            )  # fmt: skip
        undo.pop_all()
    return Installation(facility, ports, records, recorder, remote)
