"""What a live facility tells when it is about to run: where it listens, to people and to processes beside it like the console."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Final, Protocol

from proxops.core.channel import Address
from proxops.facility.application_feed import hall_latency_s
from proxops.facility.control import ControlChannel
from proxops.facility.desk import Desk
from proxops.facility.live import LiveFacility
from proxops.facility.realtime import RealTime
from proxops.ground.eyes_about import EyesAbout
from proxops.lab.cell import Cell
from proxops.lab.links.remote import RemoteHall
from proxops.runs.console_watch import ConsoleWatch, WatchedProcess

BESIDE_ENDS_S: Final = 8.0  # for the console, which may have a scenario to end


class BesideProcess(Protocol):
    """A process beside the facility, with what must be closed afterwards."""

    process: subprocess.Popen[bytes]

    def finish(self) -> None:
        """Nothing is to be started again."""
        ...

    def close(self) -> None: ...


class CompanionProcess(BesideProcess, WatchedProcess, Protocol):
    """One that is watched, and started again."""


class Launch(Protocol):
    """What can be started beside the facility."""

    address: str

    def start(self, folder: Path) -> CompanionProcess: ...


@contextmanager
def processes_beside() -> Iterator[list[BesideProcess]]:
    """Takes what is started beside the facility, and ends it when the facility has ended."""
    beside: list[BesideProcess] = []
    try:
        yield beside
    finally:
        for kept in beside:
            kept.finish()
            _reap(kept.process)
            kept.close()


def _reap(process: subprocess.Popen[bytes]) -> None:
    """It ends by itself once the facility has; one that does not is told to, then made to."""
    for insist in (process.terminate, process.kill):
        try:
            process.wait(BESIDE_ENDS_S)
            return
        except subprocess.TimeoutExpired:
            insist()
    process.wait()


def _elsewhere(control: ControlChannel) -> str:
    """The control channel of other machines, where there is one."""
    if not control.network:
        return ""
    host, port = control.network.address
    return f" and {host}:{port}, stops {host}:{port + 1} (with the key)"


def _ports(desk: Desk) -> Iterator[tuple[str, Address]]:
    if desk.bridge:
        yield "bridge", desk.bridge.port.address
    if desk.sync:
        yield "synchronous interface", desk.sync.address


def _responder(remote: RemoteHall | None) -> dict[str, object]:
    """Where to look for the robots' controllers when the facility cannot be asked."""
    return {"responder_pid": remote.pid, "link_ring": str(remote.states.path)} if remote else {}


def announcement(
    live: LiveFacility,
    folder: Path,
    console: Launch | None,
    beside: list[BesideProcess],
    key_file: Path | None = None,
    eyes: EyesAbout | None = None,
    flies: str = "",
) -> Callable[[RealTime], None]:
    """What is told and started once the facility is about to run; ``beside`` takes what was started. ``eyes``: its imaging
    sensors and where others can see what they see. ``flies``: the one run that it was started for."""

    def announce(real_time: RealTime) -> None:
        sync, bridge, control, cell = live.hall.desk.sync, live.hall.desk.bridge, live.control, live.hall.facility.cell
        about = {
            "pid": os.getpid(), "period_ns": cell.period_ns, "sync": list(sync.address) if sync else None,
            "bridge": list(bridge.port.address) if bridge else None,
            "bridge_settings": asdict(bridge.settings) if bridge else None,
            "control": str(control.sockets.control), "stop": str(control.sockets.stop),
            "network_control": list(control.network.address) if control.network else None,
            "pool_ring": str(live.hall.rings[0].path), "event_ring": str(live.hall.rings[1].path),
            "mission_ring": str(live.mission.ring.path) if live.mission else None,
            "latency_s": hall_latency_s(cell) if isinstance(cell, Cell) else None,
            "real_time": str(real_time), "key_file": str(key_file.absolute()) if key_file else None,
            "groups": [group.plain() for group in live.hall.groups],
            "eyes": eyes.plain() if eyes else None, "flies": flies, **_responder(live.hall.remote),
        }  # fmt: skip
        (folder / "facility.json").write_text(json.dumps(about, indent=2) + "\n")
        ports = [f"{name} {at[0]}:{at[1]}" for name, at in _ports(live.hall.desk)]
        ports += [f"control {control.sockets.control}{_elsewhere(control)}"]
        print(f"facility at {1e9 / cell.period_ns:g} Hz: {', '.join(ports)}", file=sys.stderr)
        print(
            f"{real_time}; log {folder / 'run.mcap'}; end with Ctrl-C or proxops ctl shut-down",
            file=sys.stderr,
            flush=True,
        )
        if console:
            kept, facility = console.start(folder), live.hall.facility
            beside.append(kept)
            facility.surroundings.watchers.append(
                ConsoleWatch(kept, facility.events, facility.clock, lambda: facility.still)
            )
            print(f"console: {console.address}", file=sys.stderr, flush=True)

    return announce
