"""The intercept: arrives where the bar will be, with its motion; nothing jumps when it is planned anew."""

import numpy as np
import pytest

from proxops.maths.pose import compose, pose
from proxops.maths.rotation import matrix_from_rotation_vector
from proxops.onboard.intercept import Intercept, InterceptSettings
from proxops.onboard.marker_track import TrackSettings

V, W = np.array([-0.02, 0.03, -0.01]), np.array([0.02, -0.03, 0.05])
P0, R0 = np.array([1.5, 0.1, -0.2]), matrix_from_rotation_vector(np.array([0.1, -0.2, 0.3]))
T_HANDLE_BAR = pose(matrix_from_rotation_vector(np.array([0.0, 1.5, 0.1])), np.array([-0.3, 0.05, 0.02]))
CLOSING, RATE_HZ, DT = 0.05, 20, 0.002


def truth(t: float) -> np.ndarray:
    return pose(np.ascontiguousarray(matrix_from_rotation_vector(t * W) @ R0), P0 + t * V)


def bar(t: float) -> tuple[np.ndarray, np.ndarray]:
    """Pose and twist of the bar's middle."""
    T, handle = compose(truth(t), T_HANDLE_BAR), truth(t)
    return T, np.concatenate([V + np.cross(W, T[:3, 3] - handle[:3, 3]), W])


def flown(until_s: float, blind_s: float = 3.5) -> tuple[Intercept, np.ndarray]:
    """Demands (24) of every cycle; exact sightings until ``blind_s``."""
    settings = InterceptSettings(T_HANDLE_BAR, 2.5, 4.0, 0.12, CLOSING, 0.04, 0.5, 0.3, 1.0 / RATE_HZ)
    start = bar(0.0)[0]
    start[:3, 3] -= 0.4 * start[:3, 2]
    track = TrackSettings((1e-6, 1e-6), (0.1, 0.1), (1e-3, 1e-3))
    intercept, out = Intercept(settings, track, start[:3, 3], np.ascontiguousarray(start[:3, :3])), []
    for i in range(round(until_s / DT) + 1):
        t = i * DT
        if t < blind_s and i % round(1.0 / (RATE_HZ * DT)) == 0:
            intercept.see(t, truth(t))
        out.append(intercept.at(t).flat.copy())
    return intercept, np.array(out)


def test_rests_until_it_has_looked() -> None:
    _, demands = flown(0.49)
    assert np.array_equal(demands, np.repeat(demands[:1], len(demands), axis=0))


def test_stands_off_and_arrives_with_the_bars_motion() -> None:
    """To what the plan's end allows: the last plan before a goal is horizon_s short of it at least, and its error by then is the
    filter's, 1e-5."""
    _, demands = flown(4.0)
    now = demands[-1]
    T, twist = bar(4.0)
    assert now[:3] == pytest.approx(T[:3, 3], abs=2e-4)
    assert now[3:12].reshape(3, 3) == pytest.approx(T[:3, :3], abs=1e-3)
    assert now[12:15] == pytest.approx(twist[:3] + CLOSING * T[:3, 2], abs=2e-3)
    assert now[15:18] == pytest.approx(W, abs=2e-3)
    row = round(2.4 / DT)
    T, _ = bar(2.4)
    behind = T[:3, :3].T @ (demands[row][:3] - T[:3, 3])
    assert behind[2] == pytest.approx(-0.12, abs=5e-3)
    assert np.linalg.norm(behind[:2]) < 5e-3


def test_comes_on_no_further_than_it_should() -> None:
    """Blind since long before: the last estimate is carried on."""
    _, demands = flown(7.0)
    T, twist = bar(7.0)
    beyond = T[:3, :3].T @ (demands[-1][:3] - T[:3, 3])
    assert beyond == pytest.approx([0.0, 0.0, 0.04], abs=1e-3)
    at_hand = twist[:3] + np.cross(W, demands[-1][:3] - T[:3, 3])
    assert demands[-1][12:15] == pytest.approx(at_hand, abs=1e-3)


def test_nothing_jumps() -> None:
    """Place and speed of two neighbouring cycles fit each other: what the acceleration of up to 1 m/s2 explains, no more."""
    _, demands = flown(6.0)
    step = np.diff(demands[:, :3], axis=0) - DT * 0.5 * (demands[1:, 12:15] + demands[:-1, 12:15])
    assert np.abs(step).max() < 1e-7
    assert np.abs(np.diff(demands[:, 12:18], axis=0)).max() < 1.0 * DT
