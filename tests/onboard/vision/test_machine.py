"""SEARCH, TRACK, LOST: every state with every answer; what an image is compared with in each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from proxops.core.flight import Floats
from proxops.core.vision import PoseFound, PosePrediction
from proxops.core.vocabulary import Doubt, VisionState
from proxops.onboard.vision.machine import FRESH_S, GIVEN_UP, NEXT, Tracking, after, asked_with, designated

LOST_AFTER = 3
SEEN = np.array([0.0, 0.0, 10.0, 1.0, 0.0, 0.0, 0.0])


def found(t: float, doubt: Doubt = Doubt.NONE, T: Floats = SEEN) -> PoseFound:
    return PoseFound("eye", round(10 * t), t, doubt, 0.9, T, np.diag([1e-4] * 3 + [1e-5] * 3))


def belief(off_m: float = 0.0, sigma_m: float = 0.05) -> PosePrediction:
    T = SEEN.copy()
    T[0] += off_m
    return PosePrediction(T, np.diag([sigma_m**2] * 3 + [1e-4] * 3), np.zeros(6))


def tracking(*times: float) -> Tracking:
    now = Tracking()
    for t in times:
        now = after(now, found(t), LOST_AFTER)
    return now


@pytest.mark.parametrize("missed", range(LOST_AFTER + 1))
@pytest.mark.parametrize("trusted", [True, False])
@pytest.mark.parametrize("state", VisionState)
def test_every_state_with_every_answer(state: VisionState, trusted: bool, missed: int) -> None:
    now = replace(tracking(1.0), state=state, missed=missed)
    then = after(now, found(2.0, Doubt.NONE if trusted else Doubt.SUPPORT), LOST_AFTER)
    if trusted:
        assert then.state is VisionState.TRACK and then.missed == 0 and then.doubt is Doubt.NONE
    else:
        lost = state is VisionState.TRACK and missed + 1 >= LOST_AFTER
        assert then.state is (VisionState.LOST if lost else state)
        assert then.doubt is Doubt.SUPPORT and then.missed == missed + 1
    words = ("found", "missed", "contradicted", "designated")
    assert set(NEXT) <= {(one, word) for one in VisionState for word in words}


@pytest.mark.parametrize("state", VisionState)
def test_where_an_operator_points_is_searched_whatever_is_believed(state: VisionState) -> None:
    then = designated(replace(tracking(1.0), state=state, missed=3))
    assert then.state is VisionState.SEARCH and then.last is None
    assert asked_with(then, 1.1, belief(), LOST_AFTER) is None


def test_who_knows_nothing_searches_the_whole_image() -> None:
    assert asked_with(Tracking(), 0.0, None, LOST_AFTER) is None


def test_in_a_search_images_are_looked_at_in_turn_as_a_whole_and_where_the_filter_believes_the_client() -> None:
    now, asked = Tracking(), []
    for k in range(4):
        asked.append(asked_with(now, 0.1 * k, belief(), LOST_AFTER) is None)
        now = after(now, found(0.1 * k, Doubt.NOT_FOUND), LOST_AFTER)
    assert asked == [True, False, True, False]


def test_what_the_filter_believes_is_followed() -> None:
    asked = asked_with(tracking(1.0, 1.5), 2.0, belief(0.1), LOST_AFTER)
    assert asked is not None and asked.T_sensor_target[0] == 0.1


def test_a_track_that_the_filter_goes_on_contradicting_is_given_up_for_what_it_believes() -> None:
    """Another sensor keeps the filter where it is: one of two sides that look alike is followed."""
    now, turned = tracking(1.0), replace(belief(), T_sensor_target=np.array([0.0, 0.0, 10.0, 0.0, 0.0, 0.0, 1.0]))
    for k in range(GIVEN_UP - 1):
        now = after(now, found(1.1 + 0.1 * k), LOST_AFTER, turned)
        assert now.state is VisionState.TRACK
    once_right = after(now, found(4.0), LOST_AFTER, belief())
    assert once_right.contradicted == 0
    now = after(now, found(4.0), LOST_AFTER, turned)
    assert now.state is VisionState.LOST and now.doubt is Doubt.FAR_OFF
    asked = asked_with(now, 4.1, turned, LOST_AFTER)
    assert asked is not None and asked.T_sensor_target[6] == 1.0


def test_a_filter_that_knows_less_than_would_spare_a_search_is_not_asked_while_the_client_is_followed() -> None:
    """It has just begun from images that waited while the client was searched for."""
    asked = asked_with(tracking(1.0, 1.5), 2.0, belief(0.1, sigma_m=0.6), LOST_AFTER)
    assert asked is not None and asked.T_sensor_target[0] == 0.0


def test_images_that_contradict_the_filter_are_followed_by_themselves() -> None:
    """A filter that was led astray must not lead the images astray."""
    asked = asked_with(tracking(1.0, 1.5), 2.0, belief(1.0), LOST_AFTER)
    assert asked is not None and asked.T_sensor_target[0] == 0.0


def test_where_the_belief_has_failed_the_next_image_is_compared_with_those_before() -> None:
    """0.2 m off, and too wide to be contradicted by that: pushed aside while nothing was seen, and found again."""
    wide = belief(0.2, sigma_m=0.1)
    now = tracking(1.0, 1.5)
    assert asked_with(now, 2.0, wide, LOST_AFTER) is wide
    asked = asked_with(after(now, found(2.0, Doubt.SUPPORT), LOST_AFTER), 2.5, wide, LOST_AFTER)
    assert asked is not None and asked.T_sensor_target[0] == 0.0


def test_without_a_filter_the_motion_between_two_images_goes_on() -> None:
    moved = SEEN.copy()
    moved[2] = 9.9
    now = after(tracking(1.0), found(2.0, T=moved), LOST_AFTER)
    asked = asked_with(now, 3.0, None, LOST_AFTER)
    assert asked is not None and asked.T_sensor_target[2] == pytest.approx(9.8)
    assert asked_with(now, 2.0 + FRESH_S + 0.1, None, LOST_AFTER) is None  # too long ago


def test_a_filter_that_knows_nothing_is_not_asked() -> None:
    assert asked_with(Tracking(), 1.0, belief(sigma_m=5.0), LOST_AFTER) is None
    wrong = replace(belief(), T_sensor_target=np.full(7, np.nan))
    assert asked_with(Tracking(missed=1), 1.0, wrong, LOST_AFTER) is None


def test_who_is_lost_is_looked_for_where_the_filter_believes_him_and_now_and_then_everywhere() -> None:
    now, asked = tracking(0.0), []
    for k in range(1, 20):
        asked.append(asked_with(now, 10.0 + k, belief(), LOST_AFTER) is None)
        now = after(now, found(10.0 + k, Doubt.DARK), LOST_AFTER)
    assert now.state is VisionState.LOST
    assert not any(asked[:LOST_AFTER])
    assert 2 <= sum(asked) <= 4
