"""Star tracker, gyro, GNSS: statistics as specified."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proxops.core.sensor_table import Avionics
from proxops.maths.quaternion import quat_inverse, quat_product, rotation_vector
from proxops.maths.rotation import quat_from_rotation_vector
from proxops.sensors.avionics import ARCSEC, DEG_PER_H, AvionicsSuite

Q = quat_from_rotation_vector(np.array([0.4, -1.0, 2.0]))
W, P, V = np.array([0.01, -0.02, 0.03]), np.array([7e6, 0.0, 1e5]), np.array([0.0, 7500.0, 10.0])


def test_noise_about_constant_biases() -> None:
    suite = AvionicsSuite(Avionics(), np.random.default_rng(2))
    n = 3000
    turn, rest = np.empty((n, 3)), np.empty((n, 9))
    for k in range(n):
        q, w, p, v = suite.read(Q, W, P, V)
        rotation_vector(quat_product(quat_inverse(Q), q), turn[k])
        rest[k] = np.concatenate([w - W, p - P, v - V])
    # Standard deviations of 3000 samples: 1.3 %, means: sigma/55; four of that.
    assert np.std(turn, axis=0) == pytest.approx([8.0 * ARCSEC] * 3, rel=0.06)
    assert np.std(rest, axis=0) == pytest.approx([DEG_PER_H] * 3 + [5.0] * 3 + [0.02] * 3, rel=0.06)
    assert turn.mean(axis=0) == pytest.approx(suite.attitude_bias, abs=8.0 * ARCSEC * 4.0 / math.sqrt(n))
    assert rest[:, :3].mean(axis=0) == pytest.approx(suite.rate_bias, abs=DEG_PER_H * 4.0 / math.sqrt(n))
    assert rest[:, 3:6].mean(axis=0) == pytest.approx(0.0, abs=5.0 * 4.0 / math.sqrt(n))


def test_biases_have_their_size_and_seeds_decide() -> None:
    many = [AvionicsSuite(Avionics(), np.random.default_rng(k)) for k in range(400)]
    assert np.std([one.attitude_bias for one in many]) == pytest.approx(10.0 * ARCSEC, rel=0.08)
    assert np.std([one.rate_bias for one in many]) == pytest.approx(0.5 * DEG_PER_H, rel=0.08)
    again = AvionicsSuite(Avionics(), np.random.default_rng(7))
    for a, b in zip(many[7].read(Q, W, P, V), again.read(Q, W, P, V), strict=True):
        assert np.array_equal(a, b)


def test_perfect_instruments_say_the_truth() -> None:
    names = ("star_tracker_arcsec", "star_tracker_bias_arcsec", "gyro_deg_h", "gyro_bias_deg_h", "gnss_m", "gnss_m_s")
    suite = AvionicsSuite(Avionics.model_validate(dict.fromkeys(names, 0.0)), np.random.default_rng(1))
    for a, b in zip(suite.read(Q, W, P, V), (Q, W, P, V), strict=True):
        assert a == pytest.approx(b, rel=1e-12)
