"""The imaging sensors of a served hall, from the file that names them to the process that looks."""

from __future__ import annotations

from pathlib import Path

from proxops.core.errors import BadInput
from proxops.core.imaging_table import own, rendered
from proxops.facility.installation import Installation
from proxops.facility.live import Additions
from proxops.ground.eyes_about import EyesAbout, eyes_about
from proxops.lab.any_cell import AnyCell, demand_hall
from proxops.runs.eyes import EyeSetting
from proxops.runs.hall_eyes import HallEyes, HallSight, start_hall_eyes
from proxops.runs.image_log import sensor_log
from proxops.runs.image_orders import ImageSetting
from proxops.runs.image_port import image_port
from proxops.runs.sensor_file import read_sensor_file
from proxops.sensors.hall_staging import HallStaging
from proxops.sensors.own.image_source import demand_sources


class ServedEyes:
    """``file``: of the sensors; BadInput for what cannot be looked at, before anything is started. ``images``: HOST:PORT for who
    wants every image."""

    def __init__(self, file: Path, cell: AnyCell, seed: int, images: str | None = None) -> None:
        seen, hall = read_sensor_file(file), demand_hall(cell, "looking at what two robots show")
        sensors, outside = rendered(seen.sensor), own(seen.sensor)
        demand_sources(outside, live=True)
        if sensors:
            HallStaging(
                hall, seen.scenery, False, sensors
            )  # what cannot be looked at is said before anything is started
        drawn = ImageSetting(sensors, (True,) * len(sensors), seen.scenery, seed, hall, False) if sensors else None
        self._sight = HallSight(seen.sensor, EyeSetting(drawn, outside))
        self._log = sensor_log(seen.sensor)
        self._port = image_port(images, (one.name for one in seen.sensor)) if images else None

    @property
    def additions(self) -> Additions:
        return Additions(sensors=self._log)

    def start(self, hall: Installation) -> tuple[HallEyes, EyesAbout]:
        """The process, and what the console is told of it."""
        assert hall.viewer is not None
        about = eyes_about(hall.viewer.ring.path, self._sight.sensors, self._log.channels)
        process = start_hall_eyes(hall, self._sight, self._port)
        if self._port:
            self._port.close()  # it is that process's now
        return process, about


def served_eyes(file: Path | None, cell: AnyCell, seed: int, images: str | None) -> ServedEyes | None:
    """None if nothing looks at the hall."""
    if file:
        return ServedEyes(file, cell, seed, images)
    if images:
        raise BadInput("--images: nothing here sees", value=images, way_out="--sensors FILE, with [[sensor]] tables")
    return None
