"""What the image processing of a craft knows: its own attitude at an image's time, which images are none, whose pose counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import proxops
from proxops.core.flight import Estimate, Floats, Measurements, onboard_data
from proxops.core.images import CameraImage, DepthImage, Image, PointScan
from proxops.core.imaging_table import CameraSensor
from proxops.core.mission import parse_mission
from proxops.core.vision import PoseFound
from proxops.core.vocabulary import Doubt, VisionState
from proxops.maths.rotation import quat_from_rotation_vector
from proxops.onboard.vision.prediction_width import searches
from proxops.onboard.vision.unit import LookedThrough, VisionUnit, at_time, broken

SOURCE = Path(proxops.__file__).parent / "missions" / "approach.toml"
LATE_S = 0.1
EYE = CameraSensor(kind="camera", name="eye")


def unit(source: int = 1) -> VisionUnit:
    data = onboard_data(parse_mission(SOURCE.read_text(), SOURCE).file)
    return VisionUnit(data, (LookedThrough(EYE, source, LATE_S),), lost_after=3)


def test_a_whole_image_is_searched_where_the_client_was_told_to_be_and_now_and_then_anywhere() -> None:
    data = onboard_data(parse_mission(SOURCE.read_text(), SOURCE).file)
    one = VisionUnit(data, (LookedThrough(EYE, 1, LATE_S),), lost_after=3, distance_m=20.0)
    asked = [one.prediction(0, picture(k)) for k in range(6)]
    assert [about is None for about in asked] == [False, False, True] * 2
    about = asked[0]
    assert about is not None and searches(about)
    assert 18.0 < np.linalg.norm(about.T_sensor_target[:3]) < 20.0  # the lens stands before the centre of mass
    one.search(0)  # an operator says where
    assert one.prediction(0, picture(9)) is None
    assert unit().prediction(0, picture(1)) is None
    nowhere = Estimate(np.full(3, 9.0), np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3), np.eye(12) * 1e6)
    one.believe(0.0, nowhere)  # once it has been found, what was told does not hold any more
    assert all(one.prediction(0, picture(k)) is None for k in range(10, 13))


def picture(number: int, fill: int = 3) -> CameraImage:
    pixels = np.zeros((4, 4), np.uint8)
    pixels[1, 2] = fill
    return CameraImage("eye", number, float(number), 1e-3, 0.0, 255, pixels)


def measured(t: float, w: Floats) -> Measurements:
    q = quat_from_rotation_vector(t * w)
    return Measurements(t, (), q, w, np.full(3, 7e6), np.zeros(3), np.zeros(0), np.zeros(0), 1.0)


def pose(t: float, doubt: Doubt = Doubt.NONE) -> PoseFound:
    return PoseFound("eye", int(t), t, doubt, 1.0, np.array([0.0, 0.0, 5.0, 1.0, 0.0, 0.0, 0.0]), np.eye(6) * 1e-4)


def test_the_own_attitude_is_turned_to_the_time_of_the_image() -> None:
    one, w = unit(), np.array([0.0, 0.02, 0.0])
    assert one.own_at(0.0) is None
    for k in range(5):
        one.note(measured(0.1 * k, w))
    one.note(replace(measured(0.5, w), q_eci_chaser=np.full(4, np.nan)))  # is left out
    known = one.own_at(0.23)
    assert known is not None
    np.testing.assert_allclose(known[0].q_eci_chaser, quat_from_rotation_vector(0.23 * w), atol=1e-12)


def test_the_same_image_again_and_an_older_one_are_none() -> None:
    one = unit()
    assert one.refusal(0, picture(1)) is None
    again = one.refusal(0, picture(2))
    assert again is not None and again.doubt is Doubt.FROZEN  # the first one that is
    old = one.refusal(0, picture(2, 9))
    assert old is not None and old.doubt is Doubt.STALE
    assert one.refusal(0, picture(3, 7)) is None


@pytest.mark.parametrize(
    "empty",
    [
        lambda k: replace(picture(k), pixels=np.zeros((4, 4), np.uint8)),
        lambda k: DepthImage("eye", k, float(k), np.full((3, 3), np.nan, np.float32), np.zeros((3, 3), np.uint16)),
        lambda k: PointScan("eye", k, float(k), np.zeros((0, 3), np.float32), np.zeros(0, np.float32), np.zeros(0, np.float32)),
    ],
    ids=["black", "nothing came back", "no points"],
)  # fmt: skip
def test_an_image_that_shows_nothing_is_not_frozen(empty: object) -> None:
    """It is the same every time, and is looked at: its doubt is another one."""
    one = unit()
    images: list[Image] = [empty(k) for k in (1, 2)]  # type: ignore[operator]
    assert [one.refusal(0, image) for image in images] == [None, None]


def test_images_of_a_hall_show_what_was_commanded_earlier() -> None:
    one = unit()
    one.handed_over_s = 10.0
    assert one.time_of(0, picture(9)) == 9.0
    assert one.time_of(0, picture(11)) == pytest.approx(11.0 - LATE_S)
    measurement = one.take(0, pose(11.0))
    assert measurement is not None and measurement.t == pytest.approx(11.0 - LATE_S)


def test_the_client_is_followed_once_images_of_now_show_it() -> None:
    one = unit()
    assert not one.follows(0.0)
    one.take(0, pose(1.0))
    assert one.follows(3.0) and not one.follows(10.0)  # found in an image that was searched for nine seconds
    one.take(0, pose(9.5))
    assert one.follows(10.0)
    compared = unit(source=0)
    compared.take(0, pose(9.5))
    assert not compared.follows(10.0)


def test_poses_before_the_filter_may_begin_only_tell_where_the_client_is() -> None:
    one = unit()
    one.measures_from_s = 2.0
    assert one.take(0, pose(1.0)) is None and one.tracking[0].state is VisionState.TRACK
    assert one.take(0, pose(3.0)) is not None


def test_the_part_of_a_picture_that_shows_the_client_is_where_it_is_followed() -> None:
    one, image = unit(), picture(2)
    assert one.part_with_client(0, image) is None
    at = replace(pose(1.0), T_sensor_target=np.array([1.0, 0.0, 10.0, 1.0, 0.0, 0.0, 0.0]), covariance=np.eye(6) * 1e-6)
    one.take(0, at)
    part = one.part_with_client(0, image)
    assert part is not None
    lens, (u, v) = EYE.lens, (319.5 + 100.0 * 0.7, 239.5)  # its mass centre is 0.3 m aside
    assert (part.left + part.right) / 2 == pytest.approx(u, abs=1.5) and (part.top + part.bottom) / 2 == pytest.approx(
        v, abs=1.5
    )
    assert part.right - part.left == pytest.approx(
        2.0 * lens.fx * 1.0 / 10.0, rel=0.5
    )  # a metre about it, and some doubt
    assert part.right - part.left > 200.0 and 0.0 < part.craft_px < (part.right - part.left) * (part.bottom - part.top)


def test_only_trusted_poses_of_sensors_that_count_are_measurements() -> None:
    assert unit().take(0, pose(1.0)) is not None
    assert unit().take(0, pose(1.0, Doubt.SUPPORT)) is None
    compared = unit(source=0)
    assert compared.take(0, pose(1.0)) is None
    assert compared.tracking[0].state is VisionState.TRACK  # it is followed all the same


def test_an_answer_is_that_to_its_image_whatever_it_says() -> None:
    image = picture(7)
    told = at_time(replace(pose(3.0), sensor="other"), image)
    assert (told.sensor, told.number, told.t) == ("eye", 7, 7.0)
    assert broken(image).doubt is Doubt.BROKEN and not broken(image).trusted
