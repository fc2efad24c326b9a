"""Following a plan in cycles: on course exactly, catching up without overshoot, never beyond a limit, smooth stops."""

import math
from dataclasses import replace

import numpy as np
import pytest
from carried_cube import ARM, DT, HOME, T_FLANGE_OBJECT, flight, object_pose, place_error
from scipy.integrate import solve_ivp

from proxops.lab.redundant_arm import SrsArm
from proxops.lab.virtual_arm import ArmTraits, VirtualArm
from proxops.maths.pose import pack_pose
from proxops.maths.quaternion import quat_inverse, quat_product
from proxops.maths.rotation import Array, matrix_from_rotation_vector
from proxops.touch.joint_follower import FollowerState, JointFollower
from proxops.touch.joint_plan import JointPlanner
from proxops.touch.joint_stop import stop_way

V, W = np.array([0.05, -0.08, 0.03]), np.array([0.1, 0.25, -0.15])  # 0.1 m/s and 18 deg/s
SLACK = 1.0 + 1e-9
SLOW = replace(  # as in the scenario of the floating module
    ARM,
    acceleration=0.95 * np.array([6.4, 6.4, 7.4, 7.4, 11.8, 10.7, 10.7]),
    jerk=np.array([250.0] * 4 + [400.0] * 3),
)


def tumble(turns: Array, first: int, gap: int, contact: int = 25, n: int = 900) -> Array:
    """Poses of a cube that turns about the vertical at ``turns[0]`` rad/s; from cycle ``first`` on, ``gap`` apart, contacts of
    so many cycles bring it to the other rates."""
    poses, angle, T = np.zeros((n, 7)), 0.0, object_pose(HOME)
    start = T[:3, :3].copy()
    knots = [0.0, *(first + i * gap + j for i in range(len(turns) - 1) for j in (0, contact))]
    rates = [turns[0], *np.repeat(turns, 2)[1:-1]]
    for k in range(n):
        T[:3, :3] = matrix_from_rotation_vector(np.array([0.0, 0.0, angle])) @ start
        pack_pose(T, poses[k])
        angle += DT * float(np.interp(k, knots, rates))
    return poses


class Run:
    """Plans and set-points over courses of poses; ``rows`` (cycles, 3, 7): position, rate, acceleration."""

    def __init__(
        self, poses: Array, cycles: int, gaps: frozenset[int] = frozenset(), arm: SrsArm = ARM, surprise: int = 10**9,
        before: Array | None = None,
    ) -> None:  # fmt: skip
        """Up to the cycle ``surprise`` the predictions are ``before``."""
        self.arm = arm
        plans, self.follower = JointPlanner(arm, np.eye(4), T_FLANGE_OBJECT), JointFollower(arm, HOME)
        plans.start(HOME)
        rows, errors, states, self.offsets, self.courses = [], [], [], [], []
        for k in range(cycles):
            future = poses if before is None or k >= surprise else before
            plan = plans.plan(future[k : k + 97], min(k, 1))
            self.follower.step(None if k in gaps else plan)
            f = self.follower
            self.offsets.append(f.joints - plan.joints[1])
            self.courses.append(plan.joints[:4].copy())
            rows.append(np.array([f.joints, f.rates, f.accelerations]))
            errors.append(place_error(f.joints, poses[k + 1]))
            states.append(f.state)
        self.rows, self.errors, self.states = np.array(rows), np.array(errors), np.array(states)
        self.check_limits()

    def check_limits(self) -> None:
        """Of the set-points as a robot sees them (differences), and of what the follower says of them."""
        place = np.concatenate([np.tile(HOME, (3, 1)), self.rows[:, 0]])
        assert (place > ARM.lower).all() and (place < ARM.upper).all()
        for order, limit in ((1, self.arm.speed), (2, self.arm.acceleration), (3, self.arm.jerk)):
            assert (np.abs(np.diff(place, order, axis=0)) / DT**order <= limit * (1.0 + 1e-6)).all(), (
                f"derivative {order}"
            )
        for derivative, limit in ((1, self.arm.speed), (2, self.arm.acceleration)):
            assert (np.abs(self.rows[:, derivative]) <= limit * SLACK).all()
        assert (np.abs(np.diff(self.rows[:, 2], axis=0)) <= self.arm.jerk * DT * SLACK).all()


def test_from_rest_it_catches_up_with_a_flying_cube_and_is_then_where_it_is() -> None:
    run = Run(flight(400, V, W), 300)
    met = int(np.argmax(run.states == FollowerState.ON_COURSE))
    assert 0.05 < met * DT < 0.3
    assert run.errors[:met].max() < 0.01
    assert run.errors[met + 1 :].max() < 2e-6  # m
    # No overshoot: once it falls, the error only falls.
    assert (np.diff(run.errors[run.errors.argmax() : met]) < 1e-9).all()


def test_a_cube_at_rest_leaves_the_arm_at_rest() -> None:
    run = Run(flight(200, np.zeros(3), np.zeros(3)), 100)
    assert np.abs(run.rows[:, 0] - HOME).max() < 1e-9


def test_bounces_are_followed_within_the_limits() -> None:
    run = Run(flight(800, V, W, half=0.04), 700)
    assert run.errors.max() < 0.03
    assert (run.states == FollowerState.ON_COURSE).mean() > 0.4
    assert run.errors[run.states == FollowerState.ON_COURSE].max() < 5e-6


def left_behind(run: Run, around: slice) -> Array:
    """How far (rad) each joint is left behind that turns by what its course turns by, but only from the middle on."""
    rates = np.array([(c[1] - c[0]) / DT for c in run.courses[around]])
    turn: Array = np.ptp(rates, axis=0)
    return turn * turn / (2.0 * SLOW.acceleration)


def test_two_bounces_close_together_do_not_make_the_arm_swing() -> None:
    """An edge of a turning cube hits a wall, and the next one again 0.27 s later: its turning changes by more than the arm
    can follow, twice. Who catches up without looking ahead runs into the second bounce and is left behind by more than by
    either."""
    run = Run(tumble(np.array([0.5, -1.4, 0.6]), 200, 67), 600, arm=SLOW)
    off, forced = np.abs(run.offsets), left_behind(run, slice(190, 310))
    assert forced.max() > 0.1  # the situation is that bad
    assert off[100:].max() < 0.2 * forced.max()
    assert (off[100:] < np.maximum(0.25 * forced, 5e-3)).all()
    assert (run.states[400:] == FollowerState.ON_COURSE).all()
    assert run.errors[400:].max() < 2e-6


@pytest.mark.parametrize("turn", [0.9, -0.5])
def test_a_surprise_costs_no_more_than_it_must(turn: float) -> None:
    """The cube's turning changes at once and unforeseen. From the velocity that the arm has too much of follows what each
    joint is left behind by at least, however well it brakes: it is not much more, and falls from there on."""
    before = tumble(np.array([0.3]), 200, 1)
    after = np.concatenate([before[:200], tumble(np.array([turn]), 200, 1)])
    run = Run(shifted(after, before[200]), 500, arm=SLOW, surprise=200, before=before)
    course = run.courses[200]
    start = run.rows[199, 1] - (course[1] - course[0]) / DT
    off = np.array(run.offsets)[200:]
    for j in range(7):
        low, high, _, _ = stop_way(start[j], 0.0, 0.95 * SLOW.acceleration[j], 0.95 * SLOW.jerk[j])
        forced = max(high, -low)
        assert np.abs(off[:, j]).max() < 1.05 * forced + 1e-4
        peak = int(np.abs(off[:, j]).argmax())
        # The elbow's course is planned anew meanwhile, which may cost a hundredth.
        assert np.diff(np.abs(off[peak:, j])).max() < 0.01 * forced
        assert (-off[peak:, j] * np.sign(off[peak, j])).max() < 0.01 * forced
    assert (run.states[400:] == FollowerState.ON_COURSE).all()


def shifted(poses: Array, at: Array) -> Array:
    """The second part of a course, turned about the vertical so that it goes on from ``at``."""
    q0, q1 = at[3:], poses[200, 3:]
    turn = quat_product(q0, quat_inverse(q1))
    out = poses.copy()
    for k in range(200, len(poses)):
        out[k, 3:] = quat_product(turn, poses[k, 3:])
    return out


@pytest.mark.parametrize("seed", range(3))
def test_whatever_poses_come_no_limit_is_broken(seed: int) -> None:
    """The predicted course jumps about at random, by up to 10 cm and 30 degrees, every few cycles."""
    rng, poses = np.random.default_rng(seed), flight(97, np.zeros(3), np.zeros(3))
    plans, follower, rows = JointPlanner(ARM, np.eye(4), T_FLANGE_OBJECT), JointFollower(ARM, HOME), []
    plans.start(HOME)
    course = poses
    for k in range(400):
        if rng.random() < 0.1:
            course = flight(
                97,
                rng.uniform(-0.5, 0.5, 3),
                rng.uniform(-2, 2, 3),
                HOME + rng.uniform(-0.3, 0.3, 7),
            )
        follower.step(plans.plan(course, min(k, 1)))
        rows.append(np.array([follower.joints, follower.rates, follower.accelerations]))
    run = Run.__new__(Run)
    run.arm = ARM
    run.rows = np.array(rows)
    run.check_limits()


def test_without_a_plan_it_stops_smoothly_and_goes_on_when_there_is_one() -> None:
    run = Run(flight(700, V, W), 600, gaps=frozenset(range(200, 300)))
    assert (run.states[200:210] == FollowerState.STOPPING).all()
    assert run.states[299] == FollowerState.RESTING
    assert np.abs(run.rows[299, 1:]).max() == 0.0
    assert run.states[599] == FollowerState.ON_COURSE
    assert run.errors[599] < 2e-6


def test_a_plan_that_breaks_off_ends_in_a_stop_before_its_end_with_the_reason() -> None:
    run = Run(flight(1100, np.array([-0.1, 0, 0.0]), np.zeros(3)), 900)
    assert "predicted pose in" in run.follower.reason
    assert run.follower.state == FollowerState.RESTING
    stopping = np.flatnonzero(run.states == FollowerState.STOPPING)
    assert (np.diff(stopping) == 1).all()  # one stop, not a chatter
    before = run.errors[stopping[0] - 1]
    assert before < 2e-6  # it followed as long as it could


def test_the_arm_is_where_the_physics_is_when_its_delay_is_known() -> None:
    """Plans are made for the time when the arm will have followed; ahead by its delay it is behind by nothing."""
    traits = ArmTraits(ARM.joints, ARM.lower, ARM.upper, ARM.speed, ARM.acceleration, lag_s=4e-3, dead_cycles=1)
    lead = round(traits.delay_s / DT)
    assert lead * DT == pytest.approx(traits.delay_s)
    poses, t = flight(500, V, W), [0.0]
    arm = VirtualArm(traits, HOME, lambda: t[0], np.random.default_rng(1))
    plans, follower = JointPlanner(ARM, np.eye(4), T_FLANGE_OBJECT), JointFollower(ARM, HOME)
    plans.start(HOME)
    for k in range(300):
        arm.command(follower.step(plans.plan(poses[k + lead : k + lead + 97], min(k, 1)))[0], arm.read().t)
        t[0] = (k + 1) * DT
    assert arm.read().halted == ""
    # The lag's second order: half a lag squared times the acceleration.
    assert place_error(arm.angles, poses[300]) < 5e-5


@pytest.mark.parametrize("seed", range(20))
def test_the_way_of_a_stop_is_that_of_its_motion(seed: int) -> None:
    """The jerk's switching written as an integration of what the closed form says of time: it ends at rest, where it
    says."""
    rng = np.random.default_rng(seed)
    most, jerk = 10.0, 300.0
    v, a = rng.uniform(-1.5, 1.5), rng.uniform(-most, most)
    low, high, end, time = stop_way(v, a, most, jerk)
    sign = 1.0 if v + a * abs(a) / (2 * jerk) >= 0.0 else -1.0
    peak = min(math.sqrt(jerk * sign * v + 0.5 * a * a), most)
    first, last = (sign * a + peak) / jerk, peak / jerk

    def slope(t: float, x: Array) -> list[float]:
        j = -sign * jerk if t < first else (sign * jerk if t > time - last else 0.0)
        return [x[1], x[2], j]

    path = solve_ivp(slope, (0.0, time), [0.0, v, a], rtol=1e-10, atol=1e-12, max_step=1e-4)
    assert path.y[1:, -1] == pytest.approx([0.0, 0.0], abs=0.05)  # the steps of 0.1 ms miss the switching by that jerk
    assert path.y[0, -1] == pytest.approx(end, abs=1e-4)
    assert path.y[0].min() == pytest.approx(low, abs=1e-4)
    assert path.y[0].max() == pytest.approx(high, abs=1e-4)
