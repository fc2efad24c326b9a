"""What the hall shows of a spinning target, against what its axes could show: ``python -m benchmarks.studies.spinning_target``.

The chaser stands beside the target in space, 2 to 20 m away and 0 to 90 deg off the axis about which the target turns at 0 to 10
deg/s. *Could*: ``proxops check``'s pass with an ideal clutch, every axis and port within its limits. *Shown*: the share of
the last 20 s in which the bridge followed, and how far it was off at most.
"""

from __future__ import annotations

import math
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from proxops.applications.scripted.run import run_lockstep
from proxops.bridge.settings import settings_of
from proxops.core.scenario import Scenario, parse_scenario
from proxops.core.vocabulary import Phase
from proxops.facility.feasibility.asked import ScriptedMotion
from proxops.facility.feasibility.examination import Examiner
from proxops.facility.feasibility.motion import Change, motion_of
from proxops.facility.feasibility.stretch import TrialHall
from proxops.ground.log import Log
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell

DISTANCES_M: Final = (2.0, 5.0, 10.0, 20.0)
OFF_DEG: Final = (0.0, 30.0, 60.0, 90.0)
SPINS_DEG_S: Final = (0.0, 3.0, 6.0, 10.0)
SOFT_S, SPINNING_S, LOOKED_AT_S = 5.0, 60.0, 20.0  # of the spin: its rise, all of it, the end that is judged


@dataclass(frozen=True)
class Row:
    """One case: could the axes show it, the share of its end that was shown, and by how much the clutch was off there."""

    could: bool
    shown_share: float
    left_m: float


def scenario_of(distance_m: float, off_deg: float, spin_deg_s: float) -> Scenario:
    """A hold until the hall has joined, then the spin."""
    off, joining_s = math.radians(off_deg), 12.0 + 2.5 * distance_m
    spin = (
        f'{{ kind = "tumble", duration_s = {SPINNING_S}, spin_deg_s = {spin_deg_s}, axis = [1, 0, 0], soft_s = {SOFT_S} }}'
        if spin_deg_s
        else f'{{ kind = "hold", duration_s = {SPINNING_S} }}'
    )
    return parse_scenario(
        f'name = "spinning"\nkind = "scripted"\nabout = "a case of the study"\nseed = 1\n'
        f'motion = [{{ kind = "hold", duration_s = {joining_s} }}, {spin}]\n'
        f"[start]\ndistance_m = {distance_m}\ndirection = [{math.cos(off)}, {math.sin(off)}, 0.0]\n",
        Path("spinning.toml"),
    )


def row_of(cell: Cell, scenario: Scenario) -> Row:
    """Examine it, then run it."""
    settings = settings_of(scenario.bridge)
    motion = motion_of(ScriptedMotion(scenario, sun_matters=False), Change(settings.scale))
    could = Examiner(TrialHall(cell, settings)).examine(motion).fits
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.mcap"
        run_lockstep(cell, scenario, path)
        log = Log.open(path)
    sending = np.isfinite(log.values("commanded_relative.x"))
    end = np.flatnonzero(sending)[-round(LOOKED_AT_S / 0.004) :]
    left = log.values("bridge.left_m")[end]
    following = log.values("bridge.phase")[end] == Phase.FOLLOWING
    return Row(could, float(following.mean()), float(np.nanmax(left)) if np.isfinite(left).any() else math.nan)


def main() -> int:
    """The table; 1 if anything that the axes could show was not shown."""
    if len(sys.argv) > 1:
        print(__doc__)
        return 2
    cell, missed = load_cell(), 0
    print("distance  off axis  spin       could  shown   left")
    for distance_m in DISTANCES_M:
        for off_deg in OFF_DEG:
            for spin_deg_s in SPINS_DEG_S:
                row = row_of(cell, scenario_of(distance_m, off_deg, spin_deg_s))
                missed += row.could and row.shown_share < 1.0
                print(
                    f"{distance_m:5.0f} m   {off_deg:4.0f} deg  {spin_deg_s:4.0f} deg/s  {'yes' if row.could else 'no':5s}"
                    f"{100.0 * row.shown_share:5.0f} %  {1e3 * row.left_m:8.3f} mm",
                    flush=True,
                )
    print(f"{missed} cases could have been shown and were not")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
