"""Missions in summary and report: figures agree with a made-up flight worked out by hand; criteria pass and fail; words.

The flight is made up so that every figure is known: an approach along the docking axis of a target that stands in inertial space,
20 s long, told at the rates of a real mission. It is laid over a real, short run of the bridge, or over a hall that stands still.
"""

from __future__ import annotations

import dataclasses
import io
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from changed_log import with_records
from numpy.typing import NDArray
from rich.console import Console
from scipy.spatial.transform import Rotation
from scipy.special import gammaincinv

from proxops.applications.mission.report.chapter import MISSION
from proxops.applications.mission.report.criteria import criteria as mission_criteria
from proxops.applications.mission.report.estimate import nees_band
from proxops.applications.mission.report.mission_run import TWELVE, MissionRun, mission_run
from proxops.applications.mission.report.pose import (
    NO_DELAYS,
    Delays,
    body_in_lvlh,
    computed_pose,
    hall_contact,
    hall_errors,
    sent_pose,
)
from proxops.applications.mission.report.scene_figure import box_sides
from proxops.applications.mission.report.summary import AUDIT, figures_of
from proxops.applications.scripted.run import run_lockstep
from proxops.core.criterion import Criterion
from proxops.core.docking_standard import CONTACT_LIMITS
from proxops.core.earth import STANDARD_GRAVITY
from proxops.core.messages import AXES, EVENT_DTYPE, MISSION_GROUPS, PERIOD_NS, PERIOD_S, POOL_DTYPE, POSE
from proxops.core.mission import parse_mission
from proxops.core.offscreen import PictureUnavailable
from proxops.core.scenario import parse_scenario
from proxops.core.vocabulary import AbortCause, MissionEnd, MissionPhase, Mode, SensorSource
from proxops.ground import hall_report as hall_report_module
from proxops.ground import report_figures
from proxops.ground.criteria import criteria
from proxops.ground.hall_report import hall_report
from proxops.ground.log import Log
from proxops.ground.pool_columns import PoolColumns
from proxops.ground.recorded import ports_of_axes
from proxops.ground.report_page import write_page
from proxops.ground.section import RunReport
from proxops.ground.terminal import print_brief
from proxops.ground.verdict import verdict
from proxops.ground.wire import pool_layout
from proxops.ground.words import criterion_row
from proxops.lab.cell import Cell
from proxops.space.lvlh import lvlh_axes

Floats = NDArray[np.float64]
Figures = dict[str, Any]
SCENARIO = """
name = "made_up"
about = "Along the docking axis to contact"
seed = 1
duration_s = 60.0
plan = [
    { kind = "hold", duration_s = 2.0 },
    { kind = "fly_around", to = "docking_axis", rate_deg_s = 1.0 },
    { kind = "final", speed_m_s = 0.2 },
]
[orbit]
kind = "kepler"
epoch = "2026-11-16T12:00:00Z"
semi_major_axis_km = 6928.0
inclination_deg = 97.6
[start]
position_m = [-6.0, 0.0, 0.0]
[target]
mass_kg = 800.0
inertia_kg_m2 = [[320.0, 0.0, 0.0], [0.0, 400.0, 0.0], [0.0, 0.0, 380.0]]
mass_centre_m = [-0.3, 0.02, 0.0]
interface_m = [0.64, 0.0, 0.0]
[chaser]
mass_kg = 620.0
propellant_kg = 40.0
inertia_kg_m2 = [[160.0, 0.0, 0.0], [0.0, 260.0, 0.0], [0.0, 0.0, 270.0]]
mass_centre_m = [1.0, 0.0, 0.03]
interface_m = [-0.64, 0.0, 0.0]
"""
FAULT = '\n[[fault]]\nkind = "sensor_outage"\nat_s = 5.0\nduration_s = 60.0\n'
HOLD = """
name = "test_hold"
about = "Stands at 3 m"
seed = 3
motion = [{ kind = "hold", duration_s = 26.0 }]
[start]
distance_m = 3.0
"""
CYCLES = 5000  # 20 s
SPEED = 0.2
FILE = parse_mission(SCENARIO, Path("made_up.toml")).file
TIMES: Floats = (np.arange(CYCLES) * PERIOD_S).astype(np.float64)
Q_TARGET = Rotation.from_euler("zyx", [0.3, -0.2, 0.5])
SMALL = Rotation.from_rotvec([0.01, 0.006, -0.008])  # R_target_chaser
OFFSET = np.array([0.0, 0.03, -0.04])  # of the chaser's interface at the end, target's frame
HALL_OFFSET, HALL_TURN = np.array([0.002, -0.003, 0.004]), Rotation.from_rotvec([0.0, 0.003, 0.0])
CONTACT = {
    "gap": 0.0,
    "lateral": 0.05,
    "tilt": 0.01,
    "roll": 0.01,
    "closing_rate": SPEED,
    "lateral_rate": 0.001,
    "angular_rate": 1e-4,
}
NAMES = ("gap_m", "lateral_m", "tilt_rad", "roll_rad", "closing_rate_m_s", "lateral_rate_m_s", "angular_rate_rad_s")
HELD = (
    "mission", "orbit", "relative", "target_attitude", "chaser_attitude", "wheels", "audit", "thrusters", "estimate_error",
    "estimate_sigma",
)  # fmt: skip


def scalar_first(turn: Rotation) -> Floats:
    return np.asarray(np.roll(turn.as_quat(), 1))


def put(pool: NDArray[np.void], group: str, names: tuple[str, ...], values: Any) -> None:
    for k, name in enumerate(names):
        pool[group][name] = np.asarray(values)[..., k]


def held(values: Floats, every: int) -> Floats:
    """As told each ``every`` cycles and kept in between."""
    return np.asarray(values[np.arange(len(values)) // every * every])


def gap_of(t: Floats) -> Floats:
    return np.asarray(SPEED * (t[-1] - t))


def pose_of(t: Floats) -> tuple[Floats, Floats]:
    """T_target_chaser that has the interfaces ``gap_of`` and OFFSET apart: places and one quaternion."""
    interface = np.array(FILE.target.interface_m) + OFFSET + gap_of(t)[:, None] * [1.0, 0.0, 0.0]
    return interface - SMALL.apply(FILE.chaser.interface_m), scalar_first(SMALL)


def fly(pool: NDArray[np.void], hall: bool) -> None:
    """Fill the mission's part of CYCLES records."""
    t = TIMES
    truth = held(t, 5)
    truth[-1] = t[-1]  # the end is told in its own cycle
    _fly_orbit(pool, truth)
    m = pool["mission"]
    m["t"], m["gap"] = truth, gap_of(t)[np.rint(truth / PERIOD_S).astype(int)]
    for name, value in CONTACT.items():
        if name != "gap":
            m[name] = value
    m["propellant"] = 39.9 - 0.01 * truth
    phases = [MissionPhase.NONE, MissionPhase.HOLD, MissionPhase.FLY_AROUND]
    m["phase"] = np.select([t < 0.004, t < 2.004, t < 8.004], phases, MissionPhase.FINAL)
    m["step"] = np.select([t < 2.004, t < 8.004], [1, 2], 3)
    m["corridor"] = np.where(m["phase"] == MissionPhase.FINAL, 0.25 + 0.01 * t, 0.0)
    m["end"][-1] = MissionEnd.MATED
    m["measured"] = np.arange(CYCLES) % 25 == 7
    m["sensor"] = np.where(t < 5.0, SensorSource.SOFTWARE, SensorSource.HALL)
    step = (np.arange(CYCLES) - 1) // 25
    m["rejected"] = np.where(step % 10 == 3, 2, 0)
    pool["bridge"]["converged"] = hall
    _fly_estimate(pool, step)
    _fly_actuators(pool, t)


def _fly_orbit(pool: NDArray[np.void], truth: Floats) -> None:
    r, n = 6928e3, math.sqrt(3.986e14 / 6928e3**3)
    angle = n * truth + 0.4
    tilt = Rotation.from_euler("x", 1.2)
    p = tilt.apply(r * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1))
    v = tilt.apply(r * n * np.stack([-np.sin(angle), np.cos(angle), 0.0 * angle], axis=1))
    put(pool, "orbit", ("p_x", "p_y", "p_z", "v_x", "v_y", "v_z"), np.hstack([p, v]))
    pool["orbit"]["sunlight"], pool["orbit"]["density"] = 1.0, 3e-13
    places, q = pose_of(TIMES)
    rows = np.rint(truth / PERIOD_S).astype(int)
    d_target = places[rows] + SMALL.apply(FILE.chaser.mass_centre_m) - np.array(FILE.target.mass_centre_m)
    d_eci, d_lvlh, R = Q_TARGET.apply(d_target), np.empty((CYCLES, 3)), np.empty((3, 3))
    for k in range(CYCLES):
        lvlh_axes(p[k], v[k], R)
        d_lvlh[k] = R.T @ d_eci[k]
    put(pool, "relative", ("p_x", "p_y", "p_z"), d_lvlh)
    for body, turn in (("target", Q_TARGET), ("chaser", Q_TARGET * SMALL)):
        put(pool, f"{body}_attitude", ("qw", "qx", "qy", "qz"), np.tile(scalar_first(turn), (CYCLES, 1)))
    put(pool, "commanded_relative", POSE, np.hstack([places, np.tile(q, (CYCLES, 1))]))
    shown = np.tile(scalar_first(HALL_TURN * SMALL), (CYCLES, 1))
    put(pool, "hall_truth", POSE, np.hstack([places + HALL_OFFSET, shown]))


def _fly_estimate(pool: NDArray[np.void], step: NDArray[np.int64]) -> None:
    """From the sixth step on; seeded errors, the claimed deviations are of their size."""
    rng = np.random.default_rng(5)
    scale = np.repeat([0.01, 0.001, 0.002, 1e-4], 3)
    errors = rng.standard_normal((200, 12)) * scale
    known = step >= 5
    rows = np.maximum(step, 0)
    put(pool, "estimate_error", TWELVE, np.where(known[:, None], errors[rows], 0.0))
    put(pool, "estimate_sigma", TWELVE, np.where(known[:, None], scale, 0.0))
    pool["mission"]["nees"] = np.where(known, ((errors / scale) ** 2).sum(axis=1)[rows], 0.0)


def _fly_actuators(pool: NDArray[np.void], t: Floats) -> None:
    pool["thrusters"]["on1"] = t % 1.0 < 0.0199  # 5 cycles each second, from the first cycle on
    pool["thrusters"]["on24"] = (t > 3.0) & (t < 3.5)
    put(pool, "wheels", ("h1", "h2", "h3", "h4"), held(np.stack([t, -2.0 * t, 0.1 * t, 0.0 * t], axis=1), 5))
    for k, name in enumerate(AUDIT):
        pool["audit"][name] = held(-1e-13 * (k + 1) * t, 25)


def log_with(pool: NDArray[np.void], text: str = SCENARIO, base: Log | None = None) -> Log:
    metadata = {"mission": "true", "scenario": "made_up", "scenario_file": text, "clock": "lockstep"}
    if base is not None:
        return with_records(base, pool, metadata={**base.metadata, **metadata})
    events = np.empty(0, EVENT_DTYPE)
    return Log(
        Path("made_up.mcap"),
        PoolColumns.of(pool, pool_layout()),
        events,
        pool_layout().columns,
        metadata,
        {},
        {"/pool": pool.size},
        True,
        (),
    )


WAITED = 100  # cycles before the mission begins, the first 20 before its application says anything


@pytest.fixture(scope="module")
def flown(cell: Cell) -> Log:
    """Without the hall, which stands still."""
    pool = np.zeros(WAITED + CYCLES + 50, POOL_DTYPE)
    pool["clock"]["tick"] = np.arange(pool.size) + 1
    pool["clock"]["t_sim"] = pool["clock"]["tick"] * PERIOD_S
    pool["clock"]["utc_ns"] = 1_767_225_600_000_000_000 + pool["clock"]["tick"] * PERIOD_NS
    pool["state"]["mode"] = Mode.READY
    for group in ("wish", "setpoint", "actual"):
        put(pool, group, AXES, np.tile(cell.home, (pool.size, 1)))
    for n, pose in enumerate(ports_of_axes(cell.hall, cell.home[None]), 1):
        put(pool, f"actual_port{n}", POSE, np.tile(pose, (pool.size, 1)))
    for name in POSE:
        pool["commanded_relative"][name] = np.nan
    return log_with(lay_over(pool, hall=False))


def lay_over(pool: NDArray[np.void], hall: bool, first: int = WAITED) -> NDArray[np.void]:
    """The flight from record ``first`` on, the pose of the start before and that of the end after it."""
    part = pool[first : first + CYCLES]
    fly(part, hall)
    for group in HELD:
        pool[group][first - 80 : first] = part[group][0]
        pool[group][first + CYCLES :] = part[group][-1]
    pool["mission"]["t"][first - 80 : first] = -np.arange(80, 0, -1) * PERIOD_S
    return pool


@pytest.fixture(scope="module")
def stood(cell: Cell, tmp_path_factory: pytest.TempPathFactory) -> Log:
    """A short real run of the bridge."""
    out = tmp_path_factory.mktemp("stood") / "run.mcap"
    assert run_lockstep(cell, parse_scenario(HOLD, out.with_suffix(".toml")), out).stop is None
    return Log.open(out)


@pytest.fixture(scope="module")
def shown(stood: Log) -> Log:
    """The flight, as if the hall had shown it."""
    pool = stood.pool.copy()
    first = pool.size - CYCLES - 300
    return log_with(lay_over(pool, hall=True, first=first), base=stood)


def run_of(log: Log) -> MissionRun:
    run = mission_run(log)
    assert run is not None
    return run


@pytest.fixture(scope="module")
def figures(shown: Log, cell: Cell) -> Figures:
    return figures_of(run_of(shown), cell)


def changed(log: Log, change: Callable[[NDArray[np.void]], None], text: str = SCENARIO) -> Log:
    pool = log.pool.copy()
    change(pool)
    return dataclasses.replace(
        log, cycles=PoolColumns.of(pool, log.cycles.table), metadata={**log.metadata, "scenario_file": text}
    )


def reported(log: Log, cell: Cell) -> RunReport:
    return hall_report(log, cell, MISSION)


# ------------------------------------------------------------------ which rows
def test_a_log_without_a_mission_has_none(stood: Log, cell: Cell) -> None:
    assert mission_run(stood) is None
    assert "mission" not in reported(stood, cell).summary


def test_rows_are_those_of_the_mission_at_the_rates_of_truth_and_steps(flown: Log) -> None:
    run = run_of(flown)
    assert (run.cycles.start, run.cycles.stop) == (WAITED, WAITED + CYCLES)
    assert np.diff(run.truth[:-1]).tolist() == [5] * (CYCLES // 5 - 1)
    assert run.truth[-1] == WAITED + CYCLES - 1
    assert run.t_steps == pytest.approx(np.arange(CYCLES // 25) * 0.1, abs=1e-12)
    assert run.end is MissionEnd.MATED
    assert [s.phase.name for s in run.phases] == ["NONE", "HOLD", "FLY_AROUND", "FINAL"]


# ------------------------------------------------------------------ figures
def test_contact_in_orbit_is_what_the_last_record_tells(figures: Figures) -> None:
    assert figures["contact"] == dict(zip(NAMES, CONTACT.values(), strict=True))


def test_contact_in_the_hall_follows_from_its_pose(figures: Figures) -> None:
    """By hand: SMALL and the hall's error of 3 mrad, turned with scipy; exact to rounding."""
    found, turn = figures["hall_contact"], HALL_TURN * SMALL
    place = (
        pose_of(np.array([0.0, 1.0]))[0][-1]
        + HALL_OFFSET
        + turn.apply(FILE.chaser.interface_m)
        - FILE.target.interface_m
    )
    assert found["gap_m"] == pytest.approx(place[0], abs=1e-12)
    assert found["lateral_m"] == pytest.approx(math.hypot(place[1], place[2]), abs=1e-12)
    R = turn.as_matrix()
    assert found["tilt_rad"] == pytest.approx(math.acos(R[0, 0]), rel=1e-6)  # acos loses digits at small angles
    assert found["roll_rad"] == pytest.approx(math.atan2(R[2, 1] - R[1, 2], R[1, 1] + R[2, 2]), abs=1e-12)
    # A straight line at constant speed: the slope is exact but for rounding of places of some metres over 1 s.
    assert found["closing_rate_m_s"] == pytest.approx(SPEED, abs=1e-9)
    assert found["lateral_rate_m_s"] == pytest.approx(0.0, abs=1e-9)
    assert found["angular_rate_rad_s"] == pytest.approx(0.0, abs=1e-9)


def test_a_turning_hall_has_its_angular_rate(shown: Log) -> None:
    """0.02 rad/s about the docking axis for the last second: small-angle slope, good to (0.02)² / 6."""
    last = run_of(shown).truth[-1]

    def turn(pool: NDArray[np.void]) -> None:
        for k in range(251):
            q = scalar_first(Rotation.from_rotvec([0.02 * k * PERIOD_S, 0.0, 0.0]) * SMALL)
            for name, value in zip(POSE[3:], q, strict=True):
                pool["hall_truth"][name][last - 250 + k] = value

    found = hall_contact(run_of(changed(shown, turn)))
    assert found is not None
    assert found.angular_rate == pytest.approx(0.02, rel=1e-4)


def test_computed_pose_and_frames_are_those_of_the_flight(flown: Log) -> None:
    """The way from orbit to body frames, against the pose that the flight was made from: 7,000 km are in play only as
    directions, so metres stay good to 1e-12."""
    run = run_of(flown)
    places, q = pose_of(TIMES)
    pose = computed_pose(run, run.truth)
    assert pose[:, :3] == pytest.approx(places[run.truth - WAITED], abs=1e-11)
    assert np.abs(pose[:, 3:] @ q) == pytest.approx(1.0, abs=1e-12)
    R = body_in_lvlh(run, "chaser", run.truth[:3])
    assert R @ np.swapaxes(R, 1, 2) == pytest.approx(np.tile(np.eye(3), (3, 1, 1)), abs=1e-12)
    assert sent_pose(run, run.truth) == pytest.approx(pose, abs=1e-11)


def test_hall_error_is_the_offset_that_was_put_in(shown: Log, figures: Figures) -> None:
    run = run_of(shown)
    errors = hall_errors(run, NO_DELAYS)
    assert errors.position == pytest.approx(np.linalg.norm(HALL_OFFSET), abs=1e-12)
    assert errors.attitude == pytest.approx(HALL_TURN.magnitude(), abs=1e-12)
    late = hall_errors(run, Delays(0.1, 0.1))  # it shows a place 0.1 s ahead: 20 mm nearer
    known = np.isfinite(late.position)
    assert late.position[known] == pytest.approx(np.linalg.norm(HALL_OFFSET - [0.1 * SPEED, 0.0, 0.0]), abs=1e-9)
    assert np.count_nonzero(~known) == 6  # rows of the last 0.1 s: every 20 ms, and the end
    assert figures["hall_share"] == 1.0
    assert figures["hall_attitude_error_rms_rad"] == pytest.approx(HALL_TURN.magnitude(), abs=1e-12)


def test_distances_propellant_thrusters_wheels(figures: Figures) -> None:
    places = pose_of(TIMES)[0]
    d = places + SMALL.apply(FILE.chaser.mass_centre_m) - np.array(FILE.target.mass_centre_m)
    size = np.linalg.norm(d, axis=1)
    assert figures["distance_start_m"] == pytest.approx(size[0], abs=1e-11)
    assert figures["distance_min_m"] == figures["distance_end_m"] == pytest.approx(size[-1], abs=1e-11)
    used = 0.01 * (CYCLES - 1) * PERIOD_S
    assert figures["duration_s"] == pytest.approx((CYCLES - 1) * PERIOD_S)
    assert figures["propellant_used_kg"] == pytest.approx(used, abs=1e-12)
    assert figures["delta_v_m_s"] == pytest.approx(
        220.0 * STANDARD_GRAVITY * math.log(620.0 / (620.0 - used)), rel=1e-12
    )
    assert figures["thruster_pulses"] == 20 + 1
    assert figures["thruster_on_s"] == pytest.approx(20 * 5 * PERIOD_S + 124 * PERIOD_S)
    assert figures["wheel_momentum_share_max"] == pytest.approx(2.0 * (CYCLES - 5) * PERIOD_S / 50.0)


def test_measurements_are_counted_by_source_and_refusals_once_a_step(figures: Figures) -> None:
    assert figures["measurements"] == 200
    assert figures["measurement_share"] == pytest.approx(
        {"hall": 150 / 200, "software": 50 / 200, "rejected": 40 / 200}
    )
    assert figures["measurements_rejected"] == 2 * 20


def test_phases_corridor_and_audit(figures: Figures) -> None:
    assert figures["phase_s"] == pytest.approx({"NONE": 0.004, "HOLD": 2.0, "FLY_AROUND": 6.0, "FINAL": 11.996})
    assert figures["corridor_max"] == pytest.approx({"FINAL": 0.25 + 0.01 * 4976 * PERIOD_S})
    last = (CYCLES - 25) * PERIOD_S
    assert list(figures["audit"].values()) == pytest.approx([1e-13 * k * last for k in range(1, 7)])


def test_estimate_by_distance_against_a_direct_count(shown: Log, figures: Figures) -> None:
    run = run_of(shown)
    pool = shown.pool[run.cycles][1::25][5:]  # steps from the sixth on
    size = np.sqrt(sum(pool["relative"][f"p_{c}"] ** 2 for c in "xyz"))
    assert [row["range"] for row in figures["estimate"]] == ["8 … 4 m", "below 4 m"]
    for row, inside in zip(figures["estimate"], (size >= 4.0, size < 4.0), strict=True):
        assert row["steps"] == np.count_nonzero(inside)
        for kind, unit in (("position", "m"), ("velocity", "m_s"), ("attitude", "rad"), ("rate", "rad_s")):
            e = np.stack([pool["estimate_error"][f"{kind}_{c}"][inside] for c in "xyz"], axis=1)
            s = np.stack([pool["estimate_sigma"][f"{kind}_{c}"][inside] for c in "xyz"], axis=1)
            assert row[f"{kind}_error_rms_{unit}"] == pytest.approx(math.sqrt((e**2).sum() / len(e)), rel=1e-12)
            assert row[f"{kind}_within_3_sigma"] == pytest.approx(np.mean(np.abs(e) <= 3.0 * s))
        assert row["nees_mean"] == pytest.approx(pool["mission"]["nees"][inside].mean())


def test_band_of_the_normalised_error_is_that_of_chi_square() -> None:
    assert nees_band() == pytest.approx(
        2.0 * gammaincinv(6.0, [0.025, 0.975]), rel=0.01
    )  # chi-square of 12; Wilson-Hilferty's own accuracy


def test_boxes_have_mass_and_inertia_of_the_craft() -> None:
    a, b, c = box_sides(FILE.target)
    moments = 800.0 / 12.0 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    assert moments == pytest.approx([320.0, 400.0, 380.0])


# ------------------------------------------------------------------ criteria and words
def failed(m: Figures) -> list[str]:
    """The flight that was made up is straight, and at 0.2 m/s too fast on purpose: its closing rate is taken as a good one."""
    if m["contact"] is not None and m["contact"]["closing_rate_m_s"] == pytest.approx(SPEED):
        m = {**m, "contact": {**m["contact"], "closing_rate_m_s": 0.01}}
    known = {"lines": None, "run_ended": None, "stops": 0, "lost_ticks": 0, "complete": True, "cell_matches_log": True}
    rows = criteria({**known, "motion": None, "missed_cycles": None}, mission_criteria(m))
    return [row.name for row in rows if not row.passed]


def test_a_good_mission_passes_and_each_limit_can_fail(figures: Figures) -> None:
    assert failed(figures) == []
    for name, bound in CONTACT_LIMITS.items():
        for sign in (1.0, -1.0):
            assert name != "closing_rate_m_s" or bound < SPEED
            worse = {**figures, "contact": {**figures["contact"], name: sign * 1.001 * bound}}
            assert failed(worse) == [f"mission_contact_{name}"]
    assert failed({**figures, "audit": {**figures["audit"], "spin_energy_chaser": 2e-9}}) == ["mission_audit_max"]
    assert failed({**figures, "audit": {**figures["audit"], "spin_energy_chaser": None}}) == ["mission_audit_max"]


@pytest.mark.parametrize(
    ("end", "names"),
    [
        ("TIME", ["mission_mated"]),
        ("UNDER_WAY", ["mission_ended", "mission_mated"]),
        ("COLLISION", ["mission_no_collision", "mission_mated"]),
        ("FLIGHT_SOFTWARE", ["mission_flight_software", "mission_mated"]),
    ],
)
def test_other_ends_fail_by_name(figures: Figures, end: str, names: list[str]) -> None:
    assert failed({**figures, "end": end, "contact": None, "hall_contact": None}) == names


def test_a_plan_without_contact_is_judged_by_its_last_step(figures: Figures) -> None:
    held = {**figures, "end": "TIME", "contact": None, "wants_contact": False}
    assert failed(held) == []
    assert failed({**held, "step_reached": 2}) == ["mission_step_reached"]
    assert failed({**held, "step_reached": 0}) == []  # flight software that does not say


def retreating(log: Log, distances: list[float], text: str) -> Log:
    """Given up half-way; from then on the chaser is at these distances, one after the other."""
    run = run_of(log)
    first = run.cycles.start + CYCLES // 2
    last = run.cycles.stop

    def retreat(pool: NDArray[np.void]) -> None:
        pool["mission"]["abort"][first:] = AbortCause.SENSOR_LOST
        pool["mission"]["phase"][first:] = MissionPhase.DRIFT
        pool["mission"]["end"][last - 1 :] = MissionEnd.TIME
        share = np.linspace(0.0, len(distances) - 1.0, last - first)
        pool["relative"]["p_x"][first:last] = -np.interp(share, np.arange(len(distances)), distances)
        pool["relative"]["p_y"][first:last] = pool["relative"]["p_z"][first:last] = 0.0

    return changed(log, retreat, text)


def test_a_safe_retreat_passes_when_something_was_made_to_fail(flown: Log, cell: Cell) -> None:
    safe = figures_of(run_of(retreating(flown, [3.5, 3.2, 5.0, 4.5, 9.0], SCENARIO + FAULT)), cell)
    assert (safe["abort"], safe["faults"], safe["left_keep_out"]) == ("SENSOR_LOST", 1, True)
    assert safe["abort_at_s"] == pytest.approx(CYCLES // 2 * PERIOD_S)
    assert safe["abort_distance_m"] == pytest.approx(3.5)
    assert safe["distance_min_after_abort_m"] == pytest.approx(3.2, abs=0.01)  # truth every 20 ms
    assert list(safe["corridor_max"]) == ["FINAL"]
    assert safe["distance_min_after_leaving_m"] == pytest.approx(4.0, abs=0.01)  # where it left
    assert failed(safe) == []
    again = figures_of(run_of(retreating(flown, [3.5, 5.0, 3.9, 9.0], SCENARIO + FAULT)), cell)
    assert failed(again) == ["mission_distance_after_leaving"]
    never = figures_of(run_of(retreating(flown, [3.5, 3.9], SCENARIO + FAULT)), cell)
    assert failed(never) == ["mission_left_keep_out", "mission_distance_after_leaving"]


def test_a_retreat_without_a_fault_has_missed_its_goal(flown: Log, cell: Cell) -> None:
    m = figures_of(run_of(retreating(flown, [3.5, 9.0], SCENARIO)), cell)
    assert failed(m) == ["mission_mated"]


def test_a_mission_with_faults_has_to_mate_or_retreat(figures: Figures) -> None:
    idle = {**figures, "faults": 1, "end": "TIME", "contact": None}
    assert failed(idle) == ["mission_mated_or_retreated"]
    assert failed({**figures, "faults": 1}) == []


def test_headlines_say_it_in_a_sentence(flown: Log, cell: Cell) -> None:
    s = reported(flown, cell).summary
    assert [row["name"] for row in s["criteria"] if not row["passed"]] == ["mission_contact_closing_rate_m_s"]
    s["criteria"] = [row for row in s["criteria"] if row["passed"]]
    assert verdict(s, MISSION).headline == "Mated after 20 s: 50 mm and 0.57 deg off"
    assert (
        "closing at 200.0 mm/s; 200 g of propellant; 75.0 % of the measurements from the hall"
        in verdict(s, MISSION).detail
    )
    s = reported(retreating(flown, [3.5, 9.0], SCENARIO + FAULT), cell).summary
    assert verdict(s, MISSION).headline == "Gave up after 10 s (no measurements any more), 9.0 m away after 20 s"
    assert "3.50 m away when it gave up: at least 4.0" in verdict(s, MISSION).detail
    assert verdict(s, MISSION).good
    for row in s["criteria"]:
        assert not row["label"].startswith("mission_")  # each has words


# ------------------------------------------------------------------ logs that are not whole
@pytest.mark.usefixtures("plain_report")
def test_a_mission_that_never_began(flown: Log, cell: Cell, tmp_path: Path) -> None:
    log = with_records(flown, flown.pool[: WAITED - 5])
    report = reported(log, cell)
    s = report.summary
    assert (s["mission"]["began"], s["mission"]["duration_s"], s["passed"]) == (False, None, False)
    assert verdict(s, MISSION).headline.startswith("The mission never began")
    write_page(report, tmp_path / "report.html")
    assert "there is nothing to draw" in (tmp_path / "report.html").read_text()
    json.dumps(s, allow_nan=False)


@pytest.mark.usefixtures("plain_report")
@pytest.mark.parametrize("cycles", (1, 2, 30, 80, 900))
def test_a_log_that_was_cut_off(flown: Log, cell: Cell, cycles: int, tmp_path: Path) -> None:
    log = with_records(flown, flown.pool[: WAITED + cycles], complete=False)
    report = reported(log, cell)
    s = report.summary
    assert s["mission"]["end"] == "UNDER_WAY"
    assert {"mission_ended", "mission_mated"} <= {row["name"] for row in s["criteria"] if not row["passed"]}
    assert "The mission was cut off after" in verdict(s, MISSION).headline
    write_page(report, tmp_path / "report.html")
    json.dumps(s, allow_nan=False)


def test_what_is_empty_after_the_application_was_killed_is_not_its_mission(flown: Log) -> None:
    """In real time its groups stand for half a second and are zero from then on."""

    def kill(pool: NDArray[np.void]) -> None:
        for group in MISSION_GROUPS:
            pool[group][WAITED + 900 : WAITED + 1025] = pool[group][WAITED + 899]
            pool[group][WAITED + 1025 :] = np.zeros(1, pool[group].dtype)

    cut = run_of(with_records(flown, flown.pool[: WAITED + 900], complete=False))
    killed = run_of(changed(flown, kill))
    assert killed.end is MissionEnd.UNDER_WAY
    assert killed.cycles.start == WAITED
    assert killed.cycles.stop - cut.cycles.stop in range(6)  # truth is told every fifth cycle


# ------------------------------------------------------------------ report
class NoPicture:
    def __init__(self, *_: object, **__: object) -> None:
        raise PictureUnavailable("not in this test")


@pytest.fixture
def plain_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pictures and the largest drawing, which have tests of their own."""
    monkeypatch.setattr(report_figures, "HallPicture", NoPicture)
    monkeypatch.setattr(hall_report_module, "log_sections", lambda *_: ())


@pytest.mark.usefixtures("plain_report")
def test_report_holds_the_mission_and_does_not_change(shown: Log, cell: Cell, tmp_path: Path) -> None:
    files = tmp_path / "a.html", tmp_path / "b.html"
    for out in files:
        report = reported(shown, cell)
        write_page(report, out)
    text = files[0].read_text()
    assert files[1].read_text() == text
    for words in (
        "Mated after 20 s: 50 mm and 0.57 deg off", "Contact", "The approach in orbit", "The approach in the laboratory",
        "What the flight software believed", "What the sensor saw", "Thrusters, wheels, propellant", "Conservation audit",
        "Along the orbit", "Port 1 in the laboratory", "lateral offset",
    ):  # fmt: skip
        assert words in text, words
    # The bridge's part is below.
    assert text.index("The approach in orbit") < text.index("Port 1 in the laboratory")
    assert not re.search(r'(src|href)="(?!data:|#)|<script|<link|@import', text)
    assert len(text) < 6_000_000
    json.dumps(report.summary, allow_nan=False)


@pytest.mark.usefixtures("plain_report")
def test_report_of_a_retreat_without_the_hall(flown: Log, cell: Cell, tmp_path: Path) -> None:
    log = retreating(flown, [3.5, 9.0, 80.0], SCENARIO + FAULT)
    write_page(reported(log, cell), tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert "Gave up after 10 s" in text
    assert "<h2>Contact</h2>" not in text
    assert "The approach in the laboratory" not in text
    assert "The hall did not show this mission" in text


def test_terminal_says_it_in_short(flown: Log, cell: Cell) -> None:
    console = Console(file=io.StringIO(), width=140)
    print_brief(reported(flown, cell), console)
    text = str(console.file.getvalue())  # type: ignore[attr-defined]
    for words in ("mated after 20.00 s", "50.0 mm, tilt 0.57 deg", "21 pulses, 0.90 s on", "not shown in the hall"):
        assert words in text, words


def test_every_criterion_can_be_told(figures: Figures) -> None:
    for row in (*mission_criteria(figures), *mission_criteria({**figures, "abort": "CORRIDOR", "end": "TIME"})):
        again = Criterion.of(json.loads(json.dumps(row.plain())))
        assert criterion_row(again) == criterion_row(row)
        assert all(criterion_row(row)[:3])
