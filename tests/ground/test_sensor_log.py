"""Images of several sensors through the recorder into a log, read by MCAP's own library and by ours."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory

import proxops
from proxops.core.clock import LockstepClock
from proxops.core.errors import BadInput
from proxops.core.images import CameraImage, DepthImage, Image, PointScan
from proxops.core.imaging_table import CameraSensor, LidarSensor, TofSensor
from proxops.core.ring import Ring
from proxops.facility.build import build
from proxops.facility.installation import Installation
from proxops.ground.image_encoding import EncodedImage, decode, encode
from proxops.ground.log import Log
from proxops.ground.log_file import LogFile
from proxops.ground.log_window import window
from proxops.ground.overview import overview_of
from proxops.ground.recover import recover
from proxops.ground.sensor_log import Arrival, SensorLog, ring_slots
from proxops.ground.standard_log import export_messages
from proxops.ground.viewer_message import PIECE, ViewerMessages, pieces
from proxops.lab.cell import Cell
from proxops.maths.pose import pose
from proxops.maths.rotation import matrix_from_rotation_vector

NEAR = CameraSensor(
    kind="camera", name="near", width=64, height=48, distortion=(0.1, -0.2, 0.001, 0.002, 0.3), log_hz=10
)
FAR = CameraSensor(kind="camera", name="far", width=80, height=60, bits=12, log_hz=5)
TOF = TofSensor(kind="tof", name="tof", width=32, height=24, log_hz=5)
LIDAR = LidarSensor(kind="lidar", name="lidar", on="target", lines=10, points=20, log_hz=1)
SENSORS = (NEAR, FAR, TOF, LIDAR)
PLACES = {
    s.name: pose(matrix_from_rotation_vector(np.array([0.1, 0.2, k])), np.arange(3.0) + k)
    for k, s in enumerate(SENSORS)
}
TRUTH = np.array([1.0, 2.0, 3.0, 0.5, -0.5, 0.5, -0.5])
DELAY_S = 0.1
CYCLES = 600
EVERY = 25  # cycles between images of each


def image_of(number: int, sensor: str, t: float) -> Image:
    rng = np.random.default_rng((number, len(sensor)))
    if sensor == "near":
        return CameraImage("near", number, t, 0.002, 3.0, 255, rng.integers(0, 256, (48, 64), np.uint8))
    if sensor == "far":
        return CameraImage("far", number, t, 0.01, 0.0, 4095, rng.integers(0, 4096, (60, 80), np.uint16))
    if sensor == "tof":
        ranges = rng.uniform(0.3, 10, (24, 32)).astype(np.float32)
        ranges[:3] = np.nan
        return DepthImage("tof", number, t, ranges, rng.integers(0, 65536, (24, 32), np.uint16))
    points, offsets = rng.normal(size=(150, 3)).astype(np.float32), np.linspace(0, 0.9, 150).astype(np.float32)
    return PointScan("lidar", number, t, points, rng.random(150, np.float32), offsets)


def same(one: Image, other: Image) -> bool:
    if type(one) is not type(other):
        return False
    pairs = ((getattr(one, name), getattr(other, name)) for name in vars(one))
    return all(np.array_equal(a, b, equal_nan=True) if isinstance(a, np.ndarray) else a == b for a, b in pairs)


def recorded(path: Path, cell: Cell) -> list[Image]:
    """A facility in lockstep, at rest, with four sensors; what was pushed into its log."""
    log, clock, pushed = SensorLog(SENSORS, PLACES), LockstepClock(), []
    hall = build(cell, clock, seed=1, record=path, sensors=log)
    assert hall.viewer is not None
    for cycle in range(CYCLES):
        for sensor in SENSORS if cycle % EVERY == 0 else ():
            t = clock.tick * 0.004 - DELAY_S
            if log.due(sensor.name, t):
                pushed.append(image_of(cycle // EVERY, sensor.name, t))
                arrival = Arrival(clock.tick + 1, clock.utc_ns() + 4_000_000, clock.tick * 0.004 + 0.004)
                hall.viewer.push(log.messages(encode(pushed[-1]), arrival, TRUTH if sensor is NEAR else None))
        hall.facility.tick()
    assert hall.close() == 0
    return pushed


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, cell: Cell) -> tuple[Path, list[Image]]:
    path = tmp_path_factory.mktemp("sensors") / "run.mcap"
    return path, recorded(path, cell)


def decoded(path: Path) -> list[tuple[str, int, Any]]:
    with path.open("rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        topics = [c.topic for c in reader.get_summary().channels.values() if c.topic.startswith("/sensor/")]
        return [(c.topic, m.log_time, body) for _, c, m, body in reader.iter_decoded_messages(topics)]


def stamp(body: Any) -> int:
    return int(body.timestamp.seconds) * 10**9 + int(body.timestamp.nanos)


def test_every_sensor_is_in_the_log_as_others_read_it(run: tuple[Path, list[Image]]) -> None:
    path, pushed = run
    found: dict[str, list[tuple[int, Any]]] = {}
    for topic, arrived, body in decoded(path):
        found.setdefault(topic, []).append((arrived, body))
    assert len(found["/sensor/tf"]) == len(pushed)
    begin = Log.open(path).values("clock.utc_ns")[0]
    near = [image for image in pushed if image.sensor == "near"]
    for image, (arrived, body), (_, facts), (_, lens) in zip(
        near, found["/sensor/near/image"], found["/sensor/near/truth"], found["/sensor/near/calibration"], strict=True
    ):
        assert isinstance(image, CameraImage)
        assert (cv2.imdecode(np.frombuffer(body.data, np.uint8), -1) == image.pixels).all()
        assert (body.format, body.frame_id) == ("png", "sensor/near")
        assert stamp(body) == stamp(facts) == stamp(lens)
        assert arrived - stamp(body) == pytest.approx((DELAY_S + 0.004) * 1e9, abs=2)
        assert (arrived - begin) % 4_000_000 == 0  # a cycle's own
        assert (facts.number, facts.t, facts.exposure_s, facts.gain_db, facts.white) == (
            image.number,
            image.t,
            0.002,
            3.0,
            255,
        )
        p, q = facts.T_sensor_target.position, facts.T_sensor_target.orientation
        assert [p.x, p.y, p.z, q.w, q.x, q.y, q.z] == TRUTH.tolist()
        assert (lens.distortion_model, list(lens.D)) == ("plumb_bob", list(NEAR.distortion))
        assert list(lens.K) == NEAR.lens.intrinsics.ravel().tolist() and (lens.width, lens.height) == (64, 48)
    assert not found["/sensor/far/truth"][0][1].HasField("T_sensor_target")


def test_distances_and_points_are_what_they_were(run: tuple[Path, list[Image]]) -> None:
    path, pushed = run
    bodies: dict[str, list[Any]] = {}
    for topic, _, body in decoded(path):
        bodies.setdefault(topic, []).append(body)
    seen = [image for image in pushed if isinstance(image, DepthImage)]
    for image, depth, amplitude in zip(seen, bodies["/sensor/tof/depth"], bodies["/sensor/tof/intensity"], strict=True):
        assert (depth.encoding, depth.step, depth.width, depth.height) == ("32FC1", 128, 32, 24)
        assert np.array_equal(np.frombuffer(depth.data, "<f4").reshape(24, 32), image.range_m, equal_nan=True)
        assert (amplitude.encoding, amplitude.step) == ("mono16", 64)
        assert (np.frombuffer(amplitude.data, "<u2").reshape(24, 32) == image.intensity).all()
    scan, cloud = next(i for i in pushed if isinstance(i, PointScan)), bodies["/sensor/lidar/points"][0]
    assert [(f.name, f.offset, f.type) for f in cloud.fields] == [
        ("x", 0, 7), ("y", 4, 7), ("z", 8, 7), ("intensity", 12, 7), ("t", 16, 7),
    ]  # fmt: skip
    rows = np.frombuffer(cloud.data, "<f4").reshape(-1, cloud.point_stride // 4)
    assert (rows[:, :3] == scan.points_m).all() and (rows[:, 4] == scan.t_offset_s).all()
    assert cloud.pose.orientation.w == 1.0


def test_the_sensors_stand_on_their_craft(run: tuple[Path, list[Image]]) -> None:
    frames = {}
    for topic, _, body in decoded(run[0]):
        if topic == "/sensor/tf":
            (one,) = body.transforms
            frames[one.child_frame_id] = (
                one.parent_frame_id,
                [one.translation.x, one.translation.y, one.translation.z],
            )
    expected = {
        f"sensor/{s.name}": ("port2" if s is LIDAR else "port1", PLACES[s.name][:3, 3].tolist()) for s in SENSORS
    }
    assert frames == expected


def test_our_reader_gives_the_same_images_again(run: tuple[Path, list[Image]]) -> None:
    path, pushed = run
    log = proxops.read_log(path)
    assert set(log.sensors) == {s.name for s in SENSORS} and log.complete
    for name in log.sensors:
        own = [image for image in pushed if image.sensor == name]
        found = list(log.images(name))
        assert len(found) == len(own) and all(same(a, b) for a, b in zip(found, own, strict=True))
    assert next(iter(log.recorded_images("far"))).T_sensor_target is None
    assert next(iter(log.recorded_images("near"))).T_sensor_target.tolist() == TRUTH.tolist()
    with pytest.raises(BadInput, match="near"):
        log.images("nobody")


def test_as_many_are_recorded_as_were_asked_for(run: tuple[Path, list[Image]]) -> None:
    """From 0.1 s before the run to 2.3 s: the first of each stretch of 1 / log_hz."""
    counts = {s.name: sum(image.sensor == s.name for image in run[1]) for s in SENSORS}
    assert counts == {"near": 24, "far": 13, "tof": 13, "lidar": 4}
    topics = Log.open(run[0]).topics
    assert (topics["/sensor/near/image"], topics["/sensor/tof/depth"], topics["/sensor/lidar/points"]) == (24, 13, 4)


def test_who_wants_rows_unpacks_no_images(run: tuple[Path, list[Image]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does an overview name their chunks, whether the recorder made it or the log."""
    path, _ = run
    sizes: list[int] = []
    from proxops.ground import scan, unpacking

    monkeypatch.setattr(scan, "unpacked", lambda *a: (sizes.append(len(body := unpacking.unpacked(*a))), body)[1])
    log = Log.open(path)
    rows, read = log.count, len(sizes)
    assert rows == CYCLES and read == 3
    found = window(path, 0.0, 10.0, ["clock.tick"])
    assert found.decoded == 3 and len(found.tick) == CYCLES
    with LogFile(path) as file, overview_of(path) as kept:
        assert len(file.index()) == len(file.tail().places) == len(kept.blocks) == 3
    with overview_of(path, trust=False) as anew:
        assert anew.blocks.tobytes() == kept.blocks.tobytes()


def test_a_log_that_was_cut_off_keeps_its_images(run: tuple[Path, list[Image]], tmp_path: Path) -> None:
    path, pushed = run
    with LogFile(path) as file:
        end = int(file.index()["offset"][-1])
    (tmp_path / "cut.mcap").write_bytes(path.read_bytes()[: end + 100])
    cut = Log.open(tmp_path / "cut.mcap")
    assert not cut.complete and len(list(cut.images("near"))) >= 20
    recover(tmp_path / "cut.mcap", tmp_path / "whole.mcap")
    whole = Log.open(tmp_path / "whole.mcap")
    own = [image for image in pushed if image.sensor == "tof"]
    assert whole.complete and all(same(a, b) for a, b in zip(whole.images("tof"), own, strict=False))


def test_every_cycle_as_a_standard_message_keeps_the_images(run: tuple[Path, list[Image]], tmp_path: Path) -> None:
    path, pushed = run
    assert export_messages(path, tmp_path / "all.mcap") == CYCLES
    log = Log.open(tmp_path / "all.mcap")
    own = [image for image in pushed if image.sensor == "far"]
    assert log.count == CYCLES and all(same(a, b) for a, b in zip(log.images("far"), own, strict=True))


def test_the_same_run_gives_the_same_bytes(run: tuple[Path, list[Image]], tmp_path: Path, cell: Cell) -> None:
    recorded(tmp_path / "other.mcap", cell)
    assert (tmp_path / "other.mcap").read_bytes() == run[0].read_bytes()


@pytest.mark.parametrize("sensor", [s.name for s in SENSORS])
def test_bytes_are_an_image_again(sensor: str) -> None:
    image = image_of(3, sensor, 1.25)
    assert same(decode(encode(image)), image)


def test_bytes_that_are_none_are_named() -> None:
    with pytest.raises(BadInput, match="decoded"):
        decode(EncodedImage("near", 0, 0.0, {"image": b"\x89PNG nothing"}))
    with pytest.raises(BadInput, match="bytes"):
        decode(EncodedImage("tof", 0, 0.0, {"depth": bytes(12)}, 2, 2))
    with pytest.raises(BadInput, match="points"):
        decode(EncodedImage("lidar", 0, 0.0, {"points": bytes(21)}))
    with pytest.raises(BadInput, match="without pixels"):
        encode(CameraImage("near", 0, 0.0, 0.1, 0.0, 255, np.empty((0, 4), np.uint8)))


def test_a_ring_holds_a_second_of_two_cameras_and_what_is_lost_is_counted() -> None:
    """At 10 Hz, of noise, which nothing makes smaller."""
    cameras = [CameraSensor(kind="camera", name=name, log_hz=10) for name in ("left", "right")]
    log = SensorLog(cameras, {"left": np.eye(4), "right": np.eye(4)})
    noise = np.random.default_rng(1).integers(0, 256, (480, 640), np.uint8)
    encoded = {name: encode(CameraImage(name, 0, 0.0, 0.01, 0.0, 255, noise)) for name in ("left", "right")}
    ring = Ring.create("viewer", PIECE, ring_slots(cameras))
    try:
        reader = ViewerMessages(ring)
        for second, lost in ((2, 0), (8, 1)):
            for k in range(10 * second):
                for one in encoded.values():
                    for message in log.messages(one, Arrival(k, k, 0.1 * k)):
                        for piece in pieces(message):
                            ring.push(piece)
            assert (reader.read() > 0) == lost
            _, chunks = reader.until(None)
            images = sum(len(rows) for chunk in chunks for rows in chunk.index.values()) / 4
            assert images == 20 * second if not lost else images < 20 * second
            assert max(len(chunk.data) for chunk in chunks) < 20e6
        assert ring.lost > 0
    finally:
        ring.close()


CAMERAS = tuple(CameraSensor(kind="camera", name=name, log_hz=10) for name in ("left", "right"))


def show(hall: Installation, log: SensorLog, clock: LockstepClock, cycles: int) -> int:
    """Noise from two cameras at 10 Hz; how many images."""
    noise = np.random.default_rng(1).integers(0, 256, (480, 640), np.uint8)
    count = 0
    for cycle in range(cycles):
        for camera in CAMERAS if cycle % EVERY == 0 else ():
            image = encode(CameraImage(camera.name, cycle // EVERY, clock.tick * 0.004, 0.01, 0.0, 255, noise))
            assert hall.viewer is not None
            hall.viewer.push(log.messages(image, Arrival(clock.tick + 1, clock.utc_ns(), clock.tick * 0.004)))
            count += 1
        hall.facility.tick()
    return count


def test_a_recorder_that_stands_for_a_second_loses_no_image(tmp_path: Path, cell: Cell) -> None:
    log, clock = SensorLog(CAMERAS, {c.name: np.eye(4) for c in CAMERAS}), LockstepClock()
    hall = build(cell, clock, seed=1, record=tmp_path / "run.mcap", sensors=log)
    assert hall.recorder is not None and hall.viewer is not None
    os.kill(hall.recorder.pid, signal.SIGSTOP)
    try:
        shown = show(hall, log, clock, 260)
    finally:
        os.kill(hall.recorder.pid, signal.SIGCONT)
    assert hall.close() == 0 and hall.viewer.lost == 0
    assert sum(len(list(Log.open(tmp_path / "run.mcap").images(c.name))) for c in CAMERAS) == shown == 22


def test_kill_9_leaves_the_images_so_far(tmp_path: Path, cell: Cell) -> None:
    log, clock = SensorLog(CAMERAS, {c.name: np.eye(4) for c in CAMERAS}), LockstepClock()
    hall = build(cell, clock, seed=1, record=tmp_path / "run.mcap", sensors=log)
    assert hall.recorder is not None
    show(hall, log, clock, 800)
    deadline = time.monotonic() + 30.0
    while hall.rings[0].tail < 500 and time.monotonic() < deadline:
        time.sleep(0.005)
    os.kill(hall.recorder.pid, signal.SIGKILL)
    assert hall.close() < 0
    cut = Log.open(tmp_path / "run.mcap")
    assert not cut.complete and cut.count >= 500
    for camera in CAMERAS:
        images = list(cut.images(camera.name))
        assert len(images) >= 20 and [one.number for one in images] == list(range(len(images)))
