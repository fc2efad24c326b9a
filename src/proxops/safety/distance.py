"""Exact distances of two solids, by Coal (GJK and EPA): below zero is the depth to which they overlap."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proxops.lab.shapes import Shape
from proxops.safety.pairs import Pair

Placed = list[tuple[NDArray[np.float64], NDArray[np.float64]]]  # R_lab_shape and p_lab_shape of every shape


def exact_distances(shapes: tuple[Shape, ...], pairs: list[Pair]) -> Callable[[int, Placed], float]:
    """Coal's distance of a pair, less its margin, for solids at given attitudes and positions. Coal is imported late:
    the command line has to answer at once."""
    import coal

    solids = [_coal_solid(coal, shape) for shape in shapes]
    asked = [
        # The solids ride along: Coal keeps bare pointers to them.
        (coal.ComputeDistance(solids[p.first], solids[p.second]), solids[p.first], solids[p.second])
        for p in pairs
    ]
    first, second = coal.Transform3s(), coal.Transform3s()
    request, result = coal.DistanceRequest(), coal.DistanceResult()

    def exact(number: int, at: Placed) -> float:
        pair, ask = pairs[number], asked[number][0]
        first.setTransform(*at[pair.first])
        second.setTransform(*at[pair.second])
        result.clear()  # or Coal answers with the smallest distance that it has ever put there
        distance: float = ask(first, second, request, result) - pair.margin_m
        return distance if distance == distance else -math.inf

    return exact


def _coal_solid(coal: Any, shape: Shape) -> Any:
    if shape.kind == "halfspace":
        return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
    return {"box": coal.Box, "cylinder": coal.Cylinder, "sphere": coal.Sphere}[shape.kind](*shape.size_m)
