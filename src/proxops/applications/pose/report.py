"""All that is told of a look through recorded images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from proxops.applications.pose.figures import draw_errors
from proxops.applications.pose.overlay import Rgb
from proxops.applications.pose.statistics import Figures, PoseJudgement
from proxops.ground.section import Code, Drawing, Part, Picture, RunReport, RunVerdict, Section, SideBySide, Table, Text

COLUMNS = (
    "range [m]", "images", "accepted", "wrong", "mm/m", "95 %", "deg", "95 %", "σ mm/m", "σ deg", "NEES", "inside",
)  # fmt: skip
ABREAST = 3  # pictures
BRIEF = 8  # columns on a terminal


@dataclass(frozen=True, eq=False)
class PoseResult:
    """``about``: what was looked through, with what; ``notes``: what is assumed, what could not be read."""

    title: str
    about: Figures
    figures: Figures
    judged: Sequence[PoseJudgement]
    notes: Sequence[str]
    pictures: Sequence[tuple[Rgb, str]]
    command: str


def report(result: PoseResult) -> RunReport:
    figures = result.figures
    summary = {
        "kind": "pose",
        **result.about,
        **figures,
        "notes": list(result.notes),
        "criteria": [],
        "passed": not figures["unread"] and not figures["interrupted"],
    }
    return RunReport(
        result.title, f"Poses of {result.about['model']} in recorded images of {result.about['sensor']}", _verdict(figures),
        summary, list(_brief(result)), _sections(result),
    )  # fmt: skip


def _verdict(figures: Figures) -> RunVerdict:
    wrong = figures["wrong"]
    words = f"{figures['accepted']} of {figures['images']} images gave a pose"
    if wrong is not None:
        words += f", {wrong or 'none'} of them wrong"
    detail = f"{figures['unread']} more could not be read" if figures["unread"] else ""
    if figures["interrupted"]:
        detail = ", ".join(filter(None, ("interrupted", detail)))
    return RunVerdict(None if not wrong else False, words, detail)


def _brief(result: PoseResult) -> Iterator[Section]:
    figures = result.figures
    whole = _ranges(figures)
    rows = [row[:BRIEF] for row in whole.rows]
    yield Section("", [Table(whole.head[:BRIEF], rows)])
    if figures["doubts"]:
        yield Section("", [_doubts(figures)])
    if result.notes:
        yield Section("", [Table((), [("note", text) for text in result.notes], wraps=True)])


def _sections(result: PoseResult) -> Iterator[Section]:
    figures = result.figures
    yield Section("Error against range" if figures["with_truth"] else "What is claimed against range", _errors(result))
    yield Section("Accepted and refused", [_counts(figures), *([_doubts(figures)] if figures["doubts"] else [])])
    if result.pictures:
        yield Section("Pictures", list(_rows(result.pictures)))
    if result.notes:
        yield Section("What is assumed, and what could not be read", [Text(list(result.notes))])
    told = [(key.replace("_", " "), str(value)) for key, value in result.about.items() if value not in (None, "")]
    yield Section("Provenance", [Table((), told), Code(result.command)])


def _errors(result: PoseResult) -> Iterator[Part]:
    yield _ranges(result.figures)
    if result.figures["accepted"]:
        yield Drawing(
            draw_errors(result.judged),
            "Accepted poses. Grey: the standard deviation that is claimed, of the widest axis.",
        )


def _ranges(figures: Figures) -> Table:
    rows = [(f"{row['from_m']:g} … {row['to_m']:g}", *_cells(row)) for row in figures["ranges"]]
    return Table(COLUMNS, [*rows, ("all", *_cells({**figures, "judged": figures["images"]}))], caption=(
        "Of accepted poses: place in mm for each m of range and attitude, median and 95 %; the median standard deviation that is "
        "claimed, widest axis; NEES, 6 in the mean where claims are true, and the share inside its 95 % bounds. Wrong: off by "
        "more than 1 % of the range or 1.5 deg."
    ))  # fmt: skip


def _cells(row: Figures) -> tuple[str, ...]:
    return (
        str(row["judged"]), str(row["accepted"]), _words(row["wrong"], "{}"),
        *(_words(row[f"place_{share}_mm_per_m"], "{:.2f}") for share in ("median", "p95")),
        *(_words(row[f"turn_{share}_deg"], "{:.3f}") for share in ("median", "p95")),
        _words(row["sigma_median_mm_per_m"], "{:.2f}"), _words(row["sigma_median_deg"], "{:.3f}"),
        _words(row["nees_mean"], "{:.1f}"), _words(row["nees_inside_share"], "{:.0%}"),
    )  # fmt: skip


def _counts(figures: Figures) -> Table:
    rows = [
        ("images", str(figures["images"])), ("with truth", str(figures["with_truth"])), ("accepted", str(figures["accepted"])),
        ("refused", str(figures["refused"])), ("searched as a whole", str(figures["searched"])),
        ("client lost", str(figures["lost"])), ("trust of accepted poses, median", _words(figures["trust_median"], "{:.2f}")),
        ("against what was expected, by both covariances, median (5.3 if true)", _words(figures["against_expected"], "{:.1f}")),
        ("could not be read", str(figures["unread"])),
        ("time for an image, median / 95 %", _pair(figures["median_ms"], figures["p95_ms"], "{:.0f}", "ms")),
    ]  # fmt: skip
    return Table((), rows)


def _doubts(figures: Figures) -> Table:
    return Table(
        ("refused because", "images"), [(name.replace("_", " "), str(n)) for name, n in figures["doubts"].items()]
    )


def _rows(pictures: Sequence[tuple[Rgb, str]]) -> Iterator[Part]:
    parts = [Picture(rgb, words) for rgb, words in pictures]
    for first in range(0, len(parts), ABREAST):
        yield SideBySide(parts[first : first + ABREAST])


def _words(value: Any, form: str) -> str:
    return "-" if value is None else form.format(value)


def _pair(a: float | None, b: float | None, form: str, unit: str) -> str:
    return "-" if a is None or b is None else f"{form.format(a)} / {form.format(b)} {unit}".rstrip()
