"""A target that spins and a chaser that stands beside it in space: a client of the bridge whose motion the hall shows with robot
2 alone, however fast the chaser is in the target's frame."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from bridge_hall import BridgeHall
from numpy.typing import NDArray

from proxops.core.messages import PERIOD_S
from proxops.core.vocabulary import Phase

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Spin:
    """The chaser stands ``distance_m`` from the target, ``off_deg`` off its x axis, about which the target turns."""

    distance_m: float
    off_deg: float
    rate_deg_s: float

    @property
    def chaser(self) -> tuple[float, ...]:
        """Wire order, looking along the line."""
        off = math.radians(self.off_deg)
        return (
            self.distance_m * math.cos(off), self.distance_m * math.sin(off), 0.0,
            0.0, 0.0, math.sin(0.5 * off), math.cos(0.5 * off),
        )  # fmt: skip

    def target(self, t: float) -> tuple[float, ...]:
        half = 0.5 * math.radians(self.rate_deg_s) * t
        return 0.0, 0.0, 0.0, math.sin(half), 0.0, 0.0, math.cos(half)


@dataclass(frozen=True)
class Shown:
    """Cycle by cycle."""

    phase: NDArray[np.int64]
    left_m: Floats
    left_rad: Floats

    @property
    def following(self) -> NDArray[np.bool_]:
        return self.phase == Phase.FOLLOWING


def show(hall: BridgeHall, spin: Spin, seconds: float, begun_s: float = 0.0) -> Shown:
    """The target spins from the first cycle on; the hall joins by itself."""
    rows = []
    for k in range(round(seconds / PERIOD_S)):
        hall.cycle([hall.packet(spin.chaser, spin.target(begun_s + k * PERIOD_S))])
        rows.append((hall.phase, *hall.bridge.left[:2]))
    phases, metres, radians = zip(*rows, strict=True)
    return Shown(np.array(phases, np.int64), np.array(metres), np.array(radians))
