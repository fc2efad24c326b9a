"""Frames of images: what was sent comes out, whatever happens to bytes on the way, and never more than was sent."""

from __future__ import annotations

import struct
import time
import zlib

import numpy as np
import pytest

from proxops.core.image_frame import (
    HEADER_SIZE,
    MAGIC,
    MOST_SEARCHES,
    BadFrame,
    FrameReader,
    frame_of,
    image_of,
    read_header,
)
from proxops.core.images import CameraImage, DepthImage, Image, PointScan

RNG = np.random.default_rng(5)


def image(number: int) -> Image:
    kind, t = number % 4, 0.5 * number
    if kind == 0:
        return CameraImage("near", number, t, 0.002, 3.5, 255, RNG.integers(0, 256, (9, 7), np.uint8))
    if kind == 1:
        return CameraImage("far", number, t, 0.25, 0.0, 4095, RNG.integers(0, 4096, (5, 8), np.uint16))
    if kind == 2:
        ranges = RNG.uniform(1, 9, (4, 6)).astype(np.float32)
        ranges[1, 2] = np.nan
        return DepthImage("tof", number, t, ranges, RNG.integers(0, 65536, (4, 6), np.uint16))
    points = RNG.normal(size=(number % 7, 3)).astype(np.float32)
    return PointScan("lidar", number, t, points, np.ones(len(points), np.float32), np.zeros(len(points), np.float32))


IMAGES = [image(k) for k in range(12)]
FRAMES = [frame_of(one, 7) for one in IMAGES]


def same(one: Image, other: Image) -> bool:
    pairs = ((getattr(one, name), getattr(other, name)) for name in vars(one))
    return type(one) is type(other) and all(
        np.array_equal(a, b, equal_nan=True) if isinstance(a, np.ndarray) else a == b for a, b in pairs
    )


@pytest.mark.parametrize("step", [1, 13, 96, 5000])
def test_what_was_sent_comes_out(step: int) -> None:
    reader, data, found = FrameReader(), b"".join(FRAMES), []
    for at in range(0, len(data), step):
        found += reader.feed(data[at : at + step])
    assert len(found) == len(IMAGES) and all(same(one, sent) for (_, one), sent in zip(found, IMAGES, strict=True))
    assert {header.sent_ns for header, _ in found} == {7}
    assert (reader.damaged, reader.skipped, reader.waiting) == (0, 0, 0)


def test_the_header_is_what_the_page_says() -> None:
    """docs/images_interface.md, offset by offset."""
    data, camera = FRAMES[1], IMAGES[1]
    assert isinstance(camera, CameraImage) and HEADER_SIZE == 96
    assert data[:4] == b"PXIM" and data[8:28] == b"far".ljust(20, b"\0")
    for offset, kind, value in (
        (4, "<H", 1), (6, "<H", 1), (28, "<Q", 1), (36, "<q", 500_000_000), (44, "<q", 7), (52, "<Q", 250_000_000),
        (60, "<d", 0.0), (68, "<I", 8), (72, "<I", 5), (76, "<H", 16), (78, "<H", 0), (80, "<I", 4095), (84, "<I", 80),
        (88, "<I", zlib.crc32(data[96:])), (92, "<I", zlib.crc32(data[:92])),
    ):  # fmt: skip
        assert struct.unpack_from(kind, data, offset) == (value,), offset
    assert data[96:] == camera.pixels.astype("<u2").tobytes()


def test_garbage_between_frames_is_passed_over() -> None:
    reader, data = FrameReader(), b""
    for frame in FRAMES:
        data += RNG.bytes(50) + MAGIC + RNG.bytes(3) + MAGIC + frame
    found = reader.feed(data)
    assert [header.number for header, _ in found] == list(range(12))
    assert reader.skipped == 12 * 61 and reader.damaged == 24


@pytest.mark.parametrize("seed", range(60))
def test_no_damage_brings_out_what_was_not_sent(seed: int) -> None:
    """Bytes cut out, changed, put in, frames reordered and doubled: what comes out was sent, and three good frames end it."""
    rng = np.random.default_rng(seed)
    data = bytearray(b"".join(FRAMES[k] for k in rng.integers(0, len(FRAMES), 12)))
    for _ in range(rng.integers(1, 6)):
        at, size = int(rng.integers(0, len(data))), int(rng.integers(1, 120))
        match rng.integers(0, 3):
            case 0:
                del data[at : at + size]
            case 1:
                data[at : at + size] = rng.bytes(len(data[at : at + size]))
            case _:
                data[at:at] = rng.bytes(size)
    reader, found, at = FrameReader(), [], 0
    while at < len(data):
        step = int(rng.integers(1, 400))
        found += reader.feed(bytes(data[at : at + step]))
        at += step
    for header, one in found:
        assert same(one, IMAGES[header.number])
    found = [header.number for header, _ in reader.feed(b"".join([bytes(4000), *FRAMES[:3]]))]
    assert found[-3:] == [0, 1, 2] and reader.waiting == 0


@pytest.mark.parametrize(
    ("offset", "kind", "value"),
    [
        (4, "<H", 2), (6, "<H", 0), (6, "<H", 9), (8, "<B", 0), (8, "<B", 0xC3), (28, "<Q", 2**32), (36, "<q", 2**62),
        (44, "<q", -(2**63)), (52, "<Q", 2**64 - 1), (60, "<d", float("nan")), (60, "<d", float("inf")), (68, "<I", 0),
        (68, "<I", 2**32 - 1), (72, "<I", 2**31), (76, "<H", 8), (76, "<H", 32), (80, "<I", 0), (80, "<I", 65536),
        (84, "<I", 0), (84, "<I", 2**32 - 1),
    ],
)  # fmt: skip
def test_an_absurd_header_is_refused_although_its_checksum_is_right(offset: int, kind: str, value: float) -> None:
    head = bytearray(FRAMES[1][:92])
    struct.pack_into(kind, head, offset, value)
    with pytest.raises(BadFrame):
        read_header(bytes(head) + struct.pack("<I", zlib.crc32(head)))


def test_a_frame_larger_than_agreed_takes_no_memory() -> None:
    large = frame_of(CameraImage("near", 0, 0.0, 0.1, 0.0, 255, np.zeros((100, 100), np.uint8)))
    reader = FrameReader(most_bytes=1000)
    for at in range(0, len(large), 100):
        assert reader.feed(large[at : at + 100]) == []
        assert reader.waiting < 2 * HEADER_SIZE
    assert reader.feed(FRAMES[0])[0][0].number == 0 and reader.damaged == 1


def test_headers_inside_headers_do_not_hold_who_reads() -> None:
    """Each promises more bytes than it has: to judge all of them took seconds, and a mission in real time halted."""
    size = 1000 * 1000
    head = bytearray(
        frame_of(CameraImage("eye", 1, 0.0, 0.0, 0.0, 255, np.zeros((1000, 1000), np.uint8)))[:HEADER_SIZE]
    )
    struct.pack_into("<I", head, 88, 12345)  # no checksum of what follows
    struct.pack_into("<I", head, 92, zlib.crc32(head[:92]))
    reader, began_s = FrameReader(), time.process_time()
    assert reader.feed(bytes(head) * (2 * size // HEADER_SIZE) + MAGIC * size) == []
    assert time.process_time() - began_s < 0.5
    assert reader.damaged == MOST_SEARCHES and reader.waiting == 0
    assert [header.number for header, _ in reader.feed(FRAMES[3])] == [3]  # and it goes on


def test_pixels_of_another_frame_are_refused() -> None:
    with pytest.raises(BadFrame, match="pixels"):
        image_of(read_header(FRAMES[0]), FRAMES[4][HEADER_SIZE:])


@pytest.mark.parametrize(
    "bad",
    [
        {"number": -1}, {"sensor": "Near"}, {"sensor": "n" * 21}, {"sensor": ""}, {"t": float("nan")}, {"t": 1e30},
        {"exposure_s": -1.0}, {"gain_db": float("nan")}, {"white": 256}, {"pixels": np.zeros((0, 4), np.uint8)},
    ],
)  # fmt: skip
def test_what_cannot_be_received_is_not_sent(bad: dict[str, object]) -> None:
    good = {"sensor": "near", "number": 0, "t": 0.0, "exposure_s": 0.1, "gain_db": 0.0, "white": 255}
    pixels = {"pixels": np.zeros((3, 4), np.uint8)}
    frame_of(CameraImage(**{**good, **pixels}))  # type: ignore[arg-type]
    with pytest.raises(BadFrame):
        frame_of(CameraImage(**{**good, **pixels, **bad}))  # type: ignore[arg-type]
