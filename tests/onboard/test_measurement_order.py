"""Poses of several sensors: each with its own covariance, in the order of their exposures, and none that is no measurement."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from approach_truth import PERIOD_S, Approach, Flight, board

from proxops.core.flight import Floats, Measurements, RelativeMeasurement
from proxops.core.sensor_table import Sensor
from proxops.onboard.image_measurements import ImageMeasurements
from proxops.onboard.navigation import Navigation

SENSOR = Sensor(delay_ms=0.0, jitter_ms=0.0, outlier_share=0.0, dropout_share=0.0)
ALIKE = (1.0, 3.0, 3.0, *(1.0,) * 6)
LATE_S = 1.0
CYCLES = 200


def told(seen: RelativeMeasurement, source: int) -> RelativeMeasurement:
    """As an image's: with a covariance of its own."""
    place_m, turn = (0.02, 0.01) if source == 1 else (0.05, 0.03)
    return replace(seen, source=source, covariance=np.diag([place_m**2] * 3 + [turn**2] * 3))


def flown(late: dict[int, int]) -> tuple[Navigation, Floats]:
    """Exposures in turn of source 1 and 2; that of cycle k comes ``late[source]`` cycles after it."""
    flight = Flight(Approach(3, range_m=12.0, sensor=SENSOR, duration_s=30.0))
    nav = Navigation(board(), SENSOR, images=ImageMeasurements(LATE_S, ALIKE, True, 0.0, 0.0))
    coming: dict[int, list[RelativeMeasurement]] = {}
    for k in range(CYCLES + 1):
        m = flight.measure(k)
        source = 1 + k % 2
        for seen in m.relative:
            coming.setdefault(k + late[source], []).append(told(seen, source))
        m = replace(m, relative=tuple(reversed(coming.pop(k, []))))
        nav.step(m, flight.acceleration(k))
    return nav, flight.error(CYCLES, nav.estimate)


def test_what_comes_late_is_put_in_its_place() -> None:
    """A filter that gets the last of both at the same moment has seen the same, in whatever order they came."""
    in_order, _ = flown({1: 9, 2: 9})
    late, error = flown({1: 1, 2: 9})
    assert late.late <= 5  # before there was a filter that could be taken back
    assert np.linalg.norm(error[:3]) < 0.02
    assert late.estimate.covariance[0, 0] <= in_order.estimate.covariance[0, 0]  # it knows some of source 1 besides


def test_it_begins_with_the_image_in_which_the_client_was_found_and_follows_to_now() -> None:
    """A whole image is searched for 8 s; those that waited then come two in a cycle, each at its own time."""
    flight = Flight(Approach(5, range_m=15.0, sensor=SENSOR, duration_s=30.0))
    knows = ImageMeasurements(8.5, (1.0, 100.0, *(1.0,) * 7), False, 0.0, 0.0)
    nav, waiting, first_rate = Navigation(board(), SENSOR, images=knows), list[RelativeMeasurement](), 0.0
    for k in range(130):
        m = flight.measure(k)
        waiting += [told(one, 1) for one in m.relative if k % 2 == 0]
        comes, waiting = (waiting[:2], waiting[2:]) if k >= 80 else ([], waiting)
        nav.step(replace(m, relative=tuple(comes)), flight.acceleration(k))
        if nav.ready and not first_rate:
            first_rate = float(nav.estimate.covariance[3, 3] ** 0.5)
    assert (nav.late, nav.refused, nav.restarts) == (0, 0, 0)
    assert first_rate > 0.1 and nav.estimate.covariance[3, 3] ** 0.5 < 0.02  # of images that err alike
    assert np.linalg.norm(flight.error(129, nav.estimate)[:3]) < 0.03


def test_a_prediction_that_goes_on_from_the_last_one_is_that_from_the_beginning() -> None:
    flight = Flight(Approach(6, range_m=12.0, sensor=SENSOR, duration_s=20.0))
    navs = [Navigation(board(), SENSOR, images=ImageMeasurements(6.0, ALIKE, False, 0.0, 0.0)) for _ in range(2)]
    for k in range(100):
        m = flight.measure(k)
        m = m if k < 50 else replace(m, relative=())
        for nav in navs:
            nav.step(m, flight.acceleration(k))
        if k >= 40:
            assert navs[0].estimate is not None  # asked in every cycle; the other in the last one alone
    one, other = (nav.estimate for nav in navs)
    np.testing.assert_allclose(other.position, one.position, atol=1e-9)
    np.testing.assert_allclose(other.covariance, one.covariance, rtol=1e-6, atol=1e-15)


def test_the_order_in_which_they_came_changes_nothing() -> None:
    flight = Flight(Approach(4, range_m=12.0, sensor=SENSOR, duration_s=20.0))
    navs = [Navigation(board(), SENSOR, images=ImageMeasurements(LATE_S, ALIKE, True, 0.0, 0.0)) for _ in range(2)]
    held: list[RelativeMeasurement] = []
    for k in range(121):
        m = flight.measure(k)
        seen = tuple(told(one, 1 + k % 2) for one in m.relative)
        navs[0].step(replace(m, relative=seen), flight.acceleration(k))
        held += [one for one in seen if one.source == 2]
        comes = [one for one in seen if one.source == 1]
        if k < 16 or k % 8 == 0:  # once it has begun, all of source 2 at once
            comes, held = [*comes, *reversed(held)], []
        navs[1].step(replace(m, relative=tuple(comes)), flight.acceleration(k))
    one, other = (nav.estimate for nav in navs)
    assert navs[1].late == 0
    np.testing.assert_allclose(other.position, one.position, atol=1e-9)
    np.testing.assert_allclose(other.covariance, one.covariance, rtol=1e-6, atol=1e-15)


def unseen_from(cycle: int, late: dict[int, int], until: int) -> tuple[Navigation, float]:
    """Both sources in every cycle, nothing from ``cycle`` on; ``late``: cycles of which it comes later. Error of the place, m."""
    flight = Flight(Approach(3, range_m=12.0, sensor=SENSOR, duration_s=30.0))
    nav = Navigation(board(), SENSOR, images=ImageMeasurements(LATE_S, ALIKE, True, 0.0, 0.0))
    coming: dict[int, tuple[RelativeMeasurement, ...]] = {}
    for k in range(until + 1):
        m = flight.measure(k)
        seen = tuple(told(one, source) for one in m.relative for source in (1, 2))
        if k < cycle or k in late:
            coming[late.get(k, k)] = seen
        nav.step(replace(m, relative=coming.pop(k, ())), flight.acceleration(k))
    return nav, float(np.linalg.norm(flight.error(until, nav.estimate)[:3]))


def test_what_comes_when_its_place_is_forgotten_moves_nothing() -> None:
    """The answer of a long search, when nobody has seen the client for a while: the filter has gone on, and cannot go back."""
    alone, error = unseen_from(150, {}, 200)
    late, with_late = unseen_from(150, {152: 200}, 200)
    assert (late.late, late.rejected) == (alone.late + 2, 2)
    assert with_late == error


def test_a_filter_that_has_gone_on_without_measurements_goes_back() -> None:
    """The base was moved past the exposure since, and the one before it is remembered still."""
    in_order, _ = unseen_from(150, {149: 149}, 165)
    late, _ = unseen_from(149, {149: 165}, 165)
    assert late.late == in_order.late and late.age_s == in_order.age_s
    np.testing.assert_allclose(late.estimate.position, in_order.estimate.position, atol=1e-9)
    np.testing.assert_allclose(late.estimate.covariance, in_order.estimate.covariance, rtol=1e-5, atol=1e-13)


@pytest.mark.parametrize(
    "covariance",
    [np.full((6, 6), np.nan), -np.eye(6), np.ones((6, 6)) - 2.0 * np.eye(6), np.eye(3), np.diag([np.inf] * 6)],
    ids=["NaN", "negative", "indefinite", "3 x 3", "infinite"],
)
def test_a_covariance_that_is_none_is_refused(covariance: Floats) -> None:
    nav = Navigation(board(), SENSOR)
    flight = Flight(Approach(5, sensor=SENSOR))
    m = flight.measure(0)
    nav.step(
        replace(m, relative=tuple(replace(one, covariance=covariance, source=1) for one in m.relative)), np.zeros(3)
    )
    assert (nav.refused, nav.ready) == (1, False)


def test_a_source_that_does_not_exist_is_refused() -> None:
    nav, flight = Navigation(board(), SENSOR), Flight(Approach(5, sensor=SENSOR))
    m: Measurements = flight.measure(0)
    nav.step(replace(m, relative=tuple(replace(one, source=9) for one in m.relative)), np.zeros(3))
    assert nav.refused == 1


def test_images_that_err_alike_count_less() -> None:
    """Thirty that err alike tell as much as one of them: the filter says so."""
    sigma = []
    for alike in (1.0, 30.0):
        flight = Flight(Approach(6, range_m=12.0, sensor=SENSOR, duration_s=20.0))
        nav = Navigation(board(), SENSOR, images=ImageMeasurements(0.0, (1.0, alike, *(1.0,) * 7), False, 0.0, 0.0))
        for k in range(round(15.0 / PERIOD_S)):
            m = flight.measure(k)
            nav.step(replace(m, relative=tuple(told(one, 1) for one in m.relative)), flight.acceleration(k))
        sigma.append(float(np.sqrt(nav.estimate.covariance[0, 0])))
    assert sigma[1] > 1.4 * sigma[0]  # biases and thrust are known no better by more images
