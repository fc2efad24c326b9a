"""The process of a mission's application in real time, started beside the facility by ``live.py`` or by the console.

It reads what the hall shows from the pool's ring (the virtual sensor's eye), sends poses through a socket as any client of the
bridge would, and leaves its part of the pool in a second ring. It is not on the tick: when it is late the bridge extrapolates,
and halts if it stays away.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from pathlib import Path

from proxops.applications.mission.application import MissionApplication
from proxops.applications.mission.flight_loading import load_in_real_time, own_flight_software
from proxops.applications.mission.hall_view import RingView
from proxops.applications.mission.live_eyes import add_options, open_eyes, operator_words, record
from proxops.applications.mission.run import COMPILING_S
from proxops.core.clock import LiveClock
from proxops.core.errors import BadInput
from proxops.core.key_file import read_key
from proxops.core.messages import MISSION_DTYPE, PERIOD_S, POOL_DTYPE
from proxops.core.mission import Mission, load_mission
from proxops.core.ring import Ring
from proxops.runs.client_line import ClientLine
from proxops.runs.image_log import arrival_by
from proxops.runs.overseer import Overseer


def fly(options: argparse.Namespace) -> None:
    """Fly the mission in real time. When the facility ends us, flight software is let go in good order, too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the facility: it comes to rest, then it ends us
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    mission = load_mission(options.scenario)
    overseer, key = Overseer(options.overseen), read_key(options.key_file) if options.key_file else None
    software = load_in_real_time(options.software, mission.file, inside=options.inside)
    latency_s = options.latency + mission.file.network.mean_delay_s
    limit_s = None if options.software else COMPILING_S
    rehearse(mission, options.seed)
    seeing = open_eyes(mission, options, latency_s)
    eyes = seeing.eyes
    application = MissionApplication(mission, options.seed, software, latency_s, limit_s, seeing)
    view = RingView(Ring.attach(options.pool, POOL_DTYPE), mission.file.bridge.chaser_on == 2)
    ring = Ring.attach(options.ring, MISSION_DTYPE)
    line, clock = ClientLine(options.host, options.port, key), LiveClock()
    record(seeing, options, arrival_by(view))
    hear = operator_words(seeing, options)
    try:
        while not application.over:
            overseer.wait_while_held()  # the clock counts lost cycles, it does not make up for them
            overseer.tell("flying" if application.begun else "joining", application.pair.t, mission.file.duration_s)
            clock.advance()
            view.look()
            for data in application.advance(clock.tick * PERIOD_S, view):
                line.send(data)
            ring.push(bytes(application.record.bytes))
            if eyes:
                eyes.poll()
            hear()
        out = application.outcome
        options.told.write_text(json.dumps({"end": int(out.end), "t": out.t, "failure": out.failure}))
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough: who is let go has its time
        if eyes and eyes.left_out:
            print(f"note: {eyes.left_out} exposures were left out: drawing was too slow", file=sys.stderr)
        application.close()


def rehearse(mission: Mission, seed: int) -> None:
    """Some cycles for nobody with our own flight software, so that nothing has to be compiled once the clock runs."""
    scratch = MissionApplication(mission, seed, own_flight_software(mission.file), 0.0, COMPILING_S)
    for cycle in range(500):
        scratch.advance(cycle * PERIOD_S, None)


def main() -> None:
    parser = argparse.ArgumentParser(prog="proxops.applications.mission.application_process")
    parser.add_argument("scenario")
    parser.add_argument("--host", required=True)
    parser.add_argument("--software")
    parser.add_argument("--inside", action="store_true")
    parser.add_argument("--overseen", type=Path)
    parser.add_argument("--key-file", type=Path)
    parser.add_argument("--viewer", type=Path, help="ring for images of the sensors")
    parser.add_argument("--cell", type=Path, help="pickled, of the hall that they look at")
    add_options(parser)
    for name, kind in (
        ("port", int),
        ("seed", int),
        ("latency", float),
        ("pool", Path),
        ("ring", Path),
        ("told", Path),
    ):
        parser.add_argument(f"--{name}", type=kind, required=True)
    try:
        fly(parser.parse_args())
    except BadInput as bad:  # what the facility could not find out before
        print(f"proxops: {bad}", file=sys.stderr)
        sys.exit(bad.exit_code)


if __name__ == "__main__":
    main()
