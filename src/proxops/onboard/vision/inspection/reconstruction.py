"""An unknown client's shape and spin, from looks at it from all sides. Nothing else is known: no model, no truth.

Followed from look to look; tied to all looks from the same side and fitted as one; stretches of looks laid over each other; then
by turns a surface is made of all points and every look laid onto it again. The frame is as looks have it named; unless any has,
its axes are the sensor's at the first look and its origin is in the middle of what that saw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.experiment_result import Progress
from proxops.core.imaging_table import ImagingSensor
from proxops.core.vision import Floats
from proxops.maths.pose import inverse_pose
from proxops.onboard.vision.depth.ranging import Ranging
from proxops.onboard.vision.inspection.following import ClientFollowing
from proxops.onboard.vision.inspection.fusion import Fineness, fused
from proxops.onboard.vision.inspection.joint_fit import fitted_together
from proxops.onboard.vision.inspection.libraries import demand_libraries
from proxops.onboard.vision.inspection.look import InspectionLook
from proxops.onboard.vision.inspection.naming import called
from proxops.onboard.vision.inspection.refinement import refined
from proxops.onboard.vision.inspection.spin import Spin, spin_of
from proxops.onboard.vision.inspection.steadying import steadied
from proxops.onboard.vision.inspection.track import Track
from proxops.optics.scene.mesh import Mesh

FEWEST: Final = 8  # looks
ROUNDS_M: Final = (0.02, 0.01)  # by how much poses may be off, round by round
BEGIN: Final = 8  # looks by which the first attitude is made smooth


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """``surface`` in the client's frame; ``lost``: looks that the client was not found in, or that did not fit."""

    surface: Mesh
    track: Track
    spin: Spin
    lost: int


def reconstructed(
    sensor: ImagingSensor, looks: Sequence[InspectionLook], fine: Fineness | None = None,
    progress: Progress = lambda what, done, of: None,
) -> Reconstruction:  # fmt: skip
    """``looks`` in the order of their times."""
    demand_libraries()
    ranging, fine = Ranging(sensor), fine or Fineness()
    track = ClientFollowing(ranging).follow(looks, progress)
    if len(track) < FEWEST:
        raise BadInput("too few looks fit together", value=len(track), bound=f"{FEWEST} or more of {len(looks)}")
    laid = track.T_sensor_client[0]
    track = fitted_together(track, ranging, progress)
    for number, wide_m in enumerate(ROUNDS_M, 1):
        surface = fused(track, ranging, fine)
        track = steadied(refined(track, surface, ranging, wide_m, f"refining {number}", progress), ranging)
    progress("surface", 0, 1)
    surface = fused(track, ranging, fine)
    progress("surface", 1, 1)
    T_now_called = called(track)
    T = _to_first(track, laid) if T_now_called is None else np.ascontiguousarray(inverse_pose(T_now_called))
    track = track.with_poses(track.T_sensor_client @ inverse_pose(T))
    return Reconstruction(surface.moved(T), track, spin_of(track.times, track.R_eci_client), len(looks) - len(track))


def _to_first(track: Track, laid: Floats) -> Floats:
    """(4, 4) T_client_now: where the frame was laid down, in the one that poses have come to; attitudes of the first looks are
    made smooth."""
    count = min(BEGIN, len(track))
    R_eci_client = spin_of(track.times[:count], track.R_eci_client[:count]).at(track.looks[0].t)
    R_own = track.R_eci_client[0] @ track.T_sensor_client[0, :3, :3].T
    T_now = track.T_sensor_client[0].copy()
    T_now[:3, :3] = R_own.T @ R_eci_client
    return np.ascontiguousarray(inverse_pose(np.ascontiguousarray(laid)) @ T_now)
