"""Following without incident, several cycles in one call: a client that is heard, all green, nothing that the guard objects to.

The stages are those of ``Bridged.step`` while it follows, then those of the tick (``safety.guarded_cycle``), in their order. A
cycle that turns out not to be usual (no place, no more converged, bounds that leave a zone open, a limit) is taken back and left
to the tick.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.clutch import Clutch
from proxops.bridge.cost import Cost
from proxops.bridge.coupling import CouplingParts, put_poses
from proxops.bridge.descent import Free
from proxops.bridge.estimate import Estimate, hear
from proxops.bridge.hearing import Hearing
from proxops.bridge.mapping import OK, PHI, Place, Rig
from proxops.bridge.ride import Ride, ride_tick
from proxops.bridge.telemetry_views import TelemetryViews
from proxops.core.vocabulary import InputState
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.safety.guarded_cycle import (
    Bytes,
    GuardedCycle,
    Passing,
    judge_wish,
    keep_row,
    move_robots,
    read_robots,
    tell_cycle,
)
from proxops.safety.nearness import Table
from proxops.safety.zone_watch import LookParts, green_layer


class Following(NamedTuple):
    """All that moves the hall after its client: views of what the bridge's parts themselves work on."""

    estimate: Estimate
    pose: Array  # T_target_chaser, estimated
    rig: Rig
    cost: Cost
    clutch: Clutch
    limits: Array  # m/s, m/s², rad/s, rad/s²
    free: Free
    ride: Ride
    place: Place
    fixed: Table  # of the zones, and what they remember
    cache: Table
    acceleration: Array
    lags_s: Array
    way: Array
    reach: Array
    minimum_m: float
    # In the pool: states, number of the packet, counters, and numbers from what is left to the pace.
    states: Bytes
    sequence: NDArray[np.int64]
    counters: NDArray[np.uint32]
    numbers: Array
    poses: Array


class Heard(NamedTuple):
    """What comes out of the input filter in the cycles to come, row by row, and what is told of it."""

    samples: Array  # (n, 20): relative pose, T_client_target, relative velocity; worth something where
    fresh: NDArray[np.bool_]
    with_velocity: NDArray[np.bool_]
    states: Bytes
    sequence: NDArray[np.int64]
    counters: NDArray[np.uint32]  # (n, 6)
    told: Bytes  # (n, bytes of the pool ...
    told_at: int  # ... from here on): what the sender tells of itself


def following(hearing: Hearing, coupling: CouplingParts, zones: LookParts, views: TelemetryViews) -> Following:
    """Of the parts of one bridge."""
    return Following(hearing.estimate, hearing.pose, *coupling, *zones, *views)


INPUT = 2  # among the states
LEFT, YELLOW, PHI_AT, COST = 0, 5, 6, 7  # among the numbers
DRY = int(InputState.DRY)


@kernel
def _usual_wish(c: GuardedCycle, f: Following, heard: Heard, k: int) -> float:
    """Estimate → clutch → axes, into ``c.wish``: the yellow layer, or -1 where this cycle is not usual."""
    sample, dry = heard.samples[k], heard.states[k] == DRY
    fresh, with_velocity = heard.fresh[k], heard.with_velocity[k]
    if not hear(f.estimate, sample[0:7], sample[14:20], fresh, with_velocity, dry, False, f.pose):
        return -1.0
    guard, place = c.guard[0], f.place[0]
    code = ride_tick(c.hall, f.rig, f.cost, f.estimate, f.clutch, f.limits, f.free, f.ride, guard.x, guard.v, f.place)
    if code != OK or f.clutch[0].converged == 0:
        return -1.0
    layer = green_layer(
        c.hall,
        f.fixed,
        f.cache,
        f.acceleration,
        f.ride[0].rate,
        f.lags_s,
        place.q,
        c.actual,
        f.way,
        f.reach,
        f.minimum_m,
    )
    if layer >= 0.0:
        c.wish[:] = place.q
    return layer


@kernel
def _tell(c: GuardedCycle, f: Following, heard: Heard, k: int, layer: float) -> None:
    """What ``BridgeTelemetry`` and the client fill, but for what does not change while the hall follows."""
    clutch, ride, numbers = f.clutch[0], f.ride[0], f.numbers
    f.states[INPUT], f.sequence[0] = heard.states[k], heard.sequence[k]
    f.counters[:] = heard.counters[k]
    numbers[LEFT], numbers[LEFT + 1], numbers[LEFT + 2] = clutch.left_m, clutch.left_rad, clutch.left_s
    numbers[YELLOW], numbers[PHI_AT] = layer, f.free[0].x[PHI]
    numbers[COST], numbers[COST + 1] = ride.cost, ride.pace
    put_poses(f.estimate, f.ride, f.place, True, True, f.poses)
    for i in range(heard.told.shape[1]):
        c.pool[heard.told_at + i] = heard.told[k, i]


@kernel
def follow_usual(c: GuardedCycle, f: Following, heard: Heard, p: Passing, count: int) -> tuple[int, float]:
    """Up to ``count`` cycles: how many have passed, and the yellow layer of the last. A controller's fault ends them with its own
    cycle."""
    layer = 0.0
    for k in range(count):
        actual, actual_rate = c.actual.copy(), c.actual_rate.copy()
        read_robots(c)
        estimate, pose, clutch = f.estimate.copy(), f.pose.copy(), f.clutch.copy()
        free, ride, place = f.free.copy(), f.ride.copy(), f.place.copy()
        found = _usual_wish(c, f, heard, k)
        if found < 0.0 or not judge_wish(c):
            f.estimate[0], f.pose[:], f.clutch[0] = estimate[0], pose, clutch[0]
            f.free[0], f.ride[0], f.place[0] = free[0], ride[0], place[0]
            c.actual[:], c.actual_rate[:] = actual, actual_rate
            return k, layer
        layer = found
        fault = move_robots(c, p.noise + k)
        tell_cycle(c, p, k)
        _tell(c, f, heard, k, layer)
        keep_row(c, k)
        if fault:
            return k + 1, layer
    return count, layer
