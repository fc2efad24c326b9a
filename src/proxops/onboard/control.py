"""Control: what acceleration and what torque bring the chaser to its reference.

Translation: feed-forward and PD with a dead zone, since the estimate's noise would cost propellant. Attitude: PD on the
quaternion with feed-forward of the slew and of the gyroscopic torque (Wie, Space Vehicle Dynamics and Control, section 7.3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.flight import Estimate, Floats, OnboardData
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import cross, quat_inverse, quat_product, rotation_vector, turned
from proxops.onboard.guidance import Reference


@dataclass(frozen=True)
class Gains:
    """Of both loops: natural frequencies (rad/s) and damping; dead zone of the position error."""

    translation: float = 0.08
    translation_damping: float = 0.9
    attitude: float = 0.35
    attitude_damping: float = 0.9
    dead_m: float = 0.004
    dead_share: float = 0.001  # of the distance, added: noise grows with it
    force_share: float = 1.5  # of one thruster's force: most that is asked for


class Control:
    """Both loops. Accelerations in eci axes, torques in the chaser's frame."""

    def __init__(self, data: OnboardData, gains: Gains | None = None) -> None:
        self.gains = gains or Gains()
        self._inertia = data.inertia
        self._force_n = self.gains.force_share * data.thruster_force_n

    def acceleration(self, reference: Reference, estimate: Estimate) -> Floats:
        """(3) m/s^2 that the thrusters should give."""
        g = self.gains
        kp, kd = g.translation**2, 2.0 * g.translation_damping * g.translation
        pull = kp * (reference.position - estimate.position) + kd * (reference.velocity - estimate.velocity)
        distance = math.sqrt(reference.position @ reference.position)
        dead, size = kp * (g.dead_m + g.dead_share * distance), math.sqrt(pull @ pull)
        # Continuous at its edge: a zone that lets all through beyond it would make the loop chatter.
        keep = max(0.0, 1.0 - dead / size) if size > 0.0 else 0.0
        return reference.thrust + keep * pull

    def force(self, acceleration: Floats, mass_kg: float, q_eci_chaser: Floats) -> Floats:
        """(3) N in the chaser's frame, bounded, same direction."""
        force = mass_kg * turned(quat_inverse(q_eci_chaser), acceleration)
        size = math.sqrt(force @ force)
        return force * min(1.0, self._force_n / size) if size > 0.0 else force

    def torque(
        self, q_eci_chaser: Floats, w_chaser: Floats, q_reference: Floats, w_eci: Floats, w_dot_eci: Floats,
        wheel_momentum: Floats,
    ) -> Floats:  # fmt: skip
        """(3) N m on the craft; the reference's rates in eci axes."""
        g = self.gains
        gains = np.array([g.attitude**2, 2.0 * g.attitude_damping * g.attitude])
        out = np.empty(3)
        _torque(q_eci_chaser, w_chaser, q_reference, w_eci, w_dot_eci, wheel_momentum, self._inertia, gains, out)
        return out


MOST_ANGLE: Final = math.radians(5.0)  # error from which the pull grows no more: the slew never asks for such jumps


@kernel
def _torque(
    q: Floats, w: Floats, q_ref: Floats, w_eci: Floats, w_dot_eci: Floats, momentum: Floats, inertia: Floats, gains: Floats,
    out: Floats,
) -> None:  # fmt: skip
    back, way = quat_inverse(q), np.empty(3)
    angle = rotation_vector(quat_product(back, q_ref), way)  # in the chaser's frame
    pull = gains[0] * min(1.0, MOST_ANGLE / angle) if angle > 0.0 else 0.0
    w_ref, w_dot = turned(back, w_eci), turned(back, w_dot_eci)
    turning, spin = np.zeros(3), momentum.copy()
    for i in range(3):
        turning[i] = w_dot[i] + pull * way[i] + gains[1] * (w_ref[i] - w[i])
        for j in range(3):
            spin[i] += inertia[i, j] * w[j]
    gyroscopic = cross(w, spin)
    for i in range(3):
        out[i] = gyroscopic[i]
        for j in range(3):
            out[i] += inertia[i, j] * turning[j]
