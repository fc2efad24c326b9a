"""Pull of Sun and Moon against arithmetic in fifty digits and the tidal approximation."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.core.earth import AU_M, MU_MOON_M3_S2, MU_SUN_M3_S2
from proxops.space.third_body import third_body

Array = NDArray[np.float64]
SUN = AU_M * np.array([-0.2, 0.9, 0.39])
MOON = np.array([2.1e8, -2.9e8, 1.2e8])


def exact(p: Array, s: Array, mu: float) -> Array:
    """mu ((s - p) / |s - p|^3 - s / |s|^3) in fifty digits."""
    with localcontext() as context:
        context.prec = 50
        far = [Decimal(float(x)) for x in s]
        way = [a - Decimal(float(x)) for a, x in zip(far, p, strict=True)]
        d, r = (sum((x * x for x in place), Decimal(0)).sqrt() for place in (way, far))
        return np.array([float(Decimal(mu) * (a / d**3 - b / r**3)) for a, b in zip(way, far, strict=True)])


@pytest.mark.parametrize(("s", "mu"), [(SUN, MU_SUN_M3_S2), (MOON, MU_MOON_M3_S2)])
@pytest.mark.parametrize("p", [[7e6, 0, 0], [0, -3e6, 6.5e6], [-4.2e7, 1e3, 0], [1.0, 2.0, -3.0]])
def test_nothing_is_lost(p: list[float], s: Array, mu: float) -> None:
    """To 1e-15, some roundings; the plain difference keeps 12 digits of the Sun's pull at 7,000 km."""
    out, place = np.full(3, np.nan), np.array(p)
    third_body(place, s, mu, out)
    truth = exact(place, s, mu)
    assert np.linalg.norm(out - truth) < 2e-15 * np.linalg.norm(truth)


def test_the_tide_by_hand() -> None:
    """Under the Moon at 3.844e8 m and 7,000 km from the Earth's centre: 2 mu p / s^3 = 1.2084e-6 m/s^2 outwards at first order,
    3 p / (2 s) = 2.7 % more at second; on the sides half of it inwards."""
    out, moon = np.full(3, np.nan), np.array([3.844e8, 0, 0])
    third_body(np.array([7e6, 0, 0]), moon, MU_MOON_M3_S2, out)
    assert out[0] == pytest.approx(1.2084e-6 * 1.0273, rel=1e-3)
    third_body(np.array([0, 7e6, 0]), moon, MU_MOON_M3_S2, out)
    assert out[1] == pytest.approx(-0.6042e-6, rel=1e-3)
