"""Cycles that pass in one call leave the same records and events, to the bit, as cycle by cycle; whatever happens in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import proxops.applications.scripted.run as scripted_run
import proxops.facility.loop
import proxops.facility.usual_cycles
import proxops.runs.bridged_run
from proxops.applications.mission.application import MissionApplication
from proxops.applications.mission.run import run_mission
from proxops.applications.scripted.application import Application
from proxops.applications.scripted.run import run_lockstep
from proxops.bridge.bridged import Bridged
from proxops.bridge.usual_following import follow_usual
from proxops.core.messages import EVENT_DTYPE, PERIOD_S, POOL_DTYPE
from proxops.core.mission import Mission, load_mission
from proxops.core.ring import Ring
from proxops.core.scenario import parse_scenario
from proxops.core.vocabulary import MissionEnd, Phase, System, Zone
from proxops.facility.play import play
from proxops.facility.usual_cycles import UsualCycles
from proxops.lab.any_cell import load_cell
from proxops.lab.links.virtual import VirtualHall
from proxops.lab.trajectory import Trajectory
from proxops.runs.blind_client import BlindClient
from proxops.safety.rules import Rule

CELL = load_cell()
SCRIPTED = """
name = "usual"
about = "A target that tumbles, over a network that loses, doubles and overtakes"
seed = 3
motion = [
    { kind = "hold", duration_s = 10.0 },
    { kind = "tumble", duration_s = 6.0, spin_deg_s = 3.0, axis = [1, 0, 0], nutation_deg = 5.0 },
]
[start]
distance_m = 5.0
[network]
drift = 0.01
jitter_ms = 4.0
loss = 0.01
duplicate = 0.01
reorder = 0.01
"""


class Told(NamedTuple):
    """All that a run has pushed into its rings, how many cycles have passed unasked, and what it gave."""

    records: np.ndarray
    events: list[tuple[Any, ...]]
    unasked: int
    gave: Any


@pytest.fixture
def flown(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any], int], Told]:
    """Fly with so many cycles at once."""

    def fly(flight: Callable[[], Any], most: int) -> Told:
        pushed: dict[int, list[bytes]] = {POOL_DTYPE.itemsize: [], EVENT_DTYPE.itemsize: []}
        push, push_all, move, unasked = Ring.push, Ring.push_all, UsualCycles.move, [0]

        def heard(self: Ring, record: memoryview) -> None:
            pushed[len(bytes(record))].append(bytes(record))
            push(self, record)

        def all_heard(self: Ring, rows: NDArray[np.uint8]) -> None:
            pushed[rows.shape[1]] += [row.tobytes() for row in rows]
            push_all(self, rows)

        def moved(self: UsualCycles, count: int) -> int:
            unasked[0] += (done := move(self, count))
            return done

        with monkeypatch.context() as patch:
            patch.setattr(proxops.runs.bridged_run, "MOST", most)
            patch.setattr(proxops.facility.loop, "MOST", most)
            patch.setattr(Ring, "push", heard)
            patch.setattr(Ring, "push_all", all_heard)
            patch.setattr(UsualCycles, "move", moved)
            gave = flight()
        records, events = (np.frombuffer(b"".join(pushed[d.itemsize]), d) for d in (POOL_DTYPE, EVENT_DTYPE))
        return Told(records, events.tolist(), unasked[0], gave)

    return fly


def same(one: Told, many: Told) -> None:
    """Variable by variable, so that a difference has a name."""
    assert one.unasked == 0 < many.unasked
    assert len(one.records) == len(many.records) and one.events == many.events
    names = POOL_DTYPE.names
    assert names is not None
    for group in names:
        assert one.records[group].tobytes() == many.records[group].tobytes(), group


def nearby(name: str, duration_s: float) -> Mission:
    """A shipped mission that begins where the hall can show it."""
    mission = load_mission(name)
    start = mission.file.start.model_copy(update={"position_m": (-12.0, 0.0, 0.0)})
    return Mission(
        mission.file.model_copy(update={"start": start, "duration_s": duration_s}), mission.source, mission.text
    )


Flown = Callable[[Callable[[], Any], int], Told]


def test_a_script_over_a_bad_network(flown: Flown, tmp_path: Any) -> None:
    scenario = parse_scenario(SCRIPTED, tmp_path / "usual.toml")
    one, many = (flown(lambda: run_lockstep(CELL, scenario, None), most) for most in (1, 25))
    same(one, many)
    followed = int((many.records["bridge"]["phase"] == Phase.FOLLOWING).sum())
    assert many.unasked > 0.6 * followed > 500  # losses and overtaking are heard ahead of time too
    assert not _runtime_of(follow_usual)  # a cycle asks nothing of the heap, and counts no references


def _runtime_of(kernel: Any) -> set[str]:
    """What a kernel that Python has called wants of Numba's memory."""
    modules = [kernel.called.of(types).library._get_module_for_linking() for types in kernel.signatures]
    assert modules
    return {f.name for module in modules for f in module.functions if f.name.startswith("NRT_")}


@pytest.mark.parametrize("name", ["approach", "spinning"])
def test_a_mission(flown: Flown, name: str) -> None:
    """Measurements, the flight software's steps, changes of phase and its end fall into their own cycles."""
    mission = nearby(name, 6.0)
    one, many = (flown(lambda: run_mission(CELL, mission, None), most) for most in (1, 25))
    same(one, many)
    assert many.unasked > 0.7 * 6.0 / 0.004
    assert one.gave.outcome.t == many.gave.outcome.t and one.gave.outcome.nees == many.gave.outcome.nees


@pytest.mark.parametrize(
    "cycle", [500, 1475]
)  # of 1500: the second just before the mission's end, which is flown ahead
def test_a_fault_in_between(flown: Flown, monkeypatch: pytest.MonkeyPatch, cycle: int) -> None:
    """A controller fails in a cycle that nobody has asked for: the same stop, and what was flown too far is taken back."""
    halls, begin, decide = list[VirtualHall](), VirtualHall.__init__, MissionApplication._decide

    def begun(self: VirtualHall, *parts: Any) -> None:
        begin(self, *parts)
        halls.append(self)

    def decided(self: MissionApplication, hall: Any) -> bool:
        if self.pair.cycle == cycle:
            halls[-1].controllers["follow"] = 1e-9  # no axis is ever so near its set-point
        return decide(self, hall)

    monkeypatch.setattr(VirtualHall, "__init__", begun)
    monkeypatch.setattr(MissionApplication, "_decide", decided)
    mission = nearby("approach", 6.0)
    one, many = (flown(lambda: run_mission(CELL, mission, None), most) for most in (1, 25))
    same(one, many)
    assert one.gave.ran.stop.rule is Rule.CONTROLLER_FAULT
    first, second = one.gave.outcome, many.gave.outcome
    assert first.end is second.end is MissionEnd.FACILITY
    assert (first.t, first.propellant_kg, first.phase) == (second.t, second.propellant_kg, second.phase)
    assert first.audit.tolist() == second.audit.tolist()


def test_a_file(flown: Flown) -> None:
    t = np.arange(0.0, 4.0, 0.004)[:, None]
    axes = CELL.home + 0.02 * np.sin(t) ** 2 * np.ones(13)
    values = np.zeros((len(t), 22))
    values[:, 0:6], values[:, 7:13], values[:, 21] = (
        np.degrees(axes[:, 1:7]),
        np.degrees(axes[:, 7:13]),
        axes[:, 0] * 1e3,
    )
    trajectory = Trajectory(np.full(len(t), int(System.IJT), np.int16), values, "made here")
    one, many = (flown(lambda: play(CELL, trajectory, None), most) for most in (1, 25))
    same(one, many)
    assert many.unasked > 0.9 * len(t)


class Failing:
    """A client that fails in one cycle, and has sent nothing unusual before."""

    def __init__(self, client: Application, cycle: int) -> None:
        self._client, self._t = client, cycle * PERIOD_S
        self.over = False

    def advance(self, t: float) -> list[bytes]:
        if t >= self._t:
            raise RuntimeError("out of ideas")
        return self._client.advance(t)


def test_a_client_that_fails_does_so_in_its_own_cycle_and_name(
    flown: Flown, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = parse_scenario(SCRIPTED, tmp_path / "usual.toml")
    monkeypatch.setattr(scripted_run, "Application", lambda made: Failing(Application(made), 3390))
    one, many = (flown(lambda: run_lockstep(CELL, scenario, None), most) for most in (1, 25))
    same(one, many)
    assert any("application: RuntimeError" in str(event) for event in many.events)


def test_who_fails_when_cycles_have_passed_is_named_and_nothing_told_is_lost(
    flown: Flown, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario, passed = parse_scenario(SCRIPTED, tmp_path / "usual.toml"), BlindClient.passed

    def failing(self: BlindClient, count: int) -> None:
        passed(self, count)
        if count > 1:
            raise RuntimeError("lost count")

    monkeypatch.setattr(BlindClient, "passed", failing)
    told = flown(lambda: run_lockstep(CELL, scenario, None), 25)
    assert any("application: RuntimeError: lost count" in str(event) for event in told.events)
    assert np.diff(told.records["clock"]["tick"]).tolist() == [1] * (len(told.records) - 1)


HOLD = """
name = "yellow"
about = "A hold, in which the robots leave yellow"
seed = 3
motion = [ { kind = "hold", duration_s = 18.0 } ]
[start]
distance_m = 5.0
"""


def test_robots_that_leave_yellow_are_told_green_at_once(
    flown: Flown, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They stay yellow for some millimetres more, and may be clear of all in the same cycle: whatever begins there."""
    scenario = parse_scenario(HOLD, tmp_path / "yellow.toml")
    ride, usual_cycles, first, last = Bridged._ride, Bridged.usual_cycles, 4381, 4400

    def in_yellow(self: Bridged) -> Any:
        wish, tick = ride(self), self._state.clock.tick
        if self.phase is Phase.FOLLOWING and first <= tick <= last:
            self.zones.actual, self._clear = Zone.YELLOW, tick == last
        return wish

    def after_it(self: Bridged, *stretch: Any) -> int:
        return 0 if first - 25 <= self._state.clock.tick < last else usual_cycles(self, *stretch)

    monkeypatch.setattr(Bridged, "_ride", in_yellow)
    monkeypatch.setattr(Bridged, "usual_cycles", after_it)
    monkeypatch.setattr(proxops.facility.usual_cycles, "TRY_AGAIN", 0)  # a stretch may begin in any cycle
    told = flown(lambda: run_lockstep(CELL, scenario, None), 25)
    yellow = told.records["clock"]["tick"][told.records["bridge"]["actual_zone"] == Zone.YELLOW]
    assert yellow.tolist() == list(range(first, last + 1))
