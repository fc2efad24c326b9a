"""Images on their way into the log of a facility, from whichever process has them drawn."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from proxops.core.imaging_table import ImagingSensor
from proxops.core.vision import Processed
from proxops.ground.image_encoding import encode
from proxops.ground.sensor_log import Arrival, SensorLog
from proxops.ground.viewer_ring import ViewerRing
from proxops.runs.image_orders import Drawn
from proxops.sensors.hall_staging import HALF_TURN
from proxops.sensors.mount import T_craft_sensor

KNOWN = 4096  # images that are still worked on: a search of all that wait takes minutes
FRAMES_EXCHANGED = {"chaser": "port2", "target": "port1"}


def sensor_log(
    sensors: Sequence[ImagingSensor], exchanged: bool = False, looked_through: Collection[str] = ()
) -> SensorLog:
    """``exchanged``: the chaser is on robot 2. ``looked_through``: sensors whose images give poses."""
    mounts = {sensor.name: T_craft_sensor(sensor) for sensor in sensors}
    if not exchanged:
        return SensorLog(sensors, mounts, looked_through=looked_through)
    turned = {name: HALF_TURN @ T for name, T in mounts.items()}  # frames of the log are the ports'
    return SensorLog(sensors, turned, FRAMES_EXCHANGED, looked_through)


class ImageLog:
    """``ring``: read by the recorder and by consoles."""

    def __init__(self, log: SensorLog, ring: ViewerRing) -> None:
        self._log, self._ring = log, ring

    def put(self, drawn: Drawn, arrival: Arrival) -> None:
        """If it is to be recorded."""
        if self._log.due(drawn.image.sensor, drawn.image.t):
            encoded = drawn.encoded or encode(drawn.image)
            self._ring.push(self._log.messages(encoded, arrival, drawn.T_sensor_target, drawn.exposed_ns))

    def say(
        self, processed: Processed, arrival: Arrival, T_sensor_target: NDArray[np.float64] | None, exposed_ns: int
    ) -> None:
        """What image processing says of an image, with the truth and the UTC of that image."""
        self._ring.push(self._log.said(processed, arrival, T_sensor_target, exposed_ns))


class Shown(Protocol):
    """What is seen of a hall now, by the hall's clock."""

    tick: int
    utc_ns: int


def arrival_by(shown: Shown) -> Callable[[float], Arrival]:
    """At the time of what is seen: a picture carries the time of the state that it shows."""
    return lambda t: Arrival(shown.tick, shown.utc_ns, t)


def into_log(log: ImageLog, arrival: Callable[[float], Arrival]) -> Callable[[Drawn, float], None]:
    """``arrival``: what the log's clock shows at a time of the run."""
    return lambda drawn, t: log.put(drawn, arrival(t))


class SaidLog:
    """What image processing says, on its way into the log with the truth and the UTC of each image: the images came before, and
    live the run's clock may have lost cycles since."""

    def __init__(self, log: ImageLog, arrival: Callable[[float], Arrival]) -> None:
        self._log, self._arrival = log, arrival
        self._images: OrderedDict[tuple[str, int], tuple[int, NDArray[np.float64] | None]] = OrderedDict()

    def know(self, drawn: Drawn, t: float) -> None:
        """An image that has come at ``t`` of the run."""
        exposed_ns = drawn.exposed_ns or self._arrival(t).utc_of(drawn.image.t)
        self._images[drawn.image.sensor, drawn.image.number] = exposed_ns, drawn.T_sensor_target
        if len(self._images) > KNOWN:
            self._images.popitem(last=False)

    def say(self, processed: Processed, t: float) -> None:
        key = processed.found.sensor, processed.found.number
        exposed_ns, truth = self._images.get(key, (0, None))
        self._log.say(processed, self._arrival(t), truth, exposed_ns)
