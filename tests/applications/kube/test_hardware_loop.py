"""The loop with an arm in it, from file to analysis: short runs in lockstep, bad input, halts."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proxops.applications.catalogue import experiment_paths, parse_experiment
from proxops.applications.kube.experiment import KubeBench, _loop, empty_loop, look_ahead, prepare, run
from proxops.applications.kube.loop import HardwareLoop, row_dtype
from proxops.applications.kube.post_test_session import analysis_session
from proxops.applications.kube.result import momentum_bound, momentum_share
from proxops.applications.session import session
from proxops.arms.model import load_model, shipped_models
from proxops.cli import main
from proxops.core.errors import BadInput, ProxopsError
from proxops.core.experiment import Experiment
from proxops.core.experiment_result import ExperimentResult
from proxops.facility.loop_clock import LockstepLoopClock, WallLoopClock
from proxops.ground.log import Log
from proxops.ground.row_stream import RowStream
from proxops.lab.arm_link import ArmLink, Measured
from proxops.lab.virtual_iiwa import IiwaTraits
from proxops.maths.quaternion import rotation_vector
from proxops.maths.rotation import quat_from_rotation_vector
from proxops.onboard.dynamic_jacobian_law import DynamicJacobianLaw, LawSettings
from proxops.runs.options import RunOptions
from proxops.safety.arm_guard import ArmGuard

PATH = experiment_paths()["kube"]
START = np.radians([-26.25, 65.96, 0.72, 67.57, -63.15, -2.56, 140.79])


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


@pytest.fixture
def unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """No look ahead: for runs that are too short for their goal, or that come to a joint's end."""
    monkeypatch.setattr("proxops.applications.kube.experiment.look_ahead", lambda bench: 0.0)


@pytest.fixture(scope="module")
def short() -> Iterator[ExperimentResult]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("proxops.applications.kube.experiment.look_ahead", lambda bench: 0.0)
        result = run(kube(duration=4.0), quiet)
    yield result


def test_the_error_falls_as_the_gains_say(short: ExperimentResult) -> None:
    """Once no limit holds it back the tool's error is e^-t, in way and turn alike; the arm's lag changes that by under 1 %."""
    error, slowed = column(short, "error"), column(short, "law")[:, 1]
    way, turn = np.linalg.norm(error[:, :3], axis=1), np.linalg.norm(error[:, 3:], axis=1)
    assert slowed[0] < 0.5  # near a singularity at the start: slowed, as a whole
    assert slowed[1500:].min() == 1.0
    for length in (way, turn):
        assert length[3500] / length[1500] == pytest.approx(np.exp(-2.0), rel=0.02)


def test_momentum_limits_and_start(short: ExperimentResult) -> None:
    criteria = {row.name: row for row in short.criteria}
    assert not short.failure
    assert criteria["momentum, over the arm's own"].passed
    assert criteria["largest joint rate, over its limit"].passed
    assert criteria["largest change of a command, over the joint's acceleration"].passed
    assert not criteria["way to the goal at the end"].passed  # 4 s are too short: the criterion can fail
    caption, _, rows = short.tables[0]
    assert caption == "The printed start"
    assert rows[0][1] == "11.03 mm"
    assert rows[1][0] == "sign of A6 turned"


def test_tool_hangs_on_the_satellite_and_the_centre_of_mass_rests(short: ExperimentResult) -> None:
    """Recomputed from the log with the kinematics alone."""
    from proxops.arms.dynamics import Dynamics

    model = load_model("iiwa_satellite", "flange")
    dynamics, centres = Dynamics(model), []
    for row in range(0, 4001, 500):
        base, tool = column(short, "base")[row], column(short, "tool")[row]
        q = model.configuration(column(short, "measured")[row], base[:3], base[3:])
        assert np.abs(dynamics.tool_pose(q)[:3] - tool[:3]).max() < 1e-12
        dynamics.momentum(q, np.zeros(13))
        centres.append(np.array(dynamics.data.com[0]))
    assert np.ptp(centres, axis=0).max() < 1e-14
    assert np.linalg.norm(column(short, "base")[-1, :3]) > 0.01


def test_momentum_is_judged_by_what_was_recorded_and_the_criterion_can_fail(short: ExperimentResult) -> None:
    """A satellite that stays where it is leaves the arm's whole momentum; one that turns a thousandth too far about that much."""
    model, rows = load_model("iiwa_satellite", "flange"), np.zeros(4001, row_dtype(7))
    base, file = column(short, "base"), kube().file
    rows["t"], rows["angles"], rows["base_p"], rows["base_quat"] = (
        short.t,
        column(short, "measured"),
        base[:, :3],
        base[:, 3:],
    )
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


def test_at_the_papers_rate_it_still_converges() -> None:
    result = run(kube(("rate_hz = 1000", "rate_hz = 40"), duration=20.0), quiet)
    assert result.passed, [row for row in result.criteria if not row.passed]


@pytest.mark.parametrize("name", ["kube", "kube_fitted"])
def test_shipped_runs_pass_the_look_ahead(name: str) -> None:
    path = experiment_paths()[name]
    file = parse_experiment(path.read_text(), path).file
    assert 5.0 < look_ahead(prepare(file, load_model("iiwa_satellite", "flange"))) < 7.0  # type: ignore[arg-type]


def test_what_the_look_ahead_does_not_like_is_refused_before_anything_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proxops.applications.kube.experiment.VirtualIiwa", None)
    bent = kube(("position_m = [0.948, -0.225, 0.094]", "position_m = [0.3, 0.0, -0.2]"), duration=20.0)
    with pytest.raises(
        BadInput, match=r"A4 comes to the end of its range at 0\.9. s.* deg; allowed: -119\.0 … 119\.0 deg"
    ):
        run(bent, quiet)
    with pytest.raises(BadInput, match=r"not reached within the duration of 5 s; got .* mm and .* deg at 5\.00 s"):
        run(kube(duration=5.0), quiet)


def test_a_joint_at_its_end_stops_the_run_with_its_name(unseen: None) -> None:
    """A goal that bends the arm beyond what a joint allows."""
    result = run(kube(("position_m = [0.948, -0.225, 0.094]", "position_m = [0.3, 0.0, -0.2]"), duration=6.0), quiet)
    assert result.failure.startswith("AXIS_RANGE: axis would leave its range before it can stand (A")
    assert np.abs(column(result, "rates")[-1]).max() < 0.01  # and at rest
    assert not result.passed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("[0.948, -0.225, 0.094]", "[1.5, -0.225, 0.094]"), "out of reach.*1.423 m.*at most 1.179 m"),
        (("-26.25, 65.96, 0.72, 67.57, -63.15, -2.56", "0.0, 0.0, 0.0, 0.0, 0.0, 0.0"), "singular"),
        (("65.96", "130.0"), "A2 beyond its limits"),
        (("-26.25, 65.96", "65.96"), "one angle for each joint"),
        (("position_gain_per_s = [1.0, 1.0, 1.0]", "position_gain_per_s = [1.0, 0.0, 1.0]"), "out of range"),
        (("position_gain_per_s = [1.0, 1.0, 1.0]", "position_gain_per_s = [1.0, -1.0, 1.0]"), "out of range"),
        (("position_gain_per_s = [1.0, 1.0, 1.0]", "position_gain_per_s = [1.0, 1.0]"), "position_gain_per_s"),
        (("position_gain_per_s = [1.0, 1.0, 1.0]", "position_gain_per_s = [1.0, nan, 1.0]"), "out of range"),
        (("8.57, 8.57, ", "8.57, "), "one number for each joint"),
        (("rate_hz = 1000", "rate_hz = 10"), "less than two cycles"),
        (('tool = "flange"', 'tool = "hand"'), "no such end-effector"),
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
    session(kube(duration=0.1), tmp_path, RunOptions(report=False))
    with pytest.raises(BadInput, match="too short"):
        analysis_session(tmp_path, None, quiet=True)


def test_a_users_own_model_travels_with_the_log(tmp_path: Path, unseen: None) -> None:
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
    advance = LockstepLoopClock.advance

    def interrupted(clock: LockstepLoopClock) -> float:
        if clock.now() >= seconds:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
        return advance(clock)

    monkeypatch.setattr(LockstepLoopClock, "advance", interrupted)


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
    assert summary["failure"] == "interrupted after 0.701 s"  # one more cycle, then it stops
    assert not summary["passed"]
    assert len(Log.open(tmp_path / "run.mcap").pool) == 702
    assert "Interrupted after 0.701 s" in (tmp_path / "report.html").read_text()
    about = analysis_session(tmp_path, None, quiet=True)
    assert about["failure"] == "the run ended early: interrupted after 0.701 s"
    assert not about["passed"]
    assert "The run ended early: interrupted" in (tmp_path / "analysis.html").read_text()


def test_ctrl_c_while_the_rows_are_summed_up_loses_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unseen: None
) -> None:
    from proxops.applications.kube import experiment as hardware_loop_experiment

    sum_up = hardware_loop_experiment.sum_up

    def interrupted(*args: Any) -> ExperimentResult:
        signal.raise_signal(signal.SIGINT)
        return sum_up(*args)

    monkeypatch.setattr(hardware_loop_experiment, "sum_up", interrupted)
    session(kube(duration=0.1), tmp_path, RunOptions(report=False))
    assert len(Log.open(tmp_path / "run.mcap").pool) == 101
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_before_there_are_rows_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ctrl_c_at(0.0, monkeypatch)
    monkeypatch.setattr(sys, "argv", ["proxops", "run", "kube", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1
    assert "proxops: kube: interrupted, nothing was recorded" in capsys.readouterr().err
    assert not (tmp_path / "run.mcap").exists()


def test_a_folder_that_cannot_be_used_is_refused_before_anything_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proxops.applications.session.carry_out", None)
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(BadInput, match="cannot use the folder"):
        session(kube(), tmp_path / "taken", RunOptions(report=False))


def test_the_walls_clock_counts_what_it_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock and a sleep of our own: no waiting, no chance."""
    now = [1_000]

    def sleep(seconds: float) -> None:
        now[0] += round(seconds * 1e9)

    monkeypatch.setattr("proxops.facility.loop_clock.monotonic_ns", lambda: now[0])
    monkeypatch.setattr("proxops.facility.loop_clock.time.sleep", sleep)
    clock = WallLoopClock(1000)
    assert clock.now() == 0.0
    assert clock.advance() == 0.0
    assert clock.now() == pytest.approx(1e-3)
    now[0] += 3_400_000  # a stall: deadlines at 2, 3 and 4 ms pass
    assert clock.advance() == pytest.approx(2.4e-3)
    assert clock.missed == 2
    assert clock.advance() == 0.0
    assert clock.now() == pytest.approx(5e-3)
    monkeypatch.setattr("proxops.applications.kube.experiment.EMPTY_S", 0.05)
    assert not empty_loop(1000).any()


def test_by_the_walls_clock_every_cycle_has_its_time(monkeypatch: pytest.MonkeyPatch, unseen: None) -> None:
    monkeypatch.setattr("proxops.applications.kube.experiment.EMPTY_S", 0.05)
    # A machine under load may stall longer than a real robot would bear: that is not what is looked at here.
    result = run(kube(("[robot]", "[robot]\npatience_ms = 1000.0"), duration=0.3), quiet, realtime=True)
    timing = column(result, "timing")
    assert (timing[:, 0] > 0.0).all()
    assert result.figures["timing"]["evaluation_us"]["median"] > 0.0
    assert (np.diff(result.t) > 0.0).all()


class TwiceTheSame:
    """A link that brings each measurement twice, as after a cycle that was held up before its reading."""

    def __init__(self) -> None:
        self.reads, self.answered = 0, list[float]()

    def read(self) -> Measured:
        self.reads += 1
        return Measured((self.reads // 2) * 1e-3, START.copy(), np.zeros(7), "")

    def command(self, rates: np.ndarray, answers: float) -> None:
        self.answered.append(answers)


def looped(link: ArmLink, duration_s: float = 0.02) -> HardwareLoop:
    model = load_model("iiwa_satellite", "flange")
    settings = LawSettings(np.ones(3), np.ones(3), model.speed, np.full(7, 8.0))
    law = DynamicJacobianLaw(settings, np.array([0.9, 0.0, 0.2]), np.array([1.0, 0, 0, 0]))
    guard = ArmGuard(model.joints, model.lower, model.upper, model.speed, np.full(7, 8.0), START, 1e-3, 7e-3)
    return HardwareLoop(
        model,
        link,
        law,
        guard,
        LockstepLoopClock(1000),
        rate_hz=1000,
        duration_s=duration_s,
        filter_hz=40.0,
        timed=False,
    )


def test_a_measurement_that_comes_twice_counts_once() -> None:
    link = TwiceTheSame()
    loop = looped(link)
    loop.run(lambda t: None)
    assert loop.rows["t"] == pytest.approx(np.arange(1, 21) * 1e-3)  # the first reading was taken by the loop's making
    assert link.answered[: len(loop.rows)] == loop.rows["t"].tolist()  # one for each, then the way to rest


class Scripted:
    """A link at 1 kHz that measures as told by ``at(cycle)`` (None: as ever) and keeps every command."""

    def __init__(self, at: Callable[[int], Measured | BaseException | None]) -> None:
        self._at, self.reads, self.commands = at, 0, list[np.ndarray]()

    def read(self) -> Measured:
        self.reads += 1
        assert self.reads < 2000, "the loop does not end"
        told = self._at(self.reads)
        if isinstance(told, BaseException):
            raise told
        return told or Measured(self.reads * 1e-3, START.copy(), np.zeros(7), "")

    def command(self, rates: np.ndarray, answers: float) -> None:
        self.commands.append(rates.copy())


@pytest.mark.parametrize("halted", ["", "as it likes"])
def test_an_arm_whose_time_stands_still_ends_the_loop(halted: str) -> None:
    link = Scripted(lambda k: Measured(0.01, START.copy(), np.zeros(7), halted) if k >= 10 else None)
    loop = looped(link, 1.0)
    loop.run(lambda t: None)
    stands = "no new measurement for 51 cycles of the loop, allowed 50: the arm's time stands at 0.010 s"
    assert loop.failure == ("the arm halted: as it likes" if halted else stands)
    assert len(loop.rows) == 9
    assert not link.commands[-1].any()


def bad_angles(value: float) -> np.ndarray:
    return np.where(np.arange(7) == 2, value, START)


@pytest.mark.parametrize(
    ("value", "failure"),
    [
        (np.nan, "A3: measured angle is no number: nan (at 0.010 s)"),
        (np.inf, "A3: measured angle is no number: inf (at 0.010 s)"),
        # 100 deg/s for 1 ms, half as much again, and 1e-4 rad of the encoder: 0.156 deg
        (START[2] + np.radians(0.2), "A3: measured angle jumps by 0.2 deg within 1 ms, allowed 0.1557 (at 0.010 s)"),
    ],
)
def test_what_joints_cannot_do_never_reaches_the_law(value: float, failure: str) -> None:
    link = Scripted(lambda k: Measured(0.01, bad_angles(value), np.zeros(7), "") if k == 10 else None)
    loop = looped(link, 1.0)
    loop.run(lambda t: None)
    assert loop.failure == failure
    assert loop.rows["t"] == pytest.approx(np.arange(2, 10) * 1e-3)
    assert np.isfinite(loop.rows["commanded"]).all()
    assert all(rates.any() for rates in link.commands[:8])
    assert len(link.commands) > 8 + 500  # braking and rest, for as long as a halt may take
    softly(link.commands)


def test_a_first_measurement_that_cannot_be_used_moves_nothing() -> None:
    link = Scripted(lambda k: Measured(0.0, bad_angles(np.nan), np.zeros(7), ""))
    loop = looped(link)
    loop.run(lambda t: None)
    assert "A3: measured angle is no number" in loop.failure
    assert len(loop.rows) == 0
    assert len(link.commands) == 1
    assert not link.commands[0].any()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError("cable")])
def test_rest_is_commanded_however_the_loop_ends(error: BaseException) -> None:
    link = Scripted(lambda k: error if k == 10 else None)
    loop = looped(link)
    with pytest.raises(type(error)):
        loop.run(lambda t: None)
    softly(link.commands)
    assert len(loop.rows) == 8


@pytest.mark.parametrize("end", [KeyboardInterrupt(), OSError("cable")])
def test_a_moving_arm_is_braked_by_the_guard_and_not_by_its_own_halt(unseen: None, end: BaseException) -> None:
    """It answers real measurements until it stands; one command that fails on the way changes nothing."""
    bench = prepare(kube().file, load_model("iiwa_satellite", "flange"))
    loop = looped_arm(bench, bench.traits, 5.0)
    arm, failing = loop._link, iter([OSError("once")])
    command = arm.command

    def hindered(rates: np.ndarray, answers: float) -> None:
        if loop._guard.stop is not None and (error := next(failing, None)):
            raise error
        command(rates, answers)

    def at_speed(t: float) -> None:
        if t > 0.3:
            arm.command = hindered  # type: ignore[method-assign]
            raise end

    with pytest.raises(type(end), match=str(end)):
        loop.run(at_speed)
    assert np.abs(loop.rows["rates"][-1]).max() > 0.3
    assert arm.halted == "" and arm.at_rest


def test_rows_are_written_again_when_their_recorder_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], unseen: None
) -> None:
    finish = RowStream.finish

    def after_a_kill(stream: RowStream, result: ExperimentResult) -> int:
        os.kill(stream._recorder.pid, signal.SIGKILL)  # type: ignore[union-attr]
        return finish(stream, result)

    monkeypatch.setattr(RowStream, "finish", after_a_kill)
    summary = session(kube(duration=0.1), tmp_path, RunOptions(report=False))
    log = Log.open(tmp_path / "run.mcap")
    assert log.complete and len(log.pool) == 101 and summary["kind"] == "hardware_loop"
    assert "the recorder was killed (-9)" in capsys.readouterr().err


def softly(commands: list[np.ndarray]) -> None:
    """From the beginning to rest at the end, within 8 rad/s2 from cycle to cycle."""
    steps = np.diff(np.array([np.zeros(7), *commands]), axis=0)
    assert np.abs(steps).max() <= 8.0 * 1e-3 * (1.0 + 1e-6)
    assert not commands[-1].any()


def test_the_guard_holds_the_arm_within_its_limits_when_the_robot_would_not(unseen: None) -> None:
    """The virtual robot's own checks are switched off: it would follow anything."""
    bench = prepare(kube().file, load_model("iiwa_satellite", "flange"))
    far = replace(bench, goal_p=np.array([0.3, 0.0, -0.2]))  # beyond what a joint allows
    endless = replace(far.traits, lower=np.full(7, -np.inf), upper=np.full(7, np.inf), speed=np.full(7, np.inf))
    loop = looped_arm(far, endless, 6.0)
    loop.run(lambda t: None)
    assert loop.failure.startswith("AXIS_RANGE")
    angles = loop.rows["angles"]
    assert (angles > bench.traits.lower).all() and (angles < bench.traits.upper).all()
    assert np.abs(loop.rows["rates"][-1]).max() < 0.01


@pytest.mark.parametrize(
    ("spoilt", "rule"), [(np.nan, "NOT_FINITE"), (9.0, "JUMP"), (1.5, "AXIS_SPEED"), (1.0, "AXIS_ACCELERATION")]
)
def test_rates_beyond_a_limit_are_refused_by_the_guard(
    monkeypatch: pytest.MonkeyPatch, spoilt: float, rule: str
) -> None:
    """Whatever the law says, with the robot's own checks switched off."""
    bench = prepare(kube().file, load_model("iiwa_satellite", "flange"))
    endless = replace(bench.traits, lower=np.full(7, -np.inf), upper=np.full(7, np.inf), speed=np.full(7, np.inf))
    loop = looped_arm(bench, endless, 1.0)
    sound = DynamicJacobianLaw.step

    def step(law: DynamicJacobianLaw, *given: object) -> np.ndarray:
        rates = sound(law, *given)  # type: ignore[arg-type]
        return np.where(np.arange(7) == 3, spoilt, rates) if len(loop.rows) > 300 else rates

    monkeypatch.setattr(DynamicJacobianLaw, "step", step)
    loop.run(lambda t: None)
    assert loop.failure.startswith(rule) and "A4" in loop.failure
    sent = loop.rows["commanded"]
    assert np.isfinite(sent).all() and np.abs(np.diff(sent, axis=0)).max() <= 15.72e-3 * (1.0 + 1e-6)
    assert np.abs(loop.rows["rates"][-1]).max() < 0.01


def test_an_arm_that_does_not_follow_is_stopped(unseen: None) -> None:
    """Its encoders stand still while it is sent away."""
    link = Scripted(lambda k: None)
    loop = looped(link, 1.9)
    loop.run(lambda t: None)
    assert loop.failure.startswith("FOLLOWING: axis is not where its set-points have led (A")
    softly(link.commands)


def looped_arm(bench: KubeBench, traits: IiwaTraits, duration_s: float) -> HardwareLoop:
    """As the experiment makes it, but for the robot's own limits."""
    sane, clock = replace(bench, traits=traits), LockstepLoopClock(1000)
    made = _loop(bench, clock, 1, duration_s, timed=False)
    other = _loop(sane, clock, 1, duration_s, timed=False)
    made._link = other._link
    return made
