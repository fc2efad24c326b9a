"""Images on their way into the log of a facility, from whichever process has them drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from proxops.core.clock import Clock
from proxops.core.imaging_table import ImagingSensor
from proxops.ground.image_encoding import encode
from proxops.ground.sensor_log import Arrival, SensorLog
from proxops.ground.viewer_ring import ViewerRing
from proxops.runs.image_orders import Drawn
from proxops.sensors.mount import T_craft_sensor

FRAMES_EXCHANGED = {"chaser": "port2", "target": "port1"}


def sensor_log(sensors: Sequence[ImagingSensor], exchanged: bool = False) -> SensorLog:
    """``exchanged``: the chaser is on robot 2."""
    mounts = {sensor.name: T_craft_sensor(sensor) for sensor in sensors}
    return SensorLog(sensors, mounts, FRAMES_EXCHANGED) if exchanged else SensorLog(sensors, mounts)


class ImageLog:
    """``ring``: read by the recorder and by consoles."""

    def __init__(self, log: SensorLog, ring: ViewerRing) -> None:
        self._log, self._ring = log, ring

    def put(self, drawn: Drawn, arrival: Arrival) -> None:
        """If it is to be recorded."""
        if self._log.due(drawn.image.sensor, drawn.image.t):
            encoded = drawn.encoded or encode(drawn.image)
            self._ring.push(self._log.messages(encoded, arrival, drawn.T_sensor_target))


def into_log(log: ImageLog, clock: Clock) -> Callable[[Drawn, float], None]:
    """Every image in the cycle in which it is told, at the run's time of then."""
    return lambda drawn, t: log.put(drawn, Arrival(clock.tick, clock.utc_ns(), t))
