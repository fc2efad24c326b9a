"""How much of a viewer the server puts up with: a bucket that fills at a steady rate and lets bursts through."""

from __future__ import annotations

import time


class Patience:
    """``spent`` is True when somebody asks faster than ``rate_hz`` for longer than a burst."""

    def __init__(self, rate_hz: float, burst: float) -> None:
        self._rate_hz, self._burst = rate_hz, burst
        self._left, self._at = burst, time.monotonic()

    def spent(self) -> bool:
        """Take one; True when there is none."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate_hz)
        self._at = now
        if self._left < 1.0:
            return True
        self._left -= 1.0
        return False
