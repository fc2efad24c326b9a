"""The law of braking: a straight line in the space of axes, never steeper than any axis allows, ending where foretold."""

import math

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from proxops.core.messages import PERIOD_S
from proxops.safety.braking import braking_time, braking_way, hard_braking_time, hard_braking_way

QUIET = settings(max_examples=300, deadline=None, derandomize=True)
seconds = st.floats(1e-6, 100.0)
shares = st.floats(0.0, 1.0)


@given(seconds)
@QUIET
def test_the_ends(T: float) -> None:
    assert braking_way(0.0, T) == 0.0
    assert braking_way(T, T) == 0.5 * T
    assert braking_way(10 * T, T) == 0.5 * T


def test_at_rest_there_is_nothing_to_brake() -> None:
    assert braking_time(np.zeros(13), np.ones(13)) == 0.0
    assert braking_way(0.0, 0.0) == 0.0
    assert braking_way(0.004, 0.0) == 0.0


@given(seconds, shares, shares)
@QUIET
def test_never_backwards_and_never_beyond(T: float, s1: float, s2: float) -> None:
    early, late = sorted((s1 * T, s2 * T))
    assert 0.0 <= braking_way(early, T) <= braking_way(late, T) * (1 + 1e-15) + 1e-15 * T
    assert braking_way(late, T) <= 0.5 * T * (1 + 1e-15)


@given(st.floats(0.01, 100.0), st.floats(0.001, 0.999))
@QUIET
def test_speed_is_a_half_cosine(T: float, s: float) -> None:
    """Against finite differences of the way: v(t)/v0 = (1 + cos(pi t / T)) / 2."""
    t, h = s * T, 1e-6 * T
    speed = (braking_way(t + h, T) - braking_way(t - h, T)) / (2 * h)
    assert abs(speed - 0.5 * (1 + math.cos(math.pi * s))) < 1e-8


@given(seconds, st.floats(0.0, 0.999))
@QUIET
def test_hard_braking_ends_before_what_is_left_of_a_soft_brake(T: float, s: float) -> None:
    """From any moment of it, as a multiple of v0: the watchdog may begin its brake there and lengthens nothing."""
    # Rate of the soft brake at s T, and its limit.
    v, a = np.array([0.5 * (1 + math.cos(math.pi * s))]), np.array([0.5 * math.pi / T])
    left = braking_way(T, T) - braking_way(s * T, T)
    hard = hard_braking_time(v, a)
    assert v[0] * hard_braking_way(hard, hard) <= left * (1 + 1e-9) + 1e-12 * T
    steps = np.diff([v[0] * hard_braking_way(k * hard / 50, hard) for k in range(51)])
    assert (np.diff(steps) <= 1e-12 * T).all() and (
        np.abs(np.diff(steps)) <= a[0] * (hard / 50) ** 2 * (1 + 1e-6)
    ).all()


axes = st.lists(st.tuples(st.floats(-5.0, 5.0), st.floats(0.1, 10.0)), min_size=1, max_size=13)


@given(axes)
@QUIET
def test_no_axis_decelerates_harder_than_it_may(limits: list[tuple[float, float]]) -> None:
    """At every whole cycle, counting the step from the speed before: second differences of the set-points."""
    v, a = (np.array(column) for column in zip(*limits, strict=True))
    T = braking_time(v, a)
    cycles = math.ceil(T / PERIOD_S) + 2
    ways = np.array([-PERIOD_S, *(braking_way(k * PERIOD_S, T) for k in range(cycles + 1))])  # before: constant speed
    second = np.diff(ways, 2) / PERIOD_S**2
    rounding = 4 * np.finfo(float).eps * ways.max() * np.abs(v) / PERIOD_S**2  # of the differences taken here
    assert (np.abs(second[:, None] * v) <= a * (1 + 1e-9) + rounding).all()


@given(axes)
@QUIET
def test_the_slowest_axis_decides_and_is_used_to_the_full(limits: list[tuple[float, float]]) -> None:
    v, a = (np.array(column) for column in zip(*limits, strict=True))
    assume(np.abs(v).max() > 1e-6)
    T = braking_time(v, a)
    peak = 0.5 * math.pi * np.abs(v) / T
    assert (peak <= a * (1 + 1e-12)).all()
    assert (peak / a).max() > 1 - 1e-12  # a shorter time would break some axis' limit
