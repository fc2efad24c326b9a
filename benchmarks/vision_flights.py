"""Closed loops on images alone, seed after seed: how many mate within the limits, whether the others retreat.

``python -m benchmarks vision_flights``. In orbit's light and software only unless told otherwise: a flight of the camera takes
some minutes of one core. ``PROXOPS_SEEDS`` says how many seeds.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from proxops.applications.mission.campaign import RunFigures, fly_all, summarise
from proxops.core.mission import Mission, parse_mission
from proxops.core.vocabulary import MissionEnd
from proxops.lab.any_cell import load_cell

SEEDS: Final = 20
LIMITS: Final = (0.05, math.radians(0.5), math.radians(1.0))  # lateral m, tilt, roll at contact
KEPT_AWAY_M: Final = 2.3  # of the centres of mass, by who does not mate: their spheres do not touch

CONDITIONS: Final[dict[str, str]] = {
    "slow tumble": 'like = "approach_camera"\n',
    "5 deg/s spin": """like = "approach_camera"
[target]
attitude = { axis = [-0.8, 0.0, -0.6], rate_deg_s = [5.0, 0.0, 0.0] }
inertia_kg_m2 = [[420.0, 0.0, 0.0], [0.0, 400.0, 0.0], [0.0, 0.0, 380.0]]
[dispersion]
target_attitude_deg = 1.0
""",
    "2.3 deg/s off axis, lamp": """like = "approach_camera"
[target]
attitude = { rate_deg_s = [2.0, 0.8, -0.8] }
[scenery.illuminator]
intensity_w_sr = 100.0
""",
}
HEAD: Final = 'kind = "mission"\nname = "flights"\nabout = "closed loop on images"\n'


@dataclass(frozen=True)
class Flights:
    """Of one condition."""

    flown: int
    mated: int  # within LIMITS
    retreated: int  # gave up and kept away
    others: tuple[int, ...]  # seeds that did neither
    summary: dict[str, Any]


def condition(text: str) -> Mission:
    """A mission from its text; tables stand behind the keys of the file."""
    return parse_mission(HEAD + text, Path("flights.toml"))


def flights(mission: Mission, seeds: range, *, hall: bool = False) -> Flights:
    """Flown on all cores."""
    rows = sorted(fly_all(load_cell(), mission, seeds, None, hall), key=lambda row: row.seed)
    mated, away = [within(row) for row in rows], [kept_away(row) for row in rows]
    others = tuple(row.seed for row, one, other in zip(rows, mated, away, strict=True) if not one and not other)
    return Flights(len(rows), sum(mated), sum(away), others, summarise(mission, rows))


def within(row: RunFigures) -> bool:
    values = (row.lateral_m, row.tilt_rad, row.roll_rad)
    near = all(value is not None and abs(value) <= limit for value, limit in zip(values, LIMITS, strict=True))
    return row.end == MissionEnd.MATED.name and near


def kept_away(row: RunFigures) -> bool:
    return row.end == MissionEnd.TIME.name and row.abort != "NONE" and row.least_distance_m > KEPT_AWAY_M


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
    return dict(figures())
