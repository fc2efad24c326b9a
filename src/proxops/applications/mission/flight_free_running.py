"""An on-board computer that nobody waits for: measurements go out once a flight cycle, and the mission flies on meanwhile.

Every 4 ms cycle of the application reads what has come, without blocking and no more than ``READ_MOST`` datagrams. The newest
answer counts, from the cycle on in which it is read; one to measurements older than those answered already is passed over. How
late each answer was is the wall time from sending its measurements to taking it, so it is known to a cycle.

Silence is counted in the application's own cycles: a simulation that was held up does not blame the computer for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import astuple, dataclass
from typing import Final, NamedTuple

from proxops.applications.mission.flight_judgement import FlightSoftwareFailed, judged
from proxops.applications.mission.flight_line import (
    START_S,
    FlightLine,
    Heard,
    Ignored,
    commands_of,
    of_another_version,
)
from proxops.core.flight import Commands, Floats, Measurements
from proxops.core.flight_datagram import pack_measurements
from proxops.core.messages import PERIOD_S

READ_MOST: Final = 32  # datagrams in a cycle: a flood is left in the socket, which drops what it has no room for
REMEMBERED: Final = 1024  # overtaken numbers, to tell an answer that comes late from one that comes twice
# Flight cycles for which wheels hold a torque that is not renewed. One is the command's own; in a second one a late or a lost
# answer does no more harm than a sample held twice. Then zero: a torque that nobody renews spins the craft up.
WHEEL_HOLD: Final = 2


@dataclass
class LineFigures:
    """What became of the measurements sent so far, as the pool's group ``flight_line`` has it; lateness in s."""

    sent: int = 0
    taken: int = 0  # answers carried out
    missed: int = 0  # measurements whose answer was never carried out: a newer one came first, or none
    out_of_order: int = 0  # answers that came after a newer one
    doubled: int = 0  # answers that had come before
    ignored: int = 0  # strangers, damaged, answers to nothing that was sent
    lateness: float = 0.0  # of the answer taken last
    lateness_max: float = 0.0

    @property
    def values(self) -> tuple[float, ...]:
        return astuple(self)


class _Sent(NamedTuple):
    at_s: float
    y: Floats  # true state of the craft then: what the answer says of the craft is of that time


class DueCommands(NamedTuple):
    """Commands to be carried out from now on, and the true state when their measurements were sent."""

    commands: Commands
    y: Floats


class FreeRunningLink:
    """The line to the computer at ``address``. Whoever flies calls ``send`` once a flight cycle and ``take`` in every cycle."""

    def __init__(
        self, address: tuple[str, int], silence_s: float, start_s: float = START_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        """``silence_s``: longest time without an answer, while there is one to come; ``start_s``: to the first, at least."""
        self._line, self._clock = FlightLine(address), clock
        self._silence_s, self._first_s = silence_s, max(silence_s, start_s)
        self._pending: dict[int, _Sent] = {}  # newer than the newest answer
        self._overtaken: dict[int, None] = {}  # not heard of, and older
        self._newest = 0  # number of the newest answer
        self._last: Measurements | None = None
        self.figures = LineFigures()
        self.silent_cycles = 0  # since the last answer, while one is to come
        self.unrenewed_cycles = 0  # since the last answer

    @property
    def address(self) -> tuple[str, int]:
        """Our own end."""
        return self._line.address

    @property
    def ignored(self) -> Ignored:
        return self._line.ignored

    def send(self, measurements: Measurements, y: Floats) -> None:
        """Never waits. START is told until the computer has answered: the first datagrams may come before it is up."""
        figures, self._last = self.figures, measurements
        figures.sent += 1
        self._pending[figures.sent] = _Sent(self._clock(), y.copy())
        self._line.send(pack_measurements(figures.sent, measurements, start=figures.taken == 0))

    def take(self, thrusters: int, wheels: int, period_s: float) -> DueCommands | None:
        """The newest answer if one has come since the last cycle, fit to be carried out by what the craft has.
        ``FlightSoftwareFailed``: it is not, or the silence lasts. ``period_s``: of a flight cycle."""
        newest = self._newest_heard()
        self.figures.ignored = self.ignored.total
        self.unrenewed_cycles += 1
        if newest is None:
            self._count_silence()
            return None
        heard, sent = newest
        commands, figures = judged(commands_of(heard), thrusters, wheels, period_s), self.figures
        figures.taken += 1
        figures.lateness = self._clock() - sent.at_s
        figures.lateness_max = max(figures.lateness_max, figures.lateness)
        self.silent_cycles = self.unrenewed_cycles = 0
        return DueCommands(commands, sent.y)

    def close(self) -> None:
        """Tell the computer that the flight is over; it need not answer."""
        last = self._last
        self._line.close(None if last is None else pack_measurements(self.figures.sent + 1, last, end=True))

    # ------------------------------------------------------------------ what has come
    def _newest_heard(self) -> tuple[Heard, _Sent] | None:
        newest: tuple[Heard, _Sent] | None = None
        for _ in range(READ_MOST):
            try:
                heard = self._line.read(0.0)
            except TimeoutError:
                break
            if heard is None:
                continue
            if of_another_version(heard):
                commands_of(heard)  # raises
            if self._is_new(heard.sequence):
                self.figures.missed += newest is not None  # heard, and overtaken in the same cycle
                newest = heard, self._overtake(heard.sequence)
        return newest

    def _is_new(self, sequence: int) -> bool:
        """What is not is counted."""
        figures = self.figures
        if sequence in self._pending:
            return True
        if not 1 <= sequence <= figures.sent:
            self.ignored.old += 1
        elif sequence in self._overtaken:
            del self._overtaken[sequence]
            figures.out_of_order += 1
        else:
            figures.doubled += 1
        return False

    def _overtake(self, sequence: int) -> _Sent:
        """All measurements before these have missed their answer."""
        for number in range(self._newest + 1, sequence):
            del self._pending[number]
            self._overtaken[number] = None
            self.figures.missed += 1
        while len(self._overtaken) > REMEMBERED:
            del self._overtaken[next(iter(self._overtaken))]
        self._newest = sequence
        return self._pending.pop(sequence)

    def _count_silence(self) -> None:
        if not self._pending:
            return
        self.silent_cycles += 1
        figures = self.figures
        limit_s = self._silence_s if figures.taken else self._first_s
        if (self.silent_cycles - 1) * PERIOD_S <= limit_s:  # the first one is that of the sending
            return
        figures.missed += len(self._pending)
        host, port = self._line.peer
        if not figures.taken:
            cause = f"no answer within {limit_s:g} s from {host}:{port}: is the on-board computer running?"
        else:
            cause = f"no answer within {limit_s:g} s from {host}:{port}, cycle {figures.sent}"
        raise FlightSoftwareFailed(f"{cause}{self.ignored}")
