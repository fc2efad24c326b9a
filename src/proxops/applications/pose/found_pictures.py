"""Some images with what was found in them, as files and for the report."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2
import numpy as np

from proxops.applications.pose.overlay import Overlay, Rgb
from proxops.core.images import Image
from proxops.core.lens import Lens
from proxops.core.vision import PoseFound
from proxops.optics.scene.mesh import Mesh

MOST_NAME: Final = 50  # characters of an image's name


class FoundPictures:
    """``count`` of ``images``, evenly over all. ``shown``: each with its caption."""

    def __init__(self, lens: Lens | None, client: Mesh, count: int, images: int) -> None:
        self._overlay = Overlay(lens, client) if count else None
        self._places = set(np.linspace(0, images - 1, min(count, images)).round().astype(int).tolist())
        self._names: list[str] = []
        self.shown: list[tuple[Rgb, str]] = []

    def look(self, place: int, file: str, image: Image, found: PoseFound) -> None:
        """One image has its answer; if it is one of these, it is drawn."""
        if self._overlay is None or place not in self._places:
            return
        self.shown.append((self._overlay.picture(image, found), _caption(file, found)))
        self._names.append(f"{place:06d}_{Path(file).stem[:MOST_NAME].replace(' ', '_')}.png")

    def write(self, folder: Path) -> None:
        for (rgb, _), name in zip(self.shown, self._names, strict=True):
            folder.mkdir(exist_ok=True)
            (folder / name).write_bytes(cv2.imencode(".png", np.ascontiguousarray(rgb[:, :, ::-1]))[1].tobytes())


def _caption(file: str, found: PoseFound) -> str:
    T = found.T_sensor_target
    where = "no pose" if T is None else f"{float(np.linalg.norm(T[:3])):.3f} m"
    judged = f"trust {found.trust:.2f}" if found.trusted else found.doubt.name.lower().replace("_", " ")
    return f"{file}: {where}, {judged}"
