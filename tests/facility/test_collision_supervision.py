"""Whatever moves the robots, they do not meet: yellow slows a jog and says so, red stops everything, files are told before they
move, and only manual control leads out of red: slowly, and only away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from tests.shared.limited_cell import limited
from tests.shared.own_mockup import own_cell

from proxops.client import SyncClient
from proxops.core.clock import LockstepClock
from proxops.core.errors import Refused
from proxops.core.messages import PERIOD_S
from proxops.core.vocabulary import Mode, System, Zone
from proxops.facility.build import build
from proxops.facility.motions.jog import SLOW_SHARE
from proxops.facility.trajectories import CheckedTrajectory, preflighted
from proxops.facility.trajectories.preflight import Forbidden, preflight
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell
from proxops.lab.coordinates import POV_AT_LAB, lines_from_axes
from proxops.lab.trajectory import Trajectory
from proxops.safety.reserve import ROUNDING_M
from proxops.safety.rules import Rule
from proxops.safety.zone_watch import ZoneWatch


@pytest.fixture(scope="module")
def facing(cell: Cell) -> np.ndarray:
    """Robot 2 turned by 45 deg towards the rail, wrists bent: robot 1 would run into it at a rail of some 4.4 m."""
    q = cell.home.copy()
    q[[5, 11]] += 0.7
    q[7] += 0.25 * np.pi
    return q


@pytest.fixture
def hall_at(cell: Cell) -> Iterator:
    """Makes benches whose robots stand at given axes."""
    made = []

    class At:
        def __init__(self, q: np.ndarray, at: Cell = cell) -> None:
            self.clock = LockstepClock()
            self.hall = build(replace(at, home=q), self.clock, seed=3, record=None, sync=("127.0.0.1", 0))
            self.facility, self.desk = self.hall.facility, self.hall.desk
            self.texts: list[str] = []
            tell = self.facility.events.tell
            self.facility.events.tell = lambda s, n, t: (self.texts.append(f"{n}: {t}"), tell(s, n, t))[1]
            self.desk.drives(True)
            self.until(Mode.READY)
            made.append(self)

        def ticks(self, count: int = 1) -> None:
            for _ in range(count):
                self.facility.tick()

        def until(self, *modes: Mode) -> None:
            for _ in range(20_000):
                if self.facility.mode in modes:
                    return
                self.ticks()
            raise AssertionError(self.facility.mode.name)

        @property
        def clearance_m(self) -> float:
            return min(self.facility.zones._near.below(self.facility.actual, 1.0).values(), default=1.0)

    yield At
    for bench in made:
        bench.hall.close()


def at_rail(q: np.ndarray, rail_m: float) -> np.ndarray:
    moved = q.copy()
    moved[0] = rail_m
    return moved


def trajectory(cell: Cell, q: np.ndarray) -> Trajectory:
    values = np.empty((len(q), 22))
    lines_from_axes(cell.hall, int(System.IJT), q, np.tile(POV_AT_LAB, (len(q), 1)), values)
    return Trajectory(np.full(len(q), System.IJT, np.int16), values, "test")


def drive(q: np.ndarray, start_m: float, end_m: float, lines: int = 2500) -> np.ndarray:
    s = np.linspace(0.0, 1.0, lines)
    rows = np.tile(q, (lines, 1))
    rows[:, 0] = start_m + (end_m - start_m) * s**3 * (10 + s * (6 * s - 15))
    return rows


def hold(bench, component: str, direction: int, robot: str, cycles: int) -> float:
    """Hold a jog button; the fastest that the rail went in the last 100 cycles."""
    fastest = 0.0
    for k in range(cycles):
        if bench.facility.mode is not Mode.MANUAL:
            break
        bench.desk.jog("IJT", robot, component, direction)
        bench.ticks()
        fastest = max(fastest, float(np.abs(bench.facility.guard.rate).max())) if k > cycles - 100 else 0.0
    return fastest


def test_a_jog_slows_in_yellow_and_stops_before_red(hall_at, facing: np.ndarray) -> None:
    """The case that was found: A1 of robot 2 by 45 deg, then the rail: 660 mm into each other, with no word."""
    bench = hall_at(at_rail(facing, 5.5))
    bench.desk.select("manual")
    slow = []
    for _ in range(4000):
        if bench.facility.mode is not Mode.MANUAL:
            break
        bench.desk.jog("IJT", "rail", "rail", -1)
        bench.ticks()
        if bench.desk._jog.zone is Zone.YELLOW:
            slow.append(abs(float(bench.facility.guard.rate[0])))
        assert bench.clearance_m > 0.0
    bench.until(Mode.STOPPED)
    assert bench.facility.stop.rule is Rule.COLLISION_ZONE
    assert "spacecraft box 1" in bench.facility.stop.detail
    assert 0.015 < bench.clearance_m < 0.05
    assert slow[-1] <= 0.25 * SLOW_SHARE * 1.001 and min(slow[100:]) > 0.0
    assert sum(text.startswith("zone.yellow") for text in bench.texts) == 1  # warned once, not every cycle


def test_after_the_stop_the_way_back_is_open(hall_at, facing: np.ndarray) -> None:
    bench = hall_at(at_rail(facing, 4.9))
    bench.desk.select("manual")
    hold(bench, "rail", -1, "rail", 6000)
    bench.until(Mode.STOPPED)
    bench.desk.reset()
    bench.desk.select("manual")
    before = bench.clearance_m
    hold(bench, "rail", 1, "rail", 500)
    assert bench.facility.stop is None and bench.clearance_m > before


def test_out_of_red_only_away_and_slowly(hall_at, facing: np.ndarray) -> None:
    """Robots that stand 0.3 m deep in red, as after a collision or a change of mock-ups."""
    bench = hall_at(at_rail(facing, 4.0))
    assert bench.clearance_m < -0.2
    for source in ("sine", "manual"):
        bench.desk.select(source)
        if source == "sine":
            with pytest.raises(Refused, match="COLLISION_ZONE"):
                bench.desk.sine("rail", 0.01, 0.1, 2)
            bench.desk.select("none")
            bench.until(Mode.READY)
    deepest = bench.clearance_m
    hold(bench, "rail", -1, "rail", 200)  # deeper: refused at once
    bench.until(Mode.STOPPED)
    assert bench.facility.stop.rule is Rule.COLLISION_ZONE
    assert bench.clearance_m > deepest - 2e-4
    bench.desk.reset()
    bench.desk.select("manual")
    fastest = hold(bench, "rail", 1, "rail", 1000)
    assert bench.facility.stop is None
    assert 0.0 < fastest <= 0.25 * SLOW_SHARE * 1.001
    assert bench.clearance_m > deepest + 0.03
    assert any(text.startswith("zone.red") and "only away" in text for text in bench.texts)
    hold(bench, "rail", 1, "rail", 8000)
    assert bench.facility.stop is None and bench.clearance_m > 0.05


def test_what_moves_away_from_one_may_not_near_another(cell: Cell, facing: np.ndarray) -> None:
    """Every pair in the reserve counts for itself, and creeping adds up."""
    zones = ZoneWatch(cell)
    deep, still = at_rail(facing, 4.0), np.zeros(13)
    zones.stand(deep)
    assert zones.refuses(deep, still, deep, leaving=False) and zones.refuses(deep, still, deep, leaving=True) is None
    refused = 0.0
    for k in range(1, 2000):  # 1 um a cycle
        q = at_rail(facing, 4.0 - k * 1e-6)
        if zones.refuses(q, still, q, leaving=True):
            refused = k * 1e-6
            break
    assert 0.0 < refused <= 4.0 * ROUNDING_M


def test_nor_may_a_stop_after_each_creeping_step_begin_anew(cell: Cell, facing: np.ndarray) -> None:
    """A bridge that is halted in the reserve tries again for as long as it likes."""
    zones, still, rail_m = ZoneWatch(cell), np.zeros(13), 4.0
    zones.stand(at_rail(facing, rail_m))
    for _ in range(200):  # as much as one stop would forgive, again and again
        q = at_rail(facing, rail_m - 0.9 * ROUNDING_M)
        if not zones.refuses(q, still, q, leaving=True):
            rail_m = q[0]
        zones.rest(at_rail(facing, rail_m))
    assert 4.0 - rail_m <= 4.0 * ROUNDING_M
    away = at_rail(facing, rail_m + 1e-3)
    assert zones.refuses(away, still, away, leaving=True) is None  # the way out stays open
    zones.rest(away)
    back = at_rail(facing, rail_m)
    assert zones.refuses(back, still, back, leaving=True)


def test_a_file_is_told_before_it_moves(cell: Cell, facing: np.ndarray) -> None:
    free = trajectory(cell, drive(facing, 6.0, 5.0))
    preflight(cell, free)
    with pytest.raises(Forbidden, match=r"line \d+: COLLISION_ZONE.*spacecraft box 1") as caught:
        preflight(cell, trajectory(cell, drive(facing, 6.0, 4.2)))
    assert 1000 < caught.value.index < 2500


def test_a_run_stops_before_red_whoever_commands_it(hall_at, cell: Cell, facing: np.ndarray) -> None:
    """A file that was never checked (and so any synchronous command, which nobody can check)."""
    bench = hall_at(at_rail(facing, 5.5))
    bench.desk.load(CheckedTrajectory(trajectory(cell, drive(facing, 5.5, 4.0, 1000)), ""))
    bench.desk.select("async")
    bench.desk.move_to_start("rail,robot1,robot2")
    bench.until(Mode.AT_START)
    bench.desk.confirm()
    least = 1.0
    while bench.facility.mode is not Mode.STOPPED:
        bench.ticks()
        least = min(least, bench.clearance_m)
    assert bench.facility.stop.rule is Rule.COLLISION_ZONE and "line" in bench.facility.stop.detail
    assert least > 0.01


# --- fence, walls and floor: from where to where robot 2 goes (deg), and what is in the way ---

CUBE = '<collision><origin xyz="-0.4 0 0"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
FLAT = f"""<robot name="flat"><link name="port">
  <inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>
  {4 * CUBE}
</link></robot>"""  # as many solids as the shipped one has: kernels are compiled for their number
INTO: dict[str, tuple[tuple[float, ...], int, float]] = {
    "robot2/flange – fence": (
        (-102.5, -23.7, -41.0, 176.5, 62.0, 13.9),
        2,
        28.7,
    ),  # the back of the plate, mock-up inside
    "spacecraft box 2 – walls": (
        (-38.9, -75.3, 66.2, 2.5, -41.5, -41.3),
        1,
        28.6,
    ),  # the mock-up's box, where the fence is
    "floor – robot2/flange": (
        (0.0, -40.0, 90.0, 0.0, -65.0, 0.0),
        1,
        30.0,
    ),  # with hardly a mock-up, and without Table 3
}


def into(cell: Cell, pair: str, lines: int = 700) -> np.ndarray:
    """Axes line by line, robot 1 out of the way."""
    start_deg, axis, way_deg = INTO[pair]
    rows = drive(cell.home, 12.0, 12.0, lines)
    rows[:, 5] += 0.7
    rows[:, 7:] = np.radians(start_deg)
    s = np.linspace(0.0, 1.0, lines)
    rows[:, 7 + axis] += np.radians(way_deg) * s**3 * (10 + s * (6 * s - 15))
    return rows


@pytest.fixture(scope="module")
def roomy(cell: Cell, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Cell]:
    """The cell in which each of them is met."""
    bare = load_cell(own_cell(tmp_path_factory.mktemp("flat"), FLAT))
    anywhere = limited(bare, range_lower=-np.inf, range_upper=np.inf)
    return {pair: anywhere if pair.startswith("floor") else cell for pair in INTO}


@pytest.mark.parametrize("pair", INTO)
def test_a_file_into_fence_wall_or_floor_is_told_before_it_moves(roomy: dict[str, Cell], pair: str) -> None:
    with pytest.raises(Forbidden, match=rf"line \d+: COLLISION_ZONE.*{pair}"):
        preflight(roomy[pair], trajectory(roomy[pair], into(roomy[pair], pair)))


@pytest.mark.parametrize("source", ["async", "sync"])
@pytest.mark.parametrize("pair", INTO)
def test_files_and_synchronous_commands_stop_before_fence_wall_and_floor(
    hall_at, roomy: dict[str, Cell], pair: str, source: str
) -> None:
    cell = roomy[pair]
    rows = into(cell, pair)
    bench = hall_at(rows[0], cell)
    motion = trajectory(cell, rows)
    if source == "async":
        bench.desk.load(CheckedTrajectory(motion, ""))
    client = SyncClient(bench.desk.sync.address, 0.0)

    def cycle(line: int) -> None:
        if source == "sync":
            client.send(System.IJT, motion.values[min(line, len(rows) - 1)].tolist())
        bench.ticks()

    bench.desk.select(source)
    cycle(0)
    bench.desk.move_to_start("rail,robot1,robot2")
    while bench.facility.mode is not Mode.AT_START:
        cycle(0)
    bench.desk.confirm()
    for line in range(2 * len(rows)):
        cycle(line)
        if bench.facility.mode is Mode.STOPPED:
            break
    client.close()
    stop = bench.facility.stop
    assert stop is not None and stop.rule is Rule.COLLISION_ZONE and pair in stop.detail
    assert 0.01 < bench.clearance_m < 0.2  # the nearest that it came: it only ever went there


def test_a_move_to_start_into_red_is_refused_and_through_red_stopped(hall_at, cell: Cell, facing: np.ndarray) -> None:
    bench = hall_at(at_rail(facing, 5.5))
    bench.desk.load(CheckedTrajectory(trajectory(cell, drive(facing, 4.0, 3.9, 50)), ""))
    bench.desk.select("async")
    with pytest.raises(Refused, match="COLLISION_ZONE"):
        bench.desk.move_to_start("rail,robot1,robot2")
    bench.desk.select("none")
    behind = at_rail(cell.home, 1.0)
    behind[[5, 11]] += 0.7
    assert ZoneWatch(cell).near(behind, 0.05) is None  # robot 2 turned back: robot 1 may stand beside it
    bench.desk.load(preflighted(cell, trajectory(cell, np.tile(behind, (50, 1)))))
    bench.desk.select("async")
    bench.desk.move_to_start("rail,robot1,robot2")
    bench.until(Mode.STOPPED)
    assert bench.facility.stop.rule is Rule.COLLISION_ZONE and bench.clearance_m > 0.01


def test_a_sine_wave_into_red_is_refused(hall_at, facing: np.ndarray) -> None:
    bench = hall_at(at_rail(facing, 4.62))
    bench.desk.select("sine")
    with pytest.raises(Refused, match="COLLISION_ZONE"):
        bench.desk.sine("rail", 0.2, 0.1, 2)
    bench.desk.sine("rail", 0.02, 0.1, 2)


def test_robots_that_are_red_while_they_brake_lose_their_drives(hall_at, facing: np.ndarray) -> None:
    """Set-points of a brake stay clear. A robot that does not follow them is stopped by its own brakes."""
    bench = hall_at(at_rail(facing, 5.5))
    bench.desk.select("sine")
    bench.desk.sine("rail", 0.1, 0.2, 3)
    bench.ticks(700)
    bench.desk.safe_stop()
    read, astray = bench.facility.link.read, at_rail(facing, 4.2)
    bench.facility.link.read = lambda: astray
    bench.ticks()
    bench.facility.link.read = read
    assert not bench.facility.link.all_on
    bench.until(Mode.STOPPED)
    assert any("collision_zone" in text for text in bench.texts)


@pytest.mark.parametrize("astray", ["no number", "ahead"])
def test_a_jog_stops_when_the_robots_are_not_where_their_set_point_is(hall_at, facing: np.ndarray, astray: str) -> None:
    bench = hall_at(at_rail(facing, 4.9))
    bench.desk.select("manual")
    hold(bench, "rail", -1, "rail", 60)
    read = bench.facility.link.read
    bench.facility.link.read = lambda: read() * np.nan if astray == "no number" else at_rail(facing, 4.2)
    hold(bench, "rail", -1, "rail", 3)
    assert bench.facility.stop.rule is Rule.FOLLOWING


def test_no_point_is_faster_than_250_mm_per_s_with_the_fence_open(hall_at, cell: Cell, facing: np.ndarray) -> None:
    """Even where the cell file asks for the full jog speed: A1 alone would move the tool at 0.7 m/s and more."""
    limits = cell.file.limits.model_copy(update={"reduced_share": 1.0})
    fast = replace(cell, file=cell.file.model_copy(update={"limits": limits}))
    q = at_rail(facing, 8.0)
    for system, component in (("IJT", "a1"), ("IJT", "a2"), ("GLC", "b"), ("CLW", "rz"), ("GLC", "x")):
        clock = LockstepClock()
        hall = build(replace(fast, home=q), clock, seed=3, record=None)
        facility, desk = hall.facility, hall.desk
        desk.drives(True)
        while facility.mode is not Mode.READY:
            facility.tick()
        desk.select("manual")
        desk.interlock("fence", False)
        before, fastest = corners(facility), 0.0
        for _ in range(400):
            if facility.mode is Mode.MANUAL:
                desk.jog(system, "robot1", component, 1)
            facility.tick()
            now = corners(facility)
            fastest = max(fastest, float(np.linalg.norm(now - before, axis=1).max()) / PERIOD_S)
            before = now
        assert facility.stop is None, (component, facility.stop)
        assert 0.02 < fastest <= 0.25, component
        hall.close()


def corners(facility) -> np.ndarray:
    """Outermost points of every solid, at the set-point."""
    zones = facility.zones._near
    zones.at(facility.guard.setpoint, 10.0)
    cache, fixed = zones._cache[0], zones._fixed[0]
    from proxops.safety.nearness import place_shapes

    place_shapes(facility.cell.hall, zones._fixed, zones._cache)
    signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
    found = []
    there = slice(int(fixed["solids"]))  # the record has room to spare
    for pose, half in zip(cache["shapes"][there], fixed["half"][there], strict=True):
        if np.isfinite(half).all():
            found.append((signs * half) @ pose[:3, :3].T + pose[:3, 3])
    return np.vstack(found)


def test_opening_the_fence_in_a_fast_jog_slows_it_without_a_stop(hall_at, facing: np.ndarray) -> None:
    bench = hall_at(at_rail(facing, 8.0))
    bench.desk.select("manual")
    hold(bench, "a1", 1, "robot1", 150)
    bench.desk.interlock("fence", False)
    hold(bench, "a1", 1, "robot1", 200)
    assert bench.facility.stop is None and bench.facility.mode is Mode.MANUAL


@pytest.mark.parametrize("which", ["rate", "actual"])
def test_what_is_no_number_is_never_clear(cell: Cell, which: str) -> None:
    zones, rate, actual = ZoneWatch(cell), np.zeros(13), cell.home.copy()
    assert zones.all_clear(cell.home, rate, actual) > 0.0
    {"rate": rate, "actual": actual}[which][3] = np.nan
    assert zones.all_clear(cell.home, rate, actual) < 0.0
    assert zones.refuses(cell.home, rate, actual, leaving=False) is not None
