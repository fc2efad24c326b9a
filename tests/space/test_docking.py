"""Docking geometry against SciPy's rotations and finite differences of the motion that the rates describe."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from proxops.space.docking import COUNT, interfaces

Array = NDArray[np.float64]


class Scene:
    """A random state of two craft near each other."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.d, self.dv = rng.normal(0.0, 2.0, 3), rng.normal(0.0, 0.1, 3)
        self.R_t, self.R_c = Rotation.random(rng=rng), Rotation.random(rng=rng)
        self.w_t, self.w_c = rng.normal(0.0, 0.05, 3), rng.normal(0.0, 0.05, 3)
        self.arm_t, self.arm_c = rng.normal(0.0, 1.0, 3), rng.normal(0.0, 1.0, 3)

    def told(self) -> Array:
        out = np.full(COUNT, np.nan)
        q_t, q_c = self.R_t.as_quat(scalar_first=True), self.R_c.as_quat(scalar_first=True)
        interfaces(self.d, self.dv, q_t, self.w_t, q_c, self.w_c, self.arm_t, self.arm_c, out)
        return out

    def place(self, t: float) -> Array:
        """Chaser's interface from the target's, in the target's frame, after ``t`` of uniform motion."""
        R_t, R_c = self.R_t * Rotation.from_rotvec(self.w_t * t), self.R_c * Rotation.from_rotvec(self.w_c * t)
        place: Array = R_t.inv().apply(self.d + self.dv * t + R_c.apply(self.arm_c)) - self.arm_t
        return place

    def turn(self, t: float) -> Rotation:
        """R_target_chaser."""
        R_t, R_c = self.R_t * Rotation.from_rotvec(self.w_t * t), self.R_c * Rotation.from_rotvec(self.w_c * t)
        return R_t.inv() * R_c


@pytest.mark.parametrize("seed", range(20))
def test_places_and_angles(seed: int) -> None:
    scene = Scene(seed)
    gap, lateral, tilt = scene.told()[:3]
    place, x = scene.place(0.0), scene.turn(0.0).apply([1.0, 0.0, 0.0])
    assert gap == pytest.approx(place[0], abs=1e-13)
    assert lateral == pytest.approx(math.hypot(place[1], place[2]), abs=1e-13)
    assert tilt == pytest.approx(math.acos(x[0]), abs=1e-7)  # acos is that bad near 0 and pi


@pytest.mark.parametrize("seed", range(20))
def test_rates_are_derivatives_of_the_motion(seed: int) -> None:
    """Central differences over 2 ms: truncated at 1e-6 w^3 r = 1e-9, rounded at 1e-13."""
    scene, h = Scene(seed), 1e-3
    closing, lateral, angular = scene.told()[4:]
    speed = (scene.place(h) - scene.place(-h)) / (2 * h)
    assert closing == pytest.approx(-speed[0], abs=1e-8)
    assert lateral == pytest.approx(math.hypot(speed[1], speed[2]), abs=1e-8)
    turned = (scene.turn(-h).inv() * scene.turn(h)).magnitude() / (2 * h)
    assert angular == pytest.approx(turned, abs=1e-8)


@pytest.mark.parametrize("roll", [-3.0, -0.5, 0.0, 0.02, 1.0, 3.0])
@pytest.mark.parametrize("tilt", [0.0, 1e-6, 0.07, 0.5])
def test_roll_is_the_turn_about_the_axis_whatever_the_tilt(roll: float, tilt: float) -> None:
    """A tilt about any axis across, then a roll about the chaser's own x: twist and swing come apart exactly."""
    scene = Scene(0)
    swing = Rotation.from_rotvec(tilt * np.array([0.0, math.cos(0.4), math.sin(0.4)]))
    scene.R_c = scene.R_t * swing * Rotation.from_rotvec([roll, 0.0, 0.0])
    told = scene.told()
    assert told[2] == pytest.approx(tilt, abs=1e-12)
    assert told[3] == pytest.approx(roll, abs=1e-12)


def test_mated_and_at_rest_everything_is_zero() -> None:
    scene = Scene(3)
    scene.R_c, scene.w_c = scene.R_t, scene.w_t
    scene.d = scene.R_t.apply(scene.arm_t - scene.arm_c)
    scene.dv = np.cross(scene.R_t.apply(scene.w_t), scene.d)
    np.testing.assert_allclose(scene.told(), 0.0, atol=1e-14)


def test_nothing_depends_on_the_inertial_frame() -> None:
    scene = Scene(5)
    before, turn = scene.told(), Rotation.from_rotvec([0.3, -1.2, 2.0])
    scene.d, scene.dv, scene.R_t, scene.R_c = (
        turn.apply(scene.d),
        turn.apply(scene.dv),
        turn * scene.R_t,
        turn * scene.R_c,
    )
    np.testing.assert_allclose(scene.told(), before, atol=1e-13)
