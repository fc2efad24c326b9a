"""Damped inverses: exact where they may be, bounded in singularities of one and of several directions."""

from __future__ import annotations

import numpy as np
import pytest

from proxops.maths.small_matrix import symmetric_eigen
from proxops.onboard.damped_inverse import PEAK, THRESHOLD, prepare, prepare_weighted, pull


def jacobian(sigmas: list[float], seed: int) -> np.ndarray:
    """(6, 7) with these singular values."""
    rng = np.random.default_rng(seed)
    left, right = np.linalg.qr(rng.normal(size=(6, 6)))[0], np.linalg.qr(rng.normal(size=(7, 7)))[0]
    return np.ascontiguousarray(left @ np.diag(sigmas) @ right[:6])


def inverse(J: np.ndarray) -> np.ndarray:
    """(7, 6) column by column."""
    L, out = np.zeros((6, 6)), np.zeros((7, 6))
    prepare(J, np.zeros(6), L)
    for k in range(6):
        column = np.zeros(7)
        pull(J, L, np.eye(6)[k].copy(), column)
        out[:, k] = column
    return out


def test_away_from_singularities_it_is_the_pseudo_inverse() -> None:
    J = jacobian([1.0, 0.8, 0.5, 0.3, 0.2, 1.01 * THRESHOLD], 1)
    assert np.allclose(inverse(J), np.linalg.pinv(J), atol=1e-12)


@pytest.mark.parametrize("weak", [[1e-4], [1e-3, 1e-5], [0.02, 1e-6, 0.0], [0.0] * 3])
@pytest.mark.parametrize("seed", range(5))
def test_every_weak_direction_is_damped_and_no_other(weak: list[float], seed: int) -> None:
    """σ/(σ² + λ²) is at most 1/(2λ), and at the threshold 1/σ: joint rates stay bounded however many directions are lost."""
    strong = [1.0, 0.9, 0.7, 0.5, 0.3][: 6 - len(weak)]
    J = jacobian([*strong, *weak], seed)
    found = np.linalg.svd(inverse(J), compute_uv=False)
    assert found.max() < max(1.0 / THRESHOLD, 1.0 / (2.0 * PEAK)) * 1.01
    expected = sorted(
        [*(1.0 / s for s in strong), *(s / (s * s + (PEAK * (1 - (s / THRESHOLD) ** 2)) ** 2) for s in weak)]
    )
    assert np.allclose(sorted(found), expected, atol=1e-6)


def test_the_weighted_one_is_bounded_too() -> None:
    J, rng = jacobian([1.0, 0.9, 0.7, 0.5, 1e-4, 1e-6], 3), np.random.default_rng(2)
    root = rng.normal(size=(7, 7))
    M, L, W = root @ root.T + np.eye(7), np.zeros((6, 6)), np.zeros((6, 7))
    prepare_weighted(J, M, np.zeros(6), L, W)
    inverse = W.T @ np.linalg.inv(L @ L.T)
    assert np.linalg.norm(inverse, 2) < 100.0  # undamped: above 1e5
    assert np.linalg.norm(W.T @ np.linalg.pinv(J @ np.linalg.inv(M) @ J.T, rcond=0.0), 2) > 1e4


def test_eigenvectors() -> None:
    root = np.random.default_rng(5).normal(size=(6, 6))
    A = root @ root.T
    values, vectors = symmetric_eigen(A)
    assert np.allclose(np.sort(values), np.linalg.eigvalsh(A), atol=1e-12)
    assert np.allclose(vectors @ np.diag(values) @ vectors.T, A, atol=1e-12)
