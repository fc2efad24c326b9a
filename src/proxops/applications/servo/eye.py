"""The eye of the experiment ``servo``: exposes from where the camera truly is, finds the marker, hands on with delay."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from proxops.applications.servo.tables import ServoFile
from proxops.core.errors import BadInput
from proxops.core.offscreen import PictureUnavailable
from proxops.maths.pose import compose, inverse_pose, pack_pose, pose_from_packed
from proxops.maths.rotation import angle_between
from proxops.onboard.marker_finder import MarkerFinder, MarkerSighting
from proxops.onboard.visual_guidance import Seen
from proxops.sensors.marker_camera import MarkerCamera

Floats = NDArray[np.float64]
Shown = Callable[[float, NDArray[np.uint8]], None]
SOON = 1e-9  # s: times are sums of cycles


@dataclass(eq=False)
class Looked:
    """What came of the images of one run. Errors are those of single sightings, against the truth at exposure."""

    images: int = 0
    found: int = 0
    marker_m: list[float] = field(default_factory=list)
    marker_rad: list[float] = field(default_factory=list)
    grasp_m: list[float] = field(default_factory=list)  # of the grasp, where the sighting would put it
    first: tuple[NDArray[np.uint8], Floats] | None = None  # image and corners
    last: tuple[NDArray[np.uint8], Floats] | None = None

    @property
    def share(self) -> float:
        return self.found / self.images if self.images else 0.0


def open_camera(file: ServoFile) -> MarkerCamera:
    """BadInput if this machine cannot draw images or look for markers."""
    try:
        import cv2  # noqa: F401

        return MarkerCamera(file.camera.spec(), file.marker.spec())
    except PictureUnavailable as reason:
        raise BadInput(str(reason)) from reason
    except ImportError as reason:
        raise BadInput(
            f"the marker is found by OpenCV: {reason}", way_out="pip install opencv-python-headless"
        ) from reason


class Eye:
    """For one run. ``T_inertial_marker``: truth; ``T_marker_grasp``: for the errors of the sightings; ``shown`` is told of every
    image and its time."""

    def __init__(
        self, file: ServoFile, camera: MarkerCamera, T_inertial_marker: Floats, T_marker_grasp: Floats, seed: int,
        shown: Shown = lambda t, image: None,
    ) -> None:  # fmt: skip
        marker = file.marker
        self._camera, self._table, self._shown = camera, file.camera, shown
        self._finder = MarkerFinder(camera.camera.intrinsics, marker.side_m, marker.dictionary, marker.number)
        self._T_inertial_marker, self._T_marker_grasp = T_inertial_marker, T_marker_grasp
        self._marker, self._place = np.empty(7), np.empty(7)
        pack_pose(T_inertial_marker, self._marker)
        self._rng = np.random.default_rng(seed)
        self._under_way: deque[Seen] = deque()
        self.looked = Looked()

    def due(self, t: float) -> bool:
        """Whether an image is to be exposed now."""
        return t >= self.looked.images / self._table.rate_hz - SOON

    def expose(self, t: float, T_inertial_camera: Floats) -> MarkerSighting | None:
        looked = self.looked
        looked.images += 1
        pack_pose(T_inertial_camera, self._place)
        image = self._camera.image(self._place, self._marker, self._rng)
        self._shown(t, image)
        blind = any(begin <= t < end for begin, end in self._table.blind_s)
        sighting = None if blind else self._finder.find(image)
        if sighting is not None:
            looked.found += 1
            looked.last = image, sighting.corners
            looked.first = looked.first or looked.last
            self._compare(pose_from_packed(sighting.T_camera_marker), T_inertial_camera)
        self._under_way.append(Seen(t, sighting))
        return sighting

    def arrived(self, t: float) -> Seen | None:
        """The image whose result comes in now: the oldest, one in a cycle."""
        if self._under_way and self._under_way[0].exposed_s + self._table.delay_s <= t + SOON:
            return self._under_way.popleft()
        return None

    def _compare(self, T_camera_marker: Floats, T_inertial_camera: Floats) -> None:
        truth = compose(inverse_pose(T_inertial_camera), self._T_inertial_marker)
        grasps = [compose(T, self._T_marker_grasp)[:3, 3] for T in (truth, T_camera_marker)]
        looked = self.looked
        looked.marker_m.append(float(np.linalg.norm(truth[:3, 3] - T_camera_marker[:3, 3])))
        looked.marker_rad.append(angle_between(truth[:3, :3].copy(), T_camera_marker[:3, :3].copy()))
        looked.grasp_m.append(float(np.linalg.norm(grasps[0] - grasps[1])))
