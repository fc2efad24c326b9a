"""Readings of joint angles: which are taken, which are refused, and in what words."""

import math

import numpy as np
import pytest

from proxops.safety.measured_joints import MARGIN, MeasuredJoints

SPEED = np.array([1.0, 2.0])


def joints() -> MeasuredJoints:
    return MeasuredJoints(("A1", "A2"), SPEED, 1e-4, 1.0, np.array([0.1, 0.2]))


def test_motion_at_full_speed_is_taken_for_as_long_as_it_likes() -> None:
    watch = joints()
    for k in range(1, 2001):
        assert watch.fault(np.array([0.1, 0.2]) + SPEED * k * 1e-3 + 5e-5 * (-1) ** k, 1.0 + k * 1e-3) == ""


def test_the_bound_is_speed_times_time_and_the_encoders_error() -> None:
    most = MARGIN * SPEED * 2e-3 + 1e-4
    assert joints().fault(np.array([0.1, 0.2]) - most * (1.0 - 1e-9), 1.002) == ""
    for joint in (0, 1):
        beyond = np.array([0.1, 0.2])
        beyond[joint] += most[joint] * (1.0 + 1e-6)
        told = joints().fault(beyond, 1.002)
        assert told.startswith(f"A{joint + 1}: measured angle jumps by")
        assert f"allowed {math.degrees(most[joint]):.4g}" in told


def test_a_reading_that_was_refused_is_no_measure_for_the_next() -> None:
    watch = joints()
    assert watch.fault(np.array([0.5, 0.2]), 1.001)
    assert watch.fault(np.array([0.5, 0.2]), 1.002)
    assert watch.fault(np.array([0.1, 0.2]), 1.003) == ""


@pytest.mark.parametrize(
    ("angles", "t", "words"),
    [
        ([0.1, math.nan], 1.001, "A2: measured angle is no number: nan (at 1.001 s)"),
        ([-math.inf, 0.2], 1.001, "A1: measured angle is no number: -inf (at 1.001 s)"),
        ([0.1, 0.2], math.nan, "time of the reading is no number: nan"),
        ([0.1, 0.2], math.inf, "time of the reading is no number: inf"),
        ([0.1, 0.2], 0.9999, "reading of 0.9999 s is older than the one before, of 1.0000 s"),
    ],
)
def test_what_is_no_reading_is_refused(angles: list[float], t: float, words: str) -> None:
    assert joints().fault(np.array(angles), t) == words


def test_the_first_reading_is_judged_too() -> None:
    assert joints().first_fault() == ""
    assert "A1" in MeasuredJoints(("A1",), SPEED[:1], 1e-4, 0.0, np.array([math.nan])).first_fault()
