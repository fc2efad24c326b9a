"""FZI's first experiment: nobody pushes, the module bounces and turns, and turns back before the wrist is out of reach."""

from typing import Any

import numpy as np
import pytest
from tests.shared.floating_bench import bench_of, flown

from proxops.applications.floating.application import FloatApplication, FloatingStage
from proxops.applications.floating.result import sum_up
from proxops.applications.floating.turning import turn_error_deg, turned_deg
from proxops.runs.arm_parts import ArmRan

# The shipped flight made short: a module that pitches fast meets the wrist's end within seconds.
PITCHING: dict[str, Any] = {"speed_m_s": [0.0, 0.02, 0.0], "turn_rate_deg_s": [2.0, 14.0, 3.0]}


@pytest.fixture(scope="module")
def limited() -> ArmRan[FloatApplication]:
    return flown(bench_of("float_bounce", flight_s=5.0, object=PITCHING))


def test_the_module_turns_back_and_the_flight_ends_as_it_should(limited: ArmRan[FloatApplication]) -> None:
    result = sum_up(limited)
    assert result.passed, (result.failure, [c for c in result.criteria if not c.passed])
    assert result.figures["turned_back"] >= 2
    assert {"tilt beyond its limit, worst", "twist beyond its limit, worst"} <= {c.name for c in result.criteria}
    assert [table for table in result.tables if table[0] == "Turning"]


def test_without_the_limit_the_same_module_leaves_the_wrists_reach(limited: ArmRan[FloatApplication]) -> None:
    without = flown(bench_of("float_bounce", flight_s=5.0, object=PITCHING, turn_limit=None)).application
    assert "UNREACHABLE" in without.failure
    rows, same = without.rows[: without.count], limited.application.rows
    turned = int(np.argmax(same["turned"] > 0))
    assert rows["pose"][:turned].tobytes() == same["pose"][:turned].tobytes()  # the limit does nothing before


def test_turning_back_keeps_energy_and_linear_momentum(limited: ArmRan[FloatApplication]) -> None:
    rows = limited.application.rows[: limited.application.count]
    for k in np.flatnonzero(rows["turned"]):
        assert rows["energy"][k] == pytest.approx(rows["energy"][k - 1], rel=1e-12)
        np.testing.assert_allclose(rows["velocity"][k, :3], rows["velocity"][k - 1, :3], atol=1e-15)


def test_the_arm_shows_the_attitude_within_the_limit(limited: ArmRan[FloatApplication]) -> None:
    app = limited.application
    rows = app.rows[: app.count]
    floating = rows[rows["stage"] == FloatingStage.FLOAT]
    assert np.median(turn_error_deg(floating)) < 0.01
    shown = floating.copy()
    shown["pose"] = shown["shown"]
    assert turned_deg(app, shown)[:, 0].max() < 20.0 + 1.0  # the arm bridges the kink: less than a degree beyond


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ({"middle_turn_deg": [0.0, 40.0, 0.0]}, r"turn_limit.tilt_deg: the module begins beyond it.*40 deg.*20 deg"),
        ({"middle_turn_deg": [60.0, 0.0, 0.0]}, r"turn_limit.twist_deg: the module begins beyond it.*60 deg.*45 deg"),
        ({"tilt_deg": 0.5}, "1 … 150"),
        ({"twist_deg": 400.0}, "1 … 175"),
        ({"restitution": 1.2}, "0 … 1"),
        ({"axis": [0.0, 0.0, 0.0]}, "no direction"),
    ],
)
def test_a_limit_that_cannot_be_is_named(limit: dict[str, Any], words: str) -> None:
    with pytest.raises(Exception, match=words):
        bench_of("float_bounce", turn_limit=limit)
