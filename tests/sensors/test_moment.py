"""Poses between moments: straight in position, on the shortest arc in attitude."""

from __future__ import annotations

import numpy as np

from proxops.sensors.moment import resampled


def turned(angle: float, x: float = 0.0) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array([x, 0.0, 0.0, np.cos(0.5 * angle), 0.0, 0.0, np.sin(0.5 * angle)])


def test_a_steady_motion_is_met_exactly() -> None:
    t = np.array([0.0, 0.1, 0.25])
    poses = np.array([[turned(3.0 * s, 2.0 * s)] for s in t])
    at = np.linspace(0.0, 0.25, 11)
    wanted = np.array([[turned(3.0 * s, 2.0 * s)] for s in at])
    np.testing.assert_allclose(resampled(t, poses, at), wanted, atol=1e-12)


def test_the_short_way_is_taken_whatever_the_sign_of_the_quaternion() -> None:
    poses = np.array([[turned(0.0)], [turned(0.4)]])
    poses[1, 0, 3:] *= -1.0
    found = resampled(np.array([0.0, 1.0]), poses, np.array([0.5]))[0, 0]
    np.testing.assert_allclose(np.abs(found), np.abs(turned(0.2)), atol=1e-12)


def test_nothing_is_made_up_outside() -> None:
    poses = np.array([[turned(0.0, 1.0)], [turned(0.4, 2.0)]])
    found = resampled(np.array([0.0, 1.0]), poses, np.array([-1.0, 2.0]))
    np.testing.assert_allclose(found[:, 0], poses[:, 0], atol=1e-12)
    np.testing.assert_allclose(resampled(np.array([0.0]), poses[:1], np.array([0.0, 5.0])), poses[[0, 0]])
