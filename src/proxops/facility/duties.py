"""What ports and applications have to do in every cycle, attached once so that nobody has to remember it.

A failure of one is a named stop, never the end of the tick, and the others are done all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

Work = Callable[[], None]
Fail = Callable[[str, Exception], None]


class DutySlot:
    """One moment of the cycle, and all who have something to do then."""

    def __init__(self, fail: Fail) -> None:
        self._fail, self.works = fail, list[tuple[str, Work]]()

    def __call__(self) -> None:
        for name, work in self.works:
            try:
                work()
            except Exception as error:  # of a stranger's packet or code: whatever it is, the robots have to brake
                self._fail(name, error)
                error.__traceback__ = None  # one that is raised again in every cycle would grow with each


class Ahead(Protocol):
    """Who has something to do in every cycle, but may know that of the next ones there is nothing to decide."""

    def ahead(self, most: int) -> int:
        """Of how many of the next cycles, up to ``most``. What they bring is laid ready for the motion."""
        ...

    def passed(self, count: int) -> None:
        """So many of them have passed, without a poll."""
        ...


class Duties:
    """Before the motion is asked: ``poll``. Before the pool goes out: ``publish``. At the end: ``answer``."""

    def __init__(self, fail: Fail) -> None:
        self.poll, self.publish, self.answer = DutySlot(fail), DutySlot(fail), DutySlot(fail)
        self._fail, self._aheads = fail, list[tuple[str, Ahead | None]]()

    def attach(
        self, name: str, *, poll: Work | None = None, publish: Work | None = None, answer: Work | None = None,
        first: bool = False, ahead: Ahead | None = None,
    ) -> None:  # fmt: skip
        """Read what has come, fill groups of the pool, answer; in the order in which they are attached, but for a ``first``
        one. Without ``ahead`` every cycle is waited for; who gives it has told the last of the cycles in which it was not asked:
        ``publish`` does not follow them."""
        self._aheads.append((name, ahead))
        for turn, work, told in (
            (self.poll, poll, name), (self.publish, publish, f"telemetry of the {name}"), (self.answer, answer, name),
        ):  # fmt: skip
            if work:
                turn.works.insert(0 if first else len(turn.works), (told, work))

    def forget(self) -> None:
        """Nobody has anything to do any more."""
        for turn in (self.poll, self.publish, self.answer):
            turn.works.clear()
        self._aheads.clear()

    def ahead(self, most: int) -> int:
        """Of how many of the next cycles, up to ``most``, nobody has to be asked."""
        for name, one in self._aheads:
            if most <= 1 or one is None:
                return 0
            try:
                most = one.ahead(most)
            except Exception as error:  # as in its turn
                self._fail(name, error)
                error.__traceback__ = None
                return 0
        return most

    def passed(self, count: int) -> None:
        """So many of these have passed."""
        for name, one in self._aheads:
            try:
                if one is not None:
                    one.passed(count)
            except Exception as error:  # as in its turn
                self._fail(name, error)
                error.__traceback__ = None
