"""Mass, centre of mass and inertia of what a robot carries, in a frame of one's choice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MassProperties:
    """``com_m`` in the frame, the tensor about the centre of mass along the frame's axes."""

    mass_kg: float
    com_m: Array
    inertia_kgm2: Array  # (3, 3)

    def seen_from(self, T_a_b: Array) -> MassProperties:
        """The same body in frame a, given in b."""
        R = T_a_b[:3, :3]
        return MassProperties(self.mass_kg, R @ self.com_m + T_a_b[:3, 3], R @ self.inertia_kgm2 @ R.T)

    def inertia_about(self, point_m: Array) -> Array:
        """Tensor about a point of the frame (Steiner)."""
        return self.inertia_kgm2 + steiner(self.mass_kg, self.com_m - point_m)


def steiner(mass_kg: float, offset_m: Array) -> Array:
    """What a tensor gains when its reference is moved away from the centre of mass by ``offset_m``."""
    gained: Array = mass_kg * (offset_m @ offset_m * np.eye(3) - np.outer(offset_m, offset_m))
    return gained


def joined(parts: Iterable[MassProperties]) -> MassProperties:
    """Bodies in one frame that are bolted together."""
    bodies = list(parts)
    mass_kg = sum(body.mass_kg for body in bodies)
    if mass_kg == 0.0:
        return MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))
    com_m = sum((body.mass_kg * body.com_m for body in bodies), np.zeros(3)) / mass_kg
    return MassProperties(mass_kg, com_m, sum((body.inertia_about(com_m) for body in bodies), np.zeros((3, 3))))
