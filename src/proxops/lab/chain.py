"""A tree of links for the kernels: where each body is at given axes. ``link_tree`` is the same tree for people."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.lab.link_tree import TreeLink
from proxops.maths.kernel import kernel
from proxops.maths.pose import pack_pose
from proxops.maths.record import one_layout, room_for
from proxops.maths.rotation import Array

ChainTable = NDArray[np.void]
LEAST_BODIES: Final = 32


@one_layout
def chain_dtype(bodies: int) -> np.dtype[np.void]:
    """A record that holds a tree and nothing else."""
    return np.dtype(chain_fields(bodies))


def chain_fields(bodies: int) -> list[tuple[str, str, tuple[int, ...]]]:
    """Fields of a record with room for a tree of so many ``bodies``, ``chained`` of which are there; parents come first, -1 is
    the lab, and ``drive`` -1 does not move."""
    return [
        ("chained", "i8", ()),
        ("parent", "i8", (bodies,)), ("drive", "i8", (bodies,)), ("slides", "i8", (bodies,)),
        ("joint", "f8", (bodies, 4, 4)), ("axis", "f8", (bodies, 3)),
    ]  # fmt: skip


def chain_of(links: tuple[TreeLink, ...]) -> tuple[ChainTable, Array]:
    """The tree of ``links`` and the lab, and room for the poses of its bodies."""
    room = room_for(len(links) + 1, LEAST_BODIES)
    tree = np.zeros(1, chain_dtype(room))
    fill_chain(tree[0], links)
    return tree, np.zeros((room, 4, 4))


def fill_chain(record: np.void, links: tuple[TreeLink, ...]) -> None:
    """Put the tree into a record with room for one body more: the last is the lab itself."""
    lab = len(links)
    record["chained"] = lab + 1
    for body, link in enumerate(links):
        record["parent"][body], record["drive"][body] = link.parent, link.drive
        record["slides"][body] = link.drawn.moves == "prismatic"
        record["joint"][body], record["axis"][body] = link.T_parent_joint, link.drawn.axis
    record["parent"][lab] = record["drive"][lab] = -1
    record["joint"][lab] = np.eye(4)


@kernel
def _turned(T: Array, axis: Array, angle: float) -> None:
    """Turn a frame about an axis of its own."""
    c, s = math.cos(angle), math.sin(angle)
    x, y, z = axis[0], axis[1], axis[2]
    for i in range(3):
        a, b, d = T[i, 0], T[i, 1], T[i, 2]
        along = (1.0 - c) * (a * x + b * y + d * z)  # Rodrigues, row by row: r R = c r + (1 - c) (r·u) u + s (r × u)
        T[i, 0] = c * a + along * x + s * (b * z - d * y)
        T[i, 1] = c * b + along * y + s * (d * x - a * z)
        T[i, 2] = c * d + along * z + s * (a * y - b * x)


@kernel
def chain_poses(tree: ChainTable, q: Array, out: Array) -> None:
    """T_lab_body of every body at axes ``q`` into ``out`` (bodies, 4, 4)."""
    t = tree[0]
    for body in range(t.chained):
        parent, T = t.parent[body], out[body]
        for i in range(4):
            for j in range(4):
                T[i, j] = t.joint[body, i, j]
        if parent >= 0:
            for i in range(3):
                for j in range(4):
                    T[i, j] = out[parent, i, 3] if j == 3 else 0.0
                    for k in range(3):
                        T[i, j] += out[parent, i, k] * t.joint[body, k, j]
        drive = t.drive[body]
        if drive >= 0 and t.slides[body] == 1:
            for i in range(3):
                T[i, 3] += q[drive] * (
                    T[i, 0] * t.axis[body, 0] + T[i, 1] * t.axis[body, 1] + T[i, 2] * t.axis[body, 2]
                )
        elif drive >= 0:
            _turned(T, t.axis[body], q[drive])


@kernel
def put_poses(tree: ChainTable, q: Array, bodies: NDArray[np.int64], poses: Array, out: Array) -> None:
    """T_lab_body of some ``bodies`` at axes ``q`` into ``out`` (bodies, 7), packed; ``poses`` has room for all (bodies, 4, 4)."""
    chain_poses(tree, q, poses)
    for i in range(bodies.shape[0]):
        pack_pose(poses[bodies[i]], out[i])
