"""What is wrong with a drawn surface. What nothing can be made of is refused; what can be mended is, and said in one sentence
each.

Edges are compared after corners at the same place have become one: files repeat them wherever colours or normals change.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.lab.surface import Surface
from proxops.lab.winding import Edges, consistent

LARGEST_M: Final = 100.0  # of a craft: more is a drawing in millimetres
SMALLEST_M: Final = 0.001
THOUSAND: Final = (300.0, 3000.0)  # times the expected size: millimetres, whatever the exact shape
SAME_PLACE: Final = 1e-7  # of the extent
MILLIMETRES: Final = "if it is drawn in millimetres, set a scale of 0.001 (client_scale, cad_scale, --model-scale)"
Ints = NDArray[np.int64]


class JudgedSurface(NamedTuple):
    """A surface that can be used, and what is to be known about it."""

    surface: Surface
    warnings: tuple[str, ...]


def judged(surface: Surface, where: str, expected_m: float | None = None) -> JudgedSurface:
    """``expected_m``: largest edge of the box round what the drawing shows, if that is known from elsewhere."""
    _demand_corners(surface, where)
    surface = _without_unused(surface)
    _demand_numbers(surface, where)
    _demand_size(surface, where, expected_m)
    warnings: list[str] = []
    corners = welded(surface)
    surface, corners = _without_degenerate(surface, corners, where, warnings)
    edges = Edges.of(corners)
    open_edges, crowded = int(np.sum(edges.uses == 1)), int(np.sum(edges.uses > 2))
    if open_edges:
        warnings.append(f"the surface has holes: {open_edges:,} open edges; light and rays pass through them")
    if crowded:
        warnings.append(f"{crowded:,} edges belong to more than two triangles: parts touch or faces are doubled")
    flipped, inside_out = consistent(surface.vertices[surface.triangles], corners, edges)
    if flipped.any():
        cause = (
            "the whole mesh, or a part, is inside out" if inside_out else "neighbours disagree on which side is outside"
        )
        warnings.append(f"{int(flipped.sum()):,} of {len(corners):,} triangles were turned over: {cause}")
        surface = _turned(surface, flipped)
    return JudgedSurface(_with_normals_outward(surface), tuple(f"{where}: {text}" for text in warnings))


def welded(surface: Surface) -> Ints:
    """Triangles by places: (T, 3), equal numbers where corners are at the same place."""
    grid = max(float(surface.extent_m.max()) * SAME_PLACE, 1e-12)
    x, y, z = np.round((surface.vertices - surface.vertices.min(axis=0)) / grid).astype(np.int64).T
    order = np.lexsort((x, y, z))
    new = np.zeros(len(order), np.int64)
    for column in (x, y, z):
        new[1:] |= np.diff(column[order]) != 0
    place = np.empty_like(new)
    place[order] = np.cumsum(new)
    out: Ints = place.ravel()[surface.triangles]
    return out


def _demand_corners(surface: Surface, where: str) -> None:
    corners = surface.triangles
    if corners.size == 0:
        raise BadInput("the mesh has no triangles", where=where)
    if corners.min() < 0 or corners.max() >= len(surface.vertices):
        raise BadInput("a triangle names a corner that is not there", where=where, value=int(corners.max()))


def _without_unused(surface: Surface) -> Surface:
    """Corners that no triangle has say nothing of what is drawn."""
    used, place = np.unique(surface.triangles, return_inverse=True)
    triangles = place.reshape(surface.triangles.shape).astype(np.int32)
    return replace(surface, vertices=surface.vertices[used], triangles=triangles)


def _demand_numbers(surface: Surface, where: str) -> None:
    wrong = int(np.sum(~np.isfinite(surface.vertices).all(axis=1)))
    if wrong:
        raise BadInput(
            "the mesh has corners that are no numbers (NaN or infinite)", where=where, value=f"{wrong:,} of them"
        )


def _demand_size(surface: Surface, where: str, expected_m: float | None) -> None:
    size = float(surface.extent_m.max())
    if size > LARGEST_M:
        raise BadInput(
            "the mesh is too large for a spacecraft",
            where=where,
            value=f"{size:.4g} m",
            bound=f"{LARGEST_M:g} m",
            way_out=MILLIMETRES,
        )
    if size < SMALLEST_M:
        raise BadInput(
            "the mesh is too small to be seen",
            where=where,
            value=f"{size:.2g} m",
            bound=f"{SMALLEST_M:g} m",
            way_out="set scale",
        )
    if expected_m and THOUSAND[0] < size / expected_m < THOUSAND[1]:
        raise BadInput(
            "the mesh is a thousand times as large as what encloses it", where=where, value=f"{size:.4g} m",
            bound=f"about {expected_m:.3g} m", way_out=MILLIMETRES,
        )  # fmt: skip
    if expected_m and THOUSAND[0] < expected_m / size < THOUSAND[1]:
        raise BadInput(
            "the mesh is a thousandth of what encloses it", where=where, value=f"{size:.4g} m", bound=f"about {expected_m:.3g} m",
            way_out="was it scaled twice? set scale = 1",
        )  # fmt: skip


def _without_degenerate(surface: Surface, corners: Ints, where: str, warnings: list[str]) -> tuple[Surface, Ints]:
    """Triangles without an area drop out, and are counted."""
    a, b, c = (surface.vertices[surface.triangles[:, k]] for k in range(3))
    twice = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    same = (corners[:, 0] == corners[:, 1]) | (corners[:, 1] == corners[:, 2]) | (corners[:, 2] == corners[:, 0])
    good = (twice > 0.0) & ~same
    lost = int(np.sum(~good))
    if lost == len(good):
        raise BadInput("no triangle of the mesh has an area", where=where, value=f"{lost:,} triangles")
    if lost:
        warnings.append(f"{lost:,} of {len(good):,} triangles have no area and were left out")
        surface = replace(
            surface,
            triangles=surface.triangles[good],
            corner_normals=surface.corner_normals[good],
            finish=surface.finish[good],
        )
    return surface, corners[good]


def _turned(surface: Surface, flipped: NDArray[np.bool_]) -> Surface:
    triangles, normals = surface.triangles.copy(), surface.corner_normals.copy()
    triangles[flipped] = triangles[flipped][:, ::-1]
    normals[flipped] = normals[flipped][:, ::-1]
    return replace(surface, triangles=triangles, corner_normals=normals)


def _with_normals_outward(surface: Surface) -> Surface:
    """The file's normals on the outer side of their triangle; the triangle's own where the file gives none."""
    a, b, c = (surface.vertices[surface.triangles[:, k]] for k in range(3))
    face = np.cross(b - a, c - a)
    face /= np.linalg.norm(face, axis=1, keepdims=True)
    normals = surface.corner_normals.astype(np.float64)
    side = np.einsum("tci,ti->tc", normals, face)
    normals = np.where((side < 0.0)[..., None], -normals, normals)
    missing = np.abs(side) < 1e-3  # none, or along the face: of no use
    normals = np.where(missing[..., None], face[:, None, :], normals)
    return replace(surface, corner_normals=normals.astype(np.float32))
