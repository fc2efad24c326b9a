"""Motors that are late and ripple: the torque told n cycles ago to the bit, and one line of the spectrum at its place."""

import numpy as np
import pytest

from proxops.core.joint_table import JointsTable, MotorTable
from proxops.space.joint_motors import JointMotors


@pytest.mark.parametrize("delay", [0, 1, 4])
def test_torques_act_exactly_n_cycles_late(delay: int) -> None:
    motors = JointMotors(3, JointsTable(motor=MotorTable(delay_cycles=delay)))
    told = np.random.default_rng(1).normal(size=(20, 3))
    given = np.array([motors.give(row, np.zeros(3)).copy() for row in told])
    assert np.array_equal(given[delay:], told[: 20 - delay])
    assert not given[:delay].any()  # nothing has arrived yet


def test_ripple_has_its_amplitude_at_periods_times_rate_and_nothing_elsewhere() -> None:
    """A joint at π/8 rad/s with 200 periods a turn: 12.5 Hz. Over 16 s at 1 kHz that is a whole number of periods, so the line
    is one bin of the spectrum."""
    motors = JointMotors(1, JointsTable(motor=MotorTable(ripple_n_m=0.03, ripple_per_turn=200.0)))
    t = np.arange(16_000) / 1000.0
    given = np.array([motors.give(np.array([0.5]), np.array([np.pi / 8 * now]))[0] for now in t])
    line = 2.0 * np.abs(np.fft.rfft(given - 0.5)) / len(t)
    peak = int(np.argmax(line))
    assert np.fft.rfftfreq(len(t), 1e-3)[peak] == pytest.approx(12.5)
    assert line[peak] == pytest.approx(0.03, rel=1e-9)
    assert np.delete(line, peak).max() < 1e-12


def test_at_rest_ripple_is_a_constant_torque() -> None:
    motors = JointMotors(2, JointsTable(motor=MotorTable(delay_cycles=2, ripple_n_m=0.03, ripple_per_turn=8.0)))
    joints = np.array([np.pi / 16, 0.3])
    given = [motors.give(np.zeros(2), joints).copy() for _ in range(5)]
    assert given[0] == pytest.approx([0.03, 0.03 * np.sin(2.4)])
    assert all(np.array_equal(one, given[0]) for one in given)


def test_without_a_table_they_give_what_they_are_told() -> None:
    told = np.array([0.3, -0.1])
    for table in (None, JointsTable()):
        assert JointMotors(2, table).give(told, np.ones(2)) is told
