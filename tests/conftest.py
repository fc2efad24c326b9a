"""Which tests keep wall-clock time: they run alone, the others share the cores (see ``make test``). And what must be set before
any test imports NumPy or MuJoCo, here and in the processes that tests start."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from proxops.lab.cell import Cell  # which brings NumPy: not before the lines below

os.environ.setdefault("MUJOCO_GL", "egl")
# On shared cores its threads wait for each other, busily: five times the work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A shell that starts the suite in the background has it ignore Ctrl-C, and all that tests start would do the same.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

gc.disable()  # what is imported and collected stays: see pytest_collection_finish

settings.register_profile("house", deadline=None)  # no test asserts wall-clock time
settings.load_profile("house")

TESTS = Path(__file__).parent
PARTING_S = 20.0  # for threads that are about to end
LIVE = {  # files with a live facility that is judged by its clock, or with limits of milliseconds
    "facility/test_live.py", "facility/test_responder_live.py", "runs/test_hall_eyes_live.py", "applications/test_kill.py",
    "applications/mission/test_mission_live.py", "applications/mission/test_flight_host.py",
    "house/test_wheel.py",  # keeps no time, but wants the kernels that all others have compiled
}  # fmt: skip
LONG = (  # some seconds of work or more each: begun first, lest one of them is left over for the end
    "applications/mission/test_mission.py", "onboard/test_navigation.py", "console/test_browser.py",
    "applications/docking/test_docking.py", "applications/mission/test_flight_process.py",
    "applications/load_calibration/test_load_calibration.py", "bridge/test_clutch.py", "examples/test_examples.py",
    "applications/floating/test_float.py", "applications/servo/test_servo.py", "bridge/test_bridged.py",
    "applications/grasp/test_grasp.py", "facility/test_arm_cells.py", "house/test_docs.py",
    "applications/tracking/test_tracking.py", "console/test_server.py", "onboard/test_approach.py",
    "applications/kube/test_experiment.py", "applications/test_check.py", "cli/test_cli.py",
    "applications/mission/test_mission_report.py", "console/test_arm_browser.py", "console/test_watchers.py",
    "bridge/test_bridge_fuzz.py", "laws/test_mapping.py", "ground/test_bad_logs.py", "ground/test_report.py",
    "ground/test_bridge_report.py", "laws/test_free_floating.py", "cli/test_scenario.py", "console/test_token.py",
    "laws/test_impulse_study.py", "onboard/test_marker_finder.py", "console/test_scenario_run.py", "facility/desk/test_desk.py",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if place_of(item) in LIVE:
            item.add_marker("live")
    items.sort(key=lambda item: LONG.index(place_of(item)) if place_of(item) in LONG else len(LONG))


def pytest_collection_finish() -> None:
    """What is there now stays until the end: thousands of tests, all that they import. Nobody need look through it for garbage
    again and again; that took a fifteenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


def place_of(item: pytest.Item) -> str:
    """Its file below tests/."""
    return _below_tests(item.path)


@cache
def _below_tests(path: Path) -> str:
    return path.relative_to(TESTS).as_posix()


@pytest.fixture(scope="module", autouse=True)
def no_thread_stays() -> Iterator[None]:
    """A process with a second thread cannot be forked: every recorder of every test after it would be a new interpreter, which is
    a second of work."""
    before = set(threading.enumerate())
    yield
    until = time.monotonic() + PARTING_S
    while left := set(threading.enumerate()) - before:
        assert time.monotonic() < until, f"left behind: {left}"
        time.sleep(0.01)


@pytest.fixture(scope="session")
def cell() -> Cell:
    """The shipped hall."""
    from proxops.lab.any_cell import load_cell

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
