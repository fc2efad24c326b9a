"""The marker as a mesh: seen through a pinhole, OpenCV and our finder must find it where it stands."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.core.camera import MarkerSpec
from proxops.core.errors import BadInput
from proxops.core.imaging_table import FiducialSensor
from proxops.maths.pose import pose, pose_from_packed
from proxops.maths.rotation import matrix_from_rotation_vector
from proxops.onboard.marker_finder import MarkerFinder
from proxops.optics.scene.marker_mesh import INK, PAPER, PLATE_M, marker_mesh, printed
from proxops.optics.scene.mesh import Mesh, face_normals

MARKERS = [MarkerSpec(), MarkerSpec(0.1, "DICT_6X6_250", 123), MarkerSpec(0.05, "DICT_ARUCO_ORIGINAL", 1)]
SHIFT = 8  # of OpenCV's corners: 1/256 pixel


def areas(mesh: Mesh) -> NDArray[np.float64]:
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)


def painted(mesh: Mesh, T_camera_mesh: NDArray[np.float64], K: NDArray[np.float64], size: int) -> NDArray[np.uint8]:
    """The front as a painter draws it, four times as fine and then made coarse."""
    fine = np.full((4 * size, 4 * size), 60, np.uint8)
    points = mesh.vertices @ T_camera_mesh[:3, :3].T + T_camera_mesh[:3, 3]
    pixels = (points @ K.T)[:, :2] / points[:, 2:]
    front = mesh.corner_normals[:, 0, 2] > 0.5
    for triangle, material in zip(mesh.triangles[front], mesh.material[front], strict=True):
        corners = np.rint(((pixels[triangle] + 0.5) * 4.0 - 0.5) * 2**SHIFT).astype(np.int32)
        cv2.fillConvexPoly(fine, corners, int(250 * mesh.palette[material].albedo), shift=SHIFT)
    return cv2.resize(fine, (size, size), interpolation=cv2.INTER_AREA)


@pytest.mark.parametrize("marker", MARKERS)
def test_cells_are_those_of_opencv_and_have_its_size(marker: MarkerSpec) -> None:
    mesh, white = marker_mesh(marker), printed(marker)
    n = len(white)
    cell = (marker.side_m / (n - 2)) ** 2
    front = mesh.corner_normals[:, 0, 2] > 0.5
    names = np.array([mesh.palette[m].name for m in mesh.material])
    assert areas(mesh)[front & (names == PAPER.name)].sum() == pytest.approx(white.sum() * cell)
    assert areas(mesh)[front & (names == INK.name)].sum() == pytest.approx((~white).sum() * cell)
    middles = mesh.vertices[mesh.triangles].mean(axis=1)[front]
    column = (middles[:, 0] / np.sqrt(cell) + n / 2).astype(int)
    row = (n / 2 - middles[:, 1] / np.sqrt(cell)).astype(int)
    assert np.array_equal(white[row, column], names[front] == PAPER.name)


def test_corners_are_those_of_the_marker() -> None:
    """The outermost black places, in the order of MarkerSpec.corners."""
    marker = MarkerSpec()
    mesh = marker_mesh(marker)
    black = mesh.vertices[mesh.triangles[mesh.material == mesh.palette.index(INK)]].reshape(-1, 3)
    low, high = black.min(axis=0), black.max(axis=0)
    expected = [[low[0], high[1], 0.0], [high[0], high[1], 0.0], [high[0], low[1], 0.0], [low[0], low[1], 0.0]]
    assert marker.corners() == pytest.approx(np.array(expected))


def test_the_plate_is_closed_and_its_outside_is_outside() -> None:
    """The divergence theorem: the volume under all outward faces is the plate's."""
    mesh = marker_mesh(MarkerSpec())
    middles, normals = mesh.vertices[mesh.triangles].mean(axis=1), face_normals(mesh.vertices, mesh.triangles)
    volume = ((middles * normals).sum(axis=1) * areas(mesh)).sum() / 3.0
    side = 0.2 * 8 / 6
    assert volume == pytest.approx(side**2 * PLATE_M)
    assert mesh.corner_normals == pytest.approx(np.repeat(normals[:, None, :], 3, axis=1))


@pytest.mark.parametrize("marker", MARKERS)
def test_the_finder_finds_it_where_it_stands(marker: MarkerSpec) -> None:
    K = np.array([[900.0, 0.0, 159.5], [0.0, 900.0, 159.5], [0.0, 0.0, 1.0]])
    turn = matrix_from_rotation_vector(np.array([0.3, -0.25, 0.2]))
    T_camera_marker = pose(np.diag([1.0, -1.0, -1.0]) @ turn, np.array([0.02, -0.01, 5.0]) * marker.side_m)
    image = painted(marker_mesh(marker), T_camera_marker, K, 320)
    sighting = MarkerFinder(K, marker.side_m, marker.dictionary, marker.number).find(image)
    assert sighting is not None
    found = pose_from_packed(sighting.T_camera_marker)
    assert found[:3, 3] == pytest.approx(T_camera_marker[:3, 3], abs=0.01 * marker.side_m)
    assert found[:3, :3] == pytest.approx(T_camera_marker[:3, :3], abs=0.02)


def test_a_marker_that_does_not_exist_is_refused() -> None:
    with pytest.raises(BadInput, match="number"):
        marker_mesh(MarkerSpec(0.2, "DICT_4X4_50", 50))


@pytest.mark.parametrize(("on", "ahead"), [("chaser", 1.0), ("target", -1.0)])
def test_the_plate_of_the_table_faces_the_sensor(on: str, ahead: float) -> None:
    """A sensor on the chaser looks along -x: the target's marker has its normal along +x and its top along z."""
    given = {"name": "eye", "kind": "fiducial", "on": on, "marker_place_m": (0.5 * ahead, 0.1, 0.2)}
    T = FiducialSensor.model_validate(given).T_craft_marker
    assert T[:3, 2].tolist() == [ahead, 0.0, 0.0] and T[:3, 1].tolist() == [0.0, 0.0, 1.0]
    assert np.linalg.det(T[:3, :3]) == pytest.approx(1.0) and T[:3, 3].tolist() == [0.5 * ahead, 0.1, 0.2]
    turned = FiducialSensor.model_validate({**given, "marker_turn_deg": (0.0, 0.0, 90.0)}).T_craft_marker
    assert turned[:3, 0] == pytest.approx([0.0, 0.0, 1.0])
