"""glTF 2.0 and GLB: triangles of the default scene with their nodes' transforms, base colour, roughness and metallic share.

Axes are the file's (Blender exports y up unless told otherwise). Textures, skins, morphs, cameras and animations are passed
over; compressed geometry and sparse accessors are refused by name.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.user_file import opened, read_bytes
from proxops.lab.surface import MOST_TRIANGLES, Finish, Surface, demand_count
from proxops.maths.rotation import matrix_from_quat

LARGEST_BYTES: Final = 120 * MOST_TRIANGLES
DESCRIPTION_BYTES: Final = 64_000_000
DEEPEST: Final = 64  # nodes in nodes
GLB: Final = b"glTF"
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942
TYPES: Final = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS: Final = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
STRIP, FAN, TRIANGLES = 5, 6, 4
WHAT: Final = "the glTF file"
Floats = NDArray[np.float64]


def read_gltf(path: Path) -> Surface:
    """As the file has it: neither scaled nor judged."""
    try:
        return _Scene(path, *_parts(path)).surface()
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError) as reason:
        raise BadInput(f"{WHAT} cannot be read: {type(reason).__name__} {reason}"[:160], where=str(path)) from None


def _parts(path: Path) -> tuple[Any, tuple[int, int]]:
    """The description and, of a GLB, from where to where its binary chunk goes: what follows may be judged by its counts
    first."""
    with os.fdopen(opened(path, WHAT), "rb") as file:
        head, size = file.read(20), os.fstat(file.fileno()).st_size
        if not head.startswith(GLB):
            return json.loads(read_bytes(path, WHAT, LARGEST_BYTES)), (0, 0)
        total, length, kind = (int.from_bytes(head[k : k + 4], "little") for k in (8, 12, 16))
        if size < max(total, 20):
            raise BadInput(
                f"{WHAT} is cut short", where=str(path), value=f"{size:,} bytes", bound=f"{total:,} as its head says"
            )
        if kind != JSON_CHUNK or length > DESCRIPTION_BYTES:
            raise ValueError("it does not begin with a description")
        told = json.loads(file.read(length))
        begin = 28 + length
        chunk = file.read(8)
    binary = int.from_bytes(chunk[:4], "little") if int.from_bytes(chunk[4:], "little") == BINARY_CHUNK else 0
    return told, (begin, begin + binary)


class _Scene:
    """A description with its buffers."""

    def __init__(self, path: Path, told: Any, binary: tuple[int, int]) -> None:
        self._path, self._told, self._binary = path, told, binary
        self._buffers: dict[int, bytes] = {}
        compressed = [name for name in told.get("extensionsRequired", ()) if "draco" in name or "meshopt" in name]
        if compressed:
            raise BadInput(
                f"{WHAT} has compressed geometry", where=str(path), value=compressed[0], way_out="export without"
            )

    def surface(self) -> Surface:
        drawn = [
            (T, part) for T, mesh in self._nodes() for part in mesh["primitives"] if part.get("mode", 4) in (4, 5, 6)
        ]
        demand_count(sum(self._count(part) for _, part in drawn), str(self._path))
        pieces = [self._piece(T, part) for T, part in drawn]
        offsets = np.cumsum([0, *(len(piece[0]) for piece in pieces)])
        triangles = [piece[1] + offset for piece, offset in zip(pieces, offsets, strict=False)]
        finishes = tuple(dict.fromkeys(piece[3] for piece in pieces))
        return Surface(
            np.concatenate([piece[0] for piece in pieces]), np.concatenate(triangles).astype(np.int32),
            np.concatenate([piece[2] for piece in pieces]),
            np.concatenate([np.full(len(piece[1]), finishes.index(piece[3]), np.int16) for piece in pieces]), finishes,
        )  # fmt: skip

    def _nodes(self) -> list[tuple[Floats, Any]]:
        """T_file_mesh and mesh of every node of the scene that shows one."""
        told, found = self._told, list[tuple[Floats, Any]]()
        nodes = told.get("nodes", [])
        scenes = told.get("scenes", [])
        roots = scenes[told.get("scene", 0)].get("nodes", []) if scenes else range(len(nodes))
        open_ = [(np.eye(4), int(root), 0) for root in roots]
        while open_:
            T_file_parent, number, depth = open_.pop()
            if depth > DEEPEST or len(found) > MOST_TRIANGLES:
                raise ValueError("nodes in a circle")
            node = nodes[number]
            T = T_file_parent @ _transform(node)
            if "mesh" in node:
                found.append((T, told["meshes"][node["mesh"]]))
            open_ += [(T, int(child), depth + 1) for child in node.get("children", ())]
        return found

    def _count(self, part: Any) -> int:
        corners = int(self._told["accessors"][part.get("indices", part["attributes"]["POSITION"])]["count"])
        return corners // 3 if part.get("mode", 4) == TRIANGLES else max(0, corners - 2)

    def _piece(self, T: Floats, part: Any) -> tuple[Floats, NDArray[np.int64], NDArray[np.float32], Finish]:
        vertices = self._accessor(part["attributes"]["POSITION"]).astype(np.float64) @ T[:3, :3].T + T[:3, 3]
        indices = self._accessor(part["indices"]).ravel() if "indices" in part else np.arange(len(vertices))
        triangles = _triangles(indices.astype(np.int64), part.get("mode", 4))
        if np.linalg.det(T[:3, :3]) < 0.0:  # mirrored: what was outside would be inside
            triangles = triangles[:, ::-1]
        if len(triangles) and int(triangles.max()) >= len(vertices):
            raise ValueError(f"corner {int(triangles.max())} of {len(vertices)}")
        normals = np.zeros((len(triangles), 3, 3), np.float32)
        if "NORMAL" in part["attributes"]:
            turned = self._accessor(part["attributes"]["NORMAL"]).astype(np.float64) @ np.linalg.inv(T[:3, :3])
            length = np.linalg.norm(turned, axis=1, keepdims=True)
            normals = np.divide(turned, length, out=np.zeros_like(turned), where=length > 0.0)[triangles].astype(
                np.float32
            )
        return vertices, triangles, normals, self._finish(part.get("material"))

    def _accessor(self, number: int) -> NDArray[Any]:
        accessor = self._told["accessors"][number]
        if "sparse" in accessor or "bufferView" not in accessor:
            raise ValueError("sparse accessors are not read")
        view = self._told["bufferViews"][accessor["bufferView"]]
        kind, width, count = (
            np.dtype(TYPES[accessor["componentType"]]),
            WIDTHS[accessor["type"]],
            int(accessor["count"]),
        )
        data, begin = self._buffer(view["buffer"]), int(view.get("byteOffset", 0)) + int(accessor.get("byteOffset", 0))
        stride = int(view.get("byteStride", 0)) or width * kind.itemsize
        if begin < 0 or count < 1 or begin + stride * (count - 1) + width * kind.itemsize > len(data):
            raise BadInput(f"{WHAT} is cut short", where=str(self._path), value=f"{len(data):,} bytes of buffer")
        rows = np.ndarray((count, width), kind, data, begin, (stride, kind.itemsize))
        if accessor.get("normalized"):
            return np.asarray(rows / float(np.iinfo(kind).max))
        return rows

    def _buffer(self, number: int) -> bytes:
        if number not in self._buffers:
            uri = self._told["buffers"][number].get("uri", "")
            self._buffers[number] = self._fetched(uri) if uri else self._chunk()
        return self._buffers[number]

    def _chunk(self) -> bytes:
        begin, end = self._binary
        return read_bytes(self._path, WHAT, LARGEST_BYTES)[begin:end]

    def _fetched(self, uri: str) -> bytes:
        """Out of the text, or a file beside this one."""
        if uri.startswith("data:"):
            try:
                return base64.b64decode(uri.partition(",")[2], validate=True)
            except binascii.Error:
                raise BadInput(f"{WHAT} is cut short", where=str(self._path), value="a buffer in its text") from None
        if "/" in uri or "\\" in uri:
            raise BadInput(
                f"{WHAT} names a buffer elsewhere", where=str(self._path), value=uri, bound="a file beside it"
            )
        return read_bytes(self._path.parent / uri, "the buffer of the glTF file", LARGEST_BYTES)

    def _finish(self, number: int | None) -> Finish:
        if number is None:
            return Finish()
        told = self._told["materials"][number]
        look = told.get("pbrMetallicRoughness", {})
        r, g, b, *_ = (float(c) for c in look.get("baseColorFactor", (1.0, 1.0, 1.0, 1.0)))
        rough, metallic = float(look.get("roughnessFactor", 1.0)), float(look.get("metallicFactor", 1.0))
        return Finish(str(told.get("name", "")), (r, g, b), rough, metallic)


def _transform(node: Any) -> Floats:
    if "matrix" in node:
        return np.array(node["matrix"], dtype=np.float64).reshape(4, 4).T  # by columns
    T = np.eye(4)
    x, y, z, w = node.get("rotation", (0.0, 0.0, 0.0, 1.0))
    T[:3, :3] = matrix_from_quat(np.array([w, x, y, z], dtype=np.float64)) * np.array(
        node.get("scale", (1.0, 1.0, 1.0))
    )
    T[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return T


def _triangles(indices: NDArray[np.int64], mode: int) -> NDArray[np.int64]:
    if mode == TRIANGLES:
        return indices[: len(indices) // 3 * 3].reshape(-1, 3)
    if mode == FAN:
        return np.stack([np.full(len(indices) - 2, indices[0]), indices[1:-1], indices[2:]], axis=1)
    strip = np.stack([indices[:-2], indices[1:-1], indices[2:]], axis=1)
    strip[1::2] = strip[1::2, ::-1]
    return strip
