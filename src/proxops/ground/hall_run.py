"""A run through the hall, worked out once: what its summary tells and what its report draws come from the same arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from proxops.ground.bridge_clearance import Clearances, clearances
from proxops.ground.bridge_following import RelativeErrors, relative_errors
from proxops.ground.bridge_run import BridgeRun, bridge_run
from proxops.ground.chapter import Chapter
from proxops.ground.following import Following, follow
from proxops.ground.log import Log
from proxops.ground.motion import MotionFigures, motion_of
from proxops.ground.recorded import MotionKind, Ports, Recorded, ports_of_axes, recorded
from proxops.lab.cell import Cell


@dataclass(frozen=True, eq=False)
class HallRun:
    """Each part is made when it is first asked for, and kept. ``chapter``: of the run's kind."""

    log: Log
    cell: Cell
    chapter: Chapter | None = None

    @cached_property
    def data(self) -> Recorded:
        return recorded(self.log)

    @property
    def bridged(self) -> bool:
        return self.data.kind is MotionKind.BRIDGED

    @cached_property
    def wished_ports(self) -> Ports:
        """At the wished axes of the whole log."""
        return ports_of_axes(self.cell.hall, self.data.wish)

    @cached_property
    def actual_ports(self) -> Ports:
        """At the actual axes of the whole log."""
        return ports_of_axes(self.cell.hall, self.data.actual)

    @cached_property
    def following(self) -> Following:
        return follow(self.data, self.cell.hall, self.wished_ports, self.actual_ports)

    @cached_property
    def motion(self) -> MotionFigures:
        return motion_of(self.log, self.data, self.cell)

    @cached_property
    def bridge(self) -> BridgeRun:
        """Of a run that the bridge made."""
        return bridge_run(self.log, self.data)

    @cached_property
    def relative_errors(self) -> tuple[RelativeErrors, RelativeErrors]:
        """Of a run that the bridge made: as they are, and with the delay taken off."""
        return relative_errors(self.bridge, self.data, self.cell.hall, self.following)

    @cached_property
    def clearances(self) -> Clearances:
        """Of a run that the bridge made."""
        return clearances(self.log, self.data, self.bridge, self.cell)

    @cached_property
    def of_kind(self) -> Any:
        """What the chapter works on; None where there is none of it in the log."""
        return self.chapter.read(self.log) if self.chapter else None
