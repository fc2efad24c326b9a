"""What is declared of a model and a lens, in the covariance of a pose: against fits to points that are so wrong."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.core.lens import Lens
from proxops.maths.pose import pose_from_packed
from proxops.onboard.vision.expectation import difference
from proxops.onboard.vision.lens_kernel import lens_numbers, pixel_of
from proxops.onboard.vision.pose_covariance import TOGETHER, DeclaredError, pose_covariance
from proxops.onboard.vision.pose_fit import PoseFit, fit_pose

Floats = NDArray[np.float64]
RNG = np.random.default_rng(3)
LENS = lens_numbers(Lens(640, 480, 1000.0, 1000.0, 319.5, 239.5))
T = np.array([0.1, -0.2, 6.0, 1.0, 0.0, 0.0, 0.0])
PLACE = RNG.uniform(-1.0, 1.0, (200, 3))
ANGLE = RNG.uniform(0.0, 2.0 * np.pi, 200)
NORMAL = np.stack([np.cos(ANGLE), np.sin(ANGLE)], axis=1)
SIGMA = np.full(200, 0.1)
EXACT = DeclaredError(0.0, 0.0)


def seen(place: Floats, lens: Floats = LENS) -> Floats:
    """n·u of each point."""
    at = pose_from_packed(T)
    pixels = np.array([pixel_of(lens, *(at[:3, :3] @ p + at[:3, 3])) for p in place])
    return np.asarray(np.einsum("ij,ij->i", pixels, NORMAL))


def fitted(found: Floats) -> PoseFit:
    return fit_pose(T, PLACE, NORMAL, found, SIGMA, LENS, np.full(6, 1e-9))


def covariance(part: NDArray[np.int64], declared: DeclaredError, full: bool = False) -> Floats:
    white = np.full(200, full)
    return pose_covariance(fitted(seen(PLACE)), PLACE, NORMAL, SIGMA, part, 1.0, white, LENS, declared)


def test_noise_makes_the_errors_that_are_said() -> None:
    """Of points that err each for itself: two neighbours are said to err alike."""
    sigma, at, errors, said = np.full(200, 0.06), seen(PLACE), [], []
    for _ in range(200):
        fit = fit_pose(T, PLACE, NORMAL, at + 0.06 * RNG.standard_normal(200), sigma, LENS, np.full(6, 1e-9))
        errors.append(difference(fit.T_sensor_target, T))
        part, white = np.zeros(200, np.int64), np.zeros(200, bool)
        said.append(pose_covariance(fit, PLACE, NORMAL, sigma, part, 0.5 * TOGETHER, white, LENS, EXACT))
    ratio = np.diag(np.cov(np.array(errors).T)) / np.diag(np.mean(said, axis=0))
    assert (ratio[2:] > 0.25).all() and (ratio[2:] < 0.5).all()  # across, where parts stand counts for more


def test_a_model_of_one_part_that_stands_elsewhere_is_a_place_that_is_wrong() -> None:
    part = np.zeros(200, np.int64)
    more = covariance(part, DeclaredError(0.01, 0.0)) - covariance(part, EXACT)
    np.testing.assert_allclose(more, 1e-4 * np.diag([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]), atol=1e-10)


def test_parts_that_stand_elsewhere_make_the_errors_that_are_said() -> None:
    part = np.arange(200) // 40
    said = covariance(part, DeclaredError(0.003, 0.0)) - covariance(part, EXACT)
    errors = []
    for _ in range(300):
        moved = PLACE + (0.003 * RNG.standard_normal((5, 3)))[part]
        errors.append(difference(fitted(seen(moved)).T_sensor_target, T))
    ratio = np.sqrt(np.diag(np.cov(np.array(errors).T)) / np.diag(said))
    assert (ratio > 0.7).all() and (ratio < 1.4).all()


def test_a_wrong_focal_length_makes_the_error_that_is_said() -> None:
    part = np.zeros(200, np.int64)
    said = covariance(part, DeclaredError(0.0, 0.002)) - covariance(part, EXACT)
    longer = LENS * np.array([1.002, 1.002, *[1.0] * 7])
    error = difference(fitted(seen(PLACE, longer)).T_sensor_target, T)
    np.testing.assert_allclose(np.sqrt(np.diag(said)), np.abs(error), rtol=0.05, atol=5e-6)


def test_white_surroundings_of_edges_make_a_pose_worth_less() -> None:
    part = np.zeros(200, np.int64)
    assert np.trace(covariance(part, EXACT, full=True)) > np.trace(covariance(part, EXACT))
