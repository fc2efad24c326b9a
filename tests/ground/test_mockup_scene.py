"""Pictures of reports show the cell's own mock-ups, by their CAD where there is one."""

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from tests.shared.own_mockup import own_cell, write_stl

from proxops.core.offscreen import PictureUnavailable
from proxops.ground.hall_scene import build_hall
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell

CORNERS_MM = 1000.0 * np.array([(0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.3, 0.0), (0.0, 0.0, 0.3)])


def geoms(cell: Cell, group: int) -> tuple[Any, list[int]]:
    """The model, and the geoms of the client's mock-up in a group."""
    model = build_hall(cell, 64, 64)
    port = model.body("client/port").id
    return model, [g for g in range(model.ngeom) if model.geom_bodyid[g] == port and model.geom_group[g] == group]


def test_a_mock_up_of_the_users_is_drawn_by_its_looks(tmp_path: Path) -> None:
    model, seen = geoms(load_cell(own_cell(tmp_path)), group=1)
    np.testing.assert_allclose(sorted(model.geom_size[seen].tolist()), [(0.01, 0.5, 0.2), (0.2, 0.25, 0.3)])
    np.testing.assert_allclose(model.geom_pos[seen[1]], (-0.2, 0.9, 0.0))


def test_cad_takes_the_place_of_looks_and_stands_where_the_cell_puts_it(tmp_path: Path) -> None:
    """Corners in millimetres, turned by 90 deg about z and moved: worked out by hand."""
    write_stl(tmp_path / "client.stl", CORNERS_MM)
    place = ', cad = "client.stl", cad_scale = 0.001, cad_abc_deg = [90.0, 0.0, 0.0], cad_xyz_m = [-0.4, 0.1, 0.0]'
    cell = load_cell(own_cell(tmp_path, more=place))
    model, (mesh,) = geoms(cell, group=1)
    _, solids = geoms(cell, group=0)
    assert model.geom_type[mesh] == mujoco.mjtGeom.mjGEOM_MESH and len(solids) == 2
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    number = model.geom_dataid[mesh]
    first = model.mesh_vertadr[number]
    vertices = model.mesh_vert[first : first + model.mesh_vertnum[number]]
    in_lab = vertices @ data.geom_xmat[mesh].reshape(3, 3).T + data.geom_xpos[mesh]
    port = data.body("client/port")
    in_port = (in_lab - port.xpos) @ port.xmat.reshape(3, 3)
    expected = [(-0.7, 0.1, 0.0), (-0.4, 0.1, 0.0), (-0.4, 0.1, 0.3), (-0.4, 0.4, 0.0)]
    np.testing.assert_allclose(sorted(np.round(in_port, 6).tolist()), expected, atol=1e-6)


def test_meshes_of_the_shipped_client_are_drawn_where_its_model_has_them() -> None:
    """The hexagonal bus: its corners, in the port frame."""
    model, seen = geoms(load_cell(), group=1)
    meshes = [g for g in seen if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_MESH]
    assert len(meshes) == 2  # bus and dish
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    number = model.geom_dataid[meshes[0]]
    first = model.mesh_vertadr[number]
    vertices = model.mesh_vert[first : first + model.mesh_vertnum[number]]
    in_lab = vertices @ data.geom_xmat[meshes[0]].reshape(3, 3).T + data.geom_xpos[meshes[0]]
    port = data.body("client/port")
    in_port = (in_lab - port.xpos) @ port.xmat.reshape(3, 3)
    np.testing.assert_allclose(in_port.min(axis=0), (-0.1905, -0.4238, -0.367), atol=1e-6)
    np.testing.assert_allclose(in_port.max(axis=0), (0.229, 0.4238, 0.367), atol=1e-6)


def test_a_drawing_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "client.stl").write_text("not a drawing")
    with pytest.raises(PictureUnavailable, match=r"client\.stl cannot be read"):
        build_hall(load_cell(own_cell(tmp_path, more=', cad = "client.stl"')), 64, 64)


def test_what_only_the_page_can_show_is_drawn_by_its_looks(tmp_path: Path) -> None:
    (tmp_path / "client.glb").write_bytes(b"glTF")
    _, seen = geoms(load_cell(own_cell(tmp_path, more=', cad = "client.glb"')), group=1)
    assert len(seen) == 2
