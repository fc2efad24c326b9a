"""From what the user names to a flight software: the three ways, and advice for everything that leads nowhere."""

from __future__ import annotations

import os
import pickle
import socket
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import pytest

from proxops.applications.mission import flight_process
from proxops.applications.mission.flight_child import order
from proxops.applications.mission.flight_class import FlightClass
from proxops.applications.mission.flight_link import RemoteFlightSoftware
from proxops.applications.mission.flight_loading import let_go, load_flight_software
from proxops.applications.mission.flight_process import FlightProcess
from proxops.core.errors import EXIT_BAD_INPUT, BadInput
from proxops.core.mission import MissionFile, mission_paths, parse_mission

GOOD = """
from __future__ import annotations
from dataclasses import dataclass
from neighbour import NAME

@dataclass
class Mine:
    file: object
    name: str = NAME
    def step(self, measurements): return None

class Other:
    pass

class Broken:
    def __init__(self, file):
        raise ValueError("no gains")
    def step(self, measurements): return None

class Nothing:
    def step(self, measurements): return None

number = 3
"""


@pytest.fixture(scope="module")
def mission() -> MissionFile:
    source = Path(str(files("proxops"))) / "missions" / "approach.toml"
    return parse_mission(source.read_text(), source).file


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "neighbour", raising=False)
    (tmp_path / "neighbour.py").write_text('NAME = "next door"\n')
    own = tmp_path / "own.py"
    own.write_text(GOOD)
    return own


def refused(name: str, mission: MissionFile) -> str:
    """Why it is: in the same words inside and in a process of its own."""
    told = []
    for inside in (True, False):
        with pytest.raises(BadInput) as caught:
            load_flight_software(name, mission, inside=inside)
        assert caught.value.exit_code == EXIT_BAD_INPUT
        told.append(str(caught.value))
    assert told[0] == told[1]
    return told[0]


def test_a_class_in_a_file_gets_the_missions_data_and_may_import_its_neighbours(
    path: Path, mission: MissionFile
) -> None:
    made = load_flight_software(f"{path}:Mine", mission, inside=True)
    assert type(made).__name__ == "Mine"
    assert made.file == mission.as_known_on_board(True)  # type: ignore[attr-defined]
    assert made.name == "next door"  # type: ignore[attr-defined]


SEES_THE_SAME = """
import pickle, sys
from pathlib import Path
from neighbour import NAME

class Mine:
    def __init__(self, file):
        Path(__file__).with_name("seen").write_bytes(pickle.dumps((NAME, file, "numba" in sys.modules)))
    def step(self, measurements): return None
"""


def test_in_a_process_of_its_own_it_is_given_the_same_to_the_bit(path: Path, mission: MissionFile) -> None:
    """And no compiler, which takes as long to import as all the rest, unless it asks for one."""
    path.write_text(SEES_THE_SAME)
    software = load_flight_software(f"{path}:Mine", mission)
    assert isinstance(software, FlightProcess)
    let_go(software)
    seen = pickle.loads(path.with_name("seen").read_bytes())
    assert seen == ("next door", mission.as_known_on_board(mission.hall.use), False)


@pytest.mark.parametrize("shipped", sorted(mission_paths()))
def test_every_shipped_mission_reaches_the_process_the_same_to_the_bit(
    shipped: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order as it is sent, read as the child reads it; in the child's place sleeps somebody who never looks at it."""
    source = mission_paths()[shipped]
    file = parse_mission(source.read_text(), source).file
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    trace, write = os.pipe()
    os.close(write)
    sleeper = subprocess.Popen(["sleep", "60"], start_new_session=True)
    monkeypatch.setattr(flight_process, "_started", lambda: (sleeper, ours, trace))
    theirs.send(b"{}")  # made
    software = load_flight_software(f"{path}:Mine", file)
    user, received, limit_s, _ = order(theirs)
    theirs.close()
    assert isinstance(software, FlightProcess)
    software._kill()  # the sleeper would not go in peace
    assert received == file.as_known_on_board(file.hall.use)
    assert (user, limit_s) == (FlightClass.named(f"{path}:Mine"), file.flight.limit_ms * 1e-3)


def test_none_is_our_own(mission: MissionFile, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = ModuleType("proxops.onboard.flight_software")
    stand_in.RendezvousSoftware = lambda file: ("ours", file)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, stand_in.__name__, stand_in)
    assert load_flight_software(None, mission) == ("ours", mission.as_known_on_board(True))


def test_an_address_is_a_link_with_the_missions_patience(mission: MissionFile) -> None:
    remote = load_flight_software("udp://localhost:47999", mission)
    assert isinstance(remote, RemoteFlightSoftware)
    assert remote._line.peer == ("127.0.0.1", 47999)
    assert remote._wait_s == pytest.approx(mission.flight.limit_ms * 1e-3)
    remote.close()


@pytest.mark.parametrize(
    "name", ["udp://", "udp://host", "udp://host:", "udp://:47253", "udp://h:0", "udp://h:65536", "udp://h:-1"]
)
def test_addresses_that_are_none(name: str, mission: MissionFile) -> None:
    told = refused(name, mission)
    assert repr(name) in told
    assert "udp://127.0.0.1:47253" in told


@pytest.mark.parametrize("name", ["", "own.py", "own.py:", ":Mine", "own.py:not a name", "own.py:1st"])
def test_names_that_are_none(name: str, mission: MissionFile) -> None:
    told = refused(name, mission)
    assert "allowed: path/to/file.py:ClassName or udp://" in told


def test_no_such_file(path: Path, mission: MissionFile) -> None:
    assert "no such file" in refused(f"{path.parent}/other.py:Mine", mission)
    assert "no such file" in refused(f"{path.parent}:Mine", mission)


def test_not_a_python_file(path: Path, mission: MissionFile) -> None:
    text = path.with_suffix(".txt")
    text.write_text(GOOD)
    assert "a name that ends in .py" in refused(f"{text}:Mine", mission)


def test_no_such_class_lists_those_that_would_do(path: Path, mission: MissionFile) -> None:
    told = refused(f"{path}:Mien", mission)
    assert "no Mien in the file" in told
    assert "there is Mine, Broken, Nothing" in told


def test_no_class_and_no_step(path: Path, mission: MissionFile) -> None:
    assert "number is no class; got int" in refused(f"{path}:number", mission)
    assert "Other has no method step" in refused(f"{path}:Other", mission)


def test_constructors_that_raise_or_take_nothing(path: Path, mission: MissionFile) -> None:
    line = GOOD.splitlines().index('        raise ValueError("no gains")') + 1
    assert f"Broken(mission_file) failed: ValueError: no gains (line {line})" in refused(f"{path}:Broken", mission)
    assert "Nothing(mission_file) failed: TypeError" in refused(f"{path}:Nothing", mission)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = 1\ny = x / 0\n", "ZeroDivisionError: division by zero (line 2)"),
        ("class A:\n  def step(self:\n", "SyntaxError"),
        ("import no_such_module_at_all\n", "ModuleNotFoundError: No module named 'no_such_module_at_all' (line 1)"),
        ("raise SystemExit(4)\n", "SystemExit: 4 (line 1)"),
    ],
)
def test_files_that_cannot_be_loaded(text: str, told: str, path: Path, mission: MissionFile) -> None:
    path.write_text(text)
    assert f"cannot be loaded: {told}" in refused(f"{path}:A", mission)
    assert "flight_software_own" not in sys.modules
