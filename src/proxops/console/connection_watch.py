"""Connections that only take up room are cut: silent ones, requests that never end, readers that never read.

The server bounds the time between two requests, nothing else. So we look at its connections now and then: who shows no progress
for longer than it takes an honest page goes, and of those who have not asked for anything yet only so many may wait.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, Final, Protocol

HEADERS_S: Final = 5.0  # from connecting, or the answer before, to the end of a request's headers
CLOSING_S: Final = 5.0  # for what is still to be sent
READING_S: Final = 20.0  # without a byte taken
SILENT: Final = 256  # connections without a request

Stage = tuple[float, object, int]  # patience with it, s; the request it belongs to; bytes still to be sent


class Transport(Protocol):
    def is_closing(self) -> bool: ...
    def get_write_buffer_size(self) -> int: ...
    def abort(self) -> None: ...


class ConnectionWatch:
    """``look`` now and then at all connections of the server."""

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._clock_s = clock_s
        self._since: dict[Any, tuple[Stage, float]] = {}  # protocol → stage and when it began, oldest first

    def look(self, connections: Iterable[Any]) -> None:
        """Cut those without progress. ``connections``: the server's protocols, of HTTP or of a websocket."""
        now, here = self._clock_s(), set(connections)
        self._since = {each: known for each, known in self._since.items() if each in here}
        for each in here:
            stage = _stage(each)
            known = self._since.get(each)
            if known is None or known[0] != stage:
                self._since.pop(each, None)
                self._since[each] = (stage, now)
            elif now - known[1] > stage[0]:
                each.transport.abort()
        silent = [each for each, (stage, _) in self._since.items() if stage[0] == HEADERS_S]
        for each in silent[: max(0, len(silent) - SILENT)]:
            each.transport.abort()


def _stage(protocol: Any) -> Stage:
    """Where a connection is: it must not stay there for longer than it says."""
    transport: Transport = protocol.transport
    left = transport.get_write_buffer_size()
    cycle = getattr(protocol, "cycle", None)  # of HTTP: the newest request
    if transport.is_closing():
        return CLOSING_S, cycle, 0
    if left:
        return READING_S, cycle, left
    if hasattr(protocol, "cycle") and (cycle is None or cycle.response_complete):
        return HEADERS_S, cycle, 0
    return float("inf"), cycle, 0
