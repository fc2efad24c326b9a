"""The files that a run leaves for people and programs: summary.json and report.html beside its log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from proxops.ground.report_page import write_page
from proxops.ground.section import RunReport
from proxops.ground.terminal import print_brief

SUMMARY: Final = "summary.json"
PAGE: Final = "report.html"
RESULTS: Final = (SUMMARY, "run.mcap", PAGE, "facility.json")
"""All that a run may leave, in the order in which people are told."""


def write_results(
    folder: Path, report: RunReport, *, page: str | None = PAGE, summary: str | None = SUMMARY, quiet: bool,
    told: Sequence[str] = RESULTS,
) -> None:  # fmt: skip
    """Summary, page and, unless ``quiet``, the brief on the terminal with those of ``told`` that there are."""
    if summary:
        text = json.dumps(report.summary, indent=2, ensure_ascii=False) + "\n"
        (folder / summary).write_text(text, encoding="utf-8")
    if page:  # before anything is printed: a terminal that is gone must not cost the page
        write_page(report, folder / page)
    if not quiet:
        from rich.console import Console

        print_brief(report, Console())
        print(f"\n{folder}: {', '.join(name for name in told if (folder / name).exists())}")
