"""A recorded bridge run reproduces from its own log: the scenario it carries, run again, gives every value of every cycle."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from proxops.applications.scripted.run import run_lockstep
from proxops.core.scenario import parse_scenario
from proxops.core.vocabulary import Phase
from proxops.ground.log import Log
from proxops.lab.any_cell import load_cell

SCENARIO = """
name = "replayed"
about = "Noise, losses, jitter, a silence and a jump: all seeded"
seed = 7
motion = [
    { kind = "hold", duration_s = 14.0 },
    { kind = "fly_around", angle_deg = 8.0, rate_deg_s = 2.0, axis = [0, 0, 1] },
    { kind = "silence", duration_s = 1.0 },
    { kind = "jump", distance_m = 4.0 },
    { kind = "hold", duration_s = 10.0 },
]
[start]
distance_m = 4.5
[client]
frame = "eci"
position_noise_mm = 0.2
attitude_noise_deg = 0.01
[network]
drift = -0.005
jitter_ms = 3.0
loss = 0.02
burst = 2.0
duplicate = 0.01
reorder = 0.01
"""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Log, Log]:
    folder, cell = tmp_path_factory.mktemp("replay"), load_cell()
    run_lockstep(cell, parse_scenario(SCENARIO, Path("replayed.toml")), folder / "first.mcap")
    first = Log.open(folder / "first.mcap")
    again = parse_scenario(first.metadata["scenario_file"], Path("from_the_log.toml"))
    run_lockstep(cell, again, folder / "again.mcap")
    return first, Log.open(folder / "again.mcap")


def test_every_value_of_every_cycle_is_the_same(logs: tuple[Log, Log]) -> None:
    first, again = logs
    assert len(first.pool) == len(again.pool)
    for group in first.pool.dtype.names or ():
        for name in first.pool[group].dtype.names or ():
            assert np.array_equal(
                first.pool[group][name], again.pool[group][name], equal_nan=first.pool[group][name].dtype.kind == "f"
            )


def test_events_are_the_same(logs: tuple[Log, Log]) -> None:
    first, again = logs
    assert [e["text"] for e in first.events] == [e["text"] for e in again.events]


def test_the_run_was_worth_repeating(logs: tuple[Log, Log]) -> None:
    first, _ = logs
    assert {int(Phase.JOINING), int(Phase.CONVERGING), int(Phase.FOLLOWING), int(Phase.WAITING)} <= set(
        first.values("bridge.phase").tolist()
    )
    assert first.values("bridge.extrapolated").max() > 20 and first.values("bridge.stale").max() > 0
