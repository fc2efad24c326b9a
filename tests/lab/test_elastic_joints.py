"""Elastic gears: sag, swing and energy against closed forms, and what a load does to a rotor."""

import numpy as np
import pytest

from proxops.lab.elastic_joints import ElasticJoints, ElasticTraits

K, M, WEIGHT = 2500.0, 1.0, 50.0  # N m/rad, kg m2, N m: it swings at 50 rad/s
DT = 1e-3


def joint(damping: float = 0.0, rotor: float = 1e9, feedback_s: float = 5e-3) -> ElasticJoints:
    def links(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.eye(1) * M, np.array([WEIGHT])

    traits = ElasticTraits(np.array([K]), np.array([damping]), np.array([rotor]), feedback_s)
    return ElasticJoints(traits, np.zeros(1), links)


def test_at_rest_it_sags_under_its_weight_and_stays() -> None:
    found, rates = joint(), np.zeros(1)
    assert found.angles[0] == pytest.approx(-WEIGHT / K) and found.torque[0] == pytest.approx(WEIGHT)
    for _ in range(100):
        found.step(np.zeros(1), rates, DT)
    assert found.angles[0] == pytest.approx(-WEIGHT / K, abs=1e-12) and abs(rates[0]) < 1e-9


def test_it_swings_with_its_frequency_and_keeps_its_energy() -> None:
    found, rates, seen = joint(), np.zeros(1), []
    found.rates[0] = 0.1
    for _ in range(2000):
        found.step(np.zeros(1), rates, DT)
        away = found.angles[0] + WEIGHT / K
        seen.append((away, 0.5 * M * found.rates[0] ** 2 + 0.5 * K * away**2))
    away, energy = np.array(seen).T
    assert energy == pytest.approx(np.full(2000, 0.5 * M * 0.01), rel=1e-9)
    crossings = np.flatnonzero(np.diff(np.sign(away)) > 0)
    period = np.diff(crossings).mean() * DT
    # The midpoint rule turns by 2 atan(w dt / 2) in a step.
    assert period == pytest.approx(np.pi * DT / np.arctan(0.5 * 50.0 * DT), rel=2e-3)


def test_damping_takes_the_swing_away_as_it_says() -> None:
    found, rates = joint(damping=5.0), np.zeros(1)  # a twentieth of critical: exp(-2.5 t)
    found.rates[0] = 0.1
    for _ in range(1000):
        found.step(np.zeros(1), rates, DT)
    energy = 0.5 * M * found.rates[0] ** 2 + 0.5 * K * (found.angles[0] + WEIGHT / K) ** 2
    assert energy == pytest.approx(0.5 * M * 0.01 * np.exp(-5.0), rel=0.1)


def test_a_load_turns_its_rotor_until_the_drive_has_taken_it_up() -> None:
    """A jump of the torque by T gives a rotor of inertia B the rate T feedback / B, within a cycle or so."""
    found, rates = joint(rotor=3.0, feedback_s=5e-3), np.zeros(1)
    motors = np.array([0.01])  # held 0.01 rad ahead: 25 N m more
    found.step(motors, rates, DT)
    assert rates[0] == pytest.approx(-DT * (found.torque[0] - WEIGHT) / 3.0, rel=1e-9) and rates[0] < -0.005
    heavy, still = joint(rotor=3e3), np.zeros(1)
    heavy.step(motors, still, DT)
    assert abs(still[0]) < 1e-2 * abs(rates[0])
