"""How the chaser does what was decided: torque and force by the controller, given to thrusters and wheels."""

from __future__ import annotations

import numpy as np

from proxops.core.flight import Floats, OnboardData
from proxops.maths.small_matrix import applied
from proxops.onboard.allocation import Allocation
from proxops.onboard.attitude_reference import Slew
from proxops.onboard.control import Control
from proxops.onboard.thruster_watch import ThrusterWatch
from proxops.onboard.wheels import Wheels


class Actuation:
    """``watch`` knows which thrusters do what they are told."""

    def __init__(self, data: OnboardData) -> None:
        self._period_s = data.period_s
        self.control, self._allocation, self._wheels = Control(data), Allocation(data), Wheels(data)
        self.watch = ThrusterWatch(self.wrench, data)
        # (3, n) N and N m of each thruster; whole arrays, so that a copy of a flight rounds as the flight does.
        self._push, self._twist = self.wrench[:3].copy(), self.wrench[3:].copy()

    @property
    def wrench(self) -> Floats:
        """(6, n) of each thruster."""
        return self._allocation.wrench

    def impulse(self, on_s: Floats) -> Floats:
        """(3) N s of thrusters that fired for so long."""
        return applied(self._push, on_s)

    def forget(self) -> None:
        """What thrusters still owe of earlier cycles."""
        self._allocation.forget()

    def act(
        self, acceleration: Floats | None, mass_kg: float, wheel_rate: Floats, q: Floats, w: Floats, slew: Slew, distance_m: float
    ) -> tuple[Floats, Floats]:  # fmt: skip
        """On-times and wheel torques. ``acceleration``: wanted of the thrusters (eci), None for thrusters off; ``q``, ``w``: the
        chaser's attitude and rate; ``distance_m``: from the target, whom the plumes shall not hit."""
        allocation, wheels, watch = self._allocation, self._wheels, self.watch
        torque = self.control.torque(q, w, slew.q, slew.w, slew.acceleration, wheels.momentum(wheel_rate))
        if acceleration is None:
            allocation.forget()
            each, _ = wheels.command(torque, wheel_rate)
            return np.zeros(watch.healthy.size), each
        unloading = wheels.unloading(wheel_rate, w)
        _, given = wheels.command(torque - unloading, wheel_rate)
        by_thrusters = torque - given if unloading.any() else np.zeros(3)
        force = self.control.force(acceleration, mass_kg, q)
        on = allocation.pulses(force, by_thrusters, allocation.usable(watch.healthy, distance_m))
        # The wheels take what the pulses leave of the torque, at once and not only when it shows as an error.
        each, _ = wheels.command(torque - applied(self._twist, on) / self._period_s, wheel_rate)
        return on, each
