"""Safe stops on their way to the facility: each that is asked for is followed by one that is sent, whatever the hall seems to do.

Those that come within one cycle share the sending at its end: the facility looks at its stop socket once per cycle, so none is
later for it, and a flood of them is no more than one a cycle.
"""

from __future__ import annotations

import asyncio
import time

from proxops.console.stop_line import Stopping
from proxops.core.messages import PERIOD_S


class SafeStops:
    """``ask`` returns once the facility has acknowledged a stop that was sent after it was asked for."""

    def __init__(self, line: Stopping) -> None:
        self._line = line
        self._next: asyncio.Task[None] | None = None  # not sent yet: whoever comes now shares it
        self._under_way: set[asyncio.Task[None]] = set()
        self._askers: set[str] = set()  # of the next one
        self._sent_at = 0.0

    async def ask(self, by: str = "") -> None:
        """Whoever asked may go away meanwhile: the stop is sent all the same. ``by``: who it is, for the event."""
        self._askers.add(by)
        if self._next is None:
            self._next = asyncio.create_task(self._send())
            self._under_way.add(self._next)
            self._next.add_done_callback(self._over)
        await asyncio.shield(self._next)

    async def _send(self) -> None:
        wait_s = self._sent_at + PERIOD_S - time.monotonic()
        if wait_s > 0.0:
            await asyncio.sleep(wait_s)
        askers, self._askers = ", ".join(sorted(self._askers)), set()
        self._next, self._sent_at = None, time.monotonic()
        await self._line.stop(askers)

    def _over(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            task.exception()  # heard, also when everybody who asked has gone
