"""Where a search need not look: what an operator, or a prediction that is too wide to be compared with, rules out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.lens import Lens
from proxops.core.vision import Floats, PosePrediction, spread
from proxops.maths.rotation import matrix_from_quat
from proxops.onboard.vision.sight import Sight

NEAREST, FARTHEST = 2.0, 80.0  # m
DEVIATIONS: Final = 4.0  # of a prediction, beyond which nothing is looked for
STEP_RAD: Final = math.radians(12.0)  # between attitudes that are looked at
ABOUT: Final = 0.35  # of the distance: what is expected no better is no place to look about
BESIDE_PX: Final = 20.0  # by which the bright part that is nearest the client's middle may lie beside it
Circle = tuple[float, float, float]
"""Right, down, radius, px."""


@dataclass(frozen=True, eq=False)
class Narrowing:
    near: float = NEAREST  # m
    far: float = FARTHEST
    circles: tuple[Circle, ...] = ()  # the client's middle is in all of them
    R_expected: Floats | None = None  # R_sensor_target that the attitude is near
    within_rad: float = math.pi
    about: Floats | None = None  # (3) m: the client's middle, where its distance and direction are known well enough
    off_m: float = 0.0  # by which that may be wrong

    def allowed(self, R_sensor_target: Floats) -> NDArray[np.bool_]:
        """Of attitudes (…, 3, 3)."""
        if self.R_expected is None or self.within_rad >= math.pi:
            return np.ones(R_sensor_target.shape[:-2], np.bool_)
        cosine = 0.5 * (np.einsum("...ij,ij->...", R_sensor_target, self.R_expected) - 1.0)
        return np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)) < self.within_rad)

    def holds(self, u: float, v: float) -> bool:
        """Whether the client's middle may be at that pixel."""
        return all(math.hypot(u - x, v - y) <= radius for x, y, radius in self.circles)

    def looked_at(self, shape: tuple[int, int]) -> NDArray[np.bool_]:
        """(h, w) pixels, of which the client must have a bright one."""
        v, u = np.mgrid[: shape[0], : shape[1]]
        out = np.ones(shape, np.bool_)
        for x, y, radius in self.circles:
            out &= np.hypot(u - x, v - y) <= radius + BESIDE_PX
        return out


def narrowing(sight: Sight, lens: Lens, centre: Floats) -> Narrowing:
    """``centre`` (3) m: of the client, in its frame."""
    circles = () if sight.designated is None else (sight.designated,)
    if sight.prediction is None:
        return Narrowing(circles=circles)
    return _by(sight.prediction, lens, centre, circles)


def _by(prediction: PosePrediction, lens: Lens, centre: Floats, circles: tuple[Circle, ...]) -> Narrowing:
    place, turn = (DEVIATIONS * one for one in spread(prediction.covariance))
    R = matrix_from_quat(np.ascontiguousarray(prediction.T_sensor_target[3:]))
    p = prediction.T_sensor_target[:3] + R @ centre
    away = float(np.linalg.norm(p))
    off = place + min(turn, 2.0) * float(np.linalg.norm(centre))
    if p[2] > 2.0 * off:
        u, v = lens.fx * p[0] / p[2] + lens.cx, lens.fy * p[1] / p[2] + lens.cy
        if lens.ideal:
            circles = (*circles, (float(u), float(v), 1.2 * max(lens.fx, lens.fy) * off / float(p[2])))
    about = p if p[2] > 2.0 * off and off < ABOUT * away else None
    near, far = max(NEAREST, away - off), min(FARTHEST, max(away + off, 1.1 * NEAREST))
    return Narrowing(near, far, circles, R, turn + STEP_RAD, about, off)
