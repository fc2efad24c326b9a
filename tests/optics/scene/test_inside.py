"""How often a surface goes round a place: 1 inside, 0 outside, half on a face; a hole changes little."""

from __future__ import annotations

import numpy as np
import pytest

from proxops.optics.scene.inside import turns_round
from proxops.optics.scene.palette import WHITE_PAINT
from proxops.optics.scene.primitives import sphere
from proxops.optics.scene.scene import Scene

BALL = Scene.of([("ball", sphere(1.0, WHITE_PAINT))])


@pytest.mark.parametrize(("radius", "turns"), [(0.0, 1.0), (0.95, 1.0), (1.05, 0.0), (50.0, 0.0)])
def test_a_ball(radius: float, turns: float) -> None:
    for way in np.random.default_rng(1).standard_normal((20, 3)):
        place = radius * way / np.linalg.norm(way)
        assert turns_round(BALL, 0, place) == pytest.approx(turns, abs=1e-9)


def test_a_small_hole_changes_little() -> None:
    holed = Scene(**{**vars(BALL), "first_triangle": np.array([3, len(BALL.triangles)], np.int32)})
    assert turns_round(holed, 0, np.zeros(3)) == pytest.approx(1.0, abs=0.05)
