"""The whole tick against real time on ONE core, recording on: read, convert CLW with inverse kinematics, limits, hall, record."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from proxops.core.messages import PERIOD_S
from proxops.facility.play import play
from proxops.ground.log import Log
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell
from proxops.lab.trajectory import Trajectory, read_trajectory

ROOT = Path(__file__).parents[1]
REPEATS = 5


def demo_trajectory(folder: Path) -> Trajectory:
    """The demo's trajectory, made by its example."""
    path = folder / "rendezvous.txt"
    subprocess.run(
        [sys.executable, str(ROOT / "examples" / "rendezvous.py"), str(path)], check=True, capture_output=True
    )
    return read_trajectory(path)


def run() -> dict[str, float]:
    """Best and median of several runs; the recorder process shares the core, its time counts."""
    cell, cores = load_cell(), os.sched_getaffinity(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trajectory = demo_trajectory(folder)
        play(cell, trajectory, None)  # compile
        os.sched_setaffinity(0, {max(cores)})
        try:
            recorded = sorted(_times_real_time(cell, trajectory, folder / "run.mcap") for _ in range(REPEATS))
            bare = sorted(_times_real_time(cell, trajectory, None) for _ in range(REPEATS))
        finally:
            os.sched_setaffinity(0, cores)
        log = Log.open(folder / "run.mcap")
        size = (folder / "run.mcap").stat().st_size / log.count
    return {
        "times_real_time_recorded_median": recorded[REPEATS // 2],
        "times_real_time_recorded_best": recorded[-1],
        "times_real_time_unrecorded_median": bare[REPEATS // 2],
        "tick_us_unrecorded": PERIOD_S * 1e6 / bare[REPEATS // 2],
        "log_bytes_per_cycle": size,
        "required": 50.0,
        "aim": 150.0,
    }


def _times_real_time(cell: Cell, trajectory: Trajectory, record: Path | None) -> float:
    """From the first cycle to the closed log; reading and checking the file beforehand does not count."""
    played = play(cell, trajectory, record)
    assert played.stop is None and played.recorder_code == 0
    return played.cycles * PERIOD_S / played.wall_s
