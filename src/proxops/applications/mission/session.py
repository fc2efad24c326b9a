"""A mission as a whole, once or many times: log, summary, report."""

from __future__ import annotations

import socket
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proxops.applications.mission.report import report
from proxops.core.errors import BadInput
from proxops.core.mission import Mission
from proxops.runs.folder import finish, prepare_folder
from proxops.runs.options import RunOptions
from proxops.runs.progress import WARMING, progress_bar

if TYPE_CHECKING:  # a flight begins without its report, and a report needs no flight software
    from proxops.applications.mission.run import MissionRan
    from proxops.lab.cell import Cell


def session(mission: Mission, folder: Path, options: RunOptions) -> dict[str, Any]:
    """Run a mission into ``folder``, or many of them; the summary."""
    from proxops.applications.mission.flight_loading import demand_line

    known = (
        "seed",
        "cell",
        "user_tool",
        "flight_software",
        "flight_software_inside",
        "hall",
        "runs",
        "overseer",
        "images",
        "control",
        "console",
    )
    options.demand_only(mission.name, mission.kind, *known)
    software = options.flight_software
    if options.flight_software_inside and (software is None or software.startswith("udp:")):
        raise BadInput(
            "--flight-software-inside: only a class in a Python file can run inside", value=software,
            way_out="name one with --flight-software, or leave it out",
        )  # fmt: skip
    if options.runs > 1 and options.realtime:
        raise BadInput("--runs: many runs are made in lockstep", value="--realtime", way_out="leave one of the two out")
    if (options.console or options.control) and not options.realtime:
        given = "--console" if options.console else "--control"
        raise BadInput(f"{given}: is for a run by the wall's clock", where=mission.name, way_out="add --realtime")
    if options.runs > 1 and options.images:
        raise BadInput("--images: many runs serve none", value=f"--runs {options.runs}", way_out="make one run")
    demand_line(mission.file, software, realtime=options.realtime)
    cell = options.read_cell()
    if options.runs == 1:
        return _once(cell, mission, folder, options)
    from proxops.applications.mission.campaign import campaign_session

    return campaign_session(
        cell, mission, folder, runs=options.runs, first_seed=options.seed, software=software,
        inside=options.flight_software_inside, use_hall=options.hall, quiet=options.quiet,
    )  # fmt: skip


def _once(cell: Cell, mission: Mission, folder: Path, options: RunOptions) -> dict[str, Any]:
    if options.realtime and not (mission.file.hall.use if options.hall is None else options.hall):
        raise BadInput(
            "--realtime: is for the robots, and this mission shall not use them", way_out="leave --realtime out"
        )
    port = _image_port(mission, options)
    prepare_folder(folder)
    with port or nullcontext():
        ran, outcome = _flown(cell, mission, folder / "run.mcap", options, port)
    if outcome.failure:
        print(f"proxops: {outcome.failure}", file=sys.stderr)
    extra = {**ran.figures(), "flight_software_failure": outcome.failure or None}
    return finish(folder, lambda log: report(log, cell), extra, report=options.report, quiet=options.quiet)


def _image_port(mission: Mission, options: RunOptions) -> socket.socket | None:
    """Listens for who wants images, if that is asked for."""
    if options.images is None:
        return None
    from proxops.applications.mission.seen_by import seen_by
    from proxops.runs.image_port import image_port

    uses_hall = mission.file.hall.use if options.hall is None else options.hall
    return image_port(options.images, (sensor.name for sensor, _ in seen_by(mission.file, uses_hall)))


def _flown(cell: Cell, mission: Mission, record: Path, options: RunOptions, images: socket.socket | None) -> MissionRan:
    software, inside = options.flight_software, options.flight_software_inside
    if options.realtime:
        from proxops.applications.mission.live import run_mission_realtime

        print(WARMING, file=sys.stderr, flush=True)
        return run_mission_realtime(
            cell,
            mission,
            record,
            seed=options.seed,
            software=software,
            inside=inside,
            quiet=options.quiet,
            images=images,
            control=options.control,
            console=options.console,
        )
    from proxops.applications.mission.run import run_mission

    with progress_bar(options.quiet, options.overseer) as progress:
        return run_mission(
            cell, mission, record, seed=options.seed, software=software, inside=inside, use_hall=options.hall,
            progress=progress, images=images,
        )  # fmt: skip
