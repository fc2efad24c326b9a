"""Images that a user brings: at their own times, under the run's names, with what is wrong named."""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proxops.core.errors import BadInput
from proxops.core.grey_picture import png
from proxops.core.image_listing import ListedImage, listing_text
from proxops.core.images import CameraImage, Image, PointScan
from proxops.core.own_sensor_table import FolderSensor, GenicamSensor, NetworkSensor
from proxops.sensors.image_folder import SeenImage
from proxops.sensors.image_server import ImageServer
from proxops.sensors.image_stream import FROZEN_FRAMES
from proxops.sensors.own.folder_source import FolderSource
from proxops.sensors.own.genicam_source import GenicamSource
from proxops.sensors.own.image_source import demand_sources
from proxops.sensors.own.network_source import NetworkSource

RNG = np.random.default_rng(5)
SIZE: dict[str, Any] = {"width": 32, "height": 24}
POSE = (0.0, 0.0, 5.0, 1.0, 0.0, 0.0, 0.0)


def picture(width: int = 32, height: int = 24) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return RNG.integers(0, 256, (height, width), np.uint8)


def folder_with(folder: Path, times: list[float], **other: tuple[int, int]) -> FolderSensor:
    """Images at these times; ``other``: sizes by the place in the list (``at3=(8, 8)``), (0, 0) for a file that is missing."""
    listed = [ListedImage("near", "camera", k, t, f"{k}.png", T_sensor_target=POSE) for k, t in enumerate(times)]
    for k, one in enumerate(listed):
        size = other.get(f"at{k}", (32, 24))
        if size[0]:
            (folder / one.file).write_bytes(png(picture(*size)))
    (folder / "frames.csv").write_text(listing_text(listed))
    return FolderSensor(kind="folder", name="own", path=str(folder), **SIZE)


def shown_until(source: FolderSource, end_s: float) -> list[SeenImage]:
    """As who flies ahead to ``next_s``."""
    found = []
    while source.next_s <= end_s:
        found += source.take(source.next_s)
    return found


def test_a_folder_is_shown_at_its_own_times_from_zero_on(tmp_path: Path) -> None:
    spec = folder_with(tmp_path, [100.0, 100.5, 101.5])
    source = FolderSource(spec.model_copy(update={"delay_ms": 200.0}))
    assert source.next_s == 0.2
    images = shown_until(source, 10.0)
    assert [seen.image.t for seen in images] == [0.0, 0.5, 1.5] and {seen.image.sensor for seen in images} == {"own"}
    assert images[0].T_sensor_target is not None and tuple(images[0].T_sensor_target) == POSE
    assert list(source.conditions) == ["images_stopped"]


def test_a_folder_that_is_looped_goes_on_in_its_rhythm(tmp_path: Path) -> None:
    spec = folder_with(tmp_path, [3.0, 3.25, 3.5]).model_copy(update={"loop": True})
    images = shown_until(FolderSource(spec), 1.8)
    assert [seen.image.t for seen in images] == pytest.approx(np.arange(8) * 0.25)
    assert [seen.image.number for seen in images] == list(range(8))
    assert not FolderSource(spec).conditions


def test_what_is_wrong_in_a_folder_is_named_and_the_rest_shown(tmp_path: Path) -> None:
    source = FolderSource(folder_with(tmp_path, [0.0, 0.1, 0.1, 0.2, 0.3], at1=(0, 0), at3=(16, 16)))
    assert [seen.image.t for seen in shown_until(source, 1.0)] == [0.0, 0.3]
    words = source.conditions["images_left_out"]
    assert "has the time of" in words and "2 more" in words
    points = FolderSource(folder_with(tmp_path, [0.0]).model_copy(update={"gives": "tof"}))
    assert not points.take(1.0) and "camera instead of tof" in points.conditions["images_wrong_kind"]


def test_a_folder_whose_files_vanish_is_named_although_one_was_missing_before(tmp_path: Path) -> None:
    source = FolderSource(
        folder_with(tmp_path, [0.1 * k for k in range(20)], at1=(0, 0)).model_copy(update={"loop": True})
    )
    shown_until(source, 0.45)
    assert list(source.conditions) == ["images_left_out"]
    for file in tmp_path.glob("*.png"):
        file.unlink()
    assert not shown_until(source, 2.0) and "could not be read" in source.conditions["images_stopped"]


def test_times_that_are_no_seconds_are_refused(tmp_path: Path) -> None:
    """Begun again and again they were read for ever."""
    with pytest.raises(BadInput, match="too fast"):
        FolderSource(folder_with(tmp_path, [0.0, 1e-9]))


def test_a_frozen_folder_is_named(tmp_path: Path) -> None:
    spec = folder_with(tmp_path, [0.1 * k for k in range(FROZEN_FRAMES)])
    for k in range(FROZEN_FRAMES):
        (tmp_path / f"{k}.png").write_bytes((tmp_path / "0.png").read_bytes())
    source = FolderSource(spec)
    assert len(shown_until(source, 10.0)) == FROZEN_FRAMES and "images_frozen" in source.conditions


@pytest.fixture
def server() -> Iterator[ImageServer]:
    own = ImageServer(("127.0.0.1", 0))
    yield own
    own.close()


class Wire:
    """A server and who listens to it as a sensor, on a made-up clock."""

    def __init__(self, server: ImageServer, **keys: Any) -> None:
        table = {"kind": "network", "name": "own", "at": f"127.0.0.1:{server.address[1]}", **SIZE, **keys}
        self.server, self.now_s = server, 0.0
        self.source = NetworkSource(NetworkSensor.model_validate(table))
        self.until(lambda: bool(server.clients), [])

    def send(self, image: Image, now_s: float) -> list[SeenImage]:
        self.now_s = now_s
        self.server.send(image)
        found: list[SeenImage] = []
        before = set(self.source.conditions)
        self.until(lambda: bool(found) or not set(self.source.conditions) <= before, found)
        return found

    def until(self, done: Any, found: list[SeenImage]) -> None:
        for _ in range(1000):
            self.server.poll()
            found += self.source.take(self.now_s)
            if done():
                return
            time.sleep(0.001)


def image(number: int, t: float, width: int = 32, height: int = 24) -> CameraImage:
    return CameraImage("theirs", number, t, 0.002, 0.0, 255, picture(width, height))


def test_frames_get_the_runs_name_and_clock(server: ImageServer) -> None:
    wire = Wire(server)
    late = [0.30, 0.05, 0.20]  # on their way; their clock is 1000 s ahead of ours
    seen = [wire.send(image(k, 1000.0 + k), k + late[k])[0].image for k in range(3)]
    assert [one.sensor for one in seen] == ["own"] * 3 and [one.number for one in seen] == [0, 1, 2]
    assert [one.t for one in seen] == pytest.approx([0.30, 1.05, 2.05])  # as the quickest says
    assert not wire.source.conditions
    again = wire.send(image(0, 5.0), 4.0)[0].image  # begun again, with another clock
    assert again.t == 4.0 and "images_times_repeated" in wire.source.conditions
    assert wire.send(image(1, 6.0), 5.0)[0].image.t == 5.0 and not wire.source.conditions
    wire.source.close()


def test_other_sizes_and_kinds_are_named_and_not_used(server: ImageServer) -> None:
    wire = Wire(server)
    assert not wire.send(image(0, 0.0, 64, 48), 1.0) and "64 x 48" in wire.source.conditions["images_wrong_size"]
    scan = PointScan("theirs", 1, 0.1, np.ones((4, 3), np.float32), *(np.ones(4, np.float32) for _ in range(2)))
    assert not wire.send(scan, 1.1) and "images_wrong_kind" in wire.source.conditions
    assert wire.send(image(2, 0.2), 1.2) and not wire.source.conditions
    wire.source.take(10.0)
    assert "images_stopped" in wire.source.conditions
    wire.source.close()


def test_a_frame_that_is_far_too_large_is_named_and_not_even_read(server: ImageServer) -> None:
    wire = Wire(server)
    assert not wire.send(image(1, 0.0, 3000, 2000), 0.0)
    assert "3000 x 2000" in wire.source.conditions["images_wrong_size"]
    for k in range(2, 20):
        if wire.send(image(k, 0.1 * k), 0.1 * k):
            break
    assert "images_wrong_size" not in wire.source.conditions
    wire.source.close()


def test_too_many_points_for_the_ring_are_not_used(server: ImageServer) -> None:
    wire = Wire(server, gives="lidar", width=16, height=16)
    scan = PointScan("theirs", 1, 0.1, np.ones((257, 3), np.float32), *(np.ones(257, np.float32) for _ in range(2)))
    assert not wire.send(scan, 1.0) and "257 points" in wire.source.conditions["images_wrong_size"]
    wire.source.close()


def test_a_genicam_camera_and_one_that_is_not_there() -> None:
    found = find_spec("genicam")
    assert found is not None and found.origin is not None, "pip install -e .[dev]"
    table = {
        "kind": "genicam",
        "name": "real",
        "producer": str(Path(found.origin).with_name("viky.cti")),
        "exposure_ms": 2.0,
    }
    source = GenicamSource(GenicamSensor.model_validate(table))
    source.take(0.0)
    until, t = time.monotonic() + 20.0, 0.0
    while "images_wrong_size" not in source.conditions and time.monotonic() < until:  # it has its own size
        t += 1.0
        source.take(t)
    assert "images_wrong_size" in source.conditions and "ExposureTime" in source.conditions["images_device"]
    source.close()
    gone = GenicamSource(GenicamSensor.model_validate({**table, "device": "nobody"}))
    assert not gone.take(0.0) and "no such camera" in gone.conditions["images_device"] and gone.next_s == np.inf


def test_what_cannot_work_is_refused_before_anything_moves(tmp_path: Path) -> None:
    network = NetworkSensor(kind="network", name="own", at="127.0.0.1:1")
    demand_sources((network,), live=True)
    with pytest.raises(BadInput, match="keeps the wall's time"):
        demand_sources((network,), live=False)
    with pytest.raises(BadInput, match=r"frames\.csv"):
        demand_sources((FolderSensor(kind="folder", name="own", path=str(tmp_path)),), live=False)
    with pytest.raises(BadInput, match="no such GenTL producer"):
        demand_sources((GenicamSensor(kind="genicam", name="own", producer="no.cti"),), live=True)


@pytest.mark.parametrize("at", ["camera:47260", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:99999", "300.0.0.1:47260", ":1"])
def test_an_address_is_one_by_number(at: str) -> None:
    with pytest.raises(ValueError, match="not an address"):
        NetworkSensor.model_validate({"kind": "network", "name": "own", "at": at})
