"""The docking axis: +x of the target through its interface, and where the chaser has to be to have its own interface on it."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.flight import Floats, OnboardData
from proxops.maths.kernel import kernel
from proxops.maths.triple import crossed, inverse, mapped, quad, rotated, triple

LEAST_GAP_M: Final = 0.1  # between the interfaces when a fly-around reaches the axis


class DockingAxis:
    """Places are of the chaser's centre of mass from the target's, in the target's frame, both frames parallel."""

    def __init__(self, data: OnboardData) -> None:
        self._mated = (data.target_interface - data.target_mass_centre) - (data.interface - data.mass_centre)

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


@kernel
def between(position: Floats, q_chaser: Floats, q_target: Floats, ours: Floats, theirs: Floats, out: Floats) -> None:
    """``out`` := chaser's interface (``ours``, chaser's frame) from the target's (``theirs``), in the target's frame."""
    arm = rotated(quad(q_chaser, 0), triple(ours, 0))
    way = (position[0] + arm[0], position[1] + arm[1], position[2] + arm[2])
    x, y, z = rotated(inverse(quad(q_target, 0)), way)
    out[0], out[1], out[2] = x - theirs[0], y - theirs[1], z - theirs[2]


@kernel
def euler(q: Floats, w: Floats, inertia: Floats, inverse_inertia: Floats, w_eci: Floats, w_dot_eci: Floats) -> None:
    """Rate ``w`` (body) and its change when no torque acts, in eci axes."""
    rate, turn = triple(w, 0), quad(q, 0)
    w_dot = mapped(inverse_inertia, crossed(mapped(inertia, rate), rate))
    w_eci[0], w_eci[1], w_eci[2] = rotated(turn, rate)
    w_dot_eci[0], w_dot_eci[1], w_dot_eci[2] = rotated(turn, w_dot)
