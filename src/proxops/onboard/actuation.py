"""How the chaser does what was decided: torque and force by the controller, given to thrusters and wheels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.core.flight import Floats, OnboardData
from proxops.maths.kernel import kernel
from proxops.maths.small_matrix import applied
from proxops.maths.stack import vector
from proxops.onboard.allocation import Allocation, pulse
from proxops.onboard.attitude_reference import Slew
from proxops.onboard.control import Control, force_for, torque_for
from proxops.onboard.thruster_watch import ThrusterWatch
from proxops.onboard.wheels import Wheels, momentum_of, share_out, unload


class Actuation:
    """``watch`` knows which thrusters do what they are told."""

    def __init__(self, data: OnboardData) -> None:
        self._period_s = data.period_s
        self.control, self._allocation, self._wheels = Control(data), Allocation(data), Wheels(data)
        self.watch = ThrusterWatch(self.wrench, data)
        self._push = self.wrench[:3].copy()  # (3, n) N; whole, so that a copy of a flight rounds as the flight does
        self._parts = (*self.control.parts, *self._wheels.parts, *self._allocation.parts)

    @property
    def wrench(self) -> Floats:
        """(6, n) of each thruster."""
        return self._allocation.wrench

    def impulse(self, on_s: Floats) -> Floats:
        """(3) N s of thrusters that fired for so long."""
        return applied(self._push, on_s)

    def acceleration(self, on_s: Floats, mass_kg: float) -> Floats:
        """(3) m/s², mean over a cycle, by thrusters that fired for so long in it."""
        out = np.empty(3)
        mean_acceleration(self._push, on_s, mass_kg * self._period_s, out)
        return out

    def forget(self) -> None:
        """What thrusters still owe of earlier cycles."""
        self._allocation.forget()

    def act(
        self, acceleration: Floats | None, mass_kg: float, wheel_rate: Floats, q: Floats, w: Floats, slew: Slew, distance_m: float
    ) -> tuple[Floats, Floats]:  # fmt: skip
        """On-times and wheel torques. ``acceleration``: wanted of the thrusters (eci), None for thrusters off; ``q``, ``w``: the
        chaser's attitude and rate; ``distance_m``: from the target, whom the plumes shall not hit."""
        allocation, wheels, watch = self._allocation, self._wheels, self.watch
        if acceleration is None:
            allocation.forget()
            torque = self.control.torque(q, w, slew.q, slew.w, slew.acceleration, wheels.momentum(wheel_rate))
            return np.zeros(watch.healthy.size), wheels.command(torque, wheel_rate)[0]
        on, each = np.empty(watch.healthy.size), np.empty(wheel_rate.size)
        usable = allocation.usable(watch.healthy, distance_m)
        act(
            acceleration, mass_kg, wheel_rate, q, w, slew.q, slew.w, slew.acceleration, usable, self._period_s, *self._parts,
            on, each,
        )  # fmt: skip
        return on, each


@kernel
def mean_acceleration(push: Floats, on_s: Floats, mass_time: float, out: Floats) -> None:
    """``out`` := the impulse over the mass and the time that it took, kg s."""
    for i in range(3):
        impulse = 0.0
        for k in range(on_s.size):
            impulse += push[i, k] * on_s[k]
        out[i] = impulse / mass_time


@kernel
def act(
    acceleration: Floats, mass_kg: float, wheel_rate: Floats, q: Floats, w: Floats, q_ref: Floats, w_ref: Floats,
    w_dot_ref: Floats, usable: NDArray[np.bool_], period_s: float, inertia: Floats, gains: Floats, most_n: float, axes: Floats,
    share: Floats, most_torque: float, most_momentum: float, rotor: float, under_way: NDArray[np.bool_], wrench: Floats,
    min_on_s: float, carried: Floats, most_carried: Floats, on: Floats, each: Floats,
) -> None:  # fmt: skip
    """``on`` := the thrusters' on-times, ``each`` := the wheels' torques: what ``Actuation.act`` does in one call. The parts of
    controller, wheels and allocation are in the order of their ``parts``."""
    momentum, torque, unloading, wish, given, force = vector(3), vector(3), vector(3), vector(3), vector(3), vector(3)
    momentum_of(axes, rotor, wheel_rate, momentum)
    torque_for(q, w, q_ref, w_ref, w_dot_ref, momentum, inertia, gains, torque)
    unload(axes, most_torque, most_momentum, rotor, wheel_rate, w, under_way, unloading)
    for i in range(3):
        wish[i] = torque[i] - unloading[i]
    share_out(wish, share, axes, wheel_rate, most_torque, most_momentum, rotor, period_s, each, given)
    wheels_alone = unloading[0] == 0.0 and unloading[1] == 0.0 and unloading[2] == 0.0
    for i in range(3):
        wish[i] = 0.0 if wheels_alone else torque[i] - given[i]
    force_for(acceleration, mass_kg, q, most_n, force)
    pulse(wrench, force, wish, usable, period_s, min_on_s, carried, most_carried, on)
    # The wheels take what the pulses leave of the torque, at once and not only when it shows as an error.
    for i in range(3):
        by_pulses = 0.0
        for k in range(on.size):
            by_pulses += wrench[3 + i, k] * on[k]
        wish[i] = torque[i] - by_pulses / period_s
    share_out(wish, share, axes, wheel_rate, most_torque, most_momentum, rotor, period_s, each, given)
