"""Mission files: everything shipped loads, a file may be like another, and what no mission can have is refused by name."""

from pathlib import Path

import pytest

from proxops.applications.catalogue import load, shelf
from proxops.core.errors import BadInput
from proxops.core.mission import Mission, load_mission, mission_paths, parse_mission
from proxops.core.scenario import Scenario
from proxops.space.reference_orbit import reference_orbit

HEAD = 'like = "approach"\nname = "mine"\nabout = "mine"\n'
ORBIT = '[orbit]\nkind = "numerical"\n'


def parsed(text: str) -> Mission:
    return parse_mission(HEAD + text, Path("mine.toml"))


@pytest.mark.parametrize("name", list(mission_paths()))
def test_every_shipped_mission_loads_and_has_an_orbit(name: str) -> None:
    mission = load_mission(name)
    assert mission.name == name
    reference_orbit(mission.file.orbit, 100.0)


def test_names_are_unique_on_the_shelf() -> None:
    names = [item.name for item in shelf()]
    assert len(set(names)) == len(names)
    assert isinstance(load("extepos"), Scenario) and isinstance(load("approach"), Mission)


def test_like_joins_tables_and_replaces_lists_and_other_kinds() -> None:
    base = load_mission("approach").file
    mine = parsed(
        'plan = [{ kind = "hold", duration_s = 1.0 }]\n[orbit]\neccentricity = 0.01\n[target]\nmass_kg = 900.0\n'
    ).file
    assert mine.orbit.semi_major_axis_km == base.orbit.semi_major_axis_km  # type: ignore[union-attr]
    assert mine.orbit.eccentricity == 0.01  # type: ignore[union-attr]
    assert (mine.target.mass_kg, mine.target.inertia_kg_m2) == (900.0, base.target.inertia_kg_m2)
    assert len(mine.plan) == 1
    assert load_mission("iss").file.orbit.kind == "tle"


def test_sensors_that_see_stand_beside_the_pose_sensor() -> None:
    """One that is not named is there all the same: flight software navigates by it."""
    mine = parsed('[[sensor]]\nkind = "camera"\nname = "near"\n[[sensor]]\nkind = "lidar"\nname = "scan"\n').file
    assert [one.name for one in mine.imaging] == ["near", "scan"]
    assert mine.sensor == load_mission("approach").file.sensor
    other = parsed('[[sensor]]\nkind = "pose"\nrate_hz = 5.0\n[[sensor]]\nkind = "tof"\nname = "depth"\n').file
    assert other.sensor.rate_hz == 5.0 and len(other.imaging) == 1
    assert parsed("[sensor]\nrate_hz = 5.0\n").file.sensor.rate_hz == 5.0
    alone = parsed('[sensor]\nkind = "camera"\nname = "eye"\n').file  # one table instead of a list of one
    assert len(alone.imaging) == 1 and alone.sensor == load_mission("approach").file.sensor


BOTH = '[[sensor]]\nkind = "tof"\nname = "a"\n[[sensor]]\nkind = "tof"\nname = "a_orbit"\n[scenery]\nsee = "both"\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[orbit]\nsemi_major_axis_km = 6400.0\n", "perigee inside the Earth"),
        ("[orbit]\neccentricity = 0.2\n", "perigee inside the Earth"),
        ("[orbit]\neccentricity = 1.0\n", "no ellipse"),
        ("[orbit]\neccentricity = -0.1\n", "no ellipse"),
        ("[orbit]\nepoch = \"tomorrow\"\n", "orbit.numerical.epoch: not a UTC date"),
        ("[target]\nmass_kg = -5.0\n", "target.mass_kg: no spacecraft has it; got -5.0"),
        ("[chaser]\nmass_kg = 0.0\n", "chaser.mass_kg"),
        ("[target]\ninertia_kg_m2 = [[1, 0, 0], [0, 1, 0], [0, 0, 10]]\n", "triangle inequality"),
        ("[target]\ninertia_kg_m2 = [[100, 1, 0], [0, 100, 0], [0, 0, 100]]\n", "not symmetric"),
        ("[target]\ninertia_kg_m2 = [[100, 0, 0], [0, 0, 0], [0, 0, 100]]\n", "singular or not positive"),
        ("[target]\ninertia_kg_m2 = [[100, 0, 0], [0, -5, 0], [0, 0, 100]]\n", "singular or not positive"),
        ("[chaser]\npropellant_kg = 700.0\n", "more than the craft's mass"),
        ("[chaser.wheels]\naxes = [[1, 0, 0], [0, 1, 0], [1, 1, 0]]\n", "do not span all directions"),
        ("[sensor]\nrate = 5\n", "sensor 1 (pose).rate: unknown key"),
        ("[sensor]\nrate_hz = nan\n", "sensor 1 (pose).rate_hz: out of range"),
        ('[[sensor]]\nname = "eye"\n', "sensor 1.kind: is missing"),
        ('[[sensor]]\nkind = "camera"\nname = "eye"\nexposure_ms = 0.0\n', "sensor 1 (camera).exposure_ms"),
        ('[[sensor]]\nkind = "pose"\n[[sensor]]\nkind = "pose"\n', "sensor: more than one sensor of kind pose"),
        (BOTH, "second name"),
        ('[[sensor]]\nkind = "camera"\nname = "a"\nrate_hz = 5\nexposure_ms = 900.0\n', "longer than the sensor's period"),
        ('[[sensor]]\nkind = "tof"\nname = "a"\n[[sensor]]\nkind = "lidar"\nname = "a"\n', "sensor: two sensors of one name"),
        ('fault = [{ kind = "stuck_open", at_s = 1.0, thruster = 25 }]\n', "out of range"),
        ('plan = [{ kind = "final", speed_m_s = 0.01 }]\n', "plan 1 (final): not on the docking axis"),
        ('plan = [{ kind = "nonsense" }]\n', "not one of the choices"),
        ("[flight]\nrate_hz = 7\n", "not one of the choices"),
    ],
)  # fmt: skip
def test_what_no_mission_can_have_is_refused_by_name(text: str, words: str) -> None:
    with pytest.raises(BadInput) as refused:
        parsed(text)
    assert "mine.toml" in str(refused.value) and words in str(refused.value)


def test_a_thruster_that_does_not_exist_is_refused() -> None:
    own = ", ".join(
        f"{{ place_m = [0, 0, 0], direction = [{x}, {y}, {z}] }}" for x, y, z in ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    )
    with pytest.raises(BadInput, match="no such thruster; got 9; allowed: 1 … 3"):
        parsed(f'fault = [{{ kind = "stuck_open", at_s = 1.0, thruster = 9 }}]\n[chaser.thrusters]\neach = [{own}]\n')


@pytest.mark.parametrize("what", ["nowhere", "approach "])
def test_unknown_names_and_bases_are_refused_with_those_there_are(what: str) -> None:
    with pytest.raises(BadInput, match="approach"):
        load(what)
    with pytest.raises(BadInput, match="like: no such mission is shipped"):
        parse_mission(f'like = "{what}"\nname = "x"\nabout = "x"\n', Path("x.toml"))


def test_a_scripted_scenario_has_no_orbit() -> None:
    with pytest.raises(BadInput, match="has no orbit of two craft"):
        load_mission("extepos")
