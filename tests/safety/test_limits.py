"""The guard: what it lets through keeps every limit, what it stops is named with value and bound, and a stop ends in time.

The hall of these tests has no ranges but those that a test puts there, so that each rule is met alone."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.shared.limited_cell import limited

from proxops.core.messages import AXES, PERIOD_S
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell
from proxops.lab.port_components import port_components
from proxops.safety.braking import braking_time
from proxops.safety.guard import Guard
from proxops.safety.limits import limited_step
from proxops.safety.rules import AXIS_TEXT, RULES, Rule, Stop

Array = NDArray[np.float64]
QUIET = settings(max_examples=200, deadline=None, derandomize=True)
DT = PERIOD_S
CELL = load_cell()
SPEED, ACCELERATION = CELL.hall[0]["speed"], CELL.hall[0]["acceleration"]
JUMP = CELL.hall[0]["jump"]
BENT = CELL.home + np.array([0.0, *[0, 0, 0, 0, 0.7, 0] * 2])  # home with the wrists away from their singularity
CELL_LEVERS = np.ones(13)
FINITE = [i for i in range(13) if np.isfinite(CELL.axes.upper[i])]


def hall(**changes: object) -> Cell:
    """The cell without Table 3, axis ranges and port speeds, but with ``changes`` to the packed limits."""
    free = {"lower": -np.inf, "upper": np.inf, "range_lower": -np.inf, "range_upper": np.inf}
    return limited(CELL, **(free | {"port_speed": np.inf, "port_rate": np.inf} | changes))


class EmptyHall:
    """Zones in which nothing can meet: collisions have tests of their own."""

    levers, lags_s = CELL_LEVERS, np.zeros(13)

    def refuses(self, q: Array, rate: Array, actual: Array, *, leaving: bool) -> None:
        return None

    def near(self, q: Array, bound_m: float) -> None:
        return None

    def room_m(self, q: Array) -> float:
        return math.inf

    def stand(self, q: Array) -> None:
        pass

    def rest(self, q: Array) -> None:
        pass


def guard(cell: Cell, q: Array = BENT) -> Guard:
    made = Guard(cell, np.zeros(6), EmptyHall())
    made.stand(q)
    return made


def ramp(axis: int, sign: float, acceleration: float) -> Callable[[int], float]:
    """Way of one axis that speeds up from rest to its limit and stays there."""
    top = SPEED[axis]

    def way(k: int) -> float:
        # Whole steps of acceleration: speed after k cycles is min(k a DT, top).
        full = int(top / (acceleration * DT))
        if k <= full:
            return sign * 0.5 * acceleration * DT * DT * k * (k + 1)
        return sign * (0.5 * acceleration * DT * DT * full * (full + 1) + (k - full) * top * DT)

    return way


def drive(made: Guard, axis: int, way: Callable[[int], float], cycles: int = 20_000) -> tuple[Stop, list[Array]]:
    """Let one axis go until the guard stops it; the stop and the set-points so far."""
    begin = made.setpoint.copy()
    passed = [begin]
    for k in range(1, cycles):
        wish = begin.copy()
        wish[axis] += way(k)
        stop = made.judge(wish, made.setpoint)
        if stop is not None:
            np.testing.assert_array_equal(made.setpoint, passed[-1])  # a refused wish changes nothing
            return stop, passed
        passed.append(made.setpoint.copy())
    pytest.fail("the guard never said stop")


def brake(made: Guard, passed: list[Array]) -> list[Array]:
    """Brake to rest; all set-points from the beginning."""
    time = made.begin_braking()
    for _ in range(math.ceil(time / DT) + 2):
        rested = made.brake()
        passed.append(made.setpoint.copy())
        if rested:
            assert (made.rate == 0.0).all()
            return passed
    pytest.fail(f"not at rest after the {time} s that were foretold")


def keeps_limits(passed: list[Array], slack: float = 1e-9) -> None:
    """Speed and acceleration of the set-points themselves, at every tick, from rest to rest."""
    path = np.array([passed[0], *passed, passed[-1]])
    rate = np.diff(path, axis=0) / DT
    assert (np.abs(rate) <= SPEED * (1 + slack)).all()
    assert (np.abs(np.diff(rate, axis=0)) / DT <= ACCELERATION * (1 + 1e-6)).all()


# --- one axis: limited_step ---

S, A = 1.5, 2.0  # m/s or rad/s, and per second


@given(st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=300), st.floats(0.1, 5.0), st.floats(0.1, 10.0))
@QUIET
def test_speed_and_acceleration_are_never_exceeded(shares: list[float], speed: float, acceleration: float) -> None:
    """Whatever the wish does (in steps of up to three times the speed), the set-point keeps both limits."""
    wish = wish_before = x = v = 0.0
    for share in shares:
        wish = wish_before + 3.0 * share * speed * DT
        new_x, new_v = limited_step(wish, wish_before, x, v, speed, acceleration, PERIOD_S)
        assert abs(new_v) <= speed * (1 + 1e-12)
        assert abs(new_v - v) <= acceleration * DT * (1 + 1e-9)
        assert abs(new_x - (x + new_v * DT)) <= 1e-12
        x, v, wish_before = new_x, new_v, wish


@given(st.floats(-10.0, 10.0), st.floats(0.1, 5.0), st.floats(0.1, 10.0))
@QUIET
def test_a_standing_wish_is_reached_exactly_without_overshoot(wish: float, speed: float, acceleration: float) -> None:
    x = v = 0.0
    limit = 10 + 2 * math.ceil((abs(wish) / speed + speed / acceleration + math.sqrt(abs(wish) / acceleration)) / DT)
    for _ in range(limit):
        x, v = limited_step(wish, wish, x, v, speed, acceleration, PERIOD_S)
        assert (wish - x) * math.copysign(1.0, wish) >= -1e-12, "beyond the wish"
        if x == wish and v == 0.0:
            break
    assert x == wish
    assert v == 0.0
    assert limited_step(wish, wish, x, v, speed, acceleration, PERIOD_S) == (wish, 0.0)


@given(st.floats(-0.9, 0.9), st.floats(-0.01, 0.01))
@QUIET
def test_a_moving_wish_is_caught_up_with_and_then_followed_exactly(share: float, ahead: float) -> None:
    """A wish that starts at full tilt, some way off: the set-point gets onto it and stays on it."""
    rate = share * S
    wish, x, v = ahead, 0.0, 0.0
    for _ in range(2000):
        before, wish = wish, wish + rate * DT
        x, v = limited_step(wish, before, x, v, S, A, PERIOD_S)
    for _ in range(10):
        before, wish = wish, wish + rate * DT
        x, v = limited_step(wish, before, x, v, S, A, PERIOD_S)
        assert x == wish
        assert v == pytest.approx(rate, abs=1e-9)


@given(st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=300))
@QUIET
def test_a_wish_within_the_limits_is_the_set_point(shares: list[float]) -> None:
    """Not approximately: a trajectory that keeps the limits is played as it is."""
    wish = x = v = rate = 0.0
    for share in shares:
        before = wish
        rate = min(max(rate + 0.999 * share * A * DT, -0.999 * S), 0.999 * S)
        wish = wish + rate * DT
        x, v = limited_step(wish, before, x, v, S, A, PERIOD_S)
        assert x == wish


# --- the whole guard: refusals ---


@pytest.mark.parametrize("axis", range(13))
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_not_finite(axis: int, bad: float) -> None:
    made = guard(hall())
    wish = BENT.copy()
    wish[axis] = bad
    stop = made.judge(wish, made.setpoint)
    assert stop is not None
    assert (stop.rule, stop.axis) == (Rule.NOT_FINITE, axis + 1)
    assert stop.value == bad or math.isnan(bad)
    np.testing.assert_array_equal(made.setpoint, BENT)
    assert made.judge(BENT, made.setpoint) is None  # nothing of it is left behind


@pytest.mark.parametrize("axis", range(13))
@pytest.mark.parametrize("sign", [-1, 1])
def test_jump(axis: int, sign: int) -> None:
    """More than four cycles' worth of full speed between two commands."""
    made = guard(hall())
    wish = BENT.copy()
    wish[axis] += sign * 4.01 * SPEED[axis] * DT
    stop = made.judge(wish, made.setpoint)
    assert stop is not None
    assert (stop.rule, stop.axis) == (Rule.JUMP, axis + 1)
    assert stop.value == pytest.approx(4.01 * SPEED[axis] * DT)
    assert stop.bound == pytest.approx(4.0 * SPEED[axis] * DT)
    assert AXIS_TEXT[axis + 1] in str(stop)


def test_a_whole_turn_is_a_jump_even_on_an_endless_axis() -> None:
    made = guard(hall())
    wish = BENT.copy()
    wish[10] += 2 * math.pi
    stop = made.judge(wish, made.setpoint)
    assert stop is not None
    assert stop.rule is Rule.JUMP


@pytest.mark.parametrize("axis", range(13))
@pytest.mark.parametrize(("share", "stops"), [(1.0, False), (1.01, True), (3.9, True)])
def test_over_speed(axis: int, share: float, stops: bool) -> None:
    """Exactly the limit passes: measured from a wish that already moves at full speed."""
    made = guard(hall(jump=np.full(13, np.inf)))
    wish = BENT.copy()
    for _ in range(5):
        wish[axis] += SPEED[axis] * DT
        assert made.judge(wish, made.setpoint) is None
    wish[axis] += share * SPEED[axis] * DT
    stop = made.judge(wish, made.setpoint)
    assert (stop is not None) == stops
    if stop is not None:
        assert (stop.rule, stop.axis) == (Rule.AXIS_SPEED, axis + 1)
        assert stop.value == pytest.approx(share * SPEED[axis])
        assert stop.bound == pytest.approx(SPEED[axis])


@pytest.mark.parametrize("axis", range(13))
def test_running_away(axis: int) -> None:
    """A wish that leaves at 0.2 of full speed from rest: the set-point follows within its acceleration, falls behind, and
    the hall stops when the gap passes its bound. Braking from there keeps the limits too."""
    made = guard(hall())
    stop, passed = drive(made, axis, lambda k: 0.2 * SPEED[axis] * DT * k)
    assert (stop.rule, stop.axis) == (Rule.AXIS_ACCELERATION, axis + 1)
    assert stop.bound == pytest.approx(JUMP[axis])
    assert stop.value > stop.bound
    assert stop.value < 2 * stop.bound
    assert len(passed) > 2
    keeps_limits(brake(made, passed))


def test_small_steps_from_rest_are_smoothed_and_caught_up() -> None:
    """A trajectory that starts at a few mm/s is not refused; the set-point is on it again soon."""
    made = guard(hall())
    wish, passed = BENT.copy(), [BENT.copy()]
    for _ in range(500):
        wish[0] += 0.05 * DT
        assert made.judge(wish, made.setpoint) is None
        passed.append(made.setpoint.copy())
    assert made.setpoint[0] == wish[0]
    keeps_limits(brake(made, passed))


# --- axis ranges, with the way that braking takes ---


@pytest.mark.parametrize("axis", FINITE, ids=[AXES[i] for i in FINITE])
@pytest.mark.parametrize("side", [-1, 1])
def test_an_axis_driven_at_its_limit_stands_before_it(axis: int, side: int) -> None:
    """As fast as it goes towards the end of its range: stopped in time, at rest inside, and not too early."""
    cell = hall(lower=CELL.axes.lower, upper=CELL.axes.upper)
    limit = (CELL.axes.upper if side > 0 else CELL.axes.lower)[axis]
    made = guard(cell)
    stop, passed = drive(made, axis, ramp(axis, side, 0.99 * ACCELERATION[axis]))
    assert (stop.rule, stop.axis) == (Rule.AXIS_RANGE, axis + 1)
    assert stop.bound == limit
    assert (stop.value - limit) * side > 0
    path = np.array(brake(made, passed))
    assert (side * (path[:, axis] - limit)).max() <= 1e-9, "overran its limit"
    assert abs(path[-1, axis] - limit) < 0.05 * SPEED[axis], "stopped far too early"
    keeps_limits(passed)


def test_creeping_to_the_very_limit_is_allowed() -> None:
    """Slowly one comes as near as one likes: to the limit itself, not past it."""
    made = guard(hall(lower=CELL.axes.lower, upper=CELL.axes.upper), BENT + np.array([19.0 - 0.01, *[0.0] * 12]))
    stop, passed = drive(made, 0, lambda k: 1e-5 * k)
    assert stop.rule is Rule.AXIS_RANGE
    assert passed[-1][0] == pytest.approx(25.0, abs=2e-5)
    assert passed[-1][0] <= 25.0


@pytest.mark.parametrize("side", [-1, 1])
def test_the_way_back_inside_an_axis_range_stays_open(side: int) -> None:
    """Standing 10 mm outside: still is allowed, inwards is allowed, outwards is not."""
    cell = hall(lower=CELL.axes.lower, upper=CELL.axes.upper)
    outside = BENT.copy()
    outside[0] = 25.01 if side > 0 else -0.01
    made = guard(cell, outside)
    for _ in range(10):
        assert made.judge(outside, made.setpoint) is None
    stop, _ = drive(made, 0, lambda k: side * 1e-4 * k, cycles=3)
    assert stop.rule is Rule.AXIS_RANGE
    made = guard(cell, outside)
    wish = outside.copy()
    for _ in range(2000):
        wish[0] -= side * 1e-5
        assert made.judge(wish, made.setpoint) is None
    assert 0.0 < made.setpoint[0] < 25.0
    stop, passed = drive(made, 0, lambda k: side * 1e-5 * k)  # and once inside, the limit holds again
    assert stop.rule is Rule.AXIS_RANGE
    assert 0.0 <= passed[-1][0] <= 25.0


def test_the_slowest_axis_lengthens_the_way_of_all() -> None:
    """Rail and A6 brake together. With the rail fast (1.6 s to rest), A6 needs more way than alone, and gets it."""
    cell = hall(lower=CELL.axes.lower, upper=CELL.axes.upper)
    made = guard(cell)
    wish, rate, passed, stop = BENT.copy(), 0.0, [BENT.copy()], None
    for _ in range(2000):
        rate = min(rate + 0.8 * DT, 1.2)
        wish[0] += rate * DT
        wish[6] += rate * DT
        stop = made.judge(wish, made.setpoint)
        if stop is not None:
            break
        passed.append(made.setpoint.copy())
    assert stop is not None
    assert (stop.rule, stop.axis) == (Rule.AXIS_RANGE, 7)
    path = np.array(brake(made, passed))
    assert path[:, 6].max() <= CELL.axes.upper[6] + 1e-9
    keeps_limits(passed)


# --- Table 3 ---

# component: (robot, k, axis that moves it, sense of the axis).
# At home A1 swings y and yaw, A2 leans, A3 lifts, A5 nods, A6 rolls.
COMPONENTS = {
    f"robot {r + 1} {name} {'up' if sense > 0 else 'down'}": (r, k, axis + 6 * r if axis else 0, sense)
    for r in (0, 1)
    for k, name, axis in (
        (0, "x", 0 if r == 0 else 2),
        (1, "y", 1),
        (2, "z", 3),
        (3, "roll", 6),
        (4, "pitch", 5),
        (5, "yaw", 1),
    )
    for sense in (-1, 1)
}


def components(cell: Cell, q: Array, roll: Array) -> Array:
    values = np.empty((2, 6))
    port_components(cell.hall, q, roll, values, np.empty((2, 4, 4)))
    return values


@pytest.mark.parametrize(("robot", "k", "axis", "sense"), COMPONENTS.values(), ids=COMPONENTS)
def test_table_3_holds_while_braking(robot: int, k: int, axis: int, sense: int) -> None:
    """One component has a bound 0.15 m or rad away; the axis that moves it goes for it as fast as it can."""
    free, roll = hall(), np.zeros(2)
    at_home = components(free, BENT, roll)[robot, k]
    nudged = BENT.copy()
    nudged[axis] += sense * 1e-3
    outward = 1.0 if components(free, nudged, roll.copy())[robot, k] > at_home else -1.0
    lower, upper = np.full((2, 6), -np.inf), np.full((2, 6), np.inf)
    bound = at_home + outward * 0.15
    (upper if outward > 0 else lower)[robot, k] = bound
    made = guard(hall(range_lower=lower, range_upper=upper))
    stop, passed = drive(made, axis, ramp(axis, sense, 0.99 * ACCELERATION[axis]))
    assert stop.rule is (Rule.POSITION_RANGE if k < 3 else Rule.ATTITUDE_RANGE)
    assert stop.axis == 14 + 6 * robot + k
    assert AXIS_TEXT[stop.axis] == f"robot {robot + 1} {('x', 'y', 'z', 'roll', 'pitch', 'yaw')[k]}"
    assert stop.bound == pytest.approx(bound)
    assert (stop.value - bound) * outward > 0
    path = brake(made, passed)
    roll = np.zeros(2)
    seen = np.array([components(free, q, roll)[robot, k] for q in path])
    assert (outward * (seen - bound)).max() <= 1e-9, "left the range while braking"
    assert outward * (seen[-1] - bound) > -0.1, "stopped far too early"
    keeps_limits(passed)


def test_table_3_holds_on_the_whole_way_of_any_stop() -> None:
    """All axes at once, as fast as they go, in the real hall, 300 times: from the moment of the stop to rest the ports
    and plates stay inside. Not only where the stop ends: on a bend the way there can swing out further than its end.
    What sampling that way may miss: 5 mm and 1 deg."""
    cell = limited(CELL, port_speed=np.inf, port_rate=np.inf, jump=np.inf)
    lower, upper = CELL.hall[0]["range_lower"], CELL.hall[0]["range_upper"]
    worst = [(0.0, 0.0)]
    for seed in range(300):
        rng = np.random.default_rng(seed)
        begin = BENT + np.array([rng.uniform(-2, 10), *[0.0] * 12])
        made, wish, rate, stop = guard(cell, begin), begin, np.zeros(13), None
        push, roll = np.zeros(13), np.zeros(2)
        components(cell, begin, roll)
        for k in range(3000):
            if k % 100 == 0:
                push = rng.choice([-1, 1], 13) * ACCELERATION * rng.uniform(0.3, 1, 13)
            rate = np.clip(rate + push * DT, -SPEED, SPEED)
            wish = wish + rate * DT
            stop = made.judge(wish, made.setpoint)
            if stop is not None:
                break
            components(cell, made.setpoint, roll)
        assert stop is not None
        made.begin_braking()
        while not made.brake():
            values = components(cell, made.setpoint, roll)
            out = np.maximum(lower - values, values - upper)
            worst.append((float(out[:, :3].max()), float(out[:, 3:].max())))
    metres, radians = np.array(worst).max(axis=0)
    assert metres <= 0.005, f"a port left Table 3 by {metres * 1e3:.1f} mm while braking"
    assert radians <= math.radians(1.0), f"a plate left Table 3 by {math.degrees(radians):.1f} deg while braking"


def test_the_way_back_into_table_3_stays_open() -> None:
    """Port 1 stands at x = 4.39 with a range that ends at 4.3: outwards is refused, inwards free, then bounded again."""
    upper = np.full((2, 6), np.inf)
    upper[0, 0] = components(hall(), BENT, np.zeros(2))[0, 0] - 0.01
    cell = hall(range_upper=upper)
    made = guard(cell)
    assert made.judge(BENT, made.setpoint) is None
    stop, _ = drive(made, 0, lambda k: 1e-4 * k, cycles=3)
    assert stop.rule is Rule.POSITION_RANGE
    made = guard(cell)
    wish = BENT.copy()
    for _ in range(2000):
        wish[0] -= 1e-5
        assert made.judge(wish, made.setpoint) is None
    stop, passed = drive(made, 0, lambda k: 1e-5 * k)
    assert stop.rule is Rule.POSITION_RANGE
    assert components(cell, passed[-1], np.zeros(2))[0, 0] <= upper[0, 0]


def test_roll_counts_through_full_turns() -> None:
    """±300 deg of roll for robot 1: A6 from home (roll 90) reaches 300 after 210 deg, passing ±180 without a jump. Robot
    2's roll is endless and goes on for ten turns."""
    lower, upper = CELL.hall[0]["range_lower"].copy(), CELL.hall[0]["range_upper"].copy()
    keep = np.zeros((2, 6), bool)
    keep[0, 3] = keep[1, 3] = True
    cell = hall(range_lower=np.where(keep, lower, -np.inf), range_upper=np.where(keep, upper, np.inf))
    home = CELL.home
    for sense, way in ((1, 210.0), (-1, 390.0)):
        made = guard(cell, home)
        outward = 1 if components(cell, _moved(home, 6, 0.001), np.zeros(2))[0, 3] > math.pi / 2 else -1
        stop, passed = drive(made, 6, lambda k, s=sense * outward: s * 5e-4 * k)  # type: ignore[misc]
        assert stop.rule is Rule.ATTITUDE_RANGE
        assert stop.axis == 17
        assert abs(stop.bound) == pytest.approx(math.radians(300))
        assert abs(passed[-1][6] - home[6]) == pytest.approx(math.radians(way), abs=0.02)
    made = guard(cell, home)
    wish = home.copy()
    for k in range(1, 10_001):
        wish[12] = home[12] + 10 * 2 * math.pi * (1 - math.cos(math.pi * k / 10_000)) / 2
        assert made.judge(wish, made.setpoint) is None


def _moved(q: Array, axis: int, way: float) -> Array:
    q = q.copy()
    q[axis] += way
    return q


def test_the_real_table_3_lets_home_and_its_surroundings_pass() -> None:
    made = guard(CELL, CELL.home)
    assert made.judge(CELL.home, made.setpoint) is None


# --- ports and wrists ---


@pytest.mark.parametrize(("axis", "robot"), [(0, 0), (1, 0), (7, 1)])
def test_port_speed(axis: int, robot: int) -> None:
    made = guard(hall(port_speed=0.2))
    stop, passed = drive(made, axis, ramp(axis, 1.0, 0.5 * ACCELERATION[axis]))
    assert stop.rule is Rule.PORT_SPEED
    assert stop.axis == 14 + 6 * robot
    assert stop.bound == pytest.approx(0.2)
    assert 0.2 < stop.value < 0.25
    keeps_limits(brake(made, passed))


@pytest.mark.parametrize(("axis", "robot"), [(1, 0), (6, 0), (7, 1), (12, 1)])
def test_port_rate(axis: int, robot: int) -> None:
    made = guard(hall(port_rate=0.1))
    stop, _ = drive(made, axis, ramp(axis, -1.0, 0.5 * ACCELERATION[axis]))
    assert stop.rule is Rule.PORT_RATE
    assert stop.axis == 17 + 6 * robot
    assert stop.bound == pytest.approx(0.1)
    assert 0.1 < stop.value < 0.12


def test_exactly_the_port_speed_passes() -> None:
    """2 m/s of Table 3 would need both the rail and an arm; here 0.2 m/s by the rail alone, for a second."""
    made = guard(hall(port_speed=0.2))
    wish, rate = BENT.copy(), 0.0
    for _ in range(500):
        rate = min(rate + 0.5 * DT, 0.2)
        wish[0] += rate * DT
        assert made.judge(wish, made.setpoint) is None


@pytest.mark.parametrize(("axis", "number"), [(5, 6), (11, 12)])
def test_wrist(axis: int, number: int) -> None:
    """With a margin of 5 deg, A5 = 0.7 rad going for zero is stopped and named; the message says by how much."""
    margin = math.radians(5.0)
    made = guard(hall(wrist_margin=margin))
    stop, passed = drive(made, axis, lambda k: -1e-3 * (1 - math.exp(-k / 50)) * k)
    assert (stop.rule, stop.axis) == (Rule.WRIST_SINGULARITY, number)
    assert AXIS_TEXT[number].endswith("A5")
    assert stop.bound == pytest.approx(margin)
    assert 0.0 < stop.value < margin
    assert passed[-1][axis] >= margin


def test_the_way_out_of_the_wrist_singularity_stays_open() -> None:
    """Home has A5 = 0, inside any margin: standing there and moving away must be possible, or nobody gets out."""
    made = guard(hall(wrist_margin=math.radians(5.0)), CELL.home)
    assert made.judge(CELL.home, made.setpoint) is None
    wish = CELL.home.copy()
    for _ in range(1000):
        wish[5] += 1e-4
        wish[11] += 1e-4
        assert made.judge(wish, made.setpoint) is None


def test_margins_are_told() -> None:
    margins = np.zeros(6)
    made = Guard(CELL, margins, EmptyHall())
    made.stand(BENT)
    assert made.judge(BENT, made.setpoint) is None
    share, table3, wrist, elbow, shoulder, speed_left = margins
    # Nearest axis limit as a share of half its range: A2 at -90 of -146 … 0 is 56 deg of 73; A3 at 90 of -119 … 155: 65 of
    # 137; rail 6 of 12.5; A5 at 40.1 deg of ±125: 84.9 of 125; so A3 (0.4745) is beaten by none but the rail (0.48): A3.
    assert share == pytest.approx(65.0 / 137.0, abs=1e-9)
    values = components(CELL, BENT, np.zeros(2))
    lower, upper = CELL.hall[0]["range_lower"][:, :3], CELL.hall[0]["range_upper"][:, :3]
    assert table3 == pytest.approx(float(np.minimum(values[:, :3] - lower, upper - values[:, :3]).min()))
    assert wrist == pytest.approx(0.7)
    assert elbow == pytest.approx(math.radians(90.0) - math.atan2(0.055, 1.0), abs=1e-9)  # robot 1: 3.148 deg of tilt
    assert shoulder == pytest.approx(1.35)
    assert speed_left == 1.0


# --- braking from anywhere ---


@pytest.mark.parametrize("seed", range(20))
def test_braking_from_random_motion_keeps_every_limit(seed: int) -> None:
    """All thirteen axes wander at random within their limits; at a random tick everything is braked. Second differences
    of the set-points stay within the acceleration at every tick, before, at and after the stop."""
    rng = np.random.default_rng(seed)
    made = guard(hall(jump=np.full(13, np.inf)))
    wish, rate, passed = BENT.copy(), np.zeros(13), [BENT.copy()]
    push = rng.uniform(-1, 1, 13) * ACCELERATION
    for k in range(int(rng.integers(1, 800))):
        if k % 50 == 0:
            push = rng.uniform(-1, 1, 13) * ACCELERATION
        rate = np.clip(rate + push * DT, -SPEED, SPEED)
        wish = wish + rate * DT
        assert made.judge(wish, made.setpoint) is None
        passed.append(made.setpoint.copy())
    before = passed[-1]
    rate_before = made.rate.copy()
    foretold = braking_time(rate_before, ACCELERATION)
    brake(made, passed)
    np.testing.assert_allclose(passed[-1], before + rate_before * 0.5 * foretold, atol=1e-9)  # ends where foretold
    keeps_limits(passed)


def test_braking_at_rest_is_over_at_once() -> None:
    made = guard(hall())
    assert made.begin_braking() == 0.0
    assert made.brake()
    np.testing.assert_array_equal(made.setpoint, BENT)


def test_motion_goes_on_after_a_stop() -> None:
    made = guard(hall())
    _, passed = drive(made, 0, lambda k: 0.2 * SPEED[0] * DT * k)
    stand = brake(made, passed)[-1]
    wish = stand.copy()
    for _ in range(100):
        wish[0] += 1e-5
        assert made.judge(wish, made.setpoint) is None
        passed.append(made.setpoint.copy())
    keeps_limits(brake(made, passed))


def test_braking_again_while_braking_is_no_shock() -> None:
    """A second stop during the first (an e-stop after a safe stop) starts from the speed that is left."""
    made = guard(hall())
    _, passed = drive(made, 0, lambda k: 0.2 * SPEED[0] * DT * k)
    made.begin_braking()
    for _ in range(10):
        made.brake()
        passed.append(made.setpoint.copy())
    keeps_limits(brake(made, passed))


# --- how a stop is told ---


def test_every_rule_has_words_and_every_stop_prints() -> None:
    assert set(RULES) == set(Rule) - {Rule.NONE}
    for rule in RULES:
        for axis in range(len(AXIS_TEXT)):
            assert rule.name in str(Stop(rule, axis, 1.5, 1.0, "detail"))


def test_a_stop_names_value_bound_and_excess_in_the_units_of_the_hall() -> None:
    text = str(Stop(Rule.AXIS_RANGE, 1, 25.1, 25.0))
    for part in ("AXIS_RANGE", "rail", "25100 mm", "25000 mm", "100 mm"):
        assert part in text
    text = str(Stop(Rule.AXIS_SPEED, 8, math.radians(90.0), math.radians(86.0)))
    for part in ("robot 2 A1", "90 deg/s", "86 deg/s", "4 deg/s"):
        assert part in text


@pytest.mark.parametrize(
    ("stop", "excess"),
    [
        (Stop(Rule.WRIST_SINGULARITY, 6, math.radians(4.0), math.radians(5.0)), "1 deg"),
        (Stop(Rule.POSITION_RANGE, 14, 0.9, 1.0), "0.1 m"),  # a range that begins at +1 m
        (Stop(Rule.AXIS_RANGE, 4, math.radians(-4.0), math.radians(-5.0)), "1 deg"),  # one that ends at -5 deg
        (Stop(Rule.POSITION_RANGE, 16, -0.6, -0.5), "0.1 m"),
    ],
)
def test_the_excess_is_never_negative(stop: Stop, excess: str) -> None:
    """ "Over by -0.1 m" would tell the operator that all is well."""
    assert f"by {excess}" in str(stop)
