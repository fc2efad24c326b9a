"""Docking through the virtual hall: bounce and capture as they should be; what speaks against is named, the robots go back."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proxops.applications.catalogue import experiment_paths, parse_experiment
from proxops.applications.docking.application import DockingStage
from proxops.applications.docking.experiment import DockingRan, dock
from proxops.applications.docking.result import judge, sum_up
from proxops.applications.docking.tables import DockingFile
from proxops.core.errors import BadInput
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell


@pytest.fixture(scope="module")
def cell() -> Cell:
    return load_cell()


def file_of(name: str, **changes: dict[str, Any] | None) -> DockingFile:
    """A shipped scenario with a short approach, tables changed; None takes a table out."""
    path = experiment_paths()[name]
    file = parse_experiment(path.read_text(), path).file
    values = json.loads(file.model_dump_json())
    values["approach"]["gap_mm"], values["flight_s"] = 40.0, 8.0
    if values["shape"]["kind"] == "cone":
        values["approach"]["gap_mm"] = 60.0
    for table, change in changes.items():
        values[table] = None if change is None else {**(values[table] or {}), **change}
    return DockingFile.model_validate(values)


def flown(cell: Cell, name: str, seed: int = 1, **changes: dict[str, Any] | None) -> DockingRan:
    return dock(file_of(name, **changes), cell, seed)


@pytest.fixture(scope="module")
def bounced(cell: Cell) -> DockingRan:
    return flown(cell, "docking_bounce")


def test_a_bounce_keeps_its_certificate(bounced: DockingRan) -> None:
    result = sum_up(bounced)
    assert result.passed, [c for c in result.criteria if not c.passed]
    assert result.figures["verdict"] == "admitted"
    assert result.figures["loop_delay_ms"] == pytest.approx(24.0, abs=0.3)  # 8 ms dead, 12 ms lag, 4 ms of the cycle
    (one,) = judge(bounced)
    assert one.error < 0.005
    assert one.raw.leaving / one.touch.closing > 1.5  # what the delay would have made of it


def test_the_same_seed_gives_the_same_run(cell: Cell, bounced: DockingRan) -> None:
    again = flown(cell, "docking_bounce")
    a, b = bounced.application, again.application
    assert a.count == b.count
    assert a.rows[: a.count].tobytes() == b.rows[: b.count].tobytes()


def test_a_probe_in_a_cone_is_captured(cell: Cell) -> None:
    result = sum_up(flown(cell, "docking"))
    assert result.passed, [c for c in result.criteria if not c.passed]
    assert result.figures["outcome"] == "capture"


@pytest.mark.parametrize("exponent", [1.0, 1.3])
def test_a_law_that_nobody_declared_is_found_on_touch(cell: Cell, exponent: float) -> None:
    """Stiffness unknown, exponent free: within 0.01, the bound for undeclared laws."""
    contact = {"exponent": exponent, "stiffness_N_mm": 60.0}
    ran = flown(cell, "docking_bounce", believed=None, contact=contact, loop={"law": "free"})
    assert not ran.application.failure
    assert ran.application.judge.certificate is not None
    assert ran.application.judge.certificate.verdict == "admitted"  # it was open until the first touch
    (one,) = judge(ran)
    assert one.error < 0.01


def test_without_compensation_the_ledger_shows_it(cell: Cell) -> None:
    """As the delay makes it: the run fails its criterion of the energy, by as much as the pure delay foretells."""
    ran = flown(cell, "docking_bounce", loop={"compensation": "none"})
    (one,) = judge(ran)
    # The drives are no pure delay.
    assert one.touch.restitution == pytest.approx(one.raw.leaving / one.touch.closing, rel=0.15)
    failed = {row.name for row in sum_up(ran).criteria if not row.passed}
    assert "kinetic energy gained by a contact, share" in failed


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"sensor": {"noise_N": 4.0}}, "B = "),
        ({"sensor": {"dead_zone_N": 60.0}}, "dead zone D / F"),
        ({"believed": {"stiffness_N_mm": 900.0}, "loop": {"most_stiffness_N_mm": 2000.0}}, "omega tau"),
    ],
    ids=["noise", "dead zone", "stiff"],
)
def test_what_cannot_be_certified_is_refused_before_contact(cell: Cell, changes: dict[str, Any], rule: str) -> None:
    ran = flown(cell, "docking_bounce", **changes)
    assert ran.application.failure.startswith("refused before contact")
    assert rule in ran.application.failure
    assert ran.application.loop is None  # nothing has flown
    assert ran.application.rows["true_depth"][: ran.application.count].max() < -0.02


def test_on_request_it_is_run_and_labelled(cell: Cell) -> None:
    ran = flown(cell, "docking_bounce", sensor={"noise_N": 3.0}, loop={"beyond_bounds": "label"})
    assert ran.application.judge.certificate is not None
    assert ran.application.judge.certificate.verdict == "labelled"
    assert judge(ran)


def test_a_stiffness_out_of_bounds_on_first_touch_makes_the_robots_go_back(cell: Cell) -> None:
    ran = flown(cell, "docking_bounce", believed=None, loop={"most_stiffness_N_mm": 50.0})
    app = ran.application
    assert "stiffness found on touch" in app.failure
    assert app.stage is DockingStage.OVER
    rows = app.rows[: app.count]
    assert rows["shown"][-1, 0] > rows["shown"][rows["stage"] == DockingStage.RETREAT][0, 0] + 0.1
    assert np.abs(np.diff(rows["command"][:, 0], 2)).max() < 1e-4  # no jump on the way


@pytest.mark.parametrize(("fault", "words"), [("lost_cable", "lost cable"), ("stuck", "stuck"), ("nan", "no number")])
def test_a_force_sensor_that_fails_is_named_and_the_robots_go_back(cell: Cell, fault: str, words: str) -> None:
    ran = flown(cell, "docking_bounce", sensor={"fault": fault, "fault_at_s": 1.0})
    app = ran.application
    assert "FORCE_SENSOR" in app.failure
    assert words in app.failure
    rows = app.rows[: app.count]
    assert (rows["stage"] == DockingStage.RETREAT).any()
    assert rows["shown"][-1, 0] > rows["shown"][rows["stage"] == DockingStage.FLIGHT][-1, 0] + 0.1


@pytest.mark.parametrize(
    ("limits", "stops"),
    [
        ({"retract_N": 40.0}, False),
        ({"retract_N": 30.0, "stop_N": 300.0}, False),
        ({"retract_N": 40.0, "stop_N": 40.0}, True),
    ],
)
def test_force_limits_retract_or_stop(cell: Cell, limits: dict[str, float], stops: bool) -> None:
    ran = flown(cell, "docking_bounce", limits=limits, loop={"beyond_bounds": "label"})
    assert "FORCE_LIMIT" in (ran.application.failure or ran.stopped)
    assert bool(ran.stopped) is stops
    assert (ran.application.rows["stage"][: ran.application.count] == DockingStage.RETREAT).any() is np.bool_(not stops)


def test_saturation_is_a_fault_not_a_force(cell: Cell) -> None:
    ran = flown(cell, "docking_bounce", sensor={"range_N": 80.0}, loop={"beyond_bounds": "label"})
    assert "saturation" in ran.application.failure


def test_where_the_zone_is_not_opened_the_mock_ups_do_not_meet(cell: Cell) -> None:
    with pytest.raises(BadInput, match="COLLISION_ZONE"):
        flown(cell, "docking_bounce", zone=None)
    ran = flown(
        cell,
        "docking_bounce",
        zone={"length_mm": 30.0, "radius_mm": 150.0, "tilt_deg": 10.0},
        approach={"gap_mm": 200.0},
    )
    assert "COLLISION_ZONE" in ran.stopped
    assert ran.application.rows["true_depth"][: ran.application.count].max() < -0.02


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"chaser": {"mass_kg": 0.0}}, "mass_kg"),
        ({"chaser": {"inertia_kgm2": [1.0, 1.0, 9.0, 0.0, 0.0, 0.0]}}, "triangle"),
        ({"client": {"inertia_kgm2": [1.0, 1.0, -1.0, 0.0, 0.0, 0.0]}}, "positive"),
        ({"approach": {"beside_mm": [300.0, 0.0], "gap_mm": 10.0}}, "inside each other"),
        ({"shape": {"bowl_mm": 15.0}}, "bowl"),
        ({"shape": {"mouth_mm": 12.0}}, "mouth"),
        ({"tool": {"inertia_kgm2": [0.1, 0.1, 0.9, 0.0, 0.0, 0.0]}}, "triangle"),
        ({"place": {"client_lab_m": [9.0, 0.7, 0.0]}}, "reach"),
        ({"approach": {"gap_mm": 32.0}}, "wave"),
        ({"latch": {"capture_mm": 60.0}}, "would close at the start"),
        ({"sensor": {"noise_N": 0.0}}, "noise_N"),
        ({"approach": {"drift_mm_s": [1e6, 0.0]}}, "drift_mm_s"),
        ({"chaser": {"inertia_kgm2": [1e-6, 1e-6, 1e-6, 0.0, 0.0, 0.0]}}, "smaller than a body"),
    ],
)  # fmt: skip
def test_bad_input_is_named_and_nothing_moves(cell: Cell, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(Exception, match=words):
        flown(cell, "docking", **changes)


def test_the_file_is_read_strictly() -> None:
    path = experiment_paths()["docking"]
    with pytest.raises(BadInput, match=r"shape\.kind"):
        parse_experiment(path.read_text().replace('kind = "cone"', 'kind = "funnel"'), Path("mine.toml"))
    with pytest.raises(BadInput, match="latch"):
        text = path.read_text()
        parse_experiment(text[: text.index("[latch]")] + text[text.index("[approach]") :], Path("mine.toml"))
