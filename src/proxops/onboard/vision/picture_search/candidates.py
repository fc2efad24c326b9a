"""First poses that make a sketch of the client like the picture, the most alike first."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.lens import Lens
from proxops.core.vision import Floats
from proxops.maths.pose import pack_pose, pose
from proxops.onboard.vision.depth.views import directions
from proxops.onboard.vision.picture_search.attitude_scan import BESIDE, DISTANCE, LIKE, X, Y, scan
from proxops.onboard.vision.picture_search.bright_region import BrightRegion, Picture
from proxops.onboard.vision.picture_search.cell_levels import ROUND_IT, CellLevels, cell_levels, distances_of
from proxops.onboard.vision.picture_search.edge_cells import CELL, WAYS, Floats32
from proxops.onboard.vision.picture_search.known_shape import GRID, KnownShape
from proxops.onboard.vision.picture_search.lamps import lamps
from proxops.onboard.vision.picture_search.line_of_sight import LinesOfSight, R_sensor_line, about_line
from proxops.onboard.vision.picture_search.narrowing import Narrowing
from proxops.onboard.vision.picture_search.polish import polish
from proxops.onboard.vision.sight import Sight

VIEWPOINTS: Final = 400
ROLLS: Final = 24
POLISHED: Final = 100
MOST_LAID: Final = 700_000  # sketches over places, some microseconds each
COARSEST: Final = 10  # px between places
CELLS: Final = GRID // CELL
MIDDLE: Final = 0.5 * CELL * (CELLS - 1) - (CELL * (CELLS - 1)) // 2  # px of the cells' from the pixel that they lie at


@dataclass(frozen=True, eq=False)
class FirstPose:
    T_sensor_target: Floats  # (7)
    like: float  # 0 … 1


def first_poses(
    sight: Sight, picture: Picture, region: BrightRegion, narrowing: Narrowing, lens: Lens, lines: LinesOfSight,
    shape: KnownShape,
) -> list[FirstPose]:  # fmt: skip
    focal = 0.5 * (lens.fx + lens.fy)
    if narrowing.about is None:
        half, beside = ROUND_IT * region.extent + 4.0, 0.0
        least, most = distances_of(region, lens, shape, narrowing.near, narrowing.far)
    else:
        least, most, beside = narrowing.near, narrowing.far, focal * narrowing.off_m / narrowing.near
        half = beside + focal * shape.radius / least
    levels = cell_levels(picture, region, half, lens, shape, least, most)
    away = float(np.median(levels.distances))
    line = lines.through(*region.middle)
    R = R_sensor_line(line)
    lights = lamps(sight.lights, R, away * line)
    if not (lights[:, 3] > 0.0).any():
        return []
    bases = np.array([basis(-way) for way in directions(VIEWPOINTS)])
    rolls = 2.0 * math.pi * np.arange(ROLLS) / ROLLS
    room = (
        np.empty((GRID, GRID), np.int32), np.zeros((GRID, GRID, 6), np.float32), np.zeros((GRID, GRID), np.float32),
        np.zeros((CELLS, CELLS, WAYS), np.float32),
    )  # fmt: skip
    u, v = region.middle[0] - levels.corner[0], region.middle[1] - levels.corner[1]
    found = np.empty((VIEWPOINTS, ROLLS, 5))
    turned = np.array([R @ about_line(roll) for roll in rolls])
    allowed = narrowing.allowed(np.einsum("rij,vkj->vrik", turned, bases))
    step = step_within(levels.zoom, beside, int(np.count_nonzero(allowed)))
    if step == COARSEST:  # then fewer attitudes, too
        allowed[1::2], allowed[:, 1::2] = False, False
    scan(
        shape.arrays, shape.centre, bases, rolls, shape.pitch, away, lights, allowed,
        levels.cells, levels.zoom, np.array([u, v, region.extent, levels.border, beside, step]), room, found,
    )  # fmt: skip
    best = np.argsort(-found[:, :, LIKE], axis=None, kind="stable")[:POLISHED]
    best = best[found.reshape(-1, 5)[best, LIKE] > 0.0]
    if not len(best):
        return []
    rows = found.reshape(-1, 5)[best]
    turns = np.array([bases[k // ROLLS] @ about_line(-rolls[k % ROLLS]) for k in best])
    polish(
        shape.arrays, shape.centre, shape.pitch, lights, levels.cells, levels.distances, levels.border, room, turns, rows
    )  # fmt: skip
    order = np.argsort(-rows[:, LIKE], kind="stable")
    return [_pose(lines, shape, levels, turns[k], rows[k]) for k in order]


def step_within(zoom: Floats32, beside: float, attitudes: int) -> int:
    """px between places, so that a search about a place ends in time."""
    for step in range(BESIDE, COARSEST):
        if attitudes * float(np.sum(np.square(2.0 * np.ceil(zoom[::2] * beside / step) + 1.0))) < MOST_LAID:
            return step
    return COARSEST


def basis(ahead: Floats) -> Floats:
    """(3, 3) axes of a sketch of the side that is seen along ``ahead``: columns right, down, ahead."""
    side = np.cross(ahead, [1.0, 0.0, 0.0] if abs(ahead[0]) < 0.7 else [0.0, 1.0, 0.0])
    side /= np.linalg.norm(side)
    return np.stack([side, np.cross(ahead, side), ahead], axis=1)


def _pose(lines: LinesOfSight, shape: KnownShape, levels: CellLevels, turn: Floats, row: Floats) -> FirstPose:
    k = int(row[DISTANCE])
    line = lines.through(
        levels.corner[0] + (row[X] + MIDDLE - levels.border) / float(levels.zoom[k]),
        levels.corner[1] + (row[Y] + MIDDLE - levels.border) / float(levels.zoom[k]),
    )
    R = R_sensor_line(line) @ turn.T
    T = np.empty(7)
    pack_pose(pose(np.ascontiguousarray(R), line * float(levels.distances[k]) - R @ shape.centre), T)
    return FirstPose(T, float(row[LIKE]))
