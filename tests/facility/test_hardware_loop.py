"""The loop with an arm in it, from file to analysis: short runs in lockstep, bad input, halts."""

import json
from pathlib import Path

import numpy as np
import pytest

from proxops.arms.model import load_model
from proxops.core.errors import BadInput
from proxops.core.experiment import Experiment, experiment_paths, parse_experiment
from proxops.core.experiment_result import ExperimentResult
from proxops.facility.experiment_session import experiment_session
from proxops.facility.hardware_loop import HardwareLoop
from proxops.facility.hardware_loop_experiment import empty_loop, run
from proxops.facility.loop_clock import LockstepLoopClock, WallLoopClock
from proxops.facility.post_test_session import analysis_session
from proxops.lab.arm_link import Measured
from proxops.onboard.dynamic_jacobian_law import DynamicJacobianLaw, LawSettings

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


@pytest.fixture(scope="module")
def short() -> ExperimentResult:
    return run(kube(duration=4.0), quiet)


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


def test_lockstep_runs_are_the_same_bit_for_bit_and_seeds_differ() -> None:
    first, again, other = (run(kube(duration=0.3), quiet, seed=seed) for seed in (1, 1, 2))
    for a, b in zip(first.series, again.series, strict=True):
        assert a.values.tobytes() == b.values.tobytes()
    assert column(first, "torque").tobytes() != column(other, "torque").tobytes()


def test_at_the_papers_rate_it_still_converges() -> None:
    result = run(kube(("rate_hz = 1000", "rate_hz = 40"), duration=20.0), quiet)
    assert result.passed, [row for row in result.criteria if not row.passed]


def test_a_joint_at_its_end_stops_the_run_with_its_name() -> None:
    """A goal that bends the arm beyond what a joint allows."""
    result = run(kube(("position_m = [0.948, -0.225, 0.094]", "position_m = [0.3, 0.0, -0.2]"), duration=6.0), quiet)
    assert result.failure.startswith("the arm halted: A")
    assert "end of its range" in result.failure
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


def test_analysis_from_the_log(tmp_path: Path) -> None:
    experiment_session(kube(duration=2.0), tmp_path, realtime=False, seed=None, report=True, quiet=True)
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


def test_analysis_refuses_what_is_no_such_run(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no log of a run"):
        analysis_session(tmp_path, None, quiet=True)
    experiment_session(kube(duration=0.1), tmp_path, realtime=False, seed=None, report=False, quiet=True)
    with pytest.raises(BadInput, match="too short"):
        analysis_session(tmp_path, None, quiet=True)


def test_the_walls_clock_counts_what_it_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock and a sleep of our own: no waiting, no chance."""
    now = [1_000]

    def sleep(seconds: float) -> None:
        now[0] += round(seconds * 1e9)

    monkeypatch.setattr("proxops.facility.loop_clock.time.monotonic_ns", lambda: now[0])
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
    monkeypatch.setattr("proxops.facility.hardware_loop_experiment.EMPTY_S", 0.05)
    assert not empty_loop(1000).any()


def test_by_the_walls_clock_every_cycle_has_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proxops.facility.hardware_loop_experiment.EMPTY_S", 0.05)
    # A machine under load may stall longer than a real robot would bear: that is not what is looked at here.
    result = run(kube(("[robot]", "[robot]\npatience_ms = 1000.0"), duration=0.3), quiet, realtime=True)
    timing = column(result, "timing")
    assert (timing[:, 0] > 0.0).all()
    assert result.figures["timing"]["evaluation_us"]["median"] > 0.0
    assert (np.diff(result.t) > 0.0).all()


class TwiceTheSame:
    """A link that brings each measurement twice, as after a cycle that was held up before its reading."""

    def __init__(self) -> None:
        self.reads, self.commands = 0, 0

    def read(self) -> Measured:
        self.reads += 1
        return Measured((self.reads // 2) * 1e-3, START.copy(), np.zeros(7), "")

    def command(self, rates: np.ndarray, answers: float) -> None:
        self.commands += 1


def test_a_measurement_that_comes_twice_counts_once() -> None:
    model = load_model("iiwa_satellite", "flange")
    settings = LawSettings(np.ones(3), np.ones(3), model.speed, np.full(7, 8.0))
    link = TwiceTheSame()
    law = DynamicJacobianLaw(settings, np.array([0.9, 0.0, 0.2]), np.array([1.0, 0, 0, 0]))
    loop = HardwareLoop(
        model, link, law, LockstepLoopClock(1000), rate_hz=1000, duration_s=0.02, filter_hz=40.0, timed=False
    )
    loop.run(lambda t: None)
    assert loop.rows["t"] == pytest.approx(np.arange(1, 21) * 1e-3)  # the first reading was taken by the loop's making
    assert link.commands == len(loop.rows) + 1  # one for each, and rest at the end
