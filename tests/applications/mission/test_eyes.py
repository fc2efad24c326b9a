"""Imaging sensors in a mission: images come when they are due, the flight does not notice, a seed repeats them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from small_eyes import EYES, FLIGHT, image_bytes

from proxops import read_log, run
from proxops.core.errors import BadInput
from proxops.core.images import CameraImage


def flown(folder: Path, text: str, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "short.toml").write_text(text)
    run(folder / "short.toml", out=folder / name, hall=False, report=False)
    return folder / name


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return flown(tmp_path_factory.mktemp("eyes"), FLIGHT + EYES, "seen")


def test_images_come_when_they_are_due(seen: Path) -> None:
    """Every quarter of a second, 150 ms after the exposure has ended; their truth is the mission's own."""
    log = read_log(seen)
    images = list(log.images("eye"))
    assert [image.number for image in images] == list(range(12))
    assert all(isinstance(image, CameraImage) and image.pixels.shape == (72, 96) for image in images)
    assert np.diff([image.t for image in images]) == pytest.approx(0.25, abs=0.01)
    assert len(list(log.images("scan"))) == 2  # the third is not over at the end


def test_images_carry_the_time_of_the_record_that_has_their_mission_time(seen: Path) -> None:
    log = read_log(seen)
    utc, t = log.values("clock.utc_ns"), log.values("mission.t")
    first = np.flatnonzero(t > 0.0)[0]  # told every few cycles, at once
    began = int(utc[first]) - round(float(t[first]) * 1e9)
    for image in log.recorded_images("eye"):
        assert image.exposed_ns - began == pytest.approx(image.encoded.t * 1e9, abs=2.0)


def test_the_same_seed_gives_the_same_images(seen: Path) -> None:
    again = flown(seen.parent, FLIGHT + EYES, "again")
    one, two = (
        [hashlib.sha256(image_bytes(i)).hexdigest() for i in read_log(run).images("eye")] for run in (seen, again)
    )
    assert one == two


def test_a_flight_that_is_looked_at_is_the_same_flight(seen: Path) -> None:
    alone = read_log(flown(seen.parent, FLIGHT, "alone"))
    log = read_log(seen)
    for variable in ("relative.p_x", "relative.v_z", "mission.nees", "clock.tick"):
        np.testing.assert_array_equal(log.values(variable), alone.values(variable))
    summary = json.loads((seen.parent / "alone" / "summary.json").read_text())
    assert not {"sensors", "images_lost", "hall_against_orbit"} & summary["mission"].keys()
    assert "mission_images_lost" not in {row["name"] for row in summary["criteria"]}


def test_what_cannot_be_looked_at_is_refused_before_anything_moves(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nothing\.stl"):
        flown(tmp_path, FLIGHT + EYES + 'client = "nothing.stl"\n', "refused")
    assert not (tmp_path / "refused" / "run.mcap").exists()


def test_the_summary_tells_of_every_sensor_and_that_no_image_is_lost(seen: Path) -> None:
    summary = json.loads((seen / "summary.json").read_text())
    eye, scan = (summary["mission"]["sensors"][name] for name in ("eye", "scan"))
    assert (eye["sees"], eye["images"], eye["lost"], scan["images"], scan["lost"]) == ("orbit", 12, 0, 2, 0)
    assert 0.0 < eye["exposure_s"][0] <= eye["exposure_s"][1] <= 0.02 and 3.0 < eye["distance_m"][0] < 6.0
    (row,) = (row for row in summary["criteria"] if row["name"] == "mission_images_lost")
    assert row["passed"] and row["value"] == 0
