"""Payload against Table 5 of the paper, before drives go on."""

from dataclasses import replace
from pathlib import Path

import pytest

from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell, builtin
from proxops.lab.payload import check_payload, plate_loads

EPOS = builtin("cells", "epos.toml").read_text()


@pytest.fixture(scope="module")
def cell() -> Cell:
    return load_cell()


def with_payload(cell: Cell, robot: int, **changes: object) -> Cell:
    """The cell with another payload on ``robot``."""
    name = f"robot{robot}"
    arm = getattr(cell.file, name)
    payload = arm.payload.model_copy(update=changes)
    file = cell.file.model_copy(update={name: arm.model_copy(update={"payload": payload})})
    return replace(cell, file=file)


def test_plates_are_those_of_table_5(cell: Cell) -> None:
    """Mass of the plate, largest payload, largest moments."""
    robot1, robot2 = (robot.plate for robot in cell.robots)
    assert (robot1.mass_kg, robot1.max_payload_kg, robot1.max_inertia_kgm2) == (47.0, 60.0, (19.7, 1.0, 20.3))
    assert (robot2.mass_kg, robot2.max_payload_kg, robot2.max_inertia_kgm2) == (54.0, 200.0, (19.5, 2.5, 21.3))


def test_the_shipped_payloads_are_allowed(cell: Cell) -> None:
    assert check_payload(cell) == []


@pytest.mark.parametrize(("robot", "limit"), [(1, 60.0), (2, 200.0)])
def test_mass(cell: Cell, robot: int, limit: float) -> None:
    assert check_payload(with_payload(cell, robot, mass_kg=limit)) == []
    (finding,) = check_payload(with_payload(cell, robot, mass_kg=limit + 0.1))
    assert (finding.robot, finding.value, finding.bound, finding.unit) == (robot, limit + 0.1, limit, "kg")
    text = str(finding)
    assert f"robot {robot}" in text
    assert "mass" in text
    assert f"{limit + 0.1:g} kg" in text
    assert f"{limit:g} kg" in text


@pytest.mark.parametrize(
    ("robot", "inertia", "named"),
    [
        (1, (19.8, 1.0, 19.7), ["Ixx"]),
        (1, (10.0, 1.1, 10.0), ["Iyy"]),
        (1, (19.7, 1.0, 20.4), ["Izz"]),
        (1, (25.0, 5.0, 25.0), ["Ixx", "Iyy", "Izz"]),
        (2, (19.6, 2.5, 19.5), ["Ixx"]),
        (2, (10.0, 2.6, 10.0), ["Iyy"]),
        (2, (19.5, 2.5, 21.4), ["Izz"]),
    ],
)
def test_moments(cell: Cell, robot: int, inertia: tuple[float, float, float], named: list[str]) -> None:
    findings = check_payload(with_payload(cell, robot, inertia_kgm2=inertia))
    assert [word for word in ("Ixx", "Iyy", "Izz") if any(word in f.what for f in findings)] == named
    assert all(f.value > f.bound and f.robot == robot for f in findings)


def test_a_tensor_that_no_body_has(cell: Cell) -> None:
    """No moment can exceed the sum of the other two."""
    (finding,) = check_payload(with_payload(cell, 1, inertia_kgm2=(0.2, 0.3, 0.6)))
    assert (finding.value, finding.bound) == (0.6, 0.5)


@pytest.mark.parametrize("com", [(2.1, 0, 0), (0, -2.1, 0), (0, 0, 50.0)])
def test_a_centre_of_mass_in_millimetres(cell: Cell, com: tuple[float, float, float]) -> None:
    (finding,) = check_payload(with_payload(cell, 2, com_m=com))
    assert finding.value == max(map(abs, com))
    assert finding.unit == "m"


def test_both_robots_are_checked(cell: Cell) -> None:
    both = with_payload(with_payload(cell, 1, mass_kg=61.0), 2, mass_kg=201.0)
    assert [f.robot for f in check_payload(both)] == [1, 2]


def test_a_payload_from_a_file_is_checked_too(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(EPOS.replace("mass_kg = 18.0", "mass_kg = 61.0"))
    (finding,) = check_payload(load_cell(path))
    assert finding.value == 61.0


def test_loads_add_up(cell: Cell) -> None:
    for row, robot in zip(plate_loads(cell), cell.robots, strict=True):
        assert row["total_kg"] == robot.plate.mass_kg + robot.payload.mass_kg
