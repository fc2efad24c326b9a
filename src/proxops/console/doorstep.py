"""Connections that have not greeted yet: only so many, and when more come, the one that has been silent for longest goes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

PLACES: Final = 128
GREETING_S: Final = 3.0  # who says nothing for so long goes


class Doorstep:
    """``standing`` ends with TimeoutError for who is silent for too long, or is in the way of others."""

    def __init__(self) -> None:
        self._standing: dict[asyncio.Timeout, None] = {}  # in the order of their coming

    def __len__(self) -> int:
        return len(self._standing)

    @asynccontextmanager
    async def standing(self) -> AsyncIterator[None]:
        async with asyncio.timeout(GREETING_S) as patience:
            self._make_room()
            self._standing[patience] = None
            try:
                yield
            finally:
                self._standing.pop(patience, None)

    def _make_room(self) -> None:
        while len(self._standing) >= PLACES:
            oldest = next(iter(self._standing))
            del self._standing[oldest]
            if not oldest.expired():
                oldest.reschedule(asyncio.get_running_loop().time())
