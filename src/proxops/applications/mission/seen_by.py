"""Which imaging sensors a mission has, and what each of them looks at."""

from __future__ import annotations

from proxops.core.imaging_table import ImagingSensor, LidarSensor, Rendered, RenderedSensor
from proxops.core.mission import MissionFile
from proxops.core.scenery_table import ORBIT_SUFFIX as ORBIT_SUFFIX
from proxops.core.vision_table import Vision
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
            found.append((beside_hall(sensor, file.vision), False))
        elif see == "orbit":
            found.append((sensor, False))
    return tuple(found)


def beside_hall(sensor: RenderedSensor, vision: Vision) -> RenderedSensor:
    """What sees the orbit where that sensor sees the hall. Of one that is looked through only some exposures: they are to be
    compared."""
    rate_hz, looked = sensor.rate_hz, sensor.name in vision.sensors
    if looked:
        rate_hz /= max(1, round(rate_hz * vision.compare_s))
    changed: dict[str, object] = {"name": sensor.name + ORBIT_SUFFIX, "rate_hz": rate_hz}
    if isinstance(sensor, LidarSensor):
        changed["scan_s"] = sensor.scan_s or 1.0 / sensor.rate_hz  # as long as the hall's, however few there are
    return sensor.model_copy(update=changed)


def looked_through(file: MissionFile, uses_hall: bool) -> tuple[str, ...]:
    """Names of the sensors whose images are searched for the client; those that are only compared stand behind the others."""
    names = [sensor.name for sensor, _ in seen_by(file, uses_hall)]
    beside = [name + ORBIT_SUFFIX for name in file.vision.sensors if name + ORBIT_SUFFIX in names]
    return (*file.vision.sensors, *beside)


def log_of(file: MissionFile, uses_hall: bool = True) -> SensorLog:
    """Of what they see."""
    seen = tuple(sensor for sensor, _ in seen_by(file, uses_hall))
    return sensor_log(seen, file.bridge.chaser_on == 2, looked_through(file, uses_hall))
