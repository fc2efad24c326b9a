"""Cells of arms: one guard, one link, one loop for them as for the hall. Their own controllers' checks are switched off here, so
that whatever is refused is refused by our guard."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from setpoint_limits import keeps_limits, keeps_range
from tests.shared.own_cell import ALONE, ARM, FACING, write_cell

import proxops
from proxops.core.clock import LockstepClock
from proxops.core.errors import BadInput
from proxops.core.vocabulary import Mode
from proxops.facility.build import build
from proxops.facility.desk.status import status
from proxops.facility.installation import Installation
from proxops.ground.arm_report import axes_in, summarise_arms
from proxops.ground.log import Log
from proxops.lab.any_cell import load_cell, read_any_cell, shipped_cells
from proxops.lab.arm_cell import ArmCell
from proxops.lab.arm_shapes import arm_shapes
from proxops.lab.chain import chain_of, chain_poses
from proxops.lab.shapes import Shape
from proxops.maths.rotation import matrix_from_rotation_vector
from proxops.safety.clearance import Clearance
from proxops.safety.levers import chain_levers, hull
from proxops.safety.limits import point_speed
from proxops.safety.motion import Motion
from proxops.safety.rules import Rule

Cells = Callable[[str], ArmCell]
ROOM = '[plan]\nrooms = [{{ name = "lab", x_m = [-1.0, 3.0], y_m = [-2.0, 2.0] }}]\n'
PLANNED = ALONE.replace("{", "{{").replace("}", "}}") + "at_lab_m = {at}\n" + ROOM


@pytest.fixture
def cell_of(tmp_path: Path) -> Cells:
    def read(name: str) -> ArmCell:
        own = {"own": ALONE, "facing": FACING}
        cell = read_any_cell(write_cell(tmp_path, own[name]) if name in own else name)
        assert isinstance(cell, ArmCell)
        return cell

    return read


class Bench:
    """A facility on virtual robots that obey whatever they are sent."""

    def __init__(self, cell: ArmCell, record: Path | None = None) -> None:
        self.cell, self.hall = cell, build(cell, LockstepClock(period_ns=cell.period_ns), seed=3, record=record)
        self.facility, self.desk = self.hall.facility, self.hall.desk
        controllers = self.facility.link._c[0]  # type: ignore[attr-defined]
        controllers["lower"], controllers["upper"] = -np.inf, np.inf
        controllers["speed"], controllers["follow"] = np.inf, np.inf
        self.rate, self.cycle_s = np.zeros(cell.n_axes), cell.period_ns * 1e-9
        self._before, may = np.zeros(cell.n_axes), cell.guarded
        self._limits = may.speed * (1 + 1e-6), may.acceleration * (1 + 1e-6) + 1e-9, self.cycle_s
        self._range = may.lower - 1e-9, may.upper + 1e-9
        self.desk.drives(True)
        self.until(Mode.READY)

    def cycles(self, seconds: float) -> int:
        return round(seconds / self.cycle_s)

    def tick(self) -> None:
        """One cycle; limits of the set-points are checked in each."""
        facility = self.facility
        self._before[:] = facility.guard.setpoint
        facility.tick()
        q = facility.guard.setpoint
        kept = keeps_limits(q, self._before, self.rate, *self._limits)
        if facility.mode not in (Mode.STANDBY, Mode.RELEASING):
            assert kept and keeps_range(q, *self._range)

    def until(self, *modes: Mode) -> None:
        for _ in range(self.cycles(20.0)):
            if self.facility.mode in modes:
                return
            self.tick()
        raise AssertionError(self.facility.mode)

    def press(self, robot: str, component: str, direction: int) -> None:
        if self.facility.mode is Mode.MANUAL:
            self.desk.jog("IJT", robot, component, direction)


@pytest.fixture
def bench_of(cell_of: Cells) -> Iterator[Callable[[str], Bench]]:
    made: list[Installation] = []

    def make(name: str) -> Bench:
        bench = Bench(cell_of(name))
        made.append(bench.hall)
        return bench

    yield make
    for hall in made:
        hall.close()


class Wishes(Motion):
    """Whatever a test says."""

    def __init__(self, wish: Callable[[int], np.ndarray]) -> None:
        self._wish, self._k = wish, 0

    def step(self) -> np.ndarray:
        self._k += 1
        return self._wish(self._k)


def test_the_papers_cells_are_shipped() -> None:
    assert shipped_cells() == ("epos", "fzi", "kube")


@pytest.mark.parametrize("name", ["kube", "fzi", "own", "facing"])
@pytest.mark.parametrize(
    ("rule", "course"),
    [
        (Rule.NOT_FINITE, lambda q, i, may, t: np.nan),
        (Rule.JUMP, lambda q, i, may, t: q[i] + 5.0 * may.speed[i] * 0.004),
        (Rule.AXIS_SPEED, lambda q, i, may, t: q[i] + 1.2 * may.speed[i] * t),
        (Rule.AXIS_RANGE, lambda q, i, may, t: q[i] + 0.5 * may.speed[i] * (t - 0.5 + 0.5 * np.exp(-2.0 * t))),
    ],
)
def test_a_set_point_beyond_a_limit_is_refused_by_our_guard(
    bench_of: Callable[[str], Bench], name: str, rule: Rule, course: Callable[..., float]
) -> None:
    bench = bench_of(name)
    facility, may, start = bench.facility, bench.cell.guarded, bench.facility.guard.setpoint.copy()
    axis = bench.cell.n_axes - 1

    def wish(k: int) -> np.ndarray:
        q = start.copy()
        q[axis] = course(start, axis, may, k * bench.cycle_s)
        return q

    bench.desk.select("manual")
    facility.motion = Wishes(wish)
    bench.until(Mode.STOPPED)
    assert facility.stop is not None and facility.stop.rule is rule
    assert bench.cell.axis_names[axis] in str(facility.stop)


def test_links_stand_where_a_product_of_matrices_puts_them(cell_of: Cells) -> None:
    for name in ("kube", "fzi", "facing"):
        cell, rng = cell_of(name), np.random.default_rng(7)
        tree, out = chain_of(cell.links)
        for _ in range(20):
            q = rng.uniform(cell.axes.lower, cell.axes.upper)
            chain_poses(tree, q, out)
            for body, link in enumerate(cell.links):
                T = (np.eye(4) if link.parent < 0 else out[link.parent]) @ link.T_parent_joint
                move = np.eye(4)
                if link.drive >= 0 and link.drawn.moves == "prismatic":
                    move[:3, 3] = q[link.drive] * np.array(link.drawn.axis)
                elif link.drive >= 0:
                    move[:3, :3] = matrix_from_rotation_vector(q[link.drive] * np.array(link.drawn.axis))
                np.testing.assert_allclose(out[body], T @ move, atol=1e-12)


def corners(cell: ArmCell, q: np.ndarray, shapes: tuple[Shape, ...]) -> list[np.ndarray]:
    """Points of every solid in the lab."""
    tree, out = chain_of(cell.links)
    chain_poses(tree, q, out)
    return [hull(s)[0] @ out[s.body, :3, :3].T + out[s.body, :3, 3] for s in shapes]


def test_no_point_goes_further_than_its_levers_say(cell_of: Cells) -> None:
    for name in ("kube", "facing"):
        cell, rng = cell_of(name), np.random.default_rng(3)
        shapes = tuple(s for s in arm_shapes(cell) if s.kind != "halfspace")
        table = chain_levers(cell, shapes)
        for _ in range(200):
            q = rng.uniform(cell.axes.lower, cell.axes.upper)
            other = np.clip(q + rng.normal(0.0, 0.3, q.size), cell.axes.lower, cell.axes.upper)
            bound = np.abs(other - q) @ table
            for k, (a, b) in enumerate(zip(corners(cell, q, shapes), corners(cell, other, shapes), strict=True)):
                assert np.linalg.norm(a - b, axis=1).max() <= bound[k] + 1e-9


@pytest.mark.parametrize("name", ["kube", "fzi"])
@pytest.mark.parametrize("direction", [-1, 1])
def test_no_jog_leads_into_red(bench_of: Callable[[str], Bench], name: str, direction: int) -> None:
    """Each axis for 6 s, from where the one before has left the arm: nothing that is watched ever touches."""
    bench = bench_of(name)
    exact, least = Clearance(bench.cell), np.inf
    bench.desk.select("manual")
    for axis in bench.cell.axis_names:
        robot, _, component = axis.partition("_")
        for k in range(bench.cycles(6.0)):
            if k % bench.cycles(0.02) == 0:
                bench.press(robot, component, direction)
            bench.tick()
            if k % bench.cycles(0.1) == 0:
                least = min(least, exact.at(bench.facility.actual.copy(), 0.5).distance_m)
        bench.desk.release()
        for _ in range(bench.cycles(0.8)):
            bench.tick()
        if bench.facility.mode is Mode.STOPPED:
            assert bench.facility.stop is not None and bench.facility.stop.rule in (
                Rule.COLLISION_ZONE,
                Rule.AXIS_RANGE,
            )
            bench.desk.reset()
            bench.desk.select("manual")
    assert least > 0.0


def test_with_the_fence_open_no_point_is_fast(bench_of: Callable[[str], Bench]) -> None:
    bench = bench_of("own")
    shapes = tuple(s for s in arm_shapes(bench.cell) if s.kind != "halfspace")
    bench.desk.interlock("fence", False)
    bench.desk.select("manual")
    before, fastest = corners(bench.cell, bench.facility.actual.copy(), shapes), 0.0
    for _ in range(300):
        bench.press("robot1", "j2", -1)
        bench.tick()
        now = corners(bench.cell, bench.facility.actual.copy(), shapes)
        fastest = max(fastest, *(float(np.linalg.norm(a - b, axis=1).max()) for a, b in zip(now, before, strict=True)))
        before = now
    assert 0.01 < fastest / bench.cycle_s <= 0.25 and bench.facility.stop is None


def test_an_emergency_stop_brakes_and_takes_the_drives(bench_of: Callable[[str], Bench]) -> None:
    bench = bench_of("kube")
    bench.desk.select("manual")
    for _ in range(bench.cycles(0.4)):
        bench.press("robot1", "a1", 1)
        bench.tick()
    assert bench.facility.guard.moving
    bench.desk.interlock(next(i.name for i in bench.cell.file.interlock if i.kind == "estop"), False)
    bench.until(Mode.STOPPED)
    for _ in range(bench.cycles(0.4)):
        bench.tick()
    assert not bench.facility.link.any_on and bench.facility.stop.rule is Rule.ESTOP


@pytest.mark.parametrize("source", ["sync", "async", "bridge"])
def test_what_needs_two_arms_and_a_rail_says_so(bench_of: Callable[[str], Bench], source: str) -> None:
    with pytest.raises(BadInput, match=f"select {source} needs a hall of two arms and a rail"):
        bench_of("kube").desk.select(source)
    with pytest.raises(BadInput, match="needs a hall of two arms and a rail"):
        load_cell("kube")


def test_a_session_is_recorded_and_summed_up(cell_of: Cells, tmp_path: Path) -> None:
    bench = Bench(cell_of("facing"), tmp_path / "run.mcap")
    bench.desk.select("manual")
    for robot, component in (("rail", "rail"), ("robot1", "j1"), ("robot2", "j3")):
        for _ in range(200):
            bench.press(robot, component, 1)
            bench.tick()
        bench.desk.release()
        for _ in range(200):
            bench.tick()
    assert bench.facility.stop is None, bench.facility.stop
    told, setpoint = status(bench.desk), bench.facility.guard.setpoint.copy()
    assert set(told["axes"]) == set(bench.cell.axis_names) and len(told["poses"]) == 4
    assert bench.hall.close() == 0
    log = Log.open(tmp_path / "run.mcap")
    np.testing.assert_array_equal(axes_in(log, "setpoint")[-1], setpoint)
    figures = summarise_arms(log, bench.cell)
    assert figures["passed"], figures["criteria"]
    assert 0.0 < figures["axes"]["rail"]["speed_share"] < 1.0
    with pytest.raises(BadInput):  # of a cell that is not shipped
        proxops.report(tmp_path)
    assert proxops.report(tmp_path, cell=tmp_path / "mine.toml").passed and (tmp_path / "report.html").is_file()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ALONE.replace('"J2", ', ""), "home_deg: 3 numbers for 2 joints"),
        (ALONE.replace('["J1", "J2", "J3"]', '["J1", "J3", "J2"]'), "not the joints from base to tip, in order"),
        (
            ALONE.replace('tip = "tip"', 'tip = "top"'),
            "not the joints from base to tip|not the joints from base to top",
        ),
        (ALONE.replace("xyz_m", 'on = "rail", xyz_m'), "the cell has none"),
        (
            ALONE.replace("home_deg = [0.0, 20.0", "home_deg = [0.0, 170.0"),
            r"home of robot1_j2 lies outside its range.*170 deg.*-143\.239 … 143\.239 deg",
        ),
        (FACING.replace("home_m = 4.0", "home_m = 26.0"), "home of rail lies outside its range.*26 m.*0 … 25 m"),
        (ALONE.replace('kind = "arms"', 'kind = "arms"\nperiod_ms = 0.1'), "period_ms"),
        (ALONE.replace('"J2"', '"j1"'), "j1 is named twice"),
        (ALONE.replace("yellow_layer_mm", "yelow_layer_mm"), "yelow_layer_mm"),
        (ALONE.replace("speed_share = 1.0", "speed_share = nan"), "speed_share"),
        (ALONE.replace('name = "fence"', 'name = "estop"'), "estop is named twice"),
        (PLANNED.format(at="[4.0, 0.0]"), "interlock fence: at_lab_m .* lies in none of the plan's rooms"),
    ],
)
def test_what_is_wrong_with_a_cell_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read_any_cell(write_cell(tmp_path, text))


def test_an_interlock_in_a_room_of_the_plan_is_taken(tmp_path: Path) -> None:
    cell = read_any_cell(write_cell(tmp_path, PLANNED.format(at="[3.0, 0.0]")))
    assert cell.file.interlock[1].at_lab_m == (3.0, 0.0)


def test_a_rail_moves_every_arm_as_far_as_speed_goes(cell_of: Cells) -> None:
    """Two arms on one carriage: each is as fast as the rail and its own joints together."""
    cell = cell_of("facing")
    levers, v = np.ones(cell.n_axes), np.array([1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0])
    assert point_speed(levers, cell.arm_of_axis, v) == 2.0


def test_models_that_the_zones_cannot_watch_are_refused(tmp_path: Path) -> None:
    bare = re.sub(r'<link name="l2">.*</link>', '<link name="l2"/>', ARM)
    cell = read_any_cell(write_cell(tmp_path, ALONE, bare))
    with pytest.raises(BadInput, match="no collision shape on link robot1/l2"):
        Clearance(cell)
    for kind in ("fixed", "prismatic"):
        stiff = ARM.replace('name="J2" type="revolute"', f'name="J2" type="{kind}"')
        with pytest.raises(BadInput, match="J2 does not turn"):
            read_any_cell(write_cell(tmp_path, ALONE, stiff))
    with pytest.raises(BadInput, match="<limit> of joint J1"):
        read_any_cell(write_cell(tmp_path, ALONE, ARM.replace(' acceleration="4"', "", 1)))
