"""One page that looks on: what waits for it is bounded and the oldest goes first, however slowly it takes it.

A page acknowledges every frame; with ``CREDIT`` frames under way none is sent until it has seen one. So what is shown is never a
queue of old frames, and a page that hangs costs nothing. What sensors see comes last (``looking.py``).
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from typing import Any, Final

from proxops.console.gallery import Gallery
from proxops.console.json_text import json_text
from proxops.console.live_feed import Frame
from proxops.console.looking import Looking

MESSAGE: Final = 2
CREDIT: Final = 3  # frames under way
REPLIES: Final = 64
NEWS: Final = 400  # events that wait
DEAF_S: Final = 5.0  # without a frame seen: nothing more is sent


def packed_message(message: dict[str, Any]) -> bytes:
    """A message as one binary frame."""
    return bytes([MESSAGE]) + json_text(message).encode("utf-8", "replace")


class Viewer:
    """The outbox of one page. ``next`` is what goes out now, or None; ``wake`` is set when that may have changed."""

    def __init__(self, number: int, name: str, gallery: Gallery | None = None) -> None:
        self.id, self.name = number, name
        self.looking = Looking(gallery or Gallery())
        self.secret = secrets.token_urlsafe(16)  # told to this page only: what comes with it comes from there
        self.wake = asyncio.Event()
        self.dismissed = asyncio.Event()  # its place is needed: the conversation ends
        self.dropped = 0  # frames that were never sent
        self._frame: Frame | None = None
        self._under_way: deque[int] = deque()  # numbers of frames that the page has not acknowledged
        self._heard_at = time.monotonic()
        self._replies: deque[bytes] = deque(maxlen=REPLIES)
        self._states: dict[str, bytes] = {}  # newest of its kind
        self._news: deque[dict[str, Any]] = deque(maxlen=NEWS)
        self._news_lost = 0

    # --- in
    def offer(self, frame: Frame) -> None:
        """A new frame takes the place of one that still waits."""
        if self._frame is not None:
            self.dropped += 1
        self._frame = frame
        self.wake.set()

    def tell(self, message: dict[str, Any]) -> None:
        """News of a state: only the newest of a kind counts."""
        self.keep(message["kind"], packed_message(message))

    def keep(self, kind: str, data: bytes) -> None:
        """The same, packed already: once for all viewers."""
        self._states[kind] = data
        self.wake.set()

    def reply(self, message: dict[str, Any]) -> None:
        """An answer that may not get lost."""
        self._replies.append(packed_message(message))
        self.wake.set()

    def inform(self, events: list[dict[str, Any]]) -> None:
        """Events; the oldest go when too many wait."""
        self._news_lost += max(0, len(self._news) + len(events) - NEWS)
        self._news.extend(events)
        self.wake.set()

    def seen(self, number: int) -> None:
        """The page has taken a frame, hence those before."""
        while self._under_way and self._under_way[0] <= number:
            self._under_way.popleft()
            self._heard_at = time.monotonic()
        self.wake.set()

    def look_at(self, looks: dict[str, float]) -> None:
        """Which sensors the page shows, and how often a second."""
        self.looking.look_at(looks)
        self.wake.set()

    def sighted(self, serial: int) -> None:
        """The page has taken what a sensor saw."""
        self.looking.seen(serial)
        self.wake.set()

    # --- out
    @property
    def deaf(self) -> bool:
        """It has not taken what was sent for long."""
        return self.deaf_s > DEAF_S

    @property
    def deaf_s(self) -> float:
        """For how long it has not taken what was sent."""
        return time.monotonic() - self._heard_at if self._under_way else 0.0

    def next(self) -> bytes | None:
        """What goes out now."""
        if self._replies:
            return self._replies.popleft()
        if self.deaf:
            return None
        if self._states:
            return self._states.pop(next(iter(self._states)))
        if self._news:
            return self._events()
        return self._due_frame() or self.looking.next()

    def _events(self) -> bytes:
        items, lost = list(self._news), self._news_lost
        self._news.clear()
        self._news_lost = 0
        return packed_message({"kind": "events", "items": items, "lost": lost})

    def _due_frame(self) -> bytes | None:
        frame = self._frame
        if frame is None or len(self._under_way) >= CREDIT:
            return None
        if not self._under_way:
            self._heard_at = time.monotonic()
        self._frame = None
        self._under_way.append(frame.number)
        return frame.data
