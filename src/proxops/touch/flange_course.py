"""The flange's way under a predicted course of the object that it carries, and what all arm angles of a pose have in common.

A prediction that stands only moves on from cycle to cycle: what was pose k + 1 is pose k now, to the bit. Its flange and its line
are taken over; only what is new is computed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.lab.redundant_arm import N_LINE, put_line
from proxops.maths.kernel import kernel
from proxops.maths.pose import compose, pose_from_packed
from proxops.maths.rotation import Array

Ints = NDArray[np.int64]


class FlangeCourse(NamedTuple):
    """One entry for each cycle. ``T_base_flange`` (n, 4, 4); ``lines`` (n, 12) and ``codes`` (n) of ``put_line``; ``known``: the
    object's poses (n, 7) in the world that they belong to."""

    T_base_flange: Array
    lines: Array
    codes: Ints
    known: Array


def flange_course(cycles: int) -> FlangeCourse:
    """Room for so many; nothing is known yet."""
    room = np.zeros((cycles, 4, 4)), np.zeros((cycles, N_LINE)), np.zeros(cycles, np.int64)
    return FlangeCourse(*room, np.full((cycles, 7), math.nan))


@kernel
def put_flange_course(
    lengths: Array, T_base_world: Array, T_object_flange: Array, poses: Array, elapsed: int, course: FlangeCourse
) -> None:  # fmt: skip
    """The first ``poses.shape[0]`` entries of ``course`` for ``poses`` (n, 7), ``elapsed`` cycles after it was made."""
    T, lines, codes, known = course
    kept, n = 0, poses.shape[0]
    while kept < min(n, known.shape[0] - elapsed) and same_pose(poses, kept, known, kept + elapsed):
        kept += 1
    if elapsed > 0:
        for k in range(kept):
            before = k + elapsed
            for i in range(4):
                for j in range(4):
                    T[k, i, j] = T[before, i, j]
            for c in range(N_LINE):
                lines[k, c] = lines[before, c]
            for c in range(7):
                known[k, c] = known[before, c]
            codes[k] = codes[before]
    for k in range(kept, n):
        T[k] = compose(compose(T_base_world, pose_from_packed(poses[k])), T_object_flange)
        codes[k] = put_line(lengths, T[k], lines[k])
        known[k] = poses[k]


@kernel
def same_pose(a: Array, i: int, b: Array, j: int) -> bool:
    """False of what is no number."""
    same = True
    for c in range(7):
        same = same and a[i, c] == b[j, c]
    return same
