"""Joint plans of a redundant arm: eq. 7 against brute force, ranges, one branch, exact poses, and no seam between
plans."""

import itertools
import math

import numpy as np
import pytest
from carried_cube import ARM, DT, HOME, T_FLANGE_OBJECT, flight, object_pose, place_error
from scipy.optimize import minimize

from proxops.core.errors import BadInput
from proxops.lab.redundant_arm import N_LINE, NOT_FINITE, OUT_OF_RANGE, SOLVED, TOO_FAR, put_line
from proxops.maths.pose import pack_pose, pose_from_packed
from proxops.maths.rotation import Array
from proxops.touch.arm_angle_course import COMFORT, TIE, UNCOMFORTABLE, change_cost, choose, least_change, row_turn
from proxops.touch.flange_course import Ints, put_flange_course
from proxops.touch.joint_plan import JointPlanner, sharpen

SPEEDY = (np.array([0.05, -0.08, 0.03]), np.array([0.1, 0.25, -0.15]))  # 0.1 m/s and 18 deg/s


def stages(start: Array, rows: int, step_s: float, v: Array, w: Array) -> Array:
    """T_base_flange at equal steps of time from a configuration on."""
    cycles = round(step_s / DT)
    poses = flight(rows * cycles + 1, v, w, start)
    back = np.linalg.inv(T_FLANGE_OBJECT)
    return np.array([pose_from_packed(pose) @ back for pose in poses[cycles::cycles]])


def cost_of(
    start: Array, targets: Array, angles: Array | tuple[float, ...], lower: Array, upper: Array, whole: bool = True
) -> float:
    """Eq. 7 of a sequence of arm angles, written out; with the two small terms if ``whole``."""
    before, total, branch = start, 0.0, ARM.branch(start)
    for T, angle in zip(targets, angles, strict=True):
        code, q = ARM.solve(T, angle, branch, near=start)
        left = np.minimum(q - lower, upper - q)
        if code != SOLVED or left.min() < 0.0:
            return math.inf
        total += np.linalg.norm(q - before, np.inf) ** 2
        if whole:
            total += TIE * float(((q - before) ** 2).sum())
            total += UNCOMFORTABLE * float((np.clip(1.0 - left / COMFORT, 0.0, None) ** 2).sum())
        before = q
    return total


def lines_of(targets: Array) -> tuple[Array, Ints]:
    lines = np.zeros((len(targets), N_LINE))
    return lines, np.array([put_line(ARM.lengths, T, line) for T, line in zip(targets, lines, strict=True)])


def chosen(
    start: Array, targets: Array, columns: int, step: float, lower: Array, upper: Array
) -> tuple[int, int, Array]:
    rows = len(targets)
    angles, lines = np.zeros(rows), lines_of(targets)
    code, good = choose(
        ARM.signs, lower, upper, targets, *lines, start, ARM.arm_angle(start), ARM.branch(start), step, columns,
        np.zeros((rows, columns, 7)), np.zeros((rows, columns)), np.zeros((rows, columns), np.int64), angles,
    )  # fmt: skip
    return code, good, angles


@pytest.mark.parametrize("seed", range(8))
def test_the_sequence_is_the_best_of_all(seed: int) -> None:
    """Every sequence through a matrix of 4 x 7, tried one by one; fast enough that keeping the arm angle is not the
    best one."""
    rng = np.random.default_rng(seed)
    start = HOME + rng.uniform(-0.3, 0.3, 7)
    targets = stages(start, 4, 0.2, rng.uniform(-0.3, 0.3, 3), rng.uniform(-1.5, 1.5, 3))
    columns, step = 7, math.radians(8.0)
    fan = ARM.arm_angle(start) + step * (np.arange(columns) - columns // 2)
    lower, upper = ARM.lower.copy(), ARM.upper.copy()
    if seed % 2:  # ranges that matter
        lower, upper = np.maximum(lower, start - 0.5), np.minimum(upper, start + 0.5)
    costs = {s: cost_of(start, targets, s, lower, upper) for s in itertools.product(fan, repeat=4)}
    best = min(costs.values())
    code, _, angles = chosen(start, targets, columns, step, lower, upper)
    if math.isinf(best):
        assert code == OUT_OF_RANGE
        return
    assert code == SOLVED
    assert cost_of(start, targets, angles, lower, upper) == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_what_breaks_ties_costs_next_to_nothing_of_equation_7(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    targets = stages(HOME, 4, 0.2, rng.uniform(-0.1, 0.1, 3), rng.uniform(-1.0, 1.0, 3))
    step = math.radians(8.0)
    fan = ARM.arm_angle(HOME) + step * (np.arange(7) - 3)
    pure = min(cost_of(HOME, targets, s, ARM.lower, ARM.upper, False) for s in itertools.product(fan, repeat=4))
    _, _, angles = chosen(HOME, targets, 7, step, ARM.lower, ARM.upper)
    assert cost_of(HOME, targets, angles, ARM.lower, ARM.upper, False) <= pure * (1.0 + 7.0 * TIE)


def test_refinement_comes_close_to_the_continuous_optimum() -> None:
    rng = np.random.default_rng(7)
    for _ in range(3):
        targets = stages(HOME, 6, 0.1, rng.uniform(-0.2, 0.2, 3), rng.uniform(-1.2, 1.2, 3))
        step = math.radians(10.0)
        angles = chosen(HOME, targets, 36, step, ARM.lower, ARM.upper)[2]
        coarse = cost_of(HOME, targets, angles, ARM.lower, ARM.upper)
        sharpen(
            ARM.signs, ARM.lower, ARM.upper, targets, lines_of(targets)[0], HOME, ARM.branch(HOME), step, np.zeros((6, 36, 7)),
            np.zeros((6, 36)), np.zeros((6, 36), np.int64), np.full(6, math.nan), angles,
        )  # fmt: skip
        fine = cost_of(HOME, targets, angles, ARM.lower, ARM.upper)
        best = minimize(
            lambda s, T=targets: cost_of(HOME, T, s, ARM.lower, ARM.upper), angles, method="Powell",
            options={"xtol": 1e-6, "ftol": 1e-10},
        ).fun  # fmt: skip
        assert fine <= coarse
        assert fine <= best * 1.03


@pytest.mark.parametrize("seed", range(4))
def test_no_change_is_cheaper_than_what_is_left_out_of_the_matrix_without_a_look(seed: int) -> None:
    rng = np.random.default_rng(200 + seed)
    start = HOME + rng.uniform(-0.4, 0.4, 7)
    targets = stages(start, 6, 0.1, rng.uniform(-0.5, 0.5, 3), rng.uniform(-2.0, 2.0, 3))
    lines, branch, middle = lines_of(targets)[0], ARM.branch(start), ARM.arm_angle(start)
    room = np.array([[ARM.solve(T, middle, branch, near=start)[1]] for T in targets])
    for i, T in enumerate(targets):
        turned = row_turn(i, lines, start, room)
        for away in np.radians([-120.0, -40.0, -10.0, 0.0, 10.0, 80.0, 170.0]):
            before = start if i == 0 else ARM.solve(targets[i - 1], middle, branch, near=start)[1]
            after = ARM.solve(T, middle + away, branch, near=start)[1]
            assert least_change(abs(away) - turned) <= change_cost(before, after)
    assert least_change(math.radians(40.0) - turned) > 0.0  # it does leave something out


def test_a_prediction_that_moves_on_or_changes_is_planned_as_if_it_were_new() -> None:
    """What is taken over from the plan before is the same to the bit."""
    poses, plans = flight(130, *SPEEDY), planner()
    for k in range(30):
        if k == 15:
            poses[k + 40 :, :3] += 1e-4  # somebody pushes
        used = plans.plan(poses[k : k + 97 - k % 2 * 20], min(k, 1))
        fresh = planner()
        fresh.go_on_from(plans)
        put_flange_course(
            ARM.lengths, fresh._T_base_world, fresh._T_object_flange, poses[k : k + 97 - k % 2 * 20], 0, fresh._flange
        )
        for mine, theirs in zip(plans._flange, fresh._flange, strict=True):
            assert np.array_equal(mine[: used.cycles], theirs[: used.cycles])


def planner() -> JointPlanner:
    out = JointPlanner(ARM, np.eye(4), T_FLANGE_OBJECT)
    out.start(HOME)
    return out


def test_every_cycle_of_a_plan_has_the_predicted_pose_in_the_branch_of_the_start() -> None:
    plans, poses = planner(), flight(97, *SPEEDY)
    plan = plans.plan(poses, 0)
    assert plan.cycles == plans.longest == 97
    assert plan.fault == ""
    for q, pose in zip(plan.joints, poses, strict=True):
        assert object_pose(q) == pytest.approx(pose_from_packed(pose), abs=1e-12)
        assert ARM.branch(q) == ARM.branch(HOME)


def test_frames_of_world_and_object_are_kept_apart() -> None:
    T_world_base = pose_from_packed(np.array([0.4, -1.0, 0.7, 0.8, 0.36, 0.48, 0.0]))
    plans = JointPlanner(ARM, T_world_base, T_FLANGE_OBJECT)
    plans.start(HOME)
    in_base, in_world = flight(33, *SPEEDY), np.zeros((33, 7))
    for k in range(33):
        pack_pose(T_world_base @ pose_from_packed(in_base[k]), in_world[k])
    plan = plans.plan(in_world, 0)
    assert plan.cycles == 33  # as far as the poses go
    assert object_pose(plan.joints[20]) == pytest.approx(pose_from_packed(in_base[20]), abs=1e-12)


def replanned(poses: Array, cycles: int) -> tuple[Array, Array]:
    """First set-points of plans that are made anew in every cycle, and the arm angles."""
    plans = planner()
    joints, angles = np.zeros((cycles, 7)), np.zeros(cycles)
    for k in range(cycles):
        plan = plans.plan(poses[k : k + 97], min(k, 1))
        assert plan.fault == ""
        joints[k], angles[k] = plan.joints[0], plan.arm_angles[0]
    return joints, angles


def test_no_seam_when_replanned_in_every_cycle() -> None:
    """Free flight at 0.1 m/s and 18 deg/s for two seconds; the arm angle has to move, and does so smoothly."""
    joints, angles = replanned(flight(600, *SPEEDY), 500)
    rates = np.diff(joints, axis=0) / DT
    assert np.ptp(angles) > math.radians(2.0)
    assert np.abs(rates).max() < 1.0
    assert np.abs(np.diff(rates, axis=0)).max() < 0.02  # rad/s from cycle to cycle: 5 rad/s2
    # 190 rad/s3; a jump of the elbow's rate by 0.01 rad/s has more.
    assert np.abs(np.diff(rates, n=2, axis=0)).max() < 3e-3


def test_a_bounce_ahead_moves_no_joint_before_its_time() -> None:
    """Poses are met exactly; what the elbow does because of it stays smooth."""
    joints, _ = replanned(flight(600, *SPEEDY, half=0.03), 80)
    rates = np.diff(joints, axis=0) / DT
    assert np.abs(np.diff(rates, axis=0)).max() < 0.02


def test_the_elbow_turns_away_from_the_end_of_a_range() -> None:
    """A turn about the flange's axis that the last joint alone cannot make: the elbow swings out and other joints share it."""
    poses = flight(2600, np.zeros(3), 0.35 * object_pose(HOME)[:3, 2])
    back, angle = np.linalg.inv(T_FLANGE_OBJECT), ARM.arm_angle(HOME)

    def out_of_range(pose: Array) -> bool:
        """With the elbow where it is."""
        q = ARM.solve(pose_from_packed(pose) @ back, angle, ARM.branch(HOME), HOME)[1]
        return bool((np.abs(q) > ARM.upper - math.radians(2.0)).any())

    plans = planner()
    codes = [plans.plan(poses[k : k + 97], min(k, 1)).code for k in range(2500)]
    alone = next(k for k, pose in enumerate(poses) if out_of_range(pose))
    stood = next((k for k, code in enumerate(codes) if code != SOLVED), 2500)
    assert stood > alone + 50


def test_what_the_arm_cannot_have_is_named_with_its_time() -> None:
    plans = planner()
    away = object_pose(HOME)[:3, 3] - np.array([0, 0, 0.3105])
    poses = flight(2000, 0.3 * away / np.linalg.norm(away), np.zeros(3))
    first = 0
    for k in range(1900):
        plan = plans.plan(poses[k : k + 97], min(k, 1))
        if plan.code != SOLVED:
            first = first or k
            if plan.cycles == 0:
                break
    assert plan.code == TOO_FAR
    assert plan.fault == "predicted pose in 0 ms: wrist farther from the shoulder than the arm is long"
    assert k - first >= 80  # announced one horizon ahead
    shoulder = np.array([0, 0, 0.3105])
    T = pose_from_packed(poses[k]) @ np.linalg.inv(T_FLANGE_OBJECT)
    assert np.linalg.norm(T[:3, 3] - 0.078 * T[:3, 2] - shoulder) == pytest.approx(0.79, abs=0.3 * DT)


def test_a_joint_without_a_way_out_is_named() -> None:
    towards = np.array([0, 0, 0.3105]) - object_pose(HOME)[:3, 3]
    poses = flight(2000, 0.2 * towards / np.linalg.norm(towards), np.zeros(3))
    plans = planner()
    plan = next(p for k in range(1900) if (p := plans.plan(poses[k : k + 97], min(k, 1))).code != SOLVED)
    assert plan.code == OUT_OF_RANGE
    assert plan.fault.startswith("predicted pose in 3")
    assert plan.fault.endswith("ms: no arm angle keeps every joint within its range (A3)")
    assert 70 < plan.cycles <= 97
    assert (np.abs(plan.joints[: plan.cycles]) < ARM.upper).all()


def test_bad_input_is_refused() -> None:
    with pytest.raises(BadInput, match="before its start"):
        JointPlanner(ARM, np.eye(4), T_FLANGE_OBJECT).plan(flight(97, *SPEEDY))
    with pytest.raises(BadInput, match="too few predicted poses"):
        planner().plan(flight(8, *SPEEDY))
    for k, number in itertools.product((0, 1, 40), (0, 4)):
        poses = flight(97, *SPEEDY)
        poses[k, number] = math.nan
        plan = planner().plan(poses, 0)
        assert plan.code == NOT_FINITE
        assert plan.cycles <= k


def test_the_cube_is_met_and_not_only_the_flange() -> None:
    plan, poses = planner().plan(flight(97, *SPEEDY), 0), flight(97, *SPEEDY)
    assert max(place_error(q, pose) for q, pose in zip(plan.joints, poses, strict=True)) < 1e-12
