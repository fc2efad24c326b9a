"""How far the hall is from red: the smallest clearance over all watched pairs of solids, spacecraft boxes and walls.

Exact distances are Coal's. They are asked for only where a lower bound (``nearness``) leaves the answer open.
"""

from __future__ import annotations

import copy
import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.messages import N_AXES
from proxops.lab.cell import Cell
from proxops.lab.shapes import MOCKUP, ROBOT1, ROBOT2, Shape, floor_z_m, hall_shapes
from proxops.safety import nearness
from proxops.safety.distance import exact_distances
from proxops.safety.levers import lever_table, pair_levers
from proxops.safety.pairs import Pair, watched

Boxes = NDArray[np.float64]  # (2, 2, 3): per robot the lower and upper corner in its port frame, m
LEVEL_AXES: Final = [0, 1, 7]  # the rail and both A1 move everything at its height
STILL: Final = np.zeros(N_AXES)


class Finding(NamedTuple):
    """The smallest clearance (<= 0: red), between what, and whether it is exact or a lower bound that was enough."""

    distance_m: float
    pair: str
    exact: bool
    layer_m: float  # of yellow between these two, where it was asked for
    number: int  # of the pair, for a log; -1: the axes are not numbers


def mockup_boxes(cell: Cell) -> Boxes:
    """The red boxes of the cell: each mock-up's bounding box in its port frame, grown by the margin."""
    grow = cell.file.zones.box_margin_mm * 1e-3
    boxes = np.empty((2, 2, 3))
    for k, start in enumerate((ROBOT1, ROBOT2)):
        ends = np.array([s.extent_m() for s in hall_shapes(cell) if s.body == start + MOCKUP])
        boxes[k] = ends[:, 0].min(axis=0) - grow, ends[:, 1].max(axis=0) + grow
    return boxes


class Clearance:
    """One memory of distances. The commanded pose, the set-point and the actual pose have one each: ``twin``."""

    def __init__(self, cell: Cell, boxes: Boxes | None = None, *, opened: bool = False) -> None:
        shapes = (*hall_shapes(cell), *_box_shapes(mockup_boxes(cell) if boxes is None else boxes))
        pairs = watched(cell, shapes, opened)
        self.names = tuple(pair.name for pair in pairs)
        self._hall = cell.hall
        self._fixed = _pack(cell, shapes, pairs)
        self._dtype = nearness.cache_dtype(len(pairs), len(shapes))
        self.levers: NDArray[np.float64] = lever_table(cell, shapes).max(axis=1)
        """Per axis: the furthest that any point goes per radian (rail: per metre)."""
        self._exact = exact_distances(shapes, pairs)
        self._forget()

    def twin(self) -> Clearance:
        """Another memory of the same hall."""
        other = copy.copy(self)
        other._forget()
        return other

    def _forget(self) -> None:
        self._q, self._ahead = np.zeros(N_AXES), np.zeros(N_AXES)
        self._cache = np.zeros(1, self._dtype)
        self._cache["lower"] = -np.inf
        c = self._cache[0]
        self._lower, self._layer, self._known = c["lower"], c["layer"], c["exact"]
        self._at = [(pose[:3, :3], pose[:3, 3]) for pose in c["shapes"]]  # views: they follow the solids

    def at(self, q: NDArray[np.float64], enough_m: float) -> Finding:
        """The smallest clearance at axes ``q``: exact if it is below ``enough_m``, else a lower bound of at least that."""
        return self._least(q, enough_m, STILL, 0.0)

    def nearest_yellow(
        self, q: NDArray[np.float64], ahead: NDArray[np.float64], minimum_m: float, enough_m: float = 0.0
    ) -> Finding:
        """The pair that is deepest in its own yellow layer, or nearest to it: what the two can close while every axis
        goes on by ``ahead`` (m, rad; signs do not matter), at least ``minimum_m``. Exact if it is in the layer or not
        ``enough_m`` outside. Only axes that move one against the other count: a fast rail does not bring an arm nearer to
        its own base."""
        return self._least(q, enough_m, ahead, minimum_m)

    def green_layer_m(self, q: NDArray[np.float64], ahead: NDArray[np.float64], minimum_m: float) -> float:
        """Quick answer for the tick: the layer of the pair nearest to its yellow when bounds alone show that all is green,
        else -1 (and then ``nearest_yellow`` knows more)."""
        number, settled = nearness.look(self._hall, self._fixed, self._cache, q, 0.0, ahead, minimum_m)
        if not (
            settled and number >= 0 and self._lower.item(number) > self._layer.item(number)
        ):  # of what is no number too
            return -1.0
        return float(self._layer.item(number))

    def _least(self, q: NDArray[np.float64], enough_m: float, ahead: NDArray[np.float64], minimum_m: float) -> Finding:
        self._q[:], self._ahead[:] = q, ahead  # arrays of one kind: a kernel met with another would be compiled anew
        enough, minimum = float(enough_m), float(minimum_m)
        while True:
            number, settled = nearness.look(self._hall, self._fixed, self._cache, self._q, enough, self._ahead, minimum)
            if number < 0:
                return Finding(-math.inf, "axes that are not numbers", True, 0.0, -1)
            if settled:
                return Finding(
                    self._lower.item(number), self.names[number], self._known.item(number) == 1,
                    self._layer.item(number), number,
                )  # fmt: skip
            self._lower[number] = self._exact(number, self._at)
            self._known[number] = 1

    def below(self, q: NDArray[np.float64], bound_m: float) -> dict[int, float]:
        """Exact clearances at ``q`` of all that can collide and is nearer than ``bound_m``, by the pairs' numbers; -1: not
        numbers. The rail's ends are no collision: axis ranges are judged where a stop ends, to the last millimetre."""
        if self._least(q, bound_m, STILL, 0.0).number < 0:
            return {-1: -math.inf}
        found = {}
        for number in np.flatnonzero((self._lower < bound_m) & (self._fixed[0]["kind"] != nearness.RAIL_ENDS)).tolist():
            if not self._known[number]:
                self._lower[number], self._known[number] = self._exact(number, self._at), 1
            if self._lower[number] < bound_m:
                found[number] = float(self._lower[number])
        return found

    def all_at(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Exact clearances of all pairs at ``q``, in the order of ``names``: for reports, not for the tick."""
        if self._least(q, math.inf, STILL, 0.0).number < 0:
            return np.full(len(self.names), -math.inf)
        for number in range(len(self.names)):
            if not self._known[number]:
                self._lower[number], self._known[number] = self._exact(number, self._at), 1
        return np.array(self._lower)


def _box_shapes(boxes: Boxes) -> list[Shape]:
    """The red boxes as solids of the mock-ups' bodies."""
    found = []
    for k, start in enumerate((ROBOT1, ROBOT2)):
        lower, upper = boxes[k]
        if not (lower < upper).all():
            raise BadInput(
                f"red box of robot {k + 1}", value=boxes[k].tolist(), bound="lower corner below upper corner"
            )
        T_port_box = np.eye(4)
        T_port_box[:3, 3] = 0.5 * (lower + upper)
        found.append(Shape(f"box{k + 1}", start + MOCKUP, "box", tuple((upper - lower).tolist()), T_port_box))
    return found


def _pack(cell: Cell, shapes: tuple[Shape, ...], pairs: list[Pair]) -> NDArray[np.void]:
    fixed = np.zeros(1, nearness.fixed_dtype(len(pairs), len(shapes)))
    f, room = fixed[0], cell.file.zones.room
    f["kind"], f["first"], f["second"], f["margin"] = zip(*(pair[:4] for pair in pairs), strict=True)
    table = lever_table(cell, shapes)
    f["levers"] = pair_levers(table, f["first"], f["second"])
    for number, pair in enumerate(pairs):  # these stand still themselves
        if pair.kind == nearness.WALLS:
            f["levers"][:, number] = table[:, pair.first]
        elif pair.kind == nearness.RAIL_ENDS:
            f["levers"][0, number] = 1.0
        elif pair.kind == nearness.ABOVE_FLOOR:
            f["levers"][LEVEL_AXES, number] = 0.0
    for number, shape in enumerate(shapes):
        f["body"][number], f["half"][number] = shape.body, shape.half_m
        f["radius"][number], f["pose"][number] = shape.radius_m, shape.T_body_shape
    f["room"] = np.array([room.x_m, room.y_m, room.z_m]).T
    f["floor_z"] = floor_z_m(shapes)
    if not room.z_m[0] > f["floor_z"]:
        raise BadInput(
            "zones.room.z_m: the floor lies inside the room", where=str(cell.source), value=f"{room.z_m[0]:g} m",
            bound=f"above {f['floor_z']:g} m",
        )  # fmt: skip
    return fixed
