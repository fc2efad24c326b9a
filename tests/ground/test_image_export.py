"""Images of a log as files, and the folder as a sensor that gives them again."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from proxops.cli.log import log as command
from proxops.core.clock import LockstepClock
from proxops.core.errors import BadInput
from proxops.core.image_listing import COLUMNS
from proxops.core.images import CameraImage, DepthImage, Image, PointScan
from proxops.core.imaging_table import CameraSensor, LidarSensor, TofSensor
from proxops.core.point_file import points_of
from proxops.facility.build import build
from proxops.ground.image_encoding import encode
from proxops.ground.log import Log
from proxops.ground.sensor_log import Arrival, SensorLog
from proxops.lab.cell import Cell
from proxops.sensors.image_folder import ImageFolder

CAMERA = CameraSensor(kind="camera", name="eye", width=64, height=48, bits=12, log_hz=60)
SENSORS = (
    CAMERA,
    TofSensor(kind="tof", name="tof", width=32, height=24, log_hz=60),
    LidarSensor(kind="lidar", name="lidar", log_hz=60),
)
TRUTH = (1.0, 2.0, 3.0, 0.5, -0.5, 0.5, -0.5)


def seen(number: int) -> tuple[Image, ...]:
    rng, t = np.random.default_rng(number), 0.1 * number + 1 / 3
    ranges = rng.uniform(0.3, 60, (24, 32)).astype(np.float32)
    ranges[:, :5] = np.nan
    points, offsets = rng.normal(size=(40, 3)).astype(np.float32), np.linspace(0, 0.9, 40).astype(np.float32)
    return (
        CameraImage("eye", number, t, 0.01, 6.0, 4095, rng.integers(0, 4096, (48, 64), np.uint16)),
        DepthImage("tof", number, t, ranges, rng.integers(0, 65536, (24, 32), np.uint16)),
        PointScan("lidar", number, t, points, rng.random(40, np.float32), offsets),
    )


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory, cell: Cell) -> Path:
    path = tmp_path_factory.mktemp("export") / "run.mcap"
    sensors, clock = SensorLog(SENSORS, {s.name: np.eye(4) for s in SENSORS}), LockstepClock()
    hall = build(cell, clock, seed=1, record=path, sensors=sensors)
    for number in range(4):
        hall.facility.tick()
        for image in seen(number):
            arrival = Arrival(clock.tick, clock.utc_ns(), image.t + 0.05)
            assert hall.viewer is not None
            hall.viewer.push(sensors.messages(encode(image), arrival, np.array(TRUTH)))
    assert hall.close() == 0
    return path


def exported(log: Path, folder: Path, *more: str) -> None:
    done = CliRunner().invoke(command, ["export", str(log), "--images", str(folder), *more])
    assert done.exit_code == 0, done.output


def same(one: Image, other: Image) -> bool:
    pairs = ((getattr(one, name), getattr(other, name)) for name in vars(one))
    return all(np.array_equal(a, b, equal_nan=True) if isinstance(a, np.ndarray) else a == b for a, b in pairs)


@pytest.mark.parametrize("more", [(), ("--pgm",)])
def test_the_folder_gives_the_same_images_again(log: Path, tmp_path: Path, more: tuple[str, ...]) -> None:
    exported(log, tmp_path / "out", *more)
    for kind, sensor in enumerate(SENSORS):
        folder = ImageFolder(tmp_path / "out", sensor.name)
        found = list(folder)
        assert len(found) == 4 and folder.complaints == [] and folder.left_out == 0
        for number, one in enumerate(found):
            assert same(one.image, seen(number)[kind])
            assert one.T_sensor_target is not None and tuple(one.T_sensor_target.tolist()) == TRUTH


def test_others_read_the_files(log: Path, tmp_path: Path) -> None:
    exported(log, tmp_path / "out")
    camera, depth, scan = seen(2)
    assert isinstance(camera, CameraImage) and isinstance(depth, DepthImage) and isinstance(scan, PointScan)
    assert (cv2.imread(str(tmp_path / "out/eye/000002.png"), -1) == camera.pixels).all()
    assert np.array_equal(np.load(tmp_path / "out/tof/000002_range.npy"), depth.range_m, equal_nan=True)
    shown = cv2.imread(str(tmp_path / "out/tof/000002_depth.png"), -1)
    assert np.nanmax(np.abs(shown * 1e-3 - depth.range_m)) < 0.00051 and (shown[:, :5] == 0).all()
    assert (cv2.imread(str(tmp_path / "out/tof/000002_intensity.png"), -1) == depth.intensity).all()
    for suffix in ("pcd", "ply"):
        rows = points_of((tmp_path / f"out/lidar/000002.{suffix}").read_bytes(), suffix)
        assert (np.stack([rows["x"], rows["y"], rows["z"]], axis=1) == scan.points_m).all()
        assert (rows["t"] == scan.t_offset_s).all()
    lines = (tmp_path / "out/frames.csv").read_text().splitlines()
    assert lines[0] == ",".join(COLUMNS) and len(lines) == 13
    assert lines[1].startswith("eye,camera,0,0.3333333333333333,20") and lines[1].endswith(
        "1.0,2.0,3.0,0.5,-0.5,0.5,-0.5"
    )
    lens = json.loads((tmp_path / "out/lenses.json").read_text())["eye"]
    assert lens["fx"] == CAMERA.lens.fx and lens["width"] == 64


def test_a_grown_folder_is_not_written_into(log: Path, tmp_path: Path) -> None:
    exported(log, tmp_path / "out")
    done = CliRunner().invoke(command, ["export", str(log), "--images", str(tmp_path / "out")])
    assert isinstance(done.exception, BadInput) and "not empty" in str(done.exception)
    done = CliRunner().invoke(command, ["export", str(log), "--pgm"])
    assert isinstance(done.exception, BadInput)


def test_a_log_without_images_says_so(tmp_path: Path, cell: Cell) -> None:
    hall = build(cell, LockstepClock(), seed=1, record=tmp_path / "run.mcap")
    hall.facility.tick()
    hall.close()
    assert Log.open(tmp_path / "run.mcap").sensors == ()
    done = CliRunner().invoke(command, ["export", str(tmp_path / "run.mcap"), "--images", str(tmp_path / "out")])
    assert "no images" in str(done.exception)


def test_what_is_wrong_with_a_folder_is_named_once_and_the_rest_goes_on(log: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    exported(log, folder)
    (folder / "eye/000001.png").unlink()
    (folder / "eye/000002.png").write_bytes(b"\x89PNG nothing")
    lines = (folder / "frames.csv").read_text().splitlines()
    own = [line for line in lines if line.startswith("eye")]
    more = [
        own[3].replace("0.6333333333333333", "nan"),
        own[0].replace("000000", "000003"),
        own[3].replace("eye,camera", "eye,radar"),
    ]
    (folder / "frames.csv").write_text("\n".join([lines[0], *own[::-1], *more]) + "\n")
    sensor = ImageFolder(folder, "eye")
    for _ in range(2):
        found = list(sensor)
        assert [one.image.number for one in found] == [0, 3]
    told = "\n".join(sensor.complaints)
    for word in ("go back", "000001.png", "000002.png", "decoded", "not finite", "radar", "has the time of"):
        assert told.count(word) >= 1, word
    assert len(sensor.complaints) == 6 and sensor.left_out == 5


def test_a_size_that_the_lens_does_not_have_is_named(log: Path, tmp_path: Path) -> None:
    exported(log, tmp_path / "out")
    sensor = ImageFolder(tmp_path / "out", "eye", (640, 480))
    assert list(sensor) == [] and "640 x 480" in sensor.complaints[0] and sensor.left_out == 4
    assert len(list(ImageFolder(tmp_path / "out", "tof", (32, 24)))) == 4


def test_a_list_of_ones_own_needs_times_and_files_only(tmp_path: Path) -> None:
    pixels = np.arange(300, dtype=np.uint8).reshape(10, 30)
    cv2.imwrite(str(tmp_path / "a.jpg"), pixels)
    cv2.imwrite(str(tmp_path / "b.png"), np.dstack([pixels] * 3))
    np.savetxt(
        tmp_path / "c.pcd",
        [[1, 2, 3]],
        header="VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii",
        comments="",
    )
    (tmp_path / "frames.csv").write_text("t, file\n0.5,a.jpg\n1.5,b.png\n2.5,c.pcd\n")
    with pytest.raises(BadInput, match="several sensors"):
        ImageFolder(tmp_path)
    jpeg, colours = ImageFolder(tmp_path, "camera")
    assert isinstance(jpeg.image, CameraImage) and isinstance(colours.image, CameraImage)
    assert (jpeg.image.t, jpeg.image.white, jpeg.T_sensor_target) == (0.5, 255, None)
    assert (colours.image.pixels == pixels).all()
    (scan,) = ImageFolder(tmp_path, "lidar")
    assert isinstance(scan.image, PointScan) and scan.image.points_m.tolist() == [[1, 2, 3]]


@pytest.mark.parametrize(
    "text", ["", "file\na.png\n", "t_s,file\n", "t_s,file\nx,a.png\n", "t_s,file\n1," + "a" * 200_000]
)
def test_a_list_without_images_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "frames.csv").write_text(text)
    with pytest.raises(BadInput):
        ImageFolder(tmp_path)
    with pytest.raises(BadInput, match="no such file"):
        ImageFolder(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((4, 6)),
        np.zeros((4, 6), np.float32),
        np.zeros((2, 3, 4)),
        np.zeros((4, 6), np.int32),
        np.asfortranarray(np.zeros((4, 6))),
    ],
)
def test_arrays_that_are_distances_are_read_and_others_named(tmp_path: Path, array: np.ndarray) -> None:
    np.save(tmp_path / "a.npy", array)
    whole = (tmp_path / "a.npy").read_bytes()
    (tmp_path / "b.npy").write_bytes(whole[:-3])
    (tmp_path / "c.npy").write_bytes(whole.replace(b"(4, 6)", b"(4000000, 6000000)"))
    (tmp_path / "d.npy").write_bytes(b"nothing")
    (tmp_path / "frames.csv").write_text("t_s,file\n" + "".join(f"{k},{name}.npy\n" for k, name in enumerate("abcd")))
    folder = ImageFolder(tmp_path)
    good = array.ndim == 2 and array.dtype.kind == "f" and array.flags.c_contiguous
    assert len(list(folder)) == good and folder.left_out == 4 - good
