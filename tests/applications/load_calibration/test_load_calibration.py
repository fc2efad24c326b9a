"""``proxops ft calibrate``: the motion keeps the arm's limits, the load is found within its sigmas, too little is refused."""

from __future__ import annotations

import io
import json
import shutil
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proxops.applications.load_calibration import drive as calibration_drive
from proxops.applications.load_calibration import motion as calibration_course
from proxops.applications.load_calibration import own_sensor
from proxops.applications.load_calibration.arm_run import driven
from proxops.applications.load_calibration.calibration import ARM, calibrate
from proxops.applications.load_calibration.drive import RATE_HZ
from proxops.applications.load_calibration.identification import identified
from proxops.applications.load_calibration.motion import SPEED_UP_S, CalibrationMotion, calibration_motion, check_motion
from proxops.applications.load_calibration.record import CalibrationSamples, CalibrationStage, recorded_in
from proxops.applications.load_calibration.session import shipped_tool
from proxops.applications.load_calibration.tool import VirtualTool, true_wrenches
from proxops.arms.model import ArmModel, load_model
from proxops.cli import main
from proxops.core.channel import LOOPBACK
from proxops.core.clock import LockstepClock
from proxops.core.ending import EndReason
from proxops.core.errors import BadInput
from proxops.core.force_datagram import ForceReading, pack_force
from proxops.core.tool_load_file import ToolLoadFile, read_tool_load, toml_of
from proxops.facility.robots import AT_REST
from proxops.ground.experiment_log import about_of
from proxops.ground.log import Log
from proxops.lab.links import arm_position
from proxops.lab.virtual_arm import VirtualArm
from proxops.maths.quaternion import quat_inverse, turned
from proxops.maths.rotation import matrix_from_quat
from proxops.sensors.force_torque import ForceTorqueSensor, SensorTraits
from proxops.touch import load_identification
from proxops.touch.force_watch import StreamTraits
from proxops.touch.stamp_shift import MOST_S
from proxops.touch.tool_load import GRAVITY, load_of, load_wrench

Run = Callable[..., tuple[int, str, str]]
SEED = 3


@pytest.fixture(scope="module")
def arm() -> ArmModel:
    return load_model(*ARM)


@pytest.fixture(scope="module")
def motion(arm: ArmModel) -> CalibrationMotion:
    return calibration_motion(arm)


def test_the_motion_keeps_the_limits_and_is_one_motion(arm: ArmModel, motion: CalibrationMotion) -> None:
    """Also between the rows: rates and accelerations are those of the angles, by central differences."""
    assert np.all((motion.q >= arm.lower) & (motion.q <= arm.upper))
    assert np.all(np.abs(motion.rate) <= arm.speed)
    assert np.all(np.abs(motion.acceleration) <= arm.speed / SPEED_UP_S)
    dt = motion.t[1] - motion.t[0]
    rate = (motion.q[2:] - motion.q[:-2]) / (2.0 * dt)
    acceleration = (motion.rate[2:] - motion.rate[:-2]) / (2.0 * dt)
    # error of a central difference: dt²/6 times the third derivative, here up to some 100 rad/s³
    np.testing.assert_allclose(motion.rate[1:-1], rate, atol=1e-3)
    np.testing.assert_allclose(motion.acceleration[1:-1], acceleration, atol=1e-2)
    for end in (0, -1):
        np.testing.assert_allclose(motion.rate[end], 0.0, atol=1e-12)
        np.testing.assert_allclose(motion.acceleration[end], 0.0, atol=1e-9)


def test_the_flanges_motion_is_that_of_its_poses(motion: CalibrationMotion) -> None:
    dt = motion.t[1] - motion.t[0]
    p, R = motion.p_world_flange, np.array([matrix_from_quat(q) for q in motion.attitude])
    a = np.array(
        [turned(quat_inverse(q), v) for q, v in zip(motion.attitude[1:-1], np.diff(p, 2, axis=0) / dt**2, strict=True)]
    )
    np.testing.assert_allclose(motion.a[1:-1], a, atol=2e-2)
    spin = np.einsum("nji,njk->nik", R[1:-1], (R[2:] - R[:-2]) / (2.0 * dt))
    np.testing.assert_allclose(
        motion.w[1:-1], np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1), atol=2e-2
    )
    np.testing.assert_allclose(motion.alpha[1:-1], (motion.w[2:] - motion.w[:-2]) / (2.0 * dt), atol=5e-2)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda m: replace(m, q=m.q + np.radians([0, 0, 0, 0, 0, 60, 0])), "angle of A5"),
        (lambda m: replace(m, rate=m.rate * 3.0), "speed of"),
        (lambda m: replace(m, acceleration=m.acceleration * 3.0), "acceleration of"),
        (lambda m: replace(m, p_world_flange=m.p_world_flange - [0, 0, 0.6]), "height of the flange"),
        (lambda m: replace(m, p_world_flange=m.p_world_flange * [0.1, 0.1, 1]), "distance of the flange"),
        (lambda m: replace(m, q=np.where(np.arange(7) == 2, np.nan, m.q)), "angle of E1"),
    ],
)  # fmt: skip
def test_a_motion_beyond_limits_is_refused(
    arm: ArmModel, motion: CalibrationMotion, change: Callable[[CalibrationMotion], CalibrationMotion], complaint: str
) -> None:
    with pytest.raises(BadInput, match=complaint):
        check_motion(arm, change(motion))


Calibrated = tuple[Path, dict[str, Any]]


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory: pytest.TempPathFactory) -> Calibrated:
    """``proxops ft calibrate``, to be looked at: its folder and what it told."""
    folder, said = tmp_path_factory.mktemp("calibrated") / "cal", io.StringIO()
    words = ["ft", "calibrate", "--seed", str(SEED), "--out", str(folder), "--json"]
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(said), pytest.raises(SystemExit) as end:
        patch.setattr(sys, "argv", ["proxops", *words])
        main()
    assert not end.value.code
    return folder, json.loads(said.getvalue())


def test_the_load_is_found_within_three_sigma(calibrated: Calibrated) -> None:
    """And down to the noise: 1 N and 0.05 N m."""
    folder, about = calibrated
    off = [(row["identified"] - row["truth"]) / row["sigma"] for row in about["parameters"]]
    assert len(off) == 16
    assert max(map(abs, off)) < 3.0
    # A reading is the mean of the cycle before its stamp, so it was made half a cycle earlier.
    assert about["shift_ms"] == pytest.approx(-2.0, abs=3.0 * about["shift_sigma_ms"])
    assert about["shift_sigma_ms"] < 0.1
    assert about["left_n"] == pytest.approx(1.0, abs=0.05)
    assert about["left_nm"] == pytest.approx(0.05, abs=0.0025)
    sigma = {row["name"]: row["sigma"] for row in about["parameters"]}
    assert sigma["mass"] < 0.005
    assert sigma["inertia xx"] < 0.002
    file = read_tool_load(folder / "load.toml")
    assert file.mass_kg == about["parameters"][0]["identified"]
    assert file.identified is not None
    assert file.identified.bias == tuple(row["identified"] for row in about["parameters"][10:])
    load_of(file)
    assert (folder / "calibration.png").read_bytes()[:4] == b"\x89PNG"


def test_the_log_has_all_of_it(run: Run, calibrated: Calibrated, tmp_path: Path) -> None:
    """Every cycle with the facility's groups beside ours, what came of it, and enough to find the load once more."""
    told = calibrated[1]
    shutil.copytree(calibrated[0], tmp_path / "cal")
    log = Log.open(tmp_path / "cal" / "run.mcap")
    assert log.complete and log.ended is not None and log.ended.reason is EndReason.DONE
    assert {"setpoint", "actual", "state", "calibration", "reading"} <= set(log.pool.dtype.names or ())
    assert {"/tf", "/hall/visuals"} <= set(log.topics)  # the arm in 3D
    stage = log.values("calibration.stage")
    assert np.isnan(stage[0])  # before the drives were on
    assert set(stage[np.isfinite(stage)]) == {CalibrationStage.STAND, CalibrationStage.MOVE}
    recorded = recorded_in(log)
    again = identified("again", load_model(*ARM), recorded, SensorTraits().noise)
    assert [value for _, _, value, *_ in again.rows] == [row["identified"] for row in told["parameters"]]
    summary = json.loads((tmp_path / "cal" / "summary.json").read_text())
    assert summary["passed"] and summary["log_whole"] and summary["kind"] == "load_calibration"
    assert summary["figures"]["parameters"] == told["parameters"]
    assert {Path(path).name for path in told["files"]} == {
        "load.toml", "calibration.png", "run.mcap", "summary.json", "report.html",
    }  # fmt: skip
    page = (tmp_path / "cal" / "report.html").read_text()
    (tmp_path / "cal" / "report.html").unlink()
    for words in (("report", tmp_path / "cal"), ("log", "info", tmp_path / "cal" / "run.mcap")):
        code, _, err = run(*words)
        assert code == 0, err
    assert (tmp_path / "cal" / "report.html").read_text() == page
    assert "inertia xy" in page and "off, sigma" in page
    code, _, err = run("log", "plot", tmp_path / "cal" / "run.mcap")
    assert code == 2 and "no coordinate systems of the hall" in err and "log export" in err
    code, _, err = run("log", "export", tmp_path / "cal" / "run.mcap", "--out", tmp_path / "log.csv")
    assert code == 0, err
    assert "reading.fz" in (tmp_path / "log.csv").read_text()[:20_000]


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """A motion of half the time, where it is not the load that counts but what is made of it."""
    monkeypatch.setattr(calibration_course, "DURATION_S", 0.5 * calibration_course.DURATION_S)


@pytest.mark.usefixtures("brief")
def test_a_users_tool_and_the_table(run: Run, tmp_path: Path) -> None:
    tool = tmp_path / "gripper.toml"
    tool.write_text(
        'name = "gripper"\nmass_kg = 1.5\ncom_m = [0, 0.02, 0.06]\ninertia_kgm2 = [0.004, 0.004, 0.002, 0, 0, 0]\n'
    )
    code, out, _ = run("ft", "calibrate", "--tool", tool, "--out", "cal")
    assert code == 0
    assert "1.50000" in out
    assert 'name = "gripper"' in (tmp_path / "cal" / "load.toml").read_text()
    code, _, err = run("ft", "calibrate", "--tool", tmp_path / "cal" / "load.toml", "--out", "cal")
    assert code == 2
    assert "overwrite" in err


def test_the_same_seed_gives_the_same_load(calibrated: Calibrated) -> None:
    """With a log and without one."""
    again = calibrate(read_tool_load(shipped_tool()), 1.0, SEED)
    assert again.load_file == read_tool_load(calibrated[0] / "load.toml")


def refusal_in(folder: Path) -> str:
    """Nothing but the log is there, and tells why."""
    assert {path.name for path in folder.iterdir()} <= {"run.mcap", "run.overview", ".lock"}
    log = Log.open(folder / "run.mcap")
    assert log.complete
    about = about_of(log)
    assert about is not None and not about["passed"]
    told: str = about["failure"]
    return told


@pytest.mark.usefixtures("brief")
def test_too_little_excitation_is_refused_by_name_and_only_its_log_is_written(run: Run, tmp_path: Path) -> None:
    code, out, err = run("ft", "calibrate", "--excitation", "small", "--out", tmp_path / "cal", "--json")
    assert code == 2
    assert "not observable: mass (" in err
    assert "Jxx (" in err
    assert json.loads(out)["ok"] is False
    assert "not observable: mass (" in refusal_in(tmp_path / "cal")
    code, out, err = run("report", tmp_path / "cal")
    assert "not observable: mass (" in (tmp_path / "cal" / "report.html").read_text()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("mass_kg = 0\ncom_m = [0, 0, 0]\ninertia_kgm2 = [1, 1, 1, 0, 0, 0]", "mass_kg: out of range"),
        ("mass_kg = 1\ncom_m = [0, 0, 0]\ninertia_kgm2 = [1, 1, 3, 0, 0, 0]", "triangle"),
        ("mass_kg = 1\ncom_m = [0, 0, 0]\ninertia_kgm2 = [1, 1, -1, 0, 0, 0]", "not positive"),
        ("mass_kg = 1\ncom_m = [0, 0, 9]\ninertia_kgm2 = [1, 1, 1, 0, 0, 0]", "com_m"),
        ("mass_kg = 1\ncom_m = [0, 0, nan]\ninertia_kgm2 = [1, 1, 1, 0, 0, 0]", "com_m"),
        ("mass = 1\ncom_m = [0, 0, 0]\ninertia_kgm2 = [1, 1, 1, 0, 0, 0]", "unknown key"),
        ("mass_kg = [", "not TOML"),
    ],
)  # fmt: skip
def test_a_tool_that_cannot_be_is_refused(run: Run, tmp_path: Path, text: str, complaint: str) -> None:
    tool = tmp_path / "tool.toml"
    tool.write_text(text)
    code, _, err = run("ft", "calibrate", "--tool", tool)
    assert code == 2
    assert complaint in err
    assert "tool.toml" in err
    assert not (tmp_path / "runs").exists()


def test_a_tool_file_reads_back_as_it_was(tmp_path: Path) -> None:
    odd = ToolLoadFile(
        name='a "b" \\ c\n\u0007 é', mass_kg=0.1 + 0.2, com_m=(1e-17, -0.0, 1 / 3), inertia_kgm2=(1, 2, 3, 0, 0, 1e-9)
    )
    path = tmp_path / "odd.toml"
    path.write_text(toml_of(odd, "comment"))
    assert read_tool_load(path) == odd
    with pytest.raises(BadInput, match="cannot read the tool"):
        read_tool_load(tmp_path / "none.toml")


@pytest.fixture(scope="module")
def course(arm: ArmModel, motion: CalibrationMotion) -> CalibrationSamples:
    """The motion on the virtual arm under a sensor without errors."""
    nothing, load = np.zeros(6), load_of(read_tool_load(shipped_tool()))
    exact = SensorTraits(noise=nothing, resolution=nothing)

    def hang(moved: VirtualArm) -> VirtualTool:
        return VirtualTool(arm, moved, load, ForceTorqueSensor(exact, np.random.default_rng(0)))

    stream = StreamTraits(exact.range, nothing, nothing, RATE_HZ)
    return driven(arm, motion.q, np.random.default_rng(0), hang, stream, LockstepClock())


NOISE = SensorTraits().noise


def disturbed(course: CalibrationSamples, seed: int, noise: np.ndarray = NOISE, every: int = 1) -> CalibrationSamples:
    """The same course with other noise in encoders and readings; every so manyth reading."""
    rng = np.random.default_rng(seed)
    readings = course.readings[::every] + noise * rng.standard_normal((len(course.readings[::every]), 6))
    encoders = course.encoders + 2e-6 * rng.standard_normal(course.encoders.shape)
    return replace(course, encoders=encoders, stamp=course.stamp[::every], readings=readings)


def test_the_arm_is_behind_its_set_points_and_encoders_have_steps(
    course: CalibrationSamples, motion: CalibrationMotion
) -> None:
    """A set-point is meant for the end of its cycle; then a cycle of dead time and two lags: 4 + 12 ms."""
    begin = round((course.begin_s - course.t[0]) * RATE_HZ)
    late = course.encoders[begin : begin + len(motion.t)] - motion.q
    delay = -np.sum(late * motion.rate) / np.sum(motion.rate**2)
    assert delay == pytest.approx(0.016, abs=2e-4)
    step = 2.0 * np.pi / 2**20
    np.testing.assert_allclose(course.encoders / step, np.round(course.encoders / step), atol=1e-6)


def test_two_formulas_of_a_tools_load_are_one(motion: CalibrationMotion) -> None:
    load = load_of(read_tool_load(shipped_tool()))
    ours = [
        load_wrench(load.parameters, q, w, alpha, a, GRAVITY)
        for q, w, alpha, a in zip(motion.attitude, motion.w, motion.alpha, motion.a, strict=True)
    ]
    np.testing.assert_allclose(true_wrenches(load, motion), ours, rtol=0.0, atol=1e-11)


def test_sigmas_are_honest_over_forty_seeds(
    course: CalibrationSamples, arm: ArmModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found less true over sigma has the spread of one, and no mean: encoders, spline and the times' error are in the sigmas. Of
    680 numbers, some correlated, a spread is sure to about 5 %, a mean of forty to 0.16."""
    monkeypatch.setattr(load_identification, "SHARE", 1.0)  # of the noise of one reading, which is smaller here
    truth = load_of(read_tool_load(shipped_tool()))
    every, off = 7, []
    noise = NOISE / every**0.5  # as much in all as a whole calibration has
    for seed in range(40):
        found = identified("", arm, disturbed(course, seed, noise, every), noise).found
        off.append(
            [
                *((found.parameters - truth.parameters) / found.sigma),
                *(found.bias / found.bias_sigma),
                (found.shift + 0.002) / found.shift_sigma,
            ]
        )
    assert np.std(off) == pytest.approx(1.0, abs=0.15)
    assert np.abs(np.mean(off, axis=0)).max() < 4.0 * 0.16


@pytest.mark.parametrize("late_s", [-0.03, 0.04])
def test_stamps_that_are_off_are_found_and_do_no_harm(course: CalibrationSamples, arm: ArmModel, late_s: float) -> None:
    rows = disturbed(course, 1)
    straight = identified("", arm, rows, NOISE).found
    found = identified("", arm, replace(rows, stamp=rows.stamp + late_s), NOISE).found
    assert found.shift == pytest.approx(straight.shift - late_s, abs=1e-4)
    # some rows at the ends differ
    np.testing.assert_allclose(found.parameters, straight.parameters, atol=0.3 * found.sigma.max(), rtol=0.0)
    assert abs(found.shift + 0.002 + late_s) < 4.0 * found.shift_sigma


def test_stamps_that_are_far_off_are_refused(course: CalibrationSamples, arm: ArmModel) -> None:
    rows = disturbed(course, 1)
    with pytest.raises(BadInput, match="times of the readings do not fit the motion"):
        identified("", arm, replace(rows, stamp=rows.stamp + 3.0 * MOST_S), NOISE)


# ---------------------------------------------------------------------------------------------- a user's own sensor
class PacedClock(LockstepClock):
    """Waits for the sensor's thread in every cycle: as sure as lockstep, and real datagrams from another thread."""

    newest: PacedClock

    def __init__(self) -> None:
        super().__init__()
        PacedClock.newest = self
        self.arm: VirtualArm | None = None
        self.asked, self.sent = threading.Event(), threading.Event()

    def advance(self) -> float:
        self.asked.set()
        assert self.sent.wait(20.0)
        self.sent.clear()
        return super().advance()


class KnownArm(VirtualArm):
    """Tells its clock that it is there."""

    def __init__(self, traits: Any, angles: Any, clock: Any, random: Any) -> None:
        super().__init__(traits, angles, clock, random)
        if hasattr(PacedClock, "newest"):
            PacedClock.newest.arm = self


Bend = Callable[[ForceReading], ForceReading | bytes | None]


class ToolThread(threading.Thread):
    """A sensor with a tool on the arm, that sends a datagram a cycle; ``bend``: what becomes of each."""

    def __init__(self, port: int, bend: Bend) -> None:
        super().__init__(daemon=True)
        self._to, self._bend, self.over = (LOOPBACK, port), bend, threading.Event()

    def run(self) -> None:
        model, load, tool = load_model(*ARM), load_of(read_tool_load(shipped_tool())), None
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
            while not self.over.is_set():
                clock = getattr(PacedClock, "newest", None)
                if clock is None or not clock.asked.wait(0.05):
                    continue
                clock.asked.clear()
                if tool is None:
                    sensor = ForceTorqueSensor(SensorTraits(offset=np.full(6, 0.5)), np.random.default_rng(5))
                    tool = VirtualTool(model, clock.arm, load, sensor)
                sample = tool.latest(clock.arm.t)
                data = self._bend(ForceReading(sample.sequence, round(sample.t * 1e9) + 10**15, tuple(sample.wrench)))
                if data is not None:
                    line.sendto(data if isinstance(data, bytes) else pack_force(data), self._to)
                clock.sent.set()


Listen = Callable[..., tuple[int, str, str]]


@pytest.fixture
def listen(run: Run, monkeypatch: pytest.MonkeyPatch) -> Listen:
    """``proxops ft calibrate --sensor network`` with a tool's thread on the other end."""
    monkeypatch.setattr(arm_position, "VirtualArm", KnownArm)
    monkeypatch.setattr(own_sensor, "LiveClock", PacedClock)

    def call(bend: Bend, *words: object) -> tuple[int, str, str]:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind((LOOPBACK, 0))
            port = free.getsockname()[1]
        if hasattr(PacedClock, "newest"):
            del PacedClock.newest
        thread = ToolThread(port, bend)
        thread.start()
        try:
            return run("ft", "calibrate", "--sensor", "network", "--port", port, *words)
        finally:
            thread.over.set()
            thread.join(10.0)

    return call


def test_a_users_sensor_over_the_network(listen: Listen, tmp_path: Path) -> None:
    """Its clock has another epoch and is tied two cycles late, its noise is unknown, its tool too; all of it is found."""
    tool = tmp_path / "probe.toml"
    tool.write_text('name = "probe"\nmass_kg = 9\ncom_m = [0, 0, 0]\ninertia_kgm2 = [1, 1, 1, 0, 0, 0]\n')
    code, out, err = listen(lambda reading: reading, "--tool", tool, "--out", "cal", "--json")
    assert code == 0, err
    about = json.loads(out)
    truth = read_tool_load(shipped_tool())
    expected = [truth.mass_kg, *truth.com_m, *truth.inertia_kgm2, *[0.5] * 6]
    for row, true in zip(about["parameters"], expected, strict=True):
        assert "truth" not in row
        assert row["identified"] == pytest.approx(true, abs=4.0 * row["sigma"]), row["name"]
    # a cycle between the reading and its datagram's arrival, one for the drives to go on, half a one for the mean that it is
    assert about["shift_ms"] == pytest.approx(-10.0, abs=4.0 * about["shift_sigma_ms"])
    assert about["residual"] == pytest.approx(1.0, abs=0.1)  # noise of 250 readings at rest: sure to 5 % an axis
    assert read_tool_load(tmp_path / "cal" / "load.toml").name == "probe"


@pytest.mark.usefixtures("brief")
def test_without_truth_the_table_has_none(listen: Listen) -> None:
    code, out, _ = listen(lambda reading: reading, "--out", "cal")
    assert code == 0
    assert "identified" in out
    assert "truth" not in out
    assert "force port 127.0.0.1:" in out


MOVING = 600  # a cycle in which the arm is in full swing: it stands for 250, and speeds up for 375


def from_cycle(number: int, bend: Bend) -> Bend:
    return lambda reading: bend(reading) if reading.sequence >= number else reading


def stuck() -> Bend:
    first: list[ForceReading] = []

    def hold(reading: ForceReading) -> ForceReading:
        first.append(reading)
        return replace(reading, wrench=first[0].wrench)

    return hold


@pytest.mark.parametrize(
    ("bend", "complaint"),
    [
        (from_cycle(MOVING, lambda r: replace(r, wrench=(float("nan"),) * 6)), "Fx is no number"),
        (from_cycle(MOVING, stuck()), "stuck, Fx exactly"),
        (from_cycle(MOVING, lambda r: None), "lost cable, no reading for 24 ms"),
        (lambda r: replace(r, measured_ns=2 * r.measured_ns), "wrong rate, 125 Hz by its time stamps"),
        (from_cycle(MOVING, lambda r: replace(r, wrench=(3000.0,) * 6)), "saturation, Fx 3000 N"),
        (lambda r: None, "no reading within 2 s"),
        (lambda r: b"hello", "no reading within 2 s; datagrams came, the last was refused: magic b'hell'"),
    ],
)  # fmt: skip
def test_faults_of_the_stream_stop_the_arm_and_are_named(
    listen: Listen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bend: Bend, complaint: str
) -> None:
    assert calibration_drive.FIRST_S == 10.0
    monkeypatch.setattr(calibration_drive, "FIRST_S", 2.0)
    code, _, err = listen(bend, "--out", "cal")
    assert code == 1
    assert f"proxops: load calibration: force sensor: {complaint}" in err
    assert refusal_in(tmp_path / "cal").startswith(f"load calibration: force sensor: {complaint.partition(';')[0]}")
    arm = PacedClock.newest.arm
    assert arm is not None
    assert np.abs(arm.rates).max() < AT_REST
    assert not arm.halted


def test_ctrl_c_brings_the_arm_to_rest(listen: Listen, tmp_path: Path) -> None:
    def interrupt(reading: ForceReading) -> ForceReading:
        signal.raise_signal(signal.SIGINT)  # Python hands it to the main thread
        return reading

    code, _, err = listen(from_cycle(MOVING, interrupt), "--out", "cal")
    assert code == 1
    assert "load calibration: interrupted" in err
    arm = PacedClock.newest.arm
    assert arm is not None
    assert np.abs(arm.rates).max() < AT_REST
    assert refusal_in(tmp_path / "cal") == "load calibration: interrupted"


def test_nobody_on_the_line_is_a_bounded_wait_by_the_walls_clock(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration_drive, "FIRST_S", 0.1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind((LOOPBACK, 0))
        port = free.getsockname()[1]
    code, _, err = run("ft", "calibrate", "--sensor", "network", "--port", port)
    assert code == 1
    assert "no reading within 0.1 s" in err


def test_a_port_in_use_and_options_that_do_not_belong_are_refused(run: Run) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind((LOOPBACK, 0))
        code, _, err = run("ft", "calibrate", "--sensor", "network", "--port", taken.getsockname()[1])
    assert code == 2
    assert "cannot open the force port" in err
    code, _, err = run("ft", "calibrate", "--port", 47340)
    assert code == 2
    assert "--sensor network" in err
