"""Ticks stand at round numbers, are as many as there is room for, and say no more digits than they need."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proxops.ground.panels.axis import Axis
from proxops.ground.panels.ticks import linear_ticks, log_ticks


@pytest.mark.parametrize(
    ("low", "high", "most", "words"),
    (
        (0.0, 1.0, 5, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (-1.2, 1.2, 5, ["−1.0", "−0.5", "0.0", "0.5", "1.0"]),
        (0.0, 1100.0, 5, ["0", "250", "500", "750", "1000"]),
        (0.0, 0.11, 5, ["0.000", "0.025", "0.050", "0.075", "0.100"]),
        (-3e-6, 3e-6, 3, ["−2e−06", "0", "2e−06"]),
    ),
)
def test_words_are_round_and_short(low: float, high: float, most: int, words: list[str]) -> None:
    assert linear_ticks(low, high, most).words == words


def test_there_are_never_too_many_and_all_are_inside() -> None:
    rng = np.random.default_rng(3)
    for _ in range(500):
        low, size = rng.normal() * 10.0 ** rng.integers(-6, 7), 10.0 ** rng.uniform(-6.0, 7.0)
        most = int(rng.integers(1, 12))
        places = linear_ticks(low, low + size, most).places
        assert len(places) <= most + 1
        assert all(low - 1e-9 * size <= place <= low + (1.0 + 1e-9) * size for place in places)


def test_an_end_belongs_to_the_axis_and_minus_nought_is_nought() -> None:
    assert linear_ticks(0.1, 0.3, 2).places == pytest.approx([0.1, 0.2, 0.3])
    assert linear_ticks(-1.0, 1.0, 2).words == ["−1", "0", "1"]


def test_an_axis_that_points_down_has_the_same_ticks() -> None:
    assert linear_ticks(5.0, 0.0, 5) == linear_ticks(0.0, 5.0, 5)


def test_whole_numbers_only() -> None:
    assert linear_ticks(0.0, 3.2, 9, whole=True).words == ["0", "1", "2", "3"]


@pytest.mark.parametrize(("low", "high"), ((1.0, 1.0), (0.0, math.inf), (math.nan, 1.0)))
def test_no_span_no_ticks(low: float, high: float) -> None:
    assert linear_ticks(low, high, 5).places == []


def test_powers_of_ten_with_marks_between_them() -> None:
    ticks = log_ticks(0.01, 10.0, 9)
    assert ticks.words == ["0.01", "0.1", "1", "10"]
    assert len(ticks.between) == 24
    assert log_ticks(1e-16, 1e-4, 5).words == ["1e−15", "1e−12", "1e−09", "1e−06"]


def test_less_than_a_decade_still_says_where_it_is() -> None:
    assert log_ticks(1.5, 8.0, 9).words == ["2", "5"]
    assert log_ticks(-1.0, 10.0, 9).places == []


def test_an_axis_takes_what_is_drawn_with_some_air() -> None:
    axis = Axis()
    axis.add(np.array([1.0, math.nan, 3.0, math.inf]))
    assert axis.range == pytest.approx((0.9, 3.1))
    axis.reach(low=0.0)
    assert axis.range == pytest.approx((0.0, 3.1))
    assert Axis().range[0] < Axis().range[1]


def test_a_logarithmic_axis_leaves_out_what_has_no_logarithm() -> None:
    axis = Axis(log=True)
    axis.add(np.array([-5.0, 0.0, 0.02, 30.0]))
    axis.in_decades()
    assert axis.range == pytest.approx((0.01, 100.0))
    shares = axis.shares(np.array([0.01, 1.0, 100.0, 0.0, math.inf]))
    assert shares[:3] == pytest.approx([0.0, 0.5, 1.0])
    assert shares[3] < 0.0 and shares[4] == 1.0
