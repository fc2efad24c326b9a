"""What a process of its own costs a user's flight software: example 05 flies its mission in lockstep, without the hall and
unrecorded, inside and in its own process in turns. The mission is cheap, so the share of the exchange is the greatest there is.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Final

from proxops.applications.mission.run import run_mission
from proxops.core.mission import Mission, parse_mission
from proxops.core.vocabulary import MissionEnd
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell

SECONDS: Final = 600.0  # of the mission: begin and end of the process, about 1 s, do not count for much
REPEATS: Final = 3
EXAMPLES: Final = Path(__file__).parents[1] / "examples"


def run() -> dict[str, float]:
    """Multiples of real time, medians; what the process adds to a cycle of the flight software."""
    path = EXAMPLES / "hold.toml"
    text = path.read_text().replace("duration_s = 120.0", f"duration_s = {SECONDS}")
    cell, mission = load_cell(), parse_mission(text, path)
    seconds_of(cell, mission, inside=True)  # compile
    both = [(seconds_of(cell, mission, inside=True), seconds_of(cell, mission, inside=False)) for _ in range(REPEATS)]
    inside_s, own_s = (statistics.median(column) for column in zip(*both, strict=True))
    file = mission.file
    return {
        "times_real_time_inside": file.duration_s / inside_s,
        "times_real_time_own_process": file.duration_s / own_s,
        "ratio_own_process_to_inside": statistics.median(own / inside for inside, own in both),
        "added_us_per_flight_cycle": (own_s - inside_s) / (file.duration_s * file.flight.rate_hz) * 1e6,
    }


def seconds_of(cell: Cell, mission: Mission, inside: bool) -> float:
    """Wall time of the flight, without loading."""
    software = f"{EXAMPLES / '05_flight_software.py'}:HoldPosition"
    both = run_mission(cell, mission, None, software=software, inside=inside)
    assert both.outcome.end is MissionEnd.TIME, both.outcome
    return both.ran.wall_s
