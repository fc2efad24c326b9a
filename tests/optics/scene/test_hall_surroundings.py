"""The hall that eyes see is the hall that stands there: bodies by the kernels' kinematics, the chaser by the truth, the lamp
by the cell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.shared.own_mockup import own_cell, write_stl

from proxops.core.errors import BadInput
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell, builtin
from proxops.lab.hall_plan import LAMP_DISTANCE
from proxops.lab.shapes import BODIES, ROBOT2, body_poses, floor_z_m, hall_shapes
from proxops.maths.pose import pose_from_packed
from proxops.optics.scene.hall_lights import HALF_ANGLE_RAD, LAMP_LM, hall_lights
from proxops.optics.scene.hall_mockups import hall_warnings, mockup_mesh
from proxops.optics.scene.hall_surroundings import (
    PORT1_BODY,
    PORT2_BODY,
    hall_poses,
    hall_scene,
)
from proxops.optics.scene.light import LUMENS_PER_WATT, SUN_BAND_W_M2, NearLight, SurroundingLight
from proxops.optics.scene.material import COLUMNS
from proxops.optics.scene.palette import BLACK_CLOTH
from proxops.optics.scene.scene import Scene

CORNERS = np.array([(0, 0, 0), (400, 0, 0), (0, 500, 0), (0, 0, 600)])


@pytest.fixture(scope="module")
def cell() -> Cell:
    return load_cell()


@pytest.fixture(scope="module")
def scene(cell: Cell) -> Scene:
    return hall_scene(cell)


def triangles(scene: Scene, body: int) -> slice:
    return slice(scene.first_triangle[body], scene.first_triangle[body + 1])


def albedos(scene: Scene, body: int) -> set[float]:
    return set(scene.materials[scene.material[triangles(scene, body)], COLUMNS.index("albedo")].tolist())


def test_bodies_are_those_of_the_hall_and_stand_where_its_kinematics_has_them(cell: Cell, scene: Scene) -> None:
    assert scene.names == BODIES
    T_port2_port1 = np.array([2.5, 0.1, -0.05, 0.98, 0.1, -0.1, 0.05])
    T_port2_port1[3:] /= np.linalg.norm(T_port2_port1[3:])
    rng = np.random.default_rng(5)
    for _ in range(5):
        q = rng.uniform(np.maximum(cell.axes.lower, -7.0), np.minimum(cell.axes.upper, 20.0))
        wanted = np.empty((len(BODIES), 4, 4))
        body_poses(cell.hall, q, wanted)
        wanted[PORT1_BODY] = wanted[PORT2_BODY] @ pose_from_packed(T_port2_port1)  # as it truly is
        found = hall_poses(cell, q, T_port2_port1)
        for body in range(len(BODIES)):
            np.testing.assert_allclose(pose_from_packed(found[body]), wanted[body], atol=1e-12)


def test_the_floor_is_level_with_the_halls_and_walls_stand_round_it(cell: Cell, scene: Scene) -> None:
    seen = scene.vertices[: scene.first_vertex[1]]
    floor = floor_z_m(hall_shapes(cell))
    assert np.any(np.isclose(seen[:, 2], floor))
    (x, y) = next((room.x_m, room.y_m) for room in cell.file.plan.rooms if room.name == "hall")
    inner = [(0, x[0]), (0, x[1]), (1, y[0]), (1, y[1])]
    assert all(np.any(np.isclose(seen[:, axis], at)) for axis, at in inner)
    cloth = seen[scene.triangles[triangles(scene, 0)]][albedo_of_triangles(scene, 0) == BLACK_CLOTH.albedo]
    assert x[0] < cloth[..., 0].min() < cell.file.zones.fence.x_m[0]  # behind robot 2, between fence and wall


def albedo_of_triangles(scene: Scene, body: int) -> np.ndarray:
    return scene.materials[scene.material[triangles(scene, body)], COLUMNS.index("albedo")]


def test_robot_2_can_be_wrapped_in_black(cell: Cell, scene: Scene) -> None:
    wrapped = hall_scene(cell, wrapped=True)
    for body in range(ROBOT2, PORT2_BODY):
        assert albedos(wrapped, body) == {BLACK_CLOTH.albedo} != albedos(scene, body)
    assert albedos(wrapped, PORT2_BODY) == albedos(scene, PORT2_BODY)


def test_the_lamp_stands_as_the_cell_says_and_gives_its_light(cell: Cell) -> None:
    lamp, stray = hall_lights(cell)
    assert isinstance(lamp, NearLight) and isinstance(stray, SurroundingLight)
    towards = np.array(cell.file.lamp.towards_lab) / np.linalg.norm(cell.file.lamp.towards_lab)
    np.testing.assert_allclose(lamp.direction, -towards, atol=1e-12)
    angle = np.linspace(0.0, 0.5 * np.pi, 20001)
    shape = lamp.intensity * np.exp(-np.log(2.0) * (angle / HALF_ANGLE_RAD) ** 2) * 2.0 * np.pi * np.sin(angle)
    assert np.trapezoid(shape, angle) * LUMENS_PER_WATT == pytest.approx(LAMP_LM, rel=1e-5)
    assert lamp.intensity / LAMP_DISTANCE**2 == pytest.approx(SUN_BAND_W_M2, rel=0.1)
    assert [light.irradiance for light in hall_lights(cell, lamp_share=0.0)[1:]] == [0.0]


def test_a_users_mock_up_is_seen_with_its_links_and_its_drawing(tmp_path: Path) -> None:
    cell = load_cell(own_cell(tmp_path))
    low = mockup_mesh(cell, 1).mesh.vertices.max(axis=0)
    np.testing.assert_allclose(low, (0.0, 1.4, 0.3))  # the panel hangs at y = 0.9 and is 1 m wide
    write_stl(tmp_path / "cube.stl", CORNERS)
    cell = load_cell(own_cell(tmp_path, more=', cad = "cube.stl", cad_scale = 0.001, cad_xyz_m = [-0.4, 0.1, 0.0]'))
    mesh = mockup_mesh(cell, 1).mesh
    np.testing.assert_allclose(mesh.vertices.min(axis=0), (-0.4, 0.1, 0.0), atol=1e-7)
    np.testing.assert_allclose(np.ptp(mesh.vertices, axis=0), (0.4, 0.5, 0.6), atol=1e-7)
    assert hall_scene(cell).bodies == len(BODIES) and hall_warnings(cell) == ()


def test_a_copy_of_the_shipped_client_keeps_its_meshes_and_a_mesh_that_is_not_there_is_told(tmp_path: Path) -> None:
    shipped = builtin("models", "client_mockup.urdf").read_text()
    copied = load_cell(own_cell(tmp_path, mockup=shipped))
    assert mockup_mesh(copied, 1).mesh.triangles.shape == mockup_mesh(load_cell(), 1).mesh.triangles.shape
    assert hall_warnings(copied) == ()
    lost = load_cell(own_cell(tmp_path, mockup=shipped.replace("client_dish.obj", "package://mine/dish.dae")))
    (warning,) = hall_warnings(lost)
    assert "dish.dae" in warning and "not drawn" in warning


def test_a_drawing_in_millimetres_is_refused_with_the_way_out(tmp_path: Path) -> None:
    write_stl(tmp_path / "cube.stl", CORNERS)
    cell = load_cell(own_cell(tmp_path, more=', cad = "cube.stl"'))
    with pytest.raises(BadInput, match=r"scale of 0\.001"):
        hall_scene(cell)
