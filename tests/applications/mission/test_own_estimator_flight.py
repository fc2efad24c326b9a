"""A mission whose images go to a user's own estimator: it is used for the sensors that it is meant for, and stops no flight."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from small_eyes import FLIGHT

import proxops
from proxops.core.errors import BadInput
from proxops.core.mission import parse_mission
from proxops.core.vocabulary import Doubt
from proxops.ground.image_export import export_images
from proxops.ground.recorded_vision import recorded_poses

SCANS = """
[[sensor]]
kind = "lidar"
name = "scan"
lines = 40
points = 40
field_of_view_deg = [30.0, 30.0]
rate_hz = 4.0
[[sensor]]
kind = "lidar"
name = "other"
lines = 4
points = 4
rate_hz = 2.0
[scenery]
see = "orbit"
[vision]
sensors = ["scan", "other"]
pose_sensor = true
estimator = "mine.py:Mine"
estimator_sensors = ["scan"]
estimator_limit_s = 1.0
frame_ms = 50.0
scan_search_s = 0.1
"""
MINE = """
import time
import numpy as np
from proxops.core.vision import PoseFound
from proxops.core.vocabulary import Doubt

class Mine:
    def __init__(self, sensor, client):
        assert sensor.name == "scan"
    def estimate(self, sight):
        image, P = sight.image, 1e-4 * np.eye(6)
        way = image.number % 5
        if way == 1:
            raise RuntimeError("no")
        if image.number == 2:
            time.sleep(60.0)
        T = np.array([0.0, 0.0, 5.0, 1.0, 0.0, 0.0, 0.0])
        T[0] = np.nan if way == 3 else 0.0
        return PoseFound("", 0, 0.0, Doubt.NONE, 1.0, T, None if way == 4 else P)
"""


@pytest.fixture(scope="module")
def flown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("flown")
    (folder / "short.toml").write_text(FLIGHT + SCANS)
    (folder / "mine.py").write_text(MINE)
    proxops.run(folder / "short.toml", out=folder / "out", hall=False, report=False)
    return folder / "out"


def test_it_looks_at_its_sensor_and_nothing_that_it_does_stops_the_flight(flown: Path) -> None:
    found = {one.number: one for one in recorded_poses(flown / "run.mcap", "scan")}
    assert len(found) >= 6
    for number, one in found.items():
        wanted = Doubt.STALE if number == 2 else Doubt.NONE if number % 5 in (0, 2) else Doubt.BROKEN
        assert one.doubt is wanted and one.trusted == (wanted is Doubt.NONE)
    assert list(recorded_poses(flown / "run.mcap", "other"))


def test_its_log_and_what_is_exported_of_it_are_looked_through_alike(flown: Path, tmp_path: Path) -> None:
    export_images(proxops.read_log(flown), tmp_path / "images")
    words: dict[str, Any] = {"model": "client", "sensor": "scan", "pictures": 2, "camera": flown.parent / "short.toml"}
    logged = proxops.pose(flown, out=tmp_path / "logged", **words)
    exported = proxops.pose(tmp_path / "images", out=tmp_path / "exported", **words)
    assert logged["images"] == logged["with_truth"] == exported["with_truth"] >= 4 and logged["way"] == "tracked"
    for key in ("accepted", "doubts", "states"):
        assert logged[key] == exported[key]
    for key in ("place_median_m", "nees_mean"):
        assert logged[key] == pytest.approx(exported[key], rel=1e-9)  # a table's digits
    with pytest.raises(BadInput, match="several sensors"):
        proxops.pose(flown, model="client", out=tmp_path / "none")


def test_it_is_meant_for_sensors_that_are_looked_through(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="estimator_sensors"):
        parse_mission(
            FLIGHT + SCANS.replace('estimator_sensors = ["scan"]', 'estimator_sensors = ["eye"]'), tmp_path / "x"
        )
