"""Encoders with steps, and rates by differences of what they say: against closed forms."""

import math

import numpy as np
import pytest

from proxops.core.joint_table import EncoderTable, JointsTable
from proxops.onboard.joint_rates import JointRates, rates_by
from proxops.sensors.joint_encoders import JointEncoders

DT = 1e-3


def test_without_a_table_angles_are_exact_and_rates_need_no_differences() -> None:
    angles = np.random.default_rng(1).normal(size=7)
    assert np.array_equal(JointEncoders(None).reading(angles), angles)
    for table in (None, EncoderTable(rate="true")):
        assert np.array_equal(JointEncoders(JointsTable(encoder=table)).reading(angles), angles)
        assert rates_by(table, angles) is None


def test_an_encoder_rounds_to_its_step_and_its_error_is_uniform() -> None:
    """2π / 2^12: at most half a step off, mean square step² / 12 (21 000 angles: to 3 %, five standard deviations)."""
    step, true = 2.0 * math.pi / 4096, np.random.default_rng(3).uniform(-2.0, 2.0, 21_000)
    read = JointEncoders(JointsTable(encoder=EncoderTable(bits=12))).reading(true)
    assert read / step == pytest.approx(np.round(read / step), abs=1e-9)
    assert np.abs(read - true).max() <= 0.5 * step * (1 + 1e-9)
    assert np.mean((read - true) ** 2) == pytest.approx(step**2 / 12.0, rel=0.03)


def fed(table: EncoderTable, rate: float, cycles: int) -> np.ndarray:
    """Rates that flight software sees of a joint that turns evenly from 0.3 rad on."""
    encoders = JointEncoders(JointsTable(encoder=table))
    rates = rates_by(table, encoders.reading(np.array([0.3])))
    assert isinstance(rates, JointRates)
    return np.array([rates.step(encoders.reading(np.array([0.3 + i * DT * rate])), i * DT)[0] for i in range(cycles)])


def test_rates_by_differences_come_in_steps_and_are_right_on_average() -> None:
    """0.1 rad/s at 14 bits: 0 or step / dt = 0.383 rad/s, whose mean over N cycles is off by at most a step over N dt."""
    step, seen = 2.0 * math.pi / 2**14, fed(EncoderTable(bits=14), 0.1, 5001)
    assert seen[0] == 0.0  # one reading is no rate
    assert set(np.round(seen / (step / DT), 6)) == {0.0, 1.0}
    assert seen[1:].mean() == pytest.approx(0.1, abs=step / (5000 * DT))


def test_a_low_pass_settles_as_a_first_order_does() -> None:
    seen = fed(EncoderTable(cutoff_hz=20.0), 0.1, 60)
    assert seen == pytest.approx([0.1 * (1.0 - math.exp(-2.0 * math.pi * 20.0 * i * DT)) for i in range(60)])
