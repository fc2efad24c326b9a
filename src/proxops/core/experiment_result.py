"""What an experiment with an arm gives: series over time, figures, criteria. Log, summary and report are made from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.criterion import Criterion

Floats = NDArray[np.float64]
Progress = Callable[[str, float, float], None]  # what is being done, how many seconds of it, of how many


LEAST_ROWS: Final = 2  # of a run that is told of: fewer have no course
POSE: Final = (("x", "m"), ("y", "m"), ("z", "m"), ("qw", ""), ("qx", ""), ("qy", ""), ("qz", ""))
TWIST: Final = (("vx", "m/s"), ("vy", "m/s"), ("vz", "m/s"), ("wx", "rad/s"), ("wy", "rad/s"), ("wz", "rad/s"))
WRENCH: Final = (("fx", "N"), ("fy", "N"), ("fz", "N"), ("tx", "N m"), ("ty", "N m"), ("tz", "N m"))
"""Columns of series that are poses, velocities, wrenches: name and unit."""


@dataclass(frozen=True, eq=False)
class Series:
    """Columns over the experiment's time: a group of variables in the log. ``columns``: name and unit."""

    name: str
    meaning: str
    columns: tuple[tuple[str, str], ...]
    values: Floats  # (rows, columns)


@dataclass(frozen=True, eq=False)
class ExperimentResult:
    """``failure``: why the run ended early, empty if it did not. ``conventions``: what a reader must know beside every figure.
    ``tables``: (caption, head, rows) for the report and the terminal."""

    t: Floats  # (rows) s
    series: tuple[Series, ...]
    figures: dict[str, Any]  # for summary.json: numbers, texts, lists of them
    criteria: tuple[Criterion, ...]
    conventions: tuple[str, ...] = ()
    tables: tuple[tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]], ...] = ()
    failure: str = ""
    attachments: dict[str, bytes] = field(default_factory=dict)  # for the log, by file name
    recorder_code: int | None = None  # of a run that has written its log itself; None: somebody else has to

    @property
    def passed(self) -> bool:
        return not self.failure and all(row.passed for row in self.criteria)
