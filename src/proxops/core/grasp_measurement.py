"""What passes between a catching arm and its flight software each cycle: measurements up, commands down."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GraspMeasurement:
    """With noise; a value that is no number is a fault. Inertial axes: those of the base at the start."""

    t_s: float
    base: Floats  # (7) place and quaternion, scalar first, in inertial axes
    base_speed: Floats  # (6) linear, angular, in the base's own axes
    joints: Floats  # (n) rad
    rates: Floats  # (n) rad/s
    opening: float  # m, between the fingers
    jaw_force: float  # N, what the fingers' drive gives: positive closes
    wrist: Floats  # (6) contact force and torque ON the gripper, about its grasp frame and in its axes; own weight taken off
    sighting: Floats | None  # (4, 4) T_base_handle, when there is a new one

    def fault(self) -> str:
        """Which value is no number; empty if all are."""
        values = (self.base, self.base_speed, self.joints, self.rates, self.wrist)
        if self.sighting is None and math.isfinite(
            sum(float(one.sum()) for one in values) + self.opening + self.jaw_force
        ):
            return ""
        for name in ("base", "base_speed", "joints", "rates", "opening", "jaw_force", "wrist", "sighting"):
            value = getattr(self, name)
            if value is None:
                continue
            bad = np.flatnonzero(~np.isfinite(np.ravel(value)))
            if len(bad):
                return f"{name.replace('_', ' ')}, value {bad[0] + 1}"
        return ""


@dataclass(frozen=True, eq=False)
class GraspCommand:
    """``brake``: the drives hold the joints by themselves, whatever the torques say."""

    torques: Floats  # (n) N m
    close: bool
    brake: bool = False
