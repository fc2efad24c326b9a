"""The client mock-up is one that eyes can tell: a true prism without coincident faces or symmetry, within the solids that are
watched."""

from __future__ import annotations

import importlib.util
import itertools
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from proxops.core.imaging_table import CameraSensor
from proxops.core.sensor_table import Sensor
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import builtin
from proxops.lab.shapes import MOCKUP, ROBOT1, ROBOT2, Shape, hall_shapes
from proxops.lab.urdf_drawing import read_drawing
from proxops.optics.scene.mesh import Mesh, face_normals
from proxops.optics.scene.urdf_mesh import solid_mesh, urdf_mesh

MODELS = builtin("models", "client_mockup.urdf").parent
HALF_TURN = np.diag([1.0, -1.0, -1.0])  # about x
STICKS_OUT_M = 0.0011  # the nozzle, by a millimetre
PIXEL_M = 0.004


def parts(name: str) -> list[Mesh]:
    """What is drawn, solid by solid, in the port frame."""
    (link,) = read_drawing(MODELS / f"{name}.urdf", "port")
    return [solid_mesh(solid).moved(solid.T_link_solid) for solid in link.visuals]


@pytest.fixture(scope="module")
def client() -> list[Mesh]:
    return parts("client_mockup")


def shadow(meshes: list[Mesh], along: int) -> np.ndarray:
    """Which pixels of 4 mm the meshes cover, seen along an axis of the port frame."""
    size = 512
    across = [axis for axis in range(3) if axis != along]
    u, v = np.meshgrid(*(2 * [(np.arange(size) - 0.5 * size) * PIXEL_M]), indexing="ij")
    seen = np.zeros((size, size), bool)
    for mesh in meshes:
        for corners in mesh.vertices[mesh.triangles][..., across]:
            low, high = (
                np.clip(e / PIXEL_M + 0.5 * size, 0, size - 1) for e in (corners.min(axis=0), corners.max(axis=0))
            )
            box = tuple(slice(int(a), int(b) + 2) for a, b in zip(low, high, strict=True))
            p = np.stack([u[box], v[box]], axis=-1)
            side = [np.cross(corners[(k + 1) % 3] - corners[k], p - corners[k]) for k in range(3)]
            seen[box] |= np.all(np.array(side) >= 0.0, axis=0) | np.all(np.array(side) <= 0.0, axis=0)
    return seen


@pytest.mark.parametrize(("along", "least_m2"), [(0, 0.08), (1, 0.005), (2, 0.004)])
@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors")
def test_turned_by_half_it_has_another_outline_from_front_and_sides(
    client: list[Mesh], along: int, least_m2: float
) -> None:
    turned = [Mesh(m.vertices @ HALF_TURN, m.triangles, m.corner_normals, m.material, m.palette) for m in client]
    differs = shadow(client, along) ^ shadow(turned, along)
    assert np.sum(differs) * PIXEL_M**2 > least_m2


def test_it_has_no_symmetry_about_its_axis(client: list[Mesh]) -> None:
    """Some corner is farther than 5 cm from all the others' places after any multiple of 60 deg, or a mirror through the
    axis."""
    points = np.concatenate([m.vertices for m in client])
    turns = [
        np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        for a in range(1, 6)
        if (c := np.cos(a * np.pi / 3), s := np.sin(a * np.pi / 3))
    ]
    mirrors = [np.diag([1.0, -1.0, 1.0]), np.diag([1.0, 1.0, -1.0])]
    for R in (*turns, *mirrors):
        there = points @ R.T
        apart = np.sqrt(((there[:, None, :] - points[None, :, :]) ** 2).sum(axis=2).min(axis=1).max())
        assert apart > 0.05


def overlapping(one: np.ndarray, two: np.ndarray) -> bool:
    """Of two triangles in one plane (2, 3 corners in 2-D): no edge of either parts them by more than a tenth of a millimetre."""
    for first, second in ((one, two), (two, one)):
        for k in range(3):
            edge = first[(k + 1) % 3] - first[k]
            normal = np.array([edge[1], -edge[0]]) / (np.hypot(*edge) or 1.0)
            a, b = first @ normal, second @ normal
            if a.max() <= b.min() + 1e-4 or b.max() <= a.min() + 1e-4:
                return False
    return True


@pytest.mark.parametrize("name", ["client_mockup", "client_full"])
def test_no_two_faces_coincide(name: str) -> None:
    """Faces of different parts in one plane (0.2 mm), looking the same way or opposite ones, nowhere cover each other."""
    drawn = parts(name)
    corners = np.concatenate([m.vertices[m.triangles] for m in drawn])
    normals = np.concatenate([face_normals(m.vertices, m.triangles) for m in drawn])
    part = np.repeat(np.arange(len(drawn)), [len(m.triangles) for m in drawn])
    sign = np.where(normals[np.arange(len(normals)), np.abs(normals).argmax(axis=1)] < 0.0, -1.0, 1.0)
    normals = normals * sign[:, None]
    level = np.einsum("ti,ti->t", normals, corners[:, 0])
    low, high = corners.min(axis=1), corners.max(axis=1)
    for t in range(len(part)):
        near = (part > part[t]) & (np.abs(level - level[t]) < 2e-4) & (normals @ normals[t] > 1.0 - 1e-6)
        near &= np.all((low <= high[t] + 2e-4) & (high >= low[t] - 2e-4), axis=1)
        across = [axis for axis in range(3) if axis != np.abs(normals[t]).argmax()]
        for other in np.flatnonzero(near):
            assert not overlapping(corners[t][:, across], corners[other][:, across]), (
                name,
                part[t],
                part[other],
                corners[t],
            )


def held(points: np.ndarray, shape: Shape, tolerance: float) -> np.ndarray:
    local = (points - shape.T_body_shape[:3, 3]) @ shape.T_body_shape[:3, :3]
    if shape.kind == "box":
        return np.all(np.abs(local) <= 0.5 * np.array(shape.size_m) + tolerance, axis=1)
    radius, length = shape.size_m
    return (np.hypot(local[:, 0], local[:, 1]) <= radius + tolerance) & (
        np.abs(local[:, 2]) <= 0.5 * length + tolerance
    )


@pytest.mark.parametrize(
    ("name", "body", "sticks_out_m"),
    [("client_mockup", ROBOT2 + MOCKUP, STICKS_OUT_M), ("servicer_mockup", ROBOT1 + MOCKUP, 0.03)],
)
def test_the_solids_that_are_watched_hold_all_that_is_seen(name: str, body: int, sticks_out_m: float) -> None:
    """Points all over every triangle; the cell's body margin (30 mm) covers what sticks out of the servicer."""
    shapes = [shape for shape in hall_shapes(load_cell()) if shape.body == body]
    weights = np.array([(i, j, 6 - i - j) for i, j in itertools.product(range(7), repeat=2) if i + j <= 6]) / 6.0
    for mesh in parts(name):
        points = np.einsum("pk,tki->tpi", weights, mesh.vertices[mesh.triangles]).reshape(-1, 3)
        assert np.any([held(points, shape, sticks_out_m) for shape in shapes], axis=0).all()


def test_the_bus_is_the_prism_of_the_epos_lid_target() -> None:
    """Half of x -0.381 … 0.458, apothem 0.734, side 0.8476 m; volume of the prism."""
    bus = next(m for m in parts("client_mockup") if len(m.triangles) == 20)
    a, b, c = (bus.vertices[bus.triangles[:, k]] for k in range(3))
    volume = np.einsum("ti,ti->", a, np.cross(b, c)) / 6.0
    assert volume == pytest.approx(0.4195 * 3.0 * 0.4238 * 0.367, rel=1e-4)
    np.testing.assert_allclose(bus.vertices.max(axis=0), (0.229, 0.4238, 0.367))


def drawer() -> ModuleType:
    path = Path(__file__).parents[3] / "tools" / "draw_client.py"
    spec = importlib.util.spec_from_file_location("draw_client", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_drawn_from_the_mock_up_is_as_it_was_drawn() -> None:
    made = drawer()
    assert (MODELS / "client_bus.obj").read_text() == made.bus()
    assert (MODELS / "client_dish.obj").read_text() == made.dish()
    assert (MODELS / "client_full.urdf").read_text() == made.full(MODELS / "client_mockup.urdf")


def test_full_scale_is_twice_the_mock_up_without_its_stand_off() -> None:
    half, full = urdf_mesh(MODELS / "client_mockup.urdf"), urdf_mesh(MODELS / "client_full.urdf")
    np.testing.assert_allclose(full.vertices.max(axis=0), 2.0 * half.vertices.max(axis=0), atol=1e-9)
    assert full.vertices[:, 0].min() == pytest.approx(-0.381)


def test_sensors_stand_where_the_servicer_draws_its_lens() -> None:
    robot = ET.parse(MODELS / "servicer_mockup.urdf").getroot()
    visuals = {v: m.attrib["name"] for v in robot.iter("visual") if (m := v.find("material")) is not None}
    places = [v.find("origin").attrib["xyz"].split() for v, name in visuals.items() if name == "lens"]  # type: ignore[union-attr]
    lens = np.array(places[0], dtype=float)
    for place in (Sensor().place_m, CameraSensor(name="eye", kind="camera").place_m):
        assert np.linalg.norm(np.array(place) - lens) <= 0.0021  # its glass is 2 mm thick
        assert place[0] < lens[0]  # before it, not within
