"""Drawings from files come back as they were written, in every format; what is wrong with one is named."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path

import numpy as np
import pytest

from proxops.core.errors import BadInput
from proxops.lab import gltf_file, obj_file, stl_file
from proxops.lab import surface as surface_module
from proxops.lab.mesh_file import read_surface
from proxops.lab.surface import Finish, Surface
from proxops.lab.winding import Edges

CUBE = np.array([(x, y, z) for x in (0.0, 0.4) for y in (0.0, 0.5) for z in (0.0, 0.6)])  # corner 4 x + 2 y + z
QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
FACES = np.array([t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))])
LOOK = {"baseColorFactor": [0.5, 0.4, 0.3, 1.0], "roughnessFactor": 0.6, "metallicFactor": 0.25}
VOLUME = 0.4 * 0.5 * 0.6


def stl(path: Path, corners: np.ndarray = CUBE, faces: np.ndarray = FACES) -> Path:
    rows = b"".join(bytes(12) + corners[face].astype("<f4").tobytes() + bytes(2) for face in faces)
    path.write_bytes(bytes(80) + len(faces).to_bytes(4, "little") + rows)
    return path


def ascii_stl(path: Path, corners: np.ndarray = CUBE, faces: np.ndarray = FACES) -> Path:
    facets = "".join(
        "facet normal 0 0 0\n outer loop\n"
        + "".join(f"  vertex {x} {y} {z}\n" for x, y, z in corners[face])
        + " endloop\nendfacet\n"
        for face in faces
    )
    path.write_text(f"solid cube\n{facets}endsolid cube\n")
    return path


def obj(path: Path, corners: np.ndarray = CUBE, faces: np.ndarray = FACES, head: str = "") -> Path:
    lines = [
        head,
        *(f"v {x} {y} {z}" for x, y, z in corners),
        *("f " + " ".join(str(1 + k) for k in face) for face in faces),
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def gltf(corners: np.ndarray = CUBE, faces: np.ndarray = FACES, **node: object) -> tuple[dict[str, object], bytes]:
    binary = faces.astype("<u2").tobytes() + corners.astype("<f4").tobytes()
    told = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"children": [1], "translation": [1.0, 0.0, 0.0]}, {"mesh": 0, **node}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 1}, "indices": 0, "material": 0}]}],
        "materials": [{"name": "body", "pbrMetallicRoughness": LOOK}],
        "accessors": [
            {"bufferView": 0, "componentType": 5123, "count": faces.size, "type": "SCALAR"},
            {"bufferView": 1, "componentType": 5126, "count": len(corners), "type": "VEC3"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 2 * faces.size},
            {"buffer": 0, "byteOffset": 2 * faces.size, "byteLength": 12 * len(corners)},
        ],
        "buffers": [{"byteLength": len(binary)}],
    }  # fmt: skip
    return told, binary


def glb(path: Path, *of: np.ndarray, **node: object) -> Path:
    told, binary = gltf(*of, **node)
    text = json.dumps(told).encode()
    text += b" " * (-len(text) % 4)
    binary += bytes(-len(binary) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(binary), 0x004E4942) + binary
    path.write_bytes(b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body)
    return path


def gltf_text(path: Path, *of: np.ndarray) -> Path:
    told, binary = gltf(*of)
    uri = "data:application/octet-stream;base64," + base64.b64encode(binary).decode()
    told["buffers"] = [{"byteLength": len(binary), "uri": uri}]
    path.write_text(json.dumps(told))
    return path


WRITERS = {"a.stl": stl, "b.STL": ascii_stl, "c.obj": obj, "d.glb": glb, "e.gltf": gltf_text}


def volume(surface: Surface) -> float:
    a, b, c = (surface.vertices[surface.triangles[:, k]] for k in range(3))
    return float(np.einsum("ti,ti->", a, np.cross(b, c)) / 6.0)


@pytest.mark.parametrize("name", WRITERS)
def test_a_body_comes_back_from_every_format(tmp_path: Path, name: str) -> None:
    surface, warnings = read_surface(WRITERS[name](tmp_path / name))
    assert warnings == () and len(surface.triangles) == 12
    assert volume(surface) == pytest.approx(VOLUME, rel=1e-6)
    start = (1.0, 0.0, 0.0) if name[0] in "de" else (0.0, 0.0, 0.0)  # the parent node's place
    np.testing.assert_allclose(surface.vertices.min(axis=0), start, atol=1e-7)
    np.testing.assert_allclose(surface.extent_m, (0.4, 0.5, 0.6), atol=1e-7)
    faces = np.cross(
        *(surface.vertices[surface.triangles[:, k]] - surface.vertices[surface.triangles[:, 0]] for k in (1, 2))
    )
    faces /= np.linalg.norm(faces, axis=1, keepdims=True)
    np.testing.assert_allclose(surface.corner_normals, np.repeat(faces[:, None], 3, axis=1), atol=1e-6)


def test_scales_also_mirrored_ones_keep_the_outside_outside(tmp_path: Path) -> None:
    path = stl(tmp_path / "a.stl", 1000.0 * CUBE)
    assert volume(read_surface(path, 0.001).surface) == pytest.approx(VOLUME, rel=1e-6)
    surface, warnings = read_surface(path, (-0.001, 0.002, 0.001))
    assert warnings == () and volume(surface) == pytest.approx(2.0 * VOLUME, rel=1e-6)
    for wrong in (0.0, float("nan")):
        with pytest.raises(BadInput, match="scale of a drawing"):
            read_surface(path, wrong)


def test_nodes_turn_scale_and_mirror(tmp_path: Path) -> None:
    turned = read_surface(
        glb(tmp_path / "a.glb", rotation=[0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)], scale=[2.0, 1.0, 1.0])
    ).surface
    np.testing.assert_allclose(turned.extent_m, (0.5, 0.8, 0.6), atol=1e-7)  # scaled, then a quarter turn about z
    mirrored, warnings = read_surface(glb(tmp_path / "b.glb", scale=[-1.0, 1.0, 1.0]))
    assert warnings == () and volume(mirrored) == pytest.approx(VOLUME, rel=1e-6)
    by_columns = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]
    placed = read_surface(glb(tmp_path / "c.glb", matrix=by_columns)).surface
    np.testing.assert_allclose(placed.vertices.min(axis=0), (5.5, 6.0, 7.0), atol=1e-6)


def test_colours_and_normals_that_files_give(tmp_path: Path) -> None:
    (tmp_path / "c.mtl").write_text("newmtl paint\nKd 0.5 0.5 0.5\nNs 30\nnewmtl cells\nKd 0 0 0.2\n")
    text = "mtllib c.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0.6 0.8\n"
    text += "usemtl paint\nf 1//1 2//1 3//1\nusemtl cells\nf -4 -2 -1\n"
    (tmp_path / "c.obj").write_text(text)
    surface = read_surface(tmp_path / "c.obj").surface
    assert [surface.finishes[k].name for k in surface.finish] == ["paint", "cells"]
    assert surface.finishes[surface.finish[0]].linear_rgb == pytest.approx((0.2140,) * 3, abs=1e-4)
    np.testing.assert_allclose(surface.corner_normals[0, 0], (0.0, 0.6, 0.8), atol=1e-7)
    np.testing.assert_allclose(surface.corner_normals[1, 0], (0.0, 0.0, 1.0), atol=1e-7)
    assert read_surface(glb(tmp_path / "d.glb")).surface.finishes == (Finish("body", (0.5, 0.4, 0.3), 0.6, 0.25),)


def test_polygons_become_fans(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text(
        "\n".join(
            ["", *(f"v {x} {y} {z}" for x, y, z in CUBE), *("f " + " ".join(str(1 + k) for k in q) for q in QUADS)]
        )
    )
    surface, warnings = read_surface(tmp_path / "a.obj")
    assert warnings == () and volume(surface) == pytest.approx(VOLUME)


def told(path: Path, **options: float) -> str:
    (warning,) = read_surface(path, **options).warnings
    return warning


def test_a_hole_is_told_and_lived_with(tmp_path: Path) -> None:
    path = obj(tmp_path / "a.obj", faces=FACES[:-1])
    assert "3 open edges" in told(path) and str(path) in told(path)


def test_triangles_without_area_drop_out_and_are_counted(tmp_path: Path) -> None:
    more = np.concatenate([FACES, [(0, 0, 1), (2, 5, 2)]])
    surface, (warning,) = read_surface(obj(tmp_path / "a.obj", faces=more))
    assert "2 of 14 triangles have no area" in warning and len(surface.triangles) == 12


@pytest.mark.parametrize("turned", [(3,), (0, 4, 7), (0, 1, 2, 3, 4, 5, 6, 7)])
def test_neighbours_that_disagree_are_turned(tmp_path: Path, turned: tuple[int, ...]) -> None:
    faces = FACES.copy()
    faces[list(turned)] = faces[list(turned)][:, ::-1]
    surface, (warning,) = read_surface(obj(tmp_path / "a.obj", faces=faces))
    assert f"{len(turned)} of 12 triangles were turned" in warning and volume(surface) == pytest.approx(VOLUME)


def test_a_part_that_is_inside_out_is_turned_and_a_cavity_is_not(tmp_path: Path) -> None:
    both = np.concatenate([CUBE, CUBE + np.array((1.0, 0.0, 0.0))])
    surface, (warning,) = read_surface(obj(tmp_path / "a.obj", both, np.concatenate([FACES, 8 + FACES[:, ::-1]])))
    assert "12 of 24" in warning and "inside out" in warning and volume(surface) == pytest.approx(2.0 * VOLUME)
    within = np.concatenate([CUBE, 0.1 + 0.5 * CUBE])
    surface, warnings = read_surface(obj(tmp_path / "b.obj", within, np.concatenate([FACES, 8 + FACES[:, ::-1]])))
    assert warnings == () and volume(surface) == pytest.approx(0.875 * VOLUME)


def test_an_open_sheet_keeps_the_side_that_it_has(tmp_path: Path) -> None:
    surface, _ = read_surface(obj(tmp_path / "a.obj", faces=FACES[:2]))
    assert np.array_equal(surface.triangles, read_surface(obj(tmp_path / "b.obj", faces=FACES[:2])).surface.triangles)
    np.testing.assert_allclose(surface.corner_normals[0, 0], (-1.0, 0.0, 0.0))


def test_millimetres_are_refused_with_the_way_out(tmp_path: Path) -> None:
    large = stl(tmp_path / "a.stl", 1000.0 * CUBE)
    with pytest.raises(BadInput, match=r"600 m.*100 m.*scale of 0\.001"):
        read_surface(large)
    small = stl(tmp_path / "b.stl", 20.0 * CUBE)  # 12 m: may be a spacecraft, but not this one
    assert read_surface(small).warnings == ()
    with pytest.raises(BadInput, match=r"scale of 0\.001"):
        read_surface(small, expected_m=0.012)
    with pytest.raises(BadInput, match="scaled twice"):
        read_surface(large, 1e-6 * 10, expected_m=6.0)
    with pytest.raises(BadInput, match="too small"):
        read_surface(large, 1e-6)


@pytest.mark.parametrize("name", WRITERS)
def test_too_many_triangles_are_refused(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surface_module, "MOST_TRIANGLES", 10)
    with pytest.raises(BadInput, match=r"too many triangles.*12.*10.*decimate"):
        read_surface(WRITERS[name](tmp_path / name))


def test_ten_million_triangles_are_refused_before_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the count in a head; by lines that are counted in pieces, which end with the bound."""
    stl_path, glb_path, obj_path = (tmp_path / name for name in ("big.stl", "big.glb", "big.obj"))
    with stl_path.open("wb") as file:  # 500 MB that are a hole on the disk
        file.write(bytes(80) + (10_000_000).to_bytes(4, "little"))
        file.truncate(84 + 50 * 10_000_000)
    glb(glb_path)
    obj_path.write_bytes(b"v 0 0 0\n" + 30 * b"f 1 1 1\n")
    monkeypatch.setattr(surface_module, "PIECE_BYTES", 50)
    for module in (stl_file, gltf_file, obj_file):
        monkeypatch.setattr(module, "read_bytes", lambda *_: pytest.fail("read as a whole"))
    with pytest.raises(BadInput, match="10,000,000"):
        read_surface(stl_path)
    monkeypatch.setattr(surface_module, "MOST_TRIANGLES", 10)
    for path in (glb_path, obj_path):
        with pytest.raises(BadInput, match=r"too many triangles"):
            read_surface(path)


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_is_cut_short_is_named(tmp_path: Path, name: str) -> None:
    path = WRITERS[name](tmp_path / name)
    if name[0] == "c":
        path.write_bytes(path.read_bytes()[:-4])  # within the last face
    else:
        path.write_bytes(path.read_bytes()[:-60])
    with pytest.raises(BadInput, match=r"cut short|cannot be read"):
        read_surface(path)


@pytest.mark.parametrize("name", ["a.stl", "c.obj", "d.glb", "e.gltf"])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00" * 20,
        b"hello, this is no mesh\n" * 20,
        b"\x89PNG\r\n" + bytes(range(256)) * 4,
        b"{}",
        b"[1]",
        b"null",
    ],
)
def test_what_is_no_mesh_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadInput):
        read_surface(path)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
@pytest.mark.parametrize("name", WRITERS)
def test_corners_that_are_no_numbers_are_refused(tmp_path: Path, name: str, wrong: float) -> None:
    corners = CUBE.copy()
    corners[3, 1] = wrong
    with pytest.raises(BadInput, match="no numbers"):
        read_surface(WRITERS[name](tmp_path / name, corners))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("f 1 2 9", "corner 9 of 8"),
        ("f 0 1 2", "corner 0"),
        ("f 1 2", "three corners"),
        ("v 1 2", "three numbers"),
        ("f a b c", "cannot be read"),
    ],
)
def test_a_wrong_line_of_an_obj_is_named_with_its_number(tmp_path: Path, line: str, why: str) -> None:
    path = obj(tmp_path / "a.obj")
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(BadInput, match=f"line 22.*{why}|{why}.*line 22"):
        read_surface(path)


def test_what_glTF_can_say_and_we_do_not_read_is_named(tmp_path: Path) -> None:
    data, _ = gltf()
    data["extensionsRequired"] = ["KHR_draco_mesh_compression"]
    (tmp_path / "a.gltf").write_text(json.dumps(data))
    with pytest.raises(BadInput, match="compressed geometry"):
        read_surface(tmp_path / "a.gltf")
    data, _ = gltf()
    data["buffers"] = [{"byteLength": 8, "uri": "../../etc/passwd"}]
    (tmp_path / "b.gltf").write_text(json.dumps(data))
    with pytest.raises(BadInput, match="beside it"):
        read_surface(tmp_path / "b.gltf")
    data["nodes"][0]["children"] = [0]  # type: ignore[index]
    (tmp_path / "c.gltf").write_text(json.dumps(data))
    with pytest.raises(BadInput, match="circle"):
        read_surface(tmp_path / "c.gltf")


def test_other_endings_are_refused_with_those_that_are_read(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"\.step.*\.stl"):
        read_surface(tmp_path / "craft.step")


def test_edges_of_a_closed_body_belong_to_two_triangles_each() -> None:
    edges = Edges.of(FACES)
    assert len(edges.uses) == 18 and np.all(edges.uses == 2)
