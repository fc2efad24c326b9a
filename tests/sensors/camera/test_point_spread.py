"""The lens's blur: what a point becomes, and that light is neither lost nor made."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.sensors.camera.point_spread import spread_light, weights

Picture = NDArray[np.float32]


def blurred(picture: Picture, sigma: float) -> Picture:
    out = np.empty_like(picture)
    spread_light(picture, weights(sigma), out)
    return out


def point(height: int, width: int, v: int, u: int) -> Picture:
    picture = np.zeros((height, width), np.float32)
    picture[v, u] = 1.0
    return picture


@pytest.mark.parametrize("sigma", [0.2, 0.5, 1.0, 3.0, 20.0])
def test_a_point_has_the_asked_width_in_both_directions(sigma: float) -> None:
    size = int(16 * sigma) + 31
    seen = blurred(point(size, size + 2, size // 2, size // 2), sigma).astype(np.float64)
    v, u = np.mgrid[: seen.shape[0], : seen.shape[1]] - size // 2
    assert seen.sum() == pytest.approx(1.0, abs=1e-5)
    assert (seen * u).sum() == pytest.approx(0.0, abs=1e-6) and (seen * v).sum() == pytest.approx(0.0, abs=1e-6)
    assert (seen * u * u).sum() == pytest.approx(sigma**2, rel=1e-3)
    assert (seen * v * v).sum() == pytest.approx(sigma**2, rel=1e-3)


def test_it_is_a_gaussian_where_pixels_are_fine_enough_to_tell() -> None:
    half = weights(4.0).astype(np.float64)
    bell = np.exp(-0.5 * (np.arange(12) / 4.0) ** 2) / (4.0 * np.sqrt(2.0 * np.pi))
    assert half[:12] == pytest.approx(bell, abs=1e-3)


@pytest.mark.parametrize("sigma", [0.5, 6.0, 20.0])
def test_light_is_kept_also_at_the_edges_and_in_small_pictures(sigma: float) -> None:
    rng = np.random.default_rng(1)
    picture = rng.random((16, 21)).astype(np.float32)
    assert blurred(picture, sigma).sum() == pytest.approx(picture.sum(), rel=1e-5)
    assert blurred(point(16, 21, 0, 20), sigma).sum() == pytest.approx(1.0, abs=1e-5)


def test_an_even_wall_stays_even() -> None:
    assert blurred(np.full((20, 30), 7.0, np.float32), 2.0) == pytest.approx(7.0, rel=1e-6)


def test_rows_and_columns_are_treated_alike() -> None:
    picture = np.random.default_rng(2).random((17, 33)).astype(np.float32)
    assert blurred(picture, 1.3) == pytest.approx(blurred(np.ascontiguousarray(picture.T), 1.3).T, abs=1e-6)


def test_no_blur_is_one_weight() -> None:
    assert weights(0.0).tolist() == [1.0]
    picture = np.random.default_rng(3).random((16, 16)).astype(np.float32)
    assert np.array_equal(blurred(picture, 0.0), picture)
