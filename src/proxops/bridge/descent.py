"""Free motion: the seven parameters slide down the cost, bounded in rate and acceleration, tick by tick.

``FREE_DTYPE`` is what the mapping carries from tick to tick: the parameters, their rates, the reference on the chaser and the
line it was carried along. ``slide`` is one tick in motion; ``relax`` runs a descent without limits for a pose at rest, which
is how postures are found (``posture.py``).
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.cost import Cost, cost_gradient
from proxops.bridge.mapping import N_FREE, OK, Place, Rig, carry, line_in_chaser, place
from proxops.core.messages import PERIOD_S
from proxops.lab.coordinates import HallRecord
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, copy_to
from proxops.maths.stack import record_like, vector

GAIN: Final = 0.35  # rad/s per unit of slope
RATE: Final = math.radians(5.0)  # rad/s of a free parameter, at most
ACCELERATION: Final = math.radians(6.0)  # rad/s², at most
LARGEST_STEP: Final = math.radians(6.0)  # of one iteration at rest
FIRST_STEP: Final = 0.05  # rad per unit of slope, of the first iteration at rest

FREE_DTYPE = np.dtype([("x", "f8", (N_FREE,)), ("v", "f8", (N_FREE,)), ("reference", "f8", (3,)), ("line", "f8", (3,))])
Free = NDArray[np.void]


@kernel
def slide(gradient: Array, pace: float, x: Array, v: Array) -> None:
    """One tick downhill: rate and acceleration bounded; ``pace`` (0..1) slows the parameters down."""
    for j in range(N_FREE):
        wanted = min(max(-GAIN * gradient[j], -RATE), RATE) * pace
        step = ACCELERATION * PERIOD_S
        v[j] += min(max(wanted - v[j], -step), step)
        x[j] += v[j] * PERIOD_S


@kernel
def follow_line(rig: Rig, pose: Array, free: Free) -> float:
    """Carry the reference to the line of ``pose``; returns the distance of the wrist centres."""
    f = free[0]
    line = vector(3)
    L = line_in_chaser(rig, pose, line)
    carry(line, f.line, f.reference)
    copy_to(line, f.line)
    return L


@kernel
def relax(
    hall: HallRecord,
    rig: Rig,
    cost: Cost,
    pose: Array,
    free: Free,
    near: Array,
    iterations: int,
    step: float,
    out: Place,
) -> tuple[float, float]:
    """Descend at a pose that stands still, with a step that grows while it helps. Returns the cost (inf: no root at the
    start) and the step to go on with; ``free`` and ``out`` hold the best."""
    f = free[0]
    gradient, trial_gradient, x = vector(N_FREE), vector(N_FREE), vector(N_FREE)
    trial = record_like(out)
    if place(hall, rig, pose, f.x, f.reference, near, out) != OK:
        return np.inf, step
    best = cost_gradient(hall, cost, out, gradient)
    for _ in range(iterations):
        largest = 0.0
        for j in range(N_FREE):
            largest = max(largest, abs(gradient[j]))
        scale = min(step, LARGEST_STEP / (largest + 1e-12))
        for j in range(N_FREE):
            x[j] = f.x[j] - scale * gradient[j]
        value = np.inf
        if place(hall, rig, pose, x, f.reference, out[0].q, trial) == OK:
            value = cost_gradient(hall, cost, trial, trial_gradient)
        if value < best:
            best = value
            step = min(step * 1.4, 1.0)
            copy_to(x, f.x)
            copy_to(trial_gradient, gradient)
            out[0] = trial[0]
        else:
            step = max(step * 0.4, 1e-6)
    f.v[:] = 0.0
    return best, step


@kernel
def begin(rig: Rig, pose: Array, x: Array, free: Free) -> None:
    """Start from parameters ``x`` at ``pose``, with the chaser's y axis as the reference."""
    f = free[0]
    line_in_chaser(rig, pose, f.line)
    f.reference[:] = 0.0
    f.reference[1] = 1.0
    along = abs(f.line[1])
    if along > 0.9:  # the line runs along y: take z
        f.reference[1], f.reference[2] = 0.0, 1.0
    carry(f.line, f.line, f.reference)
    f.x[:] = x
    f.v[:] = 0.0
