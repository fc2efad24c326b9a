"""Work in a forked process: its exit code, its last words, and signals that come between the fork and its first line."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from proxops.ground.forked_process import EXIT_UNKNOWN, ForkedProcess

PATIENCE_S = 60.0


def test_its_answer_is_the_exit_code() -> None:
    process = ForkedProcess(lambda: 7)
    assert process.wait(PATIENCE_S) == process.poll() == 7


def test_an_error_is_told_and_does_not_come_back_here() -> None:
    process = ForkedProcess(lambda: 1 // 0)
    assert process.wait(PATIENCE_S) == 1
    assert process.stderr is not None and b"ZeroDivisionError" in process.stderr.read()


def test_it_reads_what_it_is_given_until_the_end() -> None:
    process = ForkedProcess(lambda: len(sys.stdin.read()))
    assert process.stdin is not None
    process.stdin.write(b"twelve bytes")
    process.stdin.close()
    assert process.wait(PATIENCE_S) == 12


def test_a_signal_straight_after_the_fork_is_not_handled_by_the_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C reaches both: the parent's handler, in the child, would close the parent's run."""
    fork = os.fork

    def interrupted() -> int:
        pid = fork()
        if not pid:
            os.kill(os.getpid(), signal.SIGINT)
        return pid

    monkeypatch.setattr(os, "fork", interrupted)
    before = os.getpid()
    try:
        process = ForkedProcess(lambda: 7)
    finally:
        if os.getpid() != before:
            (tmp_path / "came_back").touch()
            os._exit(99)
    assert process.wait(PATIENCE_S) == 7 and not (tmp_path / "came_back").exists()
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_a_closed_output_is_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert ForkedProcess(lambda: 0).wait(PATIENCE_S) == 0


def test_last_words_that_nobody_hears_do_not_bring_it_back_here(tmp_path: Path) -> None:
    """The pipe for its errors is closed at the other end: telling them fails, and the child ends all the same."""
    go, before = tmp_path / "go", os.getpid()

    def work() -> int:
        while not go.exists():
            time.sleep(0.005)
        print("words", file=sys.stderr)
        return 7

    try:
        process = ForkedProcess(work)
        assert process.stderr is not None
        process.stderr.close()
        go.touch()
        assert process.wait(PATIENCE_S) == 7
    finally:
        if os.getpid() != before:
            os._exit(99)


def test_one_that_somebody_else_has_waited_for_is_not_called_well() -> None:
    process = ForkedProcess(lambda: 0)
    os.waitpid(process.pid, 0)
    assert process.wait(PATIENCE_S) == EXIT_UNKNOWN != 0
