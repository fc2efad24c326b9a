"""Images in, poses out, in a mission's time: when a pose is there, what waits, what faults do, what a dead process does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from fake_vision import POSE, FakeLine, flown, line_of, picture, without_processes
from small_eyes import FLIGHT

from proxops import run
from proxops.applications.mission.vision.image_faults import spoiled
from proxops.applications.mission.vision.mission_vision import GIVEN_UP_S, MissionVision
from proxops.applications.mission.vision.order import VisionFailed
from proxops.applications.mission.vision.sensor_work import CAUGHT_UP_S
from proxops.applications.mission.vision.tally import VisionTally
from proxops.core.errors import BadInput
from proxops.core.flight import Telemetry
from proxops.core.images import DepthImage, PointScan
from proxops.core.vision import PoseFound, Processed
from proxops.core.vocabulary import AbortCause, Doubt, MissionPhase, VisionState
from proxops.core.wrong_pose import is_wrong
from proxops.ground.image_encoding import encode
from proxops.ground.recorded_vision import RecordedPose, recorded_poses
from proxops.runs.eyes import Eyes
from proxops.runs.image_orders import Drawn


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Callable[..., MissionVision]:
    monkeypatch.setattr(FakeLine, "dies_after", 10**9)
    return partial(without_processes, monkeypatch)


def test_a_pose_is_there_a_declared_time_after_its_image(made: Callable[..., MissionVision]) -> None:
    found = flown(made(), 60)
    late = [came - one.t for came, one in found if came > 4.0]
    np.testing.assert_allclose(late, 0.1, atol=1e-9)
    assert all(one.source == 1 and one.covariance is not None for _, one in found)


def test_after_a_search_the_client_is_followed_from_the_searched_image_to_now(
    made: Callable[..., MissionVision],
) -> None:
    """The whole picture takes 2 s. Those that came meanwhile wait, and are gone through in steps that can be followed."""
    vision = made()
    found = flown(vision, 60)
    first_came, first = found[0]
    assert (first_came, first.t) == (pytest.approx(2.0), 0.0)
    times = np.array([one.t for _, one in found])
    assert np.diff(times).max() <= CAUGHT_UP_S + 1e-9
    caught_up = next(came for came, one in found if came - one.t < 0.15)
    assert caught_up < 3.0
    asked = [sight.prediction is None for sight in line_of(vision).sights]
    assert asked == [True] + [False] * (len(asked) - 1)


def test_in_the_dark_it_is_lost_and_found_again_and_people_are_told(made: Callable[..., MissionVision]) -> None:
    vision, told = made(), list[str]()
    vision.tell_condition = lambda name, words: told.append(words)
    vision.fault_of = lambda t, sensor: "dark" if 3.95 < t < 4.95 else ""
    found = flown(vision, 100)
    assert not [one for _, one in found if 3.95 < one.t < 4.95]
    assert vision.unit.tracking[0].state is VisionState.TRACK
    assert [words.split(" at ")[0] for words in told] == [
        "eye: SEARCH → TRACK", "eye: TRACK → LOST: DARK", "eye: LOST → TRACK"
    ]  # fmt: skip


def told(phase: MissionPhase) -> Telemetry:
    return Telemetry(phase, AbortCause.NONE, 0, None, None, 0.0, 0, 0)


@pytest.mark.parametrize("lit", [True, False])
def test_a_craft_that_has_given_up_and_drifts_away_looks_for_a_lost_client_now_and_then(
    made: Callable[..., MissionVision], lit: bool
) -> None:
    vision = made()
    flown(vision, 40)
    vision.fault_of = lambda t, sensor: "" if lit else "dark"
    flown(vision, 40, first=40)
    vision.believe(8.0, told(MissionPhase.DRIFT))
    before = len(line_of(vision).sights)
    flown(vision, round(10.0 * 2.5 * GIVEN_UP_S), first=80)
    looked = len(line_of(vision).sights) - before
    assert looked > 1000 if lit else looked in (2, 3)  # who still follows it goes on


def test_a_frozen_image_is_noticed_at_once(made: Callable[..., MissionVision]) -> None:
    vision, heard = made(), list[Processed]()
    vision.listeners.append(lambda processed, t: heard.append(processed))
    vision.fault_of = lambda t, sensor: "frozen" if t > 3.95 else ""
    flown(vision, 60)
    frozen = [one for one in heard if one.found.t > 3.95]
    assert frozen and all(one.found.doubt is Doubt.FROZEN for one in frozen)
    assert frozen[0].found.number == 40


def test_ghosts_stand_beside_the_client_of_a_scan_and_in_its_place_in_a_depth_image() -> None:
    rng = np.random.default_rng(3)
    points = rng.normal([0.0, 0.0, 10.0], 0.5, (90, 3)).astype(np.float32)
    scan = PointScan("scan", 1, 0.0, points, np.full(90, 0.1, np.float32), np.linspace(0.0, 0.4, 90, dtype=np.float32))
    ghosted = spoiled(scan, {}, "ghosts")
    assert isinstance(ghosted, PointScan) and len(ghosted.points_m) == 120
    assert np.all(np.diff(ghosted.t_offset_s) >= 0.0)
    weak = ghosted.points_m[ghosted.intensity < 0.05]
    np.testing.assert_allclose(np.linalg.norm(weak, axis=1), np.linalg.norm(points[::3], axis=1) + 0.8, atol=1e-4)
    depth = DepthImage("tof", 1, 0.0, np.full((4, 6), 5.0, np.float32), np.ones((4, 6), np.uint16))
    late = spoiled(depth, {}, "ghosts")
    assert isinstance(late, DepthImage)
    np.testing.assert_allclose(late.range_m[0], [5.8, 5.0, 5.0, 5.8, 5.0, 5.0], rtol=1e-6)


def test_a_process_that_dies_ends_a_flight_in_lockstep(
    made: Callable[..., MissionVision], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeLine, "dies_after", 5)
    with pytest.raises(VisionFailed):
        flown(made(), 60)


def test_live_it_is_started_again_three_times(
    made: Callable[..., MissionVision], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeLine, "dies_after", 5)
    vision, told = made(waits=False, restarts=3), list[str]()
    vision.tell_condition = lambda name, words: told.append(name)
    with pytest.raises(VisionFailed):
        flown(vision, 60)
    assert told.count("vision_failed") == 3


def test_live_one_that_cannot_begin_again_is_told_as_one_that_has_ended(
    made: Callable[..., MissionVision], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A class whose constructor fails the second time, a computer that nobody reaches any more."""
    monkeypatch.setattr(FakeLine, "dies_after", 5)
    vision, told = made(waits=False, restarts=3), list[str]()
    vision.tell_condition = lambda name, words: told.append(words)

    def unready(self: FakeLine, *, block: bool) -> bool:
        raise BadInput("nobody answers", where="tcp://127.0.0.1:9")

    flown(vision, 5)
    monkeypatch.setattr(FakeLine, "ready", unready)
    with pytest.raises(VisionFailed, match="nobody answers"):
        flown(vision, 60, first=5)
    assert len([words for words in told if "nobody answers" in words]) >= 2


# ---------------------------------------------------------------------- the truth of images
def test_a_tally_counts_by_the_truth() -> None:
    tally = VisionTally()
    wrong = POSE + np.array([0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])  # 1.7 % of the range
    for number, (T, doubt) in enumerate([(POSE, Doubt.NONE), (wrong, Doubt.NONE), (wrong, Doubt.SUPPORT)]):
        image = picture(number)
        tally.know(Drawn(number, 0, image, encode(image), POSE))
        found = PoseFound("eye", number, image.t, doubt, 1.0, T, np.eye(6))
        tally.hear(Processed(found, VisionState.TRACK, False, 1), 0.0)
    assert (tally.accepted, tally.refused, tally.wrong) == (2, 1, 1)
    assert not is_wrong(POSE, POSE)


SCAN = """
[[sensor]]
kind = "lidar"
name = "scan"
lines = 60
points = 60
field_of_view_deg = [30.0, 30.0]
rate_hz = 4.0
[vision]
sensors = ["scan"]
pose_sensor = true
[scenery]
see = "orbit"
"""


def answers(folder: Path, name: str) -> list[RecordedPose]:
    (folder / "short.toml").write_text(FLIGHT + SCAN)
    run(folder / "short.toml", out=folder / name, hall=False, report=False)
    return list(recorded_poses(folder / name / "run.mcap", "scan"))


def test_an_estimator_gets_no_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same flight with another truth beside every image: the same answers to the bit."""
    honest = answers(tmp_path, "honest")
    look, lie = Eyes.look, np.array([9.0, 8.0, 7.0, 0.5, 0.5, 0.5, 0.5])
    monkeypatch.setattr(
        Eyes, "look", lambda self, *given: [replace(drawn, T_sensor_target=lie) for drawn in look(self, *given)]
    )
    lied_to = answers(tmp_path, "lied_to")
    assert any(one.trusted for one in honest)
    for one, other in zip(honest, lied_to, strict=True):
        assert other.truth is not None and one.truth is not None
        np.testing.assert_allclose(other.truth, lie, atol=1e-12)
        assert (one.number, one.doubt, one.trust) == (other.number, other.doubt, other.trust)
        if one.T_sensor_target is not None:
            np.testing.assert_array_equal(one.T_sensor_target, other.T_sensor_target)
            np.testing.assert_array_equal(one.covariance, other.covariance)
