"""The console's way for safe stops: the facility's stop socket, connected from the start and held open."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Final, Protocol

from proxops.console.desk_line import SocketLine
from proxops.core.errors import ProxopsError

TRIES: Final = 3
ANSWER_S: Final = 0.5  # more than a hundred cycles: a facility that lives has answered by then


class Stopping(Protocol):
    """What carries stops to the facility."""

    async def stop(self, by: str) -> None: ...


class StopLine:
    """``stop`` returns when the facility has acknowledged it, and raises when it has not: a stop is never said to be done that is
    not known to be."""

    def __init__(self, path: Path) -> None:
        self._line = SocketLine(path)

    @classmethod
    async def open(cls, path: Path) -> StopLine:
        made = cls(path)
        with contextlib.suppress(OSError):  # the facility may be gone: a stop then says so
            made._line.connect()
        return made

    async def stop(self, by: str) -> None:
        """Send, and send again on a new connection when no answer comes."""
        why = ""
        for _ in range(TRIES):
            try:
                reply = await self._line.exchange({"do": "safe_stop", "by": by}, ANSWER_S)
            except OSError as error:
                why = str(error) or "no answer"
                self._line.hang_up()
                continue
            if reply.get("ok") is True:
                return
            why = str(reply.get("error", "refused"))
        raise ProxopsError(f"the facility has not acknowledged the stop ({why}; tried {TRIES} times)")

    def close(self) -> None:
        self._line.close()
