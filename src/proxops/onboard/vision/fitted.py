"""A pose that an estimator has fitted to one image, with what it is judged by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from proxops.core.vision import Floats, Marks
from proxops.core.vocabulary import Doubt


@dataclass(frozen=True, eq=False)
class Fitted:
    """``doubt``: NONE if it passed. ``support``: share of what was looked for that fits; ``fitting``: how many that are."""

    T_sensor_target: Floats  # (7)
    covariance: Floats  # (6, 6), as of ``PoseFound``
    doubt: Doubt
    trust: float
    support: float
    fitting: int
    marks: Marks | None = None


Refine = Callable[[Floats], Fitted | None]
"""Fits the image from a first pose (7) on; None: it led nowhere."""
