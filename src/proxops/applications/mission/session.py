"""A mission as the command line runs it, once: log, summary, report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from proxops.applications.mission.run import run_mission
from proxops.core.errors import BadInput
from proxops.core.mission import Mission
from proxops.facility.overseer import Overseer
from proxops.facility.session import WARMING, finish, prepare_folder
from proxops.lab.cell import Cell


def mission_session(
    cell: Cell, mission: Mission, folder: Path, *, realtime: bool, seed: int | None, software: str | None,
    use_hall: bool | None, report: bool, quiet: bool, overseer: Overseer | None = None, inside: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Run a mission into ``folder``; the summary."""
    from proxops.facility.progress import progress_bar

    if realtime and not (mission.file.hall.use if use_hall is None else use_hall):
        raise BadInput(
            "--realtime: is for the robots, and this mission shall not use them", way_out="leave --realtime out"
        )
    prepare_folder(folder)
    record = folder / "run.mcap"
    if realtime:
        from proxops.applications.mission.live import run_mission_realtime

        print(WARMING, file=sys.stderr, flush=True)
        ran, outcome = run_mission_realtime(
            cell, mission, record, seed=seed, software=software, inside=inside, quiet=quiet
        )
    else:
        with progress_bar(quiet, overseer) as progress:
            both = run_mission(
                cell, mission, record, seed=seed, software=software, inside=inside, use_hall=use_hall, progress=progress
            )
        ran, outcome = both.ran, both.outcome
    if outcome.failure:
        print(f"proxops: {outcome.failure}", file=sys.stderr)
    extra = {**ran.figures(), "flight_software_failure": outcome.failure or None}
    return finish(folder, cell, extra, report=report, quiet=quiet)
