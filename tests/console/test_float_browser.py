"""The console watches a live micro-gravity run in a browser: the arm moves, the module's variables are there, a stop ends it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from patient_cell import patient_cell
from served_console import Served, Tab, announced

from proxops.applications.catalogue import experiment_paths
from proxops.ground.log import Log
from proxops.lab.any_cell import read_any_cell

OpenTab = Callable[..., Tab]


@pytest.fixture(scope="module")
def floating(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("float_console")
    cell, scenario = patient_cell(folder, "fzi"), folder / "long.toml"
    scenario.write_text(experiment_paths()["float"].read_text().replace("flight_s = 20.0", "flight_s = 600.0"))
    command = [sys.executable, "-m", "proxops.cli", "run", str(scenario), "--realtime", "--console", "--control", "0"]
    command += ["--cell", str(cell), "--out", str(folder / "run"), "--no-report"]
    made = announced(command, folder / "run", read_any_cell(cell))
    yield made
    made.end()


def test_the_run_is_seen_pushed_and_stopped(floating: Served, open_tab: OpenTab) -> None:
    tab = open_tab(floating.address)
    tab.wait_mode("RUNNING")
    names = tab.ask("() => proxops.desk.hello.variables.map((variable) => variable.path)")
    assert {"module.x", "felt.fz", "loop.stage", "setpoint.robot1_a1"} <= set(names)
    tab.open("rvd")
    tab.wait("proxops.hall", 30.0)
    before = tab.ask("() => proxops.hall.axesShown('actual')")
    floating.ask("push", x_Ns=0.0, y_Ns=1.5, z_Ns=0.0, duration_s=0.1)
    tab.wait(f"Math.abs(proxops.hall.axesShown('actual')[0] - ({before[0]})) > 2e-3", 20.0)
    tab.page.click("#safe-stop")
    tab.wait_mode("STOPPED")
    assert floating.process.wait(60) == 1
    assert tab.errors == []
    log = Log.open(Path(floating.folder) / "run.mcap")
    assert log.complete
    assert np.abs(log.values("setpoint_rate.robot1_a1")).max() > 1e-3
    assert log.values("setpoint_rate.robot1_a1")[-1] == 0.0
