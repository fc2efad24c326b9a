"""A stand-in for the process that renders: pictures, depth and points of known values, in the messages that a run records."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proxops.core.images import CameraImage, DepthImage, Image, PointScan
from proxops.core.imaging_table import CameraSensor, LidarSensor, TofSensor
from proxops.core.vision import PoseFound, Processed
from proxops.core.vocabulary import VisionState
from proxops.ground.eyes_about import EyesAbout, eyes_about
from proxops.ground.image_encoding import encode
from proxops.ground.sensor_log import Arrival, SensorLog
from proxops.ground.viewer_message import ViewerMessage
from proxops.ground.viewer_ring import ViewerRing

CAMERA = CameraSensor(kind="camera", name="near", rate_hz=20.0, log_hz=10.0)
DEEP = CameraSensor(kind="camera", name="deep", width=64, height=48, bits=12, log_hz=10.0)
TOF = TofSensor(kind="tof", name="tof", log_hz=10.0)
LIDAR = LidarSensor(kind="lidar", name="scan", lines=40, points=50, rate_hz=2.0)
SENSORS = (CAMERA, DEEP, TOF, LIDAR)


@dataclass
class EyeWriter:
    """``push`` images; what they are is the caller's. Time of the run: seconds since it began, ending now."""

    ring: ViewerRing = field(default_factory=lambda: ViewerRing.create(512))
    log: SensorLog = field(
        default_factory=lambda: SensorLog(
            SENSORS, {each.name: np.eye(4) for each in SENSORS}, looked_through=("near", "tof", "scan")
        )
    )
    begun_ns: int = field(default_factory=time.time_ns)

    @property
    def about(self) -> EyesAbout:
        return eyes_about(self.ring.ring.path, SENSORS, self.log.channels)

    @property
    def t(self) -> float:
        return (time.time_ns() - self.begun_ns) * 1e-9

    def messages(self, image: Image, late_s: float = 0.0) -> list[ViewerMessage]:
        """Of an image that arrives so long after its exposure."""
        t = image.t + late_s
        return self.log.messages(encode(image), Arrival(0, self.begun_ns + round(t * 1e9), t))

    def push(self, *images: Image, late_s: float = 0.0) -> None:
        for image in images:
            self.ring.push(self.messages(image, late_s))

    def say(self, found: PoseFound, state: VisionState, late_s: float = 0.0) -> None:
        """What image processing says of an image, so long after it was exposed."""
        t = found.t + late_s
        arrival = Arrival(0, self.begun_ns + round(t * 1e9), t)
        self.ring.push(self.log.said(Processed(found, state, False, 1), arrival))

    def channel(self, name: str, part: str) -> int:
        """Number of the channel."""
        eye = next(each for each in self.about.sensors if each.name == name)
        return next(number for number, what in eye.channels.items() if what == part)

    def close(self) -> None:
        self.ring.close()


def picture(number: int, t: float, pixels: NDArray[Any], name: str = "near", white: int = 255) -> CameraImage:
    return CameraImage(name, number, t, 0.012, 6.0, white, pixels)


def depth(number: int, t: float, range_m: NDArray[np.float32]) -> DepthImage:
    return DepthImage("tof", number, t, range_m, np.full(range_m.shape, 1000, np.uint16))


def scan(number: int, t: float, points_m: NDArray[np.float32]) -> PointScan:
    count = len(points_m)
    return PointScan("scan", number, t, points_m, np.linspace(0, 1, count, dtype="f4"), np.zeros(count, np.float32))
