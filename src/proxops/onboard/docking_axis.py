"""The docking axis: +x of the target through its interface, and where the chaser has to be to have its own interface on it."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.flight import Estimate, Floats, OnboardData
from proxops.maths.quaternion import cross, turned

LEAST_GAP_M: Final = 0.1  # between the interfaces when a fly-around reaches the axis


class DockingAxis:
    """Places are of the chaser's centre of mass from the target's, in the target's frame, both frames parallel."""

    def __init__(self, data: OnboardData) -> None:
        self._interface = data.interface - data.mass_centre
        self._target_interface = data.target_interface - data.target_mass_centre
        self._mated = self._target_interface - self._interface
        self._inertia = data.target_inertia
        self._inverse = np.linalg.inv(data.target_inertia)

    def place(self, gap: float) -> Floats:
        """On the axis with this gap between the interfaces."""
        place: Floats = self._mated + np.array([gap, 0.0, 0.0])
        return place

    def gap(self, place: Floats) -> float:
        """Gap at a place on the axis."""
        return float(place[0] - self._mated[0])

    def gap_at(self, distance: float) -> float:
        """Gap at which the centres of mass are so far apart."""
        lateral2 = float(self._mated[1] ** 2 + self._mated[2] ** 2)
        return max(math.sqrt(max(distance * distance - lateral2, 0.0)) - float(self._mated[0]), LEAST_GAP_M)

    def between_interfaces(self, estimate: Estimate, q_eci_chaser: Floats) -> Floats:
        """Chaser's interface from the target's in the target's frame: x is the gap, y and z the offset from the axis."""
        p_eci = estimate.position + turned(q_eci_chaser, self._interface)
        q = estimate.q_eci_target * np.array([1.0, -1.0, -1.0, -1.0])
        return turned(q, p_eci) - self._target_interface

    def turning(self, estimate: Estimate) -> tuple[Floats, Floats]:
        """Rate of the target's frame and its change when no torque acts (Euler), in eci axes."""
        w = estimate.w_eci_target
        w_dot = -self._inverse @ cross(w, self._inertia @ w)
        return turned(estimate.q_eci_target, w), turned(estimate.q_eci_target, w_dot)
