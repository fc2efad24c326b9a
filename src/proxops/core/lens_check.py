"""Does a lens fit its pictures? A wrong calibration is found here, not in a picture that looks strange."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.lens import Lens
from proxops.core.lens_map import distorted

SHORTEST, LONGEST = 0.1, 1000.0  # focal length over the picture's larger side
UNEQUAL: Final = 2.0  # of the two focal lengths, at most
WIDEST: Final = 5.0  # tangent of the largest angle off the axis that is looked at: 79 deg
RAYS, STEPS = 64, 1000

Floats = NDArray[np.float64]


def check_lens(lens: Lens, where: str) -> None:
    """Refuses a lens whose numbers cannot belong to pictures of its size."""
    numbers = (lens.fx, lens.fy, lens.cx, lens.cy, *lens.distortion)
    if not all(map(math.isfinite, numbers)):
        raise BadInput("the lens has a number that is not finite", where=where, value=numbers, bound="finite")
    _check_focal(lens, where)
    _check_centre(lens, where)
    if not lens.ideal:
        _check_distortion(lens, where)


def _check_focal(lens: Lens, where: str) -> None:
    size, focal = max(lens.width, lens.height), (lens.fx, lens.fy)
    if min(focal) <= 0.0 or not SHORTEST * size <= min(focal) <= max(focal) <= LONGEST * size:
        bound = f"{SHORTEST * size:g} to {LONGEST * size:g} pixels"
        way_out = "focal lengths are given in pixels: mm divided by the size of a pixel in mm"
        raise BadInput("focal length", where=where, value=focal, bound=bound, way_out=way_out)
    if max(focal) > UNEQUAL * min(focal):
        bound = f"one at most {UNEQUAL:g} times the other"
        raise BadInput("focal lengths", where=where, value=focal, bound=bound, way_out="look for fx and fy in the file")


def _check_centre(lens: Lens, where: str) -> None:
    if not (-0.5 <= lens.cx <= lens.width - 0.5 and -0.5 <= lens.cy <= lens.height - 0.5):
        raise BadInput(
            "the principal point is outside of the picture",
            where=where,
            value=(lens.cx, lens.cy),
            bound=f"0 … {lens.width - 1}, 0 … {lens.height - 1}",
            way_out="the calibration may be of pictures of another size or of a cut-out",
        )


def _check_distortion(lens: Lens, where: str) -> None:
    """Along rays outward from the axis the map must not fold over before it has left the picture."""
    angle = np.linspace(0.0, 2.0 * np.pi, RAYS, endpoint=False)[:, None]
    r = np.linspace(0.0, WIDEST, STEPS + 1)[None, 1:]
    x, y, (xx, xy, yy) = distorted(lens, r * np.cos(angle), r * np.sin(angle))
    area = xx * yy - xy * xy  # by how much a small one grows
    u, v = lens.fx * x + lens.cx, lens.fy * y + lens.cy
    inside = (u >= -0.5) & (u <= lens.width - 0.5) & (v >= -0.5) & (v <= lens.height - 0.5)
    within = np.logical_and.accumulate(inside, axis=1)  # not yet out
    folded = within & (area <= 0.0)
    if folded.any():
        raise BadInput(
            "the distortion folds the picture over",
            where=where,
            value=lens.distortion,
            bound=f"growing outward in all of {lens.width} x {lens.height}",
            way_out=f"it turns back {_least(folded, r):.0f} deg off the axis: calibrate anew with points near the corners,"
            " or leave out k3; the order is k1 k2 p1 p2 k3",
        )
    if within[:, -1].any():
        bound, way_out = "below 79 deg off the axis", "a fisheye lens needs another model than Brown's"
        raise BadInput("the lens sees too wide", where=where, value=lens.distortion, bound=bound, way_out=way_out)


def _least(folded: NDArray[np.bool_], r: Floats) -> float:
    return math.degrees(math.atan(float(np.broadcast_to(r, folded.shape)[folded].min())))
