"""A recorded run, played again from its own log, is the same run tick by tick."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from proxops.core.vocabulary import Mode, System
from proxops.facility.play import play
from proxops.facility.warmup import standing
from proxops.ground.log import Log
from proxops.lab.any_cell import load_cell
from proxops.lab.trajectory import Trajectory


def columns(log: Log, group: str, rows: np.ndarray) -> np.ndarray:
    part = log.pool[group][rows]
    return np.column_stack([part[name] for name in part.dtype.names])


@pytest.mark.parametrize("system", list(System))
def test_the_log_holds_all_that_is_needed_to_repeat_a_run(tmp_path: Path, system: System) -> None:
    """Commands out of the log, same cell and seed: wish, set-point and actual come out bit for bit."""
    cell = load_cell()
    motion = standing(cell, system, 300)
    column = 21 if system in (System.IJT, System.IDC) else 0
    motion.values[:, column] += (1 - np.cos(np.linspace(0, 2 * np.pi, 300))) * (5.0 if column == 21 else 0.005)
    logs = []
    for name in ("first.mcap", "again.mcap"):
        assert play(cell, motion, tmp_path / name, seed=5).stop is None
        log = Log.open(tmp_path / name)
        commands = log.pool["command"]
        taken = (commands["fresh"] == 1) & (log.pool["state"]["mode"] == Mode.RUNNING)
        taken |= commands["sequence"] == 1  # the first line is shown from the selection on
        first = np.unique(commands["sequence"][taken], return_index=True)[1]
        rows = np.flatnonzero(taken)[first]
        values = np.column_stack([commands[f"c{i}"][rows] for i in range(1, 23)])
        motion = Trajectory(commands["system"][rows].astype(np.int16), values, name)
        logs.append(log)
    assert len(motion) == 300
    assert len(logs[0].pool) == len(logs[1].pool)
    every = np.arange(len(logs[0].pool))
    for group in ("wish", "setpoint", "actual", "answer", "actual_port1", "actual_port2"):
        np.testing.assert_array_equal(columns(logs[0], group, every), columns(logs[1], group, every))
