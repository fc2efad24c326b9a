"""Looks on at the messages for viewers while they are recorded: with a cursor of its own, and nobody waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from proxops.core.ring import Ring
from proxops.ground.viewer_message import PIECE, READ_PIECES, PieceJoiner, ViewerMessage


class ViewerOnlooker:
    """Begins with what the ring still holds. ``missed``: pieces that were overwritten before they were seen."""

    def __init__(self, path: Path) -> None:
        """OSError or ValueError where there is no such ring."""
        self._ring = Ring.attach(path, PIECE)
        self._cursor = max(0, self._ring.head - self._ring.slots)
        self._joiner = PieceJoiner()
        self.missed = 0

    @property
    def closed(self) -> bool:
        """Nothing more will come, and all that came has been seen."""
        return self._ring.closed and self._cursor >= self._ring.head

    def look(self) -> Iterator[ViewerMessage]:
        """What has come by now; never more than the ring holds, however quick the writer is."""
        until = self._ring.head
        while self._cursor < until:
            found, self._cursor, missed = self._ring.read(self._cursor, READ_PIECES)
            self.missed += missed
            yield from self._joiner.join(found)
