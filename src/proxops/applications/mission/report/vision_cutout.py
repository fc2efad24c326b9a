"""The part of an image in which the client stands, enlarged, with what was found there drawn over it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from proxops.applications.mission.report.eyes_pictures import NOTHING, coloured, grey_levels
from proxops.applications.mission.report.model_edges import Mask, ModelEdges
from proxops.core.images import CameraImage, Image, PointScan
from proxops.core.lens import Lens
from proxops.ground.recorded import Floats
from proxops.ground.vision_messages import EDGES, LINE_LIST, POINTS
from proxops.maths.pose import pose_from_packed

Rgb = NDArray[np.uint8]
WIDTH, HEIGHT = 360, 270
ROOM: Final = 1.25  # of what the client's box takes up
LEAST_PX: Final = 48  # of an image that are shown across
FINE: Final = 4  # bits of a place behind the point, for drawing
PERCENT: Final = (2.0, 98.0)
NEAREST_M: Final = 0.1
SCAN_SPAN: Final = 0.9  # tangent of the half angle that a scan shows when nobody knows where the client is


@dataclass(frozen=True)
class Cutout:
    """Of an image ``left``, ``top``: its first pixel; ``scale``: pixels of the picture for one of the image."""

    left: int
    top: int
    width: int
    height: int

    @property
    def scale(self) -> float:
        return WIDTH / self.width

    @property
    def size(self) -> tuple[int, int]:
        """Of the picture."""
        return WIDTH, round(self.height * self.scale)

    def lens(self, lens: Lens) -> Lens:
        """The one that takes the picture at once."""
        s, (width, height) = self.scale, self.size
        return replace(
            lens, width=width, height=height, fx=s * lens.fx, fy=s * lens.fy,
            cx=s * (lens.cx + 0.5 - self.left) - 0.5, cy=s * (lens.cy + 0.5 - self.top) - 0.5,
        )  # fmt: skip

    def placed(self, points: Floats) -> Floats:
        """Pixels of the image (n, 2) in the picture."""
        return np.asarray(self.scale * (points + 0.5 - np.array([self.left, self.top])) - 0.5)

    def taken(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Out of an image's pixels; an enlarged one shows them."""
        part = cells[self.top : self.top + self.height, self.left : self.left + self.width]
        way = cv2.INTER_NEAREST if self.scale >= 1.0 or part.dtype.kind == "f" else cv2.INTER_AREA
        return np.asarray(cv2.resize(part, self.size, interpolation=way))


def cutout(lens: Lens, model: ModelEdges | None, T_sensor_target: Floats | None) -> Cutout:
    """Round the client as it was found; the whole image where nobody knows."""
    height = min(lens.height, lens.width * HEIGHT // WIDTH)
    width = min(lens.width, height * WIDTH // HEIGHT)
    u, v = 0.5 * lens.width, 0.5 * lens.height
    seen = outer(model, T_sensor_target)
    if seen is not None:
        low, high = (lens.intrinsics[:2, :2] @ corner + lens.intrinsics[:2, 2] for corner in seen)
        u, v = (0.5 * (low + high)).tolist()
        wanted = ROOM * max(float(high[1] - low[1]), float(high[0] - low[0]) * HEIGHT / WIDTH)
        height = min(height, max(round(wanted), LEAST_PX * HEIGHT // WIDTH))
        width = min(width, height * WIDTH // HEIGHT)
    left = min(max(round(u - 0.5 * width), 0), lens.width - width)
    top = min(max(round(v - 0.5 * height), 0), lens.height - height)
    return Cutout(left, top, width, height)


def scan_lens(model: ModelEdges | None, T_sensor_target: Floats | None) -> Lens:
    """Through which a scan is looked at."""
    f, (x, y), seen = 0.5 * HEIGHT / SCAN_SPAN, (0.0, 0.0), outer(model, T_sensor_target)
    if seen is not None:
        low, high = seen
        x, y = (0.5 * (low + high)).tolist()
        f = max(f, min(HEIGHT / float(high[1] - low[1]), WIDTH / float(high[0] - low[0])) / ROOM)
    return Lens(WIDTH, HEIGHT, f, f, 0.5 * WIDTH - f * x, 0.5 * HEIGHT - f * y)


def outer(model: ModelEdges | None, T_sensor_target: Floats | None) -> tuple[Floats, Floats] | None:
    """Least and greatest x / z, y / z of the client's box; None where it is not known or reaches behind the sensor."""
    if model is None or T_sensor_target is None:
        return None
    T = pose_from_packed(np.ascontiguousarray(T_sensor_target))
    corners = model.corners_m @ T[:3, :3].T + T[:3, 3]
    if corners[:, 2].min() < NEAREST_M:
        return None
    seen = corners[:, :2] / corners[:, 2:]
    return seen.min(axis=0), seen.max(axis=0)


def shown(image: Image, lens: Lens, cut: Cutout | None) -> Rgb:
    """What the sensor saw: grey levels; of depth near is bright, of a scan near is red. ``lens``: of the picture."""
    if isinstance(image, PointScan):
        return _scan(image, lens)
    assert cut is not None
    if isinstance(image, CameraImage):
        return np.repeat(cut.taken(grey_levels(image))[:, :, None], 3, axis=2)
    return _depth(cut.taken(image.range_m.astype(np.float32)))


def _depth(range_m: Floats) -> Rgb:
    known = np.isfinite(range_m)
    if not known.any():
        return np.full((*range_m.shape, 3), NOTHING, np.uint8)
    near, far = np.percentile(range_m[known], PERCENT).tolist()
    share = np.clip((far - range_m) / max(far - near, 1e-6), 0.0, 1.0)
    level = np.where(known, 60.0 + 160.0 * np.where(known, share, 0.0), 0.0)
    rgb = np.repeat(level[:, :, None], 3, axis=2)
    return np.where(known[:, :, None], rgb, np.array(NOTHING, np.float64)).astype(np.uint8)


def _scan(image: PointScan, lens: Lens) -> Rgb:
    rgb: Rgb = np.full((lens.height, lens.width, 3), NOTHING, np.uint8)
    p = image.points_m.astype(np.float64)
    p = p[p[:, 2] > 0.05]
    u, v = lens.fx * p[:, 0] / p[:, 2] + lens.cx, lens.fy * p[:, 1] / p[:, 2] + lens.cy
    inside = (u > -1.0) & (u < lens.width) & (v > -1.0) & (v < lens.height)
    u, v, ranges = u[inside], v[inside], np.linalg.norm(p[inside], axis=1)
    if not len(ranges):
        return rgb
    near, far = np.percentile(ranges, PERCENT).tolist()
    colours = coloured(ranges, near, far).tolist()
    for i in np.argsort(-ranges).tolist():
        _dot(rgb, u[i], v[i], colours[i], 1.6)
    return rgb


def draw_model(rgb: Rgb, edges: Mask) -> None:
    """In place."""
    rgb[edges] = np.round(0.2 * rgb[edges] + 0.8 * 255.0 * np.array(EDGES)).astype(np.uint8)


def draw_marks(rgb: Rgb, marks: Any, cut: Cutout) -> bool:
    """In place, as they were recorded; whether lines were among them."""
    lines = False
    for group in marks.points:
        colour = [round(255.0 * part) for part in (group.outline_color.r, group.outline_color.g, group.outline_color.b)]
        places = cut.placed(np.array([(one.x, one.y) for one in group.points]).reshape(-1, 2))
        if group.type == LINE_LIST:
            lines = True
            for (u, v), (to_u, to_v) in zip(places[::2], places[1::2], strict=False):
                cv2.line(rgb, _fine(u, v), _fine(to_u, to_v), colour, 1, cv2.LINE_AA, FINE)
        elif group.type == POINTS:
            for u, v in places.tolist():
                _dot(rgb, u, v, colour, 1.1)
    return lines


def _dot(rgb: Rgb, u: float, v: float, colour: list[int], radius: float) -> None:
    cv2.circle(rgb, _fine(u, v), round(radius * (1 << FINE)), colour, -1, cv2.LINE_AA, FINE)


def _fine(u: float, v: float) -> tuple[int, int]:
    limit = 1 << 20
    return tuple(int(np.clip(round(part * (1 << FINE)), -limit, limit)) for part in (u, v))  # type: ignore[return-value]
