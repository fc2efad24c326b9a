"""What the client's own pixels say of a picture: too dark, too bright, too little of it; and which of its edges are cut off."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.images import CameraImage
from proxops.core.lens import Lens
from proxops.core.vision import Floats
from proxops.core.vocabulary import Doubt
from proxops.maths.pose import pose_from_packed
from proxops.onboard.vision.edge_search import NORMAL, SHIFT, U, V
from proxops.onboard.vision.expected_picture import ExpectedPicture

FULL: Final = 0.97  # of white: a level that is cut off
DARK: Final = 0.03  # of white, that the brightest twentieth of the client does not reach
OVER_EXPOSED: Final = 0.6  # share of the client that is white
BESIDE_PX: Final = (1.0, 2.5)  # from an edge to its bright side


def exposure_doubt(expected: ExpectedPicture, image: CameraImage) -> Doubt:
    """``expected``: drawn where the client is."""
    top, left, bottom, right = expected.box
    levels = image.pixels[top:bottom, left:right][expected.ids >= 0]
    if np.percentile(levels, 95) < DARK * image.white:
        return Doubt.DARK
    full = np.count_nonzero(levels >= FULL * image.white) / len(levels)
    return Doubt.OVER_EXPOSED if full > OVER_EXPOSED else Doubt.NONE


def in_view(T_sensor_target: Floats, expected: ExpectedPicture, corners: Floats, lens: Lens) -> float:
    """Share of the client (of its ``corners``) that is in the picture; or of the picture that it covers, if that is more."""
    T = pose_from_packed(T_sensor_target)
    seen = corners @ T[:3, :3].T + T[:3, 3]
    z = np.maximum(seen[:, 2], 1e-3)
    u, v = lens.fx * seen[:, 0] / z + lens.cx, lens.fy * seen[:, 1] / z + lens.cy
    inside = (seen[:, 2] > 0.0) & (u > 0.0) & (u < lens.width - 1) & (v > 0.0) & (v < lens.height - 1)
    return max(float(np.mean(inside)), expected.pixels / (lens.width * lens.height))


def found_at(rows: Floats) -> Floats:
    """(n, 2) px, of rows of ``edge_search``."""
    return rows[:, U : V + 1] + rows[:, SHIFT, None] * rows[:, NORMAL : NORMAL + 2]


def cut_off(rows: Floats, image: CameraImage) -> NDArray[np.bool_]:
    """(n) whether an edge's bright side is white in the image."""
    out = np.zeros(len(rows), bool)
    for step in BESIDE_PX:
        at = np.round(found_at(rows) + step * rows[:, NORMAL : NORMAL + 2]).astype(np.int64)
        u, v = np.clip(at[:, 0], 0, image.pixels.shape[1] - 1), np.clip(at[:, 1], 0, image.pixels.shape[0] - 1)
        out |= image.pixels[v, u] >= FULL * image.white
    return out
