"""An operator points into a picture: the next image is searched there, and what becomes of it is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import nan
from pathlib import Path

import numpy as np
import pytest
from fake_vision import flown, line_of, without_processes
from small_eyes import EYES, FLIGHT

from proxops import run
from proxops.applications.mission.report.mission_run import mission_run
from proxops.applications.mission.report.vision_designations import designation_rows
from proxops.applications.mission.vision.designations import LAPSES_S
from proxops.applications.mission.vision.mission_vision import MissionVision
from proxops.core.designation import Designation
from proxops.core.errors import BadInput
from proxops.core.flight import Measurements
from proxops.core.lens import Lens
from proxops.core.mission import parse_mission
from proxops.core.vision_table import Designate
from proxops.core.vocabulary import Severity, VisionState
from proxops.ground.log import Log
from proxops.onboard.vision.designated_place import carried_over

WORD = Designation("eye", 400.0, 200.0, 30.0, by="Anna")
Made = Callable[..., MissionVision]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    return partial(without_processes, monkeypatch)


def telling(vision: MissionVision) -> list[tuple[str, str]]:
    told = list[tuple[str, str]]()
    vision.tell_condition = lambda name, words: told.append((name, words))
    return told


def test_while_it_tracks_a_word_makes_it_search_there_once(made: Made) -> None:
    vision = made()
    flown(vision, 50)
    told, before = telling(vision), len(line_of(vision).sights)
    assert vision.unit.tracking[0].state is VisionState.TRACK
    vision.designations.hear(WORD)
    flown(vision, 40, 50)
    first, *others = line_of(vision).sights[before:]
    assert first.prediction is None and first.designated == (400.0, 200.0, 30.0)
    assert all(sight.designated is None and sight.prediction is not None for sight in others)
    assert [name for name, _ in told[:2]] == ["operator.designate", "designated"]
    assert told[0][1] == "eye: the target is within 30 px of (400, 200) in image 49, says Anna"
    assert told[1][1] == f"eye: image {first.image.number} was searched there: found, trust 0.90"


def test_a_scenario_says_it_at_a_time(made: Made) -> None:
    said = Designate(at_s=4.0, sensor="eye", right_px=10.0, down_px=20.0, radius_px=5.0)
    vision = made(designate=(said,))
    flown(vision, 80)
    (sight,) = [sight for sight in line_of(vision).sights if sight.designated]
    assert sight.designated == (10.0, 20.0, 5.0) and 4.0 <= sight.image.t <= 4.2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"right_px": nan}, "right_px"),
        ({"down_px": 480.0}, "down_px"),
        ({"right_px": -1.0}, "right_px"),
        ({"radius_px": 0.0}, "radius_px"),
        ({"radius_px": float("inf")}, "radius_px"),
        ({"sensor": "nose"}, "no such sensor"),
        ({"number": 7}, "too old, or never came"),
        ({"number": 10**9}, "too old, or never came"),
        ({"number": -1}, "no such image"),
    ],
)
def test_a_word_that_cannot_be_meant_is_refused_and_changes_nothing(
    made: Made, change: dict[str, object], words: str
) -> None:
    vision = made()
    flown(vision, 300)
    told, before = telling(vision), len(line_of(vision).sights)
    vision.designations.hear(replace(WORD, **change))  # type: ignore[arg-type]
    flown(vision, 10, 300)
    ((name, said),) = told
    assert name == "refused.designate" and words in said
    assert all(sight.designated is None for sight in line_of(vision).sights[before:])


def test_before_an_image_has_come_there_is_nothing_to_point_into(made: Made) -> None:
    vision = made()
    told = telling(vision)
    vision.designations.hear(WORD)
    assert told == [("refused.designate", "designate: no image has come yet; got eye")]


def test_a_word_lapses(made: Made) -> None:
    """No image comes for long: what was true then is not any more."""
    vision = made()
    flown(vision, 50)
    told, before = telling(vision), len(line_of(vision).sights)
    vision.designations.hear(WORD)
    flown(vision, 5, 50 + round(LAPSES_S / 0.1))
    assert "has lapsed: too old by now" in told[1][1]
    assert all(sight.designated is None for sight in line_of(vision).sights[before:])


def test_the_chasers_turning_carries_it_on(made: Made) -> None:
    """1 deg about the sensor's down axis to its right: what is seen goes to the left by 17.5 px of 1000 px focal length."""
    vision, turn = made(), np.radians(1.0)
    flown(vision, 50)
    q = np.array([np.cos(0.5 * turn), 0.0, 0.0, np.sin(0.5 * turn)])
    for t, attitude in ((4.9, np.array([1.0, 0.0, 0.0, 0.0])), (5.0, q)):
        still = np.zeros(3)
        vision.note(Measurements(t, (), attitude, still, still, still, still, still, 0.0))
    vision.designations.hear(replace(WORD, right_px=319.5, down_px=239.5))
    before = len(line_of(vision).sights)
    flown(vision, 3, 50)
    at = line_of(vision).sights[before].designated
    assert at is not None
    assert at[0] == pytest.approx(319.5 - 1000.0 * np.tan(turn), abs=0.01)
    assert at[1] == pytest.approx(239.5, abs=0.01)


def test_a_bent_lens_carries_it_there_and_back() -> None:
    lens, c, s = Lens(640, 480, 515.0, 515.0, 319.5, 239.5, (-0.15, 0.05, 0.001, 0.0, 0.0)), np.cos(0.1), np.sin(0.1)
    R = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    there = carried_over(lens, (100.0, 60.0), R)
    assert there is not None and there[0] > 140.0
    assert carried_over(lens, there, R.T) == pytest.approx((100.0, 60.0), abs=1e-6)
    assert carried_over(lens, (100.0, 60.0), np.diag([-1.0, 1.0, -1.0])) is None


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ('sensor = "eye", right_px = 96.0, down_px = 3.0', "right_px"),
        ('sensor = "scan", right_px = 6.0, down_px = 3.0', "no picture"),
        ('sensor = "nose", right_px = 6.0, down_px = 3.0', "no such sensor"),
    ],
)
def test_a_scenario_that_cannot_mean_it_is_refused(said: str, words: str) -> None:
    text = f'{FLIGHT}{EYES}[vision]\nsensors = ["eye", "scan"]\ndesignate = [{{ at_s = 1.0, {said} }}]\n'
    with pytest.raises(BadInput, match=words):
        parse_mission(text, Path("short.toml"))


def test_who_flies_is_not_told_what_will_be_said() -> None:
    said = 'designate = [{ at_s = 1.0, sensor = "eye", right_px = 6.0, down_px = 3.0 }]'
    file = parse_mission(f'{FLIGHT}{EYES}[vision]\nsensors = ["eye"]\n{said}\n', Path("short.toml")).file
    assert file.vision.designate and not file.as_known_on_board(False).vision.designate


FLOWN = """
[[sensor]]
kind = "tof"
name = "depth"
width = 64
height = 64
rate_hz = 4.0
log_hz = 4.0
[scenery]
see = "orbit"
[vision]
sensors = ["depth"]
pose_sensor = true
scan_search_s = 0.5
designate = [
    { at_s = 0.0, sensor = "depth", right_px = 32.0, down_px = 32.0 },
    { at_s = 1.5, sensor = "depth", right_px = 32.0, down_px = 32.0, radius_px = 9.0 },
]
"""


def test_a_flight_in_lockstep_tells_of_it_in_its_log_and_report(tmp_path: Path) -> None:
    (tmp_path / "short.toml").write_text(FLIGHT + FLOWN)
    run(tmp_path / "short.toml", out=tmp_path / "flown", hall=False, report=False)
    log = Log.open(tmp_path / "flown" / "run.mcap")
    flown = mission_run(log)
    assert flown is not None
    refused, said, came = designation_rows(flown)
    assert refused == ("0.0", "refused: designate: no image has come yet; got depth")
    assert said[1].startswith("depth: the target is within 9 px of (32, 32) in image ") and float(said[0]) >= 1.5
    assert "was searched there" in came[1] and 0.5 <= float(came[0]) - float(said[0]) <= 1.1
    levels = {bytes(event["name"]): int(event["severity"]) for event in log.events}
    assert (levels[b"operator.designate"], levels[b"refused.designate"]) == (Severity.INFO, Severity.WARNING)
