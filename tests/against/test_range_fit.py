"""Poses from distances against others' code: Embree's rays at a mesh that the model was not made from, and small_gicp's ICP."""

from __future__ import annotations

import numpy as np
import small_gicp
from benchmarks.vision_catalogue import FILTERED, pose_error, predicted
from benchmarks.vision_depth import BOUNDS, sensors
from divided_mesh import finely_divided
from embreex.mesh_construction import TriangleMesh
from embreex.rtcore_scene import EmbreeScene
from numpy.typing import NDArray

from proxops.core.images import PointScan
from proxops.core.imaging_table import LidarSensor
from proxops.maths.pose import pose_from_packed
from proxops.maths.rotation import quat_from_matrix
from proxops.onboard.vision.depth_estimator import depth_estimator
from proxops.onboard.vision.sight import Sight
from proxops.optics.scene.orbit_surroundings import CLIENT, shipped_craft

Floats = NDArray[np.float64]
SPEC = sensors()["LiDAR"]
assert isinstance(SPEC, LidarSensor)
RANGE_M, IMAGES = 5.0, 6
MESH = finely_divided(shipped_craft(CLIENT))
DENSE = 3  # times as many rays each way, without noise, for small_gicp's model


def places(T: Floats, finer: int = 1) -> Floats:
    """(n, 3) m, where Embree's rays meet the client that stands at T (7)."""
    scene, matrix = EmbreeScene(), pose_from_packed(T)
    stands = MESH.vertices @ matrix[:3, :3].T + matrix[:3, 3]
    TriangleMesh(scene, np.ascontiguousarray(stands[MESH.triangles], np.float32))
    n = finer * SPEC.points
    right, down = np.radians(SPEC.field_of_view_deg[0]) * ((np.mgrid[:n, :n].reshape(2, -1) + 0.5) / n - 0.5)
    ways = np.stack([np.sin(right) * np.cos(down), np.sin(down), np.cos(right) * np.cos(down)], axis=1)
    found = scene.run(np.zeros_like(ways, np.float32), ways.astype(np.float32), output=1)
    met = found["primID"] != -1
    return np.asarray(ways[met] * found["tfar"][met, None], np.float64)


def scan(points: Floats) -> PointScan:
    n = len(points)
    return PointScan("scan", 0, 0.0, points.astype(np.float32), np.ones(n, np.float32), np.zeros(n, np.float32))


def theirs(points: Floats, T_expected: Floats) -> Floats:
    """(7) small_gicp's pose, from a cloud of the client as it would look where it is expected."""
    found = small_gicp.align(
        places(T_expected, DENSE), points, registration_type="PLANE_ICP", downsampling_resolution=0.01,
        max_correspondence_distance=0.15, max_iterations=50,
    )  # fmt: skip
    T = np.linalg.inv(found.T_target_source) @ pose_from_packed(T_expected)
    return np.concatenate([T[:3, 3], quat_from_matrix(np.ascontiguousarray(T[:3, :3]))])


def test_scans_of_embree_and_the_fit_of_small_gicp() -> None:
    """As exact as on our own scans; and no worse than small_gicp, with which it agrees as far as that is right."""
    rng, estimator = np.random.default_rng(11), depth_estimator(SPEC, shipped_craft(CLIENT))
    ours, other = [], []
    for _ in range(IMAGES):
        q = rng.standard_normal(4)
        T = np.array([0.02 * RANGE_M, -0.03 * RANGE_M, RANGE_M, *(q / np.linalg.norm(q))])
        met = places(T)
        far = np.linalg.norm(met, axis=1, keepdims=True)
        points = met * (1.0 + SPEC.noise_m * rng.standard_normal(far.shape) / far)
        prediction = predicted(T, FILTERED, rng)
        found = estimator.estimate(Sight(scan(points), prediction))
        assert found.trusted and found.T_sensor_target is not None
        ours.append(pose_error(found.T_sensor_target, T))
        other.append(pose_error(theirs(points, prediction.T_sensor_target), T))
    mine, they = (np.linalg.norm(np.reshape(rows, (-1, 2, 3)), axis=2) for rows in (ours, other))
    place_mm, turn_deg = BOUNDS["LiDAR"][:2]
    assert place_mm is not None and turn_deg is not None
    assert 1e3 * np.median(mine[:, 0]) <= place_mm and np.degrees(np.median(mine[:, 1])) <= turn_deg
    assert np.median(they[:, 0]) < 0.03 and np.median(they[:, 1]) < np.radians(2.0)  # it works at all
    assert np.median(mine[:, 0]) <= np.median(they[:, 0]) and np.median(mine[:, 1]) <= np.median(they[:, 1])
