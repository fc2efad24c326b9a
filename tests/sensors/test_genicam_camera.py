"""A camera by GenICam: the simulated devices that the genicam wheel brings."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from proxops.core.errors import BadInput
from proxops.sensors.genicam_camera import GenicamCamera

FOUND = importlib.util.find_spec("genicam")
assert FOUND is not None and FOUND.origin is not None, "pip install -e .[dev]"
PRODUCER = Path(FOUND.origin).with_name("viky.cti")


class Watch:
    """A clock that goes on by 0.1 s whenever it is looked at."""

    now_s = 0.0

    def __call__(self) -> float:
        self.now_s += 0.1
        return self.now_s


@pytest.fixture
def camera() -> Iterator[GenicamCamera]:
    own = GenicamCamera(PRODUCER, "real", Watch(), exposure_s=0.01, gain_db=3.0)
    yield own
    own.close()


def test_images_come_with_numbers_and_times(camera: GenicamCamera) -> None:
    found = [camera.fetch(5.0) for _ in range(4)]
    assert all(one is not None for one in found)
    images = [one for one in found if one is not None]
    assert [one.number for one in images] == [0, 1, 2, 3]
    assert [one.sensor for one in images] == ["real"] * 4
    assert all(one.pixels.dtype == np.uint8 and one.pixels.ndim == 2 and one.white == 255 for one in images)
    assert len({one.pixels.shape for one in images}) == 1
    assert any((one.pixels != images[0].pixels).any() for one in images)  # it is a game, and moves
    assert np.allclose(np.diff([one.t for one in images]), 0.1)


def test_what_the_device_does_not_have_is_noted(camera: GenicamCamera) -> None:
    camera.fetch(5.0)
    assert (camera.exposure_s, camera.gain_db) == (0.0, 0.0)
    notes = "\n".join(camera.notes)
    assert "ExposureTime" in notes and "Gain" in notes and "no times" in notes


def test_a_device_is_chosen_by_its_serial_number() -> None:
    camera = GenicamCamera(PRODUCER, "real", Watch(), device="2")
    assert camera.fetch(5.0) is not None
    camera.close()
    with pytest.raises(BadInput, match="serial numbers 0, 1, 2"):
        GenicamCamera(PRODUCER, "real", Watch(), device="17")


def test_without_the_extra_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "harvesters.core", None)
    with pytest.raises(BadInput, match=r"pip install 'proxops\[genicam\]'"):
        GenicamCamera(PRODUCER, "real", Watch())


def test_a_producer_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such GenTL producer"):
        GenicamCamera(tmp_path / "none.cti", "real", Watch())
    (tmp_path / "bad.cti").write_bytes(b"nothing")
    with pytest.raises(BadInput):
        GenicamCamera(tmp_path / "bad.cti", "real", Watch())


class Buffer:
    """Of a device with times, in ns."""

    def __init__(self, timestamp_ns: int) -> None:
        self.timestamp_ns = timestamp_ns


def test_times_are_the_devices_on_our_clock(camera: GenicamCamera) -> None:
    """Three images, 0.1 s apart, of which the second comes quickest: 30 ms after its exposure of 10 ms has begun."""
    camera.exposure_s = 0.01
    times = [
        camera._time_of(Buffer(k * 100_000_000 + 10**9), 5.0 + 0.1 * k + late)
        for k, late in enumerate((0.05, 0.03, 0.2))
    ]
    assert times == pytest.approx([5.045, 5.125, 5.225])
