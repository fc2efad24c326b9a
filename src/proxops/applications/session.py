"""An experiment with an arm as the command line runs it: log, summary, report."""

from __future__ import annotations

import json
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
from proxops.facility.run_options import RunOptions
from proxops.facility.session import RESULTS, prepare_folder, tell_of_log
from proxops.ground.experiment_log import MODEL
from proxops.ground.recorder import EXIT_UNFINISHED
from proxops.ground.row_stream import RowStream


def session(experiment: Experiment, folder: Path, options: RunOptions) -> dict[str, Any]:
    """Run it into ``folder``; the summary. A folder that cannot be used is refused before anything moves."""
    from proxops.facility.progress import progress_bar

    known = ("seed", "control", "cell", "user_tool", "overseer")
    options.demand_only(experiment.name, experiment.kind, *known)
    realtime, seed = options.realtime, options.seed
    cell = options.read_cell() if options.cell or options.user_tool else None
    given = {"realtime": realtime or None, "seed": seed, "control": options.control, "cell": cell}
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
    return sum_up(folder, report=options.report, quiet=options.quiet)


def _write(stream: RowStream, result: ExperimentResult, metadata: dict[str, str]) -> None:
    """The log's end; the whole of it if it was not streamed, or if its recorder failed and the rows are still here."""
    from proxops.ground.experiment_log import write_experiment

    code = stream.finish(result) if stream.begun else 0
    tell_of_log(code)
    if code == EXIT_UNFINISHED:  # the file is still the recorder's
        raise ProxopsError(f"{stream.path}: the run was carried out, but its recorder does not end")
    if code:
        print("proxops: it is written again from memory", file=sys.stderr)
    if code or not stream.begun:
        write_experiment(stream.path, result, metadata)


def _carried_out(
    experiment: Experiment, progress: Progress, stream: RowStream, options: dict[str, Any]
) -> ExperimentResult:
    """With the URDF beside the series, as it was when the run began: a log can be analysed where that file is not."""
    if not isinstance(experiment.file, ArmExperimentFile):
        return _run(experiment, progress, stream, options)
    given = experiment.model_path()
    path = shipped_models().get(str(given), Path(given))
    urdf = (
        {MODEL: read_bytes(path, "the URDF", LARGEST_BYTES)} if path.is_file() else {}
    )  # no such model: the experiment says so
    result = _run(experiment, progress, stream, options)
    return replace(result, attachments={**urdf, **result.attachments})


def _run(experiment: Experiment, progress: Progress, stream: RowStream, options: dict[str, Any]) -> ExperimentResult:
    try:
        return carry_out(experiment, progress, stream, **options)
    except KeyboardInterrupt:  # experiments that have rows to keep give them back as a failure
        raise ProxopsError(f"{experiment.name}: interrupted, nothing was recorded") from None


def _model(file: ExperimentFile) -> str:
    return file.arm.model if isinstance(file, ArmExperimentFile) else ""


def sum_up(folder: Path, *, report: bool, quiet: bool) -> dict[str, Any]:
    """Summary, report and terminal tables from the log."""
    from rich.console import Console

    from proxops.ground.experiment_log import about_of
    from proxops.ground.experiment_report import print_experiment, write_experiment_report
    from proxops.ground.log import Log

    log = Log.open(folder / "run.mcap")
    about = about_of(log)
    if about is None:
        raise ProxopsError(f"{folder}: the log does not tell what came of the run")
    told = {name: log.metadata[name] for name in ("scenario", "kind", "model", "seed", "clock", "proxops")}
    summary = {**told, **about}
    (folder / "summary.json").write_text(json.dumps(summary, indent=2, ensure_ascii=False) + "\n")
    if report:  # before anything is printed: a terminal that is gone must not cost the page
        write_experiment_report(log, drawings_of(log.metadata["kind"]), folder / "report.html")
    if not quiet:
        print_experiment(about, Console())
        print(f"\n{folder}: {', '.join(name for name in RESULTS if (folder / name).exists())}")
    return summary
