"""Calibration files that users bring: of OpenCV and of ROS, good ones and bad ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from proxops.core.errors import BadInput
from proxops.core.lens import Lens
from proxops.core.lens_check import check_lens
from proxops.core.lens_file import read_lens

SIZE = (640, 480)
ROS = """image_width: 640
image_height: 480
camera_name: narrow_stereo
camera_matrix:
  rows: 3
  cols: 3
  data: [1000.5, 0.0, 320.25, 0, 1001, 239.5,
         0, 0, 1]
distortion_model: plumb_bob
distortion_coefficients:
  rows: 1
  cols: 5
  data: [-0.1, 0.01, 0.001, -0.0005, 0.02]
rectification_matrix:
  rows: 3
  cols: 3
  data: [1, 0, 0, 0, 1, 0, 0, 0, 1]
"""
NAMES = ("image_width", "image_height", "camera_matrix", "distortion_coefficients")
OLD_NAMES = ("image_Width", "image_Height", "Camera_Matrix", "Distortion_Coefficients")
EXPECTED = Lens(640, 480, 1000.5, 1001.0, 320.25, 239.5, (-0.1, 0.01, 0.001, -0.0005, 0.02))


def written(folder: Path, text: str) -> Path:
    path = folder / "lens.yaml"
    path.write_text(text)
    return path


def by_opencv(path: Path, coefficients: list[float], names: tuple[str, ...] = NAMES) -> Path:
    width, height, matrix, distortion = names
    storage = cv2.FileStorage(str(path), cv2.FILE_STORAGE_WRITE)
    storage.write(width, 640)
    storage.write(height, 480)
    storage.write(matrix, EXPECTED.intrinsics)
    storage.write(distortion, np.array(coefficients)[:, None])
    storage.release()
    return path


@pytest.mark.parametrize("heading", ["", "---\n", "%YAML:1.0\n---\n", "# of the left camera\n"])
def test_a_file_of_ros_is_read(tmp_path: Path, heading: str) -> None:
    assert read_lens(written(tmp_path, heading + ROS), SIZE) == EXPECTED


@pytest.mark.parametrize("kind", ["yml", "yaml", "xml", "json"])
def test_a_file_of_opencv_is_read(tmp_path: Path, kind: str) -> None:
    coefficients = list(EXPECTED.distortion)
    assert read_lens(by_opencv(tmp_path / f"lens.{kind}", coefficients), SIZE) == EXPECTED
    assert read_lens(by_opencv(tmp_path / f"old.{kind}", coefficients, OLD_NAMES), SIZE) == EXPECTED


def test_four_coefficients_leave_the_fifth_zero_and_more_may_only_be_zero(tmp_path: Path) -> None:
    four = read_lens(by_opencv(tmp_path / "four.yml", [-0.1, 0.01, 0.0, 0.0]), SIZE)
    assert four.distortion == (-0.1, 0.01, 0.0, 0.0, 0.0)
    eight = [*EXPECTED.distortion, 0.0, 0.0, 0.0]
    assert read_lens(by_opencv(tmp_path / "eight.yml", eight), SIZE) == EXPECTED
    with pytest.raises(BadInput, match="distortion that we do not have"):
        read_lens(by_opencv(tmp_path / "rational.yml", [*EXPECTED.distortion, 0.1, 0.0, 0.0]), SIZE)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (ROS, "", "empty"),
        (ROS, "5", "not a calibration file"),
        (ROS, "- 1\n- 2\n", "not a calibration file"),
        (ROS, "a: [1, 2", "not a calibration file"),
        (ROS, '<?xml version="1.0"?><opencv_storage><a>', "not a calibration file"),
        (ROS, '{"a":', "not a calibration file"),
        ("camera_matrix", "matrix", "camera_matrix is missing"),
        ("image_height: 480", "", "image_height is missing"),
        ("plumb_bob", "equidistant", "another model"),
        ("1000.5", ".nan", "no matrix of finite"),
        ("1000.5", "wide", "no matrix of finite"),
        ("cols: 5", "cols: 4", "no matrix of finite"),
        ("1000.5, 0.0", "1000.5, 2.0", "not a camera's matrix"),
        ("640", "640.5", "no number of pixels"),
        ("640", "-640", "no number of pixels"),
        ("640", "9" * 400, "no number of pixels"),
        ("640", "1280", "another size; got 1280 x 480; allowed: 640 x 480"),
        ("1000.5", "-1000.5", "focal length"),
        ("1000.5", "8.2", "focal length"),
        ("320.25", "0.5e5", "principal point"),
        ("-0.1,", "-2.5,", "folds the picture over"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint) as refused:
        read_lens(written(tmp_path, ROS.replace(old, new)), SIZE)
    assert "lens.yaml" in str(refused.value)


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        read_lens(tmp_path / "none.yaml", SIZE)
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(BadInput, match="cannot be read"):
        read_lens(tmp_path / "bytes.yaml", SIZE)
    with pytest.raises(BadInput, match="too large"):
        read_lens(written(tmp_path, ROS + "#" * 1_000_001), SIZE)


GOOD = Lens(640, 480, 1000.0, 1000.0, 319.5, 239.5)


@pytest.mark.parametrize(
    "distortion",
    [
        (0.0, 0.0, 0.0, 0.0, 0.0),
        (-0.3, 0.12, 0.001, -0.001, 0.0),
        (0.4, 0.0, 0.0, 0.0, 0.0),
        (-0.25, 0.0, 0.0, 0.0, 0.0),  # turns back at 49 deg, the corner is at 22
    ],
)
def test_usual_lenses_pass(distortion: tuple[float, float, float, float, float]) -> None:
    check_lens(replace(GOOD, distortion=distortion), "here")


@pytest.mark.parametrize(
    ("lens", "complaint"),
    [
        (replace(GOOD, fx=float("nan")), "not finite"),
        (replace(GOOD, fy=0.0), "focal length"),
        (replace(GOOD, fx=2.0e6, fy=2.0e6), "focal length"),
        (replace(GOOD, fx=400.0), "focal lengths"),
        (replace(GOOD, cy=-30.0), "principal point"),
        (replace(GOOD, distortion=(0.1, 0.2, 0.0, 0.0, -80.0)), "folds"),
        (replace(GOOD, distortion=(0.0, 0.0, 0.5, 0.0, 0.0), fx=300.0, fy=300.0), "folds"),
        (replace(GOOD, fx=200.0, fy=200.0, distortion=(-0.25, 0.0, 0.0, 0.0, 0.0)), "folds"),
        (replace(GOOD, fx=70.0, fy=70.0, width=641, distortion=(-1e-6, 0.0, 0.0, 0.0, 0.0), cx=0.0), "too wide"),
    ],
)
def test_lenses_that_do_not_fit_are_refused(lens: Lens, complaint: str) -> None:
    with pytest.raises(BadInput, match=f"^here: .*{complaint}"):
        check_lens(lens, "here")
