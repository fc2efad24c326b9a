"""What image processing says, at the console: the newest answer of each sensor, counts, and marks that belong to a picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from eye_writer import EyeWriter, picture

from proxops.console.attendance import Attendance
from proxops.console.eyes_watch import VISION_EVERY, EyesWatch
from proxops.core.vision import Marks, PoseFound
from proxops.core.vocabulary import Doubt, VisionState
from proxops.ground.sensor_log import FOUND_PART, MARKS_PART
from proxops.ground.viewer_message import ViewerMessage
from proxops.ground.vision_messages import DOES_NOT, EDGES, FITS

PIXELS = np.full((480, 640), 9, np.uint8)
POSE = np.array([3.0, 0.0, 4.0, 1.0, 0.0, 0.0, 0.0])
SIGMA = np.diag([1e-6, 4e-6, 1e-4, 1e-6, 1e-6, 9e-6])
MARKS = Marks(
    np.array([[10.0, 20.0], [30.0, 40.0], [50.0, 60.0]], np.float32),
    np.array([1, 0, 1], np.uint8),
    np.array([[1.0, 2.0, 3.0, 4.0]], np.float32),
)


@pytest.fixture
def writer() -> Iterator[EyeWriter]:
    made = EyeWriter()
    yield made
    made.close()


def watching(writer: EyeWriter) -> tuple[EyesWatch, Attendance]:
    attendance = Attendance()
    made = EyesWatch(attendance, lambda utc_ns: utc_ns * 1e-6)
    made.follow(writer.about)
    return made, attendance


def told(watch: EyesWatch) -> dict[str, Any]:
    watch.look()
    (state,) = [state for state in watch.states() if state["kind"] == "vision"]
    return dict(state["sensors"])


def test_the_newest_answer_with_what_has_been_counted(writer: EyeWriter) -> None:
    watch, _ = watching(writer)
    writer.say(PoseFound("near", 1, 1.0, Doubt.NONE, 0.8, POSE, SIGMA), VisionState.TRACK, late_s=0.2)
    for number, doubt in ((2, Doubt.DARK), (3, Doubt.SUPPORT), (4, Doubt.DARK)):
        writer.say(PoseFound("near", number, float(number), doubt, 0.0), VisionState.LOST)
    near = told(watch)["near"]
    assert (near["number"], near["state"], near["doubt"], near["words"]) == (4, "LOST", "DARK", "nothing is lit")
    assert (near["accepted"], near["refused"]) == (1, {"DARK": 2, "SUPPORT": 1})
    assert near["trusted_at_ms"] == pytest.approx(writer.begun_ns * 1e-6 + 1000.0, abs=1e-3)
    assert near["distance_m"] is near["sigma_m"] is None


def test_what_a_pose_claims(writer: EyeWriter) -> None:
    watch, _ = watching(writer)
    writer.say(PoseFound("near", 1, 1.0, Doubt.NONE, 0.8, POSE, SIGMA), VisionState.TRACK)
    near = told(watch)["near"]
    claimed = near["distance_m"], near["sigma_m"], near["sigma_rad"], near["trust"]
    assert claimed == pytest.approx((5.0, 0.01, 0.003, 0.8))


def test_marks_say_of_which_picture_they_are(writer: EyeWriter) -> None:
    watch, attendance = watching(writer)
    assert writer.log.due("near", 1.0)
    writer.push(picture(7, 1.0, PIXELS))
    writer.say(PoseFound("near", 7, 1.0, Doubt.NONE, 0.8, POSE, SIGMA, MARKS), VisionState.TRACK, late_s=0.3)
    watch.look()
    marks = attendance.gallery.newest["near", "marks"].sight
    assert marks.facts["number"] == attendance.gallery.newest["near", "image"].sight.facts["number"] == 7
    shades = [tuple(round(255 * share) for share in colour) for colour in (EDGES, DOES_NOT, FITS)]
    layers = [(one["kind"], one["count"], tuple(one["colour"])) for one in marks.format["layers"]]
    assert layers == [
        (kind, n, shade) for kind, n, shade in zip(("lines", "points", "points"), (2, 1, 2), shades, strict=True)
    ]
    np.testing.assert_array_equal(np.frombuffer(marks.payload, "<f4"), [1, 2, 3, 4, 30, 40, 10, 20, 50, 60])


def test_marks_of_a_scan_are_points_of_it(writer: EyeWriter) -> None:
    watch, attendance = watching(writer)
    points = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], np.float32)
    marks = Marks(points, np.array([1, 0, 1], np.uint8), np.zeros((0, 4), np.float32))
    assert writer.log.due("scan", 1.0)
    writer.say(PoseFound("scan", 7, 1.0, Doubt.NONE, 0.8, POSE, SIGMA, marks), VisionState.TRACK)
    watch.look()
    seen = attendance.gallery.newest["scan", "marks"].sight
    assert [(one["kind"], one["count"]) for one in seen.format["layers"]] == [("cloud", 1), ("cloud", 2)]
    assert seen.facts["number"] == 7
    np.testing.assert_array_equal(np.frombuffer(seen.payload, "<f4"), [4, 5, 6, 1, 2, 3, 7, 8, 9])
    writer.ring.push([ViewerMessage(writer.channel("scan", MARKS_PART), 0, 0, b"\x08\x01")])
    watch.look()
    assert watch.malformed == 1


def test_pages_are_told_now_and_then_and_only_news(writer: EyeWriter) -> None:
    watch, attendance = watching(writer)
    anna = attendance.enter("Anna")
    watch.look()
    while anna.next():
        pass
    writer.say(PoseFound("near", 1, 1.0, Doubt.NONE, 0.8, POSE, SIGMA), VisionState.TRACK)
    heard = []
    for _ in range(3 * VISION_EVERY):
        watch.look()
        while (data := anna.next()) is not None:
            heard.append(data)
    assert len(heard) == 1 and b'"vision"' in heard[0]


@pytest.mark.parametrize("body", [b"\xff nonsense", b"", b"\x2a\x05MAYBE"])
def test_nonsense_is_counted_and_what_was_said_stays(writer: EyeWriter, body: bytes) -> None:
    watch, _ = watching(writer)
    writer.say(PoseFound("near", 1, 1.0, Doubt.NONE, 0.8, POSE, SIGMA), VisionState.TRACK)
    before = told(watch)
    writer.ring.push([ViewerMessage(writer.channel("near", FOUND_PART), 0, 0, body or b"\x08")])
    writer.ring.push([ViewerMessage(writer.channel("near", MARKS_PART), 0, 0, body or b"\x08")])
    assert told(watch) == before and watch.malformed == 2
