"""Blocks of a scan's points as one beam."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.onboard.vision.depth.beams import Beams
from proxops.onboard.vision.depth.blocks import condensed

APART, FAR_M, SIGMA_M = 0.002, 4.0, 0.02


def _scan(late: NDArray[np.bool_]) -> Beams:
    """A wall; ``late`` (80, 80): by 0.8 m."""
    v, u = np.mgrid[:80, :80]
    x = np.stack([APART * (u + 0.5), APART * (v + 0.5), np.ones(u.shape)], axis=-1).reshape(-1, 3)
    noise = SIGMA_M * np.random.default_rng(1).standard_normal(len(x))
    end = x * (FAR_M + noise + 0.8 * late.ravel())[:, None]
    n, cell = len(x), (x[:, :2] / APART).astype(np.float32)
    none = np.zeros(n)
    return Beams(np.zeros_like(end), end, np.full(n, SIGMA_M), none, none, end.astype(np.float32), none, cell, APART)


def _over_no_edge(blocks: Beams) -> NDArray[np.bool_]:
    return np.zeros(len(blocks), np.bool_)


def test_a_scans_points_become_fewer_and_none_is_lost() -> None:
    few = condensed(_scan(np.zeros((80, 80), np.bool_)), 1600, _over_no_edge)
    assert len(few) == 1600 and np.allclose(few.sigma, SIGMA_M / 2.0)
    assert np.std(few.end[:, 2]) < 0.6 * SIGMA_M and abs(np.mean(few.end[:, 2]) - FAR_M) < 2e-3


def test_what_differs_by_more_than_noise_is_not_averaged() -> None:
    late = np.zeros((80, 80), np.bool_)
    late[::4, ::4] = True
    few = condensed(_scan(late), 1600, _over_no_edge)
    near, far = np.abs(few.end[:, 2] - FAR_M) < 0.1, np.abs(few.end[:, 2] - FAR_M - 0.8) < 0.1
    assert (near | far).all() and near.sum() > 1000 and far.sum() > 10
