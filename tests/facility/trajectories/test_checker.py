"""The trajectory checker as a process: what it finds in files, and that a crash, a hang or too much memory ends a worker only."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.shared.limited_cell import limited

from proxops import client
from proxops.core.clock import LockstepClock
from proxops.core.errors import BadInput
from proxops.core.vocabulary import System
from proxops.facility.build import build
from proxops.facility.desk import desk_verbs
from proxops.facility.desk.status import status
from proxops.facility.trajectories import job as trajectory_job
from proxops.facility.trajectories import preflight, preflighted, standing
from proxops.facility.trajectories.checker import TrajectoryChecker
from proxops.facility.trajectories.checker_process import CheckerProcess, CheckerStart
from proxops.facility.trajectories.intake import IDLE_POLLS, TrajectoryIntake
from proxops.facility.trajectories.message import Message, MessageKind
from proxops.lab import trajectory as trajectory_module
from proxops.lab.cell import Cell
from proxops.lab.trajectory import Trajectory, read_trajectory


class Forked:
    """Starts checkers by a fork of the test: compiled and imported already, and with what the test has replaced."""

    def __init__(self, cell: Cell, job_s: float = 60.0) -> None:
        self.cell, self.job_s, self.pids = cell, job_s, list[int]()

    def __call__(self) -> CheckerProcess:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        pid = os.fork()
        if pid == 0:
            try:
                ours.close()
                theirs.send(Message(MessageKind.READY).packed())
                TrajectoryChecker(theirs, self.cell, self.job_s).run()
            finally:
                os._exit(0)
        theirs.close()
        self.pids.append(pid)
        return CheckerProcess(ours)

    def close(self) -> None:
        for pid in self.pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


class Bench:
    """A facility with a checker; ``load`` is that of ``proxops ctl``, with a channel that does what it is asked at once."""

    def __init__(self, cell: Cell, monkeypatch: pytest.MonkeyPatch, start: Any) -> None:
        clock = LockstepClock()
        self.hall, self.start = build(cell, clock, seed=0, record=None), start
        self.intake = TrajectoryIntake(start)
        self.intake.serve(self.hall.desk, clock.now_ns)
        self._verbs = desk_verbs(self.hall.desk, lambda: None)

    def ask(self, verb: str, **arguments: Any) -> Any:
        self.intake.poll()
        return self._verbs[verb](arguments)

    def ask_with_file(self, verb: str, fd: int, **arguments: Any) -> Any:
        return self.ask(verb, fd=os.dup(fd), **arguments)  # as a socket does

    def load(self, path: Path) -> int:
        return client.load_trajectory(self, path)

    @property
    def desk(self) -> Any:
        return self.hall.desk

    def close(self) -> None:
        self.intake.close()
        self.hall.close()


@pytest.fixture
def bench_with(cell: Cell, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Bench]]:
    made: list[Bench] = []
    preflight.preflight(cell, standing(cell, System.CLW))  # compiled before the fork
    monkeypatch.setattr(client, "LOOK_S", 0.002)

    def make(start: Any = None, **options: Any) -> Bench:
        made.append(Bench(cell, monkeypatch, start or Forked(cell, **options)))
        return made[-1]

    yield make
    for bench in made:
        bench.close()


def test_a_good_file_is_on_the_desk_line_by_line(
    bench_with: Callable[..., Bench], cell: Cell, swing: Any, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(swing(System.CLW, 300))
    expected = preflighted(cell, read_trajectory(path))
    bench = bench_with()

    def never(*arguments: Any) -> Any:
        raise AssertionError("the facility's process parses no file")

    for module, name in (
        (trajectory_module, "parse_trajectory"),
        (trajectory_job, "parse_trajectory"),
        (preflight, "axes_of"),
    ):
        monkeypatch.setattr(module, name, never)  # here; the checker has been forked before
    assert bench.load(path) == 300
    loaded = bench.desk.checked
    np.testing.assert_array_equal(loaded.trajectory.values, expected.trajectory.values)
    np.testing.assert_array_equal(loaded.trajectory.systems, expected.trajectory.systems)
    assert loaded.sha256 == expected.sha256 == status(bench.desk)["load"]["sha256"]
    assert loaded.trajectory.source == str(path)
    path.write_text("")  # cut while it is loaded
    np.testing.assert_array_equal(loaded.trajectory.values, expected.trajectory.values)
    assert bench.intake.newest.state == "loaded"


def spoilt(motion: Trajectory) -> Trajectory:
    motion.values[120:, 0] += 1.0
    return motion


def test_what_is_wrong_is_told_in_the_words_of_the_reader(
    bench_with: Callable[..., Bench], cell: Cell, swing: Any, write: Any, tmp_path: Path
) -> None:
    bench = bench_with()
    good = write(swing(System.IJT, 20)).read_text()
    texts = {
        "empty.txt": "", "columns.txt": good + "3 1 2\n", "word.txt": good.replace("0", "zero", 1),
        "system.txt": good.replace("3 ", "7 ", 1), "nan.txt": good.replace(" 0 ", " nan ", 1),
        "latin.txt": good + "\xff", "npy.txt": "\x93NUMPY\x01\x00v\x00{'descr': 'O'}",
    }  # fmt: skip
    paths = [tmp_path / name for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text, encoding="latin-1")
    paths += [write(spoilt(swing(System.CLW, 200)), "jump.txt"), tmp_path / "none.txt"]
    for path in paths:
        with pytest.raises(BadInput) as theirs:
            preflight.preflight(cell, read_trajectory(path))
        with pytest.raises(BadInput) as ours:
            bench.load(path)
        assert str(ours.value) == str(theirs.value)
        assert bench.desk.checked is None
    assert bench.load(write(swing(System.IJT, 20))) == 20


def test_pipes_devices_and_large_files_are_refused_where_they_are_read(
    bench_with: Callable[..., Bench], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trajectory_job, "LARGEST_BYTES", 1000)
    monkeypatch.setattr(trajectory_job, "MOST_LINES", 20)
    bench = bench_with()
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(BadInput, match="a plain file"):
            bench.load(path)
    assert status(bench.desk)["load"]["job"] == 0
    for text, told in (("x" * 1001, "too large; got 1001 bytes"), ("1\n" * 21, "too many lines; got 21; allowed: 20")):
        (tmp_path / "large").write_text(text)
        with pytest.raises(BadInput, match=told):  # also by the checker, whoever made the copy
            bench.load(tmp_path / "large")


def misbehaving(what: Callable[[], None]) -> Callable[..., Any]:
    """``parse_trajectory`` that goes wrong over texts that begin with BAD."""
    real = trajectory_module.parse_trajectory

    def parse(text: str, source: str) -> Trajectory:
        if text.startswith("BAD"):
            what()
        return real(text, source)

    return parse


def out_of_memory() -> None:
    bytearray(2 * trajectory_job.MEMORY_BYTES)


@pytest.mark.parametrize(
    ("what", "told"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), r"has ended \(signal 9\)"),
        (lambda: os._exit(7), r"has ended \(exit 7\)"),
        (lambda: 1 / 0, r"has ended \(exit 1\)"),
        (lambda: time.sleep(3600), "took longer than 2 s"),
        (lambda: os.kill(os.getpid(), signal.SIGSTOP), "took longer than 2 s"),
        (out_of_memory, "too much memory"),
    ],
    ids=["crash", "exit", "exception", "hang", "stopped", "memory"],
)
def test_whatever_a_file_does_to_its_worker_the_next_one_is_checked(
    bench_with: Callable[..., Bench], what: Callable[[], None], told: str, monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path, swing: Any, write: Any,
) -> None:  # fmt: skip
    monkeypatch.setattr(trajectory_job, "parse_trajectory", misbehaving(what))
    bench, bad = bench_with(job_s=2.0 if "longer" in told else 60.0), tmp_path / "bad.txt"
    bad.write_text("BAD")
    with pytest.raises(BadInput, match=rf"bad\.txt: .*{told}"):
        bench.load(bad)
    assert status(bench.desk)["load"]["checker"] == "running"
    assert bench.load(write(swing(System.IJT, 20))) == 20


def test_a_killed_checker_is_named_and_the_next_load_starts_another(
    bench_with: Callable[..., Bench], swing: Any, write: Any
) -> None:
    bench, path = bench_with(), write(swing(System.IJT, 20))
    os.kill(bench.start.pids[0], signal.SIGKILL)
    os.waitid(os.P_PID, bench.start.pids[0], os.WEXITED | os.WNOWAIT)
    for _ in range(IDLE_POLLS):
        bench.intake.poll()
    assert "has ended" in bench.intake.told()["checker"]
    assert bench.load(path) == 20 and len(bench.start.pids) == 2


def test_the_real_process_checks_with_the_facilitys_own_cell(
    bench_with: Callable[..., Bench], cell: Cell, swing: Any, write: Any
) -> None:
    """Which may exist in memory only: here its axes are slower than any file says."""
    path, slow = write(swing(System.CLW, 100)), limited(cell, speed=0.01 * cell.guarded.speed)
    bench = bench_with(CheckerStart(slow))
    with pytest.raises(BadInput) as theirs:
        preflight.preflight(slow, read_trajectory(path))
    with pytest.raises(BadInput) as ours:
        bench.load(path)
    assert str(ours.value) == str(theirs.value)
    assert bench.load(write(standing(cell, System.IJT, 100))) == 100
