"""The console is started again when it ends before its time, not too often, and ends with its keeper."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from served_console import wait_until

from proxops.console import keeper
from proxops.console.keeper import Keeper
from proxops.core.pulse import Pulse
from proxops.core.restarts import RESTARTS, WITHIN_S, Restarts

ENDS_AT_THE_THIRD = """
import sys, pathlib
count = pathlib.Path(sys.argv[1])
said = count.read_text() + "x"
count.write_text(said)
sys.exit(0 if len(said) == 3 else 7)
"""


def test_only_so_many_in_a_minute() -> None:
    restarts = Restarts()
    for k in range(RESTARTS):
        assert restarts.wait_s(10.0 * k) == 0.0
        restarts.count(10.0 * k)
    assert restarts.wait_s(25.0) == WITHIN_S - 25.0
    assert restarts.wait_s(WITHIN_S) == 0.0
    restarts.count(WITHIN_S)
    assert restarts.wait_s(WITHIN_S) == 10.0  # the second of them counts now


def test_started_again_until_it_ends_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(keeper, "LOOK_S", 0.02)
    count = tmp_path / "count"
    count.write_text("")
    kept = Keeper([], 0, os.getppid())
    kept._command = [sys.executable, "-c", ENDS_AT_THE_THIRD, str(count)]
    kept.run()
    assert count.read_text() == "xxx"
    assert capfd.readouterr().err.count("the console has ended (exit code 7): restarted") == 2


KEEPS = """
import os, signal, sys
from proxops.console import keeper
signal.signal(signal.SIGTERM, keeper._told_to_end)
kept = keeper.Keeper([], 0, os.getppid())
kept._command = [sys.executable, "-c", sys.argv[1], sys.argv[2]]
kept.run()
"""
STAYS = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(60)"
FACILITY = "import subprocess, sys, time; print(subprocess.Popen(sys.argv[1:]).pid, flush=True); time.sleep(60)"


@pytest.mark.parametrize("how", ["told", "orphaned"])
def test_nothing_outlives_it(tmp_path: Path, how: str) -> None:
    """A stand-in for the facility starts the keeper; its console would go on for long."""
    told = tmp_path / "pid"
    words = [sys.executable, "-c", FACILITY, sys.executable, "-c", KEEPS, STAYS, str(told)]
    facility = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert facility.stdout is not None
    kept = int(facility.stdout.readline())
    wait_until(lambda: told.is_file() and told.read_text(), 20.0, "a console")
    console = int(told.read_text())
    if how == "told":
        os.kill(kept, signal.SIGTERM)
    else:
        facility.kill()
        facility.wait()
    wait_until(lambda: not alive(console) and not alive(kept), 10.0, "the end of both")
    facility.kill()
    facility.wait()


def alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_the_socket_outlives_the_console(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who connects between two consoles is served by the second."""
    monkeypatch.setattr(keeper, "LOOK_S", 0.02)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        client = socket.create_connection(listening.getsockname())
        answers = (
            "import socket, sys; s = socket.socket(fileno=int(sys.argv[1])); c, _ = s.accept(); c.sendall(b'here'); c.close();"
            "sys.exit(0)"
        )
        kept = Keeper([], listening.fileno(), os.getppid())
        good = [sys.executable, "-c", answers, str(listening.fileno())]
        kept._command = [sys.executable, "-c", "raise SystemExit(3)"]
        slept = kept._slept

        def then_good(seconds: float) -> bool:
            if seconds == 0.0:  # between the two
                kept._command = good
            return slept(seconds)

        monkeypatch.setattr(kept, "_slept", then_good)
        kept.run()
        assert client.recv(10) == b"here"
        client.close()


HANGS_AT_FIRST = """
import os, pathlib, signal, sys
os.write(int(sys.argv[2]), b"\\n")
began = pathlib.Path(sys.argv[1])
if not began.exists():
    began.write_text("")
    os.kill(os.getpid(), signal.SIGSTOP)
"""


def test_a_console_that_hangs_is_killed_told_and_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(keeper, "LOOK_S", 0.02)
    monkeypatch.setattr(keeper, "HANGS_S", 0.3)
    facility = Pulse(3.0, 60.0)
    kept = Keeper([], 0, os.getppid(), facility.writing)
    kept._command = [sys.executable, "-c", HANGS_AT_FIRST, str(tmp_path / "began"), str(kept._pulse.writing)]
    kept.run()
    told = facility.listen(0.0)
    assert "has not moved for" in told[0] and "killed" in told[0]
    assert told[1] == "the console has ended (exit code -9): restarted"
    said = capfd.readouterr().err
    assert all(f"proxops: {text}" in said for text in told)
    assert facility.heard
    facility.close()
