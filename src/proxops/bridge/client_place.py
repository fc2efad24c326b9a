"""The one place at the bridge: who holds it, and whether it may move the hall.

A hall in which people stand does not begin to move because somebody unknown begins to send. The client that had the hall may come
back at any time: the same address with numbers that go on rising, or, under a key, whoever holds the key. Anyone else gets the
place when it is free (2 s of silence) but moves nothing until the operator accepts it; if the former client comes back before
that, the place is its own again. Selecting the bridge is asking for a client: the first one after that needs no more.
"""

from __future__ import annotations

from typing import Final

from proxops.core.channel import Address
from proxops.core.datagram import LEAP_MAX
from proxops.core.vocabulary import Severity, Tell

PATIENCE_NS: Final = 2_004_000_000  # of silence, then the place is free: 2 s, and the cycle in which the client spoke
INVITATION_NS: Final = 60_000_000_000  # for how long an operator's acceptance waits for a client that is not there yet
LOCKSTEP: Final[Address] = ("lockstep", 0)  # the client of a run in one process: nobody else can reach it
_EVER: Final = 2**63
_NO_ONE: Final = -1


class ClientPlace:
    """``master`` holds the place; while it is ``waiting`` its packets move nothing. ``ask``: new clients need the operator.
    ``quiet_ns``: silence after which numbers that begin anew are another client, not old packets."""

    def __init__(self, tell: Tell, ask: bool, quiet_ns: int) -> None:
        self._tell, self._ask, self._quiet_ns = tell, ask, quiet_ns
        self.master: Address | None = None
        self.waiting = False
        self._former: Address | None = None  # who had the hall last
        self._newest = -1  # its highest number ...
        self._risen_ns = 0  # ... and when that came
        self._last = -1  # number that the master sent last
        self._heard_ns = self._now_ns = 0
        self._invited_until_ns = _EVER

    @property
    def newest(self) -> int:
        """Highest number of who has the hall."""
        return self._newest

    @property
    def silent_ns(self) -> int:
        """Since the last packet of whoever has the place, or had it."""
        return self._now_ns - self._heard_ns

    def begin_cycle(self, now_ns: int, selected: bool) -> bool:
        """``selected``: the bridge has the hall. True when the place has just become free."""
        self._now_ns = now_ns
        if not selected:  # whoever comes now is who the operator selects the bridge for
            self.waiting, self._invited_until_ns = False, _EVER
        if self.master is None or self.silent_ns <= PATIENCE_NS:
            return False
        self._say(f"client {name_of(self.master)} silent: its place is free")
        self.master, self.waiting = None, False
        return True

    def select(self) -> None:
        """The operator gives the hall to the bridge, hence to whoever has the place, or else to the next one."""
        self._invited_until_ns = _EVER if self.master is None else _NO_ONE
        if self.master is not None:
            self._welcome(self.master, self._last)

    def accept(self) -> None:
        """The operator accepts the client that waits, or else the next new one of the next minute."""
        if self.master is not None and self.waiting:
            self._say(f"client {name_of(self.master)} accepted by the operator")
            self._welcome(self.master, self._last)
        else:
            self._invited_until_ns = max(self._invited_until_ns, self._now_ns + INVITATION_NS)
            self._say(f"the next new client is accepted, within {INVITATION_NS // 1_000_000_000} s")

    def taken_from(self, sender: Address) -> bool:
        """Another has the place. The former client is heard all the same while a new one waits."""
        return self.master not in (None, sender) and not (self.waiting and sender == self._former)

    def leaps(self, sender: Address, sequence: int) -> bool:
        """The number is nowhere near those that its sender had so far."""
        return sender == self.master and not self.waiting and sequence > self._newest + LEAP_MAX

    def take(self, sender: Address, sequence: int, proven: bool) -> bool:
        """A good packet of whom the place is not taken from. True if it may move the hall. ``proven``: it holds the key."""
        if sender == self.master and not self.waiting:
            moves = self._go_on(sender, sequence, proven)
        else:
            moves = self._come(sender, sequence, proven)
        self._heard_ns, self._last = self._now_ns, self._newest if moves else sequence
        return moves

    def _go_on(self, sender: Address, sequence: int, proven: bool) -> bool:
        """The next packet of the client that has the hall."""
        if sequence > self._newest:
            self._newest, self._risen_ns = sequence, self._now_ns
        elif self._now_ns - self._risen_ns > self._quiet_ns:  # it counts anew
            if not (proven or self._trusted(sender)):
                return self._wait(sender)
            self._newest, self._risen_ns = sequence, self._now_ns
        return True

    def _come(self, sender: Address, sequence: int, proven: bool) -> bool:
        """A packet of somebody who does not have the hall."""
        back = sender == self._former and self._newest < sequence <= self._newest + LEAP_MAX
        new = not (proven or back or self._trusted(sender))
        if new and self._now_ns > self._invited_until_ns:
            return self._wait(sender)
        # What was asked for is there; an operator's acceptance is for a new one.
        if new or self._invited_until_ns == _EVER:
            self._invited_until_ns = _NO_ONE
        self._say(f"client {name_of(sender)} has the bridge")
        self._welcome(sender, sequence)
        return True

    def _trusted(self, sender: Address) -> bool:
        return not self._ask or sender == LOCKSTEP

    def _welcome(self, sender: Address, sequence: int) -> None:
        self.master = self._former = sender
        self.waiting = False
        self._newest, self._risen_ns = sequence, self._now_ns

    def _wait(self, sender: Address) -> bool:
        if not self.waiting or sender != self.master:
            text = (
                f"client {name_of(sender)} is new: the hall stands until the operator accepts it (proxops ctl accept)"
            )
            self._tell(Severity.WARNING, "bridge.new_client", text)
        self.master, self.waiting = sender, True
        return False

    def _say(self, text: str) -> None:
        self._tell(Severity.INFO, "bridge.client", text)


def name_of(address: Address) -> str:
    """How messages name it."""
    return f"{address[0]}:{address[1]}"
