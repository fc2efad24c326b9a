"""Lines of a file, several in one call: each is converted, judged, sent and told as ``Follower`` and the tick do it singly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.core.pool import Pool
from proxops.core.vocabulary import System
from proxops.lab.coordinates import OK, POV, axes_from_values, check_values
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.safety.guarded_cycle import (
    GuardedCycle,
    Passing,
    judge_wish,
    keep_row,
    move_robots,
    read_robots,
    tell_cycle,
)

CLW = int(System.CLW)


class CommandViews(NamedTuple):
    """The command's group in the pool."""

    states: NDArray[np.uint8]  # its system, and whether it is fresh
    sequence: NDArray[np.int64]
    values: Array

    @classmethod
    def of(cls, pool: Pool) -> CommandViews:
        return cls(
            pool.integers("u1", "command", "system", 2),
            pool.integers("i8", "command", "sequence"),
            pool.run("command", "c1"),
        )


class Lines(NamedTuple):
    """Those to come, and the axes of the last one and of the one before."""

    systems: NDArray[np.int64]
    values: Array  # (n, 22)
    first: int  # number of the first
    last: Array
    before: Array


@kernel
def follow_lines(c: GuardedCycle, told: CommandViews, lines: Lines, p: Passing, count: int) -> int:
    """Up to ``count`` cycles, a line each; how many have passed. The first that is not plainly followed is left alone."""
    q = np.empty(lines.last.shape[0])
    for k in range(count):
        system, values = lines.systems[k], lines.values[k]
        if check_values(system, values)[0] != OK:
            return k
        if axes_from_values(c.hall, system, values, lines.last, False, q)[0] != OK:
            return k
        actual, actual_rate = c.actual.copy(), c.actual_rate.copy()
        read_robots(c)
        c.wish[:] = q
        if not judge_wish(c):
            c.actual[:], c.actual_rate[:] = actual, actual_rate
            return k
        lines.before[:] = lines.last
        lines.last[:] = q
        fault = move_robots(c, p.noise + k)
        told.states[0], told.states[1] = system, lines.first + k != told.sequence[0]
        told.sequence[0] = lines.first + k
        told.values[:] = values
        if system == CLW:
            c.pov[:] = values[POV : POV + 7]
        tell_cycle(c, p, k, system)
        keep_row(c, k)
        if fault:
            return k + 1
    return count
