"""What a viewer of the log sees of the experiment ``servo``: one servo's camera, and where camera, hand and marker are.

One of the servos only: they look alike, and five times the images would say no more.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.applications.servo.run import ServoBench, Station
from proxops.applications.servo.tables import CameraTable
from proxops.ground.viewer_feed import FRAMES_HZ, ViewerFeed

FRAMES: Final = (
    ("inertial", "base"), ("base", "camera"), ("inertial", "hand"), ("inertial", "marker"), ("marker", "grasp"),
)  # fmt: skip
SOON: Final = 1e-9  # s: times are sums of cycles


class ServoViewer:
    """``image`` for every exposure, ``frames`` for every row: it takes as many as the log is to have."""

    def __init__(self, camera: CameraTable, station: Station) -> None:
        self.feed = ViewerFeed(FRAMES, ("camera", camera.spec()) if camera.log_hz else None)
        self._station, self._log_hz = station, camera.log_hz
        self._images = self._places = 0

    def image(self, t: float, image: NDArray[np.uint8]) -> None:
        """Without loss: what is in the log is what the marker was sought in."""
        if not self._log_hz or t < self._images / self._log_hz - SOON:
            return
        import cv2

        self._images += 1
        self.feed.show(t, cv2.imencode(".png", image)[1].tobytes())

    def frames(self, t: float, bench: ServoBench) -> None:
        if t < self._places / FRAMES_HZ - SOON:
            return
        self._places += 1
        station, (base, hand) = self._station, bench.places()
        self.feed.place(t, (base, station.T_base_camera, hand, station.T_inertial_marker, station.T_marker_grasp))
