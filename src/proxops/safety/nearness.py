"""Lower bounds of distances, tick by tick: the kernels that leave the exact question to the few pairs that need it.

Every pair of solids carries a lower bound of its clearance. Axes that move eat it up, at most by their levers; when it
no longer says enough, spheres and boxes round the solids give a new one; when that is not enough either, the pair is
handed to the exact distance. Walls, fence and rail ends are exact here.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.lab.chain import LEAST_BODIES, chain_fields, chain_poses
from proxops.lab.coordinates import HallRecord
from proxops.lab.shapes import body_poses
from proxops.maths.kernel import kernel
from proxops.maths.pose import put_composed
from proxops.maths.record import one_layout, room_for
from proxops.maths.rotation import Array

SOLIDS, ABOVE_FLOOR, WALLS, RAIL_ENDS, FENCED = range(5)  # what kind of pair
FORMS: Final = ("box", "cylinder", "sphere", "halfspace")  # kinds of solids, by number
CYLINDER, SPHERE = FORMS.index("cylinder"), FORMS.index("sphere")
Table = NDArray[np.void]
LEAST_AXES, LEAST_PAIRS, LEAST_SOLIDS = 16, 1024, 64


def rooms(axes: int, bodies: int, pairs: int, shapes: int) -> tuple[int, int, int, int]:
    """Sizes of the records below for a cell with so many of each."""
    return (
        room_for(axes, LEAST_AXES), room_for(bodies, LEAST_BODIES), room_for(pairs, LEAST_PAIRS),
        room_for(shapes, LEAST_SOLIDS),
    )  # fmt: skip


@one_layout
def fixed_dtype(axes: int, bodies: int, pairs: int, shapes: int) -> np.dtype[np.void]:
    """What never changes: pairs of solids, the solids, and the bodies that they are on. Room for so many; there are
    ``pairs`` and ``solids``."""
    return np.dtype(
        [
            ("pairs", "i8"), ("solids", "i8"),
            ("kind", "i8", (pairs,)), ("first", "i8", (pairs,)), ("second", "i8", (pairs,)),
            ("margin", "f8", (pairs,)),  # distance at which red begins
            ("levers", "f8", (axes, pairs)),
            ("body", "i8", (shapes,)), ("half", "f8", (shapes, 3)), ("radius", "f8", (shapes,)),
            ("pose", "f8", (shapes, 4, 4)),  # T_body_shape
            ("form", "i8", (shapes,)),  # FORMS
            # Walls, floor, ends of the rail, and the fence: lower and upper end along x and y.
            ("room", "f8", (2, 3)), ("floor_z", "f8"), ("rail", "f8", (2,)), ("fence", "f8", (2, 2)),
            *chain_fields(bodies),  # of a cell of arms; a hall has its closed form
        ]
    )  # fmt: skip


@one_layout
def cache_dtype(axes: int, bodies: int, pairs: int, shapes: int) -> np.dtype[np.void]:
    """What is remembered from call to call."""
    return np.dtype(
        [
            ("lower", "f8", (pairs,)), ("layer", "f8", (pairs,)),  # of the clearance; yellow of the last question
            ("q", "f8", (axes,)),
            ("bodies", "f8", (bodies, 4, 4)), ("shapes", "f8", (shapes, 4, 4)),  # T_lab_body, T_lab_shape
            # 1 where the bound is exact at q, has been looked at there, and if the poses are those of q. Bytes: Numba
            # knows no truth values in a record; last, so that the doubles stay aligned.
            ("exact", "u1", (pairs,)), ("screened", "u1", (pairs,)), ("placed", "u1"),
        ]
    )  # fmt: skip


@kernel
def _moved(fixed: Table, cache: Table, q: Array) -> bool:
    """Take ``q`` as the axes that the cache speaks of; False if they are not numbers."""
    f, c = fixed[0], cache[0]
    lower, levers = c.lower, f.levers
    for i in range(q.shape[0]):
        if not math.isfinite(q[i]):
            return False  # and the cache still speaks of the axes before
    moved = False
    for i in range(q.shape[0]):
        step = abs(q[i] - c.q[i])
        if step > 0.0:
            moved = True
            c.q[i] = q[i]
            for p in range(f.pairs):
                lower[p] -= levers[i, p] * step
    if moved:
        c.exact[:] = 0
        c.screened[:] = 0
        c.placed = 0
    return True


@kernel
def place_shapes(hall: HallRecord | None, fixed: Table, cache: Table) -> None:
    """Poses of all solids at the cache's axes, unless it has them."""
    f, c = fixed[0], cache[0]
    if c.placed == 1:
        return
    if hall is None:
        chain_poses(fixed, c.q, c.bodies)
    else:
        body_poses(hall, c.q, c.bodies)
    for s in range(f.solids):
        put_composed(c.bodies[f.body[s]], f.pose[s], c.shapes[s])
    c.placed = 1


@kernel
def _point_to_box(T_lab_box: Array, half: Array, point: Array) -> float:
    """Distance of a point (the origin of a pose) from a box."""
    square = 0.0
    for j in range(3):
        along = 0.0
        for i in range(3):
            along += T_lab_box[i, j] * (point[i, 3] - T_lab_box[i, 3])
        beyond = abs(along) - half[j]
        if beyond > 0.0:
            square += beyond * beyond
    return math.sqrt(square)


@kernel
def _solids_bound(a: Array, b: Array, half_a: Array, half_b: Array, radius_a: float, radius_b: float) -> float:
    """Lower bound of the distance of two solids: sphere to sphere, sphere to box, box to sphere."""
    square = 0.0
    for i in range(3):
        square += (a[i, 3] - b[i, 3]) ** 2
    spheres = math.sqrt(square) - radius_a - radius_b
    return max(spheres, _point_to_box(b, half_b, a) - radius_a, _point_to_box(a, half_a, b) - radius_b)


@kernel
def room_clearance(room: Array, T_lab_box: Array, half: Array) -> float:
    """Distance of a box's most outlying corner from the nearest wall; negative outside."""
    least = np.inf
    for i in range(3):
        reach = abs(T_lab_box[i, 0]) * half[0] + abs(T_lab_box[i, 1]) * half[1] + abs(T_lab_box[i, 2]) * half[2]
        least = min(least, T_lab_box[i, 3] - reach - room[0, i], room[1, i] - T_lab_box[i, 3] - reach)
    return least


@kernel
def fence_clearance(fence: Array, T_lab_shape: Array, half: Array, form: int) -> float:
    """Distance of a solid's most outlying point from the nearest side of the fence; negative outside."""
    least = np.inf
    for i in range(2):
        if form == SPHERE:
            reach = half[0]
        elif form == CYLINDER:  # half its length along its axis, its radius across that
            along = T_lab_shape[i, 2]
            reach = abs(along) * half[2] + half[0] * math.sqrt(max(1.0 - along * along, 0.0))
        else:
            reach = (
                abs(T_lab_shape[i, 0]) * half[0] + abs(T_lab_shape[i, 1]) * half[1] + abs(T_lab_shape[i, 2]) * half[2]
            )
        least = min(least, T_lab_shape[i, 3] - reach - fence[0, i], fence[1, i] - T_lab_shape[i, 3] - reach)
    return least


@kernel
def _screen(fixed: Table, cache: Table, p: int) -> None:
    """A new lower bound of pair ``p`` from the poses, exact where it is so cheap."""
    f, c = fixed[0], cache[0]
    a, b = f.first[p], f.second[p]
    if f.kind[p] == RAIL_ENDS:
        c.lower[p] = min(c.q[0] - f.rail[0], f.rail[1] - c.q[0])
        c.exact[p] = 1
    elif f.kind[p] == WALLS:
        c.lower[p] = room_clearance(f.room, c.shapes[a], f.half[a])
        c.exact[p] = 1
    elif f.kind[p] == FENCED:
        c.lower[p] = fence_clearance(f.fence, c.shapes[a], f.half[a], f.form[a]) - f.margin[p]
        c.exact[p] = 1
    else:
        if f.kind[p] == ABOVE_FLOOR:
            bound = c.shapes[b, 2, 3] - f.radius[b] - f.floor_z
        else:
            bound = _solids_bound(c.shapes[a], c.shapes[b], f.half[a], f.half[b], f.radius[a], f.radius[b])
        c.lower[p] = max(c.lower[p], bound - f.margin[p])
    c.screened[p] = 1


@kernel
def _layers(fixed: Table, cache: Table, ahead: Array, minimum: float) -> None:
    """Per pair: how far it can close while every axis goes at most ``ahead``, and never less than ``minimum``."""
    f, c = fixed[0], cache[0]
    layer, levers = c.layer, f.levers
    layer[:] = 0.0
    for i in range(ahead.shape[0]):
        if ahead[i] != 0.0:
            way = abs(ahead[i])
            for p in range(f.pairs):
                layer[p] += levers[i, p] * way
    for p in range(f.pairs):
        layer[p] = max(layer[p], minimum)


@kernel
def look(
    hall: HallRecord | None, fixed: Table, cache: Table, q: Array, enough: float, ahead: Array, minimum: float
) -> tuple[int, bool]:
    """The pair whose lower bound at axes ``q`` exceeds its layer least, and whether that settles the question: it exceeds
    it by ``enough``, or the bound is exact. If not, the caller asks for the exact distance and looks again.
    Axes that are not numbers: pair -1."""
    c = cache[0]
    if not _moved(fixed, cache, q):
        return -1, True
    _layers(fixed, cache, ahead, minimum)
    lower, layer = c.lower, c.layer
    nearest, least = 0, np.inf
    for p in range(fixed[0].pairs):
        if c.screened[p] == 0 and not lower[p] - layer[p] >= enough:
            place_shapes(hall, fixed, cache)
            _screen(fixed, cache, p)
        if lower[p] - layer[p] < least:
            nearest, least = p, lower[p] - layer[p]
    return nearest, least >= enough or c.exact[nearest] == 1
