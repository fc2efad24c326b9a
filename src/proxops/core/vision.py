"""What image processing says of one image: the client's pose, how sure it is, and whether it may be trusted.

``T_sensor_target`` is packed (x y z qw qx qy qz). Errors of a pose are six: of the place (m), then a small rotation (rad) on the
left, R = Exp(δ) R̂; both in the sensor's axes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxops.core.vocabulary import Doubt, VisionState

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PosePrediction:
    """What is expected at an image's time, by a filter or from the images before."""

    T_sensor_target: Floats  # (7)
    covariance: Floats  # (6, 6)
    # (6) velocity of the target's origin (m/s) and the target's rate (rad/s), both against the sensor and in its axes.
    motion: Floats


@dataclass(frozen=True, eq=False)
class Marks:
    """What was found where, for pictures of it. ``group``: 0 does not fit; 1 fits; of a depth image 1, 2, … its plane."""

    points: NDArray[np.float32]  # (n, 2) px, right and down; of a scan (n, 3) m in the sensor's frame
    group: NDArray[np.uint8]  # (n)
    lines: NDArray[np.float32]  # (m, 4) px: the model's edges in view at the pose found, from u v to u v


@dataclass(frozen=True, eq=False)
class PoseFound:
    """Of one image. Without a pose there is a doubt that says why; with one and a doubt it is told, but must not be used."""

    sensor: str
    number: int  # of the image
    t: float  # s on the run's clock: of the image
    doubt: Doubt
    trust: float = 0.0  # 0 … 1: how clearly it passed what it was judged by
    T_sensor_target: Floats | None = None  # (7)
    covariance: Floats | None = None  # (6, 6): of this image's own error, white from image to image
    marks: Marks | None = None

    @property
    def trusted(self) -> bool:
        return self.doubt is Doubt.NONE and self.T_sensor_target is not None


@dataclass(frozen=True, eq=False)
class Processed:
    """One answer, as it is told and recorded. ``source``: which of the mission's imaging sensors, from 1; 0: its poses are only
    compared."""

    found: PoseFound
    state: VisionState  # after it
    searched: bool  # the whole image was
    source: int


def spread(covariance: Floats) -> tuple[float, float]:
    """Largest standard deviation of place, m, and of attitude, rad."""
    values = [float(np.linalg.eigvalsh(covariance[k : k + 3, k : k + 3])[-1]) for k in (0, 3)]
    return math.sqrt(max(values[0], 0.0)), math.sqrt(max(values[1], 0.0))
