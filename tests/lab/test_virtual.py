"""The virtual controllers behave like controllers: lag, dead time, limits, drives and brakes, faults by name, noise."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.core.messages import AXES, PERIOD_S
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell, builtin
from proxops.lab.coordinates import flange_poses
from proxops.lab.links.virtual import Drive, Fault, VirtualHall

Array = NDArray[np.float64]
EPOS = builtin("cells", "epos.toml").read_text()
DT = PERIOD_S
SUBSTEP = 0.001
UNIT = [0, *[1] * 6, *[2] * 6]


@pytest.fixture(scope="module")
def cell() -> Cell:
    return load_cell()


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Cell:
    """The same hall without repeatability noise."""
    path = tmp_path_factory.mktemp("cell") / "quiet.toml"
    path.write_text(
        EPOS.replace("repeatability_mm = 0.02", "repeatability_mm = 0").replace(
            "repeatability_mm = 0.12", "repeatability_mm = 0"
        )
    )
    return load_cell(path)


def started(cell: Cell, seed: int = 1, q: Array | None = None) -> VirtualHall:
    """Drives on, brakes open, standing."""
    hall = VirtualHall(cell, np.random.default_rng(seed), q)
    hall.drives_on()
    for _ in range(51):
        assert hall.write(hall.standing.copy()) is None
    assert hall.all_on
    return hall


def drive(hall: VirtualHall, axis: int) -> Drive:
    return Drive(int(hall._c[0]["drive"][UNIT[axis]]))


# --- lag and dead time ---


@pytest.mark.parametrize("axis", range(13), ids=AXES)
def test_lag_at_constant_speed(quiet: Cell, axis: int) -> None:
    """Dead time plus time constant behind the set-point: 8 + 12 ms for the robots, 8 + 40 ms for the rail. The servo's
    1 ms steps take the reference at the end of each step, which is up to one step ahead of a continuous servo."""
    hall = started(quiet)
    setpoint, rate = hall.standing.copy(), 0.02
    for _ in range(500):
        setpoint[axis] += rate * DT
        assert hall.write(setpoint) is None
    lag = (setpoint[axis] - hall.read()[axis]) / rate
    nominal = 0.008 + (0.040 if axis == 0 else 0.012)
    assert nominal - SUBSTEP - 1e-9 <= lag <= nominal + 1e-9
    assert hall.rate[axis] == pytest.approx(rate, rel=1e-9)


def test_lag_follows_the_cell_file(tmp_path: pytest.TempPathFactory, quiet: Cell) -> None:
    """dead time 0, 10.5 (not a whole cycle) and 100 ms; time constants 4 and 100 ms."""
    for dead, constant in ((0.0, 12.0), (10.5, 12.0), (100.0, 12.0), (8.0, 4.0), (8.0, 100.0)):
        text = EPOS.replace("repeatability_mm = 0.12", "repeatability_mm = 0").replace(
            "dead_time_ms = 8.0, time_constant_ms = 12.0", f"dead_time_ms = {dead}, time_constant_ms = {constant}"
        )
        path = tmp_path / "cell.toml"  # type: ignore[operator]
        path.write_text(text)
        hall = started(load_cell(path))
        setpoint = hall.standing.copy()
        for _ in range(1000):
            setpoint[3] += 0.02 * DT
            assert hall.write(setpoint) is None
        lag_ms = 1e3 * (setpoint[3] - hall.read()[3]) / 0.02
        assert dead + constant - 1.0 - 1e-6 <= lag_ms <= dead + constant + 1e-6


def test_nothing_happens_before_the_dead_time(quiet: Cell) -> None:
    """8 ms are two cycles: the set-point's movement shows in the third cycle after it was given, not earlier."""
    hall = started(quiet)
    home = hall.read().copy()
    setpoint = hall.standing + 1e-4
    for _ in range(2):
        hall.write(setpoint)
        np.testing.assert_array_equal(hall.read(), home)
    hall.write(setpoint)
    assert (hall.read() > home).all()


def test_a_step_is_followed_without_overshoot_and_reached(quiet: Cell) -> None:
    """Critically damped: from below, never above."""
    hall = started(quiet)
    goal = hall.standing + 1e-4
    passed = []
    for _ in range(300):
        hall.write(goal)
        passed.append(hall.read().copy())
    path = np.array(passed)
    assert (path <= goal + 1e-9).all()
    np.testing.assert_allclose(path[-1], goal, atol=1e-9)


def test_the_rail_is_slower_than_the_robots(quiet: Cell) -> None:
    """The same small step on all axes: when every robot axis has done 90 % of it, the rail has not."""
    hall = started(quiet)
    begin = hall.standing.copy()
    for _ in range(100):
        hall.write(begin + 1e-4)
        done = (hall.read() - begin) / 1e-4
        if (done[1:] > 0.9).all():
            break
    assert (done[1:] > 0.9).all()
    assert done[0] < 0.5


@pytest.mark.parametrize("axis", range(13), ids=AXES)
def test_speed_and_acceleration_stay_within_the_axis(quiet: Cell, axis: int) -> None:
    """Set-points at the full speed from rest (which the guard would smooth): the axis itself keeps its limits."""
    hall = started(quiet)
    setpoint, rates = hall.standing.copy(), [0.0]
    for _ in range(200):
        setpoint[axis] += 0.3 * quiet.axes.speed[axis] * DT
        fault = hall.write(setpoint)
        rates.append(float(hall.rate[axis]))
        if fault is not None:
            break
    rate = np.array(rates)
    assert (np.abs(rate) <= quiet.axes.speed[axis] * (1 + 1e-12)).all()
    assert (np.abs(np.diff(rate)) <= quiet.axes.acceleration[axis] * DT * (1 + 1e-9)).all()


# --- drives and brakes ---


def test_drives_off_ignore_set_points(quiet: Cell) -> None:
    hall = VirtualHall(quiet, np.random.default_rng(1))
    home = hall.read().copy()
    for k in range(100):
        assert hall.write(home + k) is None  # not even a fault: nobody listens
        np.testing.assert_array_equal(hall.read(), home)
    assert not hall.any_on
    assert not hall.all_on


def test_brakes_take_a_fifth_of_a_second_to_open(quiet: Cell) -> None:
    """50 cycles of 4 ms. Set-points are not followed until then, and following begins without a jerk."""
    hall = VirtualHall(quiet, np.random.default_rng(1))
    home = hall.read().copy()
    hall.drives_on()
    cycles = 0
    while not hall.all_on:
        hall.write(home + 0.5)
        np.testing.assert_array_equal(hall.read(), home)
        cycles += 1
        assert cycles < 200
    assert cycles * DT == pytest.approx(0.2, abs=DT)
    assert hall.write(hall.standing.copy()) is None
    np.testing.assert_array_equal(hall.read(), home)


def test_switching_off_in_motion_brakes_first(quiet: Cell) -> None:
    """All axes at 40 % of their speed, then drives off: every axis slows within its limit, then the brakes close."""
    hall = started(quiet)
    setpoint, rate = hall.standing.copy(), np.zeros(13)
    for _ in range(250):
        rate = np.minimum(rate + 0.5 * quiet.axes.acceleration * DT, 0.1 * quiet.axes.speed)
        setpoint += rate * DT
        assert hall.write(setpoint) is None
    assert (hall.rate > 0.05 * quiet.axes.speed).all()
    hall.drives_off()
    rates = [hall.rate.copy()]
    for _ in range(500):
        hall.write(setpoint + 100.0)  # set-points no longer count
        rates.append(hall.rate.copy())
        if not hall.any_on:
            break
    assert not hall.any_on
    assert (hall.rate == 0.0).all()
    assert (np.abs(np.diff(np.array(rates), axis=0)) <= quiet.axes.acceleration * DT * (1 + 1e-9)).all()
    stand = hall.read().copy()
    hall.write(setpoint)
    np.testing.assert_array_equal(hall.read(), stand)


def test_drives_on_again_after_a_fault_begin_from_where_the_robot_stands(quiet: Cell) -> None:
    hall = started(quiet)
    setpoint = hall.standing.copy()
    setpoint[3] += 1.0
    assert hall.write(setpoint) is not None
    for _ in range(200):
        hall.write(setpoint)
    hall.drives_on()
    for _ in range(60):
        assert hall.write(hall.standing.copy()) is None
    assert hall.all_on
    before = hall.read().copy()
    hall.write(hall.standing.copy())
    np.testing.assert_allclose(hall.read(), before, atol=1e-12)


# --- faults ---


def faulted(hall: VirtualHall, setpoint: Array, fault: Fault, axis: int) -> tuple[float, float]:
    found = hall.write(setpoint)
    assert found is not None
    assert (found.fault, found.axis) == (fault, axis)
    return found.value, found.bound


@pytest.mark.parametrize("axis", range(13), ids=AXES)
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_jump_is_a_fault_of_that_axis(quiet: Cell, axis: int, sign: int) -> None:
    hall = started(quiet)
    top = quiet.axes.speed[axis]
    good = hall.standing.copy()
    good[axis] += sign * 1.04 * top * DT
    assert hall.write(good) is None
    bad = good.copy()
    bad[axis] += sign * 1.10 * top * DT
    value, bound = faulted(hall, bad, Fault.SPEED, axis)
    assert value == pytest.approx(1.10 * top)
    assert bound == pytest.approx(1.05 * top)


@pytest.mark.parametrize("axis", range(13), ids=AXES)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_a_fault_and_never_moves_anything(quiet: Cell, axis: int, bad: float) -> None:
    hall = started(quiet)
    setpoint = hall.standing.copy()
    setpoint[axis] = bad
    faulted(hall, setpoint, Fault.NOT_FINITE, axis)
    for _ in range(100):
        hall.write(setpoint)
        assert np.isfinite(hall.read()).all()
        assert np.isfinite(hall.rate).all()
    assert drive(hall, axis) is Drive.OFF


@pytest.mark.parametrize("axis", [i for i in range(13) if i not in (10, 12)])
@pytest.mark.parametrize("side", [-1, 1])
def test_the_software_limit_switch(quiet: Cell, axis: int, side: int) -> None:
    limit = float((quiet.axes.upper if side > 0 else quiet.axes.lower)[axis])
    q = quiet.home.copy()
    q[axis] = limit - side * 1e-3
    hall = started(quiet, q=q)
    setpoint = q.copy()
    setpoint[axis] = limit
    assert hall.write(setpoint) is None  # the limit itself is inside
    setpoint[axis] = limit + side * 1e-3
    value, bound = faulted(hall, setpoint, Fault.RANGE, axis)
    assert value == pytest.approx(limit + side * 1e-3)
    assert bound == limit


def test_endless_axes_have_no_switch(quiet: Cell) -> None:
    hall = started(quiet)
    setpoint, rate = hall.standing.copy(), 0.0
    for _ in range(3000):
        rate = min(rate + 0.5 * DT, 1.0)
        setpoint[10] += rate * DT
        setpoint[12] -= rate * DT
        assert hall.write(setpoint) is None
    assert hall.read()[10] > 9.0
    assert hall.read()[12] < -9.0


def test_following_error(quiet: Cell) -> None:
    """The rail accelerates with 1 m/s² at most; a set-point that leaves at 1.4 m/s is 0.1 m ahead after about 0.1 s."""
    hall = started(quiet)
    setpoint, found, cycles = hall.standing.copy(), None, 0
    while found is None:
        setpoint[0] += 1.4 * DT
        found = hall.write(setpoint)
        cycles += 1
        assert cycles < 200
    assert (found.fault, found.axis) == (Fault.FOLLOWING_ERROR, 0)
    assert found.value > found.bound == 0.10
    assert found.value < 0.11
    # 1.4 t - t²/2 = 0.1 with t counted from the end of the dead time: 73 ms, and 8 ms before it.
    assert cycles * DT == pytest.approx(0.073 + 0.008, abs=0.006)


@pytest.mark.parametrize(("axis", "unit"), [(0, 0), (3, 1), (9, 2)])
def test_a_fault_brakes_its_own_controller_only_and_stands_until_cleared(quiet: Cell, axis: int, unit: int) -> None:
    """The other controllers keep following; the facility is told every cycle and stops them."""
    hall = started(quiet)
    setpoint, rate = hall.standing.copy(), np.zeros(13)
    for _ in range(250):
        rate = np.minimum(rate + 0.5 * quiet.axes.acceleration * DT, 0.05 * quiet.axes.speed)
        setpoint += rate * DT
        assert hall.write(setpoint) is None
    setpoint[axis] += 1.0
    faulted(hall, setpoint, Fault.SPEED, axis)
    setpoint[axis] -= 1.0
    rates = [hall.rate.copy()]
    for _ in range(60):
        setpoint += rate * DT
        found = hall.write(setpoint)
        assert found is not None
        assert (found.fault, found.axis) == (Fault.SPEED, axis)  # the first cause stands
        rates.append(hall.rate.copy())
    mine = np.array([u == unit for u in UNIT])
    assert (hall.rate[mine] == 0.0).all()
    assert drive(hall, axis) is Drive.OFF
    np.testing.assert_allclose(hall.rate[~mine], rate[~mine], rtol=1e-3)
    steps = np.abs(np.diff(np.array(rates), axis=0))[:, mine]
    assert (steps <= quiet.axes.acceleration[mine] * DT * (1 + 1e-9)).all()


# --- repeatability ---


def recorded(cell: Cell, seed: int, cycles: int) -> Array:
    hall = started(cell, seed)
    setpoint = hall.standing.copy()
    rows = []
    for _ in range(cycles):
        hall.write(setpoint)
        rows.append(hall.read().copy())
    return np.array(rows)


def test_noise_is_the_same_for_the_same_seed(cell: Cell) -> None:
    first = recorded(cell, 7, 1000)
    np.testing.assert_array_equal(first, recorded(cell, 7, 1000))
    assert (first != recorded(cell, 8, 1000)).all(axis=0).all()


def test_noise_at_the_flange_is_the_catalogues_repeatability(cell: Cell) -> None:
    """ISO 9283 gives mean plus three sigma of the distance; we ask for three sigma per robot in the stretched arm: 0.12 mm
    at both flanges, 0.02 mm on the rail, within 15 % (long run: 30000 s of wander)."""
    rng = np.random.default_rng(9)
    stretched = np.array([6.0, 0.0, 0.0, math.atan2(-0.055, 1.0), 0, 0, 0, 0.0, 0.0, math.atan2(-0.055, 1.1), 0, 0, 0])
    hall = VirtualHall(cell, rng, stretched)
    nominal = flange_poses(cell.hall, stretched)
    off1, off2, rail = [], [], []
    for k in range(200_000):
        hall.write(stretched)
        if k % 250 == 0:  # two time constants of the wander: nearly independent
            q = hall.read().copy()
            rail.append(q[0] - 6.0)
            q[0] = 6.0
            found = flange_poses(cell.hall, q)
            off1.append(found[0][:3, 3] - nominal[0][:3, 3])
            off2.append(found[1][:3, 3] - nominal[1][:3, 3])
    for off in (off1, off2):
        sigma = math.sqrt(float((np.array(off) ** 2).sum(axis=1).mean()))
        assert 3 * sigma == pytest.approx(0.12e-3, rel=0.15)
    assert 3 * float(np.std(rail)) == pytest.approx(0.02e-3, rel=0.15)


def test_noise_is_slow(cell: Cell) -> None:
    """Repeatability is not rattle: from cycle to cycle it changes by less than a fifth of its size."""
    rows = recorded(cell, 3, 20_000)
    assert (np.std(np.diff(rows, axis=0), axis=0) < 0.2 * np.std(rows, axis=0)).all()


def test_noise_does_not_enter_the_servo(cell: Cell, quiet: Cell) -> None:
    """The reported values wander, the servo itself does not: ``standing`` is the same with and without noise."""
    noisy, still = started(cell, 5), started(quiet, 5)
    setpoint = noisy.standing.copy()
    for _ in range(200):
        setpoint = setpoint + 1e-6
        noisy.write(setpoint)
        still.write(setpoint)
    np.testing.assert_array_equal(noisy.standing, still.standing)
    assert (noisy.read() != still.read()).all()
