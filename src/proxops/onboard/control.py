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
from proxops.maths.quaternion import rotation_vector
from proxops.maths.triple import composed, crossed, inverse, mapped, quad, rotated, triple
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
        g = self.gains = gains or Gains()
        self._translation = np.array(
            [g.translation**2, 2.0 * g.translation_damping * g.translation, g.dead_m, g.dead_share]
        )
        self._attitude = np.array([g.attitude**2, 2.0 * g.attitude_damping * g.attitude])
        self._inertia = data.inertia
        self._force_n = self.gains.force_share * data.thruster_force_n

    def acceleration(self, reference: Reference, estimate: Estimate) -> Floats:
        """(3) m/s^2 that the thrusters should give."""
        out = np.empty(3)
        _acceleration(
            reference.position, reference.velocity, reference.thrust, estimate.position, estimate.velocity,
            self._translation, out,
        )  # fmt: skip
        return out

    @property
    def parts(self) -> tuple[Floats, Floats, float]:
        """Of the force and the torque, for kernels."""
        return self._inertia, self._attitude, self._force_n

    def torque(
        self, q_eci_chaser: Floats, w_chaser: Floats, q_reference: Floats, w_eci: Floats, w_dot_eci: Floats,
        wheel_momentum: Floats,
    ) -> Floats:  # fmt: skip
        """(3) N m on the craft; the reference's rates in eci axes."""
        out = np.empty(3)
        torque_for(
            q_eci_chaser, w_chaser, q_reference, w_eci, w_dot_eci, wheel_momentum, self._inertia, self._attitude, out
        )
        return out


@kernel
def _acceleration(
    p_ref: Floats, v_ref: Floats, thrust_ref: Floats, p: Floats, v: Floats, gains: Floats, out: Floats
) -> None:
    """``gains``: of place and velocity, dead zone and its growth with the distance."""
    distance = pull = 0.0
    for i in range(3):
        out[i] = gains[0] * (p_ref[i] - p[i]) + gains[1] * (v_ref[i] - v[i])
        pull += out[i] * out[i]
        distance += p_ref[i] * p_ref[i]
    size = math.sqrt(pull)
    dead = gains[0] * (gains[2] + gains[3] * math.sqrt(distance))
    # Continuous at its edge: a zone that lets all through beyond it would make the loop chatter.
    keep = max(0.0, 1.0 - dead / size) if size > 0.0 else 0.0
    for i in range(3):
        out[i] = thrust_ref[i] + keep * out[i]


@kernel
def force_for(acceleration: Floats, mass_kg: float, q: Floats, most_n: float, out: Floats) -> None:
    """``out`` := N in the chaser's frame for an acceleration in eci axes: bounded, same direction."""
    x, y, z = rotated(inverse(quad(q, 0)), triple(acceleration, 0))
    size = mass_kg * math.sqrt(x * x + y * y + z * z)
    k = mass_kg * (min(1.0, most_n / size) if size > 0.0 else 1.0)
    out[0], out[1], out[2] = k * x, k * y, k * z


MOST_ANGLE: Final = math.radians(5.0)  # error from which the pull grows no more: the slew never asks for such jumps


@kernel
def torque_for(
    q: Floats, w: Floats, q_ref: Floats, w_eci: Floats, w_dot_eci: Floats, momentum: Floats, inertia: Floats, gains: Floats,
    out: Floats,
) -> None:  # fmt: skip
    """``out`` := N m on the craft in its frame; the reference's rates in eci axes."""
    back, rate = inverse(quad(q, 0)), triple(w, 0)
    angle = rotation_vector(composed(back, quad(q_ref, 0)), out)  # in the chaser's frame
    pull = gains[0] * min(1.0, MOST_ANGLE / angle) if angle > 0.0 else 0.0
    w_ref, w_dot = rotated(back, triple(w_eci, 0)), rotated(back, triple(w_dot_eci, 0))
    for i in range(3):
        out[i] = w_dot[i] + pull * out[i] + gains[1] * (w_ref[i] - rate[i])
    given, spin = mapped(inertia, triple(out, 0)), mapped(inertia, rate)
    spin = (momentum[0] + spin[0], momentum[1] + spin[1], momentum[2] + spin[2])
    gyroscopic = crossed(rate, spin)
    for i in range(3):
        out[i] = gyroscopic[i] + given[i]
