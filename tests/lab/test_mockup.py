"""Another mock-up in the cell file: its solids are watched, its mass is judged, and what is missing is refused by name."""

from pathlib import Path

import numpy as np
import pytest
from tests.shared.own_mockup import OWN, own_cell

from proxops.core.errors import BadInput
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell, builtin
from proxops.lab.payload import check_payload, flange_load, plate_loads
from proxops.lab.shapes import MOCKUP, ROBOT2, hall_shapes
from proxops.safety.watched_solids import mockup_boxes


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Cell:
    cell = load_cell(own_cell(tmp_path_factory.mktemp("cell")))
    assert isinstance(cell, Cell)
    return cell


def test_its_solids_are_those_that_are_watched(mine: Cell) -> None:
    """Of every link, in the port frame; the red box reaches round all of them."""
    box, panel = (s for s in hall_shapes(mine) if s.body == ROBOT2 + MOCKUP)
    assert (box.kind, box.size_m, panel.size_m) == ("box", (0.4, 0.5, 0.6), (0.02, 1.0, 0.4))
    np.testing.assert_allclose(panel.T_body_shape[:3, 3], (-0.2, 0.9, 0.0))
    np.testing.assert_allclose(mockup_boxes(mine)[1], [(-0.42, -0.27, -0.32), (0.02, 1.42, 0.32)])


def test_its_mass_is_what_is_judged_and_told(mine: Cell) -> None:
    """By hand: 30 kg at y = 0 and 10 kg at y = 0.9 m of the port; x of the port is z of the flange, 0.48 m ahead."""
    load = mine.mockups[1].load
    assert load.mass_kg == plate_loads(mine)[1]["payload_kg"] == 40.0
    np.testing.assert_allclose(load.com_m, (-0.2, 0.225, 0.0))
    apart = 30.0 * 10.0 / 40.0 * 0.9**2  # reduced mass times the squared distance
    np.testing.assert_allclose(load.inertia_kgm2, np.diag([1.1 + apart, 1.05, 1.05 + apart]))
    assert flange_load(mine, 2).com_m[2] == pytest.approx((54.0 * 0.0125 + 40.0 * 0.28) / 94.0)
    assert check_payload(mine) == []


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            '<collision><geometry><box size="0.02 1 0.4"/></geometry></collision>',
            "",
            "no collision shape on link panel",
        ),
        ('type="fixed"', 'type="continuous"', "joint root of a mock-up moves"),
        ('<child link="panel"/>', '<child link="lid"/>', "link panel does not hang on link port"),
        ('<mass value="30"/>', '<mass value="heavy"/>', "<inertial> of link port needs finite numbers"),
        ('<mass value="30"/>', '<mass value="-30"/>', "no body has such a mass"),
        ("inertial>", "inertia1>", "the mock-up has no <inertial>"),
        ("port", "door", "no link port"),
    ],
)
def test_what_a_mock_up_lacks_is_named_when_the_cell_is_read(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in OWN
    with pytest.raises(BadInput, match=told) as refusal:
        load_cell(own_cell(tmp_path, OWN.replace(old, new)))
    assert "cube.urdf" in str(refusal.value)


def test_a_mock_up_without_shapes_is_refused_by_name(tmp_path: Path) -> None:
    bare = '<robot name="m"><link name="port"><inertial><mass value="1"/></inertial></link></robot>'
    with pytest.raises(BadInput, match=r"robot2\.payload\.model: no collision shape on link port of the mock-up"):
        load_cell(own_cell(tmp_path, bare))


def test_a_mock_up_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = own_cell(tmp_path)
    (tmp_path / "cube.urdf").unlink()
    with pytest.raises(BadInput, match=r"robot2\.payload\.model.*cube\.urdf|cube\.urdf.*robot2\.payload\.model"):
        load_cell(path)


def test_a_mass_in_the_cell_file_is_told_where_it_belongs(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"robot2\.payload.*mass_kg: a mock-up is weighed in one place, <inertial>"):
        load_cell(own_cell(tmp_path, more=", mass_kg = 25.0"))


def test_shipped_mock_ups_weigh_what_their_files_say() -> None:
    servicer, client = load_cell().mockups
    assert (servicer.load.mass_kg, client.load.mass_kg) == (20.0, 60.0)
    assert servicer.path == builtin("models", "servicer_mockup.urdf")
