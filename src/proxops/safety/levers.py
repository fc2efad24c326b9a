"""How far each axis can carry a solid: an upper bound of the way of any of its points per radian (or per metre of rail).

The bound holds in every posture, so it also holds along any motion: going from axes q to q', one axis after another, no
point of a solid moves further than the sum of lever_i |q'_i - q_i|.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from proxops.lab.arm_cell import ArmCell
from proxops.lab.cell import Cell
from proxops.lab.shapes import CARRIAGE, FLANGE, MOCKUP, ROBOT1, ROBOT2, Shape
from proxops.maths.pose import pose_from_abc

Vector = NDArray[np.float64]
TURNS_ABOUT = (2, 1, 1, 0, 1, 0)  # A1 … A6 turn about z y y x y x of the link that they carry


def hull(shape: Shape) -> tuple[Vector, float]:
    """Points (n, 3) in the body's frame and a radius: the solid lies in the hull of these points grown by the radius."""
    x, y, z = shape.half_m
    if shape.kind == "box":
        corners, grown = [(x * i, y * j, z * k) for i, j, k in itertools.product((-1, 1), repeat=3)], 0.0
    elif shape.kind == "cylinder":
        corners, grown = [(0.0, 0.0, -z), (0.0, 0.0, z)], x
    else:
        corners, grown = [(0.0, 0.0, 0.0)], x
    T = shape.T_body_shape
    return np.array(corners) @ T[:3, :3].T + T[:3, 3], grown


def lever_table(cell: Cell, shapes: tuple[Shape, ...]) -> NDArray[np.float64]:
    """Levers (axes, shapes), in m/rad (rail: m/m); zero where an axis does not carry the solid."""
    table = np.zeros((cell.n_axes, len(shapes)))
    h = cell.hall[0]
    for column, shape in enumerate(shapes):
        if CARRIAGE <= shape.body < ROBOT2:
            table[0, column] = 1.0
        if shape.body >= ROBOT2:
            table[7:, column] = _arm_levers(h["lengths2"], h["port2"], shape, shape.body - ROBOT2)
        elif shape.body >= ROBOT1:
            table[1:7, column] = _arm_levers(h["lengths1"], h["port1"], shape, shape.body - ROBOT1)
    return table


def _arm_levers(lengths: Vector, T_flange_port: Vector, shape: Shape, body: int) -> Vector:
    """Levers of A1 … A6 on a solid of the arm's ``body``."""
    a1, d1, a2, a3, d4, d6 = lengths
    points, grown = hull(shape)
    for fixed, T in ((MOCKUP, T_flange_port), (FLANGE, pose_from_abc(d6, 0.0, 0.0, 0.0, np.pi / 2, 0.0))):
        if body >= fixed:
            points = points @ T[:3, :3].T + T[:3, 3]  # flange and mock-up are fixed to link 6
    carrier = min(body, 6)
    # In link j's frame: the point of axis j that is looked from, and the one of axis j + 1 that is looked at.
    # Axes 4 to 6 meet in the wrist centre.
    here = np.zeros((7, 3))
    here[4] = d4, 0.0, 0.0
    ahead = {1: (a1, 0.0, d1), 2: (a2, 0.0, 0.0), 3: (d4, 0.0, a3), 4: (d4, 0.0, 0.0), 5: (0.0, 0.0, 0.0)}
    levers, reach = np.zeros(6), 0.0  # reach: of the solid from the point of axis j + 1, in any posture
    for j in range(carrier, 0, -1):
        seen = points if j == carrier else np.array([ahead[j]])
        beyond = grown if j == carrier else reach
        across = np.delete(seen, TURNS_ABOUT[j - 1], axis=1)
        levers[j - 1] = np.linalg.norm(across, axis=1).max() + beyond
        reach = float(np.linalg.norm(seen - here[j], axis=1).max() + beyond)
    return levers


def chain_levers(cell: ArmCell, shapes: tuple[Shape, ...]) -> NDArray[np.float64]:
    """Likewise for a cell of arms, (axes, shapes). Away from the solid's own link every offset may lie across every axis."""
    table = np.zeros((cell.n_axes, len(shapes)))
    for column, shape in enumerate(shapes):
        if shape.kind == "halfspace":
            continue
        points, grown = hull(shape)
        body, across = shape.body, -1.0
        reach = float(np.linalg.norm(points, axis=1).max()) + grown
        while 0 <= body < len(cell.links):
            link = cell.links[body]
            if body == shape.body and link.drive >= 0:
                across = float(np.linalg.norm(np.cross(points, link.drawn.axis), axis=1).max()) + grown
            if link.drive >= 0 and link.drawn.moves == "prismatic":
                table[link.drive, column] = 1.0
                reach += float(max(abs(cell.axes.lower[link.drive]), abs(cell.axes.upper[link.drive])))
            elif link.drive >= 0:
                table[link.drive, column] = across if body == shape.body else reach
            reach += float(np.linalg.norm(link.T_parent_joint[:3, 3]))
            body = link.parent
    return table


def pair_levers(table: NDArray[np.float64], first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.float64]:
    """By how much each axis can at most bring the two solids of a pair together, (axes, pairs). An axis that carries both
    leaves their distance as it is."""
    a, b = table[:, first], table[:, second]
    return np.where((a > 0) & (b > 0), 0.0, a + b)
