"""The course of the arm angle over predicted poses: the matrix of candidates (paper 002, eq. 5) and the sequence
through it that minimises eq. 7, found by dynamic programming.

Rows are the predicted poses at equal steps of time, columns are arm angles about the present one, all in the branch of
the present configuration: a change of configuration is not among the candidates. What leaves the joints' ranges is
dropped. So is what no joint speed could reach: a turn of the elbow's circle turns the upper arm as much, and joints 1
to 3 share that turn.

What is minimised is eq. 7, the sum of d^2 with d the largest change of a joint between two rows, from the present
configuration on. Two terms only decide where eq. 7 does not: TIE times the squared length of the change picks one among
equals, and costs at most 7 TIE of the minimum; and a cost near the ends of the ranges, zero outside their last COMFORT
radians, so that eq. 7 decides alone wherever the joints stay clear of them.

The columns are coarse. Rounds of the same programme on a finer fan about the last sequence follow, in which joints are
linear in the arm angle; each round renews the linearisation with exact solutions.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.lab.redundant_arm import ALONG, ASIDE, N_JOINTS, OUT_OF_RANGE, SOLVED, put_solution
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.stack import matrix, vector
from proxops.touch.flange_course import Ints

TIE: Final = 1e-3
COMFORT: Final = math.radians(15.0)
UNCOMFORTABLE: Final = 2.5e-4  # rad2, of a joint at the end of its range, in each row: as much as a change by 0.9 deg
FAN: Final = 9  # columns of a finer fan
ABREAST: Final = 16  # columns that are computed for it: whole registers of the processor
SHRINK: Final = 4.0  # from one round to the next
SLOPE: Final = 1e-4  # rad, step of the arm angle for a difference quotient
BENT: Final = 1e-3  # m, of the elbow beside the line: nearer to it no bound is drawn from where it is
ROUNDED: Final = 1e-9  # rad, more than configurations are off by rounding where the elbow is that far away


@kernel
def change_cost(a: Array, b: Array) -> float:
    """d^2 of eq. 6 between two configurations, and the tie-break."""
    largest, squares = 0.0, 0.0
    for j in range(N_JOINTS):
        largest, squares = and_joint(largest, squares, a[j] - b[j])
    return weighed(largest, squares)


@kernel
def and_joint(largest: float, squares: float, change: float) -> tuple[float, float]:
    """The largest change and the sum of squares, with one more joint."""
    size = abs(change)
    return size if size > largest else largest, squares + size * size


@kernel
def weighed(largest: float, squares: float) -> float:
    return largest * largest + TIE * squares


@kernel
def range_cost(q: Array, lower: Array, upper: Array) -> float:
    """Infinite beyond a range, zero away from its ends."""
    cost = 0.0
    for j in range(N_JOINTS):
        cost += end_cost(q[j], lower[j], upper[j])
    return cost


@kernel
def end_cost(q: float, lower: float, upper: float) -> float:
    """Of one joint."""
    left = min(q - lower, upper - q)
    share = 1.0 - left / COMFORT if left < COMFORT else 0.0
    return UNCOMFORTABLE * share * share if left >= 0.0 else math.inf


@kernel
def choose(
    signs: Array, lower: Array, upper: Array, poses: Array, lines: Array, codes: Ints, start: Array, angle: float, branch: int,
    step: float, farthest: int, joints: Array, cost: Array, back: Ints, angles: Array,
) -> tuple[int, int]:  # fmt: skip
    """Eqs. 5 to 7 on the coarse matrix. ``poses`` (rows, 4, 4) T_base_flange with their ``lines`` and ``codes``; columns ``step``
    rad apart, the middle one at ``angle``, that of ``start``; at most ``farthest`` columns from row to row. ``joints`` (rows,
    columns, 7), ``cost`` and ``back`` (rows, columns) are room to work in; ``angles`` (rows) the sequence. Returns a code and
    the number of rows that it goes through."""
    rows, columns = poses.shape[0], joints.shape[1]
    middle, code, good = columns // 2, SOLVED, 0
    low = high = middle  # columns of the row before between which all are that a way leads to
    enough = cost_of_standing(signs, lower, upper, poses, lines, codes, start, angle, branch, joints)
    while good < rows:
        code = codes[good]
        if code != SOLVED:
            break
        turned, best = row_turn(good, lines, start, joints), math.inf
        first, last = max(low - farthest, 0), min(high + farthest, columns - 1)
        low, high = last, first
        for k in range(columns):
            cost[good, k] = math.inf
        for k in range(first, last + 1):
            least = least_cost(good, k, farthest, turned, step, cost)
            if least == math.inf or least > enough:
                continue
            if k != middle:
                joints[good, k] = start
                put_solution(signs, poses[good], lines[good], angle + (k - middle) * step, branch, joints[good, k])
            cost[good, k] = range_cost(joints[good, k], lower, upper)
            arrive(good, k, farthest, start, joints, cost, back)
            if cost[good, k] > enough:
                cost[good, k] = math.inf
            if cost[good, k] < math.inf:
                best, low, high = min(best, cost[good, k]), min(low, k), max(high, k)
        if best == math.inf:
            code = OUT_OF_RANGE
            break
        good += 1
    if good > 0:
        trace(cost[:good], back, angles)
    for i in range(rows):
        angles[i] = angle + (angles[i] - middle) * step if i < good else angles[max(good - 1, 0)]
    return code, good


@kernel
def cost_of_standing(
    signs: Array, lower: Array, upper: Array, poses: Array, lines: Array, codes: Ints, start: Array, angle: float, branch: int,
    joints: Array,
) -> float:  # fmt: skip
    """Cost of keeping the arm angle, whose configurations go into the middle column; infinite where that leaves a range. A
    sequence that has cost more halfway is not the cheapest, so what it would lead to need not be computed: most of the matrix,
    as a rule."""
    middle, before, cost = joints.shape[1] // 2, start, 0.0
    for i in range(poses.shape[0]):
        if codes[i] != SOLVED:
            return math.inf
        q = joints[i, middle]
        q[:] = start
        put_solution(signs, poses[i], lines[i], angle, branch, q)
        cost += range_cost(q, lower, upper) + change_cost(before, q)
        before = q
    return cost * (1.0 + 1e-9)  # sums in another order


@kernel
def row_turn(i: int, lines: Array, start: Array, joints: Array) -> float:
    """How far at most (rad) the upper arm turns from the row before to row ``i`` at an arm angle that stays; in the first one
    from ``start``, by what joints 1 to 3 do for it. Infinite where the arm is nearly straight: there is no elbow."""
    if i == 0:
        q = joints[0, joints.shape[1] // 2]
        return (
            abs(q[0] - start[0]) + abs(q[1] - start[1]) + abs(q[2] - start[2]) if lines[0, ASIDE] > BENT else math.inf
        )
    if not min(lines[i, ASIDE], lines[i - 1, ASIDE]) > BENT:
        return math.inf
    squares = 0.0  # of the difference of two rotations: 8 sin² of half the angle between them
    for c in range(ALONG):
        change = lines[i, c] - lines[i - 1, c]
        squares += change * change
    bend = math.atan2(lines[i, ASIDE], lines[i, ALONG]) - math.atan2(lines[i - 1, ASIDE], lines[i - 1, ALONG])
    return 2.0 * math.asin(min(math.sqrt(squares / 8.0), 1.0)) + abs(bend)


@kernel
def least_cost(i: int, k: int, farthest: int, turned: float, step: float, cost: Array) -> float:
    """What no way to column ``k`` of row ``i`` can be cheaper than, without its configuration; infinite if none leads there.

    Between two columns the elbow's circle, and with it the upper arm, turns by the difference of their angles, less at most
    ``turned``. Joints 1 to 3 share what is left: the largest has at least a third of it."""
    columns = cost.shape[1]
    if i == 0:
        away = abs(k - columns // 2)
        return least_change(away * step - turned) if away <= farthest else math.inf
    least = math.inf
    for p in range(max(0, k - farthest), min(columns, k + farthest + 1)):
        if cost[i - 1, p] < least:
            away = abs(k - p) * step
            least = min(least, cost[i - 1, p] + least_change(min(away, 2.0 * math.pi - away) - turned))
    return least


@kernel
def least_change(turn: float) -> float:
    """Of ``change_cost`` when joints 1 to 3 turn something by ``turn`` rad together."""
    left = max(turn - ROUNDED, 0.0)
    return left * left * (1.0 / 9.0 + TIE / 3.0)


@kernel
def arrive(i: int, k: int, farthest: int, start: Array, joints: Array, cost: Array, back: Ints) -> None:
    """Adds to ``cost[i, k]`` the cheapest way there from the row before."""
    own = cost[i, k]
    if i == 0 or own == math.inf:
        cost[i, k] += change_cost(start, joints[i, k])
        return
    # The column itself first: it is the likely one, and what costs more already is not looked at.
    best, back[i, k] = cost[i - 1, k] + change_cost(joints[i - 1, k], joints[i, k]), k
    for p in range(max(0, k - farthest), min(joints.shape[1], k + farthest + 1)):
        if cost[i - 1, p] < best:
            total = cost[i - 1, p] + change_cost(joints[i - 1, p], joints[i, k])
            if total < best:
                best, back[i, k] = total, p
    cost[i, k] = own + best


@kernel
def trace(cost: Array, back: Ints, angles: Array) -> None:
    """``angles`` := numbers of the columns of the cheapest sequence, from its end to its start."""
    rows = cost.shape[0]
    k = 0
    for p in range(cost.shape[1]):
        if cost[rows - 1, p] < cost[rows - 1, k]:
            k = p
    for i in range(rows - 1, -1, -1):
        angles[i] = k
        k = back[i, k]


@kernel
def put_fan(at: Array, beside: Array, half: float, wide: int, fan: Array) -> None:
    """``fan`` (7, columns): configurations within ``half`` rad of the arm angle of ``at``, linear in it; ``beside``: SLOPE on."""
    middle = FAN // 2
    for j in range(N_JOINTS):
        slope = beside[j] - at[j]
        for k in range(wide):
            fan[j, k] = at[j] + slope * (half * (k - middle) / middle / SLOPE)
        fan[j, middle] = at[j]


@kernel
def put_range_costs(fan: Array, wide: int, lower: Array, upper: Array, cost: Array) -> None:
    """``range_cost`` of every column."""
    for k in range(wide):
        total = 0.0
        for j in range(N_JOINTS):
            total += end_cost(fan[j, k], lower[j], upper[j])
        cost[k] = total


@kernel
def arrive_abreast(before: Array, fan: Array, wide: int, cost_before: Array, cost: Array, back: Ints) -> None:
    """``arrive`` at every column of a fan, from all columns of the fan before it side by side."""
    total, here = vector(ABREAST), vector(N_JOINTS)
    for k in range(FAN):
        if cost[k] == math.inf:
            continue
        for j in range(N_JOINTS):
            here[j] = fan[j, k]
        for p in range(wide):
            largest, squares = 0.0, 0.0
            for j in range(N_JOINTS):
                largest, squares = and_joint(largest, squares, before[j, p] - here[j])
            total[p] = cost_before[p] + weighed(largest, squares)
        best = k
        for p in range(FAN):
            if total[p] < total[best]:
                best = p
        cost[k] += total[best]
        back[k] = best


@kernel
def refine(
    signs: Array, lower: Array, upper: Array, poses: Array, lines: Array, start: Array, branch: int, half: float, joints: Array,
    cost: Array, back: Ints, angles: Array, beside: Array, moved: NDArray[np.bool_],
) -> None:  # fmt: skip
    """One round: the same programme on FAN columns within ``half`` rad about ``angles``, which it moves. ``beside`` (rows, 7):
    configurations next to them; ``moved`` (rows): which angles are not those of the round before, all in the first."""
    rows, middle = poses.shape[0], FAN // 2
    picked = np.empty(rows)
    # A loop over ``wide`` is vectorised; one of a length that the compiler knows would be unrolled instead.
    fan, before, wide = matrix(N_JOINTS, ABREAST), matrix(N_JOINTS, ABREAST), min(ABREAST, joints.shape[1])
    for i in range(rows):
        at = joints[i, middle]
        if moved[i]:
            at[:] = start
            beside[i] = start
            put_solution(signs, poses[i], lines[i], angles[i], branch, at)
            put_solution(signs, poses[i], lines[i], angles[i] + SLOPE, branch, beside[i])
        put_fan(at, beside[i], half, wide, fan)
        put_range_costs(fan, wide, lower, upper, cost[i])
        if i == 0:
            for k in range(FAN):
                cost[0, k] += change_cost(start, fan[:, k])
        else:
            arrive_abreast(before, fan, wide, cost[i - 1], cost[i], back[i])
        before[:] = fan
    # Linear joints may leave a range that exact ones keep: no finer course then.
    if not cost[rows - 1, :FAN].min() < math.inf:
        moved[:] = False
        return
    trace(cost[:, :FAN], back, picked)
    for i in range(rows):
        angles[i] += half * (picked[i] - middle) / middle
        moved[i] = picked[i] != middle
