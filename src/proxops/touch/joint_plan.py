"""Joint course of a redundant arm that carries an object along its predicted poses (paper 002, section 3.4).

Every few cycles of the prediction are a row of the programme in ``arm_angle_course``, which says where the elbow should
go. The elbow follows it from its own present angle, rate and acceleration with a lag, because the programme knows
nothing of accelerations and a plan is made anew in every cycle; the object's pose is met exactly in each cycle all the
same, for joints are solved from that pose and the elbow's angle.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_S
from proxops.lab.redundant_arm import (
    N_JOINTS,
    OUT_OF_RANGE,
    REASONS,
    SOLVED,
    SrsArm,
    arm_angle,
    branch_of,
    flange_pose,
    put_solution,
    solve,
)
from proxops.maths.kernel import kernel
from proxops.maths.pose import compose, inverse_pose, pack_pose
from proxops.maths.rotation import Array
from proxops.touch.arm_angle_course import FAN, SHRINK, choose, refine
from proxops.touch.flange_course import FlangeCourse, Ints, flange_course, put_flange_course

ROUNDS: Final = 4  # of refinement: the last fan's columns are 10 deg / (4 * 4^4) apart for 36 columns
RENEWED: Final = 2  # rounds where the sequence is known from the plan before
HASTE: Final = 8.0  # 1/s, poles of the elbow's lag
SUDDEN: Final = 0.25  # rad/s: a larger change of the elbow's rate is made as one of this size, as long as it takes


class JointPlan(NamedTuple):
    """``joints[k]`` k cycles from now; ``joints[0]`` is for the object as it is now. The first ``cycles`` rows are
    good; what ends them early stands in ``code`` and ``joint``. Arrays are the planner's own and used again by its next
    plan."""

    joints: Array  # (longest, 7) rad
    arm_angles: Array  # (longest) rad
    cycles: int
    code: int
    joint: str  # that would leave its range
    cycle_s: float

    @property
    def fault(self) -> str:
        """Which predicted pose the arm cannot have, when, and why; empty if it can have them all."""
        if self.code == SOLVED:
            return ""
        which = f" ({self.joint})" if self.joint else ""
        return f"predicted pose in {self.cycles * self.cycle_s * 1e3:.0f} ms: {REASONS[self.code]}{which}"


class JointPlanner:
    """``T_world_base`` of the arm, ``T_flange_object`` of what it carries. ``columns``: arm angles of the matrix.
    ``spacing``: cycles from row to row. ``margin``: rad of every range that plans leave free."""

    def __init__(
        self, arm: SrsArm, T_world_base: Array, T_flange_object: Array, columns: int = 36, rows: int = 12, spacing: int = 8,
        margin: float = math.radians(2.0), cycle_s: float = PERIOD_S,
    ) -> None:  # fmt: skip
        if columns < FAN:
            raise ValueError(f"{columns} arm angles: the finer fans have {FAN}, in the same memory")
        self.arm, self.rows, self.spacing, self.cycle_s = arm, rows, spacing, cycle_s
        self._T_base_world = inverse_pose(np.array(T_world_base, float))
        self._T_object_flange = inverse_pose(np.array(T_flange_object, float))
        self._lower, self._upper = arm.lower + margin, arm.upper - margin
        # The lag may swing the elbow a little beyond its course: half of the margin is for that.
        self._hard = np.array([arm.lower + 0.5 * margin, arm.upper - 0.5 * margin])
        self._step = 2.0 * math.pi / columns
        # Columns that the upper arm can turn through from row to row, joints 1 to 3 at full speed.
        self._farthest = math.ceil(float(arm.speed[:3].sum()) * spacing * cycle_s / self._step)
        # Poses that a plan uses: the present one and all cycles up to the last row.
        self.longest = n = rows * spacing + 1
        self._flange, self._joints, self._elbow = flange_course(n), np.zeros((n, N_JOINTS)), np.full((3, n), math.nan)
        self._angles = self._elbow[0]
        self._matrix, self._cost = np.zeros((rows, columns, N_JOINTS)), np.zeros((rows, columns))
        self._back: Ints = np.zeros((rows, columns), np.int64)
        self._branch, self._near, self._course = -1, np.zeros(N_JOINTS), np.full(rows, math.nan)
        self._parts = (
            arm.lengths, arm.signs, self._lower, self._upper, self._hard, self._T_base_world, self._T_object_flange,
            *self._flange, spacing, cycle_s, self._near, self._step, self._farthest, self._matrix, self._cost, self._back,
            self._course, self._joints, self._elbow,
        )  # fmt: skip

    def start(self, joints: Array) -> None:
        """Plans go on from here: its branch is kept from now on, its arm angle is at rest."""
        self._branch, self._near[:] = branch_of(joints), joints
        self._elbow[:], self._course[:] = 0.0, math.nan
        self._elbow[0] = arm_angle(self.arm.lengths, self.arm.signs, joints)

    def go_on_from(self, other: JointPlanner) -> None:
        """Plan from now on as ``other``, of the same arm, rows and spacing, would; it is left as it is."""
        self._branch, self._near[:] = other._branch, other._near
        self._elbow[:], self._course[:] = other._elbow, other._course

    def plan(self, poses: Array, elapsed: int = 1) -> JointPlan:
        """``poses`` (at least spacing + 1, 7): of the object in the world, position and quaternion with the scalar
        first, cycle by cycle from the time that the present set-point is meant for: now, or later by the arm's own
        delay. ``elapsed``: cycles since the plan before."""
        if self._branch < 0:
            raise BadInput("a plan before its start", way_out="call start with the arm's joints")
        known = poses.shape[0]
        n = min(self.longest, (known - 1) // self.spacing * self.spacing + 1)
        if n < 2:
            raise BadInput("too few predicted poses", value=known, bound=f"at least {self.spacing + 1}")
        code, cycles, joint = renew_plan(poses if n == known else poses[:n], elapsed, self._branch, *self._parts)
        which = self.arm.joints[joint] if joint >= 0 else ""
        return JointPlan(self._joints, self._angles, cycles, code, which, self.cycle_s)


@kernel
def renew_plan(
    poses: Array, elapsed: int, branch: int, lengths: Array, signs: Array, lower: Array, upper: Array, hard: Array,
    T_base_world: Array, T_object_flange: Array, T_base_flange: Array, lines: Array, codes: Ints, placed: Array, spacing: int,
    dt: float, near: Array, step: float, farthest: int, matrix: Array, cost: Array, back: Ints, known: Array, joints: Array,
    elbow: Array,
) -> tuple[int, int, int]:  # fmt: skip
    """The flange's way under ``poses``, and ``put_plan`` from where the elbow is ``elapsed`` cycles after the plan before; beyond
    the last pose the elbow stays. ``T_base_flange`` to ``placed`` are a ``FlangeCourse``: of a tuple Python would look at every
    element by itself."""
    n, flange = poses.shape[0], FlangeCourse(T_base_flange, lines, codes, placed)
    put_flange_course(lengths, T_base_world, T_object_flange, poses, elapsed, flange)
    for i in range(3):
        elbow[i, 0] = elbow[i, elapsed]
    found = put_plan(
        lengths, signs, lower, upper, hard, flange, spacing, dt, near, branch, step, farthest, matrix, cost, back, known, joints,
        elbow[:, :n],
    )  # fmt: skip
    for i in range(3):
        for k in range(n, elbow.shape[1]):
            elbow[i, k] = elbow[i, n - 1]
    return found


@kernel
def put_plan(
    lengths: Array, signs: Array, lower: Array, upper: Array, hard: Array, flange: FlangeCourse, spacing: int, dt: float,
    near: Array, branch: int, step: float, farthest: int, matrix: Array, cost: Array, back: Ints, known: Array,
    joints: Array, elbow: Array,
) -> tuple[int, int, int]:  # fmt: skip
    """Course of the arm angle, then of the joints, for as many cycles as ``elbow`` has. Returns a code, the number of good
    cycles and a joint (or -1). ``near`` becomes the configuration that the object's present pose asks for; ``known`` (rows),
    the arm angles of the plan before, those of this one."""
    angle = elbow[0, 0]
    code = solve(lengths, signs, flange.T_base_flange[0], angle, branch, near)
    if code != SOLVED:
        return code, 0, -1
    rows = (elbow.shape[1] - 1) // spacing
    stages, lines, codes = stages_of(flange, spacing, rows)
    course = np.full(rows, angle)
    code, good = choose(
        signs, lower, upper, stages, lines, codes, near, angle, branch, step, farthest, matrix[:rows], cost[:rows], back[:rows],
        course,
    )  # fmt: skip
    if good > 0:
        sharpen(
            signs,
            lower,
            upper,
            stages[:good],
            lines,
            near,
            branch,
            step,
            matrix[:good],
            cost[:good],
            back,
            known,
            course[:good],
        )
        course[good:] = course[good - 1]
        known[:rows], known[rows:] = course, math.nan
    ease(course, spacing, dt, elbow)
    last = rows * spacing if code == SOLVED else min(good + 1, rows) * spacing
    found, cycles, joint = put_joints(signs, hard[0], hard[1], flange, last + 1, elbow[0], near, branch, joints)
    if found != SOLVED:
        return found, cycles, joint
    if code == OUT_OF_RANGE:
        joint = narrowest(signs, lower, upper, stages[good], lengths, course[good], branch, near)
    return code, cycles, joint


@kernel
def stages_of(flange: FlangeCourse, spacing: int, rows: int) -> tuple[Array, Array, Ints]:
    """Poses, lines and codes of the rows."""
    poses, lines, codes = np.empty((rows, 4, 4)), np.empty((rows, flange.lines.shape[1])), np.empty(rows, np.int64)
    for i in range(rows):
        k = (i + 1) * spacing
        poses[i], lines[i], codes[i] = flange.T_base_flange[k], flange.lines[k], flange.codes[k]
    return poses, lines, codes


@kernel
def narrowest(
    signs: Array, lower: Array, upper: Array, stage: Array, lengths: Array, angle: float, branch: int, near: Array
) -> int:  # fmt: skip
    """The joint that has least of its range left, or is farthest beyond it."""
    q, worst = near.copy(), 0
    solve(lengths, signs, stage, angle, branch, q)
    left = np.minimum(q - lower, upper - q)
    for j in range(N_JOINTS):
        if left[j] < left[worst]:
            worst = j
    return worst


@kernel
def sharpen(
    signs: Array, lower: Array, upper: Array, stages: Array, lines: Array, start: Array, branch: int, half: float,
    matrix: Array, cost: Array, back: Ints, known: Array, course: Array,
) -> None:  # fmt: skip
    """All rounds of refinement; only the last ones, from the sequence of the plan before on, while the coarse one is the
    nearest to that."""
    rounds = ROUNDS
    if np.abs(course - known[: course.shape[0]]).max() <= 0.5 * half:  # False of what is no number
        course[:] = known[: course.shape[0]]
        rounds, half = RENEWED, half / SHRINK ** (ROUNDS - RENEWED)
    rows = course.shape[0]
    beside, moved = np.empty((rows, N_JOINTS)), np.full(rows, True)
    for _ in range(rounds):
        refine(signs, lower, upper, stages, lines, start, branch, half, matrix, cost, back, course, beside, moved)
        half /= SHRINK


@kernel
def ease(course: Array, spacing: int, dt: float, elbow: Array) -> None:
    """``elbow`` (3, cycles): angle, rate and acceleration, from the present ones in its first column towards the rows'
    ``course`` (straight between them), with a third-order lag of equal poles: the optimum may change its mind at once,
    the elbow's jerk stays bounded."""
    angle, rate, acceleration = elbow[0, 0], elbow[1, 0], elbow[2, 0]
    for k in range(1, elbow.shape[1]):
        i = (k - 1) // spacing
        before = course[i - 1] if i > 0 else elbow[0, 0]
        slope = (course[i] - before) / (spacing * dt)
        away = before + slope * dt * (k - 1 - i * spacing) - angle
        missing = min(max(slope - rate, -SUDDEN), SUDDEN)
        acceleration += dt * HASTE * (HASTE * HASTE * away + 3.0 * HASTE * missing - 3.0 * acceleration)
        rate += dt * acceleration
        angle += dt * rate
        elbow[0, k], elbow[1, k], elbow[2, k] = angle, rate, acceleration


@kernel
def put_joints(
    signs: Array, lower: Array, upper: Array, flange: FlangeCourse, cycles: int, angles: Array, start: Array, branch: int,
    joints: Array,
) -> tuple[int, int, int]:  # fmt: skip
    """Joints for the first ``cycles`` poses and arm angles, as far as it goes. Returns a code, the number of good cycles, and
    a joint that would leave its range (or -1)."""
    T, lines, codes, _ = flange
    for k in range(cycles):
        if codes[k] != SOLVED:
            return codes[k], k, -1
        joints[k] = start
        put_solution(signs, T[k], lines[k], angles[k], branch, joints[k])
        for j in range(N_JOINTS):
            if not lower[j] <= joints[k, j] <= upper[j]:
                return OUT_OF_RANGE, k, j
    return SOLVED, cycles, -1


@kernel
def put_object(
    T_world_base: Array, lengths: Array, signs: Array, joints: Array, T_flange_object: Array, out: Array
) -> None:  # fmt: skip
    """``out`` (7) := T_world_object of the arm at ``joints``, packed."""
    pack_pose(compose(compose(T_world_base, flange_pose(lengths, signs, joints)), T_flange_object), out)
