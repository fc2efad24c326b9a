"""An experiment with an arm as the command line runs it: log, summary, report."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

from proxops.core.experiment import Experiment
from proxops.core.messages import PERIOD_S
from proxops.facility.experiments import carry_out
from proxops.facility.session import RESULTS, prepare_folder


def experiment_session(
    experiment: Experiment, folder: Path, *, realtime: bool, seed: int | None, report: bool, quiet: bool
) -> dict[str, Any]:
    """Run it into ``folder``; the summary."""
    from proxops.facility.progress import progress_bar
    from proxops.ground.experiment_log import write_experiment

    options = {"realtime": realtime or None, "seed": seed}
    with progress_bar(quiet) as bar:

        def progress(what: str, done_s: float, of_s: float) -> None:
            bar("experiment", round(done_s / PERIOD_S), round(of_s / PERIOD_S))

        result = carry_out(
            experiment, progress, **{name: value for name, value in options.items() if value is not None}
        )
    prepare_folder(folder)
    file = experiment.file
    metadata = {
        "scenario": file.name, "about": file.about, "kind": file.kind, "model": file.arm.model, "proxops": version("proxops"),
        "scenario_file": experiment.text, "seed": str(seed) if seed is not None else "",
        "clock": "wall" if realtime else "lockstep",
    }  # fmt: skip
    write_experiment(folder / "run.mcap", result, metadata)
    return sum_up(folder, report=report, quiet=quiet)


def sum_up(folder: Path, *, report: bool, quiet: bool) -> dict[str, Any]:
    """Summary, report and terminal tables from the log."""
    from rich.console import Console

    from proxops.ground.experiment_log import about_of
    from proxops.ground.experiment_report import print_experiment, write_experiment_report
    from proxops.ground.log import Log

    log = Log.open(folder / "run.mcap")
    about = about_of(log)
    assert about is not None
    summary = {"scenario": log.metadata["scenario"], "kind": log.metadata["kind"], **about}
    (folder / "summary.json").write_text(json.dumps(summary, indent=2, ensure_ascii=False) + "\n")
    if not quiet:
        print_experiment(about, Console())
    if report:
        write_experiment_report(log, folder / "report.html")
    if not quiet:
        print(f"\n{folder}: {', '.join(name for name in RESULTS if (folder / name).exists())}")
    return summary
