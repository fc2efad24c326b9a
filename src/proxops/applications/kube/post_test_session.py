"""``proxops arm analyse``: from a run's log to analysis.json and analysis.html."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any, Final

from proxops.applications.kube.beside_paper import beside_paper
from proxops.applications.kube.figures import timing_figures
from proxops.applications.kube.post_test import analyse
from proxops.applications.kube.post_test_figures import draw
from proxops.applications.kube.post_test_result import told
from proxops.applications.kube.recorded_test import open_test
from proxops.ground.experiment_log import about_of
from proxops.ground.experiment_report import told_sections, told_tables, told_verdict
from proxops.ground.results import write_results
from proxops.ground.section import RunReport
from proxops.runs.progress import progress_bar

RESULTS: Final = ("analysis.json", "analysis.html")


def analysis_session(folder: Path, model: Path | None, *, quiet: bool) -> dict[str, Any]:
    """Read ``folder``/run.mcap, write the results beside it; the analysis as plain values."""
    log, file, loop, arm, true_arm = open_test(folder, model)
    with progress_bar(quiet) as bar:
        post = analyse(arm, true_arm, file, loop, bar)
    run = about_of(log) or {"failure": f"no result: {log.ended_words}", "figures": {}}
    about = told(post, file, run["failure"])
    if file.printed is not None:
        about["tables"].insert(0, beside_paper(post, loop, file.arm.friction))
    report = RunReport(
        f"{log.metadata.get('scenario', 'run')}: analysis after the test", "", told_verdict(about), about, told_tables(about),
        told_sections(about, chain(draw(post), timing_figures(loop, run))),
    )  # fmt: skip
    write_results(folder, report, summary=RESULTS[0], page=RESULTS[1], quiet=quiet, told=RESULTS)
    return about
