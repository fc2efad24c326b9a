"""A user's flight software in a process of its own: whatever it does, its mission ends, the cause is named, nothing is left."""

from __future__ import annotations

import faulthandler
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import cast

import pytest
from cycle_data import measured

from proxops.applications.mission import flight_process
from proxops.applications.mission.campaign import fly_all
from proxops.applications.mission.flight_class import FlightClass
from proxops.applications.mission.flight_judgement import FlightSoftwareFailed
from proxops.applications.mission.flight_process import FlightProcess
from proxops.applications.mission.run import run_mission
from proxops.applications.mission.software_flight import fly_in_software
from proxops.cli import main
from proxops.core.errors import EXIT_BAD_INPUT, EXIT_STOPPED, BadInput
from proxops.core.mission import MissionFile, parse_mission
from proxops.core.vocabulary import MissionEnd
from proxops.ground.log import Log
from proxops.lab.any_cell import load_cell

ROOT = Path(__file__).parents[3]
FILE = ROOT / "tests" / "shared" / "failing_flight_software.py"
HOLD = (ROOT / "examples" / "hold.toml").read_text().replace("duration_s = 120.0\nplan", "duration_s = 4.0\nplan")
LIMIT_S = 0.2
Start = Callable[..., FlightProcess]


@pytest.fixture(scope="module")
def mission() -> MissionFile:
    return parse_mission(HOLD, Path("hold.toml")).file


@pytest.fixture
def start(mission: MissionFile) -> Iterator[Start]:
    """Starts a class of the file; ends the test if it hangs, and what was started."""
    made: list[FlightProcess] = []

    def started(name: str, limit_s: float = LIMIT_S, load_s: float = 60.0) -> FlightProcess:
        user = FlightClass.named(f"{FILE}:{name}")
        made.append(FlightProcess(user, mission.as_known_on_board(False), limit_s, start_s=20.0, load_s=load_s))
        return made[-1]

    yield started
    for process in made:
        process._kill()


def there(pid: int) -> bool:
    """A process runs; dead and not yet buried does not count."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone(pid: int) -> bool:
    """At last: the kernel ends a killed process when it next would run."""
    for _ in range(1000):
        if not there(pid):
            return True
        time.sleep(0.01)
    return False


def cause(process: FlightProcess) -> str:
    """Why it fails in the third cycle."""
    for k in range(2):
        assert process.step(measured(0.1 * k)).wheel_torque[0] == 0.01 * (k + 1)
    with pytest.raises(FlightSoftwareFailed) as caught:
        process.step(measured(0.2))
    return caught.value.cause


def line_of(words: str) -> int:
    """The only line of the file with these words."""
    (number,) = [k for k, text in enumerate(FILE.read_text().splitlines(), 1) if text.strip() == words]
    return number


# ---------------------------------------------------------------------- failures
LATE = f"took longer than {LIMIT_S:g} s"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("LoopsInC", f"{LATE} ({FILE}:"),
        ("Backtracks", f"{LATE} ({FILE}:"),
        ("Sleeps", f"{LATE} ({FILE}:"),
        ("Freezes", LATE),
        ("WillNotGo", f"{LATE} ({FILE}:"),
        ("IsKilled", "killed by signal 9 (SIGKILL, by hand or for want of memory)"),
        ("Crashes", f"killed by signal 11 (SIGSEGV) ({FILE}:{line_of('ctypes.string_at(0)')} in wrong)"),
        ("Leaves", "ended with exit code 3"),
        ("LeavesWell", "ended with exit code 0"),
        ("TalksRubbish", "unreadable answer: magic b'rubb', expected b'PXFC'"),
        ("TalksOutOfTurn", "unreadable answer: to cycle 99, not to 3"),
        ("HangsUp", "closed its line to the simulation"),
        ("HangsUpAndStays", "closed its line to the simulation"),
        ("EatsMemory", "raised MemoryError: Unable to allocate 20.0 GiB"),
        ("DividesByZero", f"raised ZeroDivisionError: division by zero ({FILE}:{line_of('return 1 / 0')} in wrong)"),
        ("Interrupts", "raised KeyboardInterrupt: "),
    ],
)
def test_every_failure_is_named_and_leaves_nothing(name: str, told: str, start: Start) -> None:
    process = start(name)
    assert cause(process).startswith(told)
    process.close()
    assert not there(process.pid)
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    with pytest.raises(FlightSoftwareFailed, match="its process has ended"):
        process.step(measured())
    process.close()  # once more does no harm


def test_one_that_is_killed_between_two_cycles_is_told_in_the_next(start: Start) -> None:
    process = start("Well")
    process.step(measured())
    os.kill(process.pid, signal.SIGTERM)
    with pytest.raises(FlightSoftwareFailed, match=r"killed by signal 15 \(SIGTERM\)"):
        process.step(measured())


# ---------------------------------------------------------------------- what is no failure
def test_ctrl_c_and_prints_and_input_are_no_failures(start: Start, capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("Well", "Prints", "ReadsInput"):
        process = start(name, limit_s=20.0)
        for k in range(4):
            os.kill(process.pid, signal.SIGINT)
            assert process.step(measured()).wheel_torque[0] == 0.01 * (k + 1)
        process.close()
    assert capfd.readouterr().out.count("x" * 1023 + "\n") == 2 * 4096


def test_prints_that_nobody_reads_end_the_mission_not_the_run(start: Start) -> None:
    terminal, (read, write) = os.dup(1), os.pipe()
    os.dup2(write, 1)
    try:
        process = start("Prints")
    finally:
        os.dup2(terminal, 1)
    assert cause(process).startswith(f"{LATE} ({FILE}:")
    process.close()
    assert not there(process.pid)
    for fd in (terminal, read, write):
        os.close(fd)


def test_copies_of_itself_have_no_say(start: Start) -> None:
    process = start("Forks", limit_s=20.0)
    for k in range(20):
        assert process.step(measured()).wheel_torque[0] == 0.01 * (k + 1)
    process.close()


def test_its_workers_end_with_it(start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORKERS", str(tmp_path / "workers"))
    process = start("HasWorkers", limit_s=20.0)
    for _ in range(4):
        process.step(measured())
    workers = [int(word) for word in (tmp_path / "workers").read_text().split()]
    assert all(map(there, workers))
    process.close()
    assert all(map(gone, workers))


# ---------------------------------------------------------------------- begin and end
def test_close_is_called_in_the_child(start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORKERS", str(tmp_path / "workers"))
    process = start("ClosesWell")
    process.close()
    assert (tmp_path / "workers").read_text() == "closed"
    assert not there(process.pid)


@pytest.mark.parametrize(
    ("name", "told"), [("ClosesBadly", "raised ValueError: still here"), ("NeverCloses", "took longer than 0.5 s")]
)
def test_a_close_that_fails_is_named(name: str, told: str, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flight_process, "CLOSE_S", 0.5)
    process = start(name)
    process.step(measured())
    with pytest.raises(FlightSoftwareFailed, match=told):
        process.close()
    assert not there(process.pid)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("IsNeverMade", "took longer than 1.5 s"),
        ("LeavesAtOnce", "ended with exit code 3"),
        ("RubbishAtOnce", "unreadable answer"),
    ],
)
def test_one_that_cannot_be_made_is_bad_input(name: str, told: str, start: Start) -> None:
    with pytest.raises(BadInput, match=f"flight software cannot be loaded: {told}") as caught:
        start(name, load_s=1.5 if name == "IsNeverMade" else 60.0)
    assert caught.value.where == str(FILE)


def test_it_ends_with_its_parent_even_in_compiled_code() -> None:
    code = f"""
import sys
sys.path.insert(0, {str(ROOT / "tests" / "shared")!r})
from cycle_data import measured
from pathlib import Path
from proxops.core.mission import parse_mission
from proxops.applications.mission.flight_class import FlightClass
from proxops.applications.mission.flight_process import FlightProcess
file = parse_mission({HOLD!r}, Path("hold.toml")).file
process = FlightProcess(FlightClass.named({f"{FILE}:LoopsInC"!r}), file, 100.0)
process.step(measured()), process.step(measured())
print(process.pid, flush=True)
process.step(measured())
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert there(child)
        parent.kill()
    assert gone(child)


def test_it_flies_from_another_thread_too(start: Start) -> None:
    told: list[str] = []
    process = start("LoopsInC")
    thread = threading.Thread(target=lambda: told.append(cause(process)))
    thread.start()
    thread.join()
    assert told[0].startswith(LATE)


# ---------------------------------------------------------------------- whole missions
def command_in_a_fork(*words: str, within_s: float = 120.0) -> tuple[int | None, str]:
    """The command line in a fork of this process, which has imported everything: exit code, standard error. Other threads of a
    test process are not in the fork, and a lock that one held stays locked there: should the command need it, or hang otherwise,
    it is killed and the test fails with where it was."""
    with tempfile.TemporaryFile() as told:

        def command() -> None:
            os.dup2(told.fileno(), 2)
            faulthandler.enable(2)
            sys.argv = ["proxops", *words]
            with open(2, "w", closefd=False) as sys.stderr:
                main()

        process = get_context("fork").Process(target=command)
        process.start()
        process.join(within_s)
        hung = process.exitcode is None
        if hung:
            os.kill(cast(int, process.pid), signal.SIGABRT)  # its stack is written
            process.join(5.0)
        process.kill()
        process.join()
        told.seek(0)
        said = told.read().decode()
    assert not hung, f"did not end in {within_s:g} s: {said}"
    return process.exitcode, said


def test_a_command_that_hangs_in_a_fork_is_killed_and_says_where(tmp_path: Path) -> None:
    (tmp_path / "hold.toml").write_text(HOLD)
    words = ["run", str(tmp_path / "hold.toml"), "--no-report", "--flight-software", f"{FILE}:Sleeps"]
    with pytest.raises(AssertionError, match=r"(?s)did not end in 1 s: .*most recent call first"):
        command_in_a_fork(*words, "--flight-software-inside", "--out", str(tmp_path / "out"), within_s=1.0)
    assert not active_children()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("LoopsInC", "took longer than 0.2 s"),
        ("Leaves", "ended with exit code 3"),
        ("IsKilled", "killed by signal 9"),
    ],
)
def test_a_run_ends_with_its_log_whole(name: str, told: str, tmp_path: Path) -> None:
    """In a process under a time limit: with the software inside, the first hangs and the others end the run."""
    (tmp_path / "hold.toml").write_text(HOLD + "[flight]\nlimit_ms = 200.0\n")
    words = ["run", str(tmp_path / "hold.toml"), "--no-report", "--flight-software", f"{FILE}:{name}"]
    code, said = command_in_a_fork(*words, "--out", str(tmp_path / "out"))
    assert code == EXIT_STOPPED
    assert f"flight software: {told}" in said
    log = Log.open(tmp_path / "out" / "run.mcap")
    assert log.complete
    assert any(event["name"] == b"mission.flight_software" for event in log.events)
    assert log.values("mission.end")[-1] == MissionEnd.FLIGHT_SOFTWARE


@pytest.mark.parametrize(
    ("software", "rate_hz"),
    [
        (f"{ROOT / 'examples' / '05_flight_software.py'}:HoldPosition", 10),
        ("ours.py:RendezvousSoftware", 10),
        ("ours.py:RendezvousSoftware", 2),
    ],
    ids=["example 05", "with an estimate", "with more measurements than a datagram holds"],
)
def test_inside_and_in_its_own_process_it_is_the_same_flight_to_the_bit(
    software: str, rate_hz: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ours.py").write_text("from proxops.onboard.flight_software import RendezvousSoftware\n")
    mission, cell = parse_mission(HOLD + f"[flight]\nrate_hz = {rate_hz}\n", Path("hold.toml")), load_cell()
    if software.startswith("ours"):
        fly_in_software(mission, 1)  # compiles, if need be, without a limit
    for inside in (True, False):
        out = run_mission(cell, mission, tmp_path / f"{inside}.mcap", software=software, inside=inside).outcome
        assert (out.end, out.failure) == (MissionEnd.TIME, "")
    assert (tmp_path / "True.mcap").read_bytes() == (tmp_path / "False.mcap").read_bytes()


def test_a_campaign_outlives_it() -> None:
    """Inside, one that leaves takes a worker with it, and the campaign waits for ever."""
    mission = parse_mission(HOLD, Path("hold.toml"))
    rows = list(fly_all(load_cell(), mission, range(1, 3), f"{FILE}:Leaves", False, workers=1))
    assert [row.failure for row in rows] == ["flight software: ended with exit code 3"] * 2


@pytest.mark.parametrize("software", [(), ("--flight-software", "udp://127.0.0.1:47999")])
def test_only_a_class_can_run_inside(software: tuple[str, ...], run: Callable[..., tuple[int, str, str]]) -> None:
    code, _, said = run("run", ROOT / "examples" / "hold.toml", "--flight-software-inside", *software)
    assert code == EXIT_BAD_INPUT
    assert "--flight-software-inside: only a class in a Python file can run inside" in said


def test_inside_it_is_called_in_the_process_of_the_run(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    (tmp_path / "hold.toml").write_text(HOLD)
    (tmp_path / "own.py").write_text(
        "import os\nclass Mine:\n    def __init__(self, mission): pass\n"
        "    def step(self, m): raise ValueError(os.getpid())\n"
    )
    _, _, said = run("run", "hold.toml", "--no-report", "--flight-software", "own.py:Mine", "--flight-software-inside")
    assert f"raised ValueError: {os.getpid()} " in said
