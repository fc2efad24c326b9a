"""The brightness of materials from an image in which they are brighter or darker than known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from proxops.core.lens import Lens
from proxops.onboard.vision.brightness import Brightness, seen_brightness
from proxops.onboard.vision.expected_picture import Draughtsman, smoothed
from proxops.onboard.vision.lens_kernel import lens_numbers
from proxops.optics.scene.light import DistantLight
from proxops.optics.scene.mesh import Mesh, joined
from proxops.optics.scene.palette import WHITE_PAINT
from proxops.optics.scene.primitives import plate

LENS = Lens(320, 240, 400.0, 400.0, 159.5, 119.5)
LIGHT = (DistantLight((0.2, 0.1, -1.0), 900.0),)
T = np.array([0.0, 0.0, 4.0, 0.0, 1.0, 0.0, 0.0])
MATERIALS = [replace(WHITE_PAINT, name=f"paint {k}", albedo=0.3, specular=0.0) for k in range(3)]


def plates(albedos: tuple[float, ...]) -> Mesh:
    """Side by side, facing the sensor."""
    out = []
    for k, (material, albedo) in enumerate(zip(MATERIALS, albedos, strict=True)):
        shift = np.eye(4)
        shift[0, 3] = 0.6 * (k - 1)
        out.append(plate(0.5, 0.5, replace(material, albedo=albedo)).moved(shift))
    return joined(out)


def brightness(albedos: tuple[float, ...], white: int) -> Brightness:
    """Of an image with a level of 2 for each W/m²/sr, where the three are believed to be alike."""
    lens = lens_numbers(LENS)
    image = np.minimum(smoothed(2.0 * Draughtsman(LENS, plates(albedos)).draw(T, LIGHT, 400).radiance, 0.7), white)
    known = Draughtsman(LENS, plates((0.3, 0.3, 0.3)))
    expected = known.draw(T, LIGHT, 20)
    before = Brightness(np.ones(3))
    return seen_brightness(
        image.astype(np.float32), white, expected, smoothed(expected.radiance, 0.7), known, T, lens, before
    )


def test_materials_that_are_brighter_and_darker_are_found_so() -> None:
    found = brightness((0.6, 0.3, 0.15), 100_000)
    np.testing.assert_allclose(found.gains * found.level, [4.0, 2.0, 1.0], rtol=0.02)
    assert found.brightest > 1e4


def test_what_is_white_tells_nothing_of_its_brightness() -> None:
    """It is as bright, against the others, as known."""
    white = 250
    found = brightness((0.9, 0.3, 0.15), white)
    np.testing.assert_allclose((found.gains * found.level)[1:], [2.0, 1.0], rtol=0.02)
    assert found.gains[0] == 1.0
    assert 100.0 < found.brightest < 300.0
