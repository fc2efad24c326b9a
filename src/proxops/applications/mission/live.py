"""A mission in real time: the facility at 250 Hz here, the application in a process of its own, UDP and two rings between."""

from __future__ import annotations

import pickle
import socket
import tempfile
from pathlib import Path

from proxops.applications.mission.flight_loading import demand_line, let_go, load_in_real_time
from proxops.applications.mission.live_eyes import EyesLine
from proxops.applications.mission.outcome import outcome_told
from proxops.applications.mission.run import MissionRan
from proxops.bridge.settings import settings_of
from proxops.core.channel import LOOPBACK
from proxops.core.mission import Mission
from proxops.facility.application_feed import hall_latency_s
from proxops.facility.control import ANY, ControlSettings
from proxops.facility.live import LiveFacility
from proxops.lab.cell import Cell
from proxops.runs.announcement import Launch, announcement, processes_beside
from proxops.runs.bridged_run import client_process, serve_client
from proxops.runs.progress import monitor


def run_mission_realtime(
    cell: Cell,
    mission: Mission,
    record: Path,
    *,
    seed: int | None,
    software: str | None,
    quiet: bool,
    inside: bool = False,
    images: socket.socket | None = None,
    control: str | None = None,
    console: Launch | None = None,
) -> MissionRan:
    """At 250 Hz, until the application is over and the hall stands. ``images``: listens for who wants every image. ``control``:
    name for ``proxops ctl``; ``console``: to watch it, and to say where the target is in a picture."""
    file = mission.file
    seed = file.seed if seed is None else seed
    demand_line(file, software, realtime=True)
    eyes = EyesLine(file, images)
    if software:  # what cannot be used is said before anything moves, and never loaded into the tick's process
        let_go(load_in_real_time(software, file))
    live = LiveFacility(
        cell, record, sync=(LOOPBACK, 0), control=ControlSettings(control or ANY), seed=seed, bridge=settings_of(file.bridge),
        metadata={"scenario": file.name, "scenario_file": mission.text, "mission": "true", "hall": "True"},
        additions=eyes.additions,
    )  # fmt: skip
    end = live.hall.desk.bridge
    assert end is not None and live.mission is not None
    watcher = None if quiet else monitor(live.hall)
    with tempfile.TemporaryDirectory() as folder:
        told, hall = Path(folder) / "outcome.json", Path(folder) / "cell.pickle"
        hall.write_bytes(pickle.dumps(cell))  # with its user tools
        client = client_process(
            "proxops.applications.mission.application_process", mission.source.absolute(),
            "--told", told, "--host", end.port.address[0], "--port", end.port.address[1], "--seed", seed,
            "--pool", live.hall.rings[0].path, "--ring", live.mission.ring.path,
            "--latency", repr(hall_latency_s(cell)), *(["--software", software] if software else []),
            *(["--inside"] if inside else []), *(["--viewer", live.hall.viewer.ring.path] if live.hall.viewer else []),
            "--cell", hall, *eyes.words, fds=eyes.fds,
        )  # fmt: skip
        eyes.begin(live.hall)
        try:
            with processes_beside() as beside:
                announce = announcement(
                    live, record.parent, console, beside, eyes=eyes.about(live.hall), flies=file.name
                )
                watched = console is not None or control is not None
                ran = serve_client(live, client, watcher, announce if watched else lambda real_time: None)
        finally:
            eyes.close()
        return MissionRan(ran, outcome_told(told, client.returncode))
