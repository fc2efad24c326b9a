"""A track fitted as one: looks tied to all others from the same side, then stretches of looks laid over each other."""

from __future__ import annotations

from proxops.core.experiment_result import Progress
from proxops.onboard.vision.depth.ranging import Ranging
from proxops.onboard.vision.inspection.closures import ties
from proxops.onboard.vision.inspection.cloud import clouds
from proxops.onboard.vision.inspection.joint_surfaces import laid_together
from proxops.onboard.vision.inspection.pose_graph import fitted_poses
from proxops.onboard.vision.inspection.steadying import steadied
from proxops.onboard.vision.inspection.track import Track, inverted


def fitted_together(track: Track, ranging: Ranging, progress: Progress) -> Track:
    """With poses that agree best with all that was seen."""
    found = ties(track, [beams.end for beams in clouds(ranging, track)], progress)
    track = steadied(track.with_poses(inverted(fitted_poses(inverted(track.T_sensor_client), found))), ranging)
    return steadied(laid_together(track, ranging, progress), ranging)
