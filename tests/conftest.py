"""Which tests keep wall-clock time: they run alone, the others share the cores (see ``make test``). And what must be set before
any test imports MuJoCo: it chooses its OpenGL then."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from proxops.lab.cell import Cell, load_cell

os.environ.setdefault("MUJOCO_GL", "egl")

settings.register_profile("house", deadline=None)  # no test asserts wall-clock time
settings.load_profile("house")

TESTS = Path(__file__).parent
LIVE = {  # files with a live facility, real sockets or loops against the clock
    "facility/test_live.py", "applications/test_kill.py", "applications/mission/test_mission_live.py", "facility/test_control.py",
    "applications/mission/test_flight_link.py",
    "applications/mission/test_flight_host.py", "applications/mission/test_flight_process.py", "facility/test_responder_live.py",
    "clients/test_bridge_client.py", "clients/test_c_client.py", "cli/test_cli.py",
    "house/test_startup.py", "house/test_wheel.py",
    "examples/test_flight_software.py", "ground/test_recorder.py",
}  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.relative_to(TESTS).as_posix() in LIVE:
            item.add_marker("live")


@pytest.fixture(scope="session")
def cell() -> Cell:
    """The shipped hall."""
    return load_cell()


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., tuple[int, str, str]]:
    """Call the command line in this process; (exit code, standard output, standard error)."""
    from proxops.cli import main

    monkeypatch.chdir(tmp_path)

    def call(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["proxops", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
        said = capsys.readouterr()
        return int(end.value.code or 0), said.out, said.err

    return call
