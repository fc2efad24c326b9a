"""Which beams fit the client and on which of its planes they lie, for pictures of a fit; nothing is decided by it."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.core.vision import Marks
from proxops.onboard.vision.depth.client_model import ClientModel
from proxops.onboard.vision.depth.icp import Icp
from proxops.onboard.vision.depth.judgement import INLIER_SIGMAS, in_box

MOST_PLANES: Final = 255  # that have a group of their own: a byte


def plane_marks(model: ClientModel, found: Icp) -> Marks:
    """Of the beams in the box round the client. Groups: planes from 1 on, that with the most beams first; 0 does not fit."""
    inside = in_box(model, found.beams, found)
    fits = (found.face >= 0) & (found.weight > 0.0) & (np.abs(found.error) < INLIER_SIGMAS * found.sigma)
    plane = np.where(fits & inside, model.plane[found.face], -1)
    numbers, count = np.unique(plane[plane >= 0], return_counts=True)
    group = np.zeros(len(plane), np.uint8)
    for rank, number in enumerate(numbers[np.argsort(-count, kind="stable")].tolist(), 1):
        group[plane == number] = min(rank, MOST_PLANES)
    return Marks(found.beams.seen[inside], group[inside], np.empty((0, 4), np.float32))
