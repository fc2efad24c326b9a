"""What decides between the four task-space laws of paper 003: mean errors in metres, one effect at a time and together.

Some two minutes; docs/arms.md has the table. The paper's Table 5 is of its visual servoing, a motion of the same kind and size.
"""

from __future__ import annotations

import math

from benchmarks.studies.law_study import CASES, mean_errors
from proxops.core.task_law_table import TABLE_5_M


def run() -> dict[str, float | str]:
    """Laws 1 to 4, and which has the least."""
    rows: dict[str, float | str] = {"paper 003, Table 5": _told(TABLE_5_M)}
    for case in CASES:
        rows[case.name] = _told(mean_errors(case))
    return rows


def _told(means: dict[int, float]) -> str:
    best = min(means, key=lambda law: means[law] if math.isfinite(means[law]) else math.inf)
    return "  ".join(f"{mean:.1e}" for mean in means.values()) + f"  best: law {best}"
