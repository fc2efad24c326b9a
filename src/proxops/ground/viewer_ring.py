"""The writer's end of the ring of messages for viewers: in lockstep it waits for the recorder, live it never does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from proxops.core.ring import Ring
from proxops.ground.viewer_message import PIECE, SLOTS, ViewerMessage, pieces


class ViewerRing:
    """``wait``: how to let the recorder keep up, before each piece; None if nobody waits. Push what belongs to a cycle before
    that cycle's record: the recorder relies on it."""

    def __init__(self, ring: Ring, wait: Callable[[], None] | None = None) -> None:
        self.ring, self.wait = ring, wait

    @classmethod
    def create(cls, slots: int = SLOTS) -> ViewerRing:
        """A new one, for the recorder of a run."""
        return cls(Ring.create("viewer", PIECE, slots))

    @classmethod
    def attach(cls, path: Path) -> ViewerRing:
        """One that another process made, which then leaves the writing to us. What comes later than its cycle's record stands
        in the log a second later, with its own times."""
        return cls(Ring.attach(path, PIECE))

    def push(self, messages: Iterable[ViewerMessage]) -> None:
        for message in messages:
            for piece in pieces(message):
                if self.wait is not None:
                    self.wait()
                self.ring.push(piece)

    @property
    def lost(self) -> int:
        """Pieces that the recorder came too late for."""
        return self.ring.lost

    def close(self) -> None:
        self.ring.close()
