"""An experiment with an arm as the command line runs it: log, summary, report."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from proxops.applications.experiments import carry_out
from proxops.applications.kinds import drawings_of
from proxops.arms.model import shipped_models
from proxops.core.errors import ProxopsError
from proxops.core.experiment import ArmExperimentFile, Experiment, ExperimentFile
from proxops.core.experiment_result import ExperimentResult, Progress
from proxops.core.messages import PERIOD_S
from proxops.core.user_file import read_bytes
from proxops.core.xml_text import LARGEST_BYTES
from proxops.facility.interruption import noted_interrupt
from proxops.facility.run_folder import finish, prepare_folder, tell_of_log
from proxops.facility.run_options import RunOptions
from proxops.ground.experiment_log import MODEL, write_experiment
from proxops.ground.experiment_report import experiment_report
from proxops.ground.log import Log
from proxops.ground.recorder import EXIT_UNFINISHED
from proxops.ground.row_stream import RowStream
from proxops.ground.section import RunReport
from proxops.lab.cell import Cell


def session(experiment: Experiment, folder: Path, options: RunOptions) -> dict[str, Any]:
    """Run it into ``folder``; the summary. A folder that cannot be used is refused before anything moves."""
    from proxops.facility.progress import progress_bar

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
        "scenario": file.name, "about": file.about, "kind": file.kind, "model": _model(file), "proxops": version("proxops"),
        "scenario_file": experiment.text, "seed": str(used) if used is not None else "",
        "clock": "wall" if realtime else "lockstep",
    }  # fmt: skip
    stream, whole = RowStream(folder / "run.mcap", metadata, live=realtime), 1
    with progress_bar(options.quiet, options.overseer) as bar:

        def progress(what: str, done_s: float, of_s: float) -> None:
            nonlocal whole
            whole = max(1, round(of_s / PERIOD_S))
            bar(experiment.name, round(done_s / PERIOD_S), whole)

        try:
            said = {name: value for name, value in given.items() if value is not None}
            result = _carried_out(experiment, progress, stream, said)
        except BaseException as error:
            stream.abandon(error)
            raise
        bar(experiment.name, whole, whole)
    with noted_interrupt():
        _write(stream, result, metadata)
    return finish(folder, report, {}, report=options.report, quiet=options.quiet)


def _write(stream: RowStream, result: ExperimentResult, metadata: dict[str, str]) -> None:
    """The log's end; the whole of it if it was not streamed, or if its recorder failed and the rows are still here. The facility
    has ended its own log."""
    if result.recorder_code is not None:
        tell_of_log(result.recorder_code)
        return
    code = stream.finish(result) if stream.begun else 0
    tell_of_log(code)
    if code == EXIT_UNFINISHED:  # the file is still the recorder's
        raise ProxopsError(f"{stream.path}: the run was carried out, but its recorder does not end")
    if code:
        lost = ", without the images and frames for viewers" if stream.feed else ""
        print(f"proxops: it is written again from memory{lost}", file=sys.stderr)
    if code or not stream.begun:
        write_experiment(
            stream.path, replace(result, attachments={**stream.attachments, **result.attachments}), metadata
        )


def _carried_out(
    experiment: Experiment, progress: Progress, stream: RowStream, options: dict[str, Any]
) -> ExperimentResult:
    """With the URDF beside the series, as it was when the run began: a log can be analysed where that file is not."""
    if not isinstance(experiment.file, ArmExperimentFile):
        return _run(experiment, progress, stream, options)
    given = experiment.model_path()
    path = shipped_models().get(str(given), Path(given))
    if path.is_file():  # no such model: the experiment says so
        stream.attachments[MODEL] = read_bytes(path, "the URDF", LARGEST_BYTES)
    return _run(experiment, progress, stream, options)


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
