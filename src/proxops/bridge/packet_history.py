"""The client's last packets: the period at which it sends, and the cubic on which its two bodies move.

The cubic is a least-squares fit over up to twelve packets, taken as differences to the newest one: metres of motion,
not 7,000 km of orbit, and rotation vectors on the group. It is never fitted across a jump. Time is the client's send
time; where that is nonsense, the packet's number times the period.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import PERIOD_S
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import put_unit, rotation_vector
from proxops.maths.rotation import Array, copy_to, exponential
from proxops.maths.stack import matrix, vector
from proxops.maths.triple import composed, inverse, quad

DEPTH = 12  # packets that the fit sees
DEGREE = 3
JUMP_M = 0.05  # off the prediction by more than this, a packet has jumped
JUMP_RAD = math.radians(2.0)
SLACK_S = 2.0 * PERIOD_S  # jitter that a good send clock may show against ours: a cycle, and one by counting in cycles
SLACK_SHARE = 0.2  # and share by which it may run faster or slower
SHORTEST_S = 1e-3  # a period below this is a clock in the wrong unit, not a client at more than 1 kHz
LONGEST_STEP = 4.0  # periods between neighbours in which a good send clock may hesitate

HISTORY_DTYPE = np.dtype(
    [
        # Newest first.
        ("number", "i8", (DEPTH,)), ("sent_ns", "i8", (DEPTH,)),
        ("came_s", "f8", (DEPTH,)),  # our clock, counted in cycles, standstills of the network spread over what follows
        ("poses", "f8", (DEPTH, 2, 7)),  # T_target_chaser and T_client_target, packed
        ("timed", "i8"), ("posed", "i8"),  # how many count for the period and for the fit
        ("cycle", "i8"),  # in which the newest came
        ("held_s", "f8"),  # rest of the last standstill
        ("period_s", "f8"),  # 0 while unknown
        ("clock_good", "i8"),
    ]
)  # fmt: skip
History = NDArray[np.void]


@kernel
def forget(history: History) -> None:
    """Begin anew."""
    h = history[0]
    h.timed, h.posed, h.cycle, h.clock_good = 0, 0, 0, 0
    h.period_s, h.held_s = 0.0, 0.0


@kernel
def remember(history: History, number: int, sent_ns: int, cycle: int, poses: Array) -> None:
    """Take a packet with a higher number than all before; ``poses``: both as in the history, one behind the other."""
    h = history[0]
    came_s = h.came_s[0] + _passed(history, number, cycle) if h.timed > 0 else 0.0
    for j in range(DEPTH - 1, 0, -1):
        h.number[j], h.sent_ns[j], h.came_s[j] = h.number[j - 1], h.sent_ns[j - 1], h.came_s[j - 1]
        _copy_poses(h.poses[j - 1], h.poses[j])
    h.number[0], h.sent_ns[0], h.came_s[0], h.cycle = number, sent_ns, came_s, cycle
    for i in range(7):
        h.poses[0, 0, i], h.poses[0, 1, i] = poses[i], poses[7 + i]
    h.timed, h.posed = min(h.timed + 1, DEPTH), min(h.posed + 1, DEPTH)
    _judge_clock(history)
    if h.posed > 1 and _jumped(history):
        h.posed = 1


@kernel
def _copy_poses(poses: Array, out: Array) -> None:
    for body in range(2):
        copy_to(poses[body], out[body])


@kernel
def _passed(history: History, number: int, cycle: int) -> float:
    """Time since the newest packet, by our cycles. What the network holds back comes in a bunch afterwards, and then
    the bunch says as little about the period as the standstill did: it is given the time that the standstill took."""
    h = history[0]
    passed_s: float = (cycle - h.cycle) * PERIOD_S
    due_s: float = (number - h.number[0]) * h.period_s
    if h.period_s > 0.0 and passed_s > due_s + SLACK_S:
        h.held_s = passed_s - due_s
        return due_s + SLACK_S
    if passed_s > due_s + PERIOD_S:
        h.held_s = 0.0
    if h.held_s > 0.0:
        total_s = passed_s + h.held_s
        passed_s = min(due_s, total_s)
        h.held_s = total_s - passed_s
    return passed_s


@kernel
def ahead(history: History, numbers: int, out: Array) -> None:
    """Where the two bodies are ``numbers`` packets after the newest one (before it, if negative): ``out`` (2, 7)."""
    h = history[0]
    moved = matrix(2, 6)
    _moved(history, 0, numbers * (h.period_s if h.period_s > 0.0 else PERIOD_S), moved)
    for body in range(2):
        for i in range(3):
            out[body, i] = h.poses[0, body, i] + moved[body, i]
        put_unit(composed(quad(h.poses[0, body], 3), exponential(moved[body, 3:6])), out[body, 3:7])


@kernel
def _judge_clock(history: History) -> None:
    """Period from the send times if they go with our clock, else from the cycles in which packets came."""
    h = history[0]
    last = h.timed - 1
    if last < 1:
        return
    numbers = h.number[0] - h.number[last]
    sent_s, came_s = (h.sent_ns[0] - h.sent_ns[last]) * 1e-9, h.came_s[0] - h.came_s[last]
    period_s = sent_s / numbers
    good = period_s >= SHORTEST_S and abs(sent_s - came_s) <= SLACK_S + SLACK_SHARE * came_s
    for j in range(last):
        step_s = (h.sent_ns[j] - h.sent_ns[j + 1]) * 1e-9
        good = good and 0.0 < step_s <= LONGEST_STEP * period_s * (h.number[j] - h.number[j + 1])
    h.clock_good = 1 if good else 0
    if good:
        h.period_s = period_s
    elif came_s > 0.0:
        h.period_s = came_s / numbers


@kernel
def _jumped(history: History) -> bool:
    """Is the newest packet off the cubic of those before it? What is not a number has jumped."""
    moved = matrix(1, 6)
    _moved(history, 1, 0.0, moved)
    m = moved[0]
    way = math.sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2])
    angle = math.sqrt(m[3] * m[3] + m[4] * m[4] + m[5] * m[5])
    return not (way <= JUMP_M and angle <= JUMP_RAD)


@kernel
def _moved(history: History, first: int, at_s: float, out: Array) -> None:
    """Motion of the bodies from the newest packet to the cubic through the packets ``first``... at time ``at_s`` after the
    newest: position, and rotation vector in the moving body. (2, 6), or (1, 6) where the second body is not asked for."""
    h = history[0]
    count = h.posed - first
    unit_s = h.period_s if h.period_s > 0.0 else PERIOD_S
    u, weight, turn = vector(DEPTH), vector(DEPTH), vector(3)
    for j in range(count):
        if h.clock_good:
            u[j] = (h.sent_ns[first + j] - h.sent_ns[0]) * 1e-9 / unit_s
        else:
            u[j] = h.number[first + j] - h.number[0]
    fit_weights(u[:count], at_s / unit_s, weight)
    for body in range(len(out)):
        for i in range(6):
            out[body, i] = 0.0
    for body in range(len(out)):
        newest = h.poses[0, body]
        for j in range(count):
            pose = h.poses[first + j, body]
            turn_between(newest[3:7], pose[3:7], turn)
            for i in range(3):
                out[body, i] += weight[j] * (pose[i] - newest[i])
                out[body, 3 + i] += weight[j] * turn[i]


@kernel
def fit_weights(u: Array, at: float, weight: Array) -> None:
    """Weights w with which the least-squares cubic through (u, y) has the value sum(w y) at ``at``.

    The degree is one less than the number of points until it is three. Forsythe's orthogonal polynomials: no system of
    equations to solve, nothing lost to rounding; all components of a pose share the weights."""
    count = len(u)
    now, before = vector(DEPTH), vector(DEPTH)  # polynomials k and k - 1 at the points ...
    for j in range(count):
        now[j], before[j], weight[j] = 1.0, 0.0, 0.0
    now_at, before_at, size_before = 1.0, 0.0, 1.0  # ... and where the value is wanted
    for k in range(min(DEGREE, count - 1) + 1):
        size, centre = 0.0, 0.0
        for j in range(count):
            size += now[j] * now[j]
            centre += u[j] * now[j] * now[j]
        centre /= size
        ratio = size / size_before if k > 0 else 0.0
        for j in range(count):
            weight[j] += now_at * now[j] / size
            now[j], before[j] = (u[j] - centre) * now[j] - ratio * before[j], now[j]
        now_at, before_at = (at - centre) * now_at - ratio * before_at, now_at
        size_before = size


@kernel
def turn_between(q_a_b: Array, q_a_c: Array, out: Array) -> None:
    """Rotation vector of R_b_c in b, the short way round."""
    rotation_vector(composed(inverse(quad(q_a_b, 0)), quad(q_a_c, 0)), out)
