"""The chaser's own attitude: better than the star tracker, free of the gyro's bias, honest about its error, robust to gaps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proxops.core.flight import Floats
from proxops.core.sensor_table import Avionics
from proxops.maths.quaternion import quat_inverse, quat_product, rotation_vector
from proxops.maths.rotation import quat_from_rotation_vector
from proxops.onboard.attitude_filter import ARCSEC, DEG_PER_H, AttitudeFilter
from proxops.sensors.avionics import AvionicsSuite

NO_BIAS = Avionics(star_tracker_bias_arcsec=0.0, gyro_bias_deg_h=30.0)
SOMEWHERE = (np.array([7e6, 0.0, 0.0]), np.zeros(3))


def attitude(t: float) -> Floats:
    return quat_from_rotation_vector(np.array([0.3 * math.sin(0.05 * t), 0.02 * t, 0.2 * math.cos(0.07 * t)]))


def rate(t: float) -> Floats:
    w = np.empty(3)
    rotation_vector(quat_product(quat_inverse(attitude(t - 1e-3)), attitude(t + 1e-3)), w)
    return w / 2e-3


def errors(seed: int, spec: Avionics, cycles: int, blind: range = range(0)) -> tuple[Floats, Floats, AttitudeFilter]:
    """Attitude and rate errors of every cycle at 10 Hz."""
    suite, one = AvionicsSuite(spec, np.random.default_rng(seed)), AttitudeFilter(spec)
    turn, spin = np.empty((cycles, 3)), np.empty((cycles, 3))
    for k in range(cycles):
        t = 0.1 * k
        q, w, _, _ = suite.read(attitude(t), rate(t), *SOMEWHERE)
        one.step(t, np.full(4, np.nan) if k in blind else q, w)
        rotation_vector(quat_product(quat_inverse(attitude(t)), one.q_eci_chaser), turn[k])
        spin[k] = one.w_eci_chaser - rate(t)
    return turn, spin, one


def test_it_beats_the_star_tracker_and_knows_how_well() -> None:
    ends = []
    for seed in range(20):
        turn, _, one = errors(seed, NO_BIAS, 600)
        ends.append(turn[-200::40])
    rms = float(np.sqrt(np.mean(np.square(ends))))
    assert rms < 0.5 * 8.0 * ARCSEC
    # 300 samples, correlated over some seconds: an rms is known to about 10 %.
    assert rms == pytest.approx(one.attitude_sigma, rel=0.3)


def test_the_gyros_bias_is_found() -> None:
    worst = []
    for seed in range(5):
        _, spin, _ = errors(seed, NO_BIAS, 3000)
        worst.append(abs(spin[-500:].mean(axis=0)).max())
    assert max(worst) < 1.5 * DEG_PER_H  # of 30 deg/h


def test_a_gap_of_the_star_tracker_is_bridged_by_the_gyro() -> None:
    turn, _, one = errors(3, Avionics(star_tracker_bias_arcsec=0.0), 800, range(400, 700))
    assert abs(turn[699]).max() < 30.0 * ARCSEC  # 30 s at under 1 deg/h of remaining bias
    assert one.refused == 300
    assert np.isfinite(turn).all()


def test_nothing_is_ready_before_the_first_star() -> None:
    one = AttitudeFilter(Avionics())
    one.step(0.0, np.zeros(4), np.zeros(3))
    assert not one.ready
    one.step(0.1, attitude(0.1), np.full(3, np.nan))
    assert one.ready
    assert np.isfinite(one.w_eci_chaser).all()
