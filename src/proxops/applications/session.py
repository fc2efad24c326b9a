"""An experiment with an arm as the command line runs it: log, summary, report."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

from proxops.applications.experiments import carry_out
from proxops.applications.kinds import drawings_of
from proxops.core.errors import ProxopsError
from proxops.core.experiment import ArmExperimentFile, Experiment, ExperimentFile
from proxops.core.experiment_result import ExperimentResult, Progress
from proxops.ground.experiment_report import experiment_report
from proxops.ground.log import Log
from proxops.ground.row_stream import RowStream
from proxops.ground.section import RunReport
from proxops.lab.cell import Cell
from proxops.runs.folder import finish, finish_log, prepare_folder
from proxops.runs.options import RunOptions
from proxops.runs.progress import progress_bar


def session(experiment: Experiment, folder: Path, options: RunOptions) -> dict[str, Any]:
    """Run it into ``folder``; the summary. A folder that cannot be used is refused before anything moves."""
    known = ("seed", "control", "console", "cell", "user_tool", "overseer")
    options.demand_only(experiment.name, experiment.kind, *known)
    realtime, seed = options.realtime, options.seed
    cell = options.read_any_cell() if options.cell or options.user_tool else None
    given = {
        "realtime": realtime or None,
        "seed": seed,
        "control": options.control,
        "console": options.console,
        "cell": cell,
    }
    prepare_folder(folder)
    file = experiment.file
    used = getattr(file, "seed", None) if seed is None else seed
    metadata = {
        "scenario": file.name, "about": file.about, "kind": file.kind, "model": _model(file),
        "proxops_version": version("proxops"),
        "scenario_file": experiment.text, "seed": str(used) if used is not None else "",
        "clock": "wall" if realtime else "lockstep",
    }  # fmt: skip
    stream, whole_s = RowStream(folder / "run.mcap", metadata, live=realtime), 1.0
    with progress_bar(options.quiet, options.overseer) as bar:

        def progress(what: str, done_s: float, of_s: float) -> None:
            nonlocal whole_s
            whole_s = of_s
            bar(experiment.name, done_s, of_s)

        try:
            said = {name: value for name, value in given.items() if value is not None}
            result = _run(experiment, progress, stream, said)
        except BaseException as error:
            stream.abandon(error)
            raise
        bar(experiment.name, whole_s, whole_s)
    finish_log(stream, result, metadata)
    return finish(folder, report, {}, report=options.report, quiet=options.quiet)


def _run(experiment: Experiment, progress: Progress, stream: RowStream, options: dict[str, Any]) -> ExperimentResult:
    try:
        return carry_out(experiment, progress, stream, **options)
    except KeyboardInterrupt:  # experiments that have rows to keep give them back as a failure
        raise ProxopsError(f"{experiment.name}: interrupted, nothing was recorded") from None


def _model(file: ExperimentFile) -> str:
    return file.arm.model if isinstance(file, ArmExperimentFile) else ""


def report(log: Log, cell: Cell | None = None) -> RunReport:
    """Of an experiment's log; it tells all, ``cell`` is for other kinds of runs."""
    return experiment_report(log, drawings_of(log.metadata["kind"]))
