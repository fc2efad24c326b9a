"""Two sets of points of one body laid over each other: generalised ICP (Segal, Hähnel and Thrun 2009) by small_gicp."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.vision import Floats
from proxops.onboard.vision.inspection.libraries import REGISTRATION, inspection_library

CELL_M: Final = 0.03  # of which one point is taken
FEWEST: Final = 60  # points


@dataclass(frozen=True, eq=False)
class Registration:
    """``information`` (6, 6) of a small motion of the source in its own axes: place, then rotation. Only its shape is to be
    believed: noise is not known to it."""

    T_target_source: Floats  # (4, 4)
    information: Floats
    share: float  # of the source's points that met the target


def registered(target: Floats, source: Floats, T_target_source: Floats, reach_m: float) -> Registration | None:
    """Points (n, 3); those that are ``reach_m`` apart or more have nothing to do with each other. None: too few."""
    gicp = inspection_library(REGISTRATION)
    if min(len(target), len(source)) < FEWEST:
        return None
    cloud, tree = gicp.preprocess_points(target, downsampling_resolution=CELL_M, num_threads=1)
    moved, _ = gicp.preprocess_points(source, downsampling_resolution=CELL_M, num_threads=1)
    if min(cloud.size(), moved.size()) < FEWEST:
        return None
    found = gicp.align(
        cloud, moved, tree, T_target_source, registration_type="GICP", max_correspondence_distance=reach_m, max_iterations=40,
        rotation_epsilon=1e-4, translation_epsilon=1e-4,
    )  # fmt: skip
    order = [3, 4, 5, 0, 1, 2]  # small_gicp: rotation first
    H = np.asarray(found.H)[np.ix_(order, order)]
    T = np.asarray(found.T_target_source)
    if not np.isfinite(T).all():
        return None
    return Registration(T, H, found.num_inliers / moved.size())
