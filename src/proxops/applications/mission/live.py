"""A mission in real time: the facility at 250 Hz here, the application in a process of its own, UDP and two rings between.

``python -m proxops.applications.mission.live`` is the application's process: it reads what the hall shows from the pool's ring
(the virtual sensor's eye), sends poses through a socket as any client of the bridge would, and leaves its part of the pool in a
second ring. It is not on the tick: when it is late the bridge extrapolates, and halts if it stays away.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np

from proxops.applications.mission.application import MissionApplication, Outcome
from proxops.applications.mission.flight_loading import let_go, load_flight_software
from proxops.applications.mission.run import COMPILING_S, line_latency_s
from proxops.bridge.settings import settings_of
from proxops.core.channel import LOOPBACK
from proxops.core.clock import LiveClock
from proxops.core.key_file import read_key
from proxops.core.messages import MISSION_DTYPE, PERIOD_S, POOL_DTYPE
from proxops.core.mission import Mission, load_mission
from proxops.core.ring import Ring
from proxops.core.vocabulary import MissionEnd
from proxops.facility.application_feed import hall_latency_s
from proxops.facility.control import ANY, ControlSettings
from proxops.facility.live import LiveFacility
from proxops.facility.loop import Ran
from proxops.lab.cell import Cell
from proxops.maths.rotation import Array
from proxops.runs.bridged_run import serve_client
from proxops.runs.client_line import ClientLine
from proxops.runs.overseer import Overseer
from proxops.runs.session import monitor

DEAD_CYCLES: Final = 5  # without a new record of the hall


class RingView:
    """The hall as a process beside it sees it."""

    def __init__(self, ring: Ring) -> None:
        self._ring, self._head, self._standing = ring, 0, 0
        self.converged, self.truth = False, np.zeros(7)

    converged: bool
    truth: Array

    def look(self) -> None:
        """A ring that stands still, or is closed, shows nothing any more."""
        head = self._ring.head
        self._standing = self._standing + 1 if head == self._head else 0
        self._head = head
        record = self._ring.latest()
        if record is None or self._standing > DEAD_CYCLES or self._ring.closed:
            self.converged = False
            return
        self.converged = bool(record["bridge"]["converged"])
        self.truth = np.array(record["hall_truth"].tolist())


def run_mission_realtime(
    cell: Cell,
    mission: Mission,
    record: Path,
    *,
    seed: int | None,
    software: str | None,
    quiet: bool,
    inside: bool = False,
) -> tuple[Ran, Outcome]:
    """At 250 Hz, until the application is over and the hall stands."""
    file = mission.file
    seed = file.seed if seed is None else seed
    if software:  # what cannot be used is said before anything moves, and never loaded into the tick's process
        let_go(load_flight_software(software, file))
    live = LiveFacility(
        cell, record, sync=(LOOPBACK, 0), control=ControlSettings(ANY), seed=seed, bridge=settings_of(file.bridge),
        metadata={"scenario": file.name, "scenario_file": mission.text, "mission": "true", "hall": "True"},
    )  # fmt: skip
    end = live.hall.desk.bridge
    assert end is not None and live.mission is not None
    watcher = None if quiet else monitor(live.hall)
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "outcome.json"
        words = [
            sys.executable, "-P", "-m", "proxops.applications.mission.live", str(mission.source.absolute()), "--told", str(told),
            "--host", end.port.address[0], "--port", str(end.port.address[1]), "--seed", str(seed),
            "--pool", str(live.hall.rings[0].path), "--ring", str(live.mission.ring.path),
            "--latency", repr(hall_latency_s(cell)), *(["--software", software] if software else []),
            *(["--inside"] if inside else []),
        ]  # fmt: skip
        client = subprocess.Popen(words)
        ran = serve_client(live, client, watcher)
        return ran, _outcome(told, client.returncode)


def _outcome(told: Path, code: int) -> Outcome:
    """As the application's process told it when it ended; one that told nothing was ended with the facility."""
    outcome = Outcome(
        end=MissionEnd.FACILITY, failure=f"the application's process ended by itself ({code})" if code else ""
    )
    if told.exists():
        values: dict[str, Any] = json.loads(told.read_text())
        outcome.end, outcome.t, outcome.failure = MissionEnd(values["end"]), values["t"], values["failure"]
    return outcome


# ---------------------------------------------------------------------- the application's process
def fly(options: argparse.Namespace) -> None:
    """Fly the mission in real time. When the facility ends us, flight software is let go in good order, too."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    mission = load_mission(options.scenario)
    overseer, key = Overseer(options.overseen), read_key(options.key_file) if options.key_file else None
    software = load_flight_software(options.software, mission.file, inside=options.inside)
    latency_s = options.latency + line_latency_s(mission.file.network)
    limit_s = None if options.software else COMPILING_S
    rehearse(mission, options.seed)
    application = MissionApplication(mission, options.seed, software, latency_s, limit_s)
    view, ring = RingView(Ring.attach(options.pool, POOL_DTYPE)), Ring.attach(options.ring, MISSION_DTYPE)
    line, clock = ClientLine(options.host, options.port, key), LiveClock()
    try:
        while not application.over:
            overseer.wait_while_held()  # the clock counts lost cycles, it does not make up for them
            overseer.tell("flying" if application.begun else "joining", application.pair.t, mission.file.duration_s)
            clock.advance()
            view.look()
            for data in application.advance(clock.tick * PERIOD_S, view):
                line.send(data)
            ring.push(bytes(application.record.bytes))
        out = application.outcome
        options.told.write_text(json.dumps({"end": int(out.end), "t": out.t, "failure": out.failure}))
    finally:
        application.close()


def rehearse(mission: Mission, seed: int) -> None:
    """Some cycles for nobody with our own flight software, so that nothing has to be compiled once the clock runs."""
    scratch = MissionApplication(mission, seed, load_flight_software(None, mission.file), 0.0, COMPILING_S)
    for cycle in range(500):
        scratch.advance(cycle * PERIOD_S, None)


def main() -> None:
    parser = argparse.ArgumentParser(prog="proxops.applications.mission.live")
    parser.add_argument("scenario")
    parser.add_argument("--host", required=True)
    parser.add_argument("--software")
    parser.add_argument("--inside", action="store_true")
    parser.add_argument("--overseen", type=Path)
    parser.add_argument("--key-file", type=Path)
    for name, kind in (
        ("port", int),
        ("seed", int),
        ("latency", float),
        ("pool", Path),
        ("ring", Path),
        ("told", Path),
    ):
        parser.add_argument(f"--{name}", type=kind, required=True)
    fly(parser.parse_args())


if __name__ == "__main__":
    main()
