"""Recorded images: what is found in data sets, exports and plain folders, what is told of it, what is refused."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_eyes import FLIGHT

import proxops
from proxops.core.errors import BadInput

SENSORS = """
[[sensor]]
kind = "lidar"
name = "scan"
lines = 100
points = 100
field_of_view_deg = [30.0, 30.0]
noise_m = 0.01
[[sensor]]
kind = "camera"
name = "eye"
width = 320
height = 240
focal_mm = 4.95
[scenery]
see = "orbit"
"""
CAMERA = """
[[sensor]]
kind = "camera"
name = "mine"
width = 320
height = 240
focal_mm = 4.95
"""

YAML = """
image_width: 320
image_height: 240
camera_matrix: {{rows: 3, cols: 3, data: [{}]}}
distortion_model: plumb_bob
distortion_coefficients: {{rows: 1, cols: 5, data: [0.0, 0.0, 0.0, 0.0, 0.0]}}
"""


@pytest.fixture(scope="module")
def data_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pose")
    (folder / "short.toml").write_text(FLIGHT + SENSORS)
    about = {"count": 3, "seed": 2, "lights": "usual", "between_m": (4.0, 7.0), "splits": "all=1"}
    proxops.dataset(folder / "short.toml", out=folder / "set", **about)  # type: ignore[arg-type]
    return folder / "set"


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "poses.jsonl").read_text().splitlines()]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


@pytest.fixture
def pictures(data_set: Path, tmp_path: Path) -> Path:
    """The camera's images alone, under their own names."""
    folder = tmp_path / "mine"
    folder.mkdir()
    for path in (data_set / "all").glob("eye_*.png"):
        shutil.copy(path, folder)
    (tmp_path / "camera.toml").write_text(CAMERA)
    return folder


def labels_for(data_set: Path, folder: Path, **more: str) -> None:
    """As of SPEED."""
    own = [row for row in rows(data_set / "labels.csv") if row["sensor"] == "eye"]
    found = [
        {
            "filename": Path(row["file"]).name,
            "q_vbs2tango": [float(row[f"sensor_target_{c}"]) for c in ("qw", "qx", "qy", "qz")],
            "r_Vo2To_vbs_true": [float(row[f"sensor_target_{c}"]) for c in "xyz"],
            "to_sun": [float(row[f"to_sun_{c}"]) for c in "xyz"],
        }
        for row in own
    ]
    (folder / "labels.json").write_text(json.dumps(found))


def test_scans_of_a_data_set_are_searched_and_judged_by_their_labels(data_set: Path, tmp_path: Path) -> None:
    summary = proxops.pose(data_set, model="client", sensor="scan", out=tmp_path / "out")
    assert summary["images"] == summary["with_truth"] == 3 and summary["accepted"] >= 1 and summary["wrong"] == 0
    assert summary["place_median_m"] < 0.02 and summary["turn_median_deg"] < 1.5
    assert summary["way"] == "each image alone" and summary["searched"] == 3
    found, told = lines(tmp_path / "out"), rows(tmp_path / "out" / "poses.csv")
    assert [one["file"] for one in found] == [row["file"] for row in told]
    for one, row in zip(found, told, strict=True):
        if one["accepted"]:
            off = np.array(one["T_sensor_target"][:3]) - np.array(one["T_sensor_target_true"][:3])
            assert one["error_m"] == pytest.approx(float(np.linalg.norm(off))) == pytest.approx(float(row["error_m"]))
            assert np.array(one["covariance"]).shape == (6, 6) and one["sigma_m"] > 0.0
    assert (tmp_path / "out" / "report.html").stat().st_size > 10_000
    assert len(list((tmp_path / "out" / "pictures").iterdir())) == 3
    assert json.loads((tmp_path / "out" / "summary.json").read_text()) == summary


@pytest.mark.parametrize("camera", ["camera.toml", "camera.yaml", "camera.json"])
def test_pictures_of_ones_own_with_labels_like_speeds_begin_where_they_are_told_to(
    camera: str, data_set: Path, pictures: Path, tmp_path: Path
) -> None:
    labels_for(data_set, pictures)
    K = [[500.0, 0.0, 159.5], [0.0, 500.0, 119.5], [0.0, 0.0, 1.0]]
    (tmp_path / "camera.json").write_text(
        json.dumps({"Nu": 320, "Nv": 240, "cameraMatrix": K, "distCoeffs": [0.0] * 5})
    )
    (tmp_path / "camera.yaml").write_text(YAML.format(", ".join(str(k) for row in K for k in row)))
    words: dict[str, Any] = {"model": "client", "camera": tmp_path / camera, "pictures": 0}
    summary = proxops.pose(
        pictures, start=pictures / "labels.json", alone=True, out=tmp_path / "out", **words
    )  # fmt: skip
    assert summary["accepted"] == summary["with_truth"] == 3 and summary["wrong"] == 0
    assert summary["place_p95_mm_per_m"] < 10.0 and summary["turn_p95_deg"] < 1.0


def test_truth_is_not_what_an_image_is_compared_with(data_set: Path, tmp_path: Path) -> None:
    """Whatever the labels say is true, the same is found."""
    words: dict[str, Any] = {"model": "client", "sensor": "scan", "pictures": 0, "most": 2}
    proxops.pose(data_set, out=tmp_path / "honest", **words)
    shutil.copytree(data_set, tmp_path / "set")
    own = rows(data_set / "labels.csv")
    with (tmp_path / "set" / "labels.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, own[0])
        writer.writeheader()
        writer.writerows({**row, "sensor_target_x": "0.5", "sensor_target_z": "30.0"} for row in own)
    summary = proxops.pose(tmp_path / "set", out=tmp_path / "lied_to", **words)
    assert summary["with_truth"] == 2
    for honest, lied_to in zip(lines(tmp_path / "honest"), lines(tmp_path / "lied_to"), strict=True):
        assert lied_to["T_sensor_target_true"][2] == 30.0
        for key in ("doubt", "trust", "T_sensor_target", "covariance", "searched"):
            assert honest[key] == lied_to[key]


def test_scans_of_ones_own_follow_one_another(data_set: Path, tmp_path: Path) -> None:
    """The same client, seen again and again: found once, then tracked; what is assumed is told."""
    folder = tmp_path / "scans"
    folder.mkdir()
    for number in range(1, 11):
        shutil.copy(data_set / "all" / "scan_000000.pcd", folder / f"s{number}.pcd")
    (folder / "pose.toml").write_text("rate_hz = 4.0\nrange_m = 5.0\n")
    summary = proxops.pose(folder, model="client_full", out=tmp_path / "wrong_client", pictures=1, most=1)
    assert summary["wrong"] is None and summary["place_median_m"] is None and summary["with_truth"] == 0
    summary = proxops.pose(folder, model="client", out=tmp_path / "out", pictures=0)
    found = lines(tmp_path / "out")
    assert [one["file"] for one in found] == [f"s{number}.pcd" for number in range(1, 11)]
    assert [one["t_s"] for one in found[:3]] == [0.0, 0.25, 0.5]
    assert summary["way"] == "tracked" and any("4 a second" in note for note in summary["notes"])
    tracked = [one for one, before in zip(found[1:], found, strict=False) if before["state"] == "TRACK"]
    assert all(not one["searched"] for one in tracked) and found[0]["searched"]
    (folder / "pose.toml").write_text("rate = 4.0\n")
    with pytest.raises(BadInput, match="rate: unknown key"):
        proxops.pose(folder, model="client", out=tmp_path / "none")


@pytest.mark.parametrize(
    ("spoil", "words", "complaint"),
    [
        ("", {"folder": "nowhere"}, "no such folder"),
        ("empty", {}, "no images"),
        ("small", {}, "does not fit the lens"),
        ("broken", {}, "no image can be read"),
        ("labels", {}, "labels without a match"),
        ("nonsense", {}, "a label that makes no sense"),
        ("", {"model": "nobody.obj"}, "no such file"),
        ("model", {"model": "model.obj"}, "no triangles"),
        ("", {"camera": "nowhere.yaml"}, "no such file"),
        ("", {"camera": None}, "nothing tells of the lens"),
        ("", {"start": "nowhere.csv"}, "no such file"),
        ("", {"gives": "radar"}, "--gives"),
    ],
)
def test_what_cannot_be_used_is_one_clear_complaint(
    spoil: str, words: dict[str, Any], complaint: str, pictures: Path, tmp_path: Path
) -> None:
    import cv2

    for path in pictures.iterdir():
        if spoil == "empty":
            path.unlink()
        elif spoil == "small":
            cv2.imwrite(str(path), np.zeros((10, 10), np.uint8))
        elif spoil == "broken":
            path.write_bytes(b"\x89PNG nothing")
    if spoil in ("labels", "nonsense"):
        name = "other.png" if spoil == "labels" else "eye_000000.png"
        pose = "1,2,3,1,0,0,0" if spoil == "labels" else "1,2,3,nan,0,0,0"
        names = ",".join(f"sensor_target_{c}" for c in ("x", "y", "z", "qw", "qx", "qy", "qz"))
        (pictures / "labels.csv").write_text(f"file,{names}\n{name},{pose}\n")
    (tmp_path / "model.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\n")
    given = {"folder": pictures, "model": "client", "camera": "camera.toml", "out": tmp_path / "out", **words}
    for key in ("camera", "start"):
        if given.get(key):
            given[key] = tmp_path / str(given[key])
    if str(given["model"]).endswith(".obj"):
        given["model"] = str(tmp_path / str(given["model"]))
    with pytest.raises(BadInput, match=complaint) as told:
        proxops.pose(given.pop("folder"), **given)
    assert len(str(told.value)) < 600 and not (tmp_path / "out").exists()


def test_one_damaged_image_is_named_and_the_rest_goes_on(data_set: Path, tmp_path: Path) -> None:
    shutil.copytree(data_set, tmp_path / "set")
    (tmp_path / "set/all/scan_000001.pcd").write_bytes(b"nothing")
    (tmp_path / "set/all/scan_000002.pcd").unlink()
    summary = proxops.pose(tmp_path / "set", model="client", sensor="scan", out=tmp_path / "out", pictures=0)
    assert summary["images"] == 1 and summary["unread"] >= 2 and not summary["passed"]
    assert any("scan_000001" in note for note in summary["notes"])
