"""Processes that are overseen: told of, held, ended with all they have started, and gone when their overseer is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from proxops.console.overseen_process import OverseenProcess

PATIENCE_S = 30.0
COUNTS = """
import sys, time
from pathlib import Path
from proxops.runs.overseer import Overseer
overseer, t = Overseer(Path(sys.argv[1])), 0
while True:
    overseer.wait_while_held()
    t += 1
    overseer.tell("counting", t, 1e6)
    time.sleep(0.001)
"""
STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid, file=sys.stderr, flush=True)
time.sleep(600)
"""
CRASHES = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid, file=sys.stderr, flush=True)
raise ValueError("no such thing")
"""
OVERSEER = """
import os, sys, time
from proxops.console.overseen_process import OverseenProcess
process = OverseenProcess(lambda ring: [sys.executable, "-c", sys.argv[1], str(ring)])
while not process.progress["begun"]:
    time.sleep(0.01)
if sys.argv[2] == "heir":  # a child of the console that has its end of the pipe open
    if os.fork() == 0:
        os.close(1)
        time.sleep(5)
        os._exit(0)
if sys.argv[2] == "held":
    process.hold()
    while not process.progress["held"]:
        time.sleep(0.01)
print(process.pid, flush=True)
time.sleep(600)
"""
Start = Callable[[str], OverseenProcess]


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def alive(pid: int) -> bool:
    """A process that nobody has reaped yet is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.fixture
def start() -> Iterator[Start]:
    started: list[OverseenProcess] = []

    def starter(program: str) -> OverseenProcess:
        started.append(OverseenProcess(lambda ring: [sys.executable, "-c", program, str(ring)]))
        return started[-1]

    yield starter
    for process in started:
        process.close()


def test_it_is_held_and_goes_on_where_it_was(start: Start) -> None:
    process = start(COUNTS)
    assert not process.progress["begun"]
    until(lambda: process.progress["t_s"] > 0)
    assert bytes(process.progress["what"]) == b"counting"
    process.hold()
    until(lambda: process.progress["held"])
    stood = float(process.progress["t_s"])
    time.sleep(0.3)
    assert process.progress["t_s"] == stood
    process.go()
    until(lambda: process.progress["t_s"] > stood)
    assert not process.progress["held"]
    assert process.exit_code is None


def test_one_that_is_held_can_be_ended(start: Start) -> None:
    process = start(COUNTS)
    process.hold()  # before it has begun
    until(lambda: process.progress["held"])
    assert process.progress["t_s"] == 0.0
    assert process.end() == -signal.SIGTERM


def test_one_that_will_not_end_is_killed_with_what_it_has_started(start: Start) -> None:
    process = start(STUBBORN)
    until(process.last_words)
    child = int(process.last_words())
    assert alive(child)
    assert process.end() == -signal.SIGKILL
    until(lambda: not alive(child))


def test_a_crash_is_told_and_leaves_nothing(start: Start) -> None:
    process = start(CRASHES)
    until(lambda: process.exit_code is not None)
    assert process.exit_code == 1
    assert process.last_words().endswith("ValueError: no such thing")
    until(lambda: not alive(int(process.last_words().split()[0])))
    process.hold()  # nobody is there: no matter
    assert process.end() == 1


@pytest.mark.parametrize("how", ["alone", "held", "heir"])
def test_it_does_not_outlive_its_overseer(how: str) -> None:
    overseer = subprocess.Popen([sys.executable, "-c", OVERSEER, COUNTS, how], stdout=subprocess.PIPE)
    assert overseer.stdout is not None
    pid = int(overseer.stdout.readline())
    assert alive(pid)
    os.kill(overseer.pid, signal.SIGKILL)
    overseer.wait()
    until(lambda: not alive(pid))
    overseer.stdout.close()
