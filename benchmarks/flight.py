"""What a flight in software costs.

As campaigns fly it: ``approach`` with our own flight software, processor's time of the whole and of a cycle of that software.

And what a process of its own costs a user's: example 05 flies its mission in lockstep, without the hall and unrecorded, inside
and in its own process in turns. The mission is cheap, so the share of the exchange is the greatest there is.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Final

from proxops.applications.mission.application import MissionApplication
from proxops.applications.mission.flight_loading import load_flight_software
from proxops.applications.mission.run import run_mission
from proxops.core.flight import Commands, FlightSoftware, Measurements
from proxops.core.mission import Mission, load_mission, parse_mission
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
    flown = [in_software() for _ in range(REPEATS)]
    return {
        "approach_in_software_cpu_s": min(whole_s for whole_s, _ in flown),
        "our_flight_software_us_per_cycle": min(cycle_s for _, cycle_s in flown) * 1e6,
        "times_real_time_inside": file.duration_s / inside_s,
        "times_real_time_own_process": file.duration_s / own_s,
        "ratio_own_process_to_inside": statistics.median(own / inside for inside, own in both),
        "added_us_per_flight_cycle": (own_s - inside_s) / (file.duration_s * file.flight.rate_hz) * 1e6,
    }


class Timed:
    """A flight software, and the processor's time that it takes."""

    def __init__(self, software: FlightSoftware) -> None:
        self._software, self.cpu_s, self.cycles = software, 0.0, 0

    def step(self, measurements: Measurements) -> Commands:
        began = time.thread_time()
        commands = self._software.step(measurements)
        self.cpu_s += time.thread_time() - began
        self.cycles += 1
        return commands


def in_software() -> tuple[float, float]:
    """Processor's seconds of the flagship's flight without a hall, begin and compilation apart; of a cycle of its software."""
    mission = load_mission("approach")
    software = Timed(load_flight_software(None, mission.file, False))
    application = MissionApplication(mission, mission.file.seed, software, 0.0, 300.0)
    began = time.process_time()
    while application.outcome.end is MissionEnd.UNDER_WAY:
        application.fly_on()
    assert application.outcome.end is MissionEnd.MATED, application.outcome
    return time.process_time() - began, software.cpu_s / software.cycles


def seconds_of(cell: Cell, mission: Mission, inside: bool) -> float:
    """Wall time of the flight, without loading."""
    software = f"{EXAMPLES / '05_flight_software.py'}:HoldPosition"
    both = run_mission(cell, mission, None, software=software, inside=inside)
    assert both.outcome.end is MissionEnd.TIME, both.outcome
    return both.ran.wall_s
