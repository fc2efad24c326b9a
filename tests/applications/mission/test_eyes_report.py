"""The images of a mission in its report: what is counted as lost, what the hall adds, pictures and words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from small_eyes import moment, order, small_sensors

from proxops.applications.mission.report.client_outline import EDGE, ClientOutline, beside, inside
from proxops.applications.mission.report.criteria import criteria
from proxops.applications.mission.report.eyes_comparison import compared, lens_of
from proxops.applications.mission.report.eyes_pictures import NOTHING, coloured, picture_of
from proxops.applications.mission.report.eyes_record import KEPT, EyeRecord, eye_record
from proxops.applications.mission.report.eyes_section import ACROSS, INSTANTS, eyes_sections, strips_of
from proxops.applications.mission.report.hall_against_orbit import clients_of, medians, sensors_of_both
from proxops.core.images import DepthImage, PointScan
from proxops.core.imaging_table import CameraSensor, ImagingSensor
from proxops.core.mission import load_mission
from proxops.core.scenery_table import Scenery
from proxops.ground.image_encoding import EncodedImage, encode
from proxops.ground.recorded_image import RecordedImage
from proxops.ground.section import Picture, SideBySide, Table
from proxops.lab.any_cell import load_cell
from proxops.optics.scene.palette import WHITE_PAINT
from proxops.optics.scene.primitives import box
from proxops.sensors.hall_staging import hall_client
from proxops.sensors.image_generator import ImageGenerator
from proxops.sensors.orbit_staging import orbit_client

SPEC = CameraSensor(kind="camera", name="eye", rate_hz=4.0, log_hz=4.0, delay_ms=100.0, exposure_ms=1.0)
AHEAD = np.array([0.0, 0.0, 5.0, 1.0, 0.0, 0.0, 0.0])


def told(number: int) -> RecordedImage:
    return RecordedImage(EncodedImage("eye", number, number / 4.0, {}, exposure_s=1e-3), 0, 0, AHEAD)


def record(*numbers: int, spec: ImagingSensor = SPEC) -> EyeRecord:
    return eye_record(spec, True, [told(number) for number in numbers])


# ------------------------------------------------------------------ what is there, what is lost
def test_numbers_that_are_missing_are_lost() -> None:
    assert record(0, 1, 2, 3, 4, 5, 6, 7).lost(2.0) == 0
    assert record(0, 1, 3, 4, 7).lost(2.0) == 3


def test_what_never_came_before_the_end_is_lost_and_what_could_not_come_is_not() -> None:
    assert record(0, 1, 2).lost(0.9) == 0  # number 3 is exposed at 0.75 s and there at 0.851 s: too near to the end
    assert record(0, 1, 2).lost(3.0) == 9
    assert record().lost(1.1) == 4


def test_images_that_nobody_asked_to_record_are_not_lost() -> None:
    """At most one in half a second of four a second: every other one."""
    spec = SPEC.model_copy(update={"log_hz": 2.0})
    assert record(0, 2, 4, 6, spec=spec).lost(1.9) == 0
    assert record(0, 2, 6, spec=spec).lost(1.9) == 1


@pytest.mark.parametrize("count", [1, KEPT, KEPT + 1, 1000])
def test_few_images_are_kept_evenly_the_first_and_the_last_among_them(count: int) -> None:
    kept = [image.encoded.number for image in record(*range(count)).kept]
    assert kept[0] == 0 and kept[-1] == count - 1 and len(kept) <= KEPT + 1
    assert len(set(np.diff(kept[:-1]).tolist())) <= 1


def test_an_image_that_is_lost_fails_a_run_that_waits_for_images() -> None:
    mission = {
        "began": True, "end": "TIME", "audit": {"energy": 1e-12}, "expect": None, "wants_contact": False, "faults": 1,
        "uses_hall": False, "contact": None, "abort": "NONE",
    }  # fmt: skip
    rows = [
        {row.name: row.passed for row in criteria({**mission, **more})}
        for more in ({}, {"images_lost": 0}, {"images_lost": 1})
    ]
    assert [row.get("mission_images_lost") for row in rows] == [None, True, False]


# ------------------------------------------------------------------ outline, hall against orbit
def test_the_outline_is_where_geometry_puts_it() -> None:
    """A box of 1 m whose near side is 4.5 m away."""
    outline = ClientOutline(box((1.0, 1.0, 1.0), WHITE_PAINT), SPEC.lens)
    ranges = outline.ranges(AHEAD)
    columns = np.nonzero(np.isfinite(ranges))[1]
    half = 0.5 * SPEC.lens.fx / 4.5
    assert columns.min() == pytest.approx(SPEC.lens.cx - half, abs=1.0)
    assert columns.max() == pytest.approx(SPEC.lens.cx + half, abs=1.0)
    assert ranges[240, 320] == pytest.approx(4.5, abs=1e-4)
    client = np.isfinite(ranges)
    assert inside(client).sum() < client.sum() < (~beside(client)).sum()
    assert np.ptp(np.nonzero(inside(client))[1]) == np.ptp(columns) - 2 * EDGE


@pytest.fixture(scope="module")
def both() -> dict[str, dict[str, float]]:
    """Figures of each small sensor at one instant, the client in orbit 5 cm aside of where the hall shows it."""
    cell, scenery, found = load_cell(), Scenery(see="both"), {}
    specs = small_sensors()
    clients = hall_client(cell, False), orbit_client(scenery, cell)
    for k, spec in enumerate(specs):
        images = []
        for sees_hall in (True, False):
            generator = ImageGenerator(specs, (sees_hall,) * len(specs), scenery, 1, cell)
            now = moment()
            assert now.orbit
            aside = now.orbit.T_target_chaser + np.array([0.0, 0.05, 0.0, 0.0, 0.0, 0.0, 0.0])
            image, truth = generator.take(order(k, 0, replace(now, orbit=replace(now.orbit, T_target_chaser=aside))))
            images.append(RecordedImage(encode(image), 0, 0, truth))
        outlines = tuple(ClientOutline(client, lens_of(spec)) for client in clients)
        found[spec.kind] = compared(spec, tuple(images), outlines)
    return found


def test_a_camera_in_the_hall_sees_more_than_the_client(both: dict[str, dict[str, float]]) -> None:
    row, spec = both["camera"], small_sensors()[0]
    assert isinstance(spec, CameraSensor)
    assert row["lit_share_beside_hall"] > 0.2 > 0.02 > row["lit_share_beside_orbit"]
    assert row["level_beside_of_client_hall"] > row["level_beside_of_client_orbit"] >= 0.0
    assert 0.01 < row["client_brightness_ratio"] < 100.0
    assert row["outline_shift_px"] == pytest.approx(spec.lens.fx * 0.05 / 3.7, rel=0.3)


def test_ranges_on_the_client_are_those_of_its_true_pose(both: dict[str, dict[str, float]]) -> None:
    for kind, beside_hall in (("tof", 0.01), ("lidar", 0.2)):
        row = both[kind]
        assert abs(row["range_off_m_hall"]) < 0.03 and abs(row["range_off_m_orbit"]) < 0.03
        assert row["share_on_client_hall"] > 0.005 and row["share_on_client_orbit"] > 0.005
        assert row["share_beside_hall"] > beside_hall > row["share_beside_orbit"]


def test_a_client_that_is_not_there_any_more_is_not_compared() -> None:
    file, cell = load_mission("eyes").file, load_cell()
    assert len(clients_of(file, cell)) == 2
    assert clients_of(file.model_copy(update={"scenery": Scenery(see="both", client="gone.stl")}), cell) == ()


def test_medians_leave_out_what_is_not_known() -> None:
    assert medians([{"a": 1.0, "b": math.nan}, {"a": 3.0, "b": math.nan}, {"a": math.nan, "b": math.nan}]) == {
        "pairs": 3, "a": 2.0, "b": None,
    }  # fmt: skip


# ------------------------------------------------------------------ pictures and words
def test_near_is_red_far_is_blue_and_nothing_is_dark() -> None:
    near, far, none = coloured(np.array([1.0, 9.0, np.nan]), 2.0, 8.0).tolist()
    assert near[0] > 2 * near[2] and far[2] > far[0] and tuple(none) == NOTHING


def test_a_scan_is_drawn_where_the_sensor_saw_its_points() -> None:
    spec = small_sensors()[2]
    point = np.array([[math.sin(math.radians(10.0)), 0.0, math.cos(math.radians(10.0))]], np.float32)  # to the right
    scan = PointScan("scan", 0, 0.0, 5.0 * point, np.ones(1, np.float32), np.zeros(1, np.float32))
    drawn = (picture_of(spec, scan, 0.0, 10.0, 400) != NOTHING).any(axis=2)
    rows, columns = np.nonzero(drawn)
    assert columns.mean() == pytest.approx(300.0, abs=2.0) and rows.mean() == pytest.approx(200.0, abs=2.0)
    assert drawn.sum() == pytest.approx((400 / 12) ** 2, rel=0.1)


def eyes_of_both(count: int = 10) -> Iterator[EyeRecord]:
    spec = small_sensors()[1]
    ranges = np.full((24, 24), 3.0, np.float32)
    for name, hall in (("depth", True), ("depth_orbit", False), ("alone", True)):
        images = [
            RecordedImage(encode(DepthImage(name, k, k / 2.0, ranges + k, ranges.astype(np.uint16))), 0, 0, AHEAD)
            for k in range(count)
        ]
        yield eye_record(spec.model_copy(update={"name": name}), hall, images)


def test_hall_and_orbit_stand_side_by_side_at_the_same_instants() -> None:
    eyes = tuple(eyes_of_both())
    ((spec, pairs),) = sensors_of_both(eyes)
    assert spec.name == "depth" and all(a.encoded.number == b.encoded.number for a, b in pairs)
    paired, alone = strips_of(eyes)
    assert [image.encoded.number for _, image in paired] == [0, 4, 9] * 2 and len(paired) == 2 * ACROSS
    assert [image.encoded.number for _, image in alone] == [0, 2, 4, 5, 7, 9] and len(alone) == INSTANTS


def test_the_section_has_a_picture_for_every_instant_with_its_facts() -> None:
    eyes = tuple(eyes_of_both())
    facts = {
        "sees": "hall", "images": 10, "lost": 0, "distance_m": [5.0, 5.0], "exposure_s": None, "gain_db": None,
        "saturated_share": None, "answered_share": 1.0, "range_m": [3.0, 12.0],
    }  # fmt: skip
    m = {"sensors": {eye.spec.name: facts for eye in eyes}, "hall_against_orbit": {}}
    (section,) = eyes_sections(eyes, m)
    parts = list(section.parts)
    pictures = [p for part in parts if isinstance(part, SideBySide) for p in part.parts if isinstance(p, Picture)]
    assert len(pictures) == 2 * ACROSS + INSTANTS
    assert pictures[ACROSS].caption == "depth_orbit (orbit) · 0.0 s · 5.00 m"
    assert sum(picture.rgb.nbytes for picture in pictures) < 3 * 1_600_000
    (table,) = (part for part in parts if isinstance(part, Table))
    assert table.rows[0][:5] == ("depth", "hall", "10", "0", "5.00 m")


def test_a_mission_without_eyes_has_no_such_section() -> None:
    assert list(eyes_sections((), {"began": True})) == []
