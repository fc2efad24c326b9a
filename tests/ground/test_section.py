"""Sections become a page and a terminal's tables; criteria become rows that people read."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from proxops.core.criterion import Criterion
from proxops.core.errors import BadInput
from proxops.ground.report_page import write_page
from proxops.ground.results import write_results
from proxops.ground.section import Code, RunReport, RunVerdict, Section, SideBySide, Table, Text, criteria_table
from proxops.ground.terminal import print_brief
from proxops.ground.words import criterion_row

ROWS = [Criterion("a_m", 0.0015, 0.002, unit="m", label="a <b>", shown_in="mm"), Criterion("[red]c", 2, 1)]


def report() -> RunReport:
    table = criteria_table([row.plain() for row in ROWS])
    sections = [
        Section(
            "First & last", [Table(("name", "value"), [("x", "<1>")], "note"), Text(["one"]), Text(["one", "two"])]
        ),
        Section(
            "", [SideBySide([Table((), [("left", "1")]), Table((), [("right", "2")])]), Code("a < b", folded="more")]
        ),
        Section("Criteria", [table]),
    ]
    verdict = RunVerdict(False, "1 of 2 [bold] not met", "a < b")
    return RunReport("run <1>", "about", verdict, {"passed": False}, [Section("Criteria", [table])], sections)


@pytest.mark.parametrize(
    ("criterion", "value", "bound"),
    [
        (Criterion("", 0.00152345, 0.002, unit="m", shown_in="mm"), "1.523 mm", "≤ 2 mm"),
        (Criterion("", 0.25, 0.0, "at least", shown_in="%"), "25 %", "≥ 0 %"),
        (Criterion("", -0.0, 1e-9, unit="rad"), "0 rad", "≤ 1e−09 rad"),
        (Criterion("", 12345.6, 1e5, unit="N"), "12 346 N", "≤ 100 000 N"),
        (Criterion("", 1234567, 0), "1 234 567", "≤ 0"),
        (Criterion("", None, 1.0, unit="m"), "–", "≤ 1 m"),
        (Criterion("", True, False, "equal"), "yes", "no"),
        (Criterion("", "stopped", "finished", "equal"), "stopped", "finished"),
    ],
)
def test_a_criterion_is_told_with_four_digits_in_the_unit_that_reads_well(
    criterion: Criterion, value: str, bound: str
) -> None:
    assert criterion_row(criterion)[1:3] == (value, bound)


def test_the_page_has_every_part_and_no_markup_from_outside(tmp_path: Path) -> None:
    write_page(report(), tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    for part in (
        "<h1>run &lt;1&gt;</h1>", '<div class="verdict bad"><strong>1 of 2 [bold] not met</strong><p>a &lt; b</p>',
        "<h2>First &amp; last</h2>", "<td class=number>&lt;1&gt;</td>", "<caption>note</caption>", '<p class="soft">one</p>',
        "<ul><li>one</li><li>two</li></ul>", '<div class="pairs">', "<details><summary>more</summary><pre>a &lt; b</pre>",
        "<td>a &lt;b&gt;</td><td>1.5 mm</td><td>≤ 2 mm</td>", "✓ met", "✗ not met",
    ):  # fmt: skip
        assert part in text, part
    assert text.count("<h2>") == 2


def test_the_terminal_has_verdict_and_brief() -> None:
    console = Console(file=io.StringIO(), width=100)
    print_brief(report(), console)
    text = str(console.file.getvalue())  # type: ignore[attr-defined]
    for words in ("1 of 2 [bold] not met  a < b", "a <b>", "1.5 mm", "[red]c", "NOT MET"):
        assert words in text, words
    assert "First" not in text


def test_results_are_written_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run.mcap").touch()
    write_results(tmp_path, report(), page=None, quiet=True)
    assert capsys.readouterr().out == ""
    assert {path.name for path in tmp_path.iterdir()} == {"run.mcap", "summary.json"}
    write_results(tmp_path, report(), quiet=False)
    assert capsys.readouterr().out.endswith(f"{tmp_path}: summary.json, run.mcap, report.html\n")


def test_a_page_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "report.html").mkdir()
    with pytest.raises(BadInput, match=r"report\.html: cannot be written"):
        write_results(tmp_path, report(), quiet=True)
