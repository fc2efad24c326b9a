"""How far a cell is from red: the smallest clearance over all watched pairs of solids, spacecraft boxes and walls.

Exact distances are Coal's. They are asked for only where a lower bound (``nearness``) leaves the answer open.
"""

from __future__ import annotations

import copy
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.lab.any_cell import AnyCell
from proxops.safety import nearness
from proxops.safety.distance import exact_distances
from proxops.safety.watched_solids import Boxes, watched_solids


class Finding(NamedTuple):
    """The smallest clearance (<= 0: red), between what, and whether it is exact or a lower bound that was enough."""

    distance_m: float
    pair: str
    exact: bool
    layer_m: float  # of yellow between these two, where it was asked for
    number: int  # of the pair, for a log; -1: the axes are not numbers


class Clearance:
    """One memory of distances. The commanded pose, the set-point and the actual pose have one each: ``twin``."""

    def __init__(self, cell: AnyCell, boxes: Boxes | None = None, *, opened: bool = False) -> None:
        solids = watched_solids(cell, boxes, opened)
        self.names = tuple(pair.name for pair in solids.pairs)
        self._hall, self._fixed, self._still = cell.hall, solids.fixed, np.zeros(cell.n_axes)
        sizes = nearness.rooms(cell.n_axes, solids.bodies, len(solids.pairs), len(solids.shapes))
        self._dtype, self._pairs, self._solids = nearness.cache_dtype(*sizes), len(solids.pairs), len(solids.shapes)
        self.levers: NDArray[np.float64] = solids.levers
        """Per axis: the furthest that any point goes per radian (rail: per metre)."""
        self._exact = exact_distances(solids.shapes, solids.pairs)
        self._forget()

    def twin(self) -> Clearance:
        """Another memory of the same hall."""
        other = copy.copy(self)
        other._forget()
        return other

    def _forget(self) -> None:
        self._q, self._ahead = np.zeros_like(self._still), np.zeros_like(self._still)
        self._cache = np.zeros(1, self._dtype)
        self._cache["lower"] = -np.inf
        c = self._cache[0]
        self._lower, self._layer, self._known = (c[name][: self._pairs] for name in ("lower", "layer", "exact"))
        shapes = c["shapes"][: self._solids]
        self._at = [(pose[:3, :3], pose[:3, 3]) for pose in shapes]  # views: they follow the solids

    def at(self, q: NDArray[np.float64], enough_m: float) -> Finding:
        """The smallest clearance at axes ``q``: exact if it is below ``enough_m``, else a lower bound of at least that."""
        return self._least(q, enough_m, self._still, 0.0)

    def nearest_yellow(
        self, q: NDArray[np.float64], ahead: NDArray[np.float64], minimum_m: float, enough_m: float = 0.0
    ) -> Finding:
        """The pair that is deepest in its own yellow layer, or nearest to it: what the two can close while every axis
        goes on by ``ahead`` (m, rad; signs do not matter), at least ``minimum_m``. Exact if it is in the layer or not
        ``enough_m`` outside. Only axes that move one against the other count: a fast rail does not bring an arm nearer to
        its own base."""
        return self._least(q, enough_m, ahead, minimum_m)

    def widest_open_m(self, enough_m: float) -> float:
        """Of the pairs that the last ``nearest_yellow`` has not shown to be ``enough_m`` outside their layers: the thickest
        layer."""
        return float(np.max(self._layer, where=self._lower - self._layer < enough_m, initial=0.0))

    @property
    def tables(self) -> tuple[NDArray[np.void] | None, NDArray[np.void], NDArray[np.void]]:
        """Hall, solids and memory, for kernels that look themselves (``nearness.look``)."""
        return self._hall, self._fixed, self._cache

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
        if self._least(q, bound_m, self._still, 0.0).number < 0:
            return {-1: -math.inf}
        found = {}
        kinds = self._fixed[0]["kind"][: self._pairs]
        for number in np.flatnonzero((self._lower < bound_m) & (kinds != nearness.RAIL_ENDS)).tolist():
            if not self._known[number]:
                self._lower[number], self._known[number] = self._exact(number, self._at), 1
            if self._lower[number] < bound_m:
                found[number] = float(self._lower[number])
        return found

    def all_at(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Exact clearances of all pairs at ``q``, in the order of ``names``: for reports, not for the tick."""
        if self._least(q, math.inf, self._still, 0.0).number < 0:
            return np.full(len(self.names), -math.inf)
        for number in range(len(self.names)):
            if not self._known[number]:
                self._lower[number], self._known[number] = self._exact(number, self._at), 1
        return np.array(self._lower)
