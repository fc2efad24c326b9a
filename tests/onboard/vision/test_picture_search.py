"""The first pose from a picture: found at any attitude, told from its like after half a turn, and none where there is none."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from benchmarks.vision_catalogue import CAMERA, CatalogueSample, VisionCatalogue, believed_client, pose_error

from proxops.core.images import CameraImage
from proxops.core.vision import Floats, PosePrediction
from proxops.core.vocabulary import Doubt
from proxops.maths.quaternion import put_unit, quat_product
from proxops.maths.rotation import matrix_from_quat, quat_from_rotation_vector
from proxops.onboard.vision.camera_estimator import CameraEstimator
from proxops.onboard.vision.fitted import Fitted
from proxops.onboard.vision.picture_search import candidates
from proxops.onboard.vision.picture_search.bright_region import bright_region, without_earth
from proxops.onboard.vision.picture_search.contradiction import Contradiction, contradiction
from proxops.onboard.vision.picture_search.known_shape import known_shape
from proxops.onboard.vision.picture_search.line_of_sight import LinesOfSight, R_sensor_line
from proxops.onboard.vision.picture_search.narrowing import Narrowing, narrowing
from proxops.onboard.vision.picture_search.search import PictureSearch
from proxops.onboard.vision.picture_search.survivors import Survivor, believed, may_be_shadowed
from proxops.onboard.vision.sight import EarthInView, Sight
from proxops.optics.scene.light import DistantLight
from proxops.optics.scene.material import Material
from proxops.optics.scene.mesh import Mesh, flat
from proxops.optics.scene.orbit_surroundings import CLIENT, SERVICER, shipped_craft

RANGE_M = 12.0
HALF_TURNS = np.pi * np.eye(3)


@cache
def client() -> Mesh:
    return shipped_craft(CLIENT)


@cache
def estimator() -> CameraEstimator:
    known = believed_client(client(), np.random.default_rng(5))
    return CameraEstimator(CAMERA.lens, known, CAMERA.blur_px)


@cache
def sample(seed: int = 3) -> CatalogueSample:
    return VisionCatalogue().sample("usual", RANGE_M, seed, error=None)


def turned(T: Floats, rotation: Floats) -> Floats:
    """About the client's own axes."""
    q = np.empty(4)
    put_unit(quat_product(np.ascontiguousarray(T[3:]), quat_from_rotation_vector(rotation)), q)
    return np.concatenate([T[:3], q])


def levels(image: CameraImage) -> np.ndarray:
    return image.pixels * np.float32(255.0 / image.white)


def against(seen: CatalogueSample, T: Floats) -> Contradiction:
    assert isinstance(seen.sight.image, CameraImage)
    picture, everywhere = levels(seen.sight.image), np.ones((480, 640), np.bool_)
    region = bright_region(picture, everywhere, everywhere)
    assert region is not None
    drawn_by = estimator()._tracker.drawn_by
    return contradiction(picture, region, everywhere, T, seen.sight.lights, drawn_by, known_shape(client()).crinkled)


@pytest.mark.parametrize("level", [40.0, 250.0])
def test_stars_are_no_client(level: float) -> None:
    """Sixty, each smaller than a speck or hardly larger."""
    rng, everywhere = np.random.default_rng(1), np.ones((480, 640), np.bool_)
    picture = (2.0 + 0.5 * rng.standard_normal((480, 640))).astype(np.float32)
    picture[rng.integers(5, 475, 60), rng.integers(5, 635, 60)] += level
    assert bright_region(picture, everywhere, everywhere) is None


def test_the_client_is_found_with_no_prior() -> None:
    found = estimator().estimate(sample().sight)
    assert found.trusted and found.T_sensor_target is not None
    error = pose_error(found.T_sensor_target, sample().T_sensor_target)
    assert np.linalg.norm(error[:3]) < 0.01 * RANGE_M
    assert np.linalg.norm(error[3:]) < math.radians(1.5)


def test_a_client_that_is_another_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "VIEWPOINTS", 200)
    monkeypatch.setattr(candidates, "POLISHED", 30)
    servicer = VisionCatalogue(client=shipped_craft(SERVICER)).sample("usual", RANGE_M, 1, error=None)
    assert not estimator().estimate(servicer.sight).trusted


@pytest.mark.parametrize("half_turn", HALF_TURNS)
def test_pixels_contradict_a_client_after_half_a_turn(half_turn: Floats) -> None:
    true = against(sample(), sample().T_sensor_target)
    other = against(sample(), turned(sample().T_sensor_target, half_turn))
    assert true.share < 0.01
    assert other.share > true.share + 0.03


def test_a_client_with_a_true_symmetry_stays_in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "VIEWPOINTS", 120)
    monkeypatch.setattr(candidates, "POLISHED", 60)
    box = brick(0.9, 0.6, 0.4)
    seen = VisionCatalogue(client=box).sample("usual", 8.0, 2, error=None)
    found = CameraEstimator(CAMERA.lens, box, CAMERA.blur_px).estimate(seen.sight)
    assert found.doubt is Doubt.AMBIGUOUS


def brick(*size: float) -> Mesh:
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))]
    paint = Material("paint", 0.6, 0.02, 12.0, 0.6)
    return flat(corners, np.array(triangles, np.int32), paint)


def never(_: Floats) -> Fitted:
    raise AssertionError("nothing was to be refined")


def test_what_an_operator_designates_elsewhere_is_searched_in_vain() -> None:
    search = PictureSearch(CAMERA.lens, client(), estimator()._tracker.drawn_by)
    image = sample().sight.image
    assert isinstance(image, CameraImage)
    sight = replace(sample().sight, designated=(30.0, 450.0, 20.0))
    assert search.find(sight, levels(image), never) is None


def test_nothing_is_found_in_the_dark() -> None:
    dark = np.random.default_rng(1).poisson(2.0, (480, 640)).astype(np.uint8)
    image = CameraImage("eye", 0, 0.0, 0.02, 0.0, 255, dark)
    assert estimator().estimate(Sight(image, None, sample().sight.lights)).doubt is Doubt.NOT_FOUND
    unlit = replace(sample().sight, lights=())
    assert estimator().estimate(unlit).doubt is Doubt.NOT_FOUND


def test_stars_and_the_earth_are_no_client() -> None:
    lines = LinesOfSight(CAMERA.lens)
    picture = np.zeros((480, 640), np.float32)
    picture[:, :200] = 180.0  # the Earth
    picture[100, 600] = picture[400, 300] = 255.0  # stars
    picture[200:260, 400:440] = 90.0
    radius = math.radians(60.0)
    limb = math.atan((199.5 - CAMERA.lens.cx) / CAMERA.lens.fx) + math.radians(0.5)
    earth = EarthInView(np.array([math.sin(limb - radius), 0.0, math.cos(limb - radius)]), radius)
    everywhere = np.ones(picture.shape, np.bool_)
    region = bright_region(picture, without_earth(CAMERA.lens, lines.x, lines.y, earth), everywhere)
    assert region is not None
    np.testing.assert_allclose(region.box, (200, 400, 260, 440), atol=4)


def test_a_wide_prediction_narrows_the_search() -> None:
    T = sample().T_sensor_target
    wide = PosePrediction(T, np.diag([0.5, 0.5, 0.5, 0.15, 0.15, 0.15]) ** 2, np.zeros(6))
    where = narrowing(replace(sample().sight, prediction=wide), CAMERA.lens, np.zeros(3))
    attitudes = np.array(
        [matrix_from_quat(turned(T, r)[3:]) for r in np.array([[0.0, 0, 0], [0.5, 0, 0], [0, 2.0, 0]])]
    )
    np.testing.assert_array_equal(where.allowed(attitudes), [True, True, False])
    assert where.near < RANGE_M - 1.9 and RANGE_M + 1.9 < where.far < RANGE_M + 3.0
    u, v = CAMERA.lens.fx * T[:2] / T[2] + (CAMERA.lens.cx, CAMERA.lens.cy)
    assert where.holds(u, v) and not where.holds(u + 300.0, v)
    assert Narrowing().holds(0.0, 0.0) and Narrowing().allowed(attitudes).all()


def test_axes_of_the_line_of_sight_are_turned_least() -> None:
    line = np.array([0.1, -0.2, 0.9]) / np.linalg.norm([0.1, -0.2, 0.9])
    R = R_sensor_line(line)
    np.testing.assert_allclose(R @ [0.0, 0.0, 1.0], line, atol=1e-12)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-12)
    assert math.isclose(math.acos(0.5 * (np.trace(R) - 1.0)), math.acos(line[2]), abs_tol=1e-12)


def survivor(
    share: float, *, unseen: float = 0.0, support: float = 0.9, pixels: int = 4000, near_sun: bool = False
) -> Survivor:
    fitted = Fitted(np.array([0.0, 0.0, 10.0, 1.0, 0.0, 0.0, 0.0]), np.eye(6), Doubt.NONE, 0.9, support, 300)
    return Survivor(fitted, Contradiction(share, unseen, share - unseen, pixels), near_sun)


def test_what_is_contradicted_least_is_believed_if_nothing_comes_near_it() -> None:
    assert believed([]) is None
    for survivors, doubt in (
        ([survivor(0.08, support=0.95), survivor(0.001)], Doubt.NONE),
        ([survivor(0.001), survivor(0.006)], Doubt.AMBIGUOUS),
        ([survivor(0.001, pixels=200), survivor(0.05, pixels=200)], Doubt.AMBIGUOUS),  # ten pixels say little
        ([survivor(0.001, support=0.5)], Doubt.SUPPORT),
        ([survivor(0.05, unseen=0.05)], Doubt.SUPPORT),
        ([survivor(0.05, unseen=0.05, near_sun=True)], Doubt.NONE),
        ([survivor(0.05, unseen=0.0, near_sun=True)], Doubt.SUPPORT),
    ):
        found = believed(survivors)
        assert found is not None and found.doubt is doubt
        assert found.T_sensor_target is not None and (found.trust > 0.0) == (doubt is Doubt.NONE)


def test_the_chaser_may_shadow_the_client_with_the_sun_behind_it() -> None:
    T = np.array([0.0, 0.0, 10.0, 1.0, 0.0, 0.0, 0.0])
    for direction, shadowed in (((0.0, 0.1, -1.0), True), ((0.0, 1.0, -1.0), False), ((0.0, 0.0, 1.0), False)):
        assert may_be_shadowed(T, (DistantLight(direction, 950.0),)) is shadowed
