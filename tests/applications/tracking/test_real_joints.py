"""Laws on joints that are as joints are: where law 3 is the best and why, what a file may ask for, and what its report says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.studies.law_study import CASES, StudyCase, experiment_of, friction, setting_of

from proxops.applications.catalogue import experiment_paths, load, parse_experiment
from proxops.applications.tracking import experiment as tracking_experiment
from proxops.applications.tracking.experiment import cases_of, run
from proxops.applications.tracking.run import TrackingBench, TrackingRun, columns
from proxops.applications.tracking.tables import TrackingFile
from proxops.core.errors import BadInput
from proxops.core.experiment import Experiment
from proxops.core.experiment_result import ExperimentResult
from proxops.onboard.pose_path import PosePath

REAL = experiment_paths()["humanoid_real"].read_text()
# A tenth of the way in a fifth of the time: what it shows is the same, and a test has no minute.
SHORT = (
    ("t_s = 5.1", "t_s = 0.5"), ("t_s = 10.2", "t_s = 1.0"), ("[0.06, 0.14, 0.10]", "[0.005, 0.01, 0.01]"),
    ("[0.14, 0.04, -0.06]", "[0.015, 0.005, -0.005]"), ("turn_deg = [10.0, 0.0, 15.0]\n", ""),
    ("turn_deg = [0.0, -10.0, 20.0]\n", ""),
)  # fmt: skip


def experiment(*changes: tuple[str, str]) -> Experiment:
    text = REAL
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return parse_experiment(text, Path("humanoid_real.toml"))


def quiet(what: str, done: float, of: float) -> None:
    pass


@pytest.fixture(scope="module")
def short() -> ExperimentResult:
    return run(experiment(*SHORT, ("seeds = 4", "seeds = 0")), quiet)


def held(case: StudyCase, law: int) -> TrackingRun:
    """The tool shall stay where it is for half a second while the posture is 0.2 rad off in every joint: only the null space
    moves."""
    setting = setting_of(case)
    start, still = setting.path.at(0.0), np.zeros((2, 3))
    path = PosePath(start.p.copy(), start.R.copy(), np.array([0.0, 0.5]), still, still)
    setting = replace(setting, path=path, posture=setting.posture + 0.2)
    one = next(one for one in cases_of(setting.file) if one.law == law)
    controller = setting.controller(setting.craft, one)
    return TrackingBench(setting.file, setting.craft, setting.q, path, controller, setting.every).run()


def dragged(one: TrackingRun) -> float:
    """Mean error of the tool, m, for each radian that the joints have moved."""
    first = [name for name, _ in columns(7)].index("joint_1")
    joints = one.record[:, first : first + 7]
    return one.mean_m / float(np.linalg.norm(joints[-1] - joints[0]))


def test_on_viscous_joints_law_3_drags_the_tool_least_and_on_free_ones_law_2() -> None:
    """Law 3's projector is that of joints which friction rules, law 2's that of free ones (tests/laws/test_null_space.py). With
    friction a third is left: while joints take up speed, inertia has its say."""
    for joints, better, worse in ((friction(1.0, 0.0), 3, 2), (None, 2, 3)):
        case = StudyCase("", joints, posture=(10.0, 1.0))
        assert dragged(held(case, better)) < 0.5 * dragged(held(case, worse))


def test_an_empty_table_changes_nothing() -> None:
    ideal, empty = held(StudyCase(""), 2), held(StudyCase("", joints={}), 2)
    assert np.array_equal(ideal.record, empty.record)
    late = held(StudyCase("", joints={"motor": {"delay_cycles": 1}}), 2)
    assert not np.array_equal(ideal.record, late.record)


def test_the_shipped_file_has_all_effects_and_the_papers_gains() -> None:
    real, plain = load("humanoid_real"), load("humanoid")
    assert isinstance(real, Experiment) and isinstance(real.file, TrackingFile)
    assert isinstance(plain, Experiment) and isinstance(plain.file, TrackingFile)
    joints = real.file.joints
    assert joints is not None and None not in (joints.encoder, joints.motor, joints.friction)
    assert [(row.kp, row.kd) for row in real.file.law] == [(row.kp, row.kd) for row in plain.file.law]
    assert real.file.way_points == plain.file.way_points
    assert plain.file.joints is None


def test_a_report_stands_beside_table_5_and_tells_the_joints(short: ExperimentResult) -> None:
    assert short.failure == ""
    caption, head, rows = short.tables[-1]
    assert "Table 5" in caption and head[2] == "paper, Table 5 [m]"
    assert [row[2] for row in rows] == ["1.5e-02", "2.5e-03", "1.1e-03", "4.2e-03"]
    assert any("360 deg/2^18" in line and "96 % of it compensated" in line for line in short.conventions)
    assert "0.708 λ_min" in short.tables[1][0]


def test_the_study_asks_for_what_a_scenario_may_ask_for() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)
    for case in CASES:
        experiment_of(case)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (("bits = 18", "bits = 3"), r"joints\.encoder\.bits.*3.*6 … 40"),
        (("bits = 18", "bit = 18"), "unknown key"),
        (("cutoff_hz = 50.0", 'cutoff_hz = 50.0\nrate = "true"'), "a true rate is not filtered"),
        (("delay_cycles = 1", "delay_cycles = -1"), "delay_cycles"),
        (("delay_cycles = 1", "delay_cycles = 0.5"), "delay_cycles"),
        (("ripple_n_m = 0.005", "ripple_n_m = -0.005"), "ripple_n_m"),
        (("compensation = 0.96", "compensation = 1.2"), "compensation"),
        (('by = "demanded"', 'by = "wished"'), "by"),
        (('model = "humanoid"', 'model = "humanoid"\nfriction = true'), r"arm\.friction.*not both"),
        (("number = 2", "number = 2\npushes = true"), "pushes"),
    ],
)
def test_files_that_make_no_sense(change: tuple[str, str], named: str) -> None:
    with pytest.raises(BadInput, match=named):
        experiment(change)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (("coulomb_n_m = 0.05", "coulomb_n_m = [0.05, 0.05]"), "coulomb_n_m: one number, or one for each joint"),
        (("bits = 18\ncutoff_hz = 50.0", "bits = 8"), "one step in one cycle looks faster"),
        (("ripple_n_m = 0.005", "ripple_n_m = 999.0"), "more than arm_right_. can give"),
        (("posture_kd = 1.0", "posture_kd = 4.0"), r"law 3: posture_kd unstable.*0\.7078 λ_min"),
        (("delay_cycles = 1", "delay_cycles = 20"), r"law 1: kd unstable at this rate.*make \[joints\] less late"),
    ],
)  # fmt: skip
def test_joints_that_cannot_be_are_named_before_anything_moves(
    change: tuple[str, str], named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracking_experiment, "TrackingBench", None)  # nothing may run
    with pytest.raises(BadInput, match=named):
        run(experiment(change), quiet)
