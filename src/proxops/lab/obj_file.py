"""Wavefront OBJ with its MTL: faces of three corners or more, normals, and colours of materials. Curves and lines are passed
over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.user_file import read_bytes
from proxops.lab.surface import MOST_TRIANGLES, Finish, Surface, count_up_to_bound, demand_count

LARGEST_BYTES: Final = 150 * MOST_TRIANGLES
LIBRARY_BYTES: Final = 4_000_000
WHAT: Final = "the OBJ file"


def read_obj(path: Path) -> Surface:
    """As the file has it: neither scaled nor judged."""
    where = str(path)
    demand_count(count_up_to_bound(path, WHAT, b"\nf "), where)  # at least so many
    data = read_bytes(path, WHAT, LARGEST_BYTES)
    found = _Lines(path)
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        try:
            found.take(line.split())
        except (ValueError, IndexError) as reason:
            raise BadInput(
                f"{WHAT} cannot be read: {reason}", where=f"{where}, line {number}", value=line[:80]
            ) from None
    demand_count(len(found.triangles), where)
    return found.surface()


class _Lines:
    """What the lines so far have said."""

    def __init__(self, path: Path) -> None:
        self._path, self._vertices, self._normals = path, list[list[float]](), [[0.0, 0.0, 0.0]]
        self.triangles, self._normal_of = list[tuple[int, int, int]](), list[tuple[int, int, int]]()
        self._finish_of, self._finishes, self._library = list[int](), [Finish()], dict[str, Finish]()
        self._finish = 0

    def take(self, words: list[str]) -> None:
        if not words:
            return
        if words[0] == "v":
            self._vertices.append(_three(words))
        elif words[0] == "vn":
            self._normals.append(_three(words))
        elif words[0] == "f":
            self._face(words[1:])
        elif words[0] == "mtllib":
            self._library.update(_library(self._path.parent / " ".join(words[1:])))
        elif words[0] == "usemtl":
            self._use(" ".join(words[1:]))

    def _use(self, name: str) -> None:
        finish = self._library.get(name, Finish(name))
        if finish not in self._finishes:
            self._finishes.append(finish)
        self._finish = self._finishes.index(finish)

    def _face(self, corners: list[str]) -> None:
        """A fan round its first corner."""
        if len(corners) < 3:
            raise ValueError("a face needs three corners")
        parts = [corner.split("/") for corner in corners]
        at = [_place(part[0], len(self._vertices)) for part in parts]
        turned = [1 + _place(part[2], len(self._normals) - 1) if len(part) > 2 and part[2] else 0 for part in parts]
        for k in range(1, len(at) - 1):
            self.triangles.append((at[0], at[k], at[k + 1]))
            self._normal_of.append((turned[0], turned[k], turned[k + 1]))
            self._finish_of.append(self._finish)

    def surface(self) -> Surface:
        normals = np.array(self._normals)
        length = np.linalg.norm(normals, axis=1, keepdims=True)
        unit = np.divide(normals, length, out=np.zeros_like(normals), where=length > 0.0).astype(np.float32)
        return Surface(
            np.array(self._vertices), np.array(self.triangles, np.int32), unit[np.array(self._normal_of)],
            np.array(self._finish_of, np.int16), tuple(self._finishes),
        )  # fmt: skip


def _three(words: list[str]) -> list[float]:
    if len(words) < 4:
        raise ValueError("three numbers are needed")
    return [float(word) for word in words[1:4]]


def _place(word: str, count: int) -> int:
    """Of a corner: counted from 1, or from the last one backwards."""
    number = int(word)
    place = number - 1 if number > 0 else count + number
    if number == 0 or not 0 <= place < count:
        raise ValueError(f"corner {number} of {count}")
    return place


def _library(path: Path) -> dict[str, Finish]:
    """Colours (display values), shininess and dissolved metals of an MTL file; none where the file is not there."""
    if not path.is_file():
        return {}
    found: dict[str, Finish] = {}
    name = ""
    for line in read_bytes(path, "the MTL file", LIBRARY_BYTES).decode("utf-8", "replace").splitlines():
        words = line.split()
        if words[:1] == ["newmtl"]:
            name = " ".join(words[1:])
            found[name] = Finish(name)
        elif words and name:
            found[name] = _told(found[name], words, path)
    return found


def _told(finish: Finish, words: list[str], path: Path) -> Finish:
    try:
        if words[0] == "Kd":
            r, g, b = (((c + 0.055) / 1.055) ** 2.4 if c > 0.04045 else c / 12.92 for c in map(float, words[1:4]))
            return replace(finish, linear_rgb=(r, g, b))
        if words[0] == "Ns":  # exponent of Phong
            return replace(finish, roughness=min(1.0, (2.0 / (max(float(words[1]), 0.0) + 2.0)) ** 0.25))
        if words[0] == "Pr":
            return replace(finish, roughness=float(words[1]))
        if words[0] == "Pm":
            return replace(finish, metallic=float(words[1]))
    except (ValueError, IndexError):
        raise BadInput("the MTL file cannot be read", where=str(path), value=" ".join(words)[:80]) from None
    return finish
