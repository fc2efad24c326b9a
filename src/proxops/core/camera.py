"""A camera and the marker it looks at, as numbers: what the eye is built from and what flight software is told of it.

Camera frame: z along the line of sight, x to the right, y down. Pixels: (0, 0) is the middle of the first one, u to the
right, v down. Marker frame: origin in its middle, x right, y up, z out of the plate toward the viewer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput

QUIET_CELLS = 1  # white cells round the black square: without them its edge is lost on a dark wall
BORDER_CELLS = 1  # black cells round the code: part of the marker's side


@dataclass(frozen=True)
class CameraSpec:
    """An ideal pinhole with square pixels, grey. The owner of the clock exposes at ``rate_hz`` and hands on after ``delay_s``."""

    width: int = 640
    height: int = 480
    vertical_fov_deg: float = 50.0
    noise: float = 2.0  # grey levels of 255, one standard deviation
    rate_hz: float = 20.0
    delay_s: float = 0.05

    def __post_init__(self) -> None:
        _demand(16 <= self.width <= 8192 and 16 <= self.height <= 8192, "size", (self.width, self.height), "16 to 8192")
        _demand(1.0 <= self.vertical_fov_deg <= 150.0, "vertical_fov_deg", self.vertical_fov_deg, "1 to 150")
        _demand(0.0 <= self.noise <= 100.0, "noise", self.noise, "0 to 100 grey levels")
        _demand(0.0 < self.rate_hz <= 1000.0, "rate_hz", self.rate_hz, "above 0, up to 1000")
        _demand(0.0 <= self.delay_s <= 10.0, "delay_s", self.delay_s, "0 to 10")

    @property
    def intrinsics(self) -> NDArray[np.float64]:
        """K (3, 3) in pixels: (u, v, 1) ~ K p_camera."""
        focal = 0.5 * self.height / math.tan(0.5 * math.radians(self.vertical_fov_deg))
        middle = 0.5 * self.width - 0.5, 0.5 * self.height - 0.5
        return np.array([[focal, 0.0, middle[0]], [0.0, focal, middle[1]], [0.0, 0.0, 1.0]])


@dataclass(frozen=True)
class MarkerSpec:
    """An ArUco marker. ``side_m`` is the black square's; the plate is larger by the quiet zone."""

    side_m: float = 0.20
    dictionary: str = "DICT_4X4_50"
    number: int = 7

    def __post_init__(self) -> None:
        _demand(0.001 <= self.side_m <= 100.0, "side_m", self.side_m, "0.001 to 100")

    def corners(self) -> NDArray[np.float64]:
        """(4, 3) m in the marker frame: top left, top right, bottom right, bottom left, as OpenCV counts them."""
        h = 0.5 * self.side_m
        return np.array([[-h, h, 0.0], [h, h, 0.0], [h, -h, 0.0], [-h, -h, 0.0]])


def aruco_dictionary(marker: MarkerSpec) -> Any:
    """OpenCV's table of the markers; refuses a name or number that it does not have."""
    import cv2

    names = [name for name in dir(cv2.aruco) if name.startswith("DICT_")]
    _demand(marker.dictionary in names, "dictionary", marker.dictionary, ", ".join(names))
    table = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, marker.dictionary))
    count = len(table.bytesList)
    _demand(0 <= marker.number < count, "number", marker.number, f"0 to {count - 1} in {marker.dictionary}")
    return table


def marker_cells(table: Any) -> int:
    """Cells along the side of the black square."""
    return int(table.markerSize) + 2 * BORDER_CELLS


def _demand(held: bool, key: str, value: object, bound: str) -> None:
    if not held:
        raise BadInput(f"{key} is out of bounds", where="camera and marker", value=value, bound=bound)
