"""Objects that cannot be are refused with the key that is wrong; what a solid's inertia is left to be, is right."""

import struct
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from proxops.core.errors import BadInput
from proxops.core.floating_object import BoxTable, FloatingScene, ObjectTable, ObstacleTable, inertia_matrix
from proxops.core.strict_table import Strict, judge_table
from proxops.space.floating_model import floating_model

SOURCE = Path("mine.toml")
CUBE: dict[str, Any] = {"shape": "box", "size_m": (0.3, 0.3, 0.3), "mass_kg": 8.0}
ROOM: dict[str, Any] = {"size_m": (1.0, 1.2, 1.4)}


def judged(change: dict[str, Any], kind: type[Strict] = ObjectTable, base: dict[str, Any] = CUBE) -> Strict:
    return judge_table({**base, **change}, kind, SOURCE)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mass_kg": 0.0}, "mass_kg: out of range"),
        ({"mass_kg": -8.0}, "mass_kg: out of range"),
        ({"mass_kg": float("nan")}, "mass_kg: out of range"),
        ({"mass_kg": True}, "mass_kg: not a number"),
        ({"inertia_kg_m2": (1.0, 1.0, 2.1, 0.0, 0.0, 0.0)}, "triangle inequality"),
        ({"inertia_kg_m2": (1.0, 1.0, 1.0, 0.9, 0.0, 0.0)}, "triangle inequality"),  # principal 0.1, 1, 1.9
        ({"inertia_kg_m2": (1.0, 1.0, 1.0, 1.1, 0.0, 0.0)}, "positive definite"),
        ({"inertia_kg_m2": (0.0, 1.0, 1.0, 0.0, 0.0, 0.0)}, "positive definite"),
        ({"inertia_kg_m2": (1.0, 1.0, float("inf"), 0.0, 0.0, 0.0)}, "inertia_kg_m2"),
        ({"restitution": 1.01}, "restitution: out of range"),
        ({"restitution": -0.1}, "restitution: out of range"),
        ({"friction": -0.1}, "friction: out of range"),
        ({"size_m": (0.3, 0.3)}, "size_m: not usable"),
        ({"size_m": (0.3, 0.0, 0.3)}, "size_m"),
        ({"shape": "sphere"}, "size_m: not usable"),
        ({"shape": "cone"}, "shape: not one of the choices"),
        ({"shape": "mesh", "size_m": (), "file": "cube.dae"}, "file: not usable"),
        ({"shape": "mesh", "size_m": ()}, "file: not usable"),
        ({"file": "cube.stl"}, "file: not usable"),
        ({"place_m": (0.0, 0.0, float("nan"))}, "place_m"),
        ({"colour": "red"}, "colour: unknown key"),
    ],
)
def test_an_object_that_cannot_be(change: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        judged(change)


def test_what_lies_on_the_bound_can_be() -> None:
    judged({"inertia_kg_m2": (1.0, 1.0, 2.0, 0.0, 0.0, 0.0)})  # a disc
    judged({"restitution": 0.0})
    judged({"restitution": 1.0})


@pytest.mark.parametrize(
    ("change", "words"),
    [({"size_m": (1.0, -1.0, 1.0)}, "size_m"), ({"restitution": 2.0}, "restitution"), ({"friction": 3.0}, "friction")],
)
def test_a_room_that_cannot_be(change: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        judged(change, BoxTable, ROOM)


def scene(
    objects: list[dict[str, Any]], obstacles: list[dict[str, Any]] | None = None, source: Path = SOURCE
) -> FloatingScene:
    return FloatingScene(
        tuple(ObjectTable(**{**CUBE, **change}) for change in objects),
        tuple(ObstacleTable(**row) for row in obstacles or []),
        BoxTable(**ROOM),
        source,
    )


def refused(*arguments: Any, **named: Any) -> str:
    with pytest.raises(BadInput) as caught:
        floating_model(scene(*arguments, **named), 5e-4, 60.0)
    return str(caught.value)


@pytest.mark.parametrize("size", [(1.5, 0.1, 0.1), (1.1, 1.1, 1.1), (0.9, 1.3, 1.3)])
def test_an_object_larger_than_the_box(size: tuple[float, float, float]) -> None:
    text = refused([{"name": "hull", "size_m": size}])
    assert "object (hull).size_m: larger than the box" in text
    assert "mine.toml" in text


def test_a_long_object_may_lie_the_other_way() -> None:
    floating_model(scene([{"size_m": (0.2, 0.2, 1.3)}]), 5e-4, 60.0)


def test_an_object_that_starts_in_a_wall() -> None:
    text = refused([{"place_m": (0.36, 0.0, 0.0)}])  # 0.5 - 0.15 = 0.35 would touch
    assert "object.place_m: starts 10 mm inside wall +x" in text
    floating_model(scene([{"place_m": (0.35, 0.0, 0.0)}]), 5e-4, 60.0)
    assert "inside wall -z" in refused([{"place_m": (0.0, 0.0, -0.6)}])
    assert "inside wall +y" in refused([{"place_m": (0.0, 5.0, 0.0)}])  # quite outside the room
    turned = refused([{"place_m": (0.34, 0.0, 0.0), "turn_deg": (0.0, 0.0, 45.0)}])  # a corner reaches 0.212 m
    assert "starts 52.1 mm inside wall +x" in turned


def test_objects_and_obstacles_that_start_in_each_other() -> None:
    ball = {"shape": "sphere", "size_m": (0.1,), "place_m": (0.24, 0.0, 0.0), "name": "lamp"}
    assert "object.place_m: starts 10 mm inside obstacle 1 (lamp)" in refused([{}], [ball])
    assert "object 2.place_m: starts 50 mm inside object 1" in refused([{}, {"place_m": (0.0, 0.25, 0.0)}])
    bead = {"shape": "sphere", "size_m": (0.1,), "place_m": (0.2, 0.0, 0.0), "name": "bead"}
    block = {"shape": "box", "size_m": (0.3, 0.3, 0.3)}
    assert "object (bead).place_m: starts 50 mm inside obstacle 1" in refused([bead], [block])
    swallowed = {"shape": "cylinder", "size_m": (0.02, 0.02)}
    assert "inside obstacle 1" in refused([{}], [swallowed])


def test_obstacles_may_stand_in_walls_and_in_each_other() -> None:
    shelf = {"shape": "box", "size_m": (0.4, 1.2, 0.05), "place_m": (0.4, 0.0, 0.3)}
    post = {"shape": "capsule", "size_m": (0.03, 1.2), "place_m": (0.4, 0.3, 0.0)}
    floating_model(scene([{}], [shelf, post]), 5e-4, 60.0)


def test_no_object() -> None:
    with pytest.raises(BadInput, match="object: is missing"):
        scene([])


@pytest.mark.parametrize(
    ("shape", "size", "kind"),
    [
        ("box", (0.3, 0.2, 0.5), mujoco.mjtGeom.mjGEOM_BOX),
        ("sphere", (0.2,), mujoco.mjtGeom.mjGEOM_SPHERE),
        ("cylinder", (0.1, 0.5), mujoco.mjtGeom.mjGEOM_CYLINDER),
        ("capsule", (0.1, 0.5), mujoco.mjtGeom.mjGEOM_CAPSULE),
    ],
)
def test_inertia_of_solids_is_the_one_of_another_engine(shape: Any, size: tuple[float, ...], kind: Any) -> None:
    table, spec = ObjectTable(shape=shape, size_m=size, mass_kg=8.0), mujoco.MjSpec()
    half = np.array(size) * (0.5 if shape == "box" else np.array([1.0, 0.5])[: len(size)])
    spec.worldbody.add_body().add_geom(type=kind, size=np.pad(half, (0, 3 - len(half))), mass=8.0)
    model = spec.compile()
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[1])  # MuJoCo sorts the moments
    theirs = R.reshape(3, 3) @ np.diag(model.body_inertia[1]) @ R.reshape(3, 3).T
    assert table.inertia == pytest.approx(theirs, rel=1e-9, abs=1e-12)


def write_box(path: Path, low: tuple[float, float, float], high: tuple[float, float, float]) -> None:
    """Binary STL of a box: twelve triangles, outward."""
    corner = [np.array([(low, high)[i >> k & 1][k] for k in range(3)]) for i in range(8)]
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    rows = b""
    for a, b, c, d in quads:
        for triangle in ((a, b, c), (a, c, d)):
            rows += struct.pack("<12fH", 0, 0, 0, *np.concatenate([corner[i] for i in triangle]), 0)
    path.write_bytes(bytes(80) + struct.pack("<I", 12) + rows)


def test_a_mesh_brings_mass_centre_and_inertia(tmp_path: Path) -> None:
    """A box as a mesh in millimetres, its frame in a corner: the same body as the box."""
    write_box(tmp_path / "module.stl", (0.0, 0.0, 0.0), (300.0, 200.0, 500.0))
    table = {"shape": "mesh", "size_m": (), "file": "module.stl", "scale_m": 1e-3}
    model = floating_model(scene([table], source=tmp_path / "mine.toml"), 5e-4, 60.0)
    assert model.mass_centre[0] == pytest.approx([0.15, 0.10, 0.25], abs=1e-8)  # STL: single precision
    box = ObjectTable(size_m=(0.3, 0.2, 0.5), mass_kg=8.0).inertia
    assert model.inertia[0] == pytest.approx(box, rel=1e-6, abs=1e-8)
    inside = refused([{**table, "place_m": (0.25, 0.0, 0.0)}], source=tmp_path / "mine.toml")
    assert "starts 50 mm inside wall +x" in inside
    given = {**table, "inertia_kg_m2": (0.3, 0.4, 0.5, 0.0, 0.1, 0.0), "mass_centre_m": (0.1, 0.1, 0.2)}
    model = floating_model(scene([given], source=tmp_path / "mine.toml"), 5e-4, 60.0)
    assert model.inertia[0] == pytest.approx(inertia_matrix((0.3, 0.4, 0.5, 0.0, 0.1, 0.0)))
    assert model.mass_centre[0] == pytest.approx([0.1, 0.1, 0.2])


def test_a_mesh_that_cannot_be_used(tmp_path: Path) -> None:
    table = {"shape": "mesh", "size_m": (), "file": "module.stl"}
    assert "object.file: no such file" in refused([table], source=tmp_path / "mine.toml")
    (tmp_path / "module.stl").write_bytes(b"solid nothing\nendsolid nothing\n")
    assert "object.file" in refused([table], source=tmp_path / "mine.toml")
    write_box(tmp_path / "module.stl", (-2.0, -0.1, -0.1), (2.0, 0.1, 0.1))
    assert "object.size_m: larger than the box" in refused([table], source=tmp_path / "mine.toml")
