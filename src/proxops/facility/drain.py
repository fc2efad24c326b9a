"""Throwing away what waited in a socket while the facility itself stood still."""

from __future__ import annotations

import socket
from typing import Final

FLUSH_LIMIT: Final = 8192  # more than a socket's buffer holds: a flood does not keep the cycle here


def flush(opened: socket.socket) -> int:
    """Read and forget everything that waits; how many datagrams that were."""
    scrap = bytearray(1)  # of each datagram the system throws away what does not fit
    for count in range(FLUSH_LIMIT):
        try:
            opened.recv_into(scrap)
        except (BlockingIOError, InterruptedError):
            return count
        except ConnectionError:  # an answer met a closed port: no datagram, but counted for the bound
            continue
    return FLUSH_LIMIT
