"""An ArUco marker in a grey image: its pose in the camera's frame. OpenCV finds and reads it, its sides are fitted here.

A square seen from afar looks nearly the same when its tilt is mirrored at the line of sight, so there are two poses that may
explain the corners. The one that explains them better is taken, unless both do so within the corners' noise: then the one
nearer in attitude to the last sighting, for a marker turns little between two images while the mirror image jumps. Without a
last sighting the better one is all there is, and the sighting says that it is ambiguous. Frames: core/camera.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proxops.core.camera import MarkerSpec, aruco_dictionary, marker_cells
from proxops.core.errors import BadInput
from proxops.maths.pose import pack_pose, pose, pose_from_packed
from proxops.maths.rotation import angle_between
from proxops.onboard.square_edges import fitted_corners

Floats = NDArray[np.float64]

# Noise of a corner from fitted sides, or from OpenCV alone: a bit more than measured.
FITTED_PX, REFINED_PX = 0.05, 0.25
APART = 0.02  # rad between two poses that are worth telling apart
TELLING = 9.0  # squared noises that one pose must explain better than the other to be the right one: three sigma
WORST_RMS_PX = 1.0  # corners that no pose explains better are no square of ours
INTO_PLATE = np.diag([1.0, -1.0, -1.0])  # half a turn about x: y down and z into the plate
LEAST_PX = 16  # width and height of an image that can be searched


@dataclass(frozen=True)
class MarkerSighting:
    """The marker in one image."""

    T_camera_marker: Floats  # packed x y z (m) qw qx qy qz
    rms_px: float  # of the corners' distances from where this pose would put them
    corners: Floats  # (4, 2) pixels: top left, top right, bottom right, bottom left of the marker
    ambiguous: bool  # the mirrored tilt explains the image as well


class MarkerFinder:
    """Looks for one marker in image after image; remembers its last attitude. ``intrinsics``: K (3, 3) in pixels."""

    def __init__(self, intrinsics: Floats, side_m: float, dictionary: str = "DICT_4X4_50", number: int = 7) -> None:
        import cv2

        marker = MarkerSpec(side_m, dictionary, number)
        table = aruco_dictionary(marker)
        self._K = _checked_intrinsics(intrinsics)
        self._number, self._cells, self._corners = number, marker_cells(table), marker.corners()
        self._cv2, self._detector = cv2, cv2.aruco.ArucoDetector(table, _settings(cv2))
        self._last: Floats | None = None

    def find(self, image: NDArray[np.uint8]) -> MarkerSighting | None:
        """The marker, or None: not there, another one, more than one, or seen so badly that no pose explains it."""
        image = _checked_image(image)
        rough = self._rough_corners(image)
        if rough is None:
            return None
        fitted = fitted_corners(image, rough, self._cells)
        corners, noise = (rough, REFINED_PX) if fitted is None else (fitted, FITTED_PX)
        sighting = self._choose(self._poses(corners), corners, noise)
        if sighting is not None:
            self._last = sighting.T_camera_marker
        return sighting

    def forget(self) -> None:
        """Start anew: the last sighting says nothing about the next."""
        self._last = None

    def _rough_corners(self, image: NDArray[np.uint8]) -> Floats | None:
        corners, numbers, _ = self._detector.detectMarkers(image)
        if numbers is None:
            return None
        ours = [c for c, n in zip(corners, numbers.ravel().tolist(), strict=True) if n == self._number]
        return ours[0].reshape(4, 2).astype(np.float64) if len(ours) == 1 else None

    def _poses(self, corners: Floats) -> list[tuple[float, Floats]]:
        """(sum of squared pixels, T_camera_marker) of both solutions of the square, each at its own least squares; those
        behind the camera or showing the marker's back are left out. Best first.

        OpenCV solves for a frame that is nearly parallel to the camera's: x along the side that runs most to the right, z
        into the plate. For OpenCV hands rotations on as vectors and loses those near half a turn, which in the marker's own
        frame is every marker that is seen straight from the front."""
        cv2, quarter = self._cv2, int(np.argmax(np.roll(corners, -1, axis=0)[:, 0] - corners[:, 0]))
        turned, found = np.roll(corners, -quarter, axis=0), []
        square, R_solved_marker = self._corners @ INTO_PLATE, _quarter_turns(-quarter) @ INTO_PLATE
        try:
            _, turns, ways, _ = cv2.solvePnPGeneric(square, turned, self._K, None, flags=cv2.SOLVEPNP_IPPE)
            for start in zip(turns, ways, strict=True):
                turn, way = cv2.solvePnPRefineLM(square, turned, self._K, None, *start)
                T = pose(cv2.Rodrigues(turn)[0] @ R_solved_marker, way.ravel())
                if np.all(np.isfinite(T)) and T[2, 3] > 0.0 and T[:3, 2] @ T[:3, 3] < 0.0:
                    found.append((self._misfit(T, corners), T))
        except cv2.error:  # OpenCV's word for corners that span no square
            return []
        return sorted(found, key=lambda one: one[0])

    def _misfit(self, T_camera_marker: Floats, corners: Floats) -> float:
        seen = (self._corners @ T_camera_marker[:3, :3].T + T_camera_marker[:3, 3]) @ self._K.T
        return float(((seen[:, :2] / seen[:, 2:] - corners) ** 2).sum())

    def _choose(self, poses: list[tuple[float, Floats]], corners: Floats, noise: float) -> MarkerSighting | None:
        if not poses:
            return None
        misfit, T = poses[0]
        rivals = [one for one in poses if one[0] - misfit < TELLING * noise**2]
        if self._last is not None:
            T_last = pose_from_packed(self._last)
            misfit, T = min(rivals, key=lambda one: _angle(T_last, one[1]))
        rms = float(np.sqrt(misfit / 4.0))
        if rms > WORST_RMS_PX:
            return None
        packed = np.empty(7)
        pack_pose(T, packed)
        return MarkerSighting(packed, rms, corners, _angle(rivals[0][1], rivals[-1][1]) > APART)


def _angle(T_camera_1: Floats, T_camera_2: Floats) -> float:
    """Between two attitudes of the marker, rad."""
    return angle_between(T_camera_1[:3, :3].copy(), T_camera_2[:3, :3].copy())


def _quarter_turns(count: int) -> Floats:
    """About z, from x toward y."""
    c, s = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[count % 4]
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _settings(cv2: Any) -> Any:
    """OpenCV's own, but for two. Refined corners start the fit of the sides. Squares one in the other are kept apart where
    their corners differ by more than 3 % of the perimeter: with the usual 12.5 % the plate's outline (6 %) and the marker are
    taken for one, and when the plate touches the image's rim both are thrown away."""
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    settings.minMarkerDistanceRate = 0.03
    return settings


def _checked_image(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if not isinstance(image, np.ndarray) or image.dtype != np.uint8 or image.ndim != 2 or min(image.shape) < LEAST_PX:
        got = f"{image.dtype} {image.shape}" if isinstance(image, np.ndarray) else type(image).__name__
        raise BadInput(
            "not a grey image", where="marker finder", value=got, bound=f"uint8, two axes of {LEAST_PX} or more"
        )
    return np.ascontiguousarray(image)


def _checked_intrinsics(K: Floats) -> Floats:
    K = np.array(K, dtype=np.float64)
    if K.shape != (3, 3) or not np.all(np.isfinite(K)) or K[0, 0] <= 0.0 or K[1, 1] <= 0.0 or tuple(K[2]) != (0, 0, 1):
        bound = "3 x 3, finite, focal lengths above 0, last row 0 0 1"
        raise BadInput("not a camera's matrix", where="marker finder", value=K.tolist(), bound=bound)
    return K
