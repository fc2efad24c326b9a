"""Rates of turning bodies whose motion is known in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from proxops.core.vision import Floats
from proxops.maths.rotation import matrix_from_rotation_vector
from proxops.onboard.vision.inspection.spin import local_rates, spin_of

TIMES = np.arange(0.0, 200.0, 5.0)
RATE = np.radians([0.6, -0.4, 1.1])


def turned(v: Floats) -> Floats:
    return np.asarray(matrix_from_rotation_vector(np.ascontiguousarray(v)))


def test_a_constant_spin_is_found_in_noise() -> None:
    rng = np.random.default_rng(1)
    first = turned(np.array([0.2, -1.0, 0.4]))
    noise_rad = np.radians(0.5)
    R = np.array([turned(noise_rad * rng.standard_normal(3)) @ turned(RATE * t) @ first for t in TIMES])
    found = spin_of(TIMES, R)
    assert np.degrees(np.linalg.norm(found.w_eci - RATE)) < 0.005
    assert found.left_rad == pytest.approx(noise_rad * np.sqrt(3.0), rel=0.25)
    assert np.allclose(found.at(50.0), turned(RATE * 50.0) @ first, atol=0.01)


def test_a_client_at_rest_has_none() -> None:
    R = np.repeat(turned(np.array([0.3, 0.2, 0.1]))[None], len(TIMES), axis=0)
    assert np.linalg.norm(spin_of(TIMES, R).w_eci) < 1e-9
    assert np.linalg.norm(spin_of(TIMES[:1], R[:1]).w_eci) == 0.0


def test_a_tumbling_body_has_another_rate_at_each_look() -> None:
    """Two equal inertias: the body turns about its own axis at p while that axis goes round H at q, and w = q H/|H| + p axis."""
    p, q, axis = np.radians(0.8), np.radians(0.6), np.array([np.sin(0.5), 0.0, np.cos(0.5)])
    up = np.array([0.0, 0.0, 1.0])
    R = np.array([turned(q * t * up) @ turned(p * t * axis) for t in TIMES])
    true = np.array([q * up + p * turned(q * t * up) @ axis for t in TIMES])
    found = local_rates(TIMES, R, looks=4)
    assert np.degrees(np.abs(found[2:-2] - true[2:-2]).max()) < 0.03
    assert np.degrees(np.linalg.norm(true[0] - true[-1])) > 0.3
    assert spin_of(TIMES, R).left_rad > np.radians(5.0)
