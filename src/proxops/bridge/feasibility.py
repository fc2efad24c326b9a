"""A relative motion through the mapping before anyone drives it: axes and room all along, from one posture on.

The pass is the ride with an ideal clutch: every pose is shown as it is commanded, and the free parameters slide down the cost
under the same bounds, tick by tick (``descent.slide``); only the pose is renewed every fifth tick. A quick pass also looks at
the cost every fifth tick only: near a fence the descent then swings more than it would. A pass ends where the hall would halt:
no root, or a range of an axis or of Table 3 left before a stop could end. What is only too fast does not end it: there the
bridge slows down and falls behind (``rate_use``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.cost import Cost, cost_gradient
from proxops.bridge.descent import FREE_DTYPE, Free, begin, follow_line, relax, slide
from proxops.bridge.mapping import LATERAL_MAX, N_FREE, OK, PHI, PLACE_DTYPE, Place, Rig, place, rig_of
from proxops.bridge.posture import PORTION, PORTIONS, START_ROOM, Posture
from proxops.bridge.rate_use import rates
from proxops.bridge.reach import rooms, smallest_room
from proxops.bridge.ride import RIDE_DTYPE, command_place, seat_ride
from proxops.core.messages import N_AXES, PERIOD_S
from proxops.lab.cell import Cell
from proxops.lab.coordinates import HallRecord
from proxops.lab.kinematics import singularity_margins
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array

Floats = NDArray[np.float64]
LIMIT: Final = 6  # beside the codes of mapping and ride: a range was left
TICKS: Final = 5  # between two poses
SMALLEST_STEP_S: Final = TICKS * PERIOD_S
N_RANGES: Final = 25  # margins that the guard knows too, in the order of reach.rooms: 13 axes, 12 components of Table 3
N_MARGINS: Final = 29
WRIST, ELBOW, SHOULDER, ROOT = 25, 26, 27, 28  # the others: distances to the singularities, and to the end of the root
WHOLE_ANGLE: Final = 0.5 * math.pi  # as far from a singular wrist or elbow as one can be
WHOLE_SHOULDER_M: Final = 1.0


@dataclass(frozen=True)
class Seat:
    """Where a pass begins: the signs of A5, the free parameters with their reference, and the axes."""

    signs: tuple[float, float]
    free: Free
    q: Floats

    @property
    def phi(self) -> float:
        return float(self.free[0]["x"][PHI])


@dataclass(frozen=True)
class Course:
    """A pass, sample by sample: as many as it got, and why it ended (mapping.OK: at the end of the motion)."""

    q: Floats  # (n, 13)
    rate: Floats  # (n, 13), m/s and rad/s
    margins: Floats  # (n, 29): room in m and rad; of the root: m of lateral offset
    shares: Floats  # (n, 29): the same of what there can be; 1 is in the middle of a range or far from a singularity
    roll: Floats  # (n, 2): of the plates, counted through full turns
    cost: Floats
    code: int
    limit: int  # what LIMIT is of, as reach counts: 1-13 axes, 14-25 components of Table 3; 0 otherwise

    def __len__(self) -> int:
        return len(self.q)

    def until(self, n: int) -> Course:
        """Its first ``n`` samples."""
        return replace(
            self, q=self.q[:n], rate=self.rate[:n], margins=self.margins[:n], shares=self.shares[:n],
            roll=self.roll[:n], cost=self.cost[:n],
        )  # fmt: skip


def seat_of(cell: Cell, pose: Floats, posture: Posture) -> Seat:
    """Begin with a posture that was found for ``pose``."""
    free = np.zeros(1, FREE_DTYPE)
    begin(rig_of(cell, posture.signs), pose, posture.free, free)
    return Seat(posture.signs, free, posture.q)


def seat_from(cell: Cell, cost: Cost, q: Floats, pose: Floats) -> Seat | None:
    """Begin with the posture that there is, as the bridge does at rest: relaxed at ``pose``; None if it leaves no room."""
    rig, free, place_ = rig_of(cell), np.zeros(1, FREE_DTYPE), np.zeros(1, PLACE_DTYPE)
    if seat_ride(cell.hall, rig, q, free, np.zeros(1, RIDE_DTYPE), place_) != OK:
        return None
    cost, step = cost.copy(), 0.05
    for _ in range(PORTIONS):
        if command_place(cell.hall, rig, pose, free, place_[0]["q"], place_) != OK:
            return None
        _, step = relax(cell.hall, rig, cost, pose, free, place_[0]["q"], PORTION, step, place_)
    if not smallest_room(cell.hall, place_, np.zeros(2))[0] >= START_ROOM:
        return None
    signs = float(rig[0]["sign1"]), float(rig[0]["sign2"])
    return Seat(signs, free, place_[0]["q"].copy())


@kernel
def _margins(hall: HallRecord, out: Place, roll: Array, every: Array, row: Array) -> bool:
    """All margins of a place into ``row``; False when a range is left."""
    h, q = hall[0], out[0].q
    rooms(hall, out, roll, every)
    inside = True
    for i in range(N_RANGES):
        row[i] = every[i]
        inside = inside and every[i] >= 0.0
    first, second = singularity_margins(h.lengths1, q[1:7]), singularity_margins(h.lengths2, q[7:13])
    for i in range(3):
        row[WRIST + i] = min(first[i], second[i])
    row[ROOT] = every[26]
    return inside


@kernel
def _pass(
    hall: HallRecord, rig: Rig, cost: Cost, poses: Array, sun: Array, looks: int, ticks: int, free: Free, near: Array,
    roll: Array, q: Array, margins: Array, rolls: Array, costs: Array, lengths: Array,
) -> tuple[int, int]:  # fmt: skip
    """(samples done, code). ``looks`` at the cost per sample, ``ticks`` of sliding before each."""
    f, c = free[0], cost[0]
    gradient, every = np.zeros(N_FREE), np.empty(27)
    out = np.zeros(1, PLACE_DTYPE)
    out[0].q[:] = near
    for k in range(poses.shape[0]):
        c.sun[:] = sun[k]
        follow_line(rig, poses[k], free)
        for _ in range(looks if k > 0 else 1):
            for _ in range(ticks if k > 0 else 0):
                slide(gradient, 1.0, f.x, f.v)
            code = place(hall, rig, poses[k], f.x, f.reference, out[0].q, out)
            if code != OK:
                return k, code
            costs[k] = cost_gradient(hall, cost, out, gradient)
        q[k], lengths[k] = out[0].q, out[0].L
        inside = _margins(hall, out, roll, every, margins[k])
        rolls[k] = roll
        if not inside:
            return k, LIMIT
    return poses.shape[0], OK


def course_of(
    cell: Cell, cost: Cost, poses: Floats, sun: Floats, step_s: float, seat: Seat,
    roll: Floats | None = None, quick: bool = False,
) -> Course:  # fmt: skip
    """Follow ``poses`` (T_target_chaser packed, one every ``step_s``, a multiple of ``SMALLEST_STEP_S``) from a seat at the
    first of them. ``sun``: towards it in the chaser's frame, for each pose. ``roll``: of both plates as the guard has counted
    it through full turns on the way to the seat; by default the turn nearest to zero."""
    n, ticks = len(poses), TICKS if quick else 1
    looks = max(1, round(step_s / (ticks * PERIOD_S)))
    q, margins, rolls = np.empty((n, N_AXES)), np.empty((n, N_MARGINS)), np.empty((n, 2))
    costs, lengths, counted = np.empty(n), np.empty(n), np.zeros(2) if roll is None else roll.copy()
    done, code = _pass(
        cell.hall, rig_of(cell, seat.signs), cost.copy(), poses, sun, looks, ticks, seat.free.copy(), seat.q, counted,
        q, margins, rolls, costs, lengths,
    )  # fmt: skip
    limit = 1 + int(np.argmin(margins[done, :N_RANGES])) if code == LIMIT else 0
    rate = rates(q[:done], step_s)
    stopped, stopped_limit = _overrun(cell, margins[:done, :N_RANGES], rate, step_s)
    if stopped < done:
        done, code, limit = stopped, LIMIT, stopped_limit
    room, most = margins[:done], whole(cell)
    shares = np.divide(room, most, out=np.full(room.shape, np.inf), where=np.isfinite(most))
    shares[:, ROOT] = margins[:done, ROOT] / (LATERAL_MAX * lengths[:done])
    return Course(q[:done], rate[:done], margins[:done], shares, rolls[:done], costs[:done], code, limit)


def whole(cell: Cell) -> Floats:
    """What each margin can be (29): half of a range, a right angle, a metre; the root's goes with the distance: 1."""
    h = cell.hall[0]
    halves = 0.5 * (h["upper"] - h["lower"]), 0.5 * (h["range_upper"] - h["range_lower"]).ravel()
    return np.concatenate([*halves, [WHOLE_ANGLE, WHOLE_ANGLE, WHOLE_SHOULDER_M, 1.0]])


def _overrun(cell: Cell, margins: Floats, rate: Floats, step_s: float) -> tuple[int, int]:
    """First sample from which a stop would end outside a range, and which range; all samples and 0 if there is none.
    The guard brakes all axes along their direction (``safety.braking``): half the braking time at the present rate."""
    if len(margins) < 2:
        return len(margins), 0
    half_s = 0.25 * np.pi * np.max(np.abs(rate) / cell.hall[0]["acceleration"], axis=1)
    finite = np.where(np.isfinite(margins), margins, 1e9)
    left = finite + np.minimum(np.gradient(finite, step_s, axis=0), 0.0) * half_s[:, None]
    outside = (left < 0.0).any(axis=1)
    k = int(outside.argmax())
    return (k, 1 + int(left[k].argmin())) if outside.any() else (len(margins), 0)
