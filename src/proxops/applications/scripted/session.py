"""A scripted run as a whole: log, summary, report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from proxops.applications.scripted.report import report
from proxops.core.scenario import Scenario
from proxops.runs.folder import finish, prepare_folder
from proxops.runs.options import RunOptions
from proxops.runs.progress import WARMING, monitor, progress_bar


def session(scenario: Scenario, folder: Path, options: RunOptions) -> dict[str, Any]:
    """Run it into ``folder``; the summary."""
    from proxops.applications.scripted.run import run_lockstep, run_realtime  # not for the report of a log

    options.demand_only(scenario.name, scenario.kind, "cell", "user_tool")
    cell, record = options.read_cell(), folder / "run.mcap"
    prepare_folder(folder)
    if options.realtime:
        print(WARMING, file=sys.stderr, flush=True)
        ran = run_realtime(cell, scenario, record, None if options.quiet else monitor)
    else:
        with progress_bar(options.quiet) as progress:
            ran = run_lockstep(cell, scenario, record, progress=progress)
    return finish(folder, lambda log: report(log, cell), ran.figures(), report=options.report, quiet=options.quiet)
