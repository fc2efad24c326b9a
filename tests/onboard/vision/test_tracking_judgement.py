"""Each doubt about a tracked pose, by an image that deserves it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from benchmarks.vision_catalogue import CAMERA, CatalogueSample, VisionCatalogue, mirrored_client
from benchmarks.vision_tracking import estimator_with, others, tried

from proxops.core.images import CameraImage
from proxops.core.vision import PoseFound
from proxops.core.vocabulary import Doubt
from proxops.onboard.vision.camera_estimator import CameraEstimator
from proxops.onboard.vision.pose_covariance import DeclaredError


@cache
def catalogue() -> VisionCatalogue:
    return VisionCatalogue()


@cache
def sample(light: str = "usual", range_m: float = 10.0, seed: int = 2) -> CatalogueSample:
    return catalogue().sample(light, range_m, seed)


def answer(one: CatalogueSample, factor: float = 1.0, **changed: object) -> PoseFound:
    """With the image's levels times ``factor``, cut off at white, and with other things of the sight changed."""
    image = one.image
    assert isinstance(image, CameraImage)
    levels = np.clip(factor * image.pixels.astype(float), 0.0, image.white).astype(np.uint8)
    sight = replace(one.sight, image=replace(image, pixels=levels), **changed)  # type: ignore[arg-type]
    return estimator_with(catalogue().client, 2).estimate(sight)


def moved(one: CatalogueSample, by: tuple[float, float, float], sigma: float) -> dict[str, object]:
    """A prediction that is off by that, m, and says ``sigma``."""
    assert one.sight.prediction is not None
    T = one.T_sensor_target.copy()
    T[:3] += by
    covariance = np.diag([sigma**2] * 3 + [1e-4] * 3)
    return {"prediction": replace(one.sight.prediction, T_sensor_target=T, covariance=covariance)}


def test_a_good_one_is_trusted() -> None:
    found = answer(sample())
    assert found.doubt is Doubt.NONE and found.trust > 0.7 and found.marks is not None
    assert len(found.marks.points) == len(found.marks.group) and len(found.marks.lines) > 50


@pytest.mark.parametrize("light", ["eclipse", "usual"])
def test_dark(light: str) -> None:
    """No light on the client; or too little for this exposure."""
    assert answer(sample(light), 1.0 if light == "eclipse" else 0.02).doubt is Doubt.DARK


def test_over_exposed() -> None:
    assert answer(sample(), 60.0).doubt is Doubt.OVER_EXPOSED


def test_edges_beside_white_pixels_are_worth_less() -> None:
    """Far off, an over-exposed client seems to be nearer."""
    one = sample("usual", 20.0)
    plain, bright = answer(one), answer(one, 8.0)
    assert plain.covariance is not None and bright.covariance is not None
    assert bright.covariance[2, 2] > 4.0 * plain.covariance[2, 2]


def test_out_of_view() -> None:
    one = sample()
    assert answer(one, 1.0, **moved(one, (10.0, 0.0, 0.0), 0.05)).doubt is Doubt.OUT_OF_VIEW


def test_too_few() -> None:
    assert answer(catalogue().sample("usual", 150.0, 1)).doubt in (Doubt.TOO_FEW, Doubt.OUT_OF_VIEW)


def test_far_off() -> None:
    """The tracker gets there, and it is not where the filter is sure that the client is."""
    one = sample()
    assert answer(one, 1.0, **moved(one, (0.06, 0.0, 0.0), 0.06)).doubt is Doubt.NONE
    assert answer(one, 1.0, **moved(one, (0.06, -0.06, 0.4), 0.01)).doubt is Doubt.FAR_OFF


def test_uncertain() -> None:
    """Of a model that is said to be off by 10 cm nothing can be known well."""
    estimator = CameraEstimator(CAMERA.lens, catalogue().client, CAMERA.blur_px, DeclaredError(part_m=0.1))
    assert estimator.estimate(sample().sight).doubt is Doubt.UNCERTAIN


@pytest.mark.parametrize("name", ["servicer", "twice as large"])
def test_another_client_is_none(name: str) -> None:
    seen = VisionCatalogue(client=others()[name])
    cell = [one for range_m in (20.0, 5.0) for one in tried(seen, "usual", range_m, 3, known=catalogue().client)]
    assert not any(one.accepted for one in cell)
    assert {one.found.doubt for one in cell} <= {Doubt.SUPPORT, Doubt.TOO_FEW, Doubt.DARK}


def test_a_mirrored_client_fits_worse() -> None:
    """Most of it looks alike from either side, so its pose may be right; less of it fits."""
    client = catalogue().client
    seen = VisionCatalogue(client=mirrored_client(client))
    right, mirrored = (
        np.mean([one.found.trust for one in tried(shown, "usual", 10.0, 4, known=client)])
        for shown in (catalogue(), seen)
    )
    assert mirrored < right - 0.05


@pytest.mark.parametrize("light", ["over_exposed", "earth_behind", "back"])
def test_no_wrong_one_is_accepted_in_bad_light(light: str) -> None:
    assert not any(one.wrong for range_m in (20.0, 5.0) for one in tried(catalogue(), light, range_m, 3))


def test_a_picture_of_noise_has_no_pose_and_raises_nothing() -> None:
    rng, one = np.random.default_rng(4), sample()
    assert isinstance(one.image, CameraImage)
    for _ in range(3):
        pixels = rng.integers(0, 255, one.image.pixels.shape).astype(np.uint8)
        assert (
            not estimator_with(catalogue().client, 1)
            .estimate(replace(one.sight, image=replace(one.image, pixels=pixels)))
            .trusted
        )


def test_a_picture_of_another_size_is_broken() -> None:
    one = sample()
    assert isinstance(one.image, CameraImage)
    image = replace(one.image, pixels=one.image.pixels[:100])
    assert estimator_with(catalogue().client, 1).estimate(replace(one.sight, image=image)).doubt is Doubt.BROKEN
