"""A scripted run as a whole: log, summary, report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from proxops.core.scenario import Scenario
from proxops.facility.run import run_lockstep, run_realtime
from proxops.facility.run_options import RunOptions
from proxops.facility.session import WARMING, finish, monitor, prepare_folder


def session(scenario: Scenario, folder: Path, options: RunOptions) -> dict[str, Any]:
    """Run it into ``folder``; the summary."""
    from proxops.facility.progress import progress_bar

    options.demand_only(scenario.name, scenario.kind, "cell", "user_tool")
    cell, record = options.read_cell(), folder / "run.mcap"
    prepare_folder(folder)
    if options.realtime:
        print(WARMING, file=sys.stderr, flush=True)
        ran = run_realtime(cell, scenario, record, None if options.quiet else monitor)
    else:
        with progress_bar(options.quiet) as progress:
            ran = run_lockstep(cell, scenario, record, progress=progress)
    return finish(folder, cell, ran.figures(), report=options.report, quiet=options.quiet)
