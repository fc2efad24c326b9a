"""A client in free flight turns smoothly: nothing but small torques acts on it. So the attitude at each look is made better with
its neighbours, through the craft's own attitude; what was seen then stays in the middle of where it was seen.

Over a turn θ, to either side, a tumbling body's rate changes by about its inertias' difference times θ, and a straight line errs
by some θ² / 30: a twentieth of a degree for ten degrees.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.maths.rotation import matrix_from_quat
from proxops.onboard.vision.depth.ranging import Ranging
from proxops.onboard.vision.inspection.cloud import clouds
from proxops.onboard.vision.inspection.spin import spin_of
from proxops.onboard.vision.inspection.track import Track

STRAIGHT: Final = math.radians(10.0)  # of turn, to either side
MOST: Final = 8  # looks to either side


def steadied(track: Track, ranging: Ranging) -> Track:
    """Attitudes of a smooth turn."""
    times, R_eci_client, out = track.times, track.R_eci_client, track.T_sensor_client.copy()
    step = float(np.median(np.diff(times))) * float(np.linalg.norm(spin_of(times, R_eci_client).w_eci))
    half = int(np.clip(STRAIGHT / max(step, 1e-6), 1, MOST))
    for k, (beams, T) in enumerate(zip(clouds(ranging, track), track.T_sensor_client, strict=True)):
        near = slice(max(k - half, 0), k + half + 1)
        own = matrix_from_quat(track.looks[k].q_eci_sensor)
        R, middle = own.T @ spin_of(times[near], R_eci_client[near]).at(times[k]), beams.end.mean(axis=0)
        out[k, :3, :3] = R
        out[k, :3, 3] = middle - R @ T[:3, :3].T @ (middle - T[:3, 3])
    return track.with_poses(out)
