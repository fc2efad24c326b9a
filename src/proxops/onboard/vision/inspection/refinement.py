"""Poses made better with the surface found so far: every look is laid onto it beam by beam (``depth/icp.py``), so that errors do
not add up from look to look, and neither side of a panel draws the other's points."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.core.experiment_result import Progress
from proxops.maths.rotation import quat_from_matrix
from proxops.onboard.vision.depth.client_model import client_model
from proxops.onboard.vision.depth.icp import icp
from proxops.onboard.vision.depth.ranging import Ranging
from proxops.onboard.vision.depth.shared_errors import LEAST_MOTION
from proxops.onboard.vision.inspection.cloud import clouds
from proxops.onboard.vision.inspection.track import Track
from proxops.optics.scene.mesh import Mesh

BEAMS: Final = 1500
MOTION: Final = np.repeat(LEAST_MOTION, 3)  # deviation of the motion by which a scan was put together
FARTHEST: Final = 4.0  # times the scale on which poses move: a look that moves farther stays where it was


def refined(track: Track, surface: Mesh, ranging: Ranging, wide_m: float, what: str, progress: Progress) -> Track:
    """``wide_m``: by how much poses may be off."""
    model, out = client_model(surface), track.T_sensor_client.copy()
    for k, (beams, T) in enumerate(zip(clouds(ranging, track), track.T_sensor_client, strict=True)):
        packed = np.concatenate([T[:3, 3], quat_from_matrix(np.ascontiguousarray(T[:3, :3]))])
        found = icp(model, beams.thinned(BEAMS), ranging.noise, packed, wide_m, MOTION)
        if np.isfinite(found.p).all() and np.linalg.norm(found.p - T[:3, 3]) < FARTHEST * wide_m:
            out[k, :3, :3], out[k, :3, 3] = found.R, found.p
        progress(what, k + 1, len(track))
    return track.with_poses(out)
