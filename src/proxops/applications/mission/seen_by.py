"""Which imaging sensors a mission has, and what each of them looks at."""

from __future__ import annotations

from proxops.core.imaging_table import ImagingSensor, Rendered
from proxops.core.mission import MissionFile
from proxops.core.scenery_table import ORBIT_SUFFIX as ORBIT_SUFFIX
from proxops.ground.sensor_log import SensorLog
from proxops.runs.image_log import sensor_log


def seen_by(file: MissionFile, uses_hall: bool) -> tuple[tuple[ImagingSensor, bool], ...]:
    """Every sensor with whether it looks at the hall; one that sees both stands there twice."""
    see = file.scenery.see if uses_hall else "orbit"
    found: list[tuple[ImagingSensor, bool]] = []
    for sensor in file.imaging:
        if not isinstance(sensor, Rendered):
            found.append((sensor, False))
            continue
        if see != "orbit":
            found.append((sensor, True))
        if see == "both":
            found.append((sensor.model_copy(update={"name": sensor.name + ORBIT_SUFFIX}), False))
        elif see == "orbit":
            found.append((sensor, False))
    return tuple(found)


def log_of(file: MissionFile, uses_hall: bool = True) -> SensorLog:
    """Of what they see."""
    seen = tuple(sensor for sensor, _ in seen_by(file, uses_hall))
    return sensor_log(seen, file.bridge.chaser_on == 2, file.vision.sensors)
