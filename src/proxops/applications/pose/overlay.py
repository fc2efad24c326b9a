"""Images with what was found drawn into them: the model's edges at the pose, points that fit and those that do not."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from proxops.core.images import CameraImage, DepthImage, Image, PointScan
from proxops.core.lens import Lens
from proxops.core.vision import Floats, Marks, PoseFound
from proxops.maths.pose import pose_from_packed
from proxops.onboard.vision.expected_picture import Draughtsman
from proxops.optics.scene.mesh import Mesh, face_normals

Rgb = NDArray[np.uint8]
GOOD, BAD, POINT, OTHER = (40, 230, 80), (255, 70, 60), (255, 200, 40), (255, 60, 200)
NOTHING: Final = (24, 28, 34)  # where no range came back
GAMMA: Final = 1.0 / 2.2
CREASE: Final = float(np.cos(np.radians(25.0)))
SIDE: Final = 640  # px, of a drawn picture


class Overlay:
    """Of one sensor and one client."""

    def __init__(self, lens: Lens | None, client: Mesh) -> None:
        self._client, self._lens = client, lens
        self._drawn_by = Draughtsman(lens, client) if lens else None
        self._normals = face_normals(client.vertices, client.triangles)

    def picture(self, image: Image, found: PoseFound) -> Rgb:
        T = found.T_sensor_target
        if isinstance(image, PointScan):
            return self._scan(image, T, good=found.trusted)
        rgb = _levels(image) if isinstance(image, CameraImage) else _coloured(image)
        scale = max(1, round(SIDE / max(rgb.shape[:2])))
        rgb = np.repeat(np.repeat(rgb, scale, axis=0), scale, axis=1)
        if T is not None and T[2] > 0.0:
            self._outline(rgb, T, scale, GOOD if found.trusted else BAD)
        if found.marks is not None:
            _mark(rgb, found.marks, scale)
        return rgb

    def _outline(self, rgb: Rgb, T: Floats, scale: int, colour: tuple[int, int, int]) -> None:
        """Where the model ends or bends."""
        assert self._drawn_by is not None
        drawn = self._drawn_by.draw(np.ascontiguousarray(T), (), 1)
        if not drawn.pixels:
            return
        ids, edge = drawn.ids, np.zeros(drawn.ids.shape, np.bool_)
        normals = np.where((ids >= 0)[..., None], self._normals[np.maximum(ids, 0)], 0.0)
        for axis in (0, 1):
            ahead, here = [slice(None)] * 2, [slice(None)] * 2
            ahead[axis], here[axis] = slice(1, None), slice(None, -1)
            a, b = tuple(here), tuple(ahead)
            bends = (normals[a] * normals[b]).sum(axis=2) < CREASE
            edge[a] |= ((ids[a] >= 0) | (ids[b] >= 0)) & (ids[a] != ids[b]) & bends
        top, left = drawn.box[0], drawn.box[1]
        large = np.repeat(np.repeat(edge, scale, axis=0), scale, axis=1) if scale == 1 else _thin(edge, scale)
        view = rgb[scale * top : scale * top + large.shape[0], scale * left : scale * left + large.shape[1]]
        view[large[: view.shape[0], : view.shape[1]]] = colour

    def _scan(self, scan: PointScan, T: Floats | None, *, good: bool) -> Rgb:
        """From ahead and from above, with the model's corners."""
        rgb: Rgb = np.full((SIDE // 2, SIDE, 3), NOTHING, np.uint8)
        points = scan.points_m[np.isfinite(scan.points_m).all(axis=1)].astype(np.float64)
        model = np.empty((0, 3))
        if T is not None:
            M = pose_from_packed(np.ascontiguousarray(T))
            model = self._client.vertices @ M[:3, :3].T + M[:3, 3]
        about = model if len(model) else points
        if not len(about):
            return rgb
        middle = np.median(about, axis=0)
        half = 1.6 * max(float(np.abs(about - middle).max()) if len(model) else 1.5, 0.1)
        for side, axes in enumerate(((0, 1), (0, 2))):
            for cloud, colour in ((model, GOOD if good else BAD), (points, POINT)):
                at = (cloud[:, axes] - middle[list(axes)]) / half
                at = at[(np.abs(at) < 1.0).all(axis=1)]
                u = (0.25 * SIDE * (at[:, 0] + 1.0)).astype(int) + side * (SIDE // 2)
                v = (0.25 * SIDE * ((at[:, 1] if side == 0 else -at[:, 1]) + 1.0)).astype(int)
                rgb[np.clip(v, 0, SIDE // 2 - 1), np.clip(u, 0, SIDE - 1)] = colour
        return rgb


def _levels(image: CameraImage) -> Rgb:
    level = image.pixels / max(image.white, 1)
    brightest = float(np.percentile(level, 99.9))
    lifted = np.clip(level / max(min(brightest / 0.9, 1.0), 1e-3), 0.0, 1.0)
    return np.repeat(np.round(255.0 * lifted**GAMMA).astype(np.uint8)[:, :, None], 3, axis=2)


def _coloured(image: DepthImage) -> Rgb:
    """Near red, far blue."""
    known = np.isfinite(image.range_m)
    low, high = np.percentile(image.range_m[known], (2, 98)) if known.any() else (0.0, 1.0)
    share = np.clip((np.nan_to_num(image.range_m) - low) / max(high - low, 1e-3), 0.0, 1.0)
    steps = np.round(255.0 * (1.0 - share)).astype(np.uint8)
    rgb = cv2.applyColorMap(steps, cv2.COLORMAP_TURBO)[:, :, ::-1]
    return np.where(known[..., None], rgb, np.array(NOTHING, np.uint8)).astype(np.uint8)


def _thin(edge: NDArray[np.bool_], scale: int) -> NDArray[np.bool_]:
    """A line of two pixels in a picture that is drawn larger."""
    large = np.zeros((scale * edge.shape[0], scale * edge.shape[1]), np.bool_)
    for dv in range(min(2, scale)):
        for du in range(min(2, scale)):
            large[dv::scale, du::scale] = edge
    return large


def _mark(rgb: Rgb, marks: Marks, scale: int) -> None:
    for u0, v0, u1, v1 in (scale * marks.lines).round().astype(int).tolist():
        cv2.line(rgb, (u0, v0), (u1, v1), GOOD, 1, cv2.LINE_AA)
    for (u, v), group in zip(marks.points[:, :2].tolist(), marks.group.tolist(), strict=True):
        if np.isfinite(u) and np.isfinite(v):
            cv2.circle(rgb, (round(scale * u), round(scale * v)), 1, POINT if group else OTHER, -1)
