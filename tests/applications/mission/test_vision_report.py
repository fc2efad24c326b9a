"""What was found in images, in the report: figures against errors that are put in by hand, pictures, and logs that have none."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.applications.mission.report.mission_run import MissionRun
from proxops.applications.mission.report.model_edges import ModelEdges
from proxops.applications.mission.report.vision_cutout import HEIGHT, WIDTH, cutout
from proxops.applications.mission.report.vision_figures import vision_figures
from proxops.applications.mission.report.vision_pictures import choice
from proxops.applications.mission.report.vision_section import image_sections
from proxops.applications.mission.report.vision_words import brief_words, sensor_rows
from proxops.applications.mission.seen_by import log_of, seen_by
from proxops.core.clock import LockstepClock
from proxops.core.images import CameraImage, PointScan
from proxops.core.lens import Lens
from proxops.core.mission import MissionFile, parse_mission
from proxops.core.vision import Marks, PoseFound, Processed
from proxops.core.vocabulary import Doubt, VisionState
from proxops.facility.build import build
from proxops.ground.image_encoding import encode
from proxops.ground.log import Log
from proxops.ground.recorded_vision import poses_of
from proxops.ground.section import Drawing, Picture, SideBySide, Table
from proxops.ground.sensor_log import Arrival
from proxops.ground.vision_messages import DOES_NOT, FITS
from proxops.lab.cell import Cell
from proxops.maths.rotation import quat_from_rotation_vector
from proxops.optics.scene.palette import WHITE_PAINT
from proxops.optics.scene.primitives import box

Floats = NDArray[np.float64]
TEXT = """
kind = "mission"
like = "approach"
name = "made_up"
about = "answers that are put in by hand"
[[sensor]]
kind = "camera"
name = "eye"
width = 96
height = 72
pixel_um = 49.5
focal_mm = 7.5
rate_hz = 10.0
log_hz = 10.0
[[sensor]]
kind = "lidar"
name = "scan"
lines = 10
points = 10
rate_hz = 1.0
log_hz = 1.0
[scenery]
see = "both"
[vision]
sensors = ["eye", "scan"]
compare_s = 0.2
"""
FILE = parse_mission(TEXT, Path("made_up.toml")).file
TRUE = np.array([0.0, 0.0, 5.0, 1.0, 0.0, 0.0, 0.0])
SIGMA = np.array([0.001, 0.001, 0.002, 0.004, 0.004, 0.004])
LATE_S = 0.08
# Of the camera: what its poses are off by (m, and rad about x), and what was said of them.
OFF = {
    0: (None, Doubt.DARK), 1: ((0.003, 0.0, 0.004, 0.002), Doubt.NONE), 2: ((0.0, 0.001, -0.002, 0.004), Doubt.NONE),
    3: ((0.2, 0.0, 0.0, 0.0), Doubt.NONE), 4: ((1.0, 0.0, 0.0, 0.0), Doubt.SUPPORT), 5: ((0.0, 0.005, 0.006, 0.001), Doubt.NONE),
}  # fmt: skip
STATES = [VisionState.SEARCH, *[VisionState.TRACK] * 3, VisionState.LOST, VisionState.TRACK]


def pose_off(off: tuple[float, ...]) -> Floats:
    q = np.asarray(quat_from_rotation_vector(np.array([-off[3], 0.0, 0.0])))
    return np.concatenate([TRUE[:3] - np.array(off[:3]), q])


def answer(sensor: str, number: int, t: float) -> Processed:
    """In orbit every pose is off by half of that."""
    off, doubt = OFF[number if sensor == "eye" else 2 * number] if sensor != "scan" else (None, Doubt.NOT_FOUND)
    if off is not None and sensor == "eye_orbit":
        off = tuple(0.5 * part for part in off)
    marks = Marks(
        np.array([[40.0, 30.0], [50.0, 40.0]], np.float32), np.array([1, 0], np.uint8), np.empty((0, 4), np.float32)
    )
    found = PoseFound(
        sensor, number, t, doubt, 0.0 if doubt else 0.9, None if off is None else pose_off(off),
        None if off is None else np.diag(SIGMA**2), marks if off is not None else None,
    )  # fmt: skip
    return Processed(
        found, STATES[number] if sensor == "eye" else VisionState.SEARCH, number == 0, int(sensor == "eye")
    )


def image_of(sensor: str, number: int, t: float) -> CameraImage | PointScan:
    if sensor.startswith("scan"):
        points = np.array([[0.1 * k, 0.05 * k, 5.0] for k in range(-4, 5)], np.float32)
        return PointScan(sensor, number, t, points, np.ones(9, np.float32), np.zeros(9, np.float32))
    return CameraImage(sensor, number, t, 1e-3, 0.0, 255, np.full((72, 96), 40, np.uint8))


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory, cell: Cell) -> Log:
    """A hall that stands still; half a second of images and their answers."""
    path = tmp_path_factory.mktemp("answers") / "run.mcap"
    sensors, clock = log_of(FILE), LockstepClock()
    hall = build(cell, clock, seed=1, record=path, sensors=sensors)
    assert hall.viewer is not None
    for cycle in range(160):
        t = 0.004 * cycle
        for spec, _ in seen_by(FILE, True):
            number = round((t - LATE_S) * spec.rate_hz)
            at = number / spec.rate_hz
            if number < 0 or abs(t - LATE_S - at) > 1e-9 or (spec.name.startswith("eye") and number >= len(OFF)):
                continue
            arrival = Arrival(clock.tick + 1, clock.utc_ns() + 4_000_000, t)
            assert sensors.due(spec.name, at)
            hall.viewer.push(sensors.messages(encode(image_of(spec.name, number, at)), arrival, TRUE))
            hall.viewer.push(sensors.said(answer(spec.name, number, at), arrival, TRUE))
        hall.facility.tick()
    assert hall.close() == 0
    return Log.open(path)


def run_of(log: Log, file: MissionFile = FILE) -> MissionRun:
    rows = np.arange(log.count)
    metadata = {**log.metadata, "hall": "True"}
    return MissionRun(replace(log, metadata=metadata), file, slice(0, log.count), rows, rows, rows)


# ------------------------------------------------------------------ figures
def test_figures_are_those_of_errors_put_in_by_hand(log: Log) -> None:
    v = vision_figures(run_of(log).vision)["vision"]
    eye = v["sensors"]["eye"]
    assert (v["accepted"], v["refused"], v["wrong"]) == (4, 3, 1)
    assert eye["doubts"] == {"DARK": 1, "SUPPORT": 1} and eye["lost"] == 1 and eye["searched"] == 1
    assert eye["first_pose_s"] == pytest.approx(0.1) and eye["answered_s"] == pytest.approx(LATE_S)
    good = [OFF[k][0] for k in (1, 2, 3, 5)]
    off = np.array([row for row in good if row is not None])
    across, along = np.hypot(off[:, 0], off[:, 1]), np.abs(off[:, 2])
    assert eye["across_error_median_m"] == pytest.approx(np.median(across), rel=1e-6)
    assert eye["along_error_median_m"] == pytest.approx(np.median(along), rel=1e-6)
    assert eye["attitude_error_median_rad"] == pytest.approx(np.median(off[:, 3]), rel=1e-6)
    nees = (off[:, 0] / 0.001) ** 2 + (off[:, 1] / 0.001) ** 2 + (off[:, 2] / 0.002) ** 2 + (off[:, 3] / 0.004) ** 2
    assert eye["nees_mean"] == pytest.approx(nees.mean(), rel=1e-6)
    assert v["worst"]["place_share"] == pytest.approx(0.04) and v["worst"]["attitude_rad"] == pytest.approx(0.004)
    (row,) = eye["ranges"]
    assert (row["range"], row["accepted"], row["refused"], row["wrong"]) == ("8 … 4 m", 4, 2, 1)


def test_claims_are_roots_of_mean_squares_across_along_and_of_turning(log: Log) -> None:
    eye = vision_figures(run_of(log).vision)["vision"]["sensors"]["eye"]
    assert eye["across_sigma_median_m"] == pytest.approx(0.001 * math.sqrt(2.0), rel=1e-3)
    assert eye["along_sigma_median_m"] == pytest.approx(0.002, rel=1e-3)
    assert eye["attitude_sigma_median_rad"] == pytest.approx(0.004 * math.sqrt(3.0), rel=1e-3)


def test_hall_and_orbit_are_compared_at_the_same_instants(log: Log) -> None:
    """Every other exposure of the hall has one of the orbit beside it: 0, 2, 4, of which 2 was accepted in both."""
    compared = vision_figures(run_of(log).vision)["vision"]["hall_against_orbit"]["eye"]
    assert (compared["pairs"], compared["accepted_hall"], compared["accepted_both"]) == (3, 1, 1)
    assert compared["along_error_median_hall_m"] == pytest.approx(0.002, rel=1e-6)
    assert compared["along_error_median_orbit_m"] == pytest.approx(0.001, rel=1e-6)


def test_a_mission_in_which_nobody_looks_has_no_such_figures_and_no_such_section(log: Log, cell: Cell) -> None:
    blind = FILE.model_copy(update={"vision": FILE.vision.model_copy(update={"sensors": ()})})
    run = run_of(log, blind)
    assert run.vision == () and vision_figures(run.vision) == {}
    assert list(image_sections(run, cell, {})) == []


def test_a_log_that_was_cut_off_still_has_its_answers(log: Log, tmp_path: Path, cell: Cell) -> None:
    whole = log.path.read_bytes()
    path = tmp_path / "cut.mcap"
    path.write_bytes(whole[: len(whole) * 4 // 5])
    cut = Log.open(path)
    assert not cut.complete and cut.count
    found = poses_of(path, ["eye"])["eye"]
    assert found and [one.number for one in found] == list(range(len(found)))
    m = vision_figures(run_of(cut).vision)
    assert m["vision"]["sensors"]["eye"]["images"] == len(found)
    (section,) = image_sections(run_of(cut), cell, m)
    assert any(isinstance(part, SideBySide) for part in section.parts)


# ------------------------------------------------------------------ words and pictures
def test_the_line_on_the_terminal_says_how_many_and_the_worst(log: Log) -> None:
    v = vision_figures(run_of(log).vision)["vision"]
    assert brief_words(v).startswith("4 accepted, 3 refused, 1 wrong; worst 4.00 % of range (eye, 0 s)")
    assert sensor_rows(v["sensors"])[0][5] == "2: dark 1, support 1"


def test_the_section_has_pictures_with_what_was_found_and_drawings(log: Log, cell: Cell) -> None:
    run = run_of(log)
    (section,) = image_sections(run, cell, vision_figures(run.vision))
    assert section.heading == "Images"
    parts = list(section.parts)
    pictures = [one for part in parts if isinstance(part, SideBySide) for one in part.parts if isinstance(one, Picture)]
    captions = [picture.caption for picture in pictures]
    assert any("first pose" in words and "off by 5.0 mm, 0.11 deg" in words for words in captions)
    assert any("worst" in words for words in captions) and any("refused: support" in words for words in captions)
    assert any(words.startswith("scan") and "searched · refused: not found" in words for words in captions)
    first = next(picture for picture in pictures if "first pose" in picture.caption)
    assert first.rgb.shape == (HEIGHT, WIDTH, 3)
    for colour in (FITS, DOES_NOT):
        near = np.abs(first.rgb.astype(float) - 255.0 * np.array(colour)).max(axis=2) < 3.0
        assert near.sum() > 2
    assert sum(isinstance(part, Drawing) for part in parts) == 3 and sum(isinstance(part, Table) for part in parts) == 3


def test_few_pictures_are_chosen_and_only_of_images_that_were_recorded(log: Log) -> None:
    eye = run_of(log).vision[0]
    assert choice(eye, range(6)) == {1: "first pose, far, middle, near", 3: "worst", 4: ""}
    assert set(choice(eye, [0, 2])) == {0, 2}
    assert choice(eye, []) == {}


def test_the_model_is_drawn_where_geometry_puts_it() -> None:
    """A box of 1 m whose near side is 4.5 m away; nothing inside of its face."""
    lens = Lens(200, 200, 300.0, 300.0, 99.5, 99.5)
    model = ModelEdges(box((1.0, 1.0, 1.0), WHITE_PAINT))
    rows, columns = np.nonzero(model.drawn(lens, TRUE))
    half = 0.5 * 300.0 / 4.5
    for place in (rows, columns):
        assert place.min() == pytest.approx(99.5 - half, abs=1.0) and place.max() == pytest.approx(99.5 + half, abs=1.0)
    assert not model.drawn(lens, TRUE)[80:120, 80:120].any()
    near = np.array([0.0, 0.0, 0.6, 1.0, 0.0, 0.0, 0.0])
    assert not model.drawn(lens, near).any()  # nothing but that face is in the picture, whose rim is no edge


def test_a_cutout_has_the_client_in_its_middle_and_marks_where_they_were() -> None:
    lens = Lens(640, 480, 1000.0, 1000.0, 319.5, 239.5)
    model = ModelEdges(box((1.0, 1.0, 1.0), WHITE_PAINT))
    T = np.array([1.0, 0.5, 10.0, 1.0, 0.0, 0.0, 0.0])
    cut = cutout(lens, model, T)
    assert (cut.left + 0.5 * cut.width, cut.top + 0.5 * cut.height) == pytest.approx((420.0, 290.0), abs=3.0)
    seen = cut.lens(lens)
    u, v = cut.placed(np.array([[1000.0 * 0.1 + 319.5, 1000.0 * 0.05 + 239.5]]))[0]
    assert (u, v) == pytest.approx((seen.fx * 0.1 + seen.cx, seen.fy * 0.05 + seen.cy))
    whole = cutout(lens, None, None)
    assert (whole.left, whole.top, whole.width, whole.height) == (0, 0, 640, 480)
