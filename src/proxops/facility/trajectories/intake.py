"""How a user's trajectory gets onto the desk: its text goes to the checker unread, a checked and sealed one comes back.

Looked at once per cycle; never waits, reads no file, copies no line.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Protocol

from proxops.core.errors import EXIT_STOPPED, BadInput, Refused
from proxops.core.sealed_memory import is_sealed
from proxops.core.vocabulary import Severity
from proxops.facility.trajectories.checked import CheckedTrajectory, unsealed
from proxops.facility.trajectories.checker_process import CheckerLost, CheckerProcess
from proxops.facility.trajectories.message import Message, MessageKind
from proxops.lab.sealed_trajectory import SealedTrajectory

IDLE_POLLS: Final = 25  # between two looks at a checker that has nothing to do: all it could say is that it has ended
PATIENCE_NS: Final = 75_000_000_000  # with a checker that gives itself 60 s for a job, and some to start again
NAME_LENGTH: Final = 500


Held = tuple[int, SealedTrajectory]
"""The descriptor of sealed memory, ours until the checker frees it, and its mapping."""


class CheckerStarter(Protocol):
    """What starts a checker, and another one if it was lost."""

    def __call__(self) -> CheckerProcess: ...
    def close(self) -> None: ...


class TrajectoryDesk(Protocol):
    """What is asked of the operator's desk."""

    intake: TrajectoryIntake | None

    def tell(self, severity: Severity, code: str, text: str) -> None: ...
    def load(self, checked: CheckedTrajectory) -> None: ...


@dataclass(frozen=True)
class Load:
    """The newest job: ``state`` is none, checking, loaded or refused; then ``error`` says why and ``exit`` is its exit code."""

    job: int = 0
    state: str = "none"
    source: str = ""
    lines: int = 0
    sha256: str = ""
    error: str = ""
    exit: int = 0


class TrajectoryIntake:
    """One job at a time. ``start`` makes a checker. Next: ``serve``."""

    _desk: TrajectoryDesk
    _now_ns: Callable[[], int]

    def __init__(self, start: CheckerStarter) -> None:
        self._start = start
        self._checker: CheckerProcess | None = start()
        self._lost = ""
        self._until_ns = 0
        self._polls = 0
        self._arriving: Held | None = None
        self._loaded: Held | None = None
        self._leaving: list[Held] = []
        self.newest = Load()

    def told(self) -> dict[str, Any]:
        """For status."""
        return asdict(self.newest) | {"checker": self._lost or "running"}

    def serve(self, desk: TrajectoryDesk, now_ns: Callable[[], int]) -> None:
        """Before real time begins: wait until the checker is ready, then take files for ``desk``, by the facility's clock."""
        assert self._checker is not None
        self._checker.wait_ready()
        self._desk, self._now_ns, desk.intake = desk, now_ns, self

    def begin(self, fd: int, source: str, still: bool) -> int:
        """Have the text in sealed memory ``fd`` (which stays the caller's) checked, and put it on the desk if it may run; the
        job's number. ``still``: the hall stands, so that a lost checker can be started anew."""
        if self.newest.state == "checking":
            raise Refused(f"load: {self.newest.source} is just being checked")
        if not is_sealed(fd):
            raise BadInput("load: the descriptor is no sealed memory", bound="memfd_create and all four seals")
        self._checker = self._checker or self._started_anew(still)
        self.newest = Load(self.newest.job + 1, "checking", _shown(source))
        self._until_ns = self._now_ns() + PATIENCE_NS
        try:
            self._checker.send(Message(MessageKind.CHECK, self.newest.job, self.newest.source), fd)
        except CheckerLost as lost:
            self._lose(str(lost))
            raise Refused(f"load: {lost}") from None
        return self.newest.job

    def _started_anew(self, still: bool) -> CheckerProcess:
        if not still:
            raise Refused(f"load: {self._lost}; it is started anew by a load while the hall stands still")
        self._lost = ""
        self._desk.tell(Severity.INFO, "checker", "the trajectory checker is started anew")
        return self._start()

    def poll(self) -> None:
        """Once per cycle: a word of the checker, or a portion of what arrives or leaves."""
        self._polls += 1
        if self._leaving and self._checker:
            self._let_go(self._leaving[0], self._checker)
        if self._arriving:
            if self._arriving[1].touch():
                self._put(self._arriving)
            return
        if self._checker is None or (self.newest.state != "checking" and self._polls % IDLE_POLLS):
            return
        try:
            said = self._checker.receive()
            if said:
                self._hear(*said)
            elif self.newest.state == "checking" and self._now_ns() > self._until_ns:
                raise CheckerLost(f"the trajectory checker has not answered for {PATIENCE_NS * 1e-9:g} s")
        except CheckerLost as lost:
            self._lose(str(lost))

    def _hear(self, message: Message, fd: int | None) -> None:
        try:
            if message.said is MessageKind.READY:
                return
            if self.newest.state != "checking" or message.job != self.newest.job:
                raise CheckerLost(f"the trajectory checker speaks of job {message.job}, not of {self.newest.job}")
            if message.said is MessageKind.REFUSED:
                self._refuse(message.text, message.exit)
            elif message.said is MessageKind.CHECKED and fd is not None:
                self._arriving, fd = (fd, self._mapped(message, fd)), None
            else:
                raise CheckerLost(f"the trajectory checker says {message.said.name}, which it may not")
        finally:
            if fd is not None:
                os.close(fd)

    def _mapped(self, message: Message, fd: int) -> SealedTrajectory:
        try:
            return SealedTrajectory(fd, message.lines, message.digest, self.newest.source)
        except BadInput as wrong:
            raise CheckerLost(f"the trajectory checker has sent what it may not: {wrong}") from None

    def _put(self, held: Held) -> None:
        """Onto the desk, where it takes the place of the one before."""
        self._arriving = None
        checked = unsealed(held[1])
        try:
            self._desk.load(checked)
        except Refused as reason:  # the hall is in use by now
            self._leaving.append(held)
            self._refuse(str(reason), reason.exit_code)
            return
        self._leaving += [self._loaded] if self._loaded else []
        self._loaded = held
        self.newest = replace(self.newest, state="loaded", lines=len(checked), sha256=checked.sha256)
        text = f"{len(checked)} lines, SHA-256 {checked.sha256}: {self.newest.source}"
        self._desk.tell(Severity.INFO, "load", text)

    def _refuse(self, why: str, code: int) -> None:
        self.newest = replace(self.newest, state="refused", error=why, exit=code)
        self._desk.tell(Severity.WARNING, "refused.load", why)

    def _let_go(self, held: Held, checker: CheckerProcess) -> None:
        """A portion of a mapping that is not needed any more; in the end the checker frees its memory, this one or the next."""
        fd, sealed = held
        if not sealed.let_go():
            return
        try:
            checker.send(Message(MessageKind.FREE), fd)
        except CheckerLost as lost:
            self._lose(str(lost))
            return
        os.close(fd)
        self._leaving.remove(held)

    def _lose(self, why: str) -> None:
        """Without a checker nothing is loaded any more; what is on the desk stays."""
        assert self._checker is not None
        self._checker.kill()
        self._checker, self._lost = None, why
        self._desk.tell(Severity.WARNING, "checker", why)
        if self.newest.state == "checking" and not self._arriving:
            self._refuse(f"{self.newest.source}: {why}", EXIT_STOPPED)

    def close(self) -> None:
        """Outside of real time. What is on the desk can still be looked at."""
        if self._checker:
            self._checker.close()
            self._checker = None
        for held in (*self._leaving, self._loaded, self._arriving):
            if held:
                os.close(held[0])
        self._leaving, self._loaded, self._arriving = [], None, None
        self._start.close()


def _shown(source: str) -> str:
    return "".join(c for c in source if c.isprintable())[-NAME_LENGTH:]
