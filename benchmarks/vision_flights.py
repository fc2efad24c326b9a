"""Closed loops on images alone, seed after seed: how many mate within the limits, whether the others retreat.

``python -m benchmarks vision_flights``. In orbit's light and software only unless told otherwise: a flight of the camera takes
some minutes of one core. ``PROXOPS_SEEDS`` says how many seeds.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from benchmarks.vision_conditions import CONDITIONS, condition, kept_away, within
from benchmarks.vision_disturbed import disturbed
from proxops.applications.mission.campaign import fly_all, summarise
from proxops.core.mission import Mission
from proxops.lab.any_cell import load_cell

SEEDS: Final = 20


@dataclass(frozen=True)
class Flights:
    """Of one condition."""

    flown: int
    mated: int  # within LIMITS
    retreated: int  # gave up and kept away
    others: tuple[int, ...]  # seeds that did neither
    summary: dict[str, Any]


def flights(mission: Mission, seeds: range, *, hall: bool = False) -> Flights:
    """Flown on all cores."""
    rows = sorted(fly_all(load_cell(), mission, seeds, None, hall), key=lambda row: row.seed)
    mated, away = [within(row) for row in rows], [kept_away(row) for row in rows]
    others = tuple(row.seed for row, one, other in zip(rows, mated, away, strict=True) if not one and not other)
    return Flights(len(rows), sum(mated), sum(away), others, summarise(mission, rows))


def figures() -> Iterator[tuple[str, float | str]]:
    seeds = range(1, 1 + int(os.environ.get("PROXOPS_SEEDS", SEEDS)))
    for name, text in CONDITIONS.items():
        found = flights(condition(text), seeds)
        images = found.summary["images"]
        yield f"{name}: mated within 50 mm, 0.5 deg, 1 deg", f"{found.mated} of {found.flown}"
        yield f"{name}: retreated safely", f"{found.retreated} of {found.flown}"
        yield f"{name}: neither, seeds", " ".join(map(str, found.others)) or "none"
        yield f"{name}: wrong poses accepted", f"{images['wrong']} of {images['accepted']}"
        for row in found.summary["consistency"]:
            low, high = row["range_m"]
            if row["runs"]:
                inside = round(row["inside_95"] * row["runs"])
                yield f"{name}: last estimate inside 95 %, {low:g} to {high:g} m", f"{inside} of {row['runs']}"


def run() -> dict[str, float | str]:
    return dict(figures()) | dict(disturbed())
