"""The model's edges in a picture: of a box that is looked at, those that are in view and no others."""

from __future__ import annotations

import numpy as np
import pytest

from proxops.core.lens import Lens
from proxops.onboard.vision.expected_picture import Draughtsman
from proxops.onboard.vision.visible_edges import PIECES, VisibleEdges
from proxops.optics.scene.light import DistantLight
from proxops.optics.scene.palette import WHITE_PAINT
from proxops.optics.scene.primitives import box, cylinder

LENS = Lens(320, 240, 400.0, 400.0, 159.5, 119.5)
LIGHT = (DistantLight((0.0, 0.0, -1.0), 900.0),)


def test_of_a_box_straight_ahead_the_four_edges_of_its_face_are_in_view() -> None:
    mesh, T = box((1.0, 0.6, 0.8), WHITE_PAINT), np.array([0.0, 0.0, 4.4, 1.0, 0.0, 0.0, 0.0])
    lines = VisibleEdges(LENS, mesh).lines(T, Draughtsman(LENS, mesh).draw(T, LIGHT, 4))
    assert len(lines) == 4 * PIECES
    assert lines[:, ::2].min() == pytest.approx(159.5 - 50.0, abs=1e-3)
    assert lines[:, 1::2].max() == pytest.approx(119.5 + 30.0, abs=1e-3)
    assert np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1]).sum() == pytest.approx(320.0, abs=0.1)


def test_a_round_surface_has_the_lines_where_it_turns_away() -> None:
    mesh, T = cylinder(0.5, 2.0, WHITE_PAINT), np.array([0.0, 0.0, 6.0, np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0])
    lines = VisibleEdges(LENS, mesh).lines(T, Draughtsman(LENS, mesh).draw(T, LIGHT, 4))
    upright = np.abs(lines[:, 3] - lines[:, 1]) > 20.0
    assert upright.sum() == 2 * PIECES  # its two sides


def test_what_is_out_of_view_has_none() -> None:
    mesh, T = box((1.0, 0.6, 0.8), WHITE_PAINT), np.array([40.0, 0.0, 4.4, 1.0, 0.0, 0.0, 0.0])
    assert VisibleEdges(LENS, mesh).lines(T, Draughtsman(LENS, mesh).draw(T, LIGHT, 4)).shape == (0, 4)
