"""The process that draws pictures, as its owner sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from proxops.core.images import Image
from proxops.core.imaging_table import RenderedSensor
from proxops.core.scenery_table import Scenery
from proxops.ground.image_encoding import EncodedImage
from proxops.lab.cell import Cell
from proxops.runs.work_line import WorkFailed, WorkLine
from proxops.sensors.moment import Floats

CHILD: Final = "proxops.runs.image_child"
WHAT: Final = "the process that draws pictures"
WAY_OUT: Final = "a run without [[sensor]] tables of cameras needs none"


@dataclass(frozen=True, eq=False)
class Drawn:
    """One image, as it stands in the log and as software gets it."""

    order: int  # counted from 0, of all sensors
    sensor: int
    image: Image
    encoded: EncodedImage | None  # None: not yet
    T_sensor_target: Floats | None  # (7) packed, at the image's time; None: nobody knows
    exposed_ns: int = 0  # UTC of the image's time, where the wall's clock is kept; else it follows from the arrival


@dataclass(frozen=True, eq=False)
class ImageSetting:
    """What the process has to know before the first order. ``sees_hall``: each sensor looks at the hall, or into orbit."""

    sensors: tuple[RenderedSensor, ...]
    sees_hall: tuple[bool, ...]
    scenery: Scenery
    seed: int
    cell: Cell | None  # None: no hall
    exchanged: bool  # the chaser is on robot 2
    handed_over: bool = False  # as long as no hall is shown, what would see it sees the orbit
    encoded: bool = True  # for the log; where nothing is recorded that would be a tenth of the work for nobody


class DrawingFailed(WorkFailed):
    """The process that draws pictures has ended, or neither answers nor works any more."""


class ImageOrders(WorkLine):
    """Takes orders of pictures, gives ``Drawn``."""

    def __init__(self, setting: ImageSetting) -> None:
        super().__init__(CHILD, setting, WHAT, WAY_OUT, DrawingFailed)
