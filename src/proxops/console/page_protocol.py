"""A page's websocket at the server's end: what a page has said last is read even if its connection breaks while we send.

A page that closes right after a click on SAFE STOP resets the connection. If the server notices while it sends a frame, asyncio
gives the connection up with the stop still unread in the socket, which hands it out all the same.
"""

from __future__ import annotations

import os
from typing import Final

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

LAST_BYTES: Final = 262_144  # as many as asyncio reads at once


class PageProtocol(WebSocketsSansIOProtocol):
    """The server's own protocol, with a last look at the socket of a connection that broke."""

    def connection_lost(self, exc: Exception | None) -> None:
        if exc is not None:
            try:
                self._look_once_more()
            except Exception as error:  # whatever a stranger has left there, the connection is to end in good order
                self.logger.warning("last bytes of a page cannot be read: %r", error)
        super().connection_lost(exc)

    def _look_once_more(self) -> None:
        """Never waits: sockets of an event loop do not block. One read takes all that has come."""
        try:
            data = os.read(self.transport.get_extra_info("socket").fileno(), LAST_BYTES)
        except OSError:  # nothing is left
            return
        if data:
            self.data_received(data)
