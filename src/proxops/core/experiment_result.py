"""What an experiment with an arm gives: series over time, figures, criteria. Log, summary and report are made from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Progress = Callable[[str, float, float], None]  # what is being done, how many seconds of it, of how many


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


@dataclass(frozen=True)
class Criterion:
    """A bound and what was measured. ``kind``: at most, at least, equal."""

    name: str
    value: Any
    bound: Any
    kind: str = "at most"
    unit: str = ""

    @property
    def passed(self) -> bool:
        if self.kind == "equal":
            return bool(self.value == self.bound)
        if self.value is None or not np.isfinite(self.value):
            return False
        return bool(self.value <= self.bound if self.kind == "at most" else self.value >= self.bound)


@dataclass(frozen=True, eq=False)
class CameraView:
    """What one camera of the experiment saw. ``frame``: x right and y down in the image, z into it. No distortion."""

    frame: str
    size_px: tuple[int, int]  # width, height
    intrinsics: tuple[float, float, float, float]  # fx, fy, cx, cy in pixels
    images: tuple[tuple[float, bytes], ...]  # s, PNG; in order of time


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
    camera: CameraView | None = None  # for the log

    @property
    def passed(self) -> bool:
        return not self.failure and all(row.passed for row in self.criteria)
