"""Where the client as a whole seems to be: brought over from a drawing of it beside its image."""

from __future__ import annotations

import numpy as np
import pytest

from proxops.core.lens import Lens
from proxops.onboard.vision.expected_picture import Draughtsman
from proxops.onboard.vision.picture_offset import brought_over
from proxops.optics.scene.light import DistantLight
from proxops.optics.scene.mesh import Mesh
from proxops.optics.scene.palette import WHITE_PAINT
from proxops.optics.scene.primitives import box

LENS = Lens(1200, 400, 1000.0, 1000.0, 599.5, 199.5)
LIGHT = (DistantLight((0.0, 0.0, -1.0), 900.0),)
MARGIN = 44


@pytest.mark.parametrize(
    ("mesh", "off_m"),
    [(box((1.0, 0.6, 0.1), WHITE_PAINT), 0.01), (box((10.0, 0.05, 0.1), WHITE_PAINT), 0.15)],
    ids=["box", "rod"],
)
def test_a_client_is_brought_over_to_where_it_is(mesh: Mesh, off_m: float) -> None:
    """The rod is a thousand pixels long and five high: so is what is in view of a client at the picture's rim."""
    drawn_by = Draughtsman(LENS, mesh)
    true, first = (np.array([x, y, 10.05, 1.0, 0.0, 0.0, 0.0]) for x, y in ((0.2, -0.1), (0.0, 0.0)))
    seen, expected = (drawn_by.draw(T, LIGHT, MARGIN) for T in (true, first))
    picture = np.zeros((LENS.height, LENS.width), np.float32)
    picture[seen.box[0] : seen.box[2], seen.box[1] : seen.box[3]] = seen.radiance
    found = brought_over(picture, expected.radiance, expected, LENS, MARGIN)
    np.testing.assert_allclose(found[:2], true[:2], atol=off_m)  # of so long a rod ten pixels are taken together
