"""Where an expected picture has edges that are looked for: all over the client, however much of the picture it fills."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from proxops.core.lens import Lens
from proxops.onboard.vision.control_points import control_points
from proxops.onboard.vision.expected_picture import Draughtsman
from proxops.optics.scene.light import DistantLight
from proxops.optics.scene.mesh import joined
from proxops.optics.scene.palette import WHITE_PAINT
from proxops.optics.scene.primitives import box

LENS = Lens(1200, 1200, 1000.0, 1000.0, 599.5, 599.5)
LIGHT = (DistantLight((0.0, 0.0, -1.0), 900.0),)
T = np.array([0.0, 0.0, 10.0, 1.0, 0.0, 0.0, 0.0])
EVERY, COUNT, SIDE = 0.4, 27, 0.3  # m: tiles of 30 px, 40 px from one to the next


def test_edges_that_fill_a_large_picture_are_looked_for_in_all_of_it() -> None:
    """729 tiles have some 80,000 pixels of edges."""
    tile, places = box((SIDE, SIDE, 0.01), WHITE_PAINT), EVERY * (np.arange(COUNT) - 0.5 * (COUNT - 1))
    mesh = joined([replace(tile, vertices=tile.vertices + np.array([x, y, 0.0])) for x in places for y in places])
    drawn_by = Draughtsman(LENS, mesh)
    expected = drawn_by.draw(T, LIGHT, 20)
    points = control_points(expected, expected.radiance, drawn_by, 1.0, 5, 900)
    assert len(points) == 900
    across = np.histogram(points.place[:, 1], 3, (places[0], places[-1]))[0]
    assert across.min() > 200  # of 300 in each third
