"""What one page looks at of the sensors: nothing waits for it, it takes the newest when it has taken the one before.

One sight is under way at a time, and after it the line is left alone for as long as it took: pictures have at most half of it,
and the hall's frames, which go first, always find room.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

from proxops.console.gallery import Gallery, Hung

MOST_HZ: Final = 10.0  # of each kind of what a sensor sees
REST_S: Final = 0.01  # at least, after each: a page may not say more than so much


class Looking:
    """``look_at`` what the page wishes to see; ``next`` is what goes out now, or None."""

    def __init__(self, gallery: Gallery) -> None:
        self._gallery = gallery
        self._looks: dict[str, float] = {}
        self._had: dict[tuple[str, str], tuple[int, float]] = {}  # serial and when it was sent
        self._under_way: int | None = None
        self._sent_at = self._free_at = 0.0

    def look_at(self, looks: Mapping[str, float]) -> None:
        """From now on, in place of what was looked at before. What comes back into view is shown at once."""
        self._looks = dict(looks)
        self._had = {key: had for key, had in self._had.items() if key[0] in looks}

    def seen(self, serial: int) -> None:
        """The page has taken the one that was under way."""
        if serial == self._under_way:
            now = time.monotonic()
            self._under_way, self._free_at = None, now + max(now - self._sent_at, REST_S)

    @property
    def rest_s(self) -> float:
        """For how long the line is still left alone."""
        return max(0.0, self._free_at - time.monotonic())

    def waiting(self) -> bool:
        """Something would go out now."""
        return self._due() is not None

    def next(self) -> bytes | None:
        """The sight that has waited for longest, of those that are due."""
        hung = self._due()
        if hung is None:
            return None
        self._sent_at = time.monotonic()
        self._had[hung.sight.key], self._under_way = (hung.serial, self._sent_at), hung.serial
        return hung.sight.data

    def _due(self) -> Hung | None:
        now = time.monotonic()
        if not self._looks or self._under_way is not None or now < self._free_at:
            return None
        due = [
            (sent_at, hung)
            for key, hung in self._gallery.newest.items()
            if (hz := min(self._looks.get(key[0], 0.0), MOST_HZ)) > 0.0
            and (had := self._had.get(key, (0, -1e9)))[0] != hung.serial
            and now - (sent_at := had[1]) >= 1.0 / hz
        ]
        return min(due, key=lambda each: each[0])[1] if due else None
