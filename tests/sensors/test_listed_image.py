"""One image of a list: pictures, distances and points in every form that is read, and what is none."""

from __future__ import annotations

import io
from pathlib import Path

import cv2
import numpy as np
import pytest

from proxops.core.errors import BadInput
from proxops.core.image_listing import ListedImage
from proxops.core.images import CameraImage, DepthImage, PointScan
from proxops.sensors.listed_image import read_listed

RANGES = np.array([[1.5, np.nan, 2.25], [3.0, 4.0, 5.0]], np.float32)
POINTS = np.array([[0.1, -0.2, 5.0, 0.5, 0.01], [0.3, 0.4, 6.0, 0.25, 0.02]])


def depth(folder: Path, file: str) -> DepthImage:
    found = read_listed(folder, ListedImage("depth", "tof", 3, 0.5, file), (3, 2))
    assert isinstance(found, DepthImage) and (found.number, found.t) == (3, 0.5)
    return found


def scan(folder: Path, file: str) -> PointScan:
    found = read_listed(folder, ListedImage("scan", "lidar", 0, 0.0, file), None)
    assert isinstance(found, PointScan)
    return found


@pytest.mark.parametrize("file", ["a.npy", "a.npz", "named.npz", "a.tif", "a.png", "a.pfm"])
def test_distances(file: str, tmp_path: Path) -> None:
    zero = np.nan_to_num(RANGES)
    np.save(tmp_path / "a.npy", RANGES)
    np.savez_compressed(tmp_path / "a.npz", RANGES)
    np.savez(tmp_path / "named.npz", intensity=np.full(RANGES.shape, 70), range_m=RANGES.astype(np.float64))
    cv2.imwrite(str(tmp_path / "a.tif"), zero)
    cv2.imwrite(str(tmp_path / "a.pfm"), zero)
    cv2.imwrite(str(tmp_path / "a.png"), np.rint(1e3 * zero).astype(np.uint16))
    found = depth(tmp_path, file)
    np.testing.assert_allclose(found.range_m, RANGES, atol=5e-4)
    assert found.intensity.tolist() == np.full(RANGES.shape, 70 if file == "named.npz" else 0).tolist()


def test_amplitudes_stand_beside_them(tmp_path: Path) -> None:
    np.save(tmp_path / "7_range.npy", RANGES)
    cv2.imwrite(str(tmp_path / "7_intensity.png"), np.full(RANGES.shape, 900, np.uint16))
    assert (depth(tmp_path, "7_range.npy").intensity == 900).all()


@pytest.mark.parametrize("file", ["a.csv", "plain.csv", "blank.xyz", "a.npy", "a.npz", "columns.npz"])
def test_points(file: str, tmp_path: Path) -> None:
    np.savetxt(tmp_path / "a.csv", POINTS, delimiter=",", header="x,y,z,intensity,t", comments="")
    np.savetxt(tmp_path / "plain.csv", POINTS, delimiter=", ")
    np.savetxt(tmp_path / "blank.xyz", POINTS)
    np.save(tmp_path / "a.npy", POINTS)
    np.savez(tmp_path / "a.npz", points_m=POINTS[:, :3], intensity=POINTS[:, 3], t=POINTS[:, 4])
    np.savez(
        tmp_path / "columns.npz", **{name: POINTS[:, k] for k, name in enumerate(("x", "y", "z", "intensity", "t"))}
    )
    found = scan(tmp_path, file)
    np.testing.assert_allclose(found.points_m, POINTS[:, :3], rtol=1e-6)
    np.testing.assert_allclose(found.intensity, POINTS[:, 3])
    np.testing.assert_allclose(found.t_offset_s, POINTS[:, 4], rtol=1e-6)


@pytest.mark.parametrize("bits", [8, 16])
def test_pictures(bits: int, tmp_path: Path) -> None:
    pixels = np.arange(6, dtype=np.uint8 if bits == 8 else np.uint16).reshape(2, 3)
    cv2.imwrite(str(tmp_path / "a.tif"), pixels)
    found = read_listed(tmp_path, ListedImage("eye", "camera", 0, 0.0, "a.tif", white=4000), (3, 2))
    assert (
        isinstance(found, CameraImage)
        and found.white == (255 if bits == 8 else 4000)
        and (found.pixels == pixels).all()
    )


def packed(**arrays: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


@pytest.mark.parametrize(
    ("kind", "file", "data"),
    [
        ("tof", "a.npz", b"PK nothing"),
        ("tof", "a.npz", packed(range_m=RANGES)[:-40]),
        ("tof", "a.npz", packed(range_m=RANGES, intensity=np.full((3, 3), 1.0))),
        ("tof", "a.npz", packed(range_m=RANGES, intensity=np.full((2, 3), np.nan))),
        ("tof", "a.npz", packed(range_m=np.array(["x"]))),
        ("tof", "a.tif", b"II*\0 nothing"),
        ("lidar", "a.csv", b"x,y,z\n1,2\n"),
        ("lidar", "a.csv", b"a,b,c\n1,2,3\n"),
        ("lidar", "a.csv", b"1,2\n3,4\n"),
        ("lidar", "a.csv", b"\xff\xfe"),
        ("lidar", "a.npy", b"nothing"),
        ("lidar", "a.npz", packed(x=np.zeros(3), y=np.zeros(3), z=np.zeros(2))),
    ],
)
def test_what_is_none_is_named(kind: str, file: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / file).write_bytes(data)
    with pytest.raises(BadInput, match=r"a\.(npz|npy|tif|csv)"):
        read_listed(tmp_path, ListedImage("own", kind, 0, 0.0, file), (3, 2))
