"""Primitives are the bodies that they are named after: closed, outward, with the volume and area of geometry."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proxops.lab.winding import Edges
from proxops.optics.scene.mesh import Mesh, face_normals, joined
from proxops.optics.scene.palette import GREY_PAINT, WHITE_PAINT
from proxops.optics.scene.primitives import SAG_M, box, cylinder, disc, faces_round, plate, sphere


def volume(mesh: Mesh) -> float:
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    return float(np.einsum("ti,ti->", a, np.cross(b, c)) / 6.0)


def area(mesh: Mesh) -> float:
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2.0)


def prism(radius: float, length: float) -> tuple[float, float]:
    """Volume and area of the regular prism in a cylinder."""
    n = faces_round(radius)
    face = 0.5 * n * radius**2 * math.sin(2.0 * math.pi / n)
    return face * length, 2.0 * face + 2.0 * n * radius * math.sin(math.pi / n) * length


def test_volumes_and_areas_are_those_of_geometry() -> None:
    block = box((0.2, 0.3, 0.5), GREY_PAINT)
    assert volume(block) == pytest.approx(0.03) and area(block) == pytest.approx(2 * (0.06 + 0.1 + 0.15))
    rod = cylinder(0.13, 0.4, GREY_PAINT)
    assert (volume(rod), area(rod)) == pytest.approx(prism(0.13, 0.4))
    ball = sphere(0.2, GREY_PAINT)
    assert volume(ball) == pytest.approx(4.0 / 3.0 * math.pi * 0.008, rel=0.02)
    assert area(ball) == pytest.approx(4.0 * math.pi * 0.04, rel=0.01)
    assert area(plate(0.3, 0.2, GREY_PAINT)) == pytest.approx(0.06)
    assert area(disc(0.13, GREY_PAINT)) == pytest.approx(prism(0.13, 1.0)[0])


def test_a_round_side_is_as_near_the_true_one_as_said() -> None:
    for radius in (0.02, 0.065, 0.13):
        assert radius * (1.0 - math.cos(math.pi / faces_round(radius))) <= SAG_M + 1e-12


@pytest.mark.parametrize("mesh", [box((1, 2, 3), GREY_PAINT), cylinder(0.1, 0.3, GREY_PAINT), sphere(0.2, GREY_PAINT)])
def test_bodies_are_closed_and_their_normals_look_outward(mesh: Mesh) -> None:
    edges = Edges.of(mesh.triangles.astype(np.int64))
    one, two = edges.pairs()
    assert np.all(edges.uses == 2) and np.all(edges.upward[one] != edges.upward[two])
    faces = face_normals(mesh.vertices, mesh.triangles)
    middle = mesh.vertices[mesh.triangles].mean(axis=1)
    assert np.all(np.einsum("ti,ti->t", faces, middle) > 0.0)  # convex, round the origin
    assert np.all(np.einsum("tci,ti->tc", mesh.corner_normals, faces) > 0.97)
    np.testing.assert_allclose(np.linalg.norm(mesh.corner_normals, axis=2), 1.0, atol=1e-6)


def test_a_cylinder_is_smooth_round_and_flat_on_its_lids() -> None:
    mesh = cylinder(0.1, 0.3, GREY_PAINT)
    corners = mesh.vertices[mesh.triangles]
    lid = np.abs(np.ptp(corners[..., 2], axis=1)) < 1e-12
    radial = np.concatenate([corners[~lid][..., :2] / 0.1, np.zeros((int(np.sum(~lid)), 3, 1))], axis=2)
    np.testing.assert_allclose(mesh.corner_normals[~lid], radial, atol=1e-6)
    np.testing.assert_allclose(np.abs(mesh.corner_normals[lid][..., 2]), 1.0, atol=1e-6)


def test_joined_surfaces_share_their_palette() -> None:
    mesh = joined([box((1, 1, 1), GREY_PAINT), sphere(0.1, WHITE_PAINT), disc(0.2, GREY_PAINT)])
    assert mesh.palette == (GREY_PAINT, WHITE_PAINT) and set(mesh.material) == {0, 1}
