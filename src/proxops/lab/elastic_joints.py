"""Elastic gears of a virtual arm: motors on one side, links on the other, torque sensors between them (Spong's joint).

    M(q) q̈ + h(q, q̇) = τ,   τ = K (θ - q) + D (θ̇ - q̇),   B θ̈ = drive - τ

The encoders sit on the motors (θ) and do not see the links (q). What a drive has not taken up of its load (τ less a low-pass of
it) turns its rotor. Links go on by the implicit midpoint rule: stable at any stiffness, and no damping of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LinkModel = Callable[
    [Floats, Floats], tuple[Floats, Floats]
]  # angles, rates of the links → M (n, n), h (n) with gravity
SETTLING: Final = (
    50  # rounds for the sag at rest; each is smaller by the load's change over the stiffness, some hundredths
)


@dataclass(frozen=True, eq=False)
class ElasticTraits:
    """Per joint: N m/rad, N m s/rad, kg m2 behind the gear. ``feedback_s``: after which a drive has taken up a change of load."""

    stiffness: Floats
    damping: Floats
    rotor_inertia: Floats
    feedback_s: float


class ElasticJoints:
    """Begins at rest, sagged under its weight. ``angles``, ``rates``: of the links; ``torque``: (n) N m that the sensors feel."""

    def __init__(self, traits: ElasticTraits, motors: Floats, links: LinkModel) -> None:
        self._traits, self._links = traits, links
        self.angles, self.rates = np.array(motors, float), np.zeros(motors.size)
        for _ in range(SETTLING):
            self.angles = motors - links(self.angles, self.rates)[1] / traits.stiffness
        self.torque: Floats = traits.stiffness * (motors - self.angles)
        self._taken_up = self.torque.copy()

    def step(self, motors: Floats, motor_rates: Floats, dt: float) -> None:
        """The motors have come to ``motors`` within ``dt``; ``motor_rates`` then change by what their load does to them."""
        K, D, B = self._traits.stiffness, self._traits.damping, self._traits.rotor_inertia
        M, h = self._links(self.angles, self.rates)
        sprung = K * (motors - 0.5 * dt * motor_rates - self.angles - 0.5 * dt * self.rates)
        damped = D * (motor_rates - self.rates)
        acceleration = np.linalg.solve(M + np.diag(0.5 * dt * D + 0.25 * dt * dt * K), sprung + damped - h)
        self.angles += dt * (self.rates + 0.5 * dt * acceleration)
        self.rates += dt * acceleration
        self.torque = K * (motors - self.angles) + D * (motor_rates - self.rates)
        motor_rates -= dt * (self.torque - self._taken_up) / B
        self._taken_up += (1.0 - math.exp(-dt / self._traits.feedback_s)) * (self.torque - self._taken_up)
