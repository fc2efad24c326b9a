"""What a report is made of: sections of tables, drawings, pictures and text. The page and the terminal are made from these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.core.criterion import Criterion
from proxops.ground.panels.sheet import Sheet
from proxops.ground.words import criterion_row


@dataclass(frozen=True)
class Table:
    """Without ``head`` its first column holds the names. A cell that is true or false says whether a bound is kept.
    ``wraps``: cells hold words, not numbers."""

    head: Sequence[str]
    rows: Sequence[Sequence[str | bool]]
    caption: str = ""
    wraps: bool = False


@dataclass(frozen=True, eq=False)
class Drawing:
    """A sheet of panels, or a figure of Matplotlib."""

    figure: Sheet | Any
    caption: str


@dataclass(frozen=True, eq=False)
class Picture:
    """A rendered picture: rows, columns, red green blue."""

    rgb: NDArray[np.uint8]
    caption: str


@dataclass(frozen=True)
class SideBySide:
    """Tables, or pictures, side by side."""

    parts: Sequence[Table] | Sequence[Picture]


@dataclass(frozen=True)
class Text:
    """Lines: a remark, or a list of them."""

    lines: Sequence[str]


@dataclass(frozen=True)
class Code:
    """What is to be typed, or a file. ``folded``: the line that opens it."""

    text: str
    folded: str = ""


Part = Table | Drawing | Picture | SideBySide | Text | Code


@dataclass(frozen=True)
class Section:
    """``parts`` are made when they are asked for: drawings are many and large. No ``heading``: goes on with the last one."""

    heading: str
    parts: Iterable[Part]


class RunVerdict(NamedTuple):
    """``good`` is None where there is nothing to judge."""

    good: bool | None
    headline: str
    detail: str = ""


@dataclass(frozen=True)
class RunReport:
    """All that is told of a run. ``summary``: every figure, for JSON, with ``criteria`` and ``passed``. ``brief``: tables for
    the terminal. ``sections`` of the page can be gone through once."""

    title: str
    about: str
    verdict: RunVerdict
    summary: dict[str, Any]
    brief: Iterable[Section]
    sections: Iterable[Section]


def criteria_table(criteria: Iterable[dict[str, Any]]) -> Table:
    """Of the rows of a summary."""
    rows = [criterion_row(Criterion.of(row)) for row in criteria]
    return Table(("criterion", "measured", "bound", ""), rows, wraps=True)
