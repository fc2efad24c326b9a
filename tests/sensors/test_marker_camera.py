"""The rendered eye: its pixels obey the pinhole, its noise is as specified, and a finder gets the pose back from its images."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from drawn_marker import drawn, facing, packed, pose_errors, projected
from numpy.typing import NDArray

from proxops.core.camera import CameraSpec, MarkerSpec
from proxops.core.errors import BadInput
from proxops.core.offscreen import PictureUnavailable
from proxops.maths.pose import compose, pack_pose, pose, pose_from_packed
from proxops.maths.rotation import matrix_from_rotation_vector
from proxops.onboard.marker_finder import MarkerFinder
from proxops.sensors.marker_camera import MarkerCamera
from proxops.sensors.marker_scene import P_MARKER_RAIL, marker_picture

Floats = NDArray[np.float64]
HERE = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
UPRIGHT = np.diag([1.0, -1.0, -1.0])  # R_camera_marker of a marker straight before the camera
CLEAN, MARKER = CameraSpec(noise=0.0), MarkerSpec()


def opened(camera: CameraSpec, marker: MarkerSpec = MARKER, **changes: tuple[float, float, float]) -> MarkerCamera:
    try:
        return MarkerCamera(camera, marker, **changes)
    except PictureUnavailable as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def clean() -> Iterator[MarkerCamera]:
    with opened(CLEAN) as camera:
        yield camera


@pytest.fixture(scope="module")
def usual() -> Iterator[MarkerCamera]:
    with opened(CameraSpec()) as camera:
        yield camera


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def straight(range_m: float) -> Floats:
    return packed(UPRIGHT, np.array([0.0, 0.0, range_m]))


def finder(camera: MarkerCamera) -> MarkerFinder:
    return MarkerFinder(camera.camera.intrinsics, camera.marker.side_m)


# --- geometry


@pytest.mark.parametrize("range_m", [0.5, 1.0, 1.5])
def test_corners_lie_where_the_pinhole_puts_them(clean: MarkerCamera, range_m: float) -> None:
    """No half pixel, no half texel: neither a shift nor a growth of the square."""
    dice, shift, growth = rng(), [], []
    for k in range(24):
        T = facing(range_m, 10.0 * (k % 6), dice)
        true = projected(CLEAN, MARKER, T)
        seen = finder(clean).find(clean.image(HERE, T, dice))
        assert seen is not None
        ray = true - true.mean(axis=0)
        shift.append(seen.corners - true)
        growth.append(((seen.corners - true) * ray).sum(axis=1) / np.linalg.norm(ray, axis=1))
    assert np.abs(np.mean(shift, axis=(0, 1))).max() < 0.01
    assert abs(np.mean(growth)) < 0.01
    assert np.sqrt(np.square(shift).sum(axis=2).mean()) < 0.03


def test_pixels_agree_with_plain_ray_casting(clean: MarkerCamera) -> None:
    """The same pinhole without any corner finder: the shift that best turns one image into the other, by gradients."""
    dice = rng(2)
    for tilt_deg in (0.0, 25.0, 45.0):
        T = facing(0.8, tilt_deg, dice, beside=0.02)
        cast, image = drawn(CLEAN, MARKER, T), clean.image(HERE, T, dice).astype(np.float64)
        corners = projected(CLEAN, MARKER, T)
        middle, inside = (
            corners.mean(axis=0).astype(int),
            int(0.35 * np.linalg.norm(corners - corners.mean(axis=0)) / 2),
        )
        part = np.s_[middle[1] - inside : middle[1] + inside, middle[0] - inside : middle[0] + inside]
        cast = np.polyval(np.polyfit(cast[part].ravel(), image[part].ravel(), 1), cast)  # to the same grey levels
        down, right = np.gradient(cast)
        A = np.stack([right[part].ravel(), down[part].ravel()], axis=1)
        moved = -np.linalg.lstsq(A, (image - cast)[part].ravel(), rcond=None)[0]
        assert np.abs(moved).max() < 0.05, tilt_deg
        assert np.corrcoef(image[part].ravel(), cast[part].ravel())[0, 1] > 0.98


def test_only_the_relative_pose_counts_even_in_orbit(clean: MarkerCamera) -> None:
    T = pose_from_packed(facing(1.0, 20.0, rng(3)))
    far = np.array([6.9e6, -1.2e5, 3.4e4])
    T_world_camera = pose(matrix_from_rotation_vector(np.array([0.4, -1.1, 2.0])), far)
    at, marker = np.empty(7), np.empty(7)
    pack_pose(T_world_camera, at)
    pack_pose(compose(T_world_camera, T), marker)
    there = clean.image(at, marker, rng()).astype(int)
    here = clean.image(HERE, packed(T[:3, :3].copy(), T[:3, 3].copy()), rng()).astype(int)
    # Doubles tell nanometres at 7,000 km: a shadow's texel may fall to the other side, the rest stays.
    assert (there != here).mean() < 1e-3


def test_the_handrail_lies_where_the_scene_says(clean: MarkerCamera) -> None:
    image = clean.image(HERE, straight(1.2), rng())
    x, y, z = P_MARKER_RAIL
    K = CLEAN.intrinsics
    u, v = K[0, 2] + K[0, 0] * x / (1.2 - z), K[1, 2] - K[1, 1] * y / (1.2 - z)
    column = image[:, round(u)].astype(int)
    bright = np.flatnonzero(column[round(v) - 30 : round(v) + 30] > 1.2 * column[round(v) - 40]) + round(v) - 30
    assert bright.mean() == pytest.approx(v, abs=3.0)  # lit from above: its lower rim is in the shade
    assert 0.016 * K[1, 1] / 1.2 < len(bright) < 0.040 * K[1, 1] / 1.2


# --- light


def test_space_is_black(clean: MarkerCamera) -> None:
    away = packed(np.eye(3), np.array([0.0, 0.0, -1.0]))
    assert clean.image(HERE, away, rng()).max() == 0


def test_brightness_leaves_room_for_noise(clean: MarkerCamera) -> None:
    """Clipped noise would shift edges: ink and paper stay away from 0 and 255 by several standard deviations."""
    image = clean.image(HERE, straight(0.6), rng())
    ink, paper = marker_area(image).min(), marker_area(image).max()
    assert ink > 8
    assert 120 < paper < 240


def marker_area(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    half = int(0.5 * MARKER.side_m * CLEAN.intrinsics[0, 0] / 0.6) - 3
    return image[240 - half : 240 + half, 320 - half : 320 + half]


def test_with_the_sun_behind_the_wall_the_marker_is_in_the_shade(clean: MarkerCamera) -> None:
    with opened(CLEAN, sun_in_marker=(0.2, 0.3, -1.0)) as camera:
        shaded = camera.image(HERE, straight(0.6), rng())
    lit = clean.image(HERE, straight(0.6), rng())
    assert marker_area(shaded).max() < 0.3 * marker_area(lit).max()


# --- noise


def test_the_same_seed_gives_the_same_image(usual: MarkerCamera) -> None:
    T = straight(1.0)
    first = usual.image(HERE, T, rng(5))
    assert first.dtype == np.uint8
    assert first.shape == (480, 640)
    assert np.array_equal(first, usual.image(HERE, T, rng(5)))
    assert not np.array_equal(first, usual.image(HERE, T, rng(6)))


def test_noise_is_as_specified(clean: MarkerCamera, usual: MarkerCamera) -> None:
    off = usual.image(HERE, straight(1.0), rng()).astype(float) - clean.image(HERE, straight(1.0), rng())
    wall = off[20:140, 20:620]  # bright enough that nothing is clipped
    sigma = math.hypot(2.0, math.sqrt(1.0 / 12.0))  # whole grey levels add a twelfth to the variance
    assert wall.std() == pytest.approx(sigma, rel=0.02)  # 72,000 pixels know it to 0.3 %
    assert abs(wall.mean()) < 0.05


# --- the pose comes back


@pytest.mark.parametrize(
    ("range_m", "across_mm", "along_mm", "attitude_deg"),
    # About twice the worst of 150 images: 0.02, 0.09, 0.06; 0.07, 0.40, 0.30; 0.08, 1.2, 0.57, the last of untilted markers.
    [(0.5, 0.05, 0.2, 0.15), (1.0, 0.15, 0.8, 0.6), (1.5, 0.2, 2.4, 1.2)],
)
def test_the_finder_gets_the_pose_back(
    usual: MarkerCamera, range_m: float, across_mm: float, along_mm: float, attitude_deg: float
) -> None:
    errors = []
    for seed in (1, 2, 3, 4):
        dice, one = rng(seed), finder(usual)
        for tilt_deg in (0.0, 10.0, 20.0, 30.0, 40.0, 50.0):
            T = facing(range_m, tilt_deg, dice)
            seen = one.find(usual.image(HERE, T, dice))
            assert seen is not None, (seed, tilt_deg)
            errors.append(pose_errors(seen.T_camera_marker, T))
    worst = np.max(errors, axis=0)
    assert worst[0] < across_mm
    assert worst[1] < along_mm
    assert worst[2] < attitude_deg
    assert np.median(errors, axis=0)[2] < 0.1


def test_a_marker_outside_the_view_is_not_seen(usual: MarkerCamera) -> None:
    assert finder(usual).find(usual.image(HERE, packed(UPRIGHT, np.array([1.1, 0.0, 1.0])), rng())) is None
    # Its back is seen.
    assert finder(usual).find(usual.image(HERE, packed(np.eye(3), np.array([0.0, 0.0, 1.0])), rng())) is None


def test_a_plate_that_touches_the_rim_is_still_found(usual: MarkerCamera) -> None:
    """The marker is whole in the image, its quiet zone is not. OpenCV as it comes throws such markers away."""
    K = usual.camera.intrinsics
    above = (K[1, 2] - 12.0) / K[1, 1] * 0.6 - 0.5 * MARKER.side_m  # upper side 12 pixels below the rim; a cell has 29
    T = packed(UPRIGHT, np.array([0.0, -above, 0.6]))
    seen = finder(usual).find(usual.image(HERE, T, rng()))
    assert seen is not None
    assert pose_errors(seen.T_camera_marker, T)[0] < 0.2


# --- refusals


@pytest.mark.parametrize("bad", [np.zeros(7), np.full(7, np.nan), np.zeros(6), np.eye(4)])
def test_what_is_no_pose_is_bad_input(clean: MarkerCamera, bad: Floats) -> None:
    with pytest.raises(BadInput, match="not a pose"):
        clean.image(bad, straight(1.0), rng())


@pytest.mark.parametrize(
    "changes",
    [
        {"width": 0},
        {"vertical_fov_deg": 180.0},
        {"noise": -1.0},
        {"noise": math.nan},
        {"rate_hz": 0.0},
        {"delay_s": -1.0},
    ],
)
def test_an_impossible_camera_is_bad_input(changes: dict[str, float]) -> None:
    with pytest.raises(BadInput, match="out of bounds"):
        CameraSpec(**changes)  # type: ignore[arg-type]


def test_the_plate_has_its_quiet_zone_and_the_code_within() -> None:
    plate = marker_picture(MARKER, 3)
    assert plate.shape == (24, 24)
    assert len(np.unique(np.concatenate([plate[:3].ravel(), plate[:, :3].ravel()]))) == 1  # paper all round
    assert (plate[3:6, 3:-3] < 30).all()  # then ink


def test_missing_gl_says_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    mujoco = pytest.importorskip("mujoco")

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no EGL display")

    monkeypatch.setattr(mujoco, "Renderer", broken)
    with pytest.raises(PictureUnavailable, match="apt-get install libegl1 libgl1-mesa-dri"):
        MarkerCamera()
