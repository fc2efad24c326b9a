"""How bright things are, against Lambert, the inverse square and the beam's formula; and that no lobe gives more than it gets."""

import math

import numpy as np
import pytest
from pictures import LENS, PAINT, WHOLE, renderer, square, still

from proxops.core.errors import BadInput
from proxops.optics.render.reflection import crinkled, reflected
from proxops.optics.scene.light import DistantLight, NearLight, SurroundingLight
from proxops.optics.scene.material import Material
from proxops.optics.scene.primitives import sphere

MIDDLE = (slice(115, 125), slice(155, 165))


@pytest.mark.parametrize("angle", [0.0, 0.5, 1.2, 1.5])
def test_lambert(angle: float) -> None:
    light = DistantLight((math.sin(angle), 0.0, -math.cos(angle)), 950.0)
    seen = renderer(square(4.0)).radiance(still((0.0, 0.0, 3.0), lights=(light,)))[MIDDLE]
    np.testing.assert_allclose(seen, 950.0 * math.cos(angle) * 0.8 / math.pi, rtol=1e-5)


def test_what_the_sun_does_not_see_is_black_from_both_sides() -> None:
    light = DistantLight((0.0, 0.0, 1.0), 950.0)
    assert not renderer(square(4.0)).radiance(still((0.0, 0.0, 3.0), lights=(light,))).any()
    turned = renderer(square(4.0)).radiance(still((0.0, 0.0, 3.0, 0.0, 1.0, 0.0, 0.0)))[MIDDLE]
    np.testing.assert_allclose(turned, WHOLE, rtol=1e-5)  # from behind: as what it is made of


def test_inverse_square_and_beam() -> None:
    lamp = NearLight((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 700.0, 0.3)
    for away in (2.0, 4.0):
        seen = renderer(square(10.0)).radiance(still((0.0, 0.0, away), lights=(lamp,)))
        for column in (159, 250):
            off = math.hypot((column - LENS.cx) / LENS.fx, 0.5 / LENS.fx)
            angle = math.atan(off)
            wanted = 700.0 / (away**2 * (1.0 + off**2)) * math.cos(angle) * 0.8 / math.pi
            wanted *= math.exp(-math.log(2.0) * (angle / 0.3) ** 2)
            assert seen[119, column] == pytest.approx(wanted, rel=1e-4)


def test_a_half_space_of_light() -> None:
    light = SurroundingLight((0.0, 0.0, -1.0), 60.0)
    seen = renderer(square(4.0)).radiance(still((0.0, 0.0, 3.0), lights=(light,)))[MIDDLE]
    np.testing.assert_allclose(seen, 60.0 * 0.8 / math.pi, rtol=1e-5)


def test_a_sphere_is_round() -> None:
    """Its brightness follows the angle to the light, although it is made of facets."""
    seen = renderer(sphere(0.5, PAINT)).radiance(still((0.0, 0.0, 3.0), lights=(DistantLight((0, 0, -1), 950.0),)))
    u = np.arange(160, 235)
    sine = 3.0 * np.sin(np.arctan((u - LENS.cx) / LENS.fx)) / 0.5
    tilt = np.arcsin(sine) - np.arctan((u - LENS.cx) / LENS.fx)
    np.testing.assert_allclose(seen[119, u], 950.0 * 0.8 / math.pi * np.cos(tilt), rtol=0.01, atol=2.0)


@pytest.mark.parametrize("exponent", [5.0, 60.0, 400.0])
@pytest.mark.parametrize("angle", [0.0, 0.8, 1.3])
def test_a_lobe_gives_less_than_it_gets(exponent: float, angle: float) -> None:
    row = np.array([0.0, 1.0, exponent, 0.5, 0.0, 0.02])
    light = (math.sin(angle), 0.0, math.cos(angle))
    cosines, turns = (np.arange(400) + 0.5) / 400, 2.0 * math.pi * (np.arange(200) + 0.5) / 200
    total = sum(
        reflected(
            row,
            exponent,
            (0.0, 0.0, 1.0),
            (math.sqrt(1 - c * c) * math.cos(a), math.sqrt(1 - c * c) * math.sin(a), c),
            light,
        )
        * c
        for c in cosines
        for a in turns
    )
    share = total * 2.0 * math.pi / len(cosines) / len(turns) / math.cos(angle)
    assert 0.02 < share < 1.0


def test_crinkles_tilt_as_much_as_asked_and_stay_where_they_are() -> None:
    tilt = math.radians(12.0)
    row = np.array([0.1, 0.5, 120.0, 0.5, tilt, 0.02])
    places = np.random.default_rng(0).uniform(-1.0, 1.0, (4000, 2))
    found = [crinkled(row, (x, y, 0.2), (0.0, 0.0, 1.0), 0.001)[0] for x, y in places]
    angles = np.arccos([n[2] for n in found])
    assert np.sqrt(np.mean(angles**2)) == pytest.approx(tilt, rel=0.05)
    assert crinkled(row, (0.5, 0.5, 0.2), (0.0, 0.0, 1.0), 0.001) == crinkled(
        row, (0.5, 0.5, 0.2), (0.0, 0.0, 1.0), 0.001
    )
    _, broad = crinkled(row, (0.5, 0.5, 0.2), (0.0, 0.0, 1.0), 1.0)  # a pixel of a metre sees the mean of many
    assert broad == pytest.approx(1.0 / (1.0 / 120.0 + 0.5 * tilt**2), rel=1e-3)


def test_a_shine_is_where_the_mirror_would_be() -> None:
    shiny = Material("shiny", 0.0, 0.5, 400.0)
    lamp = NearLight((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), 500.0)
    seen = renderer(square(10.0, shiny)).radiance(still((0.0, 0.0, 3.0), lights=(lamp,)))
    v, u = np.unravel_index(np.argmax(seen), seen.shape)
    assert u == pytest.approx(LENS.cx + LENS.fx * 0.5 / 3.0, abs=3.0) and v == pytest.approx(LENS.cy, abs=2.0)


def test_too_many_lights_are_refused() -> None:
    lights = tuple(DistantLight((0.0, 0.0, -1.0), 1.0) for _ in range(17))
    with pytest.raises(BadInput, match="lights"):
        renderer(square(1.0)).radiance(still((0.0, 0.0, 3.0), lights=lights))
