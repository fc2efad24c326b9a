"""Following without incident, several cycles in one call: a client that is heard, all green, nothing that the guard objects to.

The stages are those of ``Bridged.step`` while it follows, then those of the tick (``safety.guarded_cycle``), in their order. A
cycle that turns out not to be usual (no place, no more converged, bounds that leave a zone open, a limit) is taken back and left
to the tick.
"""

from __future__ import annotations

from typing import NamedTuple

from proxops.bridge.coupling import CouplingParts, put_poses
from proxops.bridge.estimate import Estimate, hear
from proxops.bridge.heard import Heard
from proxops.bridge.mapping import OK, PHI
from proxops.bridge.ride import ride_tick
from proxops.bridge.telemetry_views import TelemetryViews
from proxops.core.messages import N_AXES
from proxops.core.vocabulary import InputState
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, copy_to
from proxops.maths.stack import record_like, vector
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
from proxops.safety.zone_watch import LookParts, green_layer


class FollowingParts(NamedTuple):
    """All that moves the hall after its client: views of what the bridge's parts themselves work on."""

    estimate: Estimate
    pose: Array  # T_target_chaser, estimated
    coupling: CouplingParts
    look: LookParts
    views: TelemetryViews


class SenderRows(NamedTuple):
    """What the sender tells of itself in these cycles: rows (n, bytes of the pool), from byte ``at`` on."""

    rows: Bytes
    at: int


INPUT = 2  # among the states
LEFT, YELLOW, PHI_AT, COST = 0, 5, 6, 7  # among the numbers
CLEARANCES = slice(3, 5)  # commanded and actual
DRY = int(InputState.DRY)


@kernel
def _usual_wish(c: GuardedCycle, f: FollowingParts, heard: Heard, row: int) -> float:
    """Estimate → clutch → axes, into ``c.wish``: the yellow layer, or -1 where this cycle is not usual."""
    sample, dry = heard.samples[row], heard.states[row] == DRY
    fresh, with_velocity = heard.fresh[row], heard.with_velocity[row]
    if not hear(f.estimate, sample[0:7], sample[14:20], fresh, with_velocity, dry, False, f.pose):
        return -1.0
    guard, k, z = c.guard[0], f.coupling, f.look
    code = ride_tick(c.hall, k.rig, k.cost, f.estimate, k.clutch, k.limits, k.free, k.ride, guard.x, guard.v, k.place)
    if code != OK or k.clutch[0].converged == 0:
        return -1.0
    q, rate = k.place[0].q, k.ride[0].rate
    layer = green_layer(
        c.hall, z.fixed, z.cache, z.acceleration, rate, z.lags_s, q, c.actual, z.way, z.reach, z.minimum_m
    )
    if layer >= 0.0:
        copy_to(q, c.wish)
    return layer


@kernel
def _tell(c: GuardedCycle, f: FollowingParts, heard: Heard, told: SenderRows, k: int, layer: float) -> None:
    """What ``BridgeTelemetry`` and the client fill, but for what does not change while the hall follows."""
    v, clutch, ride = f.views, f.coupling.clutch[0], f.coupling.ride[0]
    numbers = v.numbers
    v.states[INPUT], v.sequence[0] = heard.states[k], heard.sequence[k]
    for i in range(v.counters.shape[0]):
        v.counters[i] = heard.counters[k, i]
    numbers[LEFT], numbers[LEFT + 1], numbers[LEFT + 2] = clutch.left_m, clutch.left_rad, clutch.left_s
    numbers[YELLOW], numbers[PHI_AT] = layer, f.coupling.free[0].x[PHI]
    numbers[COST], numbers[COST + 1] = ride.cost, ride.pace
    put_poses(f.estimate, f.coupling.ride, f.coupling.place, True, True, v.poses)
    for i in range(told.rows.shape[1]):
        c.pool[told.at + i] = told.rows[k, i]


@kernel
def follow_usual(
    c: GuardedCycle, f: FollowingParts, heard: Heard, told: SenderRows, p: Passing, count: int
) -> tuple[int, float]:
    """Up to ``count`` cycles: how many have passed, and the yellow layer of the last. A controller's fault ends them with its own
    cycle."""
    layer, coupling = 0.0, f.coupling
    actual, actual_rate, pose = vector(N_AXES), vector(N_AXES), vector(7)
    estimate, clutch, free = record_like(f.estimate), record_like(coupling.clutch), record_like(coupling.free)
    ride, place = record_like(coupling.ride), record_like(coupling.place)
    for k in range(count):
        copy_to(c.actual, actual)
        copy_to(c.actual_rate, actual_rate)
        copy_to(f.pose, pose)
        read_robots(c)
        estimate[0], clutch[0], free[0] = f.estimate[0], coupling.clutch[0], coupling.free[0]
        ride[0], place[0] = coupling.ride[0], coupling.place[0]
        found = _usual_wish(c, f, heard, k)
        if found < 0.0 or not judge_wish(c):
            f.estimate[0], coupling.clutch[0], coupling.free[0] = estimate[0], clutch[0], free[0]
            coupling.ride[0], coupling.place[0] = ride[0], place[0]
            copy_to(actual, c.actual)
            copy_to(actual_rate, c.actual_rate)
            copy_to(pose, f.pose)
            return k, layer
        layer = found
        fault = move_robots(c, p.noise + k)
        tell_cycle(c, p, k, p.system)
        _tell(c, f, heard, told, k, layer)
        keep_row(c, k)
        if fault:
            return k + 1, layer
    return count, layer
