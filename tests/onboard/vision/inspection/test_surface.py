"""Surfaces of known shapes: planes through noisy points, the sides of a thin panel, triangles, their errors, the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.onboard.vision.inspection.known_shapes import on_sphere, posed

from proxops.applications.mission.inspection.shape_difference import FARTHEST_M, distances, shape_difference
from proxops.core.errors import BadInput
from proxops.core.vision import Floats
from proxops.onboard.vision.depth.client_model import client_model
from proxops.onboard.vision.inspection.implicit_surface import triangles_of
from proxops.onboard.vision.inspection.model_file import write_obj
from proxops.onboard.vision.inspection.surfels import Surfels, surfels
from proxops.optics.scene.mesh import Mesh, flat
from proxops.optics.scene.orbit_surroundings import CLIENT, craft_mesh, shipped_craft
from proxops.optics.scene.palette import GREY_PAINT

NOISE_M, RADIUS_M, VOXEL_M = 0.02, 0.3, 0.02
THICK_M = 0.02


def ball(voxel_m: float = VOXEL_M, most: int = 100_000) -> Mesh:
    places, normals = on_sphere(8000, RADIUS_M, np.random.default_rng(1))
    return flat(*triangles_of(Surfels(places, normals, np.ones(len(places))), voxel_m, most), GREY_PAINT)


def volume(mesh: Mesh) -> float:
    """m³, positive if triangles have their outside outside (Gauss)."""
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def panel(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Points of both sides of a panel in the plane z = 0, and the lines of sight; noise lies along these."""
    sides = np.repeat([1.0, -1.0], 6000)
    sights = np.array([0.3, 0.1, -1.0]) * np.stack([np.ones(12_000), np.ones(12_000), sides], axis=1)
    sights /= np.linalg.norm(sights, axis=1, keepdims=True)
    points = np.column_stack([rng.uniform(-0.25, 0.25, (12_000, 2)), 0.5 * THICK_M * sides])
    return points + NOISE_M * rng.standard_normal((12_000, 1)) * sights, sights


def test_both_sides_of_a_panel_thinner_than_noise_stay_two() -> None:
    points, sights = panel(np.random.default_rng(2))
    found = surfels(points, sights, NOISE_M, 0.06, 0.02)
    middle = np.abs(found.places[:, :2]).max(axis=1) < 0.18
    up = found.normals[:, 2] > 0.0
    assert middle.sum() > 300
    for side, z in ((up, 0.5 * THICK_M), (~up, -0.5 * THICK_M)):
        height = found.places[middle & side, 2]
        assert abs(float(np.median(height)) - z) < 0.001
        assert float(np.std(height)) < 0.2 * NOISE_M


def test_a_slanted_plane_has_its_normal() -> None:
    rng = np.random.default_rng(3)
    slope = np.array([0.4, -0.3])
    across = rng.uniform(-0.3, 0.3, (8000, 2))
    points = np.column_stack([across, across @ slope + NOISE_M * rng.standard_normal(8000)])
    found = surfels(points, np.tile([0.0, 0.0, -1.0], (8000, 1)), NOISE_M, 0.1, 0.05)
    inside = np.abs(found.places[:, :2]).max(axis=1) < 0.15
    normal = np.array([-slope[0], -slope[1], 1.0]) / np.sqrt(1.0 + slope @ slope)
    assert np.allclose(found.normals[inside].mean(axis=0), normal, atol=0.02)
    assert float(np.std(found.places[inside, 2] - found.places[inside, :2] @ slope)) < 0.2 * NOISE_M


def test_a_ball_is_a_ball_and_its_outside_is_outside() -> None:
    mesh = ball()
    assert volume(mesh) == pytest.approx(4.0 / 3.0 * np.pi * RADIUS_M**3, rel=0.01)
    assert np.allclose(np.linalg.norm(mesh.vertices, axis=1), RADIUS_M, atol=0.003)


def test_what_nobody_has_looked_at_is_open() -> None:
    places, normals = on_sphere(8000, RADIUS_M, np.random.default_rng(4))
    seen = places[:, 2] > -0.1
    vertices, _ = triangles_of(Surfels(places[seen], normals[seen], np.ones(seen.sum())), VOXEL_M, 100_000)
    assert vertices[:, 2].max() > 0.29
    assert vertices[:, 2].min() > -0.1 - 2.5 * VOXEL_M


def test_fewer_triangles_are_still_the_ball() -> None:
    mesh = ball(most=1000)
    assert 800 < len(mesh.triangles) <= 1000
    assert volume(mesh) == pytest.approx(4.0 / 3.0 * np.pi * RADIUS_M**3, rel=0.02)


def test_voxels_that_are_too_many_are_refused() -> None:
    with pytest.raises(BadInput, match="too large for voxels"):
        ball(voxel_m=0.0005)


def test_distances_are_to_what_faces_the_same_way() -> None:
    surface = client_model(ball()).surface
    places, normals = on_sphere(500, 1.02 * RADIUS_M, np.random.default_rng(5))
    apart, planes = distances(surface, places, normals)
    assert np.allclose(apart, 0.02 * RADIUS_M, atol=0.0015)
    assert (np.einsum("ij,ij->i", planes[:, :3], normals) > 0.9).all()
    assert (distances(surface, places, -normals)[0] == FARTHEST_M).all()


def test_a_frame_that_is_elsewhere_is_told_apart_from_the_surface() -> None:
    true = shipped_craft(CLIENT)
    T = posed((0.01, -0.02, 0.005), (0.01, 0.0, -0.02))
    difference = shape_difference(true.moved(T), true, per_m2=1500.0)
    assert difference.median_m < 5e-4
    assert difference.frame_m == pytest.approx(float(np.linalg.norm(T[:3, 3])), abs=0.003)
    assert difference.frame_deg == pytest.approx(np.degrees(np.hypot(0.01, 0.02)), abs=0.1)


def test_the_other_side_of_a_panel_is_not_what_was_missing() -> None:
    def plate(sides: tuple[float, ...]) -> Mesh:
        corners, triangles = [], []
        for z in sides:
            first = len(corners)
            corners += [(-0.3, -0.2, z), (0.3, -0.2, z), (0.3, 0.2, z), (-0.3, 0.2, z)]
            faces = [(0, 1, 2), (0, 2, 3)] if z > 0.0 else [(2, 1, 0), (3, 2, 0)]
            triangles += [tuple(first + k for k in face) for face in faces]
        return flat(np.array(corners), np.array(triangles, np.int32), GREY_PAINT)

    difference = shape_difference(plate((0.002,)), plate((0.002, -0.002)), per_m2=4000.0)
    assert difference.median_m < 1e-4
    assert difference.complete == pytest.approx(0.5, abs=0.05)


def test_the_file_has_what_was_written(tmp_path: Path) -> None:
    path, mesh = tmp_path / "ball.obj", ball(most=1000)
    write_obj(path, mesh, "a ball")
    assert path.read_text().startswith("# a ball\nv ")
    read = craft_mesh(path).mesh
    assert volume(read) == pytest.approx(volume(mesh), rel=1e-3)
    assert len(read.triangles) == len(mesh.triangles)
