"""kill -9 in the middle of a run with an arm, or of a docking: the log reads to its last second."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from patient_cell import patient_cell

from proxops.core.ending import EndReason
from proxops.ground.log import Log

GROWN = {"float": 400_000, "kube": 1_000_000, "docking": 2_500_000}  # bytes of a log by which its run is well under way


def wait_for(true: object, what: str, seconds: float = 240.0) -> None:
    until = time.monotonic() + seconds
    while not true():  # type: ignore[operator]
        assert time.monotonic() < until, what
        time.sleep(0.02)


@pytest.mark.parametrize(
    "words", [("float", "--realtime"), ("kube", "--realtime"), ("docking",)], ids=lambda words: words[0]
)
def test_a_killed_run_has_its_log(words: tuple[str, ...], tmp_path: Path) -> None:
    log = tmp_path / "out" / "run.mcap"
    command = [sys.executable, "-m", "proxops.cli", "run", *words, "--out", str(log.parent)]
    command += ["--cell", str(patient_cell(tmp_path, "fzi"))] if words[0] == "float" else []
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path)
    try:
        wait_for(
            lambda: process.poll() is None and log.exists() and log.stat().st_size > GROWN[words[0]], "no log grows"
        )
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    wait_for(lambda: Log.open(log).complete, "the recorder does not end")
    left = Log.open(log)
    assert left.ended is not None and left.ended.reason is EndReason.FACILITY_KILLED
    assert left.values("clock.t_sim")[-1] > 1.0
    if words[0] == "docking":
        assert {"setpoint", "hall_truth", "docking", "felt"} <= set(left.pool.dtype.names)
