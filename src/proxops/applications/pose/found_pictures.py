"""Some images with what was found in them, as files and for the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from proxops.applications.pose.looking import AnsweredImage
from proxops.applications.pose.overlay import Overlay, Rgb, some_of
from proxops.core.lens import Lens
from proxops.optics.scene.mesh import Mesh

PICTURES: Final = "pictures"


def write_pictures(
    looked: Sequence[AnsweredImage], lens: Lens | None, client: Mesh, folder: Path, count: int
) -> list[tuple[Rgb, str]]:
    """``count`` of them, evenly over all; each with its caption."""
    if not count:
        return []
    overlay, found = Overlay(lens, client), list[tuple[Rgb, str]]()
    folder.mkdir(exist_ok=True)
    for one in some_of(looked, count):
        rgb = overlay.picture(one)
        name = f"{one.found.number:06d}_{Path(one.seen.file).stem.replace(' ', '_')}.png"
        (folder / name).write_bytes(cv2.imencode(".png", np.ascontiguousarray(rgb[:, :, ::-1]))[1].tobytes())
        found.append((rgb, _caption(one)))
    return found


def _caption(one: AnsweredImage) -> str:
    T = one.found.T_sensor_target
    where = "no pose" if T is None else f"{float(np.linalg.norm(T[:3])):.3f} m"
    judged = f"trust {one.found.trust:.2f}" if one.found.trusted else one.found.doubt.name.lower().replace("_", " ")
    return f"{one.seen.file}: {where}, {judged}"
