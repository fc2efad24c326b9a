"""What a kind of run adds to the summary and the report of a run through the hall: figures, criteria, words, sections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from proxops.core.criterion import Criterion
from proxops.ground.log import Log
from proxops.ground.section import Section
from proxops.lab.cell import Cell

Figures = dict[str, Any]


@dataclass(frozen=True)
class Chapter:
    """``name``: of its figures in the summary. ``read``: what ``figures`` and ``sections`` work on, once for both; None where a
    log has none of it. The other functions are given the figures. ``headline``: how the run went and more about it. ``rows``:
    name and value of what one wants to know first."""

    name: str
    read: Callable[[Log], Any]
    figures: Callable[[Any, Cell], Figures]
    criteria: Callable[[Figures], list[Criterion]]
    headline: Callable[[Figures], tuple[str, str]]
    rows: Callable[[Figures], list[tuple[str, ...]]]
    sections: Callable[[Any, Cell, Figures], Iterator[Section]]
