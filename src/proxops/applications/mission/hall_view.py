"""What a mission's application can see of the hall: in lockstep in the facility's pool, live in the ring beside it."""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np

from proxops.bridge.roles import exchange_pose
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
    @property
    def ports(self) -> Array: ...
    @property
    def axes(self) -> Array: ...
    @property
    def utc_ns(self) -> int:
        """Of what is seen, where the wall's clock is kept; else 0."""
        ...


class PoolView:
    """The hall as its pool shows it. ``exchanged``: the chaser is on robot 2 (``bridge.roles``)."""

    def __init__(self, pool: Pool, exchanged: bool = False) -> None:
        self._bridge, self.ports, self._exchanged = pool.record[0]["bridge"], pool.run("hall_truth"), exchanged
        self.axes, self.utc_ns = pool.run("actual"), 0

    @property
    def converged(self) -> bool:
        return bool(self._bridge["converged"])

    @property
    def truth(self) -> Array:
        """T_target_chaser that the robots show."""
        return _seen(self.ports, self._exchanged)


class RingView:
    """The hall as a process beside it sees it; ``exchanged`` as above."""

    def __init__(self, ring: Ring, exchanged: bool = False) -> None:
        self._ring, self._head, self._standing, self._exchanged = ring, 0, 0, exchanged
        self.converged, self.truth, self.ports, self.axes = False, np.zeros(7), np.zeros(7), np.zeros(13)
        self.tick = self.utc_ns = 0  # of what is seen, by the hall's clock

    converged: bool
    truth: Array  # T_target_chaser that the robots show
    ports: Array  # the same as T_port2_port1
    axes: Array  # as the robots report them

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
        self.tick, self.utc_ns = int(record["clock"]["tick"]), int(record["clock"]["utc_ns"])
        self.ports, self.axes = np.array(record["hall_truth"].tolist()), np.array(record["actual"].tolist())
        self.truth = _seen(self.ports, self._exchanged)


def _seen(T_port2_port1: Array, exchanged: bool) -> Array:
    """T_target_chaser."""
    out = T_port2_port1.copy()
    if exchanged:
        exchange_pose(T_port2_port1, out)
    return out
