"""A mission in the served hall as the scenario picker flies it; the facility is two rings of the test's own and a deaf port."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from proxops.console.facility_about import FacilityAbout
from proxops.console.scenario_run import ScenarioRuns
from proxops.core.messages import MISSION_DTYPE, POOL_DTYPE
from proxops.core.mission import parse_mission
from proxops.core.ring import Ring

PATIENCE_S = 400.0  # everything may have to be compiled
MISSION = """
like = "approach"
name = "brief"
about = "Some seconds at 5 m"
duration_s = 2.0
plan = [{ kind = "hold", duration_s = 100.0 }]
[start]
position_m = [-5.0, 0.0, 0.0]
[hall]
join_s = 0.1
"""


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_a_mission_is_flown_paused_and_told(tmp_path: Path) -> None:
    path, at = tmp_path / "brief.toml", ("127.0.0.1", 9)
    path.write_text(MISSION)
    pool, mission = Ring.create("pool", POOL_DTYPE, 4), Ring.create("mission", MISSION_DTYPE, 64)
    about = FacilityAbout(os.getpid(), at, at, pool.path, pool.path, pool.path, pool.path, mission.path, 0.05)
    runs = ScenarioRuns(about, tmp_path, [parse_mission(MISSION, path)])
    try:
        runs.start("brief")
        until(lambda: runs.state()["t_s"] > 0.1)
        assert (runs.state()["doing"], runs.state()["duration_s"]) == ("flying", 2.0)
        runs.pause()
        until(lambda: not runs.state()["message"])
        stood_s, records = runs.state()["t_s"], mission.head
        time.sleep(0.5)
        assert runs.state()["phase"] == "paused"
        assert (runs.state()["t_s"], mission.head) == (stood_s, records), "its time stands, and its part of the pool"
        runs.resume()
        until(lambda: runs.state()["phase"] in ("ended", "failed"))
        assert (runs.state()["phase"], runs.state()["message"]) == ("ended", "TIME at 2.0 s")
        # One record a cycle: 0.1 s of waiting, 2 s of flight, 1 s of the last pose. Cycles of the pause are not among them.
        assert 0 <= mission.head - 775 <= 3
    finally:
        runs.close()
        pool.close()
        mission.close()
