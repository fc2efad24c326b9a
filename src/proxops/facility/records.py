"""What a run tells of every cycle: its pool, and the rings through which that and the events reach recorder and console."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from proxops.core.abandoned_rings import remove_abandoned
from proxops.core.messages import EVENT_DTYPE, Group
from proxops.core.pool import Pool
from proxops.core.ring import Ring
from proxops.ground.viewer_message import ViewerChannel
from proxops.ground.viewer_ring import ViewerRing
from proxops.lab.any_cell import AnyCell, pool_of

BEHIND_NS: Final = 40_000_000_000  # that the recorder may fall behind
EVENT_SLOTS: Final = 1024


class SensorChannels(Protocol):
    """Of sensors whose images are recorded (``ground/sensor_log.py``): what the log needs, and the pieces that may wait."""

    @property
    def channels(self) -> tuple[ViewerChannel, ...]: ...
    @property
    def slots(self) -> int: ...


@dataclass(frozen=True)
class Records:
    """``rings``: the pool's, with a record for every cycle, and that of the events. ``groups``: what an application has added to
    the pool. ``viewer``: for images of sensors, if a run has any."""

    groups: tuple[Group, ...]
    pool: Pool
    rings: tuple[Ring, Ring]
    viewer: ViewerRing | None = None

    @classmethod
    def create(cls, cell: AnyCell, groups: tuple[Group, ...] = (), viewer_slots: int = 0) -> Records:
        """Of a cell; what an application tells besides comes last. ``viewer_slots``: pieces of images that may wait for
        the recorder. Rings that dead processes of ours have left are removed."""
        remove_abandoned()
        pool = Pool((*pool_of(cell), *groups))
        of_pool = Ring.create("pool", pool.record.dtype, BEHIND_NS // cell.period_ns)
        rings = of_pool, Ring.create("events", EVENT_DTYPE, EVENT_SLOTS)
        return cls(groups, pool, rings, ViewerRing.create(viewer_slots) if viewer_slots else None)

    @property
    def lost(self) -> bool:
        """A reader has come too late for some."""
        return any(ring.lost for ring in self.rings)

    def close(self) -> None:
        for ring in self.rings:
            ring.close()
        if self.viewer:
            self.viewer.close()
