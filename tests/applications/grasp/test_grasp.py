"""The experiment ``grasp``: caught, bumped away, stopped by too much force, halted by a value that is no number."""

import json
import signal
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory

from proxops.applications.catalogue import experiment_paths, parse_experiment
from proxops.applications.experiments import carry_out
from proxops.applications.grasp import viewer as grasp_viewer
from proxops.applications.grasp.experiment import run as run_grasp
from proxops.applications.grasp.figures import draw
from proxops.applications.grasp.flight import flight_of
from proxops.applications.grasp.scene import BODY, PICTURE
from proxops.applications.grasp.sensors import GraspSensors, spoiled
from proxops.applications.grasp.setting import prepared
from proxops.applications.grasp.viewer import open_viewer
from proxops.applications.grasp.world import GraspWorld
from proxops.applications.kinds import drawings_of
from proxops.core.errors import BadInput
from proxops.core.experiment import Experiment
from proxops.core.experiment_result import ExperimentResult
from proxops.core.offscreen import PictureUnavailable
from proxops.ground.experiment_log import about_of, write_experiment
from proxops.ground.experiment_report import experiment_report
from proxops.ground.log import Log
from proxops.ground.report_page import write_page
from proxops.ground.row_stream import RowStream
from proxops.ground.viewer_message import FRAMES_CHANNEL
from proxops.onboard.grasp_phases import GraspPhase

Change = tuple[str, str]


def experiment(name: str, *changes: Change) -> Experiment:
    path = experiment_paths()[name]
    text = path.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return parse_experiment(text, path)


def carried_out(name: str, *changes: Change, seed: int | None = None) -> ExperimentResult:
    return run_grasp(experiment(name, *changes), lambda *_: None, seed=seed)


def column(result: ExperimentResult, group: str, name: str) -> np.ndarray:
    one = next(series for series in result.series if series.name == group)
    return one.values[:, [column for column, _ in one.columns].index(name)]


def vector(result: ExperimentResult, group: str, name: str) -> np.ndarray:
    return np.column_stack([column(result, group, f"{name}_{axis}") for axis in "xyz"])


@pytest.fixture(scope="module")
def caught() -> ExperimentResult:
    return carried_out("grasp", ("end_s = 14.0", "end_s = 11.0"))


@pytest.fixture(scope="module")
def late() -> ExperimentResult:
    return carried_out("grasp_late", ("end_s = 14.0", "end_s = 12.0"))


def test_the_bar_is_caught(caught: ExperimentResult) -> None:
    assert caught.passed, [row for row in caught.criteria if not row.passed]
    assert [name for _, name in caught.figures["phases"]] == ["look", "approach", "close", "hold", "damp"]
    assert caught.figures["outcome"] == "held"
    assert 7.0 < caught.figures["touched_s"] < 7.5


def test_arrival_is_where_and_how_it_was_planned(caught: ExperimentResult) -> None:
    """The bar in the grasp to 3 mm and 0.5 degrees, closing at 50 mm/s to 5 %: the sightings' noise (0.5 mm and 0.1 degrees each,
    130 of them; 0.28 m from the mass centre to the bar) and half a second without them allow less."""
    row = int(np.searchsorted(caught.t, 7.0 - 1e-9))
    assert np.linalg.norm(vector(caught, "relative", "bar")[row]) < 3e-3
    assert column(caught, "relative", "turn")[row] < 0.5
    assert column(caught, "relative", "speed")[row] == pytest.approx(0.05, rel=0.05)
    assert column(caught, "relative", "turn_rate")[row] < 0.5


def test_contact_has_two_sides(caught: ExperimentResult, late: ExperimentResult) -> None:
    """Force on the handle and on the craft, each from its own momentum: opposite to what the bound of the momentum (1e-6 of its
    scale) is over the 4 ms of a row, some 0.2 mN of 10 and of 70 N."""
    for result in (caught, late):
        handle, craft = vector(result, "contact", "on_handle"), vector(result, "contact", "on_craft")
        assert np.abs(handle).max() > 5.0
        assert np.abs(handle + craft).max() < 1e-6 * result.figures["momentum_scale"][0] / 0.004


def test_the_joints_come_to_rest_and_everything_turns_together(caught: ExperimentResult) -> None:
    rates = np.column_stack([column(caught, "arm", f"rate_{i}") for i in range(1, 8)])
    row = int(np.searchsorted(caught.t, 7.3))
    # 3.3 s of damping, 0.5 s each: 0.14 %, and the grip's slack.
    assert np.abs(rates[-1]).max() < 0.02 * np.abs(rates[row]).max()
    assert column(caught, "contact", "finger_1")[-1] == pytest.approx(30.0, rel=0.01)
    assert column(caught, "contact", "finger_2")[-1] == pytest.approx(30.0, rel=0.01)
    # Momentum came in with the handle and is now everybody's: the common mass centre moves as it did, 20 kg of 141.9.
    start = np.array([-0.020, 0.020, -0.010]) * 20.0
    assert np.linalg.norm(vector(caught, "balance", "linear")[-1]) < 1e-6 * np.linalg.norm(start)


def test_energy_is_never_more_than_the_work_put_in(caught: ExperimentResult, late: ExperimentResult) -> None:
    for result in (caught, late):
        assert column(result, "balance", "excess").max() < 1e-9
        assert column(result, "balance", "excess")[-1] < -1e-3  # contacts have taken some


def test_late_fingers_find_nothing(late: ExperimentResult) -> None:
    assert late.passed, [row for row in late.criteria if not row.passed]
    assert [name for _, name in late.figures["phases"]] == ["look", "approach", "close", "missed"]
    assert "nothing between the fingers" in late.figures["cause"]
    assert late.figures["handle_velocity_change_m_s"] > 0.02
    assert column(late, "contact", "palm").max() > 20.0
    assert column(late, "relative", "bar_z")[-1] > 0.04  # beyond the fingers' tips


def test_too_much_force_stops_the_arm_and_opens_the_fingers() -> None:
    result = carried_out(
        "grasp_late", ("[expect]", "[limit]\nforce_n = 40.0\n\n[expect]"), ("end_s = 14.0", "end_s = 10.2"),
        ('outcome = "bumped"', 'outcome = "stopped"'),
    )  # fmt: skip
    assert result.passed, [row for row in result.criteria if not row.passed]
    assert result.figures["phases"][-1][1] == "stopped"
    assert "above 40 N" in result.figures["cause"]
    rates = np.abs(np.column_stack([column(result, "arm", f"rate_{i}") for i in range(1, 8)])).max(axis=1)
    row = int(np.searchsorted(result.t, result.figures["phases"][-1][0]))
    assert rates[-1] < 0.1 * rates[row - 2]
    assert column(result, "contact", "opening")[-1] == pytest.approx(0.08, abs=1e-3)


@pytest.mark.parametrize("what", ["base", "base_speed", "joints", "rates", "opening", "jaw_force", "wrist", "sighting"])
def test_a_value_that_is_no_number_halts_with_its_name(what: str) -> None:
    """Whatever it is: brakes, no torques, and it stays so when the value comes back."""
    setting = prepared(experiment("grasp"))
    file, rng = setting.file, np.random.default_rng(1)
    flight = flight_of(setting)
    measured = GraspSensors(file.sensors, file.sight, None, 6.5, rng).read(setting.world)
    assert measured.sighting is not None
    assert not flight.step(measured).brake
    command = flight.step(spoiled(measured, what))
    assert command.brake
    assert not command.torques.any()
    assert not command.close
    assert flight.phase is GraspPhase.HALTED
    assert f"no number: {what.replace('_', ' ')}, value 1" in flight.cause
    assert flight.step(measured).brake


def test_a_halted_arm_comes_to_rest_and_the_run_says_why() -> None:
    change = ("[expect]", '[fault]\nof = "rates"\nbegin_s = 5.5\n\n[expect]')
    result = carried_out("grasp", change, ("end_s = 14.0", "end_s = 7.5"))
    assert not result.passed
    assert result.failure.startswith("flight software halted at 5.50")
    assert "rates, value 1" in result.failure
    arm = next(series for series in result.series if series.name == "arm")
    assert np.isfinite(arm.values).all()
    rates = np.abs(arm.values[:, 7:14]).max(axis=1)
    row = int(np.searchsorted(result.t, 5.5))
    assert rates[row] > 0.1
    assert rates[-1] < 0.1 * rates[row]
    assert np.abs(np.diff(rates[row:])).max() < 0.2 * rates[row]  # within 4 ms: no jerk


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ((("place_m = [1.62, -0.10, 0.10]", "place_m = [1.324, -0.006, 0.003]"),), "starts inside"),
        ((("place_m = [1.62, -0.10, 0.10]", "place_m = [2.60, -0.10, 0.10]"),), "out of reach"),
        ((("kd = 16.0", "kd = 1600.0"),), "unstable at this rate"),
        ((("start_deg = [10.0,", "start_deg = [200.0,"),), "beyond its limits"),
        ((('tool = "flange"', 'tool = "nose"'),), "no such end-effector"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_moves(changes: tuple[Change, ...], words: str) -> None:
    with pytest.raises(BadInput) as caught:
        prepared(experiment("grasp", *changes))
    assert words in str(caught.value)


def test_no_use_for_real_time() -> None:
    with pytest.raises(BadInput, match="--realtime"):
        carry_out(experiment("grasp"), lambda *_: None, realtime=True)


def test_log_and_report(late: ExperimentResult, tmp_path: Path) -> None:
    """From the log alone, and with the pictures where this machine can draw."""
    about = {"scenario": "grasp_late", "about": "", "kind": "grasp", "model": "iiwa_satellite", "seed": "1"}
    write_experiment(tmp_path / "run.mcap", late, about)
    log = Log.open(tmp_path / "run.mcap")
    told = about_of(log)
    assert told is not None
    assert len(list(draw(log, told))) == (5 if late.figures["pictures"] else 4)
    write_page(experiment_report(log, drawings_of("grasp")), tmp_path / "report.html")
    assert "bumped" in (tmp_path / "report.html").read_text()


def ctrl_c_at(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice, as launchers pass it on."""
    step = GraspWorld.step

    def interrupted(world: GraspWorld, *command: Any) -> None:
        if world.t >= seconds - 1e-9:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
        step(world, *command)

    monkeypatch.setattr(GraspWorld, "step", interrupted)


@pytest.mark.parametrize(("at_s", "rows"), [(0.8, 201), (0.004, 2)])
def test_ctrl_c_keeps_the_rows(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_s: float, rows: int
) -> None:
    """From the command line to log and report: exit code 1, the rows so far, and the cause wherever the run is told of."""
    ctrl_c_at(at_s, monkeypatch)
    code, out, err = run("run", "grasp", "--out", tmp_path, "--json")
    assert code == 1, err
    summary = json.loads(out)
    assert summary["failure"].startswith(f"interrupted after {at_s:.2f}")
    assert summary["figures"]["outcome"] == "interrupted"
    assert not summary["passed"]
    assert len(Log.open(tmp_path / "run.mcap").pool) == rows
    assert "Interrupted after" in (tmp_path / "report.html").read_text()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_before_there_are_rows_is_told_in_one_line(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctrl_c_at(0.0, monkeypatch)
    code, _, err = run("run", "grasp", "--out", tmp_path)
    assert code == 1
    assert "proxops: grasp: interrupted, nothing was recorded" in err
    assert not (tmp_path / "run.mcap").exists()


HURRIED = (
    ("end_s = 14.0", "end_s = 2.5"),
    ("stand_off_s = 5.0", "stand_off_s = 1.0"),
    ("arrive_s = 7.0", "arrive_s = 1.9"),
)  # it does not end well, but it touches: it is the numbers that are compared


def test_the_same_seed_gives_the_same_run_streamed_or_not_and_another_one_does_not(tmp_path: Path) -> None:
    """Rows and figures to the last bit, with an onlooker's images and the frames."""
    alone, other = (carried_out("grasp", *HURRIED, seed=seed) for seed in (4, 5))
    assert not np.array_equal(column(alone, "arm", "angle_1"), column(other, "arm", "angle_1"))
    assert np.abs(vector(alone, "contact", "on_handle")).max() > 1.0
    stream = RowStream(tmp_path / "run.mcap", {"scenario": "grasp", "kind": "grasp"}, live=False)
    out = run_grasp(experiment("grasp", *HURRIED), lambda *_: None, seed=4, stream=stream)
    assert stream.finish(out) == 0
    assert out.figures == alone.figures
    log = Log.open(tmp_path / "run.mcap")
    assert log.complete and log.values("clock.t_sim").tolist() == alone.t.tolist()
    for one, other in zip(out.series, alone.series, strict=True):
        assert np.array_equal(one.values, other.values)
        for (name, _), values in zip(one.columns, one.values.T, strict=True):
            assert np.array_equal(log.values(f"{one.name}.{name}"), values)
    assert log.topics["/tf"] == 63
    if not out.attachments:
        pytest.skip("no OpenGL: frames only")
    assert log.topics["/camera/image"] == log.topics["/camera/calibration"] == 6
    with (tmp_path / "run.mcap").open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        images = [body for *_, body in reader.iter_decoded_messages(topics=["/camera/image"])]
    width, height = PICTURE
    for body in images:
        picture = imread(BytesIO(body.data))
        assert picture.shape[:2] == (height, width) and np.ptp(picture) > 0.5
    assert sum(len(body.data) for body in images) < 1_000_000


def test_the_onlookers_camera_is_where_its_frame_says() -> None:
    """Seen from there, through its calibration, the handle's middle lies in the middle of what is drawn of its body."""
    world = prepared(experiment("grasp")).world
    with open_viewer(world) as viewer:
        if viewer._renderer is None:
            pytest.skip("no OpenGL")
        viewer.look(0.0, world.survey())
        T_inertial_camera = viewer._T_camera
        assert T_inertial_camera is not None
        renderer = viewer._renderer
        renderer.enable_segmentation_rendering()
        numbers, kinds = np.moveaxis(renderer.render(), 2, 0)
    largest = max(
        (g for g in range(world.model.ngeom) if world.model.geom(g).bodyid[0] == world.model.body(BODY).id),
        key=lambda g: float(np.prod(world.model.geom(g).size)),
    )  # the box
    rows, columns = np.nonzero((numbers == largest) & (kinds == 5))  # mjOBJ_GEOM
    place = np.linalg.inv(T_inertial_camera) @ np.append(world.handle_pose()[:3, 3], 1.0)
    u, v, w = viewer.camera.intrinsics @ place[:3]
    assert rows.size > 1000 and w > 0.0
    assert (u / w, v / w) == pytest.approx(
        (np.ptp(columns) / 2 + columns.min(), np.ptp(rows) / 2 + rows.min()), abs=6.0
    )


def test_where_nothing_can_be_drawn_there_are_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PictureUnavailable("no OpenGL")

    monkeypatch.setattr(grasp_viewer, "open_renderer", refuse)
    world = prepared(experiment("grasp")).world
    with open_viewer(world) as viewer:
        for t in (0.0, 0.02, 0.04):
            viewer.look(t, world.survey())
    assert [channel.number for channel in viewer.feed.channels] == [FRAMES_CHANNEL]
    messages = viewer.feed.due(np.array([0.0, 0.02, 0.04]), 0, all_of_it=True)
    assert [(one.channel, one.tick) for one in messages] == [(FRAMES_CHANNEL, 0), (FRAMES_CHANNEL, 2)]
