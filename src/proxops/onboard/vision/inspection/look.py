"""What the shape of an unknown client is found from: images that measure distances, and the craft's own attitude."""

from __future__ import annotations

from dataclasses import dataclass

from proxops.core.images import DepthImage, PointScan
from proxops.core.vision import Floats


@dataclass(frozen=True, eq=False)
class InspectionLook:
    """At the image's time: the sensor's own attitude by the star tracker, its rate by the gyro. ``named``: T_sensor_client (4, 4)
    as somebody calls the client's frame, if anybody does; it is not what the shape is found with."""

    image: DepthImage | PointScan
    q_eci_sensor: Floats  # (4)
    w_sensor: Floats  # (3) rad/s against inertial space, in the sensor's axes
    named: Floats | None = None

    @property
    def t(self) -> float:
        return self.image.t
