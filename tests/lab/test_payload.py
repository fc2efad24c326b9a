"""Payload against the plate's limit and the robot's rating, before drives go on."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from proxops.core.errors import BadInput
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell, builtin
from proxops.lab.hall_file import Rating
from proxops.lab.mass_properties import MassProperties, joined
from proxops.lab.payload import check_payload, effects, flange_load, plate_load, plate_loads, rated_effects

EPOS = builtin("cells", "epos.toml").read_text()
MOCKUP = builtin("models", "servicer_mockup.urdf").read_text()


@pytest.fixture(scope="module")
def cell() -> Cell:
    return load_cell()


def carrying(cell: Cell, robot: int, mass_kg: float, com_m: tuple[float, float, float], inertia: float = 1.0) -> Cell:
    """The cell with another mock-up on ``robot``, its centre of mass in the flange frame."""
    load = MassProperties(mass_kg, np.array(com_m), inertia * np.eye(3)).seen_from(cell.hall[f"port{robot}_inv"][0])
    mockups = list(cell.mockups)
    mockups[robot - 1] = replace(mockups[robot - 1], load=load)
    return replace(cell, mockups=(mockups[0], mockups[1]))


def test_plates_are_those_of_table_5(cell: Cell) -> None:
    robot1, robot2 = (robot.plate for robot in cell.robots)
    assert (robot1.mass_kg, robot1.max_payload_kg, robot1.inertia_kgm2) == (47.0, 60.0, (19.7, 1.0, 20.3))
    assert (robot2.mass_kg, robot2.max_payload_kg, robot2.inertia_kgm2) == (54.0, 200.0, (19.5, 2.5, 21.3))


def test_table_5s_moments_belong_to_no_payload_and_to_no_bare_plate(cell: Cell) -> None:
    """All mass at two opposite edges of the plate would have m (a / 2)^2 about the line between them. The printed moments are
    larger, so that taking them as the plate's at the flange is on the safe side. Which point they refer to stays open."""
    for robot, edge_m in zip(cell.robots, (0.7, 1.0), strict=True):
        assert robot.plate.inertia_kgm2[0] > robot.plate.mass_kg * (0.5 * edge_m) ** 2
        np.testing.assert_allclose(
            np.diag(plate_load(robot.plate).inertia_about(np.zeros(3))), robot.plate.inertia_kgm2
        )


def test_the_shipped_payloads_are_allowed(cell: Cell) -> None:
    assert check_payload(cell) == []


def test_40_kg_with_1_7_kg_m2_are_carried(cell: Cell) -> None:
    assert check_payload(carrying(cell, 1, 40.0, (0.0, 0.0, 0.15), inertia=1.7)) == []


@pytest.mark.parametrize(("robot", "limit"), [(1, 60.0), (2, 200.0)])
def test_mass_of_a_compact_payload(cell: Cell, robot: int, limit: float) -> None:
    assert check_payload(carrying(cell, robot, limit, (0.0, 0.0, 0.1))) == []
    (finding,) = check_payload(carrying(cell, robot, limit + 0.1, (0.0, 0.0, 0.1)))
    assert (finding.robot, finding.value, finding.bound, finding.unit) == (
        robot,
        pytest.approx(limit + 0.1),
        limit,
        "kg",
    )
    assert str(finding) == f"robot {robot} payload: mass is {limit + 0.1:g} kg, Table 5 allows {limit:g} kg"


@pytest.mark.parametrize(
    ("robot", "mass", "com", "inertia", "named"),
    [
        (1, 59.0, (0.0, 0.0, 0.4), 1.0, "weight on axis 2"),  # too far ahead for the stretched arm
        (1, 59.0, (0.6, 0.0, 0.1), 1.0, "weight on axis 6"),  # too far aside for the last axis
        (1, 20.0, (0.0, 0.0, 0.1), 60.0, "inertia about axis 6"),  # light, and as unwieldy as a wing
        (2, 190.0, (0.0, 0.0, 1.0), 1.0, "weight on axes 4 and 5"),
    ],
)
def test_what_is_too_much_for_an_axis_is_named(
    cell: Cell, robot: int, mass: float, com: tuple[float, float, float], inertia: float, named: str
) -> None:
    findings = check_payload(carrying(cell, robot, mass, com, inertia))
    assert any(named in f.what and f.robot == robot and f.value > f.bound for f in findings)
    assert all("the robot is rated for" in str(f) for f in findings)


def test_the_rated_load_at_its_design_point_is_the_bound_itself(cell: Cell) -> None:
    """Closed form: a load that is the rated one, given as mass properties, does what the rating says, to rounding."""
    rating = cell.file.robot2.rating
    load = MassProperties(
        rating.load_kg, np.array([0.0, -rating.across_m, rating.ahead_m]), rating.inertia_kgm2 * np.eye(3)
    )
    lengths = cell.hall["lengths2"][0]
    np.testing.assert_allclose(
        [e[1:] for e in effects(load, lengths)], [e[1:] for e in rated_effects(rating, lengths)], rtol=1e-12
    )
    wrist = np.hypot(0.27, 0.24 + 0.23)
    assert rated_effects(rating, lengths)[1].weight_Nm == pytest.approx(240.0 * 9.81 * wrist)
    assert rated_effects(Rating(load_kg=1.0, across_m=0.0, ahead_m=0.0, inertia_kgm2=0.0), lengths)[0].weight_Nm == 0.0


def test_bodies_that_are_joined_keep_mass_moment_and_inertia() -> None:
    """Two points of 2 kg, a metre to each side: as a dumb-bell."""
    points = [MassProperties(2.0, np.array([x, 0.0, 0.5]), np.zeros((3, 3))) for x in (-1.0, 1.0)]
    both = joined(points)
    np.testing.assert_allclose(both.com_m, (0.0, 0.0, 0.5))
    np.testing.assert_allclose(both.inertia_kgm2, np.diag([0.0, 4.0, 4.0]))
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]], (0.0, 0.0, 1.0)
    np.testing.assert_allclose(both.seen_from(T).inertia_about(np.zeros(3)), np.diag([4 + 9.0, 9.0, 4.0]))


def test_a_centre_of_mass_in_millimetres(cell: Cell) -> None:
    findings = check_payload(carrying(cell, 2, 25.0, (0.0, 0.0, 50.0)))
    assert any("centre of mass" in f.what and f.unit == "m" and f.value > 2.0 for f in findings)


def test_both_robots_are_checked(cell: Cell) -> None:
    both = carrying(carrying(cell, 1, 61.0, (0.0, 0.0, 0.1)), 2, 201.0, (0.0, 0.0, 0.1))
    assert [f.robot for f in check_payload(both)] == [1, 2]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ('ixx="9.0"', "no body has such"),
        ('ixx="nan"', "<inertial> of link port needs finite numbers"),
    ],
)
def test_a_tensor_that_no_body_has(tmp_path: Path, value: str, told: str) -> None:
    (tmp_path / "mine.toml").write_text(EPOS)
    (tmp_path / "servicer_mockup.urdf").write_text(MOCKUP.replace('ixx="0.624667"', value))
    with pytest.raises(BadInput, match=f"robot1.payload.model: .*{told}|{told}"):
        load_cell(tmp_path / "mine.toml")


def test_loads_add_up(cell: Cell) -> None:
    for robot, row in enumerate(plate_loads(cell), 1):
        assert row["total_kg"] == flange_load(cell, robot).mass_kg
        assert 0.0 < float(row["rating_used"]) < 1.0
