"""Whole approaches with the flight software in the loop: own plant, stand-in filter (tests/shared/rendezvous_plant.py)."""

import math
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from rendezvous_plant import Run, lvlh_of, rendezvous

import proxops
from proxops.core.flight import Floats
from proxops.core.mission import FinalStep, MissionFile, parse_mission
from proxops.core.vocabulary import AbortCause, MissionPhase
from proxops.maths.quaternion import turned
from proxops.onboard.approach_logic import AbortWatch, trusted

SOURCE = Path(proxops.__file__).parent / "missions" / "approach.toml"
TUMBLE = "axis = [-0.77, 0.35, -0.53], rate_deg_s = [0.2, 0.02, -0.03]"
PRODUCTS = "[[320.0, 4.0, -3.0], [4.0, 400.0, 2.0], [-3.0, 2.0, 380.0]]"


def mission(*changes: tuple[str, str]) -> MissionFile:
    text = SOURCE.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return parse_mission(text, SOURCE).file


START = "position_m = [-25.0, 0.0, 0.0]"
# Where neither the way there nor the waiting is what counts.
BRISK = [
    ('{ kind = "hold", duration_s = 30.0 }', '{ kind = "hold", duration_s = 5.0 }'),
    ("to_m = 5.0", "to_m = 3.7"),
    ('{ kind = "hold", duration_s = 60.0 }', '{ kind = "hold", duration_s = 10.0 }'),
    ("rate_deg_s = 0.5", "rate_deg_s = 1.0"),
]
NEARER = [(START, "position_m = [-5.5, 0.0, 0.0]"), *BRISK]


def start_at(place: list[float], axis: list[float]) -> list[tuple[str, str]]:
    """From nearer than the flagship, and at 5 Hz: another rate is worth a flight, too."""
    return [
        ("duration_s = 1800.0", "duration_s = 1800.0\nflight = { rate_hz = 5 }"),
        (START, f"position_m = {place}"),
        ("attitude = { axis = [-1.0, 0.0, 0.0] }", f"attitude = {{ axis = {axis} }}"),
        *BRISK,
    ]


def check_contact(run: Run) -> None:
    """Limits of a docking mechanism; closing speed within a fifth of what was ordered, the estimate's noise being 0.5 mm/s."""
    assert run.plant.mated, (run.plant.t, run.names, run.software.logic.cause)
    c = run.plant.contact()
    assert c["lateral"] < 0.05
    assert c["lateral_rate"] < 0.02
    assert max(c["tilt"], c["roll"]) < 2.0
    assert c["rate"] < 0.1
    assert c["closing"] == pytest.approx(0.01, abs=0.002)


STEPS = ["ACQUISITION", "HOLD", "APPROACH", "HOLD", "FLY_AROUND", "HOLD", "FINAL"]
BRANCHES_S = (40.0, 60.0, 100.0, 400.0)  # where something goes wrong in a test below


@pytest.fixture(scope="module")
def flagship() -> dict[float, Run]:
    """The shipped mission flown once, as it stood at these moments and at its end: a failure needs no approach of its own."""
    run = rendezvous(mission())
    kept = {t_s: deepcopy(run.until(t_s)) for t_s in BRANCHES_S}
    return {**kept, math.inf: run.until(1500.0)}


def branch(flagship: dict[float, Run], t_s: float) -> Run:
    """The flagship at this moment, for oneself."""
    return deepcopy(flagship[t_s])


def test_a_branch_flies_as_the_flagship_did(flagship: dict[float, Run]) -> None:
    for begin, end in ((40.0, 60.0), (60.0, 100.0)):
        flown, kept = branch(flagship, begin).until(end), flagship[end]
        assert flown.phases == kept.phases
        assert flown.plant.propellant_kg == kept.plant.propellant_kg
        for name in ("chaser", "target", "q_c", "w_c", "q_t", "wheel", "on"):
            assert np.array_equal(getattr(flown.plant, name), getattr(kept.plant, name)), name


def test_the_flagship_mates(flagship: dict[float, Run]) -> None:
    run = flagship[math.inf]
    check_contact(run)
    assert run.names[:7] == STEPS
    assert run.corridor < 0.5
    assert run.error < 0.08  # m: dead zone (some 2 cm at 15 m) with the ramps' transients
    assert 40.0 - run.plant.propellant_kg < 0.2  # 0.09 was measured
    assert run.software.logic.unexpected == 0


def test_a_client_that_spins_at_five_degrees_per_second() -> None:
    spin = (TUMBLE, "axis = [-0.77, 0.35, -0.53], rate_deg_s = [5.0, 0.0, 0.0]")
    about_its_axis = (PRODUCTS, "[[320.0, 0.0, 0.0], [0.0, 400.0, 0.0], [0.0, 0.0, 380.0]]")
    run = rendezvous(mission(*NEARER, spin, about_its_axis), seed=3).until(1500.0)
    check_contact(run)
    assert abs(np.degrees(run.plant.w_c[0]) - 5.0) < 0.1


def test_a_docking_axis_that_cones() -> None:
    """With products of inertia the same spin makes the docking axis go round a cone; the chaser goes with it."""
    spin = (TUMBLE, "axis = [-0.77, 0.35, -0.53], rate_deg_s = [5.0, 0.0, 0.0]")
    check_contact(rendezvous(mission(*NEARER, spin), seed=3).until(1500.0))


@pytest.mark.parametrize(
    ("place", "axis"),
    [([5.5, 0.0, 0.0], [1.0, 0.0, 0.0]), ([0.0, 0.0, 5.5], [0.0, 0.0, 1.0]), ([0.0, 0.0, -5.5], [0.0, 0.0, -1.0])],
    ids=["V-bar ahead", "R-bar below", "R-bar above"],
)
def test_other_directions(place: list[float], axis: list[float]) -> None:
    check_contact(rendezvous(mission(*start_at(place, axis))).until(1800.0))


def test_a_docking_axis_that_points_away() -> None:
    """Half round the target, where the great circle is not even unique."""
    away = (TUMBLE, "axis = [1.0, 0.0, 0.0], rate_deg_s = [0.0, 0.0, 0.0]")
    check_contact(rendezvous(mission(away, *start_at([-5.5, 0.0, 0.0], [-1.0, 0.0, 0.0]))).until(1800.0))


def test_fly_around_to_an_lvlh_direction_keeps_distance() -> None:
    plan = (
        '{ kind = "fly_around", to = "docking_axis", rate_deg_s = 1.0 },\n    { kind = "hold", duration_s = 10.0 },\n'
        '    { kind = "final", speed_m_s = 0.01 },',
        '{ kind = "fly_around", to = [0.0, 0.0, 1.0], rate_deg_s = 1.0 },\n    { kind = "hold", duration_s = 10.0 },',
    )  # fmt: skip
    run = rendezvous(mission(*NEARER, plan)).until(275.0)
    R, _ = lvlh_of(run.plant.target)
    place = R.T @ run.plant.chaser[0]
    # 3.7 m below, within the dead zone and noise.
    np.testing.assert_allclose(place, [0.0, 0.0, 3.7], atol=0.04)
    assert run.plant.seen[0] > 3.6
    assert run.names[-1] == "HOLD"


# --- failures ---


def test_a_thruster_stuck_open_is_isolated_and_the_approach_goes_on(flagship: dict[float, Run]) -> None:
    run = branch(flagship, 100.0)
    run.plant.open_[5] = True
    run.until(160.0)
    assert run.software.watch.isolated.tolist() == [i == 5 for i in range(24)]
    assert run.software.logic.phase == MissionPhase.APPROACH
    assert run.error < 0.1


def test_thrusters_stuck_closed_are_left_out() -> None:
    run = rendezvous(mission(*NEARER)).until(10.0)
    run.plant.closed[[0, 12]] = True
    run.until(200.0)
    found = np.flatnonzero(~run.software.watch.healthy)
    assert set(found.tolist()) <= {0, 12}
    assert found.size > 0
    assert not run.software.watch.isolated.any()
    assert run.software.logic.phase == MissionPhase.FLY_AROUND


def check_abort(run: Run, cause: AbortCause) -> None:
    """Given up for this cause, away from the target for an orbit, with nothing but wheels in the end."""
    assert run.software.logic.cause == cause
    assert run.names[-2:] == ["RETREAT", "DRIFT"]
    away = np.linalg.norm(run.plant.chaser[0])
    before = run.plant.propellant_kg
    run.until(run.plant.t + 300.0)
    assert np.linalg.norm(run.plant.chaser[0]) > away
    assert run.plant.propellant_kg == before
    assert np.degrees(np.linalg.norm(run.plant.w_c)) < 0.2  # attitude held, turning with LVLH


def test_sensor_lost(flagship: dict[float, Run]) -> None:
    run = branch(flagship, 60.0)
    run.navigation.blind = True
    run.until(64.0)
    assert run.software.logic.phase == MissionPhase.APPROACH
    run.until(69.0)
    assert run.software.logic.phase == MissionPhase.REACQUISITION
    check_abort(run.until(90.0), AbortCause.SENSOR_LOST)
    assert off_the_line_of_sight_deg(run.until(400.0)) < 2.0  # it goes on looking to where the client is


def off_the_line_of_sight_deg(run: Run) -> float:
    """Between the chaser's -x and the way to the client."""
    ahead = -turned(run.plant.q_c, np.array([1.0, 0.0, 0.0]))
    way = -run.plant.chaser[0]
    return math.degrees(math.acos(ahead @ way / np.linalg.norm(way)))


@pytest.mark.parametrize("begin_s", [100.0, 400.0])  # on the straight way; on the way round
def test_without_measurements_it_stands_and_goes_on_when_they_come(flagship: dict[float, Run], begin_s: float) -> None:
    run = branch(flagship, begin_s)
    phase, limits = run.software.logic.phase, run.plant.file.abort
    run.software.aborts = AbortWatch(limits.model_copy(update={"sensor_loss_s": 300.0}), math.pi, 0.1)
    run.navigation.blind = True
    run.until(begin_s + limits.sensor_hold_s + 40.0)
    assert run.software.logic.phase == MissionPhase.REACQUISITION
    before = in_lvlh(run)
    stood = in_lvlh(run.until(begin_s + limits.sensor_hold_s + 80.0))
    assert np.linalg.norm(stood - before) < 0.05  # dead zone and the stand-in's noise
    run.navigation.blind = False
    run.until(run.plant.t + 60.0)
    assert run.software.logic.phase == phase
    assert np.linalg.norm(in_lvlh(run) - stood) > 0.5
    assert run.software.logic.unexpected == 0
    assert run.corridor < 0.6  # coming to rest and setting off again ask for no more than the way itself


def test_no_step_begins_while_it_waits(flagship: dict[float, Run]) -> None:
    """A step may come to its end there: an axis that tumbles comes to who stands."""
    run = branch(flagship, 400.0)
    software, limits = run.software, run.plant.file.abort
    software.aborts = AbortWatch(limits.model_copy(update={"sensor_loss_s": 300.0}), math.pi, 0.1)
    number, run.navigation.blind = software.guidance.number, True
    run.until(400.0 + limits.sensor_hold_s + 1.0)
    software.guidance.finished = lambda: True  # type: ignore[method-assign]
    run.until(run.plant.t + 2.0)
    assert software.logic.phase == MissionPhase.REACQUISITION
    assert software.guidance.number == number
    run.navigation.blind = False
    run.until(run.plant.t + 0.3)
    assert software.guidance.number > number


@pytest.mark.parametrize(("blind_m", "doubt", "mates"), [(0.07, 1.0, True), (0.3, 1.0, False), (0.07, 100.0, False)])
def test_the_last_decimetre_is_flown_blind_by_who_knows_enough(blind_m: float, doubt: float, mates: bool) -> None:
    """Eyes see too little of the client there; without measurements for 5 s further off, or unsure of itself, it stands."""
    run = rendezvous(mission(*NEARER))
    while not isinstance(run.software.guidance.present, FinalStep) or run.software._situation.between[0] > blind_m:
        run.until(run.plant.t + 1.0)
    run.navigation.blind, run.navigation.doubt = True, doubt
    run.until(run.plant.t + 9.9)
    assert ("REACQUISITION" not in run.names) == mates
    if mates:
        check_contact(run)


def test_who_sees_nothing_does_not_wait_where_it_may_touch() -> None:
    """0.05 m off when it has seen nothing for 5 s, known to 0.03 m: enough to go on by what is measured, too
    little to stand there for two minutes."""
    run = rendezvous(mission(*NEARER))
    limits = run.plant.file.abort.model_copy(update={"sensor_loss_s": 120.0})
    run.software.aborts = AbortWatch(limits, math.pi, 0.1)
    while not isinstance(run.software.guidance.present, FinalStep) or run.software._situation.between[0] > 0.12:
        run.until(run.plant.t + 1.0)
    run.navigation.doubt = 20.0
    run.until(run.plant.t + 2.0)
    assert run.names[-1] == "FINAL"
    run.navigation.blind = True
    run.until(run.plant.t + limits.sensor_hold_s + 1.5)
    assert run.software.logic.cause == AbortCause.UNCERTAIN


def in_lvlh(run: Run) -> Floats:
    R, _ = lvlh_of(run.plant.target)
    return np.asarray(R.T @ run.plant.chaser[0])


def test_uncertain(flagship: dict[float, Run]) -> None:
    run = branch(flagship, 60.0)
    run.navigation.doubt = 200.0  # 1.25 cm at 25 m becomes 2.5 m: twice what is allowed
    check_abort(run.until(80.0), AbortCause.UNCERTAIN)


def test_who_is_far_off_and_knows_too_little_stands_and_searches_as_long_as_who_sees_nothing(
    flagship: dict[float, Run],
) -> None:
    run = branch(flagship, 60.0)
    limits = run.plant.file.abort.model_copy(update={"sensor_loss_s": 60.0})
    run.software.aborts = AbortWatch(limits, math.pi, 0.1)
    run.navigation.doubt = 200.0
    run.until(100.0)
    assert run.software.logic.phase == MissionPhase.REACQUISITION
    run.navigation.doubt = 1.0
    run.until(110.0)
    assert run.software.logic.phase == MissionPhase.APPROACH
    run.navigation.doubt = 200.0
    check_abort(run.until(180.0), AbortCause.UNCERTAIN)


@pytest.mark.parametrize(("position_sigma_m", "cycles"), [(1.5, 600), (8.0, 10)], ids=["far off", "may be near"])
def test_who_may_be_in_the_keep_out_sphere_does_not_wait(position_sigma_m: float, cycles: int) -> None:
    run = rendezvous(mission())  # 25 m off, the sphere has 4 m
    estimate = run.navigation.estimate
    estimate.covariance[:3, :3] = np.eye(3) * position_sigma_m**2
    watch = AbortWatch(run.plant.file.abort.model_copy(update={"sensor_loss_s": 60.0}), math.pi, 0.1)
    causes = [watch.look(estimate, 0.0, 0.0, 0.0, True, False) for _ in range(cycles)]
    assert set(causes[:-1]) == {AbortCause.NONE} and causes[-1] is AbortCause.UNCERTAIN


def test_uncertain_attitude_counts_in_the_final_step_only() -> None:
    run = rendezvous(mission())
    estimate, limits = run.navigation.estimate, run.plant.file.abort
    assert trusted(estimate, limits, final=True)
    estimate.covariance[6, 6] = np.radians(limits.attitude_sigma_deg) ** 2 * 1.1
    assert not trusted(estimate, limits, final=True)
    assert trusted(estimate, limits, final=False)


def test_corridor(flagship: dict[float, Run]) -> None:
    run = branch(flagship, 400.0)
    run.plant.chaser[1] += (
        0.15
        * np.cross(run.plant.chaser[0], run.plant.target[0])
        / np.linalg.norm(np.cross(run.plant.chaser[0], run.plant.target[0]))
    )
    check_abort(run.until(440.0), AbortCause.CORRIDOR)
    assert run.corridor > 1.0


def test_field_of_view(flagship: dict[float, Run]) -> None:
    run = branch(flagship, 60.0)
    run.plant.w_c += np.array([0.0, 0.06, 0.0])  # a blow that the wheels need a while to take up
    run.until(200.0)
    assert run.software.logic.cause == AbortCause.FIELD_OF_VIEW


def test_too_few_thrusters() -> None:
    run = rendezvous(mission(("to_m = 5.0", "to_m = 21.0"))).until(60.0)
    run.plant.closed[run.plant.data.thruster_directions[:, 0] > 0.5] = True  # nothing brakes any more
    run.until(160.0)
    assert run.software.logic.cause == AbortCause.ACTUATORS


def test_waits_for_the_filter_with_the_attitude_held() -> None:
    run = rendezvous(mission())
    run.navigation.wake_s = 50.0
    run.until(45.0)
    assert run.names == ["ACQUISITION"]
    assert run.plant.propellant_kg == 40.0
    assert run.plant.contact()["gap"] != 0.0
    assert np.degrees(np.linalg.norm(run.plant.w_c)) < 0.1
