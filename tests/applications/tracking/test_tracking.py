"""The experiment ``tracking``: the shipped file, a short run of it, base control, bad files, a divergence."""

import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proxops.applications.catalogue import experiment_paths, parse_experiment
from proxops.applications.experiments import carry_out
from proxops.applications.kinds import drawings_of
from proxops.applications.tracking import experiment as tracking_experiment
from proxops.applications.tracking import run as tracking_run
from proxops.applications.tracking.experiment import cases_of, prepared, run
from proxops.applications.tracking.run import TrackingBench
from proxops.applications.tracking.tables import TrackingFile
from proxops.core.errors import BadInput
from proxops.core.experiment import Experiment
from proxops.core.experiment_result import ExperimentResult
from proxops.space.free_floating import FreeFloating

TEXT = experiment_paths()["humanoid"].read_text()


def experiment(*changes: tuple[str, str]) -> Experiment:
    text = TEXT
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return parse_experiment(text, Path("humanoid.toml"))


def quiet(what: str, done: float, of: float) -> None:
    pass


# Five times as fast on a tenth of the way: what it shows is the same, and a test has no minute.
SHORT = (
    ("t_s = 5.1", "t_s = 1.0"), ("t_s = 10.2", "t_s = 2.0"), ("[0.06, 0.14, 0.10]", "[0.005, 0.01, 0.01]"),
    ("[0.14, 0.04, -0.06]", "[0.015, 0.005, -0.005]"), ("turn_deg = [10.0, 0.0, 15.0]\n", ""),
    ("turn_deg = [0.0, -10.0, 20.0]\n", ""),
)  # fmt: skip


# Half of that again, at the same speed, where it is not the motion that counts but how the run ends.
BROKEN_OFF = (
    ("t_s = 5.1", "t_s = 0.5"), ("t_s = 10.2", "t_s = 1.0"), ("[0.06, 0.14, 0.10]", "[0.0025, 0.005, 0.005]"),
    ("[0.14, 0.04, -0.06]", "[0.0075, 0.0025, -0.0025]"), *SHORT[4:],
)  # fmt: skip


def report_of(result: ExperimentResult, folder: Path) -> str:
    """Through the log, as the command line does it."""
    from proxops.ground.experiment_log import write_experiment
    from proxops.ground.experiment_report import experiment_report
    from proxops.ground.log import Log
    from proxops.ground.report_page import write_page

    write_experiment(folder / "run.mcap", result, {"scenario": "humanoid", "kind": "tracking"})
    write_page(experiment_report(Log.open(folder / "run.mcap"), drawings_of("tracking")), folder / "report.html")
    return (folder / "report.html").read_text()


@pytest.fixture(scope="module")
def short() -> Any:
    return run(experiment(*SHORT, ("seeds = 20", "seeds = 2")), quiet)


def test_the_shipped_file_is_the_papers_case() -> None:
    file = experiment().file
    assert isinstance(file, TrackingFile)
    assert (
        file.duration_s == 10.2 and file.rate_hz == 1000.0 and file.orbit is not None and file.orbit.radius_km == 6878.0
    )
    gains = {row.number: (row.kp, row.kd) for row in file.law}
    assert gains == {
        1: (0.1, 0.5),
        2: (0.5, 10.0),
        3: (0.5, 10.0),
        4: (pytest.approx(0.5**0.5), pytest.approx(10**0.5)),
    }
    bounds = {row.number: (row.mean_error_m, row.median_error_m) for row in file.law}
    assert bounds == {1: (3e-4, 1.5e-2), 2: (1e-5, 1.1e-3), 3: (3e-4, 1.1e-3), 4: (1e-5, 4.2e-3)}
    assert (file.model_error.share, file.model_error.seeds) == (0.10, 20)


def test_a_short_run_meets_all_and_tells_all(short: Any) -> None:
    assert short.failure == "" and [row for row in short.criteria if not row.passed] == []
    assert [one.name for one in short.series] == ["demand", "law1", "law2", "law3", "law4", "skeleton"]
    assert all(len(one.values) == len(short.t) == 201 and np.isfinite(one.values).all() for one in short.series)
    laws = short.figures["laws"]
    assert laws["law 2"]["mean_error_m"] < laws["law 3"]["mean_error_m"]  # it couples
    for row in laws.values():
        assert len(row["wrong_model_mean_errors_m"]) == 2
        assert row["wrong_model_median_m"] > row["mean_error_m"]
        assert 0.0 < row["damping"] < row["damping_bound"]
    assert short.figures["equal_gains"]["right"] < 0.05
    assert laws["law 2"]["base_turn_deg"] > 0.05  # the base floats


def test_the_same_seed_gives_the_same_run(short: Any) -> None:
    """Of two laws: a wrong model is drawn once for all of them."""
    _, one, _, _, four = TEXT.split("[[law]]")
    without = (
        ("[[law]]" + one, ""),
        ("[[law]]" + four.partition("[model_error]")[0], ""),
        ("equal_within = 0.05\n", ""),
    )
    again = run(experiment(*without, *SHORT, ("seeds = 20", "seeds = 1")), quiet, seed=2)
    assert list(again.figures["laws"]) == ["law 2", "law 3"]
    for name, row in again.figures["laws"].items():
        assert row["wrong_model_mean_errors_m"] == short.figures["laws"][name]["wrong_model_mean_errors_m"][1:]


@pytest.mark.parametrize("control", ["wheels", "thrusters"])
def test_with_the_base_held_the_tool_still_follows(control: str, short: Any) -> None:
    setting = prepared(experiment(*SHORT, ('control = "none"', f'control = "{control}"\nbandwidth_rad_s = 5.0')))
    case = next(case for case in cases_of(setting.file) if case.law == 2)
    bench = TrackingBench(
        setting.file, setting.craft, setting.q, setting.path, setting.controller(setting.craft, case), 10
    )
    out = bench.run()
    assert out.mean_m < 1e-5  # the arm's law is told of the torques on the base
    names = [name for name, _ in tracking_run.columns(7)]
    turn = out.record[:, names.index("base_turn")]
    free = short.series[2].values[:, names.index("base_turn")]
    assert turn.max() < 0.5 * free.max()
    assert bool(np.linalg.norm(bench.plant.rotors) > 1e-3) is (control == "wheels")


@pytest.mark.parametrize("law", [1, 3])
def test_a_divergence_ends_the_run_with_the_cause_and_what_was_recorded(
    law: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A controller gone mad after half a second; the check before the run cannot know."""
    step = tracking_run.TaskController.step

    def mad(self: Any, q: Any, v: Any, demand: Any, forces: Any = None) -> Any:
        out = step(self, q, v, demand, forces)
        self.cycles = getattr(self, "cycles", 0) + 1
        return out * np.nan if self.law == law and self.cycles > 500 else out

    monkeypatch.setattr(tracking_run.TaskController, "step", mad)
    result = run(experiment(*BROKEN_OFF, ("seeds = 20", "seeds = 2")), quiet)
    assert f"law {law}: the motion diverged at 0.5" in result.failure and not result.passed
    series = {one.name: one.values for one in result.series}
    assert np.isfinite(series[f"law{law}"][:50]).all() and np.isnan(series[f"law{law}"][60:]).all()
    assert np.isfinite(series["law2"]).all() and len(series["law2"]) == len(result.t) == 101
    assert result.figures["laws"][f"law {law}"]["mean_error_m"] is None
    assert result.figures["laws"][f"law {law}"]["wrong_model_mean_errors_m"] == []
    assert report_of(result, tmp_path).count("<figure") >= 6


def test_a_divergence_with_a_wrong_model_ends_the_run_too(monkeypatch: pytest.MonkeyPatch) -> None:
    step = tracking_run.TaskController.step
    right = prepared(experiment(*BROKEN_OFF)).craft.mass_kg

    def mad(self: Any, q: Any, v: Any, demand: Any, forces: Any = None) -> Any:
        out = step(self, q, v, demand, forces)
        return out * np.nan if self.law == 4 and self.model.mass_kg != right else out

    monkeypatch.setattr(tracking_run.TaskController, "step", mad)
    result = run(experiment(*BROKEN_OFF, ("seeds = 20", "seeds = 3")), quiet)
    assert result.failure.startswith("wrong model 1, law 4: the motion diverged") and not result.passed
    assert len(result.figures["laws"]["law 2"]["wrong_model_mean_errors_m"]) == 1  # and no second model was tried
    assert np.isfinite(result.series[4].values).all()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (("posture_kd = 0.02", "posture_kd = 20.0"), r"law 3: posture_kd unstable.*20.*2 λ_min"),
        (("kd = 0.5\n", "kd = [0.5, 0.5]\n"), "kd: gains of the wrong shape"),
        (("kp = 0.1", "kp = [0.1, 0.1, 0.1, 0.1, 0.1, -0.1]"), "kp: gains"),
        (("start_deg = [25.0, ", "start_deg = ["), "start_deg: one angle for each joint"),
        (("-85.0, 85.0", "5.0, 85.0"), "arm_right_4 beyond its limits"),
        (("[25.0, -110.0, -10.0, -85.0, 85.0, 0.0, -5.0]", "[10.0, -1.5, 0.0, -127.0, 30.0, 70.0, -20.0]"), "singular start"),
        (("[0.14, 0.04, -0.06]", "[0.9, 0.04, -0.06]"), "out of reach|beyond its limits"),
        (('tool = "hand_right"', 'tool = "claw"'), "no such end-effector"),
    ],
)  # fmt: skip
def test_bad_input_is_named_before_anything_moves(
    change: tuple[str, str], named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracking_experiment, "TrackingBench", None)  # nothing may run
    with pytest.raises(BadInput, match=named):
        run(experiment(change), quiet)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (("t_s = 10.2", "t_s = 5.0"), "times that increase"),
        (("number = 3", "number = 2"), "each number once"),
        (("posture_kd = 0.02\n", ""), "posture_kd"),
        (("share = 0.10", "share = 1.5"), "share"),
        (('control = "none"', 'control = "sails"'), "control"),
        (("rate_hz = 1000.0", "rate = 1000.0"), "unknown key"),
    ],
)
def test_files_that_make_no_sense(change: tuple[str, str], named: str) -> None:
    with pytest.raises(BadInput, match=named):
        experiment(change)


def test_a_wall_clock_is_refused() -> None:
    with pytest.raises(BadInput, match="--realtime"):
        carry_out(experiment(), quiet, realtime=True)


def test_the_report_has_all_drawings(short: Any, tmp_path: Path) -> None:
    assert report_of(short, tmp_path).count("<figure") >= 7


def ctrl_c_at_step(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice, as launchers pass it on, in that step of the craft, counted over all runs."""
    step, done = FreeFloating.step, [0]

    def interrupted(plant: FreeFloating, *forces: Any) -> None:
        done[0] += 1
        if done[0] == number:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
        step(plant, *forces)

    monkeypatch.setattr(FreeFloating, "step", interrupted)


@pytest.mark.parametrize(
    ("step", "laws", "rows", "failure"),
    [
        (20, ["law 1"], 3, "law 1: interrupted after 0.020 s"),
        (1500, ["law 1", "law 2"], 101, "law 2: interrupted after 0.500 s"),
        (5250, ["law 1", "law 2", "law 3", "law 4", tracking_experiment.EQUAL], 101, "wrong model"),
    ],
)
def test_ctrl_c_keeps_the_laws_that_have_rows(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, step: int, laws: list[str], rows: int, failure: str
) -> None:
    """In the first law, in the second, with a wrong model; down to the report."""
    ctrl_c_at_step(step, monkeypatch)
    result = run(experiment(*BROKEN_OFF, ("seeds = 20", "seeds = 2")), quiet)
    assert result.failure.startswith(failure)
    assert not result.passed
    assert list(result.figures["laws"]) == laws
    assert len(result.t) == rows
    assert np.isfinite(next(one for one in result.series if one.name == "law1").values).all()
    assert "nterrupted after" in report_of(result, tmp_path)


def test_ctrl_c_at_once_leaves_nothing_to_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    ctrl_c_at_step(1, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        run(experiment(*BROKEN_OFF), quiet)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
