"""Processes around a served hall are killed and frozen: the facility goes on, tells, and starts again what it may.

Bounds are counted in the facility's own cycles, read from its ring."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from served_console import Served, child, serve, wait_until

from proxops.core.ending import Ending, EndReason
from proxops.core.errors import Refused
from proxops.core.messages import POOL_DTYPE
from proxops.core.ring import Ring
from proxops.facility.events import ALARMS
from proxops.ground.log import Log

SECOND = 250  # cycles


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    made = serve(tmp_path_factory.mktemp("watchers") / "serve")
    yield made
    made.end()


def alarms(served: Served) -> list[str]:
    return list(served.ask("status")["alarms"])


def head(served: Served) -> int:
    return Ring.attach(served.about.pool_ring, POOL_DTYPE).head


def cycles_until(served: Served, alarm: str, since: int) -> int:
    """Cycles from ``since`` to the first one with this alarm."""
    records, _, _ = Ring.attach(served.about.pool_ring, POOL_DTYPE).read(since, 5000)
    raised = np.flatnonzero(records["state"]["alarms"] >> ALARMS.index(alarm) & 1)
    return int(raised[0])


def answers(served: Served) -> bool:
    words = ["curl", "-s", "-o", "/dev/null", "-m", "2", served.address]
    return subprocess.run(words).returncode == 0


def has_keeper(served: Served, other_than: int) -> bool:
    try:
        return served.keeper_pid() != other_than
    except (subprocess.CalledProcessError, IndexError):
        return False


def has_console(served: Served, other_than: int) -> bool:
    try:
        return served.console_pid() != other_than
    except (subprocess.CalledProcessError, IndexError):
        return False


def test_a_frozen_recorder_alarms_within_a_second_and_forbids_motion(served: Served) -> None:
    recorder = child(served.process.pid, "proxops.ground.recorder")
    since = head(served)
    os.kill(recorder, signal.SIGSTOP)
    try:
        wait_until(lambda: "recorder_hung" in alarms(served), 5.0, "the alarm")
        assert cycles_until(served, "recorder_hung", since) <= SECOND
        with pytest.raises(Refused, match="no motion begins that would not be recorded"):
            served.ask("select", source="manual")
        assert served.ask("status")["mode"] == "READY"
    finally:
        os.kill(recorder, signal.SIGCONT)
    wait_until(lambda: "recorder" not in " ".join(alarms(served)), 5.0, "the alarm cleared")
    served.ask("select", source="manual")
    served.ask("select", source="none")
    served.wait_mode("READY")


def test_a_frozen_console_is_killed_and_comes_back(served: Served) -> None:
    wait_until(lambda: answers(served), 60.0, "a console")
    console = served.console_pid()
    os.kill(console, signal.SIGSTOP)
    wait_until(lambda: has_console(served, console) and answers(served), 40.0, "another console")
    assert not Path(f"/proc/{console}").exists()
    assert "the console has not moved for" in (served.folder.parent / "stderr.txt").read_text()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_keeper_that_is_lost_is_told_and_replaced(served: Served, number: int) -> None:
    wait_until(lambda: answers(served), 60.0, "a console")
    keeper, console, since = served.keeper_pid(), served.console_pid(), head(served)
    os.kill(keeper, number)
    wait_until(lambda: has_keeper(served, keeper), 20.0, "another keeper")
    assert cycles_until(served, "console_lost", since) <= (SECOND if number == signal.SIGKILL else 4 * SECOND)
    wait_until(lambda: has_console(served, console) and answers(served), 40.0, "another console")
    wait_until(lambda: "console_lost" not in alarms(served), 10.0, "the alarm cleared")
    wait_until(lambda: not Path(f"/proc/{console}").exists(), 20.0, "the end of the old console")


def test_nothing_is_started_while_the_hall_moves(served: Served) -> None:
    wait_until(lambda: answers(served), 60.0, "a console")
    served.ask("select", source="sine")
    served.ask("sine", axis="rail", amplitude=0.01, frequency_hz=0.5, cycles=2)
    keeper = served.keeper_pid()
    os.kill(keeper, signal.SIGKILL)
    wait_until(lambda: "console_lost" in alarms(served), 2.0, "the alarm")
    while served.ask("status")["mode"] == "SINE":
        assert not has_keeper(served, keeper) or served.ask("status")["mode"] != "SINE"
        time.sleep(0.1)
    wait_until(lambda: has_keeper(served, keeper), 70.0, "another keeper at standstill")


def test_the_log_tells_it_all_and_how_it_ended(served: Served) -> None:
    served.end()
    log = Log.open(served.folder / "run.mcap")
    assert log.complete and log.ended == Ending(EndReason.OPERATOR, "SIGINT")
    # On a loaded machine the watchdog, a process of its own, may have the last word: that the robots it braked stand.
    told = [name for name in log.events["name"] if not name.startswith(b"watchdog.")]
    assert told[-1] == b"ended"
    said = " ".join(event["text"].decode() for event in log.events if event["name"] == b"console")
    for words in (
        "has not moved",
        "restarted",
        "has ended: a new one was asked for",
        "does not answer: a new one was asked for",
    ):
        assert words in said
    assert (np.diff(log.pool["clock"]["tick"]) == 1).all()
    assert served.process.returncode == 0
