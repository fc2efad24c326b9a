"""Solids and bodies of the hall against our own kinematics and against Pinocchio's reading of the same files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell, builtin
from proxops.lab.coordinates import flange_poses, port_poses
from proxops.lab.shapes import (
    BODIES,
    CARRIAGE,
    FLANGE,
    FLOOR,
    MOCKUP,
    RAIL,
    ROBOT1,
    ROBOT2,
    Shape,
    body_poses,
    floor_z_m,
    hall_shapes,
)  # fmt: skip
from proxops.lab.urdf import LINKS

Array = NDArray[np.float64]
MODELS = {ROBOT1: "kr_100_ha.urdf", ROBOT2: "kr_240_2.urdf"}


@pytest.fixture(scope="module")
def cell() -> Cell:
    return load_cell()


@pytest.fixture(scope="module")
def axes(cell: Cell) -> Array:
    """Axes all over their ranges, endless ones over several turns."""
    rng = np.random.default_rng(41)
    lower, upper = np.clip(cell.axes.lower, -20.0, None), np.clip(cell.axes.upper, None, 20.0)
    return rng.uniform(lower, upper, (200, 13))


def posed(cell: Cell, q: Array) -> Array:
    out = np.full((len(BODIES), 4, 4), np.nan)
    body_poses(cell.hall, q, out)
    return out


def test_flanges_and_mock_ups_are_where_the_kinematics_has_flanges_and_ports(cell: Cell, axes: Array) -> None:
    for q in axes:
        T = posed(cell, q)
        for found, expected in zip(
            (T[ROBOT1 + FLANGE], T[ROBOT2 + FLANGE], T[ROBOT1 + MOCKUP], T[ROBOT2 + MOCKUP]),
            (*flange_poses(cell.hall, q), *port_poses(cell.hall, q)),
            strict=True,
        ):
            np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize(("start", "first_axis"), [(ROBOT1, 1), (ROBOT2, 7)])
def test_every_link_is_where_pinocchio_has_it(cell: Cell, axes: Array, start: int, first_axis: int) -> None:
    model = pin.buildModelFromUrdf(str(builtin("models", MODELS[start])))
    data = model.createData()
    for q in axes[:60]:
        T = posed(cell, q)
        pin.framesForwardKinematics(model, data, q[first_axis : first_axis + 6])
        for i, link in enumerate(LINKS):
            T_base_link = data.oMf[model.getFrameId(link)].homogeneous
            np.testing.assert_allclose(T[start + i], T[start] @ T_base_link, atol=1e-12)


def test_rail_carriage_and_bases_stand_as_the_cell_file_says(cell: Cell) -> None:
    q = cell.home.copy()
    q[0] = 7.25
    T = posed(cell, q)
    np.testing.assert_allclose(T[FLOOR], np.eye(4))
    np.testing.assert_allclose(T[RAIL][:3, 3], (0.0, 0.0, -1.5))
    np.testing.assert_allclose(T[CARRIAGE][:3, 3], (7.25, 0.0, -1.5))
    np.testing.assert_allclose(T[ROBOT1], [[-1, 0, 0, 7.25], [0, -1, 0, 0], [0, 0, 1, -1.5], [0, 0, 0, 1]], atol=1e-15)
    np.testing.assert_allclose(T[ROBOT2][:3, 3], (0.0, 1.5, -1.5))


@pytest.mark.parametrize(
    ("name", "bodies"),
    [
        ("kl_1500.urdf", {"rail": RAIL, "carriage": CARRIAGE}),
        ("kr_100_ha.urdf", {link: ROBOT1 + i for i, link in enumerate(LINKS)}),
        ("kr_240_2.urdf", {link: ROBOT2 + i for i, link in enumerate(LINKS)}),
        ("servicer_mockup.urdf", {"port": ROBOT1 + MOCKUP}),
        ("client_mockup.urdf", {"port": ROBOT2 + MOCKUP}),
    ],
)
def test_solids_are_those_that_pinocchio_reads(cell: Cell, name: str, bodies: dict[str, int]) -> None:
    path = str(builtin("models", name))
    model = pin.buildModelFromUrdf(path)
    theirs = pin.buildGeomFromUrdf(model, path, pin.GeometryType.COLLISION).geometryObjects
    ours = [s for s in hall_shapes(cell) if s.body in bodies.values()]
    assert len(ours) == len(theirs)
    for link, body in bodies.items():
        frame = model.frames[model.getFrameId(link)]
        at_link = [g for g in theirs if g.name.startswith(f"{link}_") and g.name.removeprefix(f"{link}_").isdigit()]
        for shape, geometry in zip([s for s in ours if s.body == body], at_link, strict=True):
            T_link_shape = (frame.placement.inverse() * geometry.placement).homogeneous
            np.testing.assert_allclose(shape.T_body_shape, T_link_shape, atol=1e-12)
            solid = geometry.geometry
            if shape.kind == "box":
                np.testing.assert_allclose(shape.size_m, 2 * np.asarray(solid.halfSide))
            else:
                np.testing.assert_allclose(shape.size_m, (solid.radius, 2 * solid.halfLength))


def test_the_rail_tells_where_the_floor_is(cell: Cell) -> None:
    assert floor_z_m(hall_shapes(cell)) == pytest.approx(-1.856, abs=1e-12)


def test_ends_and_radius_hold_the_solid_and_touch_it() -> None:
    """Against points all over the surface, of a cylinder and a box in general attitude."""
    rng = np.random.default_rng(42)
    T = np.eye(4)
    T[:3, :3], _ = np.linalg.qr(rng.normal(size=(3, 3)))
    T[:3, 3] = rng.normal(size=3)
    angle = np.linspace(0.0, 2.0 * math.pi, 4001)
    rim = np.stack((0.3 * np.cos(angle), 0.3 * np.sin(angle), np.full_like(angle, 0.6)))
    corners = np.array(np.meshgrid((-0.1, 0.1), (-0.2, 0.2), (-0.4, 0.4))).reshape(3, -1)
    for kind, size, surface in (
        ("cylinder", (0.3, 1.2), np.concatenate((rim, -rim), axis=1)),
        ("box", (0.2, 0.4, 0.8), corners),
    ):
        shape = Shape("s", ROBOT1, kind, size, T)  # type: ignore[arg-type]
        points = T[:3, :3] @ surface + T[:3, 3:]
        lower, upper = shape.extent_m()
        np.testing.assert_allclose(lower, points.min(axis=1), atol=1e-6)
        np.testing.assert_allclose(upper, points.max(axis=1), atol=1e-6)
        assert shape.radius_m == pytest.approx(np.linalg.norm(surface, axis=0).max())


WEIGHED = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ('<geometry><mesh filename="x.stl"/></geometry>', "mesh"),
        ('<geometry><box size="1 2"/></geometry>', "3 of them"),
        ('<geometry><box size="0 1 2"/></geometry>', "sizes above zero"),
        ('<geometry><sphere radius="nan"/></geometry>', "finite"),
        ("", "nothing"),
    ],
)
def test_a_solid_that_cannot_be_watched_is_refused(tmp_path: Path, wrong: str, told: str) -> None:
    """A mock-up beside the cell file comes before the shipped one."""
    source = tmp_path / "cell.toml"
    source.write_text(builtin("cells", "epos.toml").read_text())
    mockup = f'<robot name="m"><link name="port">{WEIGHED}<collision>{wrong}</collision></link></robot>'
    (tmp_path / "servicer_mockup.urdf").write_text(mockup)
    with pytest.raises(BadInput, match=told):
        hall_shapes(load_cell(source))
