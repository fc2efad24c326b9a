"""Missions end to end: the loop through the hall and in software, faults, retreats, flight software that fails, many seeds."""

import io
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from rich.console import Console

from proxops.applications.mission.application import MissionApplication
from proxops.applications.mission.campaign import campaign_report, fly_all, summarise
from proxops.applications.mission.faults import Faults
from proxops.applications.mission.flight_loading import load_flight_software
from proxops.applications.mission.outcome import Outcome
from proxops.applications.mission.report.criteria import AUDIT_MAX
from proxops.applications.mission.run import run_mission
from proxops.applications.mission.run_figures import RunFigures
from proxops.core.bridge_datagram import unpack_command
from proxops.core.docking_standard import CONTACT_LIMITS
from proxops.core.fault_table import PushFault
from proxops.core.flight import Commands, Measurements
from proxops.core.mission import Mission, load_mission, parse_mission
from proxops.core.vocabulary import AbortCause, MissionEnd, MissionPhase, Mode, SensorSource
from proxops.facility.application_feed import hall_latency_s
from proxops.ground.log import Log
from proxops.ground.terminal import print_brief
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell
from proxops.maths.rotation import Array
from proxops.space.two_craft import D, step

# From 2.9 m, a foot before contact, on the docking axis of a client that holds its attitude: short, with everything in it.
SHORT = """
like = "approach"
name = "short"
about = "The last metres, quickly"
seed = 3
duration_s = 120.0
plan = [
    { kind = "hold", duration_s = 3.0 },
    { kind = "fly_around", to = "docking_axis", rate_deg_s = 1.0 },
    { kind = "final", speed_m_s = 0.05 },
]
[start]
position_m = [-2.9, 0.0, 0.0]
[target]
control = "lvlh"
attitude = { axis = [-1.0, 0.0, 0.0] }
"""


@pytest.fixture(scope="module")
def cell() -> Cell:
    return load_cell()


def short(extra: str = "") -> Mission:
    return parse_mission(SHORT + extra, Path("short.toml"))


def within_limits(contact: np.ndarray) -> None:
    _, lateral, tilt, roll, closing, lateral_rate, angular_rate = contact
    found = dict(zip(CONTACT_LIMITS, (lateral, tilt, abs(roll), closing, lateral_rate, angular_rate), strict=True))
    for name, bound in CONTACT_LIMITS.items():
        assert found[name] <= bound, name


# ---------------------------------------------------------------------- through the hall
def test_the_loop_is_closed_through_the_hall_and_the_log_repeats(cell: Cell, tmp_path: Path) -> None:
    both = run_mission(cell, short(), tmp_path / "one.mcap")
    out = both.outcome
    assert (out.end, out.abort, both.ran.stop, both.ran.recorder_code) == (MissionEnd.MATED, AbortCause.NONE, None, 0)
    assert out.contact is not None
    within_limits(out.contact)
    assert out.measurements[SensorSource.HALL] > 0.9 * sum(out.measurements.values())
    assert np.max(out.audit) < AUDIT_MAX  # rounding: it is smaller on some processors
    run_mission(cell, short(), tmp_path / "two.mcap")
    assert (tmp_path / "one.mcap").read_bytes() == (tmp_path / "two.mcap").read_bytes()


def test_the_loop_is_closed_with_the_chaser_on_robot_2(cell: Cell, tmp_path: Path) -> None:
    """The same flight, the other way round in the hall: it mates, on measurements from there."""
    out = run_mission(cell, short("[bridge]\nchaser_on = 2\n"), tmp_path / "run.mcap").outcome
    assert (out.end, out.abort) == (MissionEnd.MATED, AbortCause.NONE)
    assert out.contact is not None
    within_limits(out.contact)
    assert out.measurements[SensorSource.HALL] > 0.9 * sum(out.measurements.values())


def test_what_the_sensor_saw_is_what_the_hall_showed(cell: Cell, tmp_path: Path) -> None:
    """With a perfect sensor, a measurement is the recorded truth of the hall, positioning errors included, and differs from the
    computed pose by those errors: by more than the sensor's rounding and by less than 3 sigma of the cell's at this distance."""
    perfect = "\n".join(
        f"{key} = 0.0" for key in (
            "across_share", "along_share", "position_floor_m", "attitude_deg", "attitude_deg_per_m", "bias_m", "boresight_deg",
            "attitude_bias_deg", "outlier_share", "dropout_share", "jitter_ms",
        )
    )  # fmt: skip
    text = SHORT.replace("duration_s = 120.0", "duration_s = 20.0")  # some hundred exposures do
    text += f"[sensor]\nplace_m = [0.0, 0.0, 0.0]\n{perfect}\n"
    run_mission(cell, parse_mission(text, Path("short.toml")), tmp_path / "run.mcap")
    log = Log.open(tmp_path / "run.mcap")
    rows = np.flatnonzero((log.values("mission.measured") == 1) & (log.values("mission.sensor") == SensorSource.HALL))[
        :-10
    ]
    told = np.array([log.values(f"measurement.{c}") for c in "xyz"]).T
    shown = np.array([log.values(f"hall_truth.{c}") for c in ("x", "y", "z", "qw", "qx", "qy", "qz")]).T
    changes = np.flatnonzero(np.any(np.diff(told, axis=0) != 0.0, axis=1)) + 1
    seen = told[changes[len(changes) // 2]]
    distances = np.linalg.norm(shown[rows - 1, :3], axis=1)
    assert np.min(np.abs(distances - np.linalg.norm(seen))) < 1e-9  # one of the exposures, to rounding


def test_the_halls_latency_is_the_rails(cell: Cell) -> None:
    assert hall_latency_s(cell) == pytest.approx(0.052)


# ---------------------------------------------------------------------- in software: the flagship and its faults
@dataclass
class Flown:
    """What the tests below ask of a flight."""

    outcome: Outcome
    isolated: list[bool]
    y: Array
    world: np.ndarray


# Before their faults these fly as the flagship does, bit for bit: they are flown on from there.
BRANCHES = {"stuck_open": 300.0, "sensor_outage": 350.0, "corridor_breach": 930.0}


@pytest.fixture(scope="module")
def flown() -> dict[str, Flown]:
    """The shipped missions with faults, in software, each once. A client that spins is met as the flagship meets its own, until
    5 m: nearer than 25 m is soon enough to begin."""
    found, flagship = {"spinning": _fly(_begun("spinning", (-8.0, 0.0, 0.0)))}, _begun("approach")
    for name, at_s in BRANCHES.items():
        while flagship.pair.t < at_s - 1.0:
            flagship.fly_on()
        found[name] = in_a_copy(partial(_fly_broken, flagship, name))
    return {**found, "approach": _fly(flagship)}


def _begun(name: str, position_m: tuple[float, float, float] | None = None) -> MissionApplication:
    mission = load_mission(name)
    if position_m is not None:
        start = mission.file.start.model_copy(update={"position_m": position_m})
        mission = replace(mission, file=mission.file.model_copy(update={"start": start}))
    return MissionApplication(mission, mission.file.seed, load_flight_software(None, mission.file), 0.0, 300.0)


def _fly(application: MissionApplication) -> Flown:
    while application.outcome.end is MissionEnd.UNDER_WAY:
        application.fly_on()
        if application.outcome.phase is MissionPhase.DRIFT and application.record.told.phase is MissionPhase.DRIFT:
            break
    pair = application.pair
    return Flown(application.outcome, pair.bank.isolated.tolist(), pair.y.copy(), pair.world.copy())


def _fly_broken(flagship: MissionApplication, name: str) -> Flown:
    """On from here as the mission of that name, which must be the flagship but for its faults."""
    file = load_mission(name).file
    told = {key: getattr(flagship.file, key) for key in ("name", "about", "expect", "fault")}
    assert file.model_copy(update=told) == flagship.file
    assert all(fault.at_s > flagship.pair.t for fault in file.fault)
    flagship.file, flagship._senses.faults = file, Faults(file)
    flagship.pair._pushes = tuple(fault for fault in file.fault if isinstance(fault, PushFault))
    return _fly(flagship)


def in_a_copy(work: Callable[[], Flown]) -> Flown:
    """What ``work`` returns in a copy of this process: all that it changes is changed there only."""
    context = get_context("fork")
    answer, say = context.Pipe(duplex=False)
    process = context.Process(target=lambda: say.send(work()))
    process.start()
    say.close()  # here: a copy that dies is the end of the line
    try:
        return cast(Flown, answer.recv())
    finally:
        process.join()


@pytest.mark.parametrize("name", ["approach", "spinning", "stuck_open"])
def test_mates_within_the_docking_standard(flown: dict[str, Flown], name: str) -> None:
    out = flown[name].outcome
    assert (out.end, out.abort) == (MissionEnd.MATED, AbortCause.NONE)
    assert out.contact is not None
    within_limits(out.contact)
    assert out.contact[4] == pytest.approx(0.01, abs=0.004)  # closing
    assert out.propellant_kg < 0.5
    assert np.max(out.audit) < AUDIT_MAX  # rounding: it is smaller on some processors


def test_an_open_thruster_is_isolated(flown: dict[str, Flown]) -> None:
    assert flown["stuck_open"].isolated == [k == 2 for k in range(24)]


@pytest.mark.parametrize(
    ("name", "cause"), [("sensor_outage", AbortCause.SENSOR_LOST), ("corridor_breach", AbortCause.CORRIDOR)]
)
def test_retreats_are_passively_safe(flown: dict[str, Flown], name: str, cause: AbortCause) -> None:
    """After the burn everything stays off: two orbits of the full dynamics, and never inside the keep-out sphere again."""
    out, y, world = flown[name].outcome, flown[name].y.copy(), flown[name].world.copy()
    assert (out.abort, out.phase) == (cause, MissionPhase.DRIFT)
    keep_out = load_mission(name).file.abort.keep_out_m
    for what in ("force", "torque", "motor", "push"):
        world[0][what] = 0.0
    world[0]["thrust"] = 0.0
    distances = []
    for _ in range(11_500):
        step(y, world, 1.0)
        distances.append(float(np.linalg.norm(y[D])))
    left = next(k for k, d in enumerate(distances) if d > keep_out)
    assert min(distances[left:]) > keep_out - 0.05  # the planner samples its paths
    assert np.all(np.diff(distances[:30]) > 0.0)  # outwards at once


def fly_text(text: str, seconds: float) -> MissionApplication:
    """In software, for so long or until it ends."""
    mission = parse_mission(text, Path("short.toml"))
    application = MissionApplication(mission, 1, load_flight_software(None, mission.file, False), 0.0, 300.0)
    while application.outcome.end is MissionEnd.UNDER_WAY and application.pair.t < seconds:
        application.fly_on()
    return application


@pytest.mark.parametrize(
    ("faults", "control"),
    [
        ("", ""),
        ("", 'control = "lvlh"\n'),
        ('{ kind = "stuck_open", at_s = 6.05, thruster = 3 }, { kind = "push", at_s = 9.018, dv_m_s = [0.0, 0.02, 0.0] }', ""),
        ('{ kind = "sensor_outage", at_s = 7.002, duration_s = 3.013 }, { kind = "stuck_closed", at_s = 4.0, thruster = 1 }', ""),
    ],
    ids=["none", "a client that holds its attitude", "thruster and push", "outage"],
)  # fmt: skip
def test_many_cycles_at_once_are_the_same_flight(faults: str, control: str) -> None:
    """Nobody looks on: the same to the bit, whatever happens between two cycles of the flight software, to the last tick."""
    text = SHORT.replace("seed = 3", f"seed = 3\nfault = [{faults}]").replace(
        "[target]", "[sensor]\nrate_hz = 7.0\n[target]"
    )
    text = text.replace("duration_s = 120.0", "duration_s = 14.018").replace(
        "plan = [", "flight = { rate_hz = 5 }\nplan = ["
    )
    text = text.replace('control = "lvlh"\n', control)
    mission = parse_mission(text, Path("short.toml"))
    one, other = (
        MissionApplication(mission, 1, load_flight_software(None, mission.file, False), 0.0, 300.0) for _ in range(2)
    )
    calls = 0
    while other.outcome.end is MissionEnd.UNDER_WAY:
        other.fly_on()
        calls += 1
        while one.pair.cycle < other.pair.cycle or one.begun < other.begun:
            one.advance(one.pair.t, None)
        assert np.array_equal(one.pair.y, other.pair.y), one.pair.t
        assert one.outcome.end is other.outcome.end
    assert one.pair.cycle == other.pair.cycle > 6.0 * calls
    assert np.array_equal(one.outcome.audit, other.outcome.audit)
    assert (one.outcome.nees, one.outcome.measurements) == (other.outcome.nees, other.outcome.measurements)
    assert np.array_equal(one.record.interfaces, other.record.interfaces)


def test_a_chaser_behind_the_interface_has_not_mated() -> None:
    """The interfaces' planes are passed long before the craft are near: no contact."""
    text = SHORT.replace("-2.9, 0.0, 0.0", "-15.0, 0.0, 0.0").replace(
        "axis = [-1.0, 0.0, 0.0]", "axis = [1.0, 0.0, 0.0]"
    )
    assert fly_text(text, 1.0).outcome.end is MissionEnd.UNDER_WAY


@pytest.mark.parametrize(
    ("position", "velocity", "end"),
    [
        ("-6.0, 0.0, 0.0", "0.8, 0.0, 0.0", MissionEnd.MATED),  # far too fast, but straight: the criteria judge it
        ("-6.0, 1.3, 0.0", "0.8, 0.0, 0.0", MissionEnd.COLLISION),  # beside the interface
        ("0.0, -6.0, 0.0", "0.0, 0.8, 0.0", MissionEnd.COLLISION),  # into its side
    ],
)
def test_whatever_touches_is_seen(position: str, velocity: str, end: MissionEnd) -> None:
    text = SHORT.replace("position_m = [-2.9, 0.0, 0.0]", f"position_m = [{position}]\nvelocity_m_s = [{velocity}]")
    mission = parse_mission(text + "[dispersion]\nposition_share = 0.0\n", Path("short.toml"))
    application = MissionApplication(mission, 1, Idle(lambda: None, 10**9), 0.0, 300.0)
    while application.outcome.end is MissionEnd.UNDER_WAY and application.pair.t < 12.0:
        application.fly_on()
    assert application.outcome.end is end
    if end is MissionEnd.MATED:
        assert application.outcome.contact is not None
        assert application.outcome.contact[4] > CONTACT_LIMITS["closing_rate_m_s"]


@pytest.mark.parametrize("push", ["0.3, 0.0, 0.0", "0.0, 0.3, 0.0", "0.0, 0.0, -0.3"])
def test_a_push_in_a_hold_is_a_reason_to_leave(push: str) -> None:
    text = SHORT.replace("duration_s = 3.0", "duration_s = 60.0").replace("-2.9, 0.0, 0.0", "-6.0, 0.0, 0.0")
    text = text.replace("seed = 3", f'seed = 3\nfault = [{{ kind = "push", at_s = 20.0, dv_m_s = [{push}] }}]')
    application = fly_text(text, 60.0)
    assert application.outcome.abort is AbortCause.CORRIDOR
    assert application.outcome.least_distance_m > 2.5


def test_the_reserve_for_a_retreat_is_kept() -> None:
    application = fly_text(SHORT + "[chaser]\npropellant_kg = 0.05\n", 20.0)
    assert application.outcome.abort is AbortCause.PROPELLANT
    assert application.pair.propellant_kg > 0.0


def test_flight_software_is_not_told_what_it_cannot_know() -> None:
    known = load_mission("stuck_open").file.as_known_on_board(uses_hall=True)
    real = load_mission("stuck_open").file
    assert (known.seed, known.fault, known.expect) == (0, (), None)
    assert known.dispersion != real.dispersion and known.dispersion.mass == 0.0
    assert (known.chaser, known.plan, known.sensor) == (real.chaser, real.plan, real.sensor)


# ---------------------------------------------------------------------- flight software that fails
class Idle:
    """Does nothing, for a while; then something else."""

    def __init__(self, then: Any, after: int = 20) -> None:
        self.then, self.after, self.count = then, after, 0

    def step(self, m: Measurements) -> Any:
        self.count += 1
        if self.count > self.after:
            return self.then()
        return Commands(np.zeros(24), np.zeros(4))


def _raise() -> None:
    raise RuntimeError("a wing fell off")


def _hang() -> None:
    while True:
        pass


@pytest.mark.parametrize(
    ("then", "words"),
    [
        (_raise, "raised RuntimeError: a wing fell off"),
        (lambda: None, "returned None"),
        (lambda: Commands(np.full(24, math.nan), np.zeros(4)), "not finite"),
        (lambda: Commands(np.full(24, -1.0), np.zeros(4)), "negative"),
        (_hang, "took longer than 0.2 s"),
    ],
)
def test_failing_flight_software_ends_the_run_cleanly(then: Any, words: str, cell: Cell, tmp_path: Path) -> None:
    mission = short("[flight]\nlimit_ms = 200.0\n[hall]\njoin_s = 1.0\n")
    both = run_mission(cell, mission, tmp_path / "run.mcap", software=Idle(then))
    assert both.outcome.end is MissionEnd.FLIGHT_SOFTWARE
    assert words in both.outcome.failure
    assert (both.ran.stop, both.ran.recorder_code) == (None, 0)
    log = Log.open(tmp_path / "run.mcap")
    assert log.complete
    assert any(event["name"] == b"mission.flight_software" for event in log.events)
    assert log.values("state.mode")[-1] == Mode.READY  # the robots stand
    assert np.max(np.abs(log.values("setpoint_rate.rail")[-1:])) == 0.0


def test_a_mission_whose_hall_never_joins_begins_all_the_same(cell: Cell) -> None:
    text = SHORT.replace("-2.9, 0.0, 0.0", "-80.0, 0.0, 0.0").replace("duration_s = 120.0", "duration_s = 2.0")
    mission = parse_mission(text + "[hall]\njoin_s = 2.0\n", Path("short.toml"))
    out = run_mission(cell, mission, None).outcome
    assert out.end is MissionEnd.TIME
    assert out.measurements[SensorSource.HALL] == 0 < out.measurements[SensorSource.SOFTWARE]


# ---------------------------------------------------------------------- many seeds
def test_a_campaign_is_its_single_runs(cell: Cell) -> None:
    mission = short()
    rows = sorted(fly_all(cell, mission, range(3, 5), None, False, workers=1), key=lambda row: row.seed)
    assert [row.seed for row in rows] == [3, 4]
    assert all(row.within for row in rows)
    alone = run_mission(cell, mission, None, seed=4, use_hall=False).outcome
    assert alone.contact is not None
    assert rows[1].lateral_m == alone.contact[1] and rows[1].t_s == alone.t
    summary = summarise(mission, rows)
    assert summary["passed"] and summary["within_limits"] == 2
    assert summary["worst"]["lateral_m"]["value"] == max(row.lateral_m or 0.0 for row in rows)
    json.dumps(summary)


def test_a_run_outside_a_limit_fails_the_campaign() -> None:
    good = dict(
        seed=1, end="MATED", abort="NONE", t_s=1.0, lateral_m=0.01, tilt_rad=0.01, roll_rad=-0.01, closing_rate_m_s=0.01,
        lateral_rate_m_s=0.001, angular_rate_rad_s=0.001, propellant_kg=0.1, least_distance_m=2.5, hall_share=1.0, audit=1e-13,
        images=(0, 0, 0), nees=(12.0,) * 4, nees_inside=(1.0,) * 4, failure="", stop="",
    )  # fmt: skip
    assert RunFigures(**good).within  # type: ignore[arg-type]
    for name, bound in CONTACT_LIMITS.items():
        assert not RunFigures(**{**good, name: -1.01 * bound}).within, name  # type: ignore[arg-type]
    assert not RunFigures(**{**good, "end": "TIME"}).within  # type: ignore[arg-type]
    summary = summarise(short(), [RunFigures(**good), RunFigures(**{**good, "seed": 2, "tilt_rad": -0.2})])  # type: ignore[arg-type]
    console = Console(file=io.StringIO(), width=140)
    print_brief(campaign_report(summary), console)
    text = str(console.file.getvalue())  # type: ignore[attr-defined]
    assert "2 runs, 2 MATED; 1 within all limits at contact" in text
    assert "outside: seeds 2" in text
    assert re.search(r"tilt \[deg\] +11\.459 +2 +6\.016 +4\.000", text)
    assert re.search(r"15 … 25 +2 +100\.0 % +12\.0 +100\.0 %", text)


class StoppingHall:
    """A hall that shows the computed pose for a while and then stands still."""

    def __init__(self) -> None:
        self.converged, self.truth = True, np.zeros(7)


@pytest.mark.parametrize(
    ("choice", "halted"), [("handed_over", SensorSource.HALL), ("while_shown", SensorSource.SOFTWARE)]
)
def test_a_halt_of_the_hall_is_what_the_sensor_sees_unless_declared_otherwise(
    choice: str, halted: SensorSource
) -> None:
    """Before it has first converged the computed pose is seen in either case; afterwards robots that stand are seen standing."""
    mission = short(f'[hall]\njoin_s = 0.0\nsensor = "{choice}"\n')
    application = MissionApplication(mission, 1, load_flight_software(None, mission.file))
    hall, seen = StoppingHall(), []
    hall.converged = False
    for k in range(1500):
        if k == 500:
            hall.converged = True
        if k == 1000:
            hall.converged = False
        if hall.converged:
            hall.truth = application.relative_pose()
        application.advance(k * 0.004, hall)
        seen.append(application.record.source)
    assert (seen[499], seen[999], seen[-1]) == (SensorSource.SOFTWARE, SensorSource.HALL, halted)


def test_missions_send_the_suns_direction_of_their_orbit() -> None:
    """Against the almanac: at the vernal equinox the sun stands at right ascension 0, in June at 90 deg and a declination of
    23.4 deg."""
    for epoch, direction in (("2026-03-20T14:46:00Z", (0.0, 0.0)), ("2026-06-21T08:24:00Z", (90.0, 23.4364))):
        mission = short()
        orbit = mission.file.orbit.model_copy(update={"epoch": epoch})
        file = mission.file.model_copy(update={"orbit": orbit})
        application = MissionApplication(replace(mission, file=file), 1, load_flight_software(None, file))
        (data,) = application.advance(0.004, None)
        sun = unpack_command(data).sun
        assert sun is not None
        ra, dec = math.radians(direction[0]), math.radians(direction[1])
        expected = math.cos(ra) * math.cos(dec), math.sin(ra) * math.cos(dec), math.sin(dec)
        assert math.degrees(math.acos(min(1.0, float(np.dot(sun, expected))))) < 0.02
