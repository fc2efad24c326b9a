"""What a mission's application can see of the hall: in lockstep in the facility's pool, live in the ring beside it."""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np

from proxops.core.pool import Pool
from proxops.core.ring import Ring
from proxops.maths.rotation import Array

DEAD_CYCLES: Final = 5  # without a new record of the hall


class HallView(Protocol):
    """What can be seen of the hall by its sensors and its client."""

    @property
    def converged(self) -> bool: ...
    @property
    def truth(self) -> Array: ...


class PoolView:
    """The hall as its pool shows it."""

    def __init__(self, pool: Pool) -> None:
        self._bridge, self.truth = pool.record[0]["bridge"], pool.run("hall_truth")

    truth: Array

    @property
    def converged(self) -> bool:
        return bool(self._bridge["converged"])


class RingView:
    """The hall as a process beside it sees it."""

    def __init__(self, ring: Ring) -> None:
        self._ring, self._head, self._standing = ring, 0, 0
        self.converged, self.truth = False, np.zeros(7)

    converged: bool
    truth: Array

    def look(self) -> None:
        """A ring that stands still, or is closed, shows nothing any more."""
        head = self._ring.head
        self._standing = self._standing + 1 if head == self._head else 0
        self._head = head
        record = self._ring.latest()
        if record is None or self._standing > DEAD_CYCLES or self._ring.closed:
            self.converged = False
            return
        self.converged = bool(record["bridge"]["converged"])
        self.truth = np.array(record["hall_truth"].tolist())
