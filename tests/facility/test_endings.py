"""Every run of the hall says in its log how it ended; a log that is not whole fails the run."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from proxops.core.clock import LockstepClock
from proxops.core.ending import DONE, Ending, EndReason
from proxops.core.vocabulary import System
from proxops.facility.build import build
from proxops.facility.conclusion import how_it_ended
from proxops.facility.installation import Installation
from proxops.facility.play import play
from proxops.ground.info import describe
from proxops.ground.log import Log
from proxops.ground.recorder import EXIT_LOST
from proxops.runs.play_session import play_session
from proxops.safety.rules import Rule, Stop

DOOR = Stop(Rule.DOOR, detail="door_main")


@pytest.mark.parametrize(
    ("stop", "asked", "ended"),
    [
        (None, "", DONE),
        (DOOR, "", Ending(EndReason.STOPPED, str(DOOR))),
        (None, "SIGTERM", Ending(EndReason.OPERATOR, "SIGTERM")),
        (Stop(Rule.OPERATOR, detail="SIGINT"), "SIGINT", Ending(EndReason.OPERATOR, "SIGINT")),
        (DOOR, "shut-down", Ending(EndReason.OPERATOR, f"shut-down after {DOOR}")),
    ],
)
def test_who_asked_comes_before_what_stood(stop: Stop | None, asked: str, ended: Ending) -> None:
    assert how_it_ended(stop, asked) == ended


def ending_of(record: Path) -> Ending | None:
    log = Log.open(record)
    assert log.complete and log.events["name"][-1] == b"ended"
    return log.ended


def test_a_run_that_is_done_says_so(cell, swing, tmp_path: Path) -> None:
    record = tmp_path / "run.mcap"
    play(cell, swing(System.IJT), record)
    assert ending_of(record) == DONE
    assert describe(Log.open(record))["ended"] == {"reason": "done", "detail": ""}


def test_a_stop_is_named(cell, swing, tmp_path: Path) -> None:
    def open_door(hall: Installation) -> None:
        if hall.facility.commands is not None and hall.facility.commands.sequence == 50:
            hall.desk.interlock("door_main", healthy=False)

    play(cell, swing(System.IJT), tmp_path / "run.mcap", each_cycle=open_door)
    ended = ending_of(tmp_path / "run.mcap")
    assert ended is not None and ended.reason is EndReason.STOPPED and ended.detail.startswith("DOOR: ")


def test_a_signal_is_named(cell, swing, tmp_path: Path) -> None:
    def interrupt(hall: Installation) -> None:
        if hall.facility.commands is not None and hall.facility.commands.sequence == 50:
            os.kill(os.getpid(), signal.SIGTERM)

    play(cell, swing(System.IJT), tmp_path / "run.mcap", each_cycle=interrupt)
    assert ending_of(tmp_path / "run.mcap") == Ending(EndReason.OPERATOR, "SIGTERM")


def test_an_error_of_ours_is_named(cell, swing, tmp_path: Path) -> None:
    def fail(hall: Installation) -> None:
        if hall.facility.commands is not None and hall.facility.commands.sequence == 50:
            raise ZeroDivisionError("for a test")

    with pytest.raises(ZeroDivisionError):
        play(cell, swing(System.IJT), tmp_path / "run.mcap", each_cycle=fail)
    assert ending_of(tmp_path / "run.mcap") == Ending(EndReason.INTERNAL_ERROR, "ZeroDivisionError: for a test")


def test_cycles_that_were_lost_are_in_the_code(cell, tmp_path: Path) -> None:
    clock = LockstepClock()
    hall = build(cell, clock, seed=1, record=tmp_path / "run.mcap")
    assert hall.recorder is not None
    os.kill(hall.recorder.pid, signal.SIGSTOP)
    for _ in range(hall.rings[0].slots + 100):  # nobody waits for the recorder here
        hall.rings[0].push(hall.facility.pool.bytes)
    os.kill(hall.recorder.pid, signal.SIGCONT)
    assert hall.close() == EXIT_LOST


def test_a_run_whose_recorder_was_killed_fails_and_says_why(
    cell, swing, write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from proxops.runs import play_session as session

    def kill(hall: Installation) -> None:
        if hall.recorder and hall.facility.commands is not None and hall.facility.commands.sequence == 400:
            os.kill(hall.recorder.pid, signal.SIGKILL)

    monkeypatch.setattr(session.Rehearsal, "__call__", lambda self, hall: kill(hall))
    summary = play_session(
        cell, swing(System.IJT), tmp_path / "out", realtime=False, order="rail,robot1,robot2", seed=1, rehearse=[],
        report=False, quiet=True,
    )  # fmt: skip
    assert not summary["passed"] and not summary["log_whole"] and summary["ended"] is None
    assert "the log is not whole: the recorder was killed (-9)" in capsys.readouterr().err
