"""What a sensor saw as a page takes it: the recorded bytes, and a head that says what they are."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from eye_writer import EyeWriter, depth, picture, scan

from proxops.console.sight import MOST_POINTS, HungSight, facts_of, sight_of
from proxops.core.images import Image
from proxops.ground.foxglove import IMAGE, POINTS, RAW_IMAGE, foxglove_message
from proxops.ground.image_encoding import png
from proxops.ground.sensor_log import FACTS_PART


@pytest.fixture(scope="module")
def writer() -> Iterator[EyeWriter]:
    made = EyeWriter()
    yield made
    made.close()


def of(writer: EyeWriter, name: str, part: str, image: Image) -> HungSight:
    body = next(one.body for one in writer.messages(image) if one.channel == writer.channel(name, part))
    return sight_of(name, part, body)


def unpacked(data: bytes) -> tuple[dict[str, Any], bytes]:
    """As the page does."""
    kind, length = struct.unpack_from("<BxxxI", data)
    assert kind == 3 and length % 8 == 0
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def test_a_picture_goes_as_it_was_recorded(writer: EyeWriter) -> None:
    pixels = np.arange(64 * 48, dtype=np.uint16).reshape(48, 64)
    head, data = unpacked(of(writer, "deep", "image", picture(3, 1.5, pixels, "deep", 4095)).data)
    assert head == {"sensor": "deep", "what": "image", "format": "png", "width": 64, "height": 48}
    assert data == png(pixels)


def test_ranges_go_as_they_are(writer: EyeWriter) -> None:
    ranges = np.full((200, 200), np.nan, np.float32)
    ranges[20, 30] = 4.25
    image = depth(1, 0.0, ranges)
    head, data = unpacked(of(writer, "tof", "depth", image).data)
    assert (head["format"], head["width"], head["height"]) == ("f32", 200, 200)
    assert np.array_equal(np.frombuffer(data, "<f4").reshape(200, 200), ranges, equal_nan=True)
    head, data = unpacked(of(writer, "tof", "intensity", image).data)
    assert head["format"] == "u16" and (np.frombuffer(data, "<u2") == 1000).all()


def test_points_are_thinned_out_evenly(writer: EyeWriter) -> None:
    points = np.arange(3.0 * 50_000, dtype=np.float32).reshape(-1, 3)
    points[5] = np.nan
    head, data = unpacked(of(writer, "scan", "points", scan(1, 0.0, points)).data)
    sent = np.frombuffer(data, "<f4").reshape(-1, 4)
    assert head["count"] == 50_000 and len(sent) <= MOST_POINTS
    assert (sent[:, :3] == points[::3]).all() and sent[-1, 3] == pytest.approx(1.0, abs=1e-3)
    few, data = unpacked(of(writer, "scan", "points", scan(1, 0.0, points[:10])).data)
    assert few["count"] == 10 and len(data) == 9 * 16  # the point that is no number is left out


def test_facts_are_read_with_the_time_of_the_exposure(writer: EyeWriter) -> None:
    images = picture(7, 2.0, np.zeros((480, 640), np.uint8)), depth(8, 2.0, np.zeros((200, 200), np.float32))
    facts = []
    for name, image in zip(("near", "tof"), images, strict=True):
        body = next(o.body for o in writer.messages(image, 0.5) if o.channel == writer.channel(name, FACTS_PART))
        facts.append(facts_of(body))
    assert facts[0] == (writer.begun_ns + 2 * 10**9, {"number": 7, "exposure_s": 0.012, "gain_db": 6.0, "white": 255})
    assert facts[1] == (writer.begun_ns + 2 * 10**9, {"number": 8})


RAW, PNG, CLOUD = (foxglove_message(name) for name in (RAW_IMAGE, IMAGE, POINTS))
FOUR = png(np.zeros((4, 4), np.uint8))


def raw(**changes: Any) -> bytes:
    good = {"width": 4, "height": 2, "encoding": "mono8", "step": 6, "data": bytes(range(12))}
    return bytes(RAW(**good | changes).SerializeToString())


def picture_of(data: bytes) -> bytes:
    return bytes(PNG(data=data, format="png").SerializeToString())


def cloud(stride: int, data: bytes, names: str = "xyz", kind: int = 7) -> bytes:
    fields = [{"name": name, "offset": 4 * k, "type": kind} for k, name in enumerate(names)]
    return bytes(CLOUD(point_stride=stride, data=data, fields=fields).SerializeToString())


def test_rows_may_be_padded() -> None:
    assert sight_of("a", "intensity", raw()).payload == bytes([0, 1, 2, 3, 6, 7, 8, 9])


@pytest.mark.parametrize(
    ("part", "body"),
    [
        ("image", b"\xff\xff\xff"), ("image", b""), ("image", picture_of(b"JFIF")), ("image", picture_of(FOUR[:20])),
        ("image", picture_of(FOUR[:16] + b"\xff" * 20)), ("image", picture_of(FOUR[:16] + bytes(20))),
        ("depth", raw(step=3)), ("depth", raw(height=3)), ("depth", raw(encoding="bgr8")), ("depth", raw(width=0)),
        ("points", b"\x0a\xff"), ("points", cloud(16, bytes(16), "xy")), ("points", cloud(4, bytes(16))),
        ("points", cloud(12, bytes(13))), ("points", cloud(12, bytes(12), kind=0)), ("points", cloud(0, bytes(12))),
    ],
)  # fmt: skip
def test_what_is_no_image_is_refused(part: str, body: bytes) -> None:
    with pytest.raises(ValueError):
        sight_of("near", part, body)


def test_facts_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="DecodeError"):
        facts_of(b"\xff\xff")
