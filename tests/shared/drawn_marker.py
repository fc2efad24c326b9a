"""An image of a marker by plain ray casting, beside any renderer: where a pixel's ray meets the plate decides its grey."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from proxops.core.camera import CameraSpec, MarkerSpec
from proxops.maths.pose import pack_pose, pose, pose_from_packed
from proxops.maths.rotation import angle_between, matrix_from_rotation_vector

Floats = NDArray[np.float64]
FINE = 6  # rays along the side of a pixel
GROUND, DARK, BRIGHT = 60.0, 20.0, 200.0


def drawn(camera: CameraSpec, marker: MarkerSpec, T_camera_marker: Floats) -> Floats:
    """Grey image (height, width), noise-free, of the plate with a quiet zone of one cell on plain ground."""
    table = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, marker.dictionary))
    cells = table.markerSize + 2
    code = np.pad(cv2.aruco.generateImageMarker(table, marker.number, cells), 1, constant_values=255)
    grey = np.where(code > 0, BRIGHT, DARK)
    levels = np.full((camera.height, camera.width), GROUND)
    first, last = _window(camera, marker, T_camera_marker, (cells + 2) / cells)
    if (last <= first).any():
        return levels
    row, column, hit = _cells_hit(camera, T_camera_marker, marker.side_m / cells, cells + 2, first, last)
    fine = np.full(hit.shape, GROUND)
    fine[hit] = grey[row[hit].astype(int), column[hit].astype(int)]
    size = last - first
    levels[first[1] : last[1], first[0] : last[0]] = fine.reshape(size[1], FINE, size[0], FINE).mean(axis=(1, 3))
    return levels


def _window(camera: CameraSpec, marker: MarkerSpec, T: Floats, growth: float) -> tuple[NDArray[np.int64], ...]:
    """First and past-the-last pixel (u, v) that the plate may touch."""
    corners = projected(camera, MarkerSpec(growth * marker.side_m), T)
    size = np.array([camera.width, camera.height])
    first, last = np.floor(corners.min(axis=0)) - 1, np.ceil(corners.max(axis=0)) + 2
    return np.clip(first, 0, size).astype(int), np.clip(last, 0, size).astype(int)


def _cells_hit(
    camera: CameraSpec, T_camera_marker: Floats, cell_m: float, count: int, first: Floats, last: Floats
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Row and column of the plate's cell that each ray meets, and whether it meets one."""
    T, K = pose_from_packed(T_camera_marker), camera.intrinsics
    middle = (np.arange(FINE) + 0.5) / FINE - 0.5
    u, v = ((np.arange(first[k], last[k])[:, None] + middle).ravel() for k in (0, 1))
    x, y = ((u - K[0, 2]) / K[0, 0])[None, :], ((v - K[1, 2]) / K[1, 1])[:, None]
    rays = np.stack(np.broadcast_arrays(x, y, 1.0), -1)
    # A point t ray of the plate has no z in the marker's frame.
    t = (T[:3, 2] @ T[:3, 3]) / (rays @ T[:3, 2])
    on_plate = (t[..., None] * rays - T[:3, 3]) @ T[:3, :2] / cell_m
    column, row = np.floor(on_plate[..., 0] + 0.5 * count), np.floor(0.5 * count - on_plate[..., 1])
    return row, column, (t > 0.0) & (column >= 0) & (column < count) & (row >= 0) & (row < count)


def as_seen(levels: Floats, noise: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    return np.clip(np.rint(levels + noise * rng.standard_normal(levels.shape)), 0, 255).astype(np.uint8)


def facing(range_m: float, tilt_deg: float, rng: np.random.Generator, beside: float = 0.08) -> Floats:
    """T_camera_marker, packed: tilted about a random axis in the plate, rolled at random, a little beside the line of sight."""
    about, roll = rng.uniform(-math.pi, math.pi, 2)
    lean = math.radians(tilt_deg) * np.array([math.cos(about), math.sin(about), 0.0])
    R = matrix_from_rotation_vector(np.array([0.0, 0.0, roll])) @ np.diag([1.0, -1.0, -1.0])
    R = np.ascontiguousarray(R @ matrix_from_rotation_vector(lean))
    return packed(R, range_m * np.array([*rng.uniform(-beside, beside, 2), 1.0]))


def packed(R: Floats, p: Floats) -> Floats:
    out = np.empty(7)
    pack_pose(pose(R, p), out)
    return out


def projected(camera: CameraSpec, marker: MarkerSpec, T_camera_marker: Floats) -> Floats:
    """(4, 2) pixels where the pinhole puts the corners: top left, top right, bottom right, bottom left."""
    h = 0.5 * marker.side_m
    square = np.array([[-h, h, 0.0], [h, h, 0.0], [h, -h, 0.0], [-h, -h, 0.0]])
    T = pose_from_packed(T_camera_marker)
    p = square @ T[:3, :3].T + T[:3, 3]
    focal = 0.5 * camera.height / math.tan(math.radians(0.5 * camera.vertical_fov_deg))
    return focal * p[:, :2] / p[:, 2:] + 0.5 * np.array([camera.width - 1, camera.height - 1])


def pose_errors(T_found: Floats, T_true: Floats) -> tuple[float, float, float]:
    """Across the camera's axis (mm), along it (mm), attitude (deg)."""
    off = 1e3 * (T_found[:3] - T_true[:3])
    angle = angle_between(pose_from_packed(T_true)[:3, :3].copy(), pose_from_packed(T_found)[:3, :3].copy())
    return math.hypot(off[0], off[1]), abs(off[2]), math.degrees(angle)
