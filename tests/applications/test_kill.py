"""kill -9 in the middle of a run with an arm, of a docking or of a calibration: the log reads to its last second."""

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


def killed_in_flight(command: list[str], folder: Path, grown: int) -> Path:
    """The log of a run that was killed when it had ``grown`` bytes. A machine that stands still for a second stops a run that
    keeps wall-clock time, as it should: then once more, and what it said is shown where that does not help."""
    said = []
    for attempt in range(3):
        log = folder / f"out{attempt}" / "run.mcap"
        with (folder / f"said{attempt}.txt").open("w+") as words:
            process = subprocess.Popen([*command, "--out", str(log.parent)], stdout=words, stderr=words, cwd=folder)
            try:
                wait_for(
                    lambda: process.poll() is not None or (log.exists() and log.stat().st_size > grown),  # noqa: B023
                    "no log grows",
                )
            finally:
                ended = process.poll() is not None
                process.kill()
                process.wait()
            if not ended:
                return log
            words.seek(0)
            said.append(words.read()[-2000:])
    raise AssertionError("the run ended by itself, three times:\n" + "\n".join(said))


@pytest.mark.parametrize(
    "words",
    [
        ("run", "float", "--realtime"), ("run", "kube", "--realtime"), ("run", "docking"), ("run", "servo"), ("run", "grasp"),
        ("ft", "calibrate"),
    ],
    ids=lambda words: words[1],
)  # fmt: skip
def test_a_killed_run_has_its_log(words: tuple[str, ...], tmp_path: Path) -> None:
    given = (words[0], one_law(tmp_path)) if words[1] == "servo" else words
    command = [sys.executable, "-m", "proxops.cli", *given]
    if words[1] in CELLS:
        command += ["--cell", str(patient_cell(tmp_path, CELLS[words[1]]))]
    log = killed_in_flight(command, tmp_path, GROWN[words[1]])
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
    report = report_of_log(left)  # of what there is, and of nothing that was kept or reached
    assert not report.summary["passed"] and not report.verdict.good and "facility_killed" in report.verdict.headline
    assert report.summary["cycles"] == left.count and list(report.sections)
