"""A mission as the command line runs it: once with log and report, or many times with a table of the worst."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_S
from proxops.core.mission import Mission
from proxops.core.vocabulary import MissionEnd
from proxops.facility.mission_run import run_mission
from proxops.facility.session import finish, prepare_folder
from proxops.lab.cell import Cell


def mission_session(
    cell: Cell, mission: Mission, folder: Path, *, realtime: bool, seed: int | None, software: str | None,
    use_hall: bool | None, report: bool, quiet: bool,
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
        from proxops.facility.mission_live import run_mission_realtime

        print("warming up …", file=sys.stderr, flush=True)
        ran, outcome = run_mission_realtime(cell, mission, record, seed=seed, software=software, quiet=quiet)
    else:
        with progress_bar(quiet) as progress:
            both = run_mission(
                cell, mission, record, seed=seed, software=software, use_hall=use_hall, progress=progress
            )
        ran, outcome = both.ran, both.outcome
    if outcome.end is MissionEnd.FLIGHT_SOFTWARE:
        print(f"proxops: {outcome.failure}", file=sys.stderr)
    extra: dict[str, Any] = {
        "wall_time_s": ran.wall_s,
        "times_real_time": ran.cycles * PERIOD_S / ran.wall_s,
        "recorder_exit_code": ran.recorder_code,
        "real_time": str(ran.real_time) if ran.real_time else None,
        "alarms": list(ran.alarms),
        "flight_software_failure": outcome.failure or None,
    }
    summary = finish(folder, cell, extra, report=report, quiet=quiet)
    summary["passed"] = summary["passed"] and outcome.end is not MissionEnd.FLIGHT_SOFTWARE
    return summary
