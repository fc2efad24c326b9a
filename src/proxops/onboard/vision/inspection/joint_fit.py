"""A track whose looks are tied to all others from the same side, and fitted as one."""

from __future__ import annotations

from collections.abc import Callable

from proxops.onboard.vision.depth.ranging import Ranging
from proxops.onboard.vision.inspection.closures import ties
from proxops.onboard.vision.inspection.cloud import client_beams
from proxops.onboard.vision.inspection.pose_graph import fitted_poses
from proxops.onboard.vision.inspection.spin import spin_of
from proxops.onboard.vision.inspection.track import Track, inverted


def fitted_together(track: Track, ranging: Ranging, say: Callable[[str], None]) -> Track:
    """With poses that all ties agree on best."""
    w = spin_of(track.times, track.R_eci_client).w_eci
    looks = enumerate(zip(track.looks, track.T_sensor_client, strict=True))
    points = [client_beams(ranging, look, T, track.motion(k, w)).end for k, (look, T) in looks]
    found = ties(track, points)
    say(f"{len(found)} ties between looks")
    return track.with_poses(inverted(fitted_poses(inverted(track.T_sensor_client), found)))
