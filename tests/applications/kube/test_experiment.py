"""The experiment with an arm in the loop, from file to analysis: short runs in lockstep, bad input, Ctrl-C."""

import json
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proxops.applications.catalogue import experiment_paths, parse_experiment
from proxops.applications.kube.application import KubeApplication, row_dtype
from proxops.applications.kube.bench import prepare
from proxops.applications.kube.empty_loop import empty_loop
from proxops.applications.kube.experiment import run
from proxops.applications.kube.look_ahead import look_ahead
from proxops.applications.kube.parts import KubeParts
from proxops.applications.kube.post_test import analyse, demand_dense, spline
from proxops.applications.kube.post_test_result import told as judge_post_test
from proxops.applications.kube.post_test_session import analysis_session
from proxops.applications.kube.recorded_loop import RecordedLoop, recorded_loop
from proxops.applications.kube.result import momentum_bound, momentum_share, printed_table
from proxops.applications.kube.tables import HardwareLoopFile
from proxops.applications.session import session
from proxops.arms.model import load_model, shipped_models
from proxops.cli import main
from proxops.core.clock import LockstepClock
from proxops.core.errors import BadInput, ProxopsError
from proxops.core.experiment import Experiment
from proxops.core.experiment_result import ExperimentResult
from proxops.ground.log import Log
from proxops.lab.any_cell import read_any_cell
from proxops.maths.quaternion import rotation_vector
from proxops.maths.rotation import quat_from_rotation_vector
from proxops.runs.arm_parts import ArmRan
from proxops.runs.arm_run import lockstep
from proxops.runs.options import RunOptions

PATH = experiment_paths()["kube"]


def quiet(what: str, done_s: float, of_s: float) -> None:
    pass


def kube(*changes: tuple[str, str], duration: float = 1.0) -> Experiment:
    text = PATH.read_text().replace("duration_s = 20.0", f"duration_s = {duration}")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return parse_experiment(text, PATH)


def column(result: ExperimentResult, name: str) -> np.ndarray:
    return next(series.values for series in result.series if series.name == name)


def rows_of(folder: Path) -> RecordedLoop:
    return recorded_loop(Log.open(folder / "run.mcap"))


@pytest.fixture
def unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """No look ahead: for runs that are too short for their goal, or that come to a joint's end."""
    monkeypatch.setattr("proxops.applications.kube.experiment.look_ahead", lambda bench: 0.0)


@pytest.fixture(scope="module")
def flown() -> tuple[KubeParts, ArmRan[KubeApplication]]:
    """Too short for its goal, which nobody looks ahead at here."""
    file = kube(duration=4.0).file
    assert isinstance(file, HardwareLoopFile)
    parts = KubeParts(prepare(file, load_model("iiwa_satellite", "flange")), file.seed)
    return parts, lockstep(parts)


@pytest.fixture(scope="module")
def short(flown: tuple[KubeParts, ArmRan[KubeApplication]]) -> ExperimentResult:
    parts, ran = flown
    return parts.sum_up(ran)


@pytest.fixture(scope="module")
def angles(flown: tuple[KubeParts, ArmRan[KubeApplication]]) -> np.ndarray:
    """By the encoders."""
    application = flown[1].application
    measured: np.ndarray = application.rows["angles"][: application.count]
    return measured


def test_the_error_falls_as_the_gains_say(short: ExperimentResult) -> None:
    """Once no limit holds it back the tool's error is e^-t, in way and turn alike; a delay d of the arm (2 ms, a lag of 5 and
    half a cycle) makes that e^-(1 + d) t to first order."""
    error, slowed = column(short, "error"), column(short, "law")[:, 1]
    way, turn = np.linalg.norm(error[:, :3], axis=1), np.linalg.norm(error[:, 3:], axis=1)
    assert slowed[0] < 0.5  # near a singularity at the start: slowed, as a whole
    assert slowed[1500:].min() == 1.0
    for length in (way, turn):
        assert length[3500] / length[1500] == pytest.approx(np.exp(-2.0 * 1.0075), rel=0.01)


def test_momentum_limits_and_start(short: ExperimentResult) -> None:
    criteria = {row.name: row for row in short.criteria}
    assert not short.failure
    assert criteria["momentum, over the arm's own"].passed
    assert criteria["largest joint rate, over its limit"].passed
    assert criteria["largest change of a command, over the joint's acceleration"].passed
    assert not criteria["way to the goal at the end"].passed  # 4 s are too short: the criterion can fail
    caption, _, rows = short.tables[0]
    assert caption == "The printed start"
    assert rows[0][:3] == ("joint angles of this run", "0.38 mm", "0.03 deg")  # all six printed numbers


def test_as_printed_the_start_does_not_fit_and_the_sign_of_a6_is_why() -> None:
    path = experiment_paths()["kube_as_printed"]
    file = parse_experiment(path.read_text(), path).file
    assert isinstance(file, HardwareLoopFile) and file.printed is not None
    model = load_model("iiwa_satellite", "flange")
    _, head, rows = printed_table(model, np.radians(file.start.joints_deg), file.printed)
    assert head[2:] == ("orientation, as zyx", "orientation, as xyz")
    assert rows[0][1:] == ("11.03 mm", "5.54 deg", "5.12 deg")
    assert rows[1] == ("sign of A6 turned", "0.38 mm", "5.18 deg", "0.03 deg")  # the reading of kube


def test_tool_hangs_on_the_satellite_and_the_centre_of_mass_rests(short: ExperimentResult, angles: np.ndarray) -> None:
    """Recomputed from the log with the kinematics alone."""
    from proxops.arms.dynamics import Dynamics

    model = load_model("iiwa_satellite", "flange")
    dynamics, centres = Dynamics(model), []
    for row in range(0, 4001, 500):
        base, tool = column(short, "base")[row], column(short, "tool")[row]
        q = model.configuration(angles[row], base[:3], base[3:])
        assert np.abs(dynamics.tool_pose(q)[:3] - tool[:3]).max() < 1e-12
        dynamics.momentum(q, np.zeros(13))
        centres.append(np.array(dynamics.data.com[0]))
    assert np.ptp(centres, axis=0).max() < 1e-14
    assert np.linalg.norm(column(short, "base")[-1, :3]) > 0.01


def test_momentum_is_judged_by_what_was_recorded_and_the_criterion_can_fail(
    short: ExperimentResult, angles: np.ndarray
) -> None:
    """A satellite that stays where it is leaves the arm's whole momentum; one that turns a thousandth too far about that much."""
    model, rows = load_model("iiwa_satellite", "flange"), np.zeros(4001, row_dtype(7))
    base, file = column(short, "base"), kube().file
    rows["t"], rows["angles"], rows["base_p"], rows["base_quat"] = short.t, angles, base[:, :3], base[:, 3:]
    bound = momentum_bound(file, rows)  # type: ignore[arg-type]
    assert bound < 1.2e-4
    assert momentum_share(model, rows) == short.figures["momentum_share"] < 0.5 * bound
    still = rows.copy()
    still["base_p"], still["base_quat"] = 0.0, [1.0, 0.0, 0.0, 0.0]
    assert momentum_share(model, still) == pytest.approx(1.0, abs=1e-9)
    turn = np.zeros(3)
    for row in rows:
        rotation_vector(row["base_quat"].copy(), turn)
        row["base_quat"] = quat_from_rotation_vector(1.001 * turn)
    assert momentum_share(model, rows) == pytest.approx(1e-3, rel=0.2)
    assert momentum_share(model, rows[::2][:2]) is None  # no differences: not judged, so not met


def test_lockstep_runs_are_the_same_bit_for_bit_and_seeds_differ(unseen: None) -> None:
    first, again, other = (run(kube(duration=0.3), quiet, seed=seed) for seed in (1, 1, 2))
    for a, b in zip(first.series, again.series, strict=True):
        assert a.values.tobytes() == b.values.tobytes()
    assert column(first, "torque").tobytes() != column(other, "torque").tobytes()


def test_at_40_hz_it_still_converges_and_the_analysis_is_right(tmp_path: Path) -> None:
    """Readings every 25 ms. With knots every 20 ms, denser than they, the spline went through all of them to 5e-10 deg and gave a
    tool that was 109 mm and 86 deg off; now knots follow the sampling and the bounds are those of a run at 1 kHz."""
    about = session(kube(("rate_hz = 1000", "rate_hz = 40"), duration=9.0), tmp_path, RunOptions(report=False))
    assert about["passed"], about["criteria"]
    told = list[tuple[float, float]]()
    log = Log.open(tmp_path / "run.mcap")
    loop, experiment = recorded_loop(log), parse_experiment(log.metadata["scenario_file"], PATH)
    assert isinstance(experiment.file, HardwareLoopFile)
    model = load_model("iiwa_satellite", "flange")
    post = analyse(model, None, experiment.file, loop, lambda what, done, of: told.append((done, of)))
    after = judge_post_test(post, experiment.file, "")
    assert after["passed"], after["criteria"]
    spline = after["figures"]["trials"]["spline"]
    assert spline["tool_mm"] < 0.3 and spline["tool_deg"] < 0.1 and after["figures"]["left_out_deg"] < 0.02
    assert told[-1] == (9.0, 9.0)  # progress comes to its end, however many rows there are


def test_readings_that_are_too_rare_for_the_motion_are_refused_with_advice() -> None:
    t = np.arange(0.0, 20.0, 0.2)
    moved = np.sin(np.outer(t, [9.0, 1.0]))  # three readings for each swing of the first joint
    with pytest.raises(
        BadInput, match=r"too few readings .* readings every 200 ms; allowed: at most 0\.5 deg; record at a higher"
    ):
        demand_dense(t, spline(t, moved))
    demand_dense(t, spline(t, moved[:, 1:]))


@pytest.mark.parametrize("name", ["kube", "kube_as_printed"])
def test_shipped_runs_pass_the_look_ahead(name: str) -> None:
    path = experiment_paths()[name]
    file = parse_experiment(path.read_text(), path).file
    assert 5.0 < look_ahead(prepare(file, load_model("iiwa_satellite", "flange"))).t < 7.0  # type: ignore[arg-type]


def test_what_the_look_ahead_does_not_like_is_refused_before_anything_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proxops.applications.kube.parts.VirtualIiwa", None)
    bent = kube(("position_m = [0.948, -0.225, 0.094]", "position_m = [0.3, 0.0, -0.2]"), duration=20.0)
    with pytest.raises(
        BadInput, match=r"A4 comes to the end of its range at 0\.8. s.* deg; allowed: -119\.0 … 119\.0 deg"
    ):
        run(bent, quiet)
    with pytest.raises(BadInput, match=r"not reached within the duration of 5 s; got .* mm and .* deg at 5\.00 s"):
        run(kube(duration=5.0), quiet)


def test_a_joint_at_its_end_stops_the_run_with_its_name(unseen: None) -> None:
    """A goal that bends the arm beyond what a joint allows."""
    result = run(kube(("position_m = [0.948, -0.225, 0.094]", "position_m = [0.3, 0.0, -0.2]"), duration=6.0), quiet)
    assert result.failure.startswith("AXIS_RANGE: axis would leave its range before it can stand (robot1_a")
    assert np.abs(column(result, "rates")[-1]).max() < 0.01  # and at rest
    assert not result.passed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("[0.948, -0.225, 0.094]", "[1.5, -0.225, 0.094]"), "out of reach.*1.423 m.*at most 1.179 m"),
        (("-26.25, 65.96, 0.72, 67.57, -63.15, 2.56", "0.0, 0.0, 0.0, 0.0, 0.0, 0.0"), "singular"),
        (("65.96", "130.0"), "A2 beyond its limits"),
        (("-26.25, 65.96", "65.96"), "one angle for each joint"),
        (("position_gain_per_s = [1.0, 1.0, 1.0]", "position_gain_per_s = [1.0, 0.0, 1.0]"), "the error in y stays"),
        (("position_gain_per_s = [1.0, 1.0, 1.0]", "position_gain_per_s = [1.0, -1.0, 1.0]"), "in y grows"),
        (("position_gain_per_s = [1.0, 1.0, 1.0]", "position_gain_per_s = [1.0, 1.0]"), "position_gain_per_s"),
        (("position_gain_per_s = [1.0, 1.0, 1.0]", "position_gain_per_s = [1.0, nan, 1.0]"), "out of range"),
        (("8.57, 8.57, ", "8.57, "), "one number for each joint"),
        (("rate_hz = 1000", "rate_hz = 10"), "less than two cycles"),
        (('tool = "flange"', 'tool = "hand"'), "no such end-effector"),
        (
            ("attitude_gain_per_s = [1.0, 1.0, 1.0]", "attitude_gain_per_s = [1.0, 1.0, 900.0]"),
            "in z swings ever wider; got 900 per s, evaluated every 1 ms; allowed: below 431 per s",
        ),
    ],
)
def test_bad_input_is_refused_before_anything_moves(change: tuple[str, str], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        run(kube(change), quiet)


def test_analysis_from_the_log(tmp_path: Path, unseen: None) -> None:
    session(kube(duration=2.0), tmp_path, RunOptions())
    about = analysis_session(tmp_path, None, quiet=True)
    assert about["passed"], about["criteria"]
    trials = about["figures"]["trials"]
    assert trials["polynomial"]["fit_deg"] > 100.0 * trials["spline"]["fit_deg"]
    torques = about["figures"]["ground_torque_Nm"]
    assert np.linalg.norm(torques["with friction"]) < np.linalg.norm(torques["without friction"])
    assert json.loads((tmp_path / "analysis.json").read_text()) == about
    html = (tmp_path / "analysis.html").read_text()
    assert html.count("<figure") == 9
    assert "<figure" in (tmp_path / "report.html").read_text()


def test_analysis_refuses_what_is_no_such_run(tmp_path: Path, unseen: None) -> None:
    with pytest.raises(BadInput, match="no log of a run"):
        analysis_session(tmp_path, None, quiet=True)
    session(kube(duration=0.03), tmp_path, RunOptions(report=False))
    with pytest.raises(BadInput, match="too short"):
        analysis_session(tmp_path, None, quiet=True)


def test_a_users_own_model_travels_with_the_log(tmp_path: Path, unseen: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proxops.applications.kube.post_test_session.draw", lambda post: ())
    urdf, out = tmp_path / "mine.urdf", tmp_path / "run"
    urdf.write_bytes(shipped_models()["iiwa_satellite"].read_bytes())
    experiment = replace(
        kube(('model = "iiwa_satellite"', 'model = "mine.urdf"'), duration=0.5), source=tmp_path / "mine.toml"
    )
    session(experiment, out, RunOptions(report=False))
    urdf.unlink()
    assert "trials" in analysis_session(out, None, quiet=True)["figures"]


def test_a_simulation_that_diverges_ends_the_analysis_with_the_cause(
    tmp_path: Path, unseen: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(kube(duration=0.3), tmp_path, RunOptions(report=False))
    monkeypatch.setattr(
        "proxops.applications.kube.post_test._held_over_steps", lambda model, fit, t: np.full((t.size - 1, 7), 1e9)
    )
    with pytest.raises(
        ProxopsError, match=r"analysis: no motion by the driving torques of the spline \(1e\+09 N m there\)"
    ):
        analysis_session(tmp_path, None, quiet=True)


def ctrl_c_at(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice, as launchers pass it on."""
    advance = LockstepClock.advance

    def interrupted(clock: LockstepClock) -> float:
        if clock.now_ns() >= seconds * 1e9:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
        return advance(clock)

    monkeypatch.setattr(LockstepClock, "advance", interrupted)


def test_ctrl_c_keeps_the_rows_and_the_analysis_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From the command line to the log: exit code 1, rows so far, and the cause wherever the run is told of."""
    ctrl_c_at(0.7, monkeypatch)
    monkeypatch.setattr(sys, "argv", ["proxops", "run", "kube", "--out", str(tmp_path), "--json"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary == json.loads(capsys.readouterr().out)
    words = summary["failure"]
    assert words.startswith("interrupted after 0.6")  # of the run; the drives went on before it
    assert not summary["passed"]
    loop = rows_of(tmp_path)
    assert np.abs(loop.commanded).max() > 0.1 and not loop.commanded[-1].any()  # recorded to its rest
    assert loop.t[-1] > float(words.split()[2]) + 0.49
    assert words[1:] in (tmp_path / "report.html").read_text()
    about = analysis_session(tmp_path, None, quiet=True)
    assert about["failure"] == f"the run ended early: {words}"
    assert not about["passed"]
    assert "The run ended early: interrupted" in (tmp_path / "analysis.html").read_text()


def test_ctrl_c_while_the_rows_are_summed_up_loses_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unseen: None
) -> None:
    from proxops.applications.kube import parts as kube_parts

    sum_up, first = kube_parts.sum_up, [True]

    def interrupted(*args: Any) -> ExperimentResult:
        if first.pop():
            first.append(False)
            signal.raise_signal(signal.SIGINT)
        else:
            first.append(False)
        return sum_up(*args)

    monkeypatch.setattr(kube_parts, "sum_up", interrupted)
    session(kube(duration=0.1), tmp_path, RunOptions(report=False))
    assert rows_of(tmp_path).t.size == 101
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_before_there_are_rows_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ctrl_c_at(0.0, monkeypatch)
    monkeypatch.setattr(sys, "argv", ["proxops", "run", "kube", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1
    assert "proxops: stopped before the run began: OPERATOR: safe stop" in capsys.readouterr().err
    assert Log.open(tmp_path / "run.mcap").complete


def test_a_folder_that_cannot_be_used_is_refused_before_anything_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proxops.applications.session.carry_out", None)
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(BadInput, match="cannot use the folder"):
        session(kube(), tmp_path / "taken", RunOptions(report=False))


def test_an_empty_loop_is_as_late_as_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock and a sleep of our own: no waiting, no chance."""
    now = [1_000]

    def sleep(seconds: float) -> None:
        now[0] += round(seconds * 1e9)

    monkeypatch.setattr("proxops.core.clock.monotonic_ns", lambda: now[0])
    monkeypatch.setattr("proxops.core.clock.time.sleep", sleep)
    monkeypatch.setattr("proxops.applications.kube.empty_loop.EMPTY_S", 0.05)
    assert not empty_loop(1_000_000).any()


def test_by_the_walls_clock_every_cycle_has_its_time(monkeypatch: pytest.MonkeyPatch, unseen: None) -> None:
    monkeypatch.setattr("proxops.applications.kube.empty_loop.EMPTY_S", 0.05)
    # A machine under load may stall longer than a real robot would bear: that is not what is looked at here.
    cell = read_any_cell("kube")
    link = cell.file.link.model_copy(update={"stall_ms": 1000.0, "patience_cycles": 250})
    patient = replace(cell, file=cell.file.model_copy(update={"link": link}))
    slow = kube(("[robot]", "[robot]\npatience_ms = 1000.0"), duration=0.3)
    result = run(slow, quiet, realtime=True, control=f"kube-{os.getpid()}", cell=patient)
    assert (column(result, "loop")[:, 1] > 0.0).all()
    assert result.figures["timing"]["evaluation_us"]["median"] > 0.0
    assert (np.diff(result.t) > 0.0).all()
