"""The ring of images at the console: drained, understood or passed over, kept to the newest, and told when it ends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from eye_writer import SENSORS, EyeWriter, depth, picture, scan

from proxops.console.attendance import Attendance
from proxops.console.eyes_watch import CLOSED, NO_RING, EyesWatch
from proxops.console.viewer import Viewer
from proxops.ground.eyes_about import EyesAbout
from proxops.ground.sensor_log import FACTS_PART
from proxops.ground.viewer_message import ViewerMessage

PIXELS = np.full((480, 640), 9, np.uint8)


@pytest.fixture
def writer() -> Iterator[EyeWriter]:
    made = EyeWriter()
    yield made
    made.close()


@pytest.fixture
def attendance() -> Attendance:
    return Attendance()


def watching(attendance: Attendance, about: EyesAbout | None) -> EyesWatch:
    made = EyesWatch(attendance, lambda utc_ns: utc_ns * 1e-6)
    made.follow(about)
    return made


def heads(viewer: Viewer) -> list[dict[str, Any]]:
    """Of all that goes out to a page that takes everything at once."""
    out = []
    while (data := viewer.next()) is not None:
        if data[0] == 3:
            out.append(json.loads(data[8 : 8 + int.from_bytes(data[4:8], "little")]))
            viewer.sighted(out[-1]["serial"])
            viewer.looking._free_at = 0.0  # a line that takes no time
    return out


def test_what_sensors_see_reaches_who_looks(writer: EyeWriter, attendance: Attendance) -> None:
    watch, anna, ben = watching(attendance, writer.about), attendance.enter("Anna"), attendance.enter("Ben")
    anna.look_at({"near": 10.0, "tof": 10.0, "scan": 10.0})
    writer.push(picture(4, 1.0, PIXELS), depth(5, 1.0, np.ones((200, 200), np.float32)), late_s=0.25)
    writer.push(scan(6, 2.0, np.ones((10, 3), np.float32)))
    watch.look()
    seen = {(head["sensor"], head["what"]): head for head in heads(anna)}
    assert {key: head["number"] for key, head in seen.items()} == {
        ("near", "image"): 4, ("tof", "depth"): 5, ("tof", "intensity"): 5, ("scan", "points"): 6
    }  # fmt: skip
    near = seen["near", "image"]
    assert (near["exposure_s"], near["gain_db"], near["white"], near["same"]) == (0.012, 6.0, 255, 0)
    assert near["at_ms"] == pytest.approx(writer.begun_ns * 1e-6 + 1000.0, abs=1e-3)  # of its exposure, not its arrival
    assert heads(ben) == []
    assert (writer.ring.ring.tail, writer.ring.ring.lost, watch.malformed) == (0, 0, 0)


def test_only_the_newest_is_kept_and_whoever_hangs_holds_up_nobody(writer: EyeWriter, attendance: Attendance) -> None:
    watch, slow, quick = watching(attendance, writer.about), attendance.enter("slow"), attendance.enter("quick")
    numbers = []
    for number in range(30):
        for viewer in (slow, quick):
            viewer.look_at({"near": 10.0})
        writer.push(picture(number, number / 10, PIXELS))
        watch.look()
        slow.next()  # and never a word that it was seen
        quick.looking._had.clear()  # its turn has come
        numbers += [head["number"] for head in heads(quick)]
    assert numbers == list(range(30))
    assert list(attendance.gallery.newest) == [("near", "image")]


def test_who_looks_is_woken(writer: EyeWriter, attendance: Attendance) -> None:
    watch, anna, ben = watching(attendance, writer.about), attendance.enter("Anna"), attendance.enter("Ben")
    anna.look_at({"near": 10.0})
    for viewer in (anna, ben):
        heads(viewer)
        viewer.wake.clear()
    watch.look()
    assert not anna.wake.is_set()
    writer.push(picture(1, 0.0, PIXELS))
    watch.look()
    assert anna.wake.is_set() and not ben.wake.is_set()


def test_messages_of_nonsense_are_counted_and_what_was_seen_stays(writer: EyeWriter, attendance: Attendance) -> None:
    watch = watching(attendance, writer.about)
    writer.push(picture(1, 0.0, PIXELS))
    image, facts = writer.channel("near", "image"), writer.channel("near", FACTS_PART)
    writer.ring.push([ViewerMessage(channel, 0, 0, b"\xff nonsense") for channel in (image, facts, 9, 12, -4, 2**30)])
    watch.look()
    assert watch.malformed == 2  # the others are nobody's, or not for viewers
    assert attendance.gallery.newest["near", "image"].sight.facts["number"] == 1


def test_the_end_of_the_ring_is_told_and_the_last_image_stays(writer: EyeWriter, attendance: Attendance) -> None:
    watch, anna = watching(attendance, writer.about), attendance.enter("Anna")
    writer.push(picture(1, 0.0, PIXELS))
    writer.close()
    watch.look()
    state, _ = watch.states()
    assert state["trouble"] == CLOSED and len(state["sensors"]) == len(SENSORS)
    anna.look_at({"near": 1.0})
    watch.look()
    assert [head["number"] for head in heads(anna)] == [1]


def test_a_ring_that_was_abandoned_is_told(writer: EyeWriter, attendance: Attendance) -> None:
    watch = watching(attendance, EyesAbout(Path("/nowhere/ring"), writer.about.sensors))
    watch.look()
    state, _ = watch.states()
    assert state["trouble"].startswith(NO_RING) and state["sensors"][0]["shows"] == ["image"]


def test_a_facility_without_sensors_says_nothing(attendance: Attendance) -> None:
    anna = attendance.enter("Anna")
    while anna.next():
        pass
    watch = watching(attendance, None)
    watch.heed({})
    watch.heed({"eyes": None})
    watch.look()
    assert watch.states() == [] and anna.next() is None


def test_sensors_may_change_while_the_facility_runs(writer: EyeWriter, attendance: Attendance) -> None:
    watch, other = watching(attendance, writer.about), EyeWriter()
    try:
        writer.push(picture(1, 0.0, PIXELS))
        watch.look()
        watch.heed({"eyes": other.about.plain()})
        assert attendance.gallery.newest == {}
        other.push(picture(2, 0.0, PIXELS))
        watch.look()
        assert attendance.gallery.newest["near", "image"].sight.facts["number"] == 2
        watch.heed({"eyes": {"ring": 7}})
        (state,) = watch.states()
        assert "cannot be understood" in state["trouble"] and state["sensors"] == []
        watch.heed({"eyes": writer.about.plain()})
        assert [state.get("trouble", "") for state in watch.states()] == ["", ""]
        watch.heed({"eyes": None})
        assert watch.states() == [] and attendance.gallery.newest == {}
    finally:
        other.close()
