"""Places that an operator means: those whose pixels are in the circle, with some room for a client that is seen in part."""

from __future__ import annotations

import numpy as np

from proxops.core.lens import Lens
from proxops.onboard.vision.depth.pointed_place import SLACK, PointedPlace

LENS = Lens(200, 200, 250.0, 250.0, 99.5, 99.5)


def test_places_in_the_circle_are_meant_and_none_behind_the_sensor() -> None:
    pointed = PointedPlace(LENS, (149.5, 99.5, 10.0), 1.0)
    reach = (10.0 + SLACK * 250.0 / 5.0) / 250.0 * 5.0  # m at 5 m
    right = 50.0 / 250.0 * 5.0
    places = np.array(
        [
            [right, 0.0, 5.0],
            [right + 0.99 * reach, 0.0, 5.0],
            [right + 1.01 * reach, 0.0, 5.0],
            [right, -1.01 * reach, 5.0],
            [-right, 0.0, -5.0],
            [2.0 * right, 0.0, 10.0],
        ]
    )
    np.testing.assert_array_equal(pointed.among(places), places[[0, 1, 5]])
    assert pointed.among(np.empty((0, 3))).shape == (0, 3)
