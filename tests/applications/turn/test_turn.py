"""The planar experiment, whole: figures, criteria, refusals."""

import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from proxops.applications.catalogue import experiment_paths, parse_experiment
from proxops.applications.experiments import carry_out
from proxops.applications.session import session
from proxops.cli import main
from proxops.core.errors import BadInput
from proxops.core.experiment_result import ExperimentResult
from proxops.ground.log import Log
from proxops.runs.options import RunOptions
from proxops.space.free_floating import FreeFloating

TEXT = experiment_paths()["planar"].read_text()


def carried_out(text: str) -> ExperimentResult:
    return carry_out(parse_experiment(text, Path("planar.toml")), lambda *_: None)


def test_the_base_turns_as_the_closed_forms_say() -> None:
    result = carried_out(TEXT)
    assert result.passed, [row for row in result.criteria if not row.passed]
    one, two = result.figures["one_link"], result.figures["two_links"]
    assert one["dynamics_rad"] == pytest.approx(-1.520836718150573, abs=1e-7)
    assert one["momentum_rad"] == pytest.approx(-1.520836718150573, abs=1e-10)
    assert two["momentum_rad"] == pytest.approx(two["closed_form_rad"], abs=1e-9)
    assert math.degrees(two["closed_form_rad"]) == pytest.approx(-34.2, abs=0.1)


def test_a_course_too_fast_for_the_held_torques_is_told() -> None:
    """The criteria can fail: 120 degrees in a quarter of a second."""
    failed = [
        row.name for row in carried_out(TEXT.replace("course_s = 20.0", "course_s = 1.0")).criteria if not row.passed
    ]
    assert "two_links: dynamics against the closed form, whole way" in failed


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("[[0.0], [360.0]]", "[[0.0], [720.0]]", "joint_1 beyond its limits"),
        ("[[0.0], [360.0]]", "[[0.0, 1.0], [360.0, 1.0]]", "one angle for each joint"),
        ("[120.0, 150.0], ", "", "not a path along the joints' axes"),
        ('name = "two_links"', 'name = "one_link"', "two cases of one name"),
        ('model = "planar_two"', 'model = "ets7_a"', "no such end-effector"),
    ],
)
def test_bad_files_are_refused(old: str, new: str, what: str) -> None:
    assert old in TEXT
    with pytest.raises(BadInput, match=what):
        carried_out(TEXT.replace(old, new))


def test_options_without_use_are_refused() -> None:
    with pytest.raises(BadInput, match="--seed"):
        carry_out(parse_experiment(TEXT, Path("planar.toml")), lambda *_: None, seed=1)


def test_a_motion_that_diverges_ends_with_the_cause_and_the_rows_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second case: a controller that gives no numbers from the middle of the course on."""
    step = FreeFloating.step

    def shaken(plant: FreeFloating, torques: np.ndarray, dt: float) -> None:
        step(plant, torques * (np.nan if plant.q.size == 9 and plant.t > 0.5 else 1.0), dt)

    monkeypatch.setattr(FreeFloating, "step", shaken)
    experiment = parse_experiment(TEXT.replace("course_s = 20.0", "course_s = 1.0"), Path("planar.toml"))
    summary = session(experiment, tmp_path, RunOptions())
    assert summary["failure"].startswith("two_links: the motion diverged at 0.5")
    assert not summary["passed"]
    assert all(row["name"].startswith("one_link") for row in summary["criteria"])
    json.dumps(summary, allow_nan=False)
    log = Log.open(tmp_path / "run.mcap")
    kept = np.isfinite(log.values("two_links.base_dynamics"))
    assert kept[:26].all()
    assert not kept[35:].any()
    assert np.isfinite(log.values("one_link.base_dynamics")).all()
    assert "Two_links: the motion diverged" in (tmp_path / "report.html").read_text()


def test_ctrl_c_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(plant: FreeFloating, torques: np.ndarray, dt: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(FreeFloating, "step", interrupted)
    monkeypatch.setattr(sys, "argv", ["proxops", "run", "planar", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1
    assert "proxops: planar: interrupted, nothing was recorded" in capsys.readouterr().err
