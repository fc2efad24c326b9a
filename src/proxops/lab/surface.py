"""A drawn surface as its file has it: triangles, the normals that the file gives, and coarse finishes. Metres, the file's
axes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.user_file import opened

MOST_TRIANGLES: Final = 2_000_000
PIECE_BYTES: Final = 1 << 22


@dataclass(frozen=True)
class Finish:
    """What a file says of a material; shares."""

    name: str = ""
    linear_rgb: tuple[float, float, float] = (0.32, 0.32, 0.34)
    roughness: float = 0.8
    metallic: float = 0.0


@dataclass(frozen=True, eq=False)
class Surface:
    """The outside of a triangle is where its corners go round counter-clockwise."""

    vertices: NDArray[np.float64]  # (V, 3)
    triangles: NDArray[np.int32]  # (T, 3) into vertices
    corner_normals: NDArray[np.float32]  # (T, 3, 3); zero where the file gives none
    finish: NDArray[np.int16]  # (T) into finishes
    finishes: tuple[Finish, ...] = (Finish(),)

    @property
    def extent_m(self) -> NDArray[np.float64]:
        """Edges of the box round it."""
        used = self.vertices[np.unique(self.triangles)]
        out: NDArray[np.float64] = np.ptp(used, axis=0)
        return out


def plain(vertices: NDArray[np.float64], triangles: NDArray[np.int32]) -> Surface:
    """Of one finish, without normals of its own."""
    count = len(triangles)
    return Surface(vertices, triangles, np.zeros((count, 3, 3), np.float32), np.zeros(count, np.int16))


def demand_count(triangles: int, where: str) -> None:
    """Before anything large is made of them."""
    if triangles == 0:
        raise BadInput(
            "the mesh has no triangles", where=where, way_out="export its surface: solids and curves are not read"
        )
    if triangles > MOST_TRIANGLES:
        raise BadInput(
            "the mesh has too many triangles", where=where, value=f"{triangles:,}", bound=f"{MOST_TRIANGLES:,}",
            way_out="decimate it (Blender: modifier Decimate; MeshLab: quadric edge collapse); a camera sees no difference",
        )  # fmt: skip


def count_up_to_bound(path: Path, what: str, mark: bytes) -> int:
    """How often ``mark`` stands in a file, at least; no farther than one bound on triangles and no more of it in memory than a
    piece at a time. The mark begins with what ends the line before it."""
    found, left = 0, b"\n"
    with os.fdopen(opened(path, what), "rb") as file:
        while found <= MOST_TRIANGLES and (piece := file.read(PIECE_BYTES)):
            found += (left + piece).count(mark)
            left = piece[1 - len(mark) :]
    return found
