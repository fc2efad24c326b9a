"""kill -9 in the middle of a run with an arm, of a docking or of a calibration: the log reads to its last second."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from patient_cell import patient_cell

from proxops.applications.catalogue import experiment_paths
from proxops.applications.report import report_of_log
from proxops.core.ending import EndReason
from proxops.ground.log import Log

GROWN = {  # bytes of a log that has more than a second of its run
    "float": 260_000, "kube": 1_000_000, "docking": 600_000, "servo": 600_000, "grasp": 400_000, "calibrate": 300_000,
}  # fmt: skip

CELLS = {"float": "fzi", "kube": "kube"}  # of those that keep wall-clock time


def wait_for(true: object, what: str, seconds: float = 240.0) -> None:
    until = time.monotonic() + seconds
    while not true():  # type: ignore[operator]
        assert time.monotonic() < until, what
        time.sleep(0.02)


def one_law(folder: Path) -> str:
    """The servos of the shipped scenario with a single law, which has as many images to be left half written."""
    first, law, *_ = experiment_paths()["servo"].read_text().split("[[law]]")
    path = folder / "servo.toml"
    path.write_text(f"{first}[[law]]{law}")
    return str(path)


@pytest.mark.parametrize(
    "words",
    [
        ("run", "float", "--realtime"), ("run", "kube", "--realtime"), ("run", "docking"), ("run", "servo"), ("run", "grasp"),
        ("ft", "calibrate"),
    ],
    ids=lambda words: words[1],
)  # fmt: skip
def test_a_killed_run_has_its_log(words: tuple[str, ...], tmp_path: Path) -> None:
    log = tmp_path / "out" / "run.mcap"
    given = (words[0], one_law(tmp_path)) if words[1] == "servo" else words
    command = [sys.executable, "-m", "proxops.cli", *given, "--out", str(log.parent)]
    if words[1] in CELLS:
        command += ["--cell", str(patient_cell(tmp_path, CELLS[words[1]]))]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path)
    try:
        wait_for(
            lambda: process.poll() is None and log.exists() and log.stat().st_size > GROWN[words[1]], "no log grows"
        )
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    wait_for(lambda: Log.open(log).complete, "the recorder does not end")
    left = Log.open(log)
    assert left.ended is not None and left.ended.reason is EndReason.FACILITY_KILLED
    assert left.values("clock.t_sim")[-1] > 1.0
    groups = {
        "docking": {"setpoint", "hall_truth", "docking", "felt"}, "calibrate": {"setpoint", "calibration", "reading"},
    }  # fmt: skip
    assert groups.get(words[1], set()) <= set(left.pool.dtype.names)
    if words[1] in ("servo", "grasp"):
        assert left.topics["/camera/image"] >= 2 and left.topics["/tf"] > 25
    if words[1] in ("calibrate", *CELLS):  # a page of what there is, and nothing that was kept or reached
        report = report_of_log(left)
        assert not report.summary["passed"] and not report.verdict.good and "facility_killed" in report.verdict.headline
