"""Images that a fault of the mission has spoiled: dark, the same again, or with ghosts in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from proxops.core.images import CameraImage, DepthImage, Image, PointScan

# Of a ghost: light that went by way of something else (a panel, the hall's wall) and so comes late, beside the client itself.
GHOST_LATE_M: Final = 0.8
GHOST_ASIDE: Final = 0.04  # rad, of a scan's
GHOST_EVERY: Final = 3  # return


def spoiled(image: Image, shown: dict[str, Image], fault: str) -> Image:
    """``shown``: the last image of each sensor before anything was wrong; kept here."""
    if not fault:
        shown[image.sensor] = image
        return image
    if fault == "frozen":
        last = shown.setdefault(image.sensor, image)
        return replace(last, number=image.number, t=image.t)
    return dark(image) if fault == "dark" else with_ghosts(image)


def dark(image: Image) -> Image:
    """Nothing came back."""
    if isinstance(image, CameraImage):
        return replace(image, pixels=np.zeros_like(image.pixels))
    if isinstance(image, DepthImage):
        return replace(image, range_m=np.full_like(image.range_m, np.nan), intensity=np.zeros_like(image.intensity))
    return replace(image, points_m=image.points_m[:0], intensity=image.intensity[:0], t_offset_s=image.t_offset_s[:0])


def with_ghosts(image: Image) -> Image:
    """Of the client, beside it; a depth image's in place of its own distances, column by column. A camera has none."""
    if isinstance(image, CameraImage):
        return image
    if isinstance(image, DepthImage):
        ranges = image.range_m.copy()
        ranges[:, ::GHOST_EVERY] += np.float32(GHOST_LATE_M)
        return replace(image, range_m=ranges)
    return _scan_with_ghosts(image)


def _scan_with_ghosts(scan: PointScan) -> PointScan:
    seen = scan.points_m[::GHOST_EVERY].astype(np.float64)
    distance = np.linalg.norm(seen, axis=1, keepdims=True)
    ghost = seen * (1.0 + GHOST_LATE_M / np.maximum(distance, GHOST_LATE_M))
    c, s = np.cos(GHOST_ASIDE), np.sin(GHOST_ASIDE)
    ghost[:, 0], ghost[:, 2] = c * ghost[:, 0] + s * ghost[:, 2], c * ghost[:, 2] - s * ghost[:, 0]
    points, weak = np.concatenate([scan.points_m, ghost.astype(np.float32)]), 0.3 * scan.intensity[::GHOST_EVERY]
    when = np.concatenate([scan.t_offset_s, scan.t_offset_s[::GHOST_EVERY]])
    order = np.argsort(when, kind="stable")
    return replace(
        scan, points_m=points[order], intensity=np.concatenate([scan.intensity, weak])[order], t_offset_s=when[order]
    )
