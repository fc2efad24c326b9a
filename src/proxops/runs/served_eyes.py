"""The imaging sensors of a served hall, from the file that names them to the process that looks."""

from __future__ import annotations

from pathlib import Path

from proxops.facility.installation import Installation
from proxops.facility.live import Additions
from proxops.ground.eyes_about import EyesAbout, eyes_about
from proxops.lab.any_cell import AnyCell, demand_hall
from proxops.runs.hall_eyes import HallEyes, start_hall_eyes
from proxops.runs.image_log import sensor_log
from proxops.runs.image_orders import ImageSetting
from proxops.runs.sensor_file import read_sensor_file


class ServedEyes:
    """``file``: of the sensors; BadInput for what cannot be looked at, before anything is started."""

    def __init__(self, file: Path, cell: AnyCell, seed: int) -> None:
        seen, hall = read_sensor_file(file), demand_hall(cell, "looking at what two robots show")
        self._setting = ImageSetting(seen.sensor, (True,) * len(seen.sensor), seen.scenery, seed, hall, False)
        self._log = sensor_log(seen.sensor)

    @property
    def additions(self) -> Additions:
        return Additions(sensors=self._log)

    def start(self, hall: Installation) -> tuple[HallEyes, EyesAbout]:
        """The process, and what the console is told of it."""
        assert hall.viewer is not None
        about = eyes_about(hall.viewer.ring.path, self._setting.sensors, self._log.channels)
        return start_hall_eyes(hall, self._setting), about
