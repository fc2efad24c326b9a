"""Folders as people have them: odd names, damaged files, labels that make no sense; and nothing that was found is lost."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proxops
from proxops.core.errors import BadInput
from proxops.core.grey_picture import png

CAMERA = """
[[sensor]]
kind = "camera"
name = "mine"
width = 32
height = 24
bits = 12
"""
MINE = """
import os, signal
import numpy as np
from proxops.core.vision import PoseFound
from proxops.core.vocabulary import Doubt

class Mine:
    def __init__(self, sensor, client):
        pass
    def estimate(self, sight):
        assert sight.image.white == 255
        if sight.image.number == 2 and os.environ.get("PRESS") == "Ctrl-C":
            os.kill(os.getpid(), signal.SIGINT)
        return PoseFound("", 0, 0.0, Doubt.NONE, 1.0, np.array([0.0, 0.0, 5.0, 1.0, 0.0, 0.0, 0.0]), 1e-4 * np.eye(6))
"""
TRUTH = ",".join(f"sensor_target_{c}" for c in ("x", "y", "z", "qw", "qx", "qy", "qz"))


@pytest.fixture
def given(tmp_path: Path) -> dict[str, Any]:
    """Three pictures and what it takes to look through them."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "camera.toml").write_text(CAMERA)
    (tmp_path / "mine.py").write_text(MINE)
    for number in range(3):
        (tmp_path / f"mine/{number}.png").write_bytes(png(np.full((24, 32), 10 + number, np.uint8)))
    return {
        "folder": tmp_path / "mine", "model": "client", "camera": tmp_path / "camera.toml", "pictures": 0,
        "estimator": f"{tmp_path / 'mine.py'}:Mine", "out": tmp_path / "out",
    }  # fmt: skip


def names(out: Path) -> list[str]:
    return [json.loads(line)["file"] for line in (out / "poses.jsonl").read_text().splitlines()]


def test_an_image_of_another_size_is_left_out_and_named(given: dict[str, Any]) -> None:
    (given["folder"] / "1.png").write_bytes(png(np.zeros((10, 10), np.uint8)))
    summary = proxops.pose(**given)
    assert (summary["images"], summary["unread"], summary["passed"]) == (2, 1, False)
    assert any("1.png: does not fit the lens" in note for note in summary["notes"])


def test_names_of_any_kind_stand_in_the_results(given: dict[str, Any]) -> None:
    picture = (given["folder"] / "0.png").read_bytes()
    for name in (b"\xff\xfe.png", "²3.png".encode(), "衛星 ✓.png".encode(), b"a" * 250 + b".png"):
        with open(os.path.join(os.fsencode(given["folder"]), name), "wb") as file:
            file.write(picture)
    summary = proxops.pose(**given | {"pictures": 7})
    assert summary["images"] == 7 and len(list((given["out"] / "pictures").iterdir())) == 7
    assert {"\\udcff\\udcfe.png", "²3.png", "衛星 ✓.png"} < set(names(given["out"]))


def test_ctrl_c_leaves_what_was_found(given: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRESS", "Ctrl-C")
    summary = proxops.pose(**given)
    assert names(given["out"]) == ["0.png", "1.png"] and (given["out"] / "report.html").exists()
    assert summary["interrupted"] and not summary["passed"] and "interrupted after 2 of 3 images" in summary["notes"]


def test_earlier_results_are_kept(given: dict[str, Any]) -> None:
    for most in (1, 2):
        proxops.pose(**given | {"most": most})
    assert len(names(given["out"])) == 2 and names(given["out"] / "earlier-1") == ["0.png"]
    with pytest.raises(BadInput, match="there the images are"):
        proxops.pose(**given | {"out": given["folder"]})


@pytest.mark.parametrize(
    ("labels", "complaint"),
    [
        (f"file,{TRUTH}\n0.png,0,0,1e300,1,0,0,0", "between 0.001 and 1e"),
        (f"file,{TRUTH}\n0.png,0,0,0,1,0,0,0", "between 0.001 and 1e"),
        (f"file,{TRUTH}\n0.png,0,0,5,2,0,0,0", "length one"),
        ("file,sensor_target_x\n0.png,1", "there is no sensor_target_y"),
        ("file,to_sun_x\n0.png,1", "to_sun is not whole"),
        ("file,to_sun_x,to_sun_y,to_sun_z,sunlit\n0.png,0,0,-1,nan", "between 0 and 1"),
        ("file,white\n0.png,-5", "between 0 and 65535"),
        (f"file,{'a' * 5000}\n{'a' * 5000},1", "without a match"),
        ('[{"file": "0.png", "number": 1e999}]', "a label that makes no sense"),
        ('[{"file": "0.png", "prediction_sigma_m": 1e300}]', "a label that makes no sense"),
    ],
)
def test_labels_that_make_no_sense_are_one_complaint(labels: str, complaint: str, given: dict[str, Any]) -> None:
    (given["folder"] / ("labels.json" if labels.startswith("[") else "labels.csv")).write_text(labels)
    with pytest.raises(BadInput, match=complaint):
        proxops.pose(**given)
    assert not given["out"].exists()


def test_what_a_label_leaves_empty_is_not_told(given: dict[str, Any]) -> None:
    label = {"file": "0.png", "sunlit": None, "q_vbs2tango": [1, 0, 0, 0], "r_Vo2To_vbs_true": [0, 0, 5]}
    (given["folder"] / "labels.json").write_text(json.dumps([label, {"file": "1.png", "q_vbs2tango": None}]))
    summary = proxops.pose(**given)
    assert (summary["images"], summary["with_truth"], summary["wrong"]) == (2, 1, 0)


@pytest.mark.parametrize(
    "about", ['{"sensors": 5}', '{"sensors": [{"kind": "camera"}]}', '{"sensors": [], "lights_used": 5}']
)
def test_a_damaged_data_set_is_one_complaint(about: str, given: dict[str, Any]) -> None:
    (given["folder"] / "dataset.json").write_text(about)
    with pytest.raises(BadInput, match=r"dataset\.json: .*sens"):
        proxops.pose(**given | ({} if "lights" in about else {"camera": None}))
