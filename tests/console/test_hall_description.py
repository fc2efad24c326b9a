"""The description of the hall puts every link where the facility's own kinematics has it, and is plain data."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.shared.own_mockup import own_cell, write_stl

from proxops.console.hall_description import describe_hall
from proxops.console.link_description import described_solid
from proxops.core.errors import BadInput
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell, builtin
from proxops.lab.hall_file import Payload
from proxops.lab.shapes import BODIES, CARRIAGE, MOCKUP, RAIL, ROBOT1, ROBOT2, body_poses, hall_shapes
from proxops.lab.urdf_drawing import mesh_warnings, read_drawing
from proxops.safety.watched_solids import mockup_boxes

EXACT = 1e-9  # m and parts of one: two chains of some ten products of numbers up to 30 m, in double precision
Pose = NDArray[np.float64]


@pytest.fixture(scope="module")
def epos() -> Cell:
    return load_cell()


@pytest.fixture(scope="module")
def hall(epos: Cell) -> dict[str, Any]:
    return describe_hall(epos)


def turn(axis: list[float], angle: float) -> Pose:
    """A turn about a unit axis (Rodrigues)."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    T = np.eye(4)
    T[:3, :3] += math.sin(angle) * K + (1.0 - math.cos(angle)) * K @ K
    return T


def way(axis: list[float], metres: float) -> Pose:
    T = np.eye(4)
    T[:3, 3] = np.array(axis) * metres
    return T


def link_poses(hall: dict[str, Any], q: Pose) -> dict[str, Pose]:
    """T_lab_link of every link, as any reader of the description would compute it."""
    found: list[Pose] = []
    for link in hall["links"]:
        T_lab_parent = np.eye(4) if link["parent"] < 0 else found[link["parent"]]
        moved = {"fixed": None, "revolute": turn, "prismatic": way}[link["joint"]]
        T_joint_link = moved(link["axis"], q[link["drive"]]) if moved and link["drive"] >= 0 else np.eye(4)
        found.append(T_lab_parent @ np.reshape(link["T_parent_joint"], (4, 4)) @ T_joint_link)
    return {link["name"]: T for link, T in zip(hall["links"], found, strict=True)}


def random_axes(cell: Cell, rng: np.random.Generator) -> Pose:
    lower, upper = np.maximum(cell.axes.lower, -7.0), np.minimum(cell.axes.upper, 25.0)
    return np.asarray(rng.uniform(lower, upper))


def assert_links_stand_right(cell: Cell, q: Pose) -> None:
    wanted = np.empty((len(BODIES), 4, 4))
    body_poses(cell.hall, q, wanted)
    found = link_poses(describe_hall(cell), q)
    for body, name in enumerate(BODIES):
        if name == "floor":
            continue
        link = f"{name}/port" if name.endswith("mockup") else name
        np.testing.assert_allclose(found[link], wanted[body], rtol=0.0, atol=EXACT, err_msg=link)


def test_every_link_stands_where_the_facility_puts_it(epos: Cell) -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):
        assert_links_stand_right(epos, random_axes(epos, rng))


def test_a_cell_of_ones_own_stands_right_too(tmp_path: Path) -> None:
    text = builtin("cells", "epos.toml").read_text()
    for old, new in (
        ("origin_lab_m = [0.0, 0.0, -1.5]", "origin_lab_m = [-1.0, 0.5, -1.4]"),
        ('{ on = "rail", yaw_deg = 180.0 }', '{ on = "rail", yaw_deg = 0.0 }'),
        ("yaw_deg = 0.0, xyz_lab_m = [0.0, 1.5, -1.5]", "yaw_deg = 35.0, xyz_lab_m = [0.3, 2.5, -1.2]"),
    ):
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "mine.toml").write_text(text)
    cell = load_cell(tmp_path / "mine.toml")
    assert_links_stand_right(cell, random_axes(cell, np.random.default_rng(8)))


def test_thirteen_axes_drive_thirteen_joints(hall: dict[str, Any]) -> None:
    driven = {link["drive"]: link["name"] for link in hall["links"] if link["drive"] >= 0}
    assert sorted(driven) == list(range(13))
    assert driven[0] == "carriage" and driven[1] == "robot1/link_1" and driven[12] == "robot2/link_6"


def test_it_is_strict_json(hall: dict[str, Any]) -> None:
    read = json.loads(json.dumps(hall, allow_nan=False))
    assert read["axes"][10]["name"] == "robot2_a4" and read["axes"][10]["range"] == [None, None]  # endless
    assert read["axes"][0]["range"] == [0.0, 25.0] == read["rail"]["stroke_m"]


def test_collision_solids_are_those_of_the_guard(epos: Cell, hall: dict[str, Any]) -> None:
    links = {link["name"]: link for link in hall["links"]}
    for body in (RAIL, CARRIAGE, ROBOT1 + 3, ROBOT2 + MOCKUP):
        name = BODIES[body]
        drawn = links[f"{name}/port" if name.endswith("mockup") else name]["solids"]
        wanted = [shape for shape in hall_shapes(epos) if shape.body == body]
        assert [(s["kind"], tuple(s["size_m"])) for s in drawn] == [(w.kind, w.size_m) for w in wanted]
        for solid, shape in zip(drawn, wanted, strict=True):
            np.testing.assert_array_equal(np.reshape(solid["T_link_solid"], (4, 4)), shape.T_body_shape)


def test_boxes_ports_and_frames(epos: Cell, hall: dict[str, Any]) -> None:
    np.testing.assert_array_equal([craft["box_m"] for craft in hall["crafts"]], mockup_boxes(epos))
    at_home = link_poses(hall, epos.home)
    names = [link["name"] for link in hall["links"]]
    for craft in hall["crafts"]:
        T_lab_flange, T_lab_port = (at_home[names[craft[key]]] for key in ("flange", "port"))
        T_flange_port = np.reshape(craft["T_flange_port"], (4, 4))
        np.testing.assert_allclose(T_lab_flange @ T_flange_port, T_lab_port, atol=EXACT)
        assert craft["cad"] is None
    frames = {frame["name"]: frame["link"] for frame in hall["frames"]}
    assert frames["lab"] == -1 and names[frames["base 2"]] == "robot2/base_link"


def test_the_lamp_shines_as_the_cell_says(epos: Cell, hall: dict[str, Any]) -> None:
    towards = np.array(epos.file.lamp.towards_lab)
    np.testing.assert_allclose(hall["lamp"]["beam_lab"], -towards / np.linalg.norm(towards), atol=1e-12)


class PayloadWithCad(Payload):
    """A payload whose model is turned by a quarter and stands beside the port."""

    cad: str | None = "client.GLB"
    cad_scale: float = 0.001
    cad_xyz_m: tuple[float, float, float] = (0.1, 0.0, 0.0)
    cad_abc_deg: tuple[float, float, float] = (90.0, 0.0, 0.0)


def test_cad_of_a_mockup_is_named_with_its_place(epos: Cell) -> None:
    payload = PayloadWithCad.model_construct(what="client")
    robot2 = epos.file.robot2.model_copy(update={"payload": payload})
    file = epos.file.model_copy(update={"robot2": robot2})
    cad = describe_hall(replace(epos, file=file))["crafts"][1]["cad"]
    assert (cad["format"], cad["url"], cad["scale"]) == ("glb", "/api/cad/robot2", 0.001)
    T_port_cad = np.reshape(cad["T_port_cad"], (4, 4))
    np.testing.assert_allclose(T_port_cad[:3, 0], (0.0, 1.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(T_port_cad[:3, 3], (0.1, 0.0, 0.0))


MODEL = """<robot name="x">
  <material name="paint"><color rgba="1 0 0 0.5"/></material>
  <link name="port">
    <visual><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><geometry><sphere radius="0.2"/></geometry>
      <material name="paint"/></visual>
    <visual><geometry><mesh filename="antenna.stl"/></geometry></visual>
  </link>
  <link name="lid"><collision><geometry><box size="1 1 {z}"/></geometry></collision></link>
  <joint name="hinge" type="continuous"><parent link="port"/><child link="lid"/><origin xyz="0 0 1"/><axis xyz="0 0 2"/></joint>
</robot>"""


def test_what_can_be_drawn_of_any_model_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "x.urdf"
    path.write_text(MODEL.format(z="0.1"))
    port, lid = read_drawing(path, "port")
    assert [(s.kind, s.size_m, s.rgba) for s in port.visuals] == [("sphere", (0.2,), (1.0, 0.0, 0.0, 0.5))]
    np.testing.assert_allclose(port.visuals[0].T_link_solid[:3, 3], (1.0, 2.0, 3.0))
    assert lid.visuals == lid.solids and lid.visuals[0].kind == "box"  # nothing of its own to show
    assert (lid.parent, lid.moves, lid.axis) == ("port", "revolute", (0.0, 0.0, 1.0))


TETRAHEDRON = np.array([(0.0, 0.0, 0.0), (300.0, 0.0, 0.0), (0.0, 200.0, 0.0), (0.0, 0.0, 100.0)])


def test_a_mesh_beside_the_model_is_drawn_and_told_to_the_page(tmp_path: Path) -> None:
    """In millimetres, with URDF's scale; a turn of the solid is told with it."""
    path = tmp_path / "x.urdf"
    path.write_text(MODEL.format(z="0.1").replace('"antenna.stl"', '"antenna.stl" scale="0.001 0.001 0.001"'))
    write_stl(tmp_path / "antenna.stl", TETRAHEDRON)
    (_, antenna), _ = (link.visuals for link in read_drawing(path, "port"))
    np.testing.assert_allclose(antenna.size_m, (0.3, 0.2, 0.1))
    told = json.loads(json.dumps(described_solid(antenna)))
    corners = np.reshape(told["corners_m"], (-1, 3))[np.reshape(told["triangles"], (-1, 3))]
    np.testing.assert_allclose(np.unique(corners.reshape(-1, 3), axis=0), np.unique(TETRAHEDRON / 1000.0, axis=0))
    assert told["kind"] == "mesh" and len(corners) == 4


def test_a_mesh_that_is_broken_is_refused_and_one_that_is_too_fine_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "x.urdf"
    path.write_text(MODEL.format(z="0.1"))
    write_stl(tmp_path / "antenna.stl", TETRAHEDRON)
    with pytest.raises(BadInput, match=r"antenna\.stl.*scale of 0\.001"):
        read_drawing(path, "port")
    write_stl(tmp_path / "antenna.stl", 0.001 * TETRAHEDRON)
    assert [solid.kind for solid in read_drawing(path, "port", 3)[0].visuals] == ["sphere"]
    assert [solid.kind for solid in read_drawing(path, "port", 4)[0].visuals] == ["sphere", "mesh"]
    (warning,) = mesh_warnings(path, 3)
    assert "antenna.stl" in warning and "more than 3 triangles" in warning


@pytest.mark.parametrize("z", ("nan", "", "thick", "inf"))
def test_sizes_that_are_not_numbers_are_refused_by_name(tmp_path: Path, z: str) -> None:
    path = tmp_path / "x.urdf"
    path.write_text(MODEL.format(z=z))
    with pytest.raises(BadInput, match=r"x\.urdf"):
        read_drawing(path, "port")


def test_joints_in_a_circle_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.urdf"
    back = '<joint name="b" type="fixed"><parent link="lid"/><child link="port"/></joint></robot>'
    path.write_text(MODEL.format(z="0.1").replace("</robot>", back))
    with pytest.raises(BadInput, match="circle"):
        read_drawing(path, "port")


def test_another_mockup_in_the_cell_file_is_drawn(tmp_path: Path) -> None:
    """Its links, its box, and its CAD with the place that the cell gives it."""
    (tmp_path / "cube.stl").write_bytes(b"")
    cell = load_cell(own_cell(tmp_path, more=', cad = "cube.stl", cad_scale = 0.001'))
    hall = describe_hall(cell)
    links = {link["name"]: link for link in hall["links"]}
    assert [s["size_m"] for s in links["robot2/mockup/panel"]["visuals"]] == [[0.02, 1.0, 0.4]]
    assert "robot1/mockup/port" in links
    craft = hall["crafts"][1]
    np.testing.assert_array_equal(craft["box_m"], mockup_boxes(cell)[1])
    assert (craft["cad"]["format"], craft["cad"]["scale"]) == ("stl", 0.001)
