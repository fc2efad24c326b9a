"""What every cycle of a hall has in common, as kernels can do it: robots read, a wish judged and sent, all of it told.

The tick (``facility.Facility.tick``) has the same stages, one by one, and decides whatever there is to decide between them. Where
there is nothing to decide, a motion may go through several cycles in one call (``Motion.usual_cycles``): it calls these stages in
the order of the tick, and leaves the first cycle that is not usual, untouched, to the tick.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.core.clock import GPS_MINUS_UNIX_NS
from proxops.lab.coordinates import HallRecord
from proxops.lab.links.virtual import step
from proxops.lab.observation import observe
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, copy_to
from proxops.maths.stack import vector
from proxops.safety.limits import Guarded, judge

MOST = 25  # cycles in one call: more would gain nothing, and a stop that is asked for waits so long in lockstep
MARGINS = 6  # of a hall, see ``limits``
Bytes = NDArray[np.uint8]


class GuardedCycle(NamedTuple):
    """A hall of virtual robots behind its guard, and its pool: views of what the parts themselves work on."""

    hall: HallRecord
    guard: Guarded
    wish: Array  # that is judged
    margins: Array
    report: Array
    controllers: NDArray[np.void]
    noise: Array  # one row each cycle
    reported: Array  # axes and their rates at the end of the cycle
    reported_rate: Array
    error: Array  # true minus reported axes
    actual: Array  # as they were read at the beginning of it, in the pool like all that follows
    actual_rate: Array
    guarded: Array  # wish, set-point and its rate, and
    told: Array  # the same where the guard has them
    pov: Array  # of the command's coordinate system
    ports: Array
    answer: Array
    truth: Array
    tick: NDArray[np.int64]  # the cycle's number, s, and UTC and GPS in ns
    t_sim: Array
    times: NDArray[np.int64]
    pool: Bytes
    rows: Bytes  # what has been told of each cycle (n, record)


class Passing(NamedTuple):
    """Where usual cycles begin: the first one's number, time, row of the noise, and the coordinates of the last command."""

    tick: int
    utc_ns: int
    period_ns: int
    noise: int
    system: int


@kernel
def read_robots(c: GuardedCycle) -> None:
    """What they reported at the end of the cycle before."""
    for i in range(c.actual.shape[0]):
        c.actual[i], c.actual_rate[i] = c.reported[i], c.reported_rate[i]


@kernel
def judge_wish(c: GuardedCycle) -> bool:
    """Take ``c.wish`` as the set-point. False where that is not plainly allowed; then nothing has changed."""
    margins = vector(MARGINS)
    for i in range(MARGINS):
        margins[i] = c.margins[i]
    if judge(c.hall, c.guard, c.wish, c.actual, c.margins, c.report) == 0:
        return True
    copy_to(margins, c.margins)
    return False


@kernel
def move_robots(c: GuardedCycle, noise: int) -> int:
    """One cycle of the controllers; the fault that stands."""
    return step(c.controllers, c.guard[0].x, c.noise[noise], c.reported, c.reported_rate)


@kernel
def tell_cycle(c: GuardedCycle, p: Passing, k: int, system: int) -> None:
    """Fill the pool with cycle ``k`` of those that pass: what ``facility.publication`` fills, but for what does not change.
    ``system``: coordinates in which actual values are answered."""
    tick = p.tick + k
    c.tick[0], c.t_sim[0] = tick, tick * (p.period_ns * 1e-9)
    c.times[0] = p.utc_ns + k * p.period_ns
    c.times[1] = c.times[0] + GPS_MINUS_UNIX_NS
    for i in range(c.guarded.shape[0]):
        c.guarded[i] = c.told[i]
    observe(c.hall, c.guard[0].x, c.actual, c.error, system, c.pov, c.ports, c.answer, c.truth)


@kernel
def keep_row(c: GuardedCycle, k: int) -> None:
    """The pool as it is after cycle ``k``."""
    row = c.rows[k]
    for i in range(c.pool.shape[0]):
        row[i] = c.pool[i]
