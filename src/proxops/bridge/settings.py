"""What a scenario (or the operator) can set on the bridge, and what holds when nothing is set."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import PERIOD_NS, PERIOD_S
from proxops.core.scenario import BridgeTable

LIMITS: Final = (1.0, 0.3, math.radians(20.0), math.radians(20.0))
"""m/s, m/s², rad/s, rad/s² where nobody has set any."""


@dataclass(frozen=True)
class BridgeSettings:
    """SI units and radians. Speed and rate are those of the ports in the lab, accelerations the clutch's.

    A speed or rate that an operator sets (None: nobody has) holds in every phase. Otherwise joining has the cell's own: it moves
    to a start as any other motion does."""

    speed_m_s: float | None = None
    acceleration_m_s2: float | None = None
    rate_rad_s: float | None = None
    angular_acceleration_rad_s2: float | None = None
    timeout_s: float = 0.1  # silence after which the client counts as gone
    scale: float = 1.0  # metres in the hall per metre in orbit
    sun_weight: float = 0.0
    phi_rad: float | None = None  # given: it stays where it is
    exchanged: bool = False  # the chaser is on robot 2, the target on robot 1 (``roles``)

    @cached_property
    def limits(self) -> NDArray[np.float64]:
        """While the clutch is closed: m/s, m/s², rad/s, rad/s²."""
        given = self.speed_m_s, self.acceleration_m_s2, self.rate_rad_s, self.angular_acceleration_rad_s2
        return np.array([usual if value is None else value for value, usual in zip(given, LIMITS, strict=True)])

    @property
    def joining_limits(self) -> tuple[float, float]:
        """Of the ports while joining: m/s, rad/s."""
        return self.speed_m_s or math.inf, self.rate_rad_s or math.inf

    @property
    def timeout_ns(self) -> int:
        """Silence after which the client is gone: whole cycles, at least one."""
        return max(1, round(self.timeout_s / PERIOD_S)) * PERIOD_NS


def settings_of(b: BridgeTable) -> BridgeSettings:
    """The bridge's settings: those of the scenario, or what holds when it is silent."""

    def angle(value: float | None) -> float | None:
        return None if value is None else math.radians(value)

    return BridgeSettings(
        speed_m_s=b.speed_m_s,
        acceleration_m_s2=b.acceleration_m_s2,
        rate_rad_s=angle(b.rate_deg_s),
        angular_acceleration_rad_s2=angle(b.angular_acceleration_deg_s2),
        timeout_s=BridgeSettings.timeout_s if b.timeout_ms is None else b.timeout_ms * 1e-3,
        scale=b.scale,
        sun_weight=b.sun_weight,
        phi_rad=angle(b.phi_deg),
        exchanged=b.chaser_on == 2,
    )
