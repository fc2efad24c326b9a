"""The search of a whole picture: what is bright in it, all attitudes laid over that, the best refined by edges and compared."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from proxops.core.lens import Lens
from proxops.core.vision import Floats
from proxops.onboard.vision.expected_picture import Draughtsman
from proxops.onboard.vision.fitted import Fitted, Refine
from proxops.onboard.vision.picture_search.bright_region import (
    BrightRegion,
    Mask,
    Picture,
    bright_region,
    region_about,
    without_earth,
)
from proxops.onboard.vision.picture_search.candidates import FirstPose, first_poses
from proxops.onboard.vision.picture_search.contradiction import contradiction
from proxops.onboard.vision.picture_search.known_shape import known_shape
from proxops.onboard.vision.picture_search.line_of_sight import LinesOfSight
from proxops.onboard.vision.picture_search.narrowing import Narrowing, narrowing
from proxops.onboard.vision.picture_search.survivors import Survivor, apart, believed, may_be_shadowed, same
from proxops.onboard.vision.sight import Sight
from proxops.optics.scene.light import NearLight
from proxops.optics.scene.mesh import Mesh

REFINED: Final = 12
COMPARED: Final = 5
OWN_LAMP_M: Final = 1.5  # from the sensor, at most
HOPELESS: Final = 0.4  # support of a pose that is not compared


class PictureSearch:
    """Of one client through one lens; keeps nothing from picture to picture. ``drawn_by``: what draws the same client."""

    def __init__(self, lens: Lens, client: Mesh, drawn_by: Draughtsman) -> None:
        self._lens, self._shape, self._lines, self._drawn_by = lens, known_shape(client), LinesOfSight(lens), drawn_by

    def find(self, sight: Sight, picture: Picture, refine: Refine) -> Fitted | None:
        """``picture``: levels from 0 to 255. None if nothing is there."""
        where = narrowing(sight, self._lens, self._shape.centre)
        past_earth = without_earth(self._lens, self._lines.x, self._lines.y, sight.earth)
        sky = past_earth if alone(sight) else np.zeros_like(past_earth)
        if where.about is None or self._clear(sky, where):
            where = replace(where, about=None)
            region = bright_region(picture, past_earth, where.looked_at(picture.shape))
        else:
            region = region_about(picture, sky, self._lines.pixel(where.about), self._reach_px(where))
        if region is None:
            return None
        first = distinct(first_poses(sight, picture, region, where, self._lens, self._lines, self._shape))[:REFINED]
        refined = [found for one in first if (found := refine(one.T_sensor_target)) is not None]
        refined = [one for one in refined if where.holds(*self._middle_px(one.T_sensor_target))]
        hopeful = [one for one in apart(refined) if one.support > HOPELESS][:COMPARED]
        return believed([self._compared(picture, region, sky, sight, one) for one in hopeful])

    def _reach_px(self, where: Narrowing) -> float:
        assert where.about is not None
        return self._lens.fx * (self._shape.radius + where.off_m) / float(where.about[2])

    def _clear(self, sky: Mask, where: Narrowing) -> bool:
        """Whether nothing else than the client can be lit where it is expected: then what is bright tells more."""
        assert where.about is not None
        u, v = self._lines.pixel(where.about)
        i, j = np.meshgrid(np.arange(sky.shape[1]), np.arange(sky.shape[0]))
        return bool(sky[np.hypot(i - u, j - v) < self._reach_px(where)].all())

    def _compared(self, picture: Picture, region: BrightRegion, sky: Mask, sight: Sight, one: Fitted) -> Survivor:
        against = contradiction(
            picture, region, sky, one.T_sensor_target, sight.lights, self._drawn_by, self._shape.crinkled
        )  # fmt: skip
        return Survivor(one, against, may_be_shadowed(one.T_sensor_target, sight.lights))

    def _middle_px(self, T_sensor_target: Floats) -> tuple[float, float]:
        return self._lines.pixel(self._drawn_by.middle(T_sensor_target))


def alone(sight: Sight) -> bool:
    """Whether no lamp stands elsewhere than on the chaser: it would light a hall, too."""
    return not any(isinstance(one, NearLight) and float(np.linalg.norm(one.place)) > OWN_LAMP_M for one in sight.lights)


def distinct(poses: list[FirstPose]) -> list[FirstPose]:
    """The first of those that are nearly one."""
    chosen: list[FirstPose] = []
    for one in poses:
        if not any(same(one.T_sensor_target, other.T_sensor_target) for other in chosen):
            chosen.append(one)
    return chosen
