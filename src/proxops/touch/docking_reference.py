"""What a contact would have been: with no delay at all, and through the delay with the force fed back as it comes.

Both start from the state before a touch and use the law that the virtual hardware truly has: for judging a run afterwards."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from proxops.core.messages import PERIOD_S
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.space.contact_pair import Pair, advance, books, contact_wrench, relative
from proxops.space.drogue import depth

STEP_S: Final = 1e-4
HISTORY: Final = 64  # cycles that the delay may take
LONGEST_S: Final = 5.0  # a contact that has not come apart by then holds
CLEAR_S: Final = 0.02  # after which a ball that is out stays out


class ContactOutcome(NamedTuple):
    """After the contact: speed along the normal, relative kinetic energy, greatest force; NaN if it did not come apart."""

    leaving: float
    energy: float
    peak: float


def undelayed(pair: Pair, y: Array, normal: Array) -> ContactOutcome:
    """The contact as it should be. ``pair``: bodies with the true law."""
    return _outcome(pair, y.copy(), normal, 0.0)


def uncompensated(pair: Pair, y: Array, normal: Array, delay_s: float) -> ContactOutcome:
    """Through a pure delay, the force of the shown pose held over each cycle."""
    return _outcome(pair, y.copy(), normal, delay_s)


def _outcome(pair: Pair, y: Array, normal: Array, delay_s: float) -> ContactOutcome:
    mine = pair.copy()
    mine[0]["latch"]["on"] = 0  # contacts are judged up to where they come apart
    out = np.zeros(3)
    flown_again(mine, y, normal, delay_s / PERIOD_S, out)
    return ContactOutcome(float(out[0]), float(out[1]), float(out[2]))


@kernel
def flown_again(pair: Pair, y: Array, normal: Array, late: float, out: Array) -> None:
    """Fly ``y`` until it is out of contact; ``late``: cycles of delay, 0: none and no hold. ``out``: as ``ContactOutcome``."""
    r = pair[0]
    poses, twists = np.zeros((HISTORY, 7)), np.zeros((HISTORY, 6))
    pose, twist, wrench, way = np.zeros(7), np.zeros(6), np.zeros(6), np.zeros(3)
    book = np.zeros(8)
    held = r.law.stiffness
    touched, clear, peak = False, 0, 0.0
    out[:] = math.nan
    steps = round(PERIOD_S / STEP_S)
    for cycle in range(int(LONGEST_S / PERIOD_S)):
        relative(pair, y, pose, twist)
        poses[cycle % HISTORY], twists[cycle % HISTORY] = pose, twist
        if late > 0.0:
            _shown(poses, twists, cycle, late, pose, twist)
            contact_wrench(pair, pose, twist, wrench)
            r.extra[:] = wrench
            r.law.stiffness, damping = 0.0, r.law.damping
            r.law.damping = 0.0
            advance(pair, y, STEP_S, steps)
            r.law.stiffness, r.law.damping = held, damping
            peak = max(peak, math.sqrt(wrench[0] ** 2 + wrench[1] ** 2 + wrench[2] ** 2))
        else:
            for _ in range(steps):
                advance(pair, y, STEP_S, 1)
                relative(pair, y, pose, twist)
                contact_wrench(pair, pose, twist, wrench)
                peak = max(peak, math.sqrt(wrench[0] ** 2 + wrench[1] ** 2 + wrench[2] ** 2))
        feels = wrench[0] != 0.0 or wrench[1] != 0.0 or wrench[2] != 0.0
        touched = touched or feels
        relative(pair, y, pose, twist)
        out_of_it = not feels and depth(r.drogue, pose, way) <= 0.0
        clear = clear + 1 if touched and out_of_it else 0
        if clear * PERIOD_S >= CLEAR_S + late * PERIOD_S:
            books(pair, y, book)
            out[0] = twist[0] * normal[0] + twist[1] * normal[1] + twist[2] * normal[2]
            out[1], out[2] = book[7], peak
            return


@kernel
def _shown(poses: Array, twists: Array, cycle: int, late: float, pose: Array, twist: Array) -> None:
    """Between two cycles the robot goes straight."""
    whole = int(late)
    part = late - whole
    newer, older = max(cycle - whole, 0) % HISTORY, max(cycle - whole - 1, 0) % HISTORY
    for i in range(7):
        pose[i] = poses[newer, i] + part * (poses[older, i] - poses[newer, i])
    for i in range(6):
        twist[i] = twists[newer, i] + part * (twists[older, i] - twists[newer, i])
    norm = math.sqrt(pose[3] ** 2 + pose[4] ** 2 + pose[5] ** 2 + pose[6] ** 2)
    for i in range(3, 7):
        pose[i] /= norm
