"""A surface from four sides, as a picture: grey by how it lies to the light, without perspective."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from proxops.core.flight import Floats
from proxops.maths.kernel import kernel
from proxops.onboard.vision.depth.client_model import Surface, client_model
from proxops.optics.scene.descent import nearest_of_body
from proxops.optics.scene.mesh import Mesh

SIDES: Final = ((1.0, 0.5, -0.4), (0.2, -1.0, -0.5), (-1.0, -0.4, 0.3), (0.3, 0.9, 0.6))  # from where it is looked at
PIXELS: Final = 420
PAPER: Final = 245


def write_model_picture(path: Path, rows: dict[str, Mesh]) -> None:
    """One row of views for each surface, by its name; all to the scale of the first."""
    first = client_model(next(iter(rows.values())))
    drawn = []
    for name, mesh in rows.items():
        surface = client_model(mesh).surface
        row = np.concatenate([_view(surface, first.centre, first.radius, np.array(side)) for side in SIDES], axis=1)
        drawn.append(cv2.putText(row, name, (12, 32), cv2.FONT_HERSHEY_SIMPLEX, 0.8, 60, 1, cv2.LINE_AA))
    cv2.imwrite(str(path), np.concatenate(drawn), [cv2.IMWRITE_JPEG_QUALITY, 80])


def _view(surface: Surface, centre: Floats, radius: float, side: Floats) -> NDArray[np.uint8]:
    ahead = -side / np.linalg.norm(side)
    right = np.cross(ahead, [0.0, 0.0, -1.0])
    right /= np.linalg.norm(right)
    down = np.cross(ahead, right)
    light = -ahead + 0.5 * right - 0.6 * down
    out = np.full((PIXELS, PIXELS), PAPER, np.uint8)
    _shade(surface, centre - 3.0 * radius * ahead, ahead, right, down, light / np.linalg.norm(light), radius, out)
    return out


@kernel
def _shade(
    surface: Surface, eye: Floats, ahead: Floats, right: Floats, down: Floats, light: Floats, radius: float,
    out: NDArray[np.uint8],
) -> None:  # fmt: skip
    boxes, children, faces, _, root = surface
    d, n = (ahead[0], ahead[1], ahead[2]), out.shape[0]
    for j in range(n):
        for i in range(n):
            u, v = radius * (2.0 * (i + 0.5) / n - 1.0), radius * (2.0 * (j + 0.5) / n - 1.0)
            o = (
                eye[0] + u * right[0] + v * down[0],
                eye[1] + u * right[1] + v * down[1],
                eye[2] + u * right[2] + v * down[2],
            )
            _, face = nearest_of_body(boxes, children, faces, root, o, d, 0.0, np.inf)
            if face < 0:
                continue
            row = faces[face]
            cosine = row[0] * light[0] + row[1] * light[1] + row[2] * light[2]
            if row[0] * d[0] + row[1] * d[1] + row[2] * d[2] > 0.0:
                cosine = -cosine
            out[j, i] = int(40.0 + 180.0 * max(cosine, 0.0))
