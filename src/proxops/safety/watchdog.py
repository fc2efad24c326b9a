"""The watchdog over a link: which set-points may pass, when it takes over, and how it then brakes.

Time is handed in; processes, sockets and robots are the responder's (``facility/responder.py``). A set-point is fresh when its
number and its time of sending are beyond those of the last one and neither is ahead of the clock. When none has been sent for as
long as the patience, the watchdog brakes from the last one along the path and obeys nothing until the robots stand and the drives
are wanted on anew. It brakes hard: the facility may have been braking already, and no brake is begun anew.

The facility is judged by when it sent, not by when the watchdog came to read. A machine that holds up the watchdog itself has
mostly held up the facility too: then it gets one more cycle, once, to show that it is there.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.clock import STALL_NS
from proxops.core.messages import PERIOD_NS
from proxops.lab.links.exchange import AT_REST_NS, Watch, WatchdogCause, doubt_ns
from proxops.safety.braking import hard_braking_time, hard_braking_way

OWN_LATENESS_NS: Final = 1_000_000  # a machine that is well wakes the watchdog within this


class SetpointVerdict(IntEnum):
    """What the watchdog thinks of a set-point message."""

    FRESH = 0
    REPEATED = 1  # its number, or its time, is not beyond the last one's: a replay, or out of order
    FUTURE = 2  # sent later than now, or with a number that the cycles since then cannot have reached
    STALE = 3  # it has lain about for longer than motion may go unwatched
    NOT_FINITE = 4  # its set-point holds what is no number; the controllers will fault on it
    NOT_OURS = 5  # another size, magic or version


class Watchdog:
    """Begins at rest at ``standing`` (m, rad). ``setpoint`` is what the controllers shall have: the facility's, or its own."""

    def __init__(
        self, acceleration: NDArray[np.float64], patience_ns: int, now_ns: int, standing: NDArray[np.float64],
        stall_ns: int = STALL_NS, period_ns: int = PERIOD_NS,
    ) -> None:  # fmt: skip
        self._period_ns, self.doubt_ns = period_ns, doubt_ns(period_ns)
        self._acceleration, self.patience_ns = acceleration.copy(), patience_ns
        self._stall_ns = stall_ns  # as long as motion may go unwatched at all (Rule.STALL): the longest excuse
        self.watch, self.cause = Watch.WATCHING, WatchdogCause.NONE
        self.sequence, self.last_ns = 0, now_ns  # of the last fresh one
        self.silence_ns = 0  # when it took over
        self._allowance_ns, self._heard, self._ahead = 0, True, 1
        self.held_up = 0  # times
        self.gaps, self.refused = 0, dict.fromkeys(SetpointVerdict, 0)
        self.setpoint, self.rate = standing.copy(), np.zeros(standing.size)
        self._origin, self._pace = standing.copy(), np.zeros(standing.size)
        self._duration = self._elapsed = 0.0

    def wake(self, late_ns: int) -> None:
        """To be called whenever the watchdog's process runs again: how much later than it wanted to."""
        if self._heard:
            self._allowance_ns = 0
        if self._heard and OWN_LATENESS_NS < late_ns <= self._stall_ns:
            self._allowance_ns, self._heard = late_ns + self._period_ns, False
            self.held_up += 1

    @property
    def deadline_ns(self) -> int:
        """When the facility's silence will have lasted too long."""
        return self.last_ns + self.bound_ns + self._allowance_ns

    @property
    def bound_ns(self) -> int:
        """How long the facility may be silent: much shorter in motion than at rest."""
        return self.patience_ns if self.rate.any() else max(self.patience_ns, AT_REST_NS)

    # --- judging
    def judge(self, sequence: int, sent_ns: int, now_ns: int) -> SetpointVerdict:
        """Take note of a message; FRESH ones become the last."""
        ahead, elapsed = sequence - self.sequence, sent_ns - self.last_ns
        if ahead <= 0 or (elapsed <= 0 and self.sequence):
            return self._refuse(SetpointVerdict.REPEATED)
        if sent_ns > now_ns or ahead > (max(elapsed, 0) + self.patience_ns) // self._period_ns + 1:
            return self._refuse(SetpointVerdict.FUTURE)
        if now_ns - sent_ns >= self._stall_ns:
            return self._refuse(SetpointVerdict.STALE)
        self.gaps += ahead - 1
        self._ahead, self.sequence, self.last_ns, self._heard = ahead, sequence, sent_ns, True
        return SetpointVerdict.FRESH

    def _refuse(self, verdict: SetpointVerdict) -> SetpointVerdict:
        self.refused[verdict] += 1
        return verdict

    def follow(self, axes: NDArray[np.float64]) -> None:
        """Pass on the set-point of a fresh message. What is no number is passed on too (the controllers fault on it and brake),
        but braking would begin at the last good one."""
        if not np.isfinite(axes).all():
            self._refuse(SetpointVerdict.NOT_FINITE)
            self.setpoint[:] = axes
            return
        self.rate[:] = (axes - self._origin) / (self._ahead * self._period_ns * 1e-9)
        self._origin[:] = self.setpoint[:] = axes

    # --- taking over
    def overdue(self, now_ns: int) -> bool:
        """True when the robots have gone without a fresh set-point for as long as they may."""
        return self.watch is Watch.WATCHING and now_ns >= self.deadline_ns

    def doubtful(self, now_ns: int) -> bool:
        """True when motion has gone without a fresh set-point for three cycles: then a facility that can be seen to be dead or
        stopped gets no more patience, whatever a living one has."""
        return (
            self.watch is Watch.WATCHING
            and now_ns >= self.last_ns + min(self.patience_ns, self.doubt_ns) + self._allowance_ns
            and bool(self.rate.any())
        )

    def lateness(
        self, sequence: int, sent_ns: int, now_ns: int, axes: NDArray[np.float64] | None = None
    ) -> WatchdogCause:
        """Why a set-point that has come, sent at ``sent_ns``, is too late to go on from; NONE where it is not, and of messages
        that would be refused anyway: they say nothing about the facility."""
        replayed = sequence <= self.sequence or (sent_ns <= self.last_ns and self.sequence > 0)
        if self.watch is not Watch.WATCHING or replayed or sent_ns > now_ns:
            return WatchdogCause.NONE
        moves = self.rate.any() or (axes is not None and not np.array_equal(axes, self.setpoint))
        if now_ns - sent_ns >= self._stall_ns and moves:
            return WatchdogCause.HELD_UP  # to go on from it would be a leap
        if sent_ns >= self.deadline_ns:
            return WatchdogCause.LATE
        return WatchdogCause.HELD_UP if now_ns - self.last_ns >= self.bound_ns + self._stall_ns else WatchdogCause.NONE

    def take_over(self, cause: WatchdogCause, now_ns: int) -> float:
        """Brake from the last set-point and rate; s that it will take. A brake that runs is never restarted."""
        if self.watch is Watch.WATCHING:
            self.watch, self.cause, self.silence_ns = Watch.BRAKING, cause, now_ns - self.last_ns
            self._pace[:], self.setpoint[:] = self.rate, self._origin
            self._duration, self._elapsed = hard_braking_time(self._pace, self._acceleration), 0.0
        return self._duration

    @property
    def rest(self) -> NDArray[np.float64]:
        """Where the set-point will come to rest, once it brakes."""
        return self._origin + self._pace * (0.5 * self._duration)

    def brake(self) -> bool:
        """One cycle of braking; True once the set-point no longer changes."""
        rested = self._elapsed >= self._duration
        self._elapsed += self._period_ns * 1e-9
        self.setpoint[:] = self._origin + self._pace * hard_braking_way(self._elapsed, self._duration)
        return rested

    def stand(self) -> None:
        """The brakes are closed."""
        self.watch = Watch.STANDING
        self.rate[:] = 0.0

    def begin_anew(self, standing: NDArray[np.float64]) -> None:
        """The drives are wanted on again: from where the robots are, at rest."""
        self.watch, self.cause, self.silence_ns = Watch.WATCHING, WatchdogCause.NONE, 0
        self._origin[:] = self.setpoint[:] = standing
        self.rate[:] = 0.0
