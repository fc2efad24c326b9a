"""The tracker: from a prediction and an image to the pose at which the client's edges lie where the image has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from proxops.core.images import CameraImage
from proxops.core.vision import Floats
from proxops.core.vocabulary import Doubt
from proxops.maths.pose import pose_from_packed
from proxops.onboard.vision.brightness import Brightness, seen_brightness
from proxops.onboard.vision.control_points import ControlPoints, control_points
from proxops.onboard.vision.edge_search import GAIN, LIKENESS, NORMAL, SHIFT, SIGMA, U, V, search, searched
from proxops.onboard.vision.expectation import difference
from proxops.onboard.vision.expected_picture import Draughtsman, ExpectedPicture, Picture, smoothed
from proxops.onboard.vision.lens_kernel import lens_numbers
from proxops.onboard.vision.picture_offset import brought_over
from proxops.onboard.vision.pose_fit import PoseFit, fit_pose
from proxops.optics.scene.light import Light

SMOOTHED: Final = 0.7  # px, both pictures
MARGIN: Final = 44  # px round the client
POINTS: Final = 900
HALF: Final = 5  # of a profile, px
LEAST_SLOPE: Final = 0.02  # per pixel, of the client's brightness
LIKE: Final = 0.7  # correlation of a profile that counts as found
FLOOR: Final = 0.05  # px, of where a profile is found
FEWEST: Final = 12
FEWEST_PIXELS: Final = 30  # of the client
WIDEST, NARROW = 14, 3  # px that are searched to either side: at most, and when little is left
FAR_PX: Final = 5.0  # from which on the whole client is looked for before its edges are
ALIKE: Final = 1.15  # times that a material may be brighter than drawn
AGAIN_PX: Final = 1.5  # the client is drawn anew when its points have moved by more


@dataclass(frozen=True, eq=False)
class Tracked:
    """What the last search found, and the fit to it."""

    fit: PoseFit
    expected: ExpectedPicture
    level: Picture  # of ``expected``, as it was compared
    points: ControlPoints
    rows: Floats  # (n, 8) of ``edge_search``
    used: NDArray[np.bool_]  # (n) found well enough to be fitted


class EdgeTracker:
    """Of the client and through the lens of who draws. ``blur_px``: of the lens, standard deviation."""

    def __init__(self, drawn_by: Draughtsman, blur_px: float) -> None:
        cv2.setNumThreads(1)
        self.drawn_by = drawn_by
        self._lens, self._blur = lens_numbers(drawn_by.lens), blur_px

    def track(
        self, image: CameraImage, T_first: Floats, lights: tuple[Light, ...], across_px: float, around_px: float
    ) -> Tracked | Doubt:
        """How far points may be off at first: the client as a whole, and by its turning. A doubt says why there is no pose."""
        T = T_first
        picture = smoothed(image.pixels.astype(np.float32), SMOOTHED)
        bright = Brightness(np.ones(self.drawn_by.materials))
        for _ in range(3):
            before, drawn_with = T, bright
            tracked = self._round(picture, T, lights, bright, across_px, around_px)
            if isinstance(tracked, Doubt):
                return tracked
            T, across_px, around_px = tracked.fit.T_sensor_target, 0.0, 0.5 * NARROW
            bright = seen_brightness(
                picture, image.white, tracked.expected, tracked.level, self.drawn_by, T, self._lens, drawn_with
            )
            if self._moved_px(before, T) < AGAIN_PX and bright.differs(drawn_with) < ALIKE:
                break
        return tracked

    def _round(
        self, picture: Picture, T: Floats, lights: tuple[Light, ...], bright: Brightness, across_px: float, around_px: float
    ) -> Tracked | Doubt:  # fmt: skip
        """Draws once; searches wide, then narrow."""
        expected = self.drawn_by.draw(T, lights, MARGIN, bright.gains)
        if expected.pixels < FEWEST_PIXELS:
            return Doubt.OUT_OF_VIEW
        level = np.minimum(smoothed(expected.radiance, self._blur), np.float32(bright.brightest))
        level = smoothed(level, SMOOTHED)
        brightest = float(np.percentile(level[expected.ids >= 0], 75))
        points = control_points(expected, level, self.drawn_by, LEAST_SLOPE * brightest, HALF, POINTS)
        if brightest <= 0.0:
            return Doubt.DARK
        if len(points) < FEWEST:
            return Doubt.TOO_FEW
        if across_px > FAR_PX:
            T, across_px = brought_over(picture, level, expected, self.drawn_by.lens, MARGIN), 2.0
        tracked = None
        for reach in reaches(across_px + around_px):
            tracked = self._fit(picture, expected, level, points, T, reach)
            if tracked is None:
                return Doubt.TOO_FEW
            T = tracked.fit.T_sensor_target
        return tracked or Doubt.TOO_FEW

    def _fit(
        self, picture: Picture, expected: ExpectedPicture, level: Picture, points: ControlPoints, T: Floats, reach: int
    ) -> Tracked | None:  # fmt: skip
        rows = searched(len(points))
        search(
            picture,
            np.zeros(2),
            points.place,
            points.along,
            points.profile,
            pose_from_packed(T),
            self._lens,
            reach,
            rows,
        )
        used = (rows[:, LIKENESS] > LIKE) & (rows[:, GAIN] > 0.0) & (np.abs(rows[:, SHIFT]) < reach + 0.5)
        if np.count_nonzero(used) < FEWEST:
            return None
        normal = np.ascontiguousarray(rows[used, NORMAL : NORMAL + 2])
        found = normal[:, 0] * rows[used, U] + normal[:, 1] * rows[used, V] + rows[used, SHIFT]
        sigma = np.hypot(rows[used, SIGMA], FLOOR)
        fit = fit_pose(T, points.place[used], normal, found, sigma, self._lens, np.full(6, 1e-3))
        return Tracked(fit, expected, level, points, rows, used)

    def _moved_px(self, before: Floats, after: Floats) -> float:
        off = difference(after, before)
        z = max(float(after[2]), 0.02)
        f = float(self._lens[0])
        return (
            f / z * float(np.linalg.norm(off[:2]) + np.linalg.norm(off[3:]) * self.drawn_by.radius_m)
            + f * abs(float(off[2])) / z * self.drawn_by.radius_m / z
        )


def reaches(off_px: float) -> list[int]:
    """Of the searches one after the other."""
    reach, out = min(max(round(off_px), NARROW), WIDEST), []
    while reach > 1:
        out.append(reach)
        reach //= 2
    return [*out, 1]
