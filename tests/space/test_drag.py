"""Drag worked by hand."""

import numpy as np
import pytest

from proxops.space.drag import drag


def test_drag_by_hand() -> None:
    """7,000 km, eastwards over the equator at 7,500 m/s: the air there moves at 7.2921159e-5 * 7e6 = 510.448 m/s, the craft
    through it at 6989.552 m/s; 1/2 * 2e-12 * 0.01 * 6989.552^2 = 4.885384e-7 m/s^2. Tolerance: these digits."""
    out = np.full(3, np.nan)
    drag(np.array([7e6, 0, 0]), np.array([0, 7500.0, 0]), 2e-12, 0.01, out)
    np.testing.assert_allclose(out, [0, -4.885384e-7, 0], rtol=3e-7)


def test_going_over_the_pole_the_air_blows_from_the_side() -> None:
    """Northwards over the equator: u = (0, -510.448, 7500), |u| = 7517.350; k = -1e-14 * 7517.350."""
    out = np.full(3, np.nan)
    drag(np.array([7e6, 0, 0]), np.array([0, 0, 7500.0]), 2e-12, 0.01, out)
    np.testing.assert_allclose(out, [0, 3.837217e-8, -5.638013e-7], rtol=3e-7)


def test_air_that_moves_along_does_nothing() -> None:
    out = np.full(3, np.nan)
    w = 7.2921159e-5
    drag(np.array([3e6, -4e6, 5e6]), np.array([4e6 * w, 3e6 * w, 0.0]), 1e-9, 1.0, out)
    assert np.abs(out).max() < 1e-12
    drag(np.array([7e6, 0, 0]), np.array([0, 7500.0, 0]), 0.0, 0.01, out)
    assert out == pytest.approx(0.0, abs=0.0)
