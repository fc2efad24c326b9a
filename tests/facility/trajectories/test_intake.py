"""The facility's side of a load, with a checker that lies, dies and falls silent: it is named, and nothing gets onto the desk."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.shared.open_files import open_files

from proxops.core.clock import LockstepClock
from proxops.core.errors import BadInput, Refused
from proxops.core.sealed_memory import sealed_memory
from proxops.core.vocabulary import Mode, System
from proxops.facility.build import build
from proxops.facility.desk import desk_verbs
from proxops.facility.desk.status import status
from proxops.facility.installation import Installation
from proxops.facility.trajectories.checker_process import CheckerProcess
from proxops.facility.trajectories.intake import IDLE_POLLS, PATIENCE_NS, TrajectoryIntake
from proxops.facility.trajectories.message import MESSAGE_BYTES, Message, MessageKind, unpacked
from proxops.facility.warmup import standing
from proxops.lab.cell import Cell
from proxops.lab.sealed_trajectory import HEAD, PORTION_BYTES, seal


class Start:
    """Starts checkers that are the test itself: ``far`` is the newest one's end."""

    def __init__(self) -> None:
        self.far: list[socket.socket] = []

    def __call__(self) -> CheckerProcess:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        theirs.send(Message(MessageKind.READY).packed())
        self.far.append(theirs)
        return CheckerProcess(ours)

    def close(self) -> None: ...


class Bench:
    def __init__(self, cell: Cell) -> None:
        self.clock, self.start, self.now_ns = LockstepClock(), Start(), 0
        self.hall: Installation = build(cell, self.clock, seed=0, record=None)
        self.desk, self.intake = self.hall.desk, TrajectoryIntake(self.start)
        self.intake.serve(self.desk, lambda: self.now_ns)
        self._verb = desk_verbs(self.desk, lambda: None)["load"]

    @property
    def far(self) -> socket.socket:
        return self.start.far[-1]

    @property
    def load(self) -> dict[str, object]:
        told = status(self.desk)["load"]
        assert isinstance(told, dict)
        return told

    def ask(self, text: bytes = b"text", source: str = "a.txt") -> int:
        """As a control channel that passes descriptors does it."""
        fd = sealed_memory("text", [text])
        try:
            told = self._verb({"fd": fd, "source": source})
        except BaseException:
            os.close(fd)  # else it is the verb's
            raise
        assert isinstance(told, dict)
        return int(told["job"])

    def ask_with(self, fd: int) -> None:
        self._verb({"fd": fd, "source": "a.txt"})

    def asked(self) -> tuple[Message, bytes]:
        """What the checker gets."""
        data, (fd,), _, _ = socket.recv_fds(self.far, MESSAGE_BYTES, 1)
        text = os.pread(fd, 1000, 0)
        os.close(fd)
        return unpacked(data), text

    def freed(self) -> bytes:
        """The hash of what the checker is told to free."""
        data, (fd,), _, _ = socket.recv_fds(self.far, MESSAGE_BYTES, 1)
        assert unpacked(data) == Message(MessageKind.FREE)
        digest: bytes = HEAD.unpack(os.pread(fd, HEAD.size, 0))[4]
        os.close(fd)
        return digest

    def send(self, message: Message, *fds: int) -> None:
        socket.send_fds(self.far, [message.packed()], fds)

    def polls(self, count: int) -> None:
        for _ in range(count):
            self.intake.poll()

    def close(self) -> None:
        self.intake.close()
        for far in self.start.far:
            far.close()
        self.hall.close()


@pytest.fixture
def bench(cell: Cell) -> Iterator[Bench]:
    made = Bench(cell)
    yield made
    made.close()


@pytest.fixture
def good(cell: Cell) -> Iterator[tuple[Message, int]]:
    """A right answer to job 1, and its descriptor."""
    fd, digest = seal(standing(cell, System.CLW, 100))
    yield Message(MessageKind.CHECKED, 1, lines=100, digest=digest), fd
    os.close(fd)


def test_a_file_goes_to_the_checker_unread_and_comes_back_checked(bench: Bench, good: tuple[Message, int]) -> None:
    assert bench.load["state"] == "none" and status(bench.desk)["trajectory"] is None
    assert bench.ask(b"never parsed here", "a\n.txt") == 1
    message, text = bench.asked()
    assert (message.said, message.job, message.text, text) == (MessageKind.CHECK, 1, "a.txt", b"never parsed here")
    assert bench.load["state"] == "checking" and bench.desk.checked is None
    bench.send(*good)
    bench.polls(3)
    sha256 = good[0].digest.hex()
    assert bench.load == {
        "job": 1, "state": "loaded", "source": "a.txt", "lines": 100, "sha256": sha256, "error": "", "exit": 0,
        "checker": "running",
    }  # fmt: skip
    assert status(bench.desk)["trajectory"]["sha256"] == sha256
    assert sha256 in bench.hall.facility.events.newest


def test_what_the_checker_refuses_is_told_with_its_exit_code(bench: Bench) -> None:
    bench.ask()
    bench.send(Message(MessageKind.REFUSED, 1, "a.txt, line 3: 22 columns", 2))
    bench.polls(1)
    assert (bench.load["state"], bench.load["error"], bench.load["exit"]) == ("refused", "a.txt, line 3: 22 columns", 2)
    assert bench.desk.checked is None
    bench.ask()
    assert (bench.load["job"], bench.load["state"], bench.load["error"]) == (2, "checking", "")


def test_one_at_a_time(bench: Bench) -> None:
    bench.ask(source="first.txt")
    with pytest.raises(Refused, match=r"first\.txt is just being checked"):
        bench.ask()
    assert bench.load["job"] == 1


def test_only_sealed_memory_is_taken(bench: Bench, tmp_path: Path) -> None:
    """To read, size up or even close anything else could keep the tick waiting."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file", tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        with pytest.raises(BadInput, match="no sealed memory"):
            bench.ask_with(fd)
        os.close(fd)  # still ours
    assert bench.load["state"] == "none"


def test_there_is_no_other_way_onto_the_desk(bench: Bench, cell: Cell) -> None:
    verb = desk_verbs(bench.desk, lambda: None)["load"]
    for arguments in ({"path": "/dev/shm/proxops-load-1", "source": "x"}, {"source": "x"}, {"fd": "3", "source": "x"}):
        with pytest.raises(BadInput):
            verb(arguments)
    with pytest.raises(TypeError, match="CheckedTrajectory"):
        bench.desk.load(standing(cell, System.CLW))  # type: ignore[arg-type]
    with pytest.raises(Refused, match="no trajectory"):
        bench.desk.select("async")


def unsealed_copy(fd: int) -> int:
    made = os.memfd_create("open", os.MFD_ALLOW_SEALING)
    os.write(made, os.pread(fd, 1 << 20, 0))
    return made


def plain_file(fd: int, folder: Path) -> int:
    (folder / "plain").write_bytes(os.pread(fd, 1 << 20, 0))
    return os.open(folder / "plain", os.O_RDWR)


LIES: dict[str, Callable[[Message, int, Path], tuple[Message, int | None]]] = {
    "not sealed": lambda m, fd, p: (m, unsealed_copy(fd)),
    "plain file": lambda m, fd, p: (m, plain_file(fd, p)),
    "no descriptor": lambda m, fd, p: (m, None),
    "fewer lines": lambda m, fd, p: (Message(m.said, 1, lines=99, digest=m.digest), os.dup(fd)),
    "absurd lines": lambda m, fd, p: (Message(m.said, 1, lines=2**64 - 1, digest=m.digest), os.dup(fd)),
    "no lines": lambda m, fd, p: (Message(m.said, 1, lines=0, digest=m.digest), os.dup(fd)),
    "other hash": lambda m, fd, p: (Message(m.said, 1, lines=100), os.dup(fd)),
    "other job": lambda m, fd, p: (Message(m.said, 2, lines=100, digest=m.digest), os.dup(fd)),
    "other magic": lambda m, fd, p: (m, sealed_memory("lie", [b"X" + os.pread(fd, 1 << 20, 1)])),
    "too short": lambda m, fd, p: (m, sealed_memory("lie", [os.pread(fd, 1000, 0)])),
    "not its word": lambda m, fd, p: (Message(MessageKind.CHECK, 1), os.dup(fd)),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lying_checker_is_named_and_loads_nothing(
    bench: Bench, good: tuple[Message, int], lie: str, tmp_path: Path
) -> None:
    bench.ask()
    bench.asked()
    message, fd = LIES[lie](*good, tmp_path)
    before = open_files()
    bench.send(message, *([] if fd is None else [fd]))
    bench.polls(3)
    assert bench.load["state"] == "refused" and bench.desk.checked is None
    assert "checker" in str(bench.load["checker"]) and bench.load["checker"] in str(bench.load["error"])
    assert open_files() == before - 1  # the link is closed, nothing else is left open
    if fd is not None:
        os.close(fd)


@pytest.mark.parametrize("data", [b"x", bytes(100), b"\xff" * MESSAGE_BYTES])
def test_noise_is_named(bench: Bench, data: bytes) -> None:
    bench.far.send(data)
    bench.polls(IDLE_POLLS)
    assert "not a message" in str(bench.load["checker"])


def test_a_dead_checker_is_named_and_started_anew_only_while_the_hall_stands(bench: Bench) -> None:
    bench.ask()
    bench.far.close()
    bench.polls(2)
    assert bench.load["state"] == "refused" and "has ended" in str(bench.load["error"])
    with pytest.raises(Refused, match="while the hall stands still"):
        bench.intake.begin(sealed_fd := sealed_memory("x", [b"x"]), "x", still=False)
    os.close(sealed_fd)
    assert len(bench.start.far) == 1
    assert bench.ask() == 2  # in STANDBY
    assert len(bench.start.far) == 2 and bench.load["checker"] == "running"
    bench.polls(1)  # that it is ready
    assert bench.asked()[0].job == 2 and bench.load["state"] == "checking"


def test_a_checker_that_has_died_unnoticed(bench: Bench) -> None:
    bench.far.close()
    with pytest.raises(Refused, match="takes no messages"):
        bench.ask()
    assert bench.load["state"] == "refused"
    assert bench.ask() == 2


def test_a_silent_checker_is_given_up(bench: Bench) -> None:
    bench.ask()
    bench.now_ns += PATIENCE_NS
    bench.polls(1)
    assert bench.load["state"] == "checking"
    bench.now_ns += 1
    bench.polls(1)
    assert bench.load["state"] == "refused" and "not answered for 75 s" in str(bench.load["error"])
    assert bench.ask() == 2


def test_a_hall_in_use_keeps_what_it_has(bench: Bench, good: tuple[Message, int], cell: Cell) -> None:
    bench.desk.drives(True)
    while bench.hall.facility.mode is not Mode.READY:
        bench.hall.facility.tick()
    bench.ask()
    bench.asked()
    bench.desk.select("manual")
    bench.send(*good)
    bench.polls(4)
    assert bench.load["state"] == "refused" and "select none first" in str(bench.load["error"])
    assert bench.desk.checked is None
    assert bench.freed() == good[0].digest
    with pytest.raises(Refused, match="select none first"):
        bench.ask()


def test_portions_come_and_go_cycle_by_cycle_and_the_checker_frees_them(bench: Bench, cell: Cell) -> None:
    count = (3 * PORTION_BYTES - 64) // 178
    fd, digest = seal(standing(cell, System.IJT, count))
    for job in (1, 2):
        bench.ask()
        bench.asked()
        bench.send(Message(MessageKind.CHECKED, job, lines=count, digest=digest), fd)
        bench.polls(3)
        assert bench.load["state"] == "checking"
        bench.polls(1)
        assert (bench.load["state"], bench.load["job"]) == ("loaded", job)
    os.close(fd)
    bench.far.setblocking(False)
    bench.polls(3)
    with pytest.raises(BlockingIOError):
        bench.far.recv(MESSAGE_BYTES)
    bench.polls(1)
    assert bench.freed() == digest
    assert bench.desk.checked is not None and len(bench.desk.checked) == count


def test_without_a_checker_nothing_is_freed_in_the_tick(bench: Bench, good: tuple[Message, int], cell: Cell) -> None:
    for job in (1, 2):
        bench.ask()
        bench.asked()
        bench.send(Message(MessageKind.CHECKED, job, lines=100, digest=good[0].digest), good[1])
        bench.polls(2)
    bench.far.close()
    bench.polls(2 * IDLE_POLLS)
    assert "takes no messages" in str(bench.load["checker"])
    bench.ask()
    bench.asked()
    bench.polls(2)
    assert bench.freed() == good[0].digest  # by the next one


def test_texts_of_any_length_and_kind_fit_into_a_message() -> None:
    for text in ("ä" * 5000, "\ud800", "", "🛰" * 1000):
        data = Message(MessageKind.REFUSED, 3, text, 2).packed()
        assert len(data) <= MESSAGE_BYTES and unpacked(data).job == 3
