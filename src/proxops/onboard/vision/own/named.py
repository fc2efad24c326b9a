"""From what the user names to an estimator: ours, a class, or another computer."""

from __future__ import annotations

from proxops.core.imaging_table import ImagingSensor
from proxops.onboard.vision.estimators import estimator_of
from proxops.onboard.vision.own.own_class import OwnEstimator
from proxops.onboard.vision.own.remote import SCHEME, RemoteEstimator
from proxops.onboard.vision.pose_covariance import DeclaredError
from proxops.onboard.vision.sight import PoseEstimator
from proxops.optics.scene.mesh import Mesh


def estimator_named(
    name: str, sensor: ImagingSensor, client: Mesh, limit_s: float, part_m: float = DeclaredError.part_m
) -> PoseEstimator:
    """``name`` empty: ours. ``limit_s``: for an image, of another's; longer ones count as no pose. ``part_m``: by which
    parts of the client may stand elsewhere. BadInput for what leads nowhere."""
    if not name:
        return estimator_of(sensor, client, part_m)
    if name.startswith(SCHEME):
        return RemoteEstimator(name, sensor, limit_s)
    return OwnEstimator(name, sensor, client, limit_s)


def let_go(estimator: PoseEstimator) -> None:
    """It is not asked any more."""
    if isinstance(estimator, RemoteEstimator):
        estimator.close()
