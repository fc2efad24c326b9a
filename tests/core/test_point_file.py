"""Points in PCD and PLY: what was written, what others write, and what is none."""

from __future__ import annotations

import numpy as np
import pytest

from proxops.core.errors import BadInput
from proxops.core.grey_picture import grey_of, pgm
from proxops.core.point_file import POINT, pcd, ply, points_of

ROWS = np.random.default_rng(1).normal(size=(7, 5)).astype("<f4").view(POINT)[:, 0]


@pytest.mark.parametrize("write", [pcd, ply])
def test_what_was_written_is_read(write: object) -> None:
    for count in (0, 1, 7):
        assert (points_of(write(ROWS[:count]), "here") == ROWS[:count]).all()  # type: ignore[operator]


@pytest.mark.parametrize("write", [pcd, ply])
def test_one_that_is_cut_is_refused(write: object) -> None:
    data = write(ROWS)  # type: ignore[operator]
    for end in range(0, len(data), 3):
        with pytest.raises(BadInput):
            points_of(data[:end], "here")


def test_as_others_write_them() -> None:
    text = (
        b"ply\nformat ascii 1.0\ncomment hello\nelement vertex 2\nproperty double x\nproperty double y\nproperty double z\n"
        b"property uchar red\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n1 2 3 255\n4 5 6 0\n"
    )
    rows = points_of(text, "here")
    assert rows["x"].tolist() == [1, 4] and rows["z"].tolist() == [3, 6] and not rows["intensity"].any()
    big = b"ply\nformat binary_big_endian 1.0\nelement vertex 1\n" + b"".join(
        b"property float %c\n" % c for c in b"xyz"
    )
    rows = points_of(big + b"end_header\n" + np.array([1, 2, 3], ">f4").tobytes(), "here")
    assert (rows["x"], rows["y"], rows["z"]) == (1, 2, 3)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"ply\nend_header\n", b"solid", b"DATA ascii\n", pcd(ROWS).replace(b"POINTS 7", b"POINTS -7"),
        pcd(ROWS).replace(b"POINTS 7", b"POINTS 70000000000"), pcd(ROWS).replace(b"binary", b"binary_compressed"),
        ply(ROWS).replace(b"float x", b"float w"), ply(ROWS).replace(b"float x", b"list uchar int x"),
        pcd(ROWS).replace(b"TYPE F", b"TYPE Q"), b"\xff" * 100 + b"DATA binary\n",
    ],
)  # fmt: skip
def test_what_is_none_is_named(data: bytes) -> None:
    with pytest.raises(BadInput, match="here"):
        points_of(data, "here")


def test_a_pgm_keeps_its_numbers() -> None:
    for white, kind in ((255, np.uint8), (4095, np.uint16), (65535, np.uint16)):
        pixels = np.random.default_rng(2).integers(0, white + 1, (5, 7), kind)
        found = grey_of(pgm(pixels, white), "here")
        assert found.dtype == kind and (found == pixels).all()
    for data in (b"", b"P5\n7 5\n255\n", b"P5 999999999 999999999 255\n" + bytes(10)):
        with pytest.raises(BadInput, match="here"):
            grey_of(data, "here")
