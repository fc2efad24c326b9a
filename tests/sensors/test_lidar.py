"""The scanning LiDAR against closed forms: mirror, motion, link budget, ghosts; and the same bits in another process."""

from __future__ import annotations

import hashlib
import math
import subprocess
import sys
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from ray_mockup import GREY, WHITE, cuboid, exposure, mockup, still

from proxops.core.errors import BadInput
from proxops.core.images import PointScan
from proxops.core.imaging_table import LidarSensor
from proxops.optics.scene.material import Material
from proxops.optics.scene.scene import Scene
from proxops.optics.scene.tree import tree_of
from proxops.sensors.lidar import FLYBACK, RECEIVER_NOISE, Lidar, directions_of

Array = NDArray[np.float64]
QUIET = {"noise_m": 0.0, "angle_noise_deg": 0.0, "ghost_share": 0.0, "dropout_share": 0.0}


def lidar(**given: Any) -> Lidar:
    return Lidar(LidarSensor(name="scanner", kind="lidar", **{**QUIET, **given}), 0, 7)


def wall(material: Material = WHITE) -> Scene:
    """Its front is at z = 0."""
    return Scene.of([("wall", cuboid([0, 0, 0.5], [1000, 1000, 0.5], material))])


def scan_of(sensor: Lidar, distance: float, material: Material = WHITE, number: int = 0) -> PointScan:
    scene = wall(material)
    return sensor.scan(scene, tree_of(scene), exposure(still([0, 0, distance])[None], still([0, 0, 0]), number=number))


def test_every_point_lies_on_the_wall_and_returns_its_share() -> None:
    scan = scan_of(lidar(), 5.0)
    assert scan.points_m.shape == (10_000, 3) and scan.number == 0 and scan.t == 10.0
    assert scan.points_m[:, 2] == pytest.approx(5.0, abs=1e-6)
    cosine = scan.points_m[:, 2] / np.linalg.norm(scan.points_m, axis=1)
    assert scan.intensity == pytest.approx(cosine**3 / 25.0, rel=1e-5)
    edge = math.radians(20.0 - 0.2)  # the middle of the outermost points
    assert np.abs(scan.points_m[:, 0]).max() == pytest.approx(5.0 * math.tan(edge), rel=1e-6)


def test_a_raster_flies_back_and_a_zigzag_does_not() -> None:
    raster, zigzag = lidar(lines=4, points=5, pattern="raster"), lidar(lines=4, points=5)
    assert raster.shares.reshape(4, 5)[:, 0] == pytest.approx([0.0, 0.25, 0.5, 0.75])
    assert np.diff(raster.shares.reshape(4, 5), axis=1) == pytest.approx(0.25 * (1.0 - FLYBACK) / 5.0)
    assert zigzag.shares == pytest.approx(np.arange(20) / 20.0)
    across, slant = (zigzag.angles.reshape(4, 5, 2)[:, :, k] for k in (0, 1))
    assert np.all(np.diff(across[::2], axis=1) > 0.0) and np.all(np.diff(across[1::2], axis=1) < 0.0)
    assert np.all(np.diff(slant.ravel()) > 0.0) and slant.mean() == pytest.approx(0.0)
    level = raster.angles.reshape(4, 5, 2)
    assert np.all(np.diff(level[:, :, 0], axis=1) > 0.0) and np.ptp(level[:, :, 1], axis=1).max() == 0.0


def test_motion_bends_the_wall_as_constant_velocity_says() -> None:
    """The wall comes nearer by 0.4 m within the scan, the sensor turns by 3 deg about y (to its right)."""
    sensor, scene, angle = lidar(pattern="raster"), wall(), math.radians(3.0)
    bodies = np.stack([still([0, 0, 5.0]), still([0, 0, 4.8]), still([0, 0, 4.6])])
    half = 0.5 * angle * np.array([0.0, 0.5, 1.0])
    turned = np.stack([0 * half, 0 * half, 0 * half, np.cos(half), 0 * half, np.sin(half), 0 * half], axis=1)
    scan = sensor.scan(scene, tree_of(scene), exposure(bodies, turned, duration_s=2.0))
    share = scan.t_offset_s.astype(float) / 2.0
    assert share == pytest.approx(sensor.shares, abs=1e-7)
    right, down = sensor.angles.T
    distance = (5.0 - 0.4 * share) / (np.cos(right + angle * share) * np.cos(down))
    assert np.linalg.norm(scan.points_m, axis=1) == pytest.approx(distance, rel=1e-6)
    assert scan.points_m == pytest.approx(distance[:, None] * directions_of(sensor.angles), abs=1e-5)


@pytest.mark.parametrize(
    ("distance", "material"), [(100.0, WHITE), (95.0, WHITE), (110.0, WHITE), (50.0, GREY), (52.0, GREY)]
)
def test_faint_returns_are_lost_by_the_link_budget(distance: float, material: Material) -> None:
    """Half of them where the return is the least; grey of a quarter is lost at half the range of white."""
    narrow = lidar(range_m=100.0, field_of_view_deg=(0.2, 0.2))
    signal = material.infrared * (100.0 / distance) ** 2
    expected = NormalDist(1.0, RECEIVER_NOISE).cdf(signal)
    share = len(scan_of(narrow, distance, material).points_m) / 10_000
    assert share == pytest.approx(expected, abs=5.0 * math.sqrt(max(expected * (1.0 - expected), 1e-6) / 10_000))


def test_grazing_returns_are_lost_first() -> None:
    """On one wide scan: the return is cos³ / d², so from some angle on there is none."""
    scan = scan_of(lidar(range_m=20.0, field_of_view_deg=(120.0, 1.0)), 10.0)
    cosine = scan.points_m[:, 2] / np.linalg.norm(scan.points_m, axis=1)
    least = (10.0 / 20.0) ** (2.0 / 3.0)
    assert 0.0 < (cosine < least).mean() < 0.06 and cosine.min() > 0.9 * least


def test_noise_dropouts_and_ghosts_are_counted() -> None:
    noisy = scan_of(lidar(noise_m=0.02, field_of_view_deg=(0.2, 0.2)), 5.0)
    assert np.std(noisy.points_m[:, 2]) == pytest.approx(0.02, rel=0.05)
    assert np.mean(noisy.points_m[:, 2]) == pytest.approx(5.0, abs=0.001)
    lost = scan_of(lidar(dropout_share=0.1), 5.0)
    assert len(lost.points_m) == pytest.approx(9_000, abs=150)
    ghosts = scan_of(lidar(ghost_share=0.05, range_m=100.0), 5.0)
    away = np.abs(ghosts.points_m[:, 2] - 5.0) > 0.01
    assert away.sum() == pytest.approx(500, abs=110)
    assert np.linalg.norm(ghosts.points_m[away], axis=1).mean() == pytest.approx(50.0, abs=6.0)
    both = scan_of(lidar(ghost_share=0.05, dropout_share=0.5, range_m=100.0), 5.0)  # by different numbers
    assert (np.abs(both.points_m[:, 2] - 5.0) < 0.01).sum() == pytest.approx(4_750, abs=150)
    nothing = lidar(ghost_share=0.05, range_m=100.0)
    scene = Scene.of([("behind", cuboid([0, 0, -9], [1, 1, 1]))])
    dark = nothing.scan(scene, tree_of(scene), exposure(still([0, 0, 0])[None], still([0, 0, 0])))
    assert len(dark.points_m) == pytest.approx(500, abs=110)


def test_angle_noise_shows_where_the_wall_slants() -> None:
    """The beam goes elsewhere than it is believed to: on a wall at 60 deg the range shakes by d tan 60 deg times the angle."""
    scene = wall()
    half = math.radians(30.0)
    pose = np.array([[[0.0, 0.0, 5.0, math.cos(half), 0.0, math.sin(half), 0.0]]])
    sensor = lidar(angle_noise_deg=0.1, field_of_view_deg=(0.1, 0.1))
    scan = sensor.scan(scene, tree_of(scene), exposure(pose, still([0, 0, 0])))
    exact = lidar(field_of_view_deg=(0.1, 0.1)).scan(scene, tree_of(scene), exposure(pose, still([0, 0, 0])))
    error = np.linalg.norm(scan.points_m, axis=1) - np.linalg.norm(exact.points_m, axis=1)
    assert np.std(error) == pytest.approx(5.0 * math.tan(math.radians(60.0)) * math.radians(0.1), rel=0.05)


def test_too_near_is_not_measured() -> None:
    assert len(scan_of(lidar(), 0.4).points_m) < 10_000
    assert len(scan_of(lidar(field_of_view_deg=(10, 10)), 0.4).points_m) == 0


def digest() -> str:
    """Of a noisy scan of the moving mock-up."""
    sensor, scene = (
        Lidar(LidarSensor(name="scanner", kind="lidar", ghost_share=0.01), 0, 7),
        Scene.of([("c", mockup())]),
    )
    bodies = np.stack([still([0, 0, 5.0]), still([0.1, 0, 4.9])])
    scan = sensor.scan(scene, tree_of(scene), exposure(bodies, still([0, 0, 0])))
    return hashlib.sha256(scan.points_m.tobytes() + scan.intensity.tobytes() + scan.t_offset_s.tobytes()).hexdigest()


def test_same_seed_same_bits_here_and_in_another_process() -> None:
    tests = Path(__file__).parent
    folders = [str(tests), str(tests.parent / "shared")]
    code = f"import sys; sys.path[:0] = {folders!r}; import test_lidar; print(test_lidar.digest())"
    path = ":".join(part for part in sys.path if part)
    other = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": path}
    )
    assert digest() == digest() == other.stdout.strip()
    assert not np.array_equal(
        scan_of(lidar(noise_m=0.1), 5.0).points_m, scan_of(lidar(noise_m=0.1), 5.0, number=1).points_m
    )


def test_bad_exposures_are_refused_by_name() -> None:
    scene, spec = wall(), LidarSensor(name="scanner", kind="lidar")
    here, nowhere = still([0, 0, 5]), np.full((1, 7), np.nan)
    for index, body, sensor, said in (
        (1, here, still([0, 0, 0]), "another sensor"),
        (0, nowhere, still([0, 0, 0]), "poses of bodies: not a pose"),
        (0, here, nowhere, "pose of scanner: not a pose"),
        (0, here, np.zeros((1, 7)), "pose of scanner: not a pose"),
    ):
        with pytest.raises(BadInput, match=said):
            Lidar(spec, index, 7).scan(scene, tree_of(scene), exposure(body[None], sensor))
