"""What goes to a process that looks for the client in the images of one sensor, and what it has to know before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from proxops.core.imaging_table import ImagingSensor
from proxops.core.scenery_table import Scenery
from proxops.core.vision_table import Vision
from proxops.lab.cell import Cell
from proxops.onboard.vision.sight import Sight
from proxops.runs.work_line import WorkFailed, WorkLine

CHILD: Final = "proxops.applications.mission.vision.child"
WHAT: Final = "the process that looks for the client in images"
WAY_OUT: Final = "a mission without [vision] sensors needs none"


@dataclass(frozen=True, eq=False)
class VisionSetting:
    """``cell``: of the hall that the sensor looks at; None: it looks into orbit. ``scenery``: only what the client looks like is
    taken of it, and only where ``vision`` does not name a model."""

    sensor: ImagingSensor
    vision: Vision
    scenery: Scenery
    cell: Cell | None
    exchanged: bool  # the chaser is on robot 2


class VisionFailed(WorkFailed):
    """The process has ended, or neither answers nor works any more."""


class VisionOrders(WorkLine):
    """Takes sights, gives what was found in them (``PoseFound``)."""

    def __init__(self, setting: VisionSetting) -> None:
        super().__init__(CHILD, setting, WHAT, WAY_OUT, VisionFailed)


__all__ = ["Sight", "VisionFailed", "VisionOrders", "VisionSetting"]
