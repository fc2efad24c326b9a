"""Reading what waits in a socket within a cycle: bounded work whatever arrives, and nothing that waits for more."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Final

from proxops.core.channel import Address

FLUSH_LIMIT: Final = 8192  # more than a socket's buffer holds: a flood does not keep the cycle here
LARGEST: Final = 2048  # bytes of a datagram that are read: more than any of ours has


def drain(
    opened: socket.socket, take: Callable[[bytes, Address], None], limit: int, time_ns: int, look_every: int
) -> int:
    """Hand every datagram that waits to ``take``: 0 if none is left. Else how many were read before ``limit`` or ``time_ns``
    ended it; the clock is looked at after every ``look_every``."""
    began = time.monotonic_ns()
    for count in range(1, limit + 1):
        try:
            data, sender = opened.recvfrom(LARGEST)
        except (BlockingIOError, InterruptedError):
            return 0
        except ConnectionError:  # an answer met a closed port (ICMP): the sender is gone, silence will tell
            continue
        take(data, sender)
        if count % look_every == 0 and time.monotonic_ns() - began > time_ns:
            return count
    return limit


def flush(opened: socket.socket) -> int:
    """Throw away what waited while the facility itself stood still; how many datagrams that were."""
    scrap = bytearray(1)  # of each datagram the system throws away what does not fit
    for count in range(FLUSH_LIMIT):
        try:
            opened.recv_into(scrap)
        except (BlockingIOError, InterruptedError):
            return count
        except ConnectionError:  # an answer met a closed port: no datagram, but counted for the bound
            continue
    return FLUSH_LIMIT
