"""Images that a fault of the mission has spoiled: dark, or the same again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from proxops.core.images import CameraImage, DepthImage, Image


def spoiled(image: Image, shown: dict[str, Image], fault: str) -> Image:
    """``shown``: the last image of each sensor before anything was wrong; kept here."""
    if not fault:
        shown[image.sensor] = image
        return image
    if fault == "frozen":
        last = shown.setdefault(image.sensor, image)
        return replace(last, number=image.number, t=image.t)
    return dark(image)


def dark(image: Image) -> Image:
    """Nothing came back."""
    if isinstance(image, CameraImage):
        return replace(image, pixels=np.zeros_like(image.pixels))
    if isinstance(image, DepthImage):
        return replace(image, range_m=np.full_like(image.range_m, np.nan), intensity=np.zeros_like(image.intensity))
    return replace(image, points_m=image.points_m[:0], intensity=image.intensity[:0], t_offset_s=image.t_offset_s[:0])
