"""Every example runs as it is, but for the length of a mission."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from patient_cell import patient_cell

HERE = Path(__file__).parents[2] / "examples"
TWO_MINUTES = "duration_s = 120.0\n"  # of the mission of 05 and 06: some cycles of it show that they fly
BY_THE_CLOCK = ("03_satellite_simulator.py", "06_on_board_computer.py", "09_your_own_force_sensor.py")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(path.name, marks=[pytest.mark.live] if path.name in BY_THE_CLOCK else [])
        for path in sorted(HERE.glob("0*.py"))
    ],
)
def test_it_runs(name: str, tmp_path: Path) -> None:
    words = {
        "03_satellite_simulator.py": ["--cell", str(patient_cell(tmp_path))],
        "04_bridge_client.py": ["1", "9"],  # a second, at a port where nobody answers
    }.get(name, [])
    shutil.copytree(HERE, tmp_path / "examples")
    mission = (HERE / "hold.toml").read_text()
    assert TWO_MINUTES in mission
    (tmp_path / "examples" / "hold.toml").write_text(mission.replace(TWO_MINUTES, "duration_s = 12.0\n"))
    command = [sys.executable, str(tmp_path / "examples" / name), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr


def test_an_estimator_of_ones_own_runs() -> None:
    done = subprocess.run([sys.executable, str(HERE / "own_estimator.py")], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "doubt NONE" in done.stdout, done.stderr
