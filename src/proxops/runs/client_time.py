"""Time of a client that sends in real time: it stands while the client is held, and does not make up for time it never had."""

from __future__ import annotations

import time
from typing import Final

LONGEST_GAP_S: Final = 0.1  # between two looks: a client that was away longer was stopped, not late


class ClientTime:
    """Seconds since the client began. Short delays are caught up with, as any client's clock would; a stop (held, suspended, a
    signal) is not: otherwise all packets of that time would leave in one burst, and the motion would jump."""

    def __init__(self) -> None:
        self._t_s, self._looked_s = 0.0, time.monotonic()

    def now(self) -> float:
        """To be asked all the time."""
        looked_s = time.monotonic()
        gap_s, self._looked_s = looked_s - self._looked_s, looked_s
        if gap_s <= LONGEST_GAP_S:
            self._t_s += gap_s
        return self._t_s

    def skip(self) -> None:
        """What has passed since the last look does not count."""
        self._looked_s = time.monotonic()
